/*
 * PHP's own Zend/bench.php and Zend/micro_bench.php: rows of a name and seconds with three
 * decimals, then the total. micro_bench prints the time less the empty loop in a second column;
 * people put several configurations side by side.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "parse/label.h"
#include "parse/reader.h"

enum { ROWS = 64, COLUMNS = 6, TOTALS = 64, NAME = 40 };

struct row {
	char name[NAME];
	struct num n[COLUMNS];
	int cells;
	long line;
};

struct php_bench {
	int runs;
	bool active;
	bool stale; /* something else was read behind the table */
	bool micro;
	char label[2 * LABEL_MAX];
	char head[160]; /* the line before the table: names of the columns */
	int columns;
	struct row row[ROWS];
	int rows;
	struct num overhead;
	long overhead_line;
	/* totals of runs without a table, waiting for one that tells what they are */
	struct num total[TOTALS];
	long total_line[TOTALS];
	int totals;
	bool done; /* a table was read: totals that follow are further runs */
};

static void emit(struct php_bench *b, struct parse_ctx *ctx, int run, const char *label,
		 const char *name, const char *tail, const struct num *n, long line)
{
	char metric[METRIC_NAME + 64];
	struct parse_value v = {.run = run, .has_value = true, .unit = "s", .line = line};

	metric_join(metric, sizeof(metric), "php/bench/", name, strlen(name), tail, false);
	v.label = (char *)(uintptr_t)(label != NULL ? label : b->label);
	v.metric = metric;
	v.value = n->value;
	v.step = n->step;
	v.conditions = b->micro ? "script=micro_bench.php" : "script=bench.php";
	if (n->value == 0)
		v.note = "below the resolution of what is printed";
	ctx_value(ctx, &v);
}

/* Names of columns: what stands between two blanks or more, else each word. */
static void column_labels(const struct php_bench *b, char labels[COLUMNS][LABEL_MAX])
{
	const char *s = num_skip(b->head);
	struct word w[COLUMNS + 1];
	int n = 0;

	while (*s != '\0' && n < COLUMNS) {
		size_t len = 0;

		while (s[len] != '\0' && s[len] != '\t' &&
		       !(s[len] == ' ' && num_is_blank(s[len + 1])))
			len++;
		snprintf(labels[n++], LABEL_MAX, "%.*s", (int)len, s);
		s = num_skip(s + len);
	}
	if (n == b->columns)
		return;
	if ((int)num_words(b->head, w, COLUMNS + 1, NULL) == b->columns) {
		for (int i = 0; i < b->columns; i++)
			snprintf(labels[i], LABEL_MAX, "%.*s", (int)w[i].len, w[i].s);
		return;
	}
	for (int i = 0; i < COLUMNS; i++)
		snprintf(labels[i], LABEL_MAX, "column %d", i + 1);
}

/* Totals of runs that came before the table are runs of their own. */
static void emit_totals(struct php_bench *b, struct parse_ctx *ctx)
{
	for (int i = 0; i < b->totals; i++)
		emit(b, ctx, ++b->runs, NULL, "total", "", &b->total[i], b->total_line[i]);
}

/* The table's total may be one of those that were listed: then it is that run. */
static int run_of_table(struct php_bench *b, const struct num *total)
{
	for (int i = 0; total != NULL && i < b->totals; i++) {
		if (b->total[i].value == total->value)
			return b->runs - b->totals + i + 1;
	}
	return 0;
}

static void table_end(struct php_bench *b, struct parse_ctx *ctx, const struct num *total,
		      long line)
{
	char labels[COLUMNS][LABEL_MAX];
	int columns = b->micro ? 1 : b->columns, run;

	if (!b->active)
		return;
	emit_totals(b, ctx);
	run = run_of_table(b, total);
	if (columns > 1)
		column_labels(b, labels);
	for (int c = 0; c < columns; c++) {
		int this_run = run > 0 ? run : ++b->runs;
		const char *label = columns > 1 ? labels[c] : NULL;

		for (int i = 0; i < b->rows; i++) {
			const struct row *r = &b->row[i];

			if (c < r->cells)
				emit(b, ctx, this_run, label, r->name, "", &r->n[c], r->line);
			if (b->micro && r->cells > 1)
				emit(b, ctx, this_run, label, r->name, "_net", &r->n[1], r->line);
		}
		if (b->overhead.end != NULL)
			emit(b, ctx, this_run, label, "overhead", "", &b->overhead,
			     b->overhead_line);
		if (total != NULL && run == 0 && columns == 1)
			emit(b, ctx, this_run, label, "total", "", total, line);
	}
	b->active = false;
	b->done = true;
	b->rows = b->totals = 0;
	b->overhead.end = NULL;
	b->head[0] = '\0';
}

static bool is_cell(const struct word *w, struct num *n)
{
	return num_scan(w->s, 0, n) && n->decimals == 3 && n->end == w->s + w->len;
}

/*
 * Up to four words and the cells behind them: how many, 0 when it is no row. *name_len: the words;
 * *end: behind the last cell, where in collapsed text the next row begins.
 */
static int scan_row(const struct piece *p, struct num *n, size_t *name_len, const char **end)
{
	struct word w[8 + COLUMNS];
	size_t words = num_words(p->s, w, 8 + COLUMNS, NULL), first = 1;
	int cells = 0;

	while (first < words && first < 8 && !is_cell(&w[first], &n[0]))
		first++;
	if (first >= words || first >= 8)
		return 0;
	*name_len = (size_t)(w[first - 1].s + w[first - 1].len - p->s);
	while (cells < COLUMNS && first < words && is_cell(&w[first], &n[cells])) {
		*end = w[first].s + w[first].len;
		first++;
		cells++;
	}
	/* a number that is no cell has lost digits, and with them what column it is */
	if (first < words && num_is_digit(w[first].s[0]))
		return 0;
	return *name_len < NAME && !num_is_digit(p->s[0]) ? cells : 0;
}

static bool begins(const char *name, size_t len, const char *first)
{
	return len == strlen(first) && strncmp(name, first, len) == 0;
}

static void table_begin(struct php_bench *b, struct parse_ctx *ctx, bool micro, int cells)
{
	if (b->active)
		table_end(b, ctx, NULL, 0);
	b->active = true;
	b->stale = false;
	b->micro = micro;
	b->columns = cells;
	b->rows = 0;
	snprintf(b->label, sizeof(b->label), "%s", ctx_label(ctx));
}

static void add_row(struct php_bench *b, const struct piece *p, size_t len, const struct num *n,
		    int cells)
{
	struct row *r = &b->row[b->rows];

	if (b->rows == ROWS)
		return;
	memcpy(r->name, p->s, len);
	r->name[len] = '\0';
	memcpy(r->n, n, (size_t)cells * sizeof(*n));
	r->cells = cells;
	r->line = piece_line(p, p->s);
	b->rows++;
}

/* "Total   36.158", one number a column. */
static long total_line(struct php_bench *b, struct parse_ctx *ctx, const struct piece *p,
		       const struct num *n, int cells)
{
	long line = piece_line(p, p->s);

	if (b->active && (b->columns == 1 || b->micro)) {
		table_end(b, ctx, n, line);
	} else if (b->active) {
		add_row(b, p, 5, n, cells);
		snprintf(b->row[b->rows - 1].name, NAME, "total");
		table_end(b, ctx, NULL, 0);
	} else if (b->done) {
		emit(b, ctx, ++b->runs, NULL, "total", "", n, line);
	} else if (cells == 1 && b->totals < TOTALS) {
		b->total[b->totals] = *n;
		b->total_line[b->totals++] = line;
	} else {
		return READER_NONE;
	}
	return 1;
}

static long overhead_line(struct php_bench *b, const struct piece *p)
{
	const char *s = num_after(p->s, "overhead ");
	struct num n;

	if (!b->active || s == NULL || !num_scan(s, NUM_EXPONENT, &n) || (p->end && *n.end == '\0'))
		return READER_NONE;
	b->overhead = n;
	b->overhead_line = piece_line(p, s);
	return n.end - p->s;
}

static long php_bench_read(void *state, struct parse_ctx *ctx, const struct piece *p)
{
	struct php_bench *b = state;
	struct num n[COLUMNS];
	const char *end = NULL;
	size_t len = 0;
	int cells;

	if (!b->active && strncmp(p->s, "simple", 6) != 0 && strncmp(p->s, "empty_loop", 10) != 0 &&
	    strncmp(p->s, "Total", 5) != 0) {
		/* it may name the columns of a table below */
		if (p->len < sizeof(b->head) && !p->rest)
			memcpy(b->head, p->s, p->len + 1);
		return READER_NONE;
	}
	if (p->s[0] == 'o') {
		long r = overhead_line(b, p);

		if (r != READER_NONE)
			return r;
	}
	if (b->active && strspn(p->s, "-") >= 10)
		return (long)strspn(p->s, "-");
	cells = scan_row(p, n, &len, &end);
	if (cells == 0) {
		b->stale = true;
		return READER_NONE;
	}
	if (begins(p->s, len, "Total")) {
		long r = total_line(b, ctx, p, n, cells);

		return r > 0 ? end - p->s : r;
	}
	if (begins(p->s, len, "simple") || begins(p->s, len, "empty_loop"))
		table_begin(b, ctx, p->s[0] == 'e', cells);
	/* rows stand together: behind other text it is no row of this table */
	if (!b->active || b->stale || (b->micro ? cells > 2 : cells != b->columns))
		return READER_NONE;
	add_row(b, p, len, n, cells);
	return end - p->s;
}

static void php_bench_boundary(void *state, struct parse_ctx *ctx)
{
	struct php_bench *b = state;

	table_end(b, ctx, NULL, 0);
	b->totals = 0;
	b->done = false;
}

static const char *const php_bench_starts[] = {"simple ", "empty_loop ", "Total ", NULL};

const struct reader php_bench_reader = {
	.name = "PHP's bench.php and micro_bench.php",
	.starts = php_bench_starts,
	.state_size = sizeof(struct php_bench),
	.read = php_bench_read,
	.boundary = php_bench_boundary,
	.finish = php_bench_boundary,
};
