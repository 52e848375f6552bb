/*
 * openssl speed -mr and -multi: lines of fields between colons. The fields of the +F lines
 * changed from seconds to rates without a mark, so the +R lines (count and seconds) say what
 * they are, or they are refused.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "parse/openssl_int.h"
#include "parse/put.h"

enum { FIELDS = 24 };

struct fields {
	struct word f[FIELDS];
	int n;
	const char *end; /* behind the last field: a blank or the end */
};

/* Cuts "+R:869268:sha256:0.990000" at its colons; fields may hold single blanks ("des cbc"). */
static void cut_fields(const char *s, struct fields *out)
{
	out->n = 0;
	while (out->n < FIELDS) {
		const char *e = s;

		while (*e != '\0' && *e != ':' && e - s <= ITEM_MAX &&
		       !(num_is_blank(*e) &&
			 (num_is_blank(e[1]) || e[1] == '+' || e[1] == '\0' ||
			  strncmp(e + 1, "from ", 5) == 0 || num_is_digit(s[0]))))
			e++;
		if (e - s > ITEM_MAX) { /* no field is as long */
			out->n = 0;
			return;
		}
		out->f[out->n].s = s;
		out->f[out->n++].len = (size_t)(e - s);
		out->end = e;
		if (*e != ':')
			break;
		s = e + 1;
	}
}

static bool field_number(const struct fields *f, int i, struct num *n)
{
	return i < f->n && num_scan(f->f[i].s, 0, n) && n->end == f->f[i].s + f->f[i].len;
}

static void field_text(const struct fields *f, int i, char *out, size_t size)
{
	put_copy(out, size, f->f[i].s, f->f[i].len);
}

/* A line of -mr or -multi: of a new run, unless it goes on with this one. */
static void mr_block(struct openssl *o, struct parse_ctx *ctx, bool figures)
{
	bool human = o->mr_lines == 0 && o->m_n > 0;
	/* a single process prints its figures at the end */
	bool ended = !figures && !o->multi && o->sum_n > 0;

	if (o->any && (o->table || o->closing || human || ended))
		openssl_new_block(o, ctx);
	openssl_touch(o, ctx);
	openssl_no_header(o);
	o->mr_lines++;
}

/* Announcements and results ------------------------------------------------ */

static bool same_work(const struct measured *a, const struct measured *b)
{
	return a->alg == b->alg && a->op == b->op && a->bits == b->bits && a->size == b->size &&
	       strcasecmp(a->name, b->name) == 0;
}

/* Several processes write at once: lines of one cannot be told from those of another. */
static void announce(struct openssl *o, const struct measured *m)
{
	if (o->doing.alg != ALG_NONE)
		o->interleaved = true;
	for (int i = 0; i < o->m_n; i++) {
		if (same_work(&o->m[i], m))
			o->interleaved = true;
	}
	o->doing = *m;
}

/* +DT:NAME:SECONDS:SIZE */
static void mr_bulk_start(struct openssl *o, const struct fields *f)
{
	struct measured m = {.alg = ALG_BULK};
	struct num seconds, size;

	if (f->n != 4 || !field_number(f, 2, &seconds) || !field_number(f, 3, &size))
		return;
	field_text(f, 1, m.name, sizeof(m.name));
	m.nominal = seconds.value;
	m.size = size.value;
	announce(o, &m);
}

/* +DTP:BITS:OP:ALG:SECONDS or +DTP:NAME:OP:SECONDS */
static void mr_key_start(struct openssl *o, const struct fields *f)
{
	struct measured m = {.alg = ALG_NONE};
	struct num seconds, bits;

	if (f->n < 4 || f->n > 5 || !field_number(f, f->n - 1, &seconds))
		return;
	m.nominal = seconds.value;
	if (f->n == 5) {
		const char *from = f->f[2].s, *to = f->f[3].s + f->f[3].len;

		if (!field_number(f, 1, &bits) || bits.value > 1e6)
			return;
		m.bits = (unsigned)bits.value;
		m.alg = openssl_algorithm(from, (size_t)(to - from), &m.op);
		if (m.alg == ALG_EDDSA || m.alg == ALG_SM2)
			field_text(f, 3, m.name, sizeof(m.name));
		if (m.alg == ALG_NONE || m.op == OP_NONE)
			return;
	} else {
		field_text(f, 1, m.name, sizeof(m.name));
		m.alg = ALG_KEM; /* or a signature: the result's number tells */
	}
	announce(o, &m);
}

/* What +R15 and so on mean where the announcement names no algorithm. */
static bool named_result(int number, enum algorithm *alg, enum operation *op)
{
	static const enum operation ops[] = {OP_KEYGEN, OP_ENCAPS, OP_DECAPS,
					     OP_KEYGEN, OP_SIGN,   OP_VERIFY};

	if (number < 15 || number > 20)
		return false;
	*alg = number < 18 ? ALG_KEM : ALG_SIG;
	*op = ops[number - 15];
	return true;
}

/* +R:COUNT:NAME:SECONDS, +R1:COUNT:BITS:SECONDS, +R8:COUNT:BITS:NAME:SECONDS, +R15:COUNT:NAME:S */
static void mr_result(struct openssl *o, struct parse_ctx *ctx, const struct fields *f,
		      const struct piece *p)
{
	struct measured m = o->doing;
	struct num count, seconds, bits;
	int number = 0;
	bool named = false;

	for (const char *c = f->f[0].s + 2; num_is_digit(*c) && number < 100; c++)
		number = number * 10 + (*c - '0');
	if (f->n < 4 || f->n > 5 || !field_number(f, 1, &count) || count.decimals > 0 ||
	    !field_number(f, f->n - 1, &seconds) || seconds.decimals < 2)
		return;
	if (number == 0) {
		named = m.alg == ALG_BULK && f->f[2].len == strlen(m.name) &&
			strncasecmp(f->f[2].s, m.name, f->f[2].len) == 0;
	} else if (m.alg == ALG_KEM) {
		named = named_result(number, &m.alg, &m.op) && f->f[2].len == strlen(m.name) &&
			strncasecmp(f->f[2].s, m.name, f->f[2].len) == 0;
	} else {
		named = m.alg > ALG_BULK && field_number(f, 2, &bits) && bits.value == m.bits;
	}
	if (!named)
		o->interleaved = true;
	o->doing.alg = ALG_NONE;
	m.count = count.value;
	m.seconds = seconds.value;
	m.step = seconds.step < 0.005 ? 0.01 : seconds.step; /* six digits, but ticks of 10 ms */
	m.line = piece_line(p, f->f[1].s);
	if (!named)
		m.alg = ALG_NONE;
	openssl_add(o, ctx, &m);
}

/* Sums ---------------------------------------------------------------------- */

static struct sum *find_sum(struct openssl *o, enum algorithm alg, unsigned bits, const char *name)
{
	for (int i = 0; i < o->sum_n; i++) {
		struct sum *s = &o->sum[i];

		if (s->alg == alg && s->bits == bits && strcasecmp(s->name, name) == 0)
			return s;
	}
	return NULL;
}

static struct sum *sum_of_row(struct openssl *o, enum algorithm alg, unsigned bits,
			      const char *name)
{
	struct sum *s = find_sum(o, alg, bits, name);

	if (s == NULL && openssl_curve(alg, bits) != NULL &&
	    strcasecmp(openssl_curve(alg, bits), name) == 0)
		s = find_sum(o, alg, bits, "");
	return s;
}

void openssl_mr_used(struct openssl *o, enum algorithm alg, unsigned bits, const char *name)
{
	struct sum *s = sum_of_row(o, alg, bits, name);

	if (s != NULL)
		s->used = true;
}

bool openssl_mr_contradicts(struct openssl *o, enum algorithm alg, unsigned bits, const char *name,
			    int i, double value, double step)
{
	const struct sum *s = sum_of_row(o, alg, bits, name);

	if (s != NULL && i >= s->n)
		return true;
	return s != NULL && s->value[i] > 0 && value > 0 &&
	       (alg == ALG_BULK || o->unit == MR_RATE) &&
	       fabs(s->value[i] - value) > step + 0.02 * value;
}

/* Rates of the +R lines of this algorithm: is the field one of them, or its inverse? */
static void learn_unit(struct openssl *o, enum algorithm alg, double value)
{
	if (o->unit != MR_UNKNOWN || value <= 0)
		return;
	for (int i = 0; i < o->m_n; i++) {
		const struct measured *m = &o->m[i];
		double rate;

		if (m->seconds <= 0 || m->count <= 0 || (m->alg != alg && m->alg != ALG_NONE))
			continue;
		rate = m->count / m->seconds;
		if (fabs(value / rate - 1) < 0.02)
			o->unit = MR_RATE;
		else if (fabs(value * rate - 1) < 0.02)
			o->unit = MR_SECONDS;
	}
}

static void mr_head(struct openssl *o, const struct fields *f)
{
	struct num n;

	if (f->n < 2)
		return;
	o->head_n = 0;
	for (int i = 1; i < f->n && o->head_n < BLOCKS_MAX; i++) {
		if (!field_number(f, i, &n) || n.decimals > 0) {
			o->head_n = 0;
			return;
		}
		o->head[o->head_n++] = n.value;
	}
}

/* What a +F line is about: how many fields stand before its figures, 0: not known. */
static int sum_of(const struct fields *f, int number, struct sum *s)
{
	static const enum algorithm algs[] = {ALG_BULK, ALG_NONE,  ALG_RSA, ALG_DSA, ALG_ECDSA,
					      ALG_ECDH, ALG_EDDSA, ALG_SM2, ALG_FFDH};
	struct num bits;

	if (number < 0 || number > 8 || algs[number] == ALG_NONE)
		return 0;
	s->alg = algs[number];
	if (s->alg == ALG_BULK) {
		if (f->n < 4)
			return 0;
		field_text(f, 2, s->name, sizeof(s->name));
		return 3;
	}
	if (f->n < 4 || !field_number(f, 2, &bits) || bits.value > 1e6)
		return 0;
	s->bits = (unsigned)bits.value;
	if (s->alg == ALG_EDDSA || s->alg == ALG_SM2) {
		field_text(f, 3, s->name, sizeof(s->name));
		/* SM2 was put among the EdDSA lines before it had its own */
		if (strcasecmp(s->name, "CurveSM2") == 0)
			s->alg = ALG_SM2;
		return 4;
	}
	return 3;
}

static void add_values(struct openssl *o, const struct fields *f, int from, struct sum *s,
		       unsigned long child)
{
	struct num n;
	int want = f->n - from;

	if (s->n == 0)
		s->n = want < BLOCKS_MAX ? want : BLOCKS_MAX;
	if (s->children & child || s->n != want)
		s->broken = true;
	s->children |= child;
	for (int i = 0; i < s->n && from + i < f->n; i++) {
		/* the formats have two and six decimals: fewer were cut off */
		if (!field_number(f, from + i, &n) || n.decimals != (s->alg == ALG_BULK ? 2 : 6)) {
			s->broken = true;
			continue;
		}
		s->value[i] += n.value;
		if (s->alg == ALG_BULK)
			s->size[i] = o->head_n == s->n ? o->head[i] : 0;
		else
			learn_unit(o, s->alg, n.value);
	}
}

/* +F:INDEX:NAME:FIGURES, +F2:INDEX:BITS:FIGURES, +F6:INDEX:BITS:NAME:FIGURES */
static void mr_figures(struct openssl *o, const struct fields *f, unsigned long child, long line)
{
	struct sum s = {.alg = ALG_NONE}, *at;
	int number = 0, from;

	for (const char *c = f->f[0].s + 2; num_is_digit(*c) && number < 100; c++)
		number = number * 10 + (*c - '0');
	if (f->n < 3)
		return;
	from = sum_of(f, number, &s);
	if (from == 0 || from >= f->n)
		return; /* figures of something that has no name */
	at = find_sum(o, s.alg, s.bits, s.name);
	if (at == NULL) {
		if (o->sum_n == SUMS_MAX)
			return;
		s.line = line;
		at = &o->sum[o->sum_n++];
		*at = s;
	}
	add_values(o, f, from, at, child);
}

/* The end of a block -------------------------------------------------------- */

static void emit_sum(struct openssl *o, struct parse_ctx *ctx, const struct sum *s, int i,
		     const char *reason)
{
	static const enum operation ops[] = {OP_SIGN, OP_VERIFY, OP_ENCRYPT, OP_DECRYPT};
	struct parse_value v = {.line = s->line, .derived = o->multi};
	char item[ITEM_MAX + 16], row[ITEM_MAX + 48], aspect[32], note[128];
	const char *name = s->name;
	bool one = s->alg == ALG_ECDH || s->alg == ALG_FFDH;
	double value = s->value[i];

	if (name[0] == '\0' && openssl_curve(s->alg, s->bits) != NULL)
		name = openssl_curve(s->alg, s->bits);
	openssl_item(item, sizeof(item), s->alg, s->bits, name);
	struct put p = put_begin(note, sizeof(note));
	put_str(&p, reason != NULL ? reason : o->multi ? "sum over the processes of -multi" : "");
	p = put_begin(aspect, sizeof(aspect));
	if (s->alg == ALG_BULK) {
		if (!(s->size[i] > 0))
			put_str(&p, "column.");
		put_count(&p, s->size[i] > 0 ? (unsigned long)s->size[i] : (unsigned long)i + 1);
		v.unit = "B/s";
		v.step = 0.01;
	} else {
		put_str(&p, openssl_op_name(one ? OP_OP : ops[i]));
		v.unit = "op/s";
		if (o->unit == MR_SECONDS && value > 0)
			value = 1 / value;
	}
	v.has_value = reason == NULL && value > 0;
	if (reason == NULL && !v.has_value)
		snprintf(note, sizeof(note), "the figure is 0: no rate");
	v.value = v.has_value ? value : 0;
	v.note = note;
	p = put_begin(row, sizeof(row));
	put_str(&p, item);
	put_mem(&p, "/", 1);
	put_str(&p, aspect);
	openssl_emit(o, ctx, row, item, aspect, &v);
}

static void emit_sums(struct openssl *o, struct parse_ctx *ctx)
{
	unsigned long all = o->forked >= CHILDREN_MAX ? ~0UL : (1UL << o->forked) - 1;
	bool complete = !o->multi || o->complete;

	for (int i = 0; i < o->sum_n; i++) {
		const struct sum *s = &o->sum[i];
		int figures = s->alg == ALG_BULK                         ? s->n
			      : s->alg == ALG_ECDH || s->alg == ALG_FFDH ? 1
			      : s->alg == ALG_RSA && s->n == 4           ? 4
									 : 2;
		const char *reason = NULL;

		if (s->used || s->n < figures)
			continue;
		if (s->broken)
			reason = "the figures of a process are damaged or come twice";
		else if (o->multi && (s->children & (s->children + 1)) != 0)
			reason = "the figures of a process are missing";
		else if (o->forked > 0 && o->multi ? s->children != all : !complete)
			reason = "the figures of a process are missing";
		else if (s->alg != ALG_BULK && o->unit == MR_UNKNOWN)
			reason = "seconds or rates: no +R line tells";
		else if (s->alg == ALG_BULK && s->size[0] == 0)
			continue; /* the table says as much */
		if (s->alg != ALG_BULK && o->unit == MR_SECONDS && o->multi)
			reason = "seconds of several processes cannot be added";
		for (int k = 0; k < figures; k++)
			emit_sum(o, ctx, s, k, reason);
	}
}

/* A single process says all twice: figures of bulk rows are printed, those of keys are not sure. */
static void repeated_figures(struct openssl *o)
{
	for (int i = 0; i < o->m_n; i++) {
		struct measured *m = &o->m[i];
		struct sum *s = find_sum(o, m->alg, m->bits, m->name);

		if (m->alg == ALG_NONE)
			m->used = true;
		if (s == NULL || m->alg == ALG_NONE)
			continue;
		if (m->alg == ALG_BULK && s->size[0] > 0 && !s->broken)
			m->used = true;
		else
			s->used = true;
	}
}

void openssl_mr_end(struct openssl *o, struct parse_ctx *ctx)
{
	bool several = (o->interleaved && !o->bare) || o->multi;

	if (o->mr_lines > 0) {
		if (several) {
			/* one process's rate is not the machine's */
			o->m_n = 0;
			o->multi = true;
			if (o->sum_n == 0 && !o->table) {
				ctx_hint(ctx,
					 "openssl speed -multi had not finished (no Got: lines, "
					 "no table), so there is no result yet");
				ctx_warn(ctx, 0,
					 "openssl speed -multi had not finished: no result yet");
			}
		}
		if (several && o->clock == NULL)
			o->clock = "elapsed";
		/* those of another run above cannot be told from its own */
		if (o->interleaved)
			o->m_n = 0;
		if (!several)
			repeated_figures(o);
		emit_sums(o, ctx);
	}
	o->multi = o->interleaved = o->complete = o->bare = false;
	o->forked = o->mr_lines = o->sum_n = o->head_n = 0;
	o->doing.alg = ALG_NONE;
	o->unit = MR_UNKNOWN;
}

/* Lines --------------------------------------------------------------------- */

/* "Got: +F2:... from 1" */
static long got_line(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	const char *s = num_after(p->s, "Got: "), *e;
	struct fields f;
	struct num child;

	if (strcmp(p->s, "Got:") == 0 && !p->last)
		return READER_MORE;
	if (s == NULL || *s != '+')
		return READER_NONE;
	cut_fields(s, &f);
	if (f.n == 0)
		return READER_NONE;
	e = num_after(f.end, " from ");
	if (e == NULL && p->last) /* of a line that was cut nothing counts */
		return f.end - p->s;
	if (e == NULL)
		return strlen(f.end) > 6 ? READER_NONE : READER_MORE;
	if (!num_scan(e, 0, &child) || child.decimals > 0 || child.value >= CHILDREN_MAX)
		return READER_NONE;
	mr_block(o, ctx, true);
	if (child.value > 0)
		o->multi = true;
	if (o->multi && o->processes < (int)child.value + 1)
		o->processes = (int)child.value + 1;
	if (f.f[0].len == 2 && f.f[0].s[1] == 'H')
		mr_head(o, &f);
	else if (f.f[0].s[1] == 'F')
		mr_figures(o, &f, 1UL << (unsigned)child.value, piece_line(p, s));
	return child.end - p->s;
}

static long forked_line(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	const char *s = num_after(p->s, "Forked child ");
	struct num child;

	if (s == NULL || !num_scan(s, 0, &child) || child.decimals > 0)
		return READER_NONE;
	mr_block(o, ctx, true);
	o->clock = "elapsed";
	if (child.value + 1 > o->forked && child.value < CHILDREN_MAX)
		o->forked = (int)child.value + 1;
	if (o->forked > 1)
		o->multi = true;
	if (o->processes < o->forked)
		o->processes = o->forked;
	return child.end - p->s;
}

/* Is it a line of -mr at all? Its fields may be damaged all the same. */
static bool mr_known(const struct fields *f)
{
	const char *s = f->f[0].s;
	size_t digits = strspn(s + 2, "0123456789");
	struct num n;

	switch (s[1]) {
	case 'D':
		return (num_after(s, "+DT:") != NULL && f->n == 4) ||
		       (num_after(s, "+DTP:") != NULL && (f->n == 4 || f->n == 5));
	case 'R':
		return f->f[0].len == 2 + digits && (f->n == 4 || f->n == 5) &&
		       field_number(f, 1, &n);
	case 'H':
		return f->f[0].len == 2 && field_number(f, 1, &n);
	default:
		return f->f[0].len == 2 + digits && f->n >= 3 && field_number(f, 1, &n);
	}
}

long openssl_mr(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	struct fields f;
	bool figures;

	if (p->s[0] == 'G')
		return got_line(o, ctx, p);
	if (p->s[0] == 'F')
		return forked_line(o, ctx, p);
	if (strchr("DRHF", p->s[1]) == NULL || p->s[1] == '\0')
		return READER_NONE;
	cut_fields(p->s, &f);
	/* without a newline behind it the last field may be cut */
	if (f.n < 2 || (p->end && *f.end == '\0'))
		return READER_NONE;
	if (!mr_known(&f))
		return READER_NONE;
	figures = f.f[0].s[1] == 'F' || f.f[0].s[1] == 'H';
	/* sizes again: of the next run */
	if (f.f[0].s[1] == 'H' && o->bare && o->sum_n > 0)
		openssl_new_block(o, ctx);
	mr_block(o, ctx, figures);
	if (num_after(f.f[0].s, "+DTP:") != NULL)
		mr_key_start(o, &f);
	else if (f.f[0].s[1] == 'D')
		mr_bulk_start(o, &f);
	else if (f.f[0].s[1] == 'R')
		mr_result(o, ctx, &f, p);
	else if (f.f[0].s[1] == 'H')
		mr_head(o, &f);
	else
		mr_figures(o, &f, 1, piece_line(p, p->s));
	o->bare |= figures;
	return f.end - p->s;
}
