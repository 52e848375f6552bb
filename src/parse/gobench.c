/* Go's benchmark format: "BenchmarkName-8  3000000  44.6 ns/op  336.59 MB/s". */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "parse/reader.h"

enum { CELLS_MAX = 8, NAME_MAX_BYTES = 400 };

struct gobench {
	struct runs runs;
	char pkg[96];
	/* the line before, whose last cells may have been wrapped into this one */
	bool open;
	char name[NAME_MAX_BYTES];
	double procs;
	int run;
};

struct go_cell {
	struct num n;
	const char *at;
	bool time; /* ns/op, else MB/s */
};

/* "-8" at the end of a name is GOMAXPROCS. */
static size_t name_length(const struct word *w, double *procs)
{
	size_t n = w->len;

	*procs = 1;
	while (n > 0 && num_is_digit(w->s[n - 1]))
		n--;
	if (n == w->len || n == 0 || w->s[n - 1] != '-')
		return w->len;
	*procs = 0;
	for (size_t i = n; i < w->len && *procs < 1e6; i++)
		*procs = *procs * 10 + (w->s[i] - '0');
	return n - 1;
}

static void emit(struct gobench *g, struct parse_ctx *ctx, const struct go_cell *c, long line)
{
	char metric[METRIC_NAME + 64], conditions[160];
	struct parse_value v = {.run = g->run, .line = line, .has_value = c->n.value > 0};

	metric_join(metric, sizeof(metric), "go/", g->name, strlen(g->name),
		    c->time ? "/time" : "/throughput", true);
	snprintf(conditions, sizeof(conditions), "gomaxprocs=%.0f%s%s", g->procs,
		 g->pkg[0] != '\0' ? ";pkg=" : "", g->pkg);
	v.metric = metric;
	v.unit = c->time ? "s/op" : "B/s";
	v.value = num_scaled(&c->n, c->time ? 1e-9 : 1e6);
	v.step = c->n.step * (c->time ? 1e-9 : 1e6);
	v.conditions = conditions;
	v.label = (char *)(uintptr_t)ctx_label(ctx);
	if (!v.has_value) {
		v.value = v.step = 0;
		v.note = "below the resolution of what is printed";
	}
	ctx_value(ctx, &v);
}

/* Pairs of number and unit from s on. *cut: a number stands at the end without its unit. */
static int scan_pairs(const char *s, struct go_cell *cells, const char **end, bool *cut)
{
	int n = 0;

	*cut = false;
	*end = s;
	while (n < CELLS_MAX) {
		struct go_cell *c = &cells[n];
		struct word unit;

		c->at = num_skip(s);
		if (!num_scan(c->at, NUM_EXPONENT, &c->n))
			break;
		if (num_words(c->n.end, &unit, 1, NULL) == 0 || unit.s == c->n.end ||
		    memchr(unit.s, '/', unit.len) == NULL) {
			/* number or unit may have been broken */
			*cut = strlen(c->at) < 16;
			break;
		}
		c->time = word_is(&unit, "ns/op");
		if (c->time || word_is(&unit, "MB/s"))
			n++;
		*end = s = unit.s + unit.len;
	}
	return n;
}

static void emit_pairs(struct gobench *g, struct parse_ctx *ctx, const struct piece *p,
		       const struct go_cell *cells, int n)
{
	for (int i = 0; i < n; i++)
		emit(g, ctx, &cells[i], piece_line(p, cells[i].at));
}

static long result_line(struct gobench *g, struct parse_ctx *ctx, const struct piece *p)
{
	struct go_cell cells[CELLS_MAX];
	struct word w[2];
	const char *s, *end;
	double count;
	size_t len, words = num_words(p->s, w, 2, &s);
	bool cut;
	int n;

	if (words < 1 || w[0].len < 10 || w[0].len >= NAME_MAX_BYTES || w[0].s[w[0].len - 1] == ':')
		return READER_NONE;
	if (words < 2)
		return p->last ? READER_NONE : READER_MORE;
	if (!word_count(&w[1], &count))
		return READER_NONE;
	n = scan_pairs(s, cells, &end, &cut);
	if ((cut || *num_skip(s) == '\0') && !p->last)
		return READER_MORE;
	if (n == 0)
		return READER_NONE;
	len = name_length(&w[0], &g->procs);
	memcpy(g->name, w[0].s, len);
	g->name[len] = '\0';
	g->run = runs_row(&g->runs, g->name);
	g->open = true;
	emit_pairs(g, ctx, p, cells, n);
	return end - p->s;
}

/* What was wrapped off the line above. */
static long rest_line(struct gobench *g, struct parse_ctx *ctx, const struct piece *p)
{
	struct go_cell cells[CELLS_MAX];
	const char *end;
	bool cut;
	int n;

	if (!g->open || p->rest)
		return READER_NONE;
	n = scan_pairs(p->s, cells, &end, &cut);
	if (cut && !p->last)
		return READER_MORE;
	if (end == p->s || *num_skip(end) != '\0')
		return READER_NONE;
	emit_pairs(g, ctx, p, cells, n);
	return end - p->s;
}

static long gobench_read(void *state, struct parse_ctx *ctx, const struct piece *p)
{
	struct gobench *g = state;
	const char *s;

	if (num_is_digit(p->s[0]))
		return rest_line(g, ctx, p);
	switch (p->s[0]) {
	case 'B':
		return strncmp(p->s, "Benchmark", 9) == 0 ? result_line(g, ctx, p) : READER_NONE;
	case 'p':
		s = num_after(p->s, "pkg: ");
		if (s == NULL)
			return READER_NONE;
		snprintf(g->pkg, sizeof(g->pkg), "%.*s", (int)strcspn(s, " \t;"), s);
		return s + strcspn(s, " \t") - p->s;
	case 'g':
		s = num_after(p->s, "goos: ");
		if (s == NULL)
			s = num_after(p->s, "goarch: ");
		return s != NULL ? s + strcspn(s, " \t") - p->s : READER_NONE;
	default:
		return READER_NONE;
	}
}

static void gobench_boundary(void *state, struct parse_ctx *ctx)
{
	struct gobench *g = state;

	(void)ctx;
	g->open = false;
	runs_boundary(&g->runs);
}

static const char *const gobench_starts[] = {"Benchmark", "pkg: ", "goos: ", "goarch: ", NULL};

const struct reader gobench_reader = {
	.name = "go test -bench",
	.starts = gobench_starts,
	.first = "Bpg0123456789",
	.state_size = sizeof(struct gobench),
	.read = gobench_read,
	.boundary = gobench_boundary,
	.finish = gobench_boundary,
};
