/* openssl speed's tables: split on blanks, never on columns; told apart by header and shape. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "parse/openssl_int.h"

enum { CELLS_MAX = 16, NAME_WORDS = 4, OPS_MAX = 4 };

void openssl_no_header(struct openssl *o)
{
	o->kind = ALG_NONE;
	o->columns = 0;
	o->blocks_n = 0;
	o->header_open = false;
}

/* Headers ----------------------------------------------------------------- */

/*
 * "16 bytes 64 bytes": sizes from s on. *state: 1 whole, READER_MORE where the end of the text
 * breaks a size, READER_NONE where sizes do not stand as they are printed.
 */
static const char *scan_blocks(const char *s, double *blocks, int *n, long *state)
{
	*state = 1;
	for (;;) {
		struct word w[2];
		size_t k = num_words(s, w, 2, NULL);
		double size;

		if (k == 0 || !word_count(&w[0], &size) || size > 1e9)
			return s;
		if (k == 1 || (w[1].s[w[1].len] == '\0' && w[1].len < 5 &&
			       strncmp(w[1].s, "bytes", w[1].len) == 0)) {
			*state = READER_MORE;
			return s;
		}
		if (!word_is(&w[1], "bytes")) {
			*state = READER_NONE;
			return s;
		}
		if (*n < BLOCKS_MAX)
			blocks[(*n)++] = size;
		s = w[1].s + w[1].len;
	}
}

static long bulk_header(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	const char *s = num_after(p->s, "type "), *e;
	bool goes_on = s == NULL && o->header_open && o->blocks_n > 0 && num_is_digit(p->s[0]);
	double blocks[BLOCKS_MAX];
	int n = 0;
	long state;

	if (goes_on) {
		/* the header's end in a line of its own */
		n = o->blocks_n;
		memcpy(blocks, o->blocks, sizeof(blocks));
		s = p->s;
	}
	if (s == NULL)
		return READER_NONE;
	e = scan_blocks(s, blocks, &n, &state);
	if (state == READER_MORE && !p->last)
		return READER_MORE;
	if (state == READER_NONE || n == 0)
		return READER_NONE;
	if (goes_on && (n == o->blocks_n || *num_skip(e) != '\0'))
		return READER_NONE;
	if (!goes_on && o->any && o->serial != ctx_label_serial(ctx))
		openssl_new_block(o, ctx);
	openssl_touch(o, ctx);
	memcpy(o->blocks, blocks, sizeof(blocks));
	o->blocks_n = n;
	o->kind = ALG_BULK;
	o->columns = n;
	o->header_open = true;
	return e - p->s;
}

static bool header_word(const struct word *w)
{
	static const char *const words[] = {
		"sign",     "signs",   "verify",    "encrypt",  "decrypt",  "sign/s",
		"verify/s", "encr./s", "decr./s",   "op",       "op/s",     "keygen",
		"encaps",   "decaps",  "keygens/s", "encaps/s", "decaps/s",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (word_is(w, words[i]))
			return true;
	}
	return false;
}

static long key_header(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	const char *s = p->s, *e = s;
	struct word w;
	int times = 0, rates = 0;
	enum algorithm kind = ALG_NONE;
	bool goes_on = false;

	while (num_words(e, &w, 1, NULL) == 1 && header_word(&w)) {
		bool rate = memchr(w.s, '/', w.len) != NULL;

		/* a second header glued to the first */
		if (rates > 0 && !rate)
			break;
		if (times == 0 && rates == 0)
			goes_on = o->header_open && o->blocks_n == 0 &&
				  (rate || word_is(&w, "encrypt") || word_is(&w, "decrypt") ||
				   word_is(&w, "decaps") || word_is(&w, "encaps"));
		if (word_is(&w, "encaps"))
			kind = ALG_KEM;
		else if (word_is(&w, "signs"))
			kind = ALG_SIG;
		times += !rate;
		rates += rate;
		e = w.s + w.len;
	}
	if (times + rates == 0 || (!goes_on && (times == 0 || times + rates < 2)))
		return READER_NONE;
	if (goes_on) {
		o->columns += times;
	} else {
		if (o->any && o->serial != ctx_label_serial(ctx))
			openssl_new_block(o, ctx);
		openssl_touch(o, ctx);
		openssl_no_header(o);
		o->columns = times;
		o->kind = kind;
	}
	if (kind != ALG_NONE)
		o->kind = kind;
	o->header_open = true;
	return e - s;
}

long openssl_header(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	long r = bulk_header(o, ctx, p);

	return r != READER_NONE ? r : key_header(o, ctx, p);
}

/* Cells ------------------------------------------------------------------- */

struct cell {
	struct num n;
	const char *s;
	char suffix; /* 's', 'k' or 0 */
	bool bad;    /* inf, nan, negative */
};

/* A cell of a table at s; its end, or NULL. */
static const char *scan_cell(const char *s, struct cell *c)
{
	const char *e;

	memset(c, 0, sizeof(*c));
	c->s = s;
	if (num_scan(s, 0, &c->n)) {
		e = c->n.end;
	} else {
		e = num_scan_bad(s);
		c->bad = true;
		if (e == NULL)
			return NULL;
	}
	if (*e == 's' || *e == 'k')
		c->suffix = *e++;
	/* Text may be glued behind the last number of a file without a newline: rates have one
	 * decimal, so what follows it is the other text's. */
	if (*e != '\0' && !num_is_blank(*e) && *e != '|' && c->suffix == 0) {
		const char *point = s + strspn(s, "0123456789");

		if (c->bad || *point != '.' || !num_is_digit(point[1]))
			return NULL;
		e = point + 2;
		c->n.value = floor(c->n.value * 10 + 1e-9) / 10;
		c->n.decimals = 1;
		c->n.step = 0.1;
		c->n.end = e;
	}
	return e;
}

static const char *skip_cell_blank(const char *s)
{
	while (num_is_blank(*s) || *s == '|')
		s++;
	return s;
}

/* "(Cortex-A55)" behind a row: a label of its own. */
static const char *annotation(const char *s, char *label, size_t size)
{
	const char *a = num_skip(s), *e;
	size_t n;

	label[0] = '\0';
	if (*a != '(')
		return s;
	e = strchr(a, ')');
	if (e == NULL || e - a < 2 || e - a > 60)
		return s;
	n = (size_t)(e - a - 1);
	if (n >= size)
		n = size - 1;
	memcpy(label, a + 1, n);
	label[n] = '\0';
	return e + 1;
}

static void use_annotation(const char *label, struct parse_value *v)
{
	if (label[0] != '\0')
		v->label = (char *)(uintptr_t)label;
}

/* Public-key rows --------------------------------------------------------- */

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
		snprintf(r->name, sizeof(r->name), "%.*s", (int)w[3].len - 2, w[3].s + 1);
		return w[3].s + w[3].len;
	}
	if (o->kind != ALG_KEM && o->kind != ALG_SIG)
		return NULL;
	r->alg = o->kind;
	snprintf(r->name, sizeof(r->name), "%.*s", (int)w[0].len, w[0].s);
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
		const char *e = scan_cell(skip_cell_blank(s), c);

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

/* Does a progress line's rate agree with a printed one, both being rounded? */
static bool agrees(const struct measured *m, double per, double value, double step)
{
	double rate;

	if (m->seconds <= 0 || m->count <= 0 || value <= 0)
		return true;
	rate = m->count * per / m->seconds;
	return fabs(rate / value - 1) <= 0.02 + step / value + m->step / m->seconds;
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
		if (v->has_value && !agrees(m, 1, v->value, v->step)) {
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

/* The better of a time and a rate, either may be NULL. */
static void value_of_cells(struct parse_ctx *ctx, const struct cell *time, const struct cell *rate,
			   long line, const char *what, struct parse_value *v)
{
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
			ctx_warn(ctx, line,
				 "%s: time (%g s) and rate (%g/s) disagree by more than rounding",
				 what, time->n.value, rate->n.value);
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

/* One operation of a row. */
struct reading {
	enum operation op;
	const struct cell *time, *rate;
	struct parse_value v;
};

static void read_operation(struct parse_ctx *ctx, const struct key_row *r, const char *item, int i,
			   const struct cell *rate, struct reading *out)
{
	char what[ITEM_MAX + 32];

	memset(out, 0, sizeof(*out));
	out->op = column_op(r, i);
	out->time = &r->cell[i];
	out->rate = rate;
	snprintf(what, sizeof(what), "%s %s", item, openssl_op_name(out->op));
	value_of_cells(ctx, out->time, out->rate, r->line, what, &out->v);
}

static void emit_operation(struct openssl *o, struct parse_ctx *ctx, const struct key_row *r,
			   const char *item, int run, struct reading *g)
{
	struct parse_value *v = &g->v;
	bool other;
	struct measured *m = o->multi ? NULL : find_measured(o, r, g->op, v, &other);
	char note[128] = "";

	v->run = run;
	v->unit = "op/s";
	v->line = r->line;
	use_annotation(r->label, v);
	if (m != NULL && m->seconds > 0 && m->count > 0) {
		struct measured named = *m;

		m->used = true;
		snprintf(named.name, sizeof(named.name), "%s", r->name);
		openssl_emit_measured(o, ctx, &named, run, v->label);
		return;
	}
	if (!v->has_value)
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

static long key_row(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	struct key_row r = {.alg = ALG_NONE};
	const char *s = row_name(o, p->s, &r), *e;
	struct reading g[OPS_MAX];
	char item[ITEM_MAX + 16];
	int ops, run;
	bool whole, ancient;

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
	}
	ops = ancient ? 2 : r.times < OPS_MAX ? r.times : OPS_MAX;
	/* of a row that was cut no more than its times are sure to be whole */
	if (!whole && !ancient && !fits(&r, ops) && o->columns > 0 && ops > o->columns)
		return READER_NONE;
	e = annotation(r.end, r.label, sizeof(r.label));
	if (o->any && o->serial != ctx_label_serial(ctx) && o->table)
		openssl_new_block(o, ctx);
	r.line = piece_line(p, p->s);
	openssl_item(item, sizeof(item), r.alg, r.bits, r.name);
	for (int i = 0; i < ops; i++) {
		int at = r.times + i;
		/* the last number of a cut row may have lost digits */
		bool sure = !ancient && at < r.cells && (whole || at + 1 < r.cells);

		read_operation(ctx, &r, item, i, sure ? &r.cell[at] : NULL, &g[i]);
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

/* Bulk rows --------------------------------------------------------------- */

struct bulk_row {
	char name[ITEM_MAX];
	struct cell cell[CELLS_MAX];
	int cells;
	bool cut; /* what follows could be a cell that lost its end */
	const char *end;
	char label[LABEL_MAX];
};

/* A row's name is up to NAME_WORDS words that are no cells; NULL when there is no cell behind. */
static const char *bulk_name(const char *s, char *name, size_t size)
{
	size_t n = 0;

	name[0] = '\0';
	if (!num_is_alpha(*s))
		return NULL;
	for (int i = 0; i < NAME_WORDS; i++) {
		size_t len = strcspn(s, " \t|");
		struct cell c;

		if (i > 0 && scan_cell(s, &c) != NULL && c.suffix == 'k')
			return s;
		if (len == 0 || n + len + 2 > size || s[len] == '\0' ||
		    strspn(s, "0123456789.") >= len)
			return NULL;
		n += (size_t)snprintf(name + n, size - n, "%s%.*s", i > 0 ? " " : "", (int)len, s);
		s = skip_cell_blank(s + len);
	}
	{
		struct cell c;

		return scan_cell(s, &c) != NULL && c.suffix == 'k' ? s : NULL;
	}
}

/* The beginning of a row whose cells stand in the next line. */
static bool is_name_alone(const struct openssl *o, const struct piece *p)
{
	return o->kind == ALG_BULK && o->table && num_is_alpha(p->s[0]) && p->len < 40 &&
	       strpbrk(p->s, ":;,=<>'\"") == NULL;
}

static void bulk_cells(struct bulk_row *r, const char *s, int want)
{
	r->end = s;
	while (r->cells < CELLS_MAX && (want == 0 || r->cells < want)) {
		struct cell c;
		const char *e = scan_cell(s, &c);

		/* the number of the fixed format has two decimals, and k directly behind it */
		if (e == NULL || c.suffix != 'k')
			break;
		r->cell[r->cells++] = c;
		r->end = e;
		s = skip_cell_blank(e);
	}
	/* a column the program printed without its unit is none */
	if (want == 0 || r->cells < want) {
		struct cell c;
		const char *e = scan_cell(s, &c);

		r->cut = *s == '\0' || (num_is_digit(*s) && (e == NULL || c.suffix == 0) &&
					s[strcspn(s, " \t")] == '\0');
		if (e != NULL && !c.bad && c.suffix == 0 && c.n.value == 0)
			r->end = e;
	}
}

static void emit_cell(struct openssl *o, struct parse_ctx *ctx, const struct bulk_row *r, int i,
		      const char *item, int run, long line)
{
	const struct cell *c = &r->cell[i];
	struct parse_value v = {.run = run, .unit = "B/s", .line = line};
	char aspect[32], note[128] = "";

	use_annotation(r->label, &v);
	if (o->blocks_n > 0) {
		snprintf(aspect, sizeof(aspect), "%.0f", o->blocks[i]);
	} else {
		snprintf(aspect, sizeof(aspect), "column.%d", i + 1);
		snprintf(note, sizeof(note), "the block size is not printed");
	}
	if (c->bad || c->n.value <= 0) {
		snprintf(note, sizeof(note), "the table holds no number that can be used: %.*s",
			 (int)strcspn(c->s, " \t|"), c->s);
	} else {
		v.has_value = true;
		v.value = num_scaled(&c->n, 1000);
		v.step = c->n.step * 1000;
		if (o->multi && note[0] == '\0')
			snprintf(note, sizeof(note), "sum over the processes of -multi");
	}
	v.note = note;
	openssl_emit(o, ctx, item, item, aspect, &v);
}

/* The progress line of one cell; *other: there is one that says something else. */
static struct measured *cell_measured(struct openssl *o, const struct bulk_row *r, int i,
				      bool *other)
{
	const struct num *n = &r->cell[i].n;

	*other = false;
	for (int k = 0; k < o->m_n; k++) {
		struct measured *m = &o->m[k];

		if (m->used || m->alg != ALG_BULK || m->size != o->blocks[i] ||
		    strcasecmp(m->name, r->name) != 0)
			continue;
		*other = !r->cell[i].bad && !agrees(m, m->size, n->value * 1000, n->step * 1000);
		if (!*other)
			return m;
	}
	return NULL;
}

/* The progress lines of a row are not needed any more; others are of another run. */
static void use_measured(struct openssl *o, struct parse_ctx *ctx, const struct bulk_row *r,
			 long line)
{
	bool other = false;

	for (int i = 0; i < r->cells && i < o->blocks_n && !other; i++) {
		if (cell_measured(o, r, i, &other) != NULL)
			other = false;
	}
	if (other && !o->multi) {
		ctx_warn(ctx, line,
			 "the table contradicts the progress lines above: taken as two runs");
		openssl_new_block(o, ctx);
		return;
	}
	for (int i = 0; i < r->cells && i < o->blocks_n; i++) {
		struct measured *m = cell_measured(o, r, i, &other);

		if (m != NULL)
			m->used = true;
	}
}

/* One number, no header: the summary row of -multi, for a size it does not say. */
static void lone_cell(struct openssl *o, struct parse_ctx *ctx, const struct bulk_row *r,
		      const char *item, long line)
{
	struct parse_value v = {.unit = "B/s", .line = line, .note = "no block size is printed"};

	ctx_warn(ctx, line, "summary row %s %.*s has no block size", r->name,
		 (int)strcspn(r->cell[0].s, " \t"), r->cell[0].s);
	openssl_emit(o, ctx, item, item, "unknown", &v);
}

/* Is a name that was joined from two lines one that has two words? Else a word was broken. */
static bool is_broken_name(const struct piece *p, const char *cells, const char *name)
{
	static const char *const second[] = {"cbc", "ede3", "ige", "ecb", "ctr", "gcm", "poly1305"};
	const char *word = strrchr(name, ' ');

	if (p->parts_n < 2 || p->parts[p->parts_n - 1].s <= p->s ||
	    p->parts[p->parts_n - 1].s > cells || word == NULL)
		return false;
	for (size_t i = 0; i < sizeof(second) / sizeof(second[0]); i++) {
		if (strcmp(word + 1, second[i]) == 0)
			return false;
	}
	return p->parts[p->parts_n - 1].s < cells;
}

static long bulk_row(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	struct bulk_row r = {.cells = 0};
	const char *s = bulk_name(p->s, r.name, sizeof(r.name)), *e;
	char item[ITEM_MAX + 16];
	long line = piece_line(p, p->s);
	bool lone;
	int run;

	if (s == NULL)
		return p->rest && !p->last && is_name_alone(o, p) ? READER_MORE : READER_NONE;
	if (is_broken_name(p, s, r.name))
		return READER_NONE;
	bulk_cells(&r, s, o->blocks_n);
	lone = r.cells == 1 && o->blocks_n == 0;
	/* prose may hold "20.5k"; a row has a header, more columns, or a run it belongs to */
	if (r.cells == 0 || r.cell[0].n.decimals != 2 || (lone && o->software[0] == '\0'))
		return READER_NONE;
	if ((r.cells < o->blocks_n || (o->blocks_n == 0 && r.cells > 1)) && !p->last) {
		if (r.cut)
			return READER_MORE;
		/* a number that is no cell: broken at another place */
		if (num_is_digit(*skip_cell_blank(r.end)) || *skip_cell_blank(r.end) == '.')
			return READER_NONE;
	}
	e = annotation(r.end, r.label, sizeof(r.label));
	if (o->any && o->serial != ctx_label_serial(ctx) && o->table)
		openssl_new_block(o, ctx);
	use_measured(o, ctx, &r, line);
	openssl_touch(o, ctx);
	o->header_open = false;
	o->table = true;
	o->complete = o->sum_n > 0;
	openssl_item(item, sizeof(item), ALG_BULK, 0, r.name);
	if (lone) {
		lone_cell(o, ctx, &r, item, line);
		return e - p->s;
	}
	run = runs_row(&o->runs, item);
	for (int i = 0; i < r.cells; i++)
		emit_cell(o, ctx, &r, i, item, run, piece_line(p, r.cell[i].s));
	openssl_mr_used(o, ALG_BULK, 0, r.name);
	return e - p->s;
}

long openssl_row(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	long r = key_row(o, ctx, p);

	return r != READER_NONE ? r : bulk_row(o, ctx, p);
}
