/* Rows of ciphers and digests: thousands of bytes per second for each block size. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "parse/openssl_int.h"
#include "parse/put.h"

enum { NAME_WORDS = 4 };

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

		if (i > 0 && openssl_cell(s, &c) != NULL && c.suffix == 'k')
			return s;
		if (len == 0 || n + len + 2 > size || s[len] == '\0' ||
		    strspn(s, "0123456789.") >= len)
			return NULL;
		if (i > 0)
			name[n++] = ' ';
		memcpy(name + n, s, len);
		n += len;
		name[n] = '\0';
		s = openssl_cell_skip(s + len);
	}
	{
		struct cell c;

		return openssl_cell(s, &c) != NULL && c.suffix == 'k' ? s : NULL;
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
		const char *e = openssl_cell(s, &c);

		/* the number of the fixed format has two decimals, and k directly behind it */
		if (e == NULL || c.suffix != 'k')
			break;
		r->cell[r->cells++] = c;
		r->end = e;
		s = openssl_cell_skip(e);
	}
	/* a column the program printed without its unit is none */
	if (want == 0 || r->cells < want) {
		struct cell c;
		const char *e = openssl_cell(s, &c);

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

	openssl_use_annotation(r->label, &v);
	if (o->blocks_n > 0) {
		struct put a = put_begin(aspect, sizeof(aspect));

		put_count(&a, (unsigned long)o->blocks[i]);
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
		*other = !r->cell[i].bad &&
			 !openssl_agrees(m, m->size, n->value * 1000, n->step * 1000);
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
	for (int i = 0; i < r->cells && !other; i++)
		other = !r->cell[i].bad && openssl_mr_contradicts(o, ALG_BULK, 0, r->name, i,
								  num_scaled(&r->cell[i].n, 1000),
								  r->cell[i].n.step * 1000);
	if (other) {
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

long openssl_bulk_row(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	struct bulk_row r;
	const char *s = bulk_name(p->s, r.name, sizeof(r.name)), *e;
	char item[ITEM_MAX + 16];
	long line = piece_line(p, p->s);
	bool lone;
	int run;

	if (s == NULL)
		return p->rest && !p->last && is_name_alone(o, p) ? READER_MORE : READER_NONE;
	if (is_broken_name(p, s, r.name))
		return READER_NONE;
	r.cells = 0;
	r.cut = false;
	bulk_cells(&r, s, o->blocks_n);
	lone = r.cells == 1 && o->blocks_n == 0;
	/* prose may hold "20.5k"; a row has a header, more columns, or a run it belongs to */
	if (r.cells == 0 || r.cell[0].n.decimals != 2 || (lone && o->software[0] == '\0'))
		return READER_NONE;
	if ((r.cells < o->blocks_n || (o->blocks_n == 0 && r.cells > 1)) && !p->last) {
		if (r.cut)
			return READER_MORE;
		/* a number that is no cell: broken at another place */
		if (num_is_digit(*openssl_cell_skip(r.end)) || *openssl_cell_skip(r.end) == '.')
			return READER_NONE;
	}
	e = openssl_annotation(r.end, r.label, sizeof(r.label));
	openssl_label_before(p, r.label, sizeof(r.label));
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
