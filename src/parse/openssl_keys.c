/* Rows of public-key algorithms: a time and a rate for each operation. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "parse/openssl_int.h"
#include "parse/put.h"

enum { OPS_MAX = 4 };

struct key_row {
	enum algorithm alg;
	unsigned bits;
	char name[ITEM_MAX];
	struct cell cell[CELLS_MAX];
	int cells, times, rates;
	const char *end;
	char label[LABEL_MAX];
	long line;
};

/* "rsa 2048 bits", " 256 bits ecdsa (nistp256)", "ML-KEM-768": where the cells begin, or NULL. */
static const char *row_name(const struct openssl *o, const char *s, struct key_row *r)
{
	struct word w[4];
	const char *rest;
	size_t n = num_words(s, w, 4, &rest);
	enum operation op;
	double bits;

	if (n < 3)
		return NULL;
	if (num_is_digit(w[0].s[0]) || word_is(&w[0], "rsa") || word_is(&w[0], "dsa")) {
		size_t size = num_is_digit(w[0].s[0]) ? 0 : 1;

		if (!word_count(&w[size], &bits) || bits > 1e6 ||
		    !(word_is(&w[size + 1], "bits") || word_is(&w[size + 1], "bit")))
			return NULL;
		r->bits = (unsigned)bits;
		if (size == 1) {
			r->alg = word_is(&w[0], "rsa") ? ALG_RSA : ALG_DSA;
			return w[2].s + w[2].len;
		}
		r->alg = openssl_algorithm(w[2].s, w[2].len, &op);
		if (r->alg == ALG_FFDH)
			return w[2].s + w[2].len;
		if (r->alg == ALG_NONE || n < 4 || w[3].s[0] != '(' || w[3].len < 3 ||
		    w[3].s[w[3].len - 1] != ')')
			return NULL;
		put_copy(r->name, sizeof(r->name), w[3].s + 1, w[3].len - 2);
		return w[3].s + w[3].len;
	}
	if (o->kind != ALG_KEM && o->kind != ALG_SIG)
		return NULL;
	r->alg = o->kind;
	put_copy(r->name, sizeof(r->name), w[0].s, w[0].len);
	return w[0].s + w[0].len;
}

/* Rates are printed with one decimal: without it the number was cut, if nothing follows. */
static bool is_cut_rate(const struct key_row *r)
{
	const struct cell *c = &r->cell[r->cells - 1];
	const char *next = num_skip(r->end);
	struct num n;

	/* one number more than columns: one of them was broken in two */
	if (r->rates > 0 && num_scan(next, 0, &n) && n.decimals > 0)
		return true;
	return r->rates > 0 && c->n.decimals == 0 && !c->bad &&
	       (*next == '\0' || *next == '.' || num_is_digit(*next));
}

static void scan_cells(struct key_row *r, const char *s)
{
	struct cell *c = r->cell;

	r->end = s;
	while (r->cells < CELLS_MAX) {
		const char *e = openssl_cell(openssl_cell_skip(s), c);

		if (e == NULL || c->suffix == 'k')
			break;
		if (c->suffix == 's') {
			if (r->rates > 0)
				break;
			r->times++;
		} else {
			r->rates++;
		}
		r->end = s = e;
		r->cells++;
		c++;
		if (r->times > 0 && r->rates == r->times)
			break;
	}
}

/* SSLeay printed the second time without its s: three decimals like the first, no rates. */
static bool is_ancient(const struct key_row *r)
{
	return (r->alg == ALG_RSA || r->alg == ALG_DSA) && r->times == 1 && r->rates == 1 &&
	       r->cell[0].n.decimals == 3 && r->cell[1].n.decimals == 3;
}

static enum operation column_op(const struct key_row *r, int i)
{
	static const enum operation sign[] = {OP_SIGN, OP_VERIFY, OP_ENCRYPT, OP_DECRYPT};
	static const enum operation kem[] = {OP_KEYGEN, OP_ENCAPS, OP_DECAPS};
	static const enum operation sig[] = {OP_KEYGEN, OP_SIGN, OP_VERIFY};

	if (r->alg == ALG_KEM)
		return kem[i];
	if (r->alg == ALG_SIG)
		return sig[i];
	if (r->alg == ALG_ECDH || r->alg == ALG_FFDH)
		return OP_OP;
	return sign[i];
}

/* How many operations a row of this algorithm may have. */
static bool fits(const struct key_row *r, int ops)
{
	switch (r->alg) {
	case ALG_ECDH:
	case ALG_FFDH:
		return ops == 1;
	case ALG_KEM:
	case ALG_SIG:
		return ops == 3;
	case ALG_RSA:
		return ops == 2 || ops == 4;
	default:
		return ops == 2;
	}
}

/*
 * The progress line of an operation: the first that agrees with the row. *other: there is one,
 * but what it says is something else, so it is of another run.
 */
static struct measured *find_measured(struct openssl *o, const struct key_row *r, enum operation op,
				      const struct parse_value *v, bool *other)
{
	*other = false;
	for (int i = 0; i < o->m_n; i++) {
		struct measured *m = &o->m[i];

		if (m->used || m->alg != r->alg || m->op != op || m->bits != r->bits)
			continue;
		if (m->name[0] != '\0' && r->name[0] != '\0' && strcasecmp(m->name, r->name) != 0)
			continue;
		if (v->has_value && !openssl_agrees(m, 1, v->value, v->step)) {
			*other = true;
			continue;
		}
		*other = false;
		return m;
	}
	return NULL;
}

static double half_relative(const struct cell *c)
{
	return c == NULL || c->bad || c->n.value <= 0 ? INFINITY : c->n.step / 2 / c->n.value;
}

/* One operation of a row. */
struct reading {
	enum operation op;
	const struct cell *time, *rate;
	struct parse_value v;
};

/* The better of a time and a rate, either may be NULL. */
static void value_of_cells(struct parse_ctx *ctx, struct reading *g, const char *item, long line)
{
	const struct cell *time = g->time, *rate = g->rate;
	struct parse_value *v = &g->v;
	double by_time = half_relative(time), by_rate = half_relative(rate);

	if (isfinite(by_time) && isfinite(by_rate)) {
		/* the product of what both may have been before rounding is 1 */
		double least =
			(time->n.value - time->n.step / 2) * (rate->n.value - rate->n.step / 2);
		double most =
			(time->n.value + time->n.step / 2) * (rate->n.value + rate->n.step / 2);

		if (most < 0.3) {
			by_rate = INFINITY; /* digits of the rate were cut off */
		} else if (most < 0.995 || least > 1.005) {
			ctx_warn(
				ctx, line,
				"%s %s: time (%g s) and rate (%g/s) disagree by more than rounding",
				item, openssl_op_name(g->op), time->n.value, rate->n.value);
			by_time = INFINITY;
		}
	}
	if (isfinite(by_rate) && by_rate <= by_time) {
		v->value = rate->n.value;
		v->step = rate->n.step;
	} else if (isfinite(by_time)) {
		v->value = 1 / time->n.value;
		v->step = time->n.step / time->n.value / time->n.value;
		v->derived = true;
	} else {
		return;
	}
	v->has_value = true;
}

static void read_operation(struct parse_ctx *ctx, const struct key_row *r, const char *item, int i,
			   const struct cell *rate, struct reading *out)
{
	memset(out, 0, sizeof(*out));
	out->op = column_op(r, i);
	out->time = &r->cell[i];
	out->rate = rate;
	value_of_cells(ctx, out, item, r->line);
}

static void emit_operation(struct openssl *o, struct parse_ctx *ctx, const struct key_row *r,
			   const char *item, int run, struct reading *g)
{
	struct parse_value *v = &g->v;
	bool other;
	struct measured *m = o->multi ? NULL : find_measured(o, r, g->op, v, &other);
	char note[128];

	v->run = run;
	v->unit = "op/s";
	v->line = r->line;
	openssl_use_annotation(r->label, v);
	if (m != NULL && m->seconds > 0 && m->count > 0) {
		struct measured named = *m;

		m->used = true;
		put_copy(named.name, sizeof(named.name), r->name, strlen(r->name));
		openssl_emit_measured(o, ctx, &named, run, v->label);
		return;
	}
	note[0] = '\0';
	if (!v->has_value && v->note != NULL)
		snprintf(note, sizeof(note), "%s", v->note);
	else if (!v->has_value)
		snprintf(note, sizeof(note), "the table holds no number that can be used: %.*s",
			 (int)strcspn(g->time->s, " \t|"), g->time->s);
	else if (o->multi || o->processes > 1)
		snprintf(note, sizeof(note), "sum over the processes of -multi");
	v->note = note;
	if (v->has_value)
		openssl_mr_used(o, r->alg, r->bits, r->name);
	openssl_emit(o, ctx, item, item, openssl_op_name(g->op), v);
}

/* Progress lines that contradict the row are of a run whose table is not in the text. */
static void keep_runs_apart(struct openssl *o, struct parse_ctx *ctx, const struct key_row *r,
			    const struct reading *g, int ops)
{
	for (int i = 0; i < ops; i++) {
		const struct parse_value *v = &g[i].v;
		bool other = false;

		if (o->multi)
			other = v->has_value && openssl_mr_contradicts(o, r->alg, r->bits, r->name,
								       i, v->value, v->step);
		else if (find_measured(o, r, g[i].op, v, &other) != NULL)
			other = false;
		if (!other)
			continue;
		ctx_warn(ctx, r->line,
			 "the table contradicts the progress lines above: taken as two runs");
		openssl_new_block(o, ctx);
		return;
	}
}

static char cut_off[] = "the text ends before the rate";

long openssl_key_row(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	struct key_row r;
	const char *s, *e;
	struct reading g[OPS_MAX];
	char item[ITEM_MAX + 16];
	int ops, run;
	bool whole, ancient, lost = false;

	if (!num_is_digit(p->s[0]) && o->kind != ALG_KEM && o->kind != ALG_SIG &&
	    strncmp(p->s, "rsa", 3) != 0 && strncmp(p->s, "dsa", 3) != 0)
		return READER_NONE;
	memset(&r, 0, sizeof(r));
	s = row_name(o, p->s, &r);
	if (s == NULL)
		return READER_NONE;
	scan_cells(&r, s);
	ancient = is_ancient(&r);
	whole = r.times > 0 && r.times == r.rates && fits(&r, r.times) && !is_cut_rate(&r) &&
		(o->columns == 0 || o->kind == ALG_BULK || r.times >= o->columns);
	if (!whole && !ancient) {
		/* the end of the text, or a word that may be the beginning of a cell */
		const char *next = num_skip(r.end);
		bool at_end = *next == '\0' ||
			      (r.rates != r.times && (num_is_digit(*next) || *next == 'i') &&
			       next[strcspn(next, " \t")] == '\0');

		if (!p->last)
			return at_end ? READER_MORE : READER_NONE;
		if (r.cells == 0 || !(r.times > 0))
			return READER_NONE;
		lost = p->end;
	}
	ops = ancient ? 2 : r.times < OPS_MAX ? r.times : OPS_MAX;
	/* of a row that was cut no more than its times are sure to be whole */
	if (!whole && !ancient && !fits(&r, ops) && o->columns > 0 && ops > o->columns)
		return READER_NONE;
	e = openssl_annotation(r.end, r.label, sizeof(r.label));
	openssl_label_before(p, r.label, sizeof(r.label));
	if (o->any && o->serial != ctx_label_serial(ctx) && o->table)
		openssl_new_block(o, ctx);
	r.line = piece_line(p, p->s);
	openssl_item(item, sizeof(item), r.alg, r.bits, r.name);
	for (int i = 0; i < ops; i++) {
		int at = r.times + i;
		/* the last number of a cut row may have lost digits */
		bool sure = !ancient && at < r.cells && (whole || at + 1 < r.cells);

		read_operation(ctx, &r, item, i, sure ? &r.cell[at] : NULL, &g[i]);
		/* what is left is the time, which is rounded more and may be cut as well */
		if (lost && !sure) {
			g[i].v = (struct parse_value){.note = cut_off};
		}
	}
	keep_runs_apart(o, ctx, &r, g, ops);
	openssl_touch(o, ctx);
	o->header_open = false;
	o->table = true;
	o->complete = o->sum_n > 0;
	run = runs_row(&o->runs, item);
	for (int i = 0; i < ops; i++)
		emit_operation(o, ctx, &r, item, run, &g[i]);
	return e - p->s;
}
