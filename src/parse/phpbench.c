/*
 * PHPBench: a line per subject while it runs, a summary, tables. Units differ between them, and
 * figures may have thousands separators.
 */
#include <stdio.h>
#include <string.h>

#include "parse/batch.h"

enum { PHPBENCH_COLUMNS = 16 };

struct phpbench {
	struct batch b;
	bool tabled[BATCH_VALUES]; /* read from a table; else from a line */
	/* the table being read: which of its columns is what, -1: none */
	int subject, mean, mode, columns;
};

/* A line of a subject, or a row of a table. */
struct place {
	const char *name; /* of the subject */
	size_t len;
	bool table;
	long line;
};

static void add(struct phpbench *b, struct parse_ctx *ctx, const struct place *at, const char *tail,
		const struct num *n, double unit, const char *note)
{
	char metric[METRIC_NAME + 64];
	struct batch_value *v;

	metric_join(metric, sizeof(metric), "php/bench/", at->name, at->len, tail, false);
	if (n->value <= 0)
		return;
	/* a table repeats what the lines said; what says it twice itself is another run */
	v = batch_find(&b->b, metric);
	if (v != NULL && at->table && !b->tabled[v - b->b.v])
		return;
	v = batch_add(&b->b, ctx, metric, "s", num_scaled(n, unit), n->step * unit, at->line);
	b->tabled[v - b->b.v] = at->table;
	snprintf(v->note, sizeof(v->note), "%s", note);
}

/* A number and a unit of time directly behind it: its unit in seconds, 0: none. */
static double number_with_unit(const char *s, struct num *n)
{
	size_t len = 0;
	const char *u;

	if (!num_scan(s, NUM_THOUSANDS, n))
		return 0;
	u = num_skip(n->end);
	while (num_is_alpha(u[len]) || (unsigned char)u[len] >= 0x80)
		len++;
	n->end = u + len;
	/* an m at the end may be what is left of ms */
	return len == 1 && u[1] == '\0' ? 0 : num_time_unit(u, len);
}

/* Length of "benchX" at s; "benchXI4 P0" has the iterations glued to it. */
static size_t subject_length(const char *s)
{
	size_t n = 0, digits;

	while (num_is_alpha(s[n]) || num_is_digit(s[n]) || s[n] == '_')
		n++;
	digits = n;
	while (digits > 0 && num_is_digit(s[digits - 1]))
		digits--;
	if (digits > 6 && digits < n && s[digits - 1] == 'I' && num_after(s + n, " P") != NULL)
		return digits - 1;
	return n;
}

/* What to do where a word at s is not as it should be: it may be cut, if it is the last. */
static long cut_at(const struct piece *p, const char *s)
{
	s = num_skip(s);
	return !p->last && p->len < 140 && s[strcspn(s, " \t")] == '\0' ? READER_MORE : READER_NONE;
}

/* "[mu Mo]/r: 214.489 213.791 (ms)": mean and mode, then their unit. *end: behind it. */
static long mean_and_mode(struct phpbench *b, struct parse_ctx *ctx, const struct piece *p,
			  size_t name, const char *s, const char **end)
{
	struct place place = {.name = p->s, .len = name};
	struct num mean, mode;
	const char *u;
	size_t len = 0;
	double unit;

	s = num_skip(s);
	if (!num_scan(s, NUM_THOUSANDS, &mean))
		return cut_at(p, s);
	u = num_skip(mean.end);
	if (!num_scan(u, NUM_THOUSANDS, &mode))
		return cut_at(p, u);
	u = num_skip(mode.end);
	if (*u != '(')
		return cut_at(p, u);
	u++;
	while (u[len] != '\0' && u[len] != ')')
		len++;
	unit = num_time_unit(u, len);
	if (u[len] != ')' || unit == 0)
		return cut_at(p, u);
	place.line = piece_line(p, s);
	add(b, ctx, &place, "", &mean, unit, "");
	add(b, ctx, &place, ".mode", &mode, unit, "mode");
	*end = u + len + 1;
	return 1;
}

static long subject_line(struct phpbench *b, struct parse_ctx *ctx, const struct piece *p)
{
	size_t name = subject_length(p->s);
	const char *s = p->s + name, *at;
	struct num n;
	double unit;

	if (name < 6)
		return READER_NONE;
	at = num_find(s, "Mo]/r:", 300);
	if (at != NULL && at - s < 60) {
		const char *e = NULL;
		long r = mean_and_mode(b, ctx, p, name, at + strlen("Mo]/r:"), &e);

		if (r <= 0)
			return r;
		at = num_find(e, "RSD]/r:", 300);
		if (at != NULL && at - e < 60) {
			at = num_skip(at + strlen("RSD]/r:"));
			at += strcspn(at, " \t");
			return at + (*at != '\0' ? strcspn(at + 1, " \t") + 1 : 0) - p->s;
		}
		return e - p->s;
	}
	/* "benchMd5....I0 - Mo0.432us (+/-0.00%)", "R1 I4 - [Mo 185.58us vs. ...]" */
	if (num_after(s, " I") == NULL && *s != '.' && num_after(s, " #") == NULL)
		return READER_NONE;
	at = num_find(s, "Mo", 300);
	if (at == NULL || at - s > 120)
		return !p->last && p->len < 80 ? READER_MORE : READER_NONE;
	at = num_skip(at + 2);
	unit = number_with_unit(at, &n);
	if (unit == 0)
		return !p->last && p->len < 140 ? READER_MORE : READER_NONE;
	add(b, ctx, &(struct place){p->s, name, false, piece_line(p, at)}, "", &n, unit, "mode");
	return n.end - p->s;
}

/* "(best [mean mode] worst) = 118.326 [364.372 361.720] 124.379 (ms)" */
static long suite_line(struct phpbench *b, struct parse_ctx *ctx, const struct piece *p)
{
	static const char *const names[] = {"suite.best", "suite.mean", "suite.mode",
					    "suite.worst"};
	const char *s = num_after(p->s, "(best [mean mode] worst) = "), *u;
	struct num n[4];
	size_t len = 0;
	double unit;

	if (s == NULL)
		return READER_NONE;
	for (int i = 0; i < 4; i++) {
		s = num_skip(s);
		if (*s == '[')
			s = num_skip(s + 1);
		if (!num_scan(s, NUM_THOUSANDS, &n[i]))
			return !p->last ? READER_MORE : READER_NONE;
		s = n[i].end + (*n[i].end == ']');
	}
	u = num_skip(s);
	if (*u++ != '(')
		return !p->last ? READER_MORE : READER_NONE;
	while (u[len] != '\0' && u[len] != ')')
		len++;
	unit = num_time_unit(u, len);
	if (u[len] != ')' || unit == 0)
		return READER_NONE;
	for (int i = 0; i < 4; i++) {
		struct place place = {names[i], strlen(names[i]), false, piece_line(p, p->s)};

		add(b, ctx, &place, "", &n[i], unit, "");
	}
	return u + len + 1 - p->s;
}

/*
 * Cells between the bars of a table's line, blanks cut off, up to max; a border ends them where
 * lines were joined. *end: behind the last bar.
 */
static int cells_of(const char *s, struct word *w, int max, const char **end)
{
	int n = 0;

	while (*s == '|' && n < max) {
		const char *e;

		*end = s + 1;
		s = num_skip(s + 1);
		e = strchr(s, '|');
		if (e == NULL || (s[0] == '+' && s[1] == '-' && s[2] == '-'))
			return n;
		w[n].s = s;
		w[n].len = (size_t)(e - s);
		while (w[n].len > 0 && num_is_blank(w[n].s[w[n].len - 1]))
			w[n].len--;
		n++;
		*end = e + 1;
		s = e;
	}
	return n;
}

static long table_line(struct phpbench *b, struct parse_ctx *ctx, const struct piece *p)
{
	struct word w[PHPBENCH_COLUMNS];
	const char *end = p->s;
	int n, from;
	int subject = -1;
	struct num v;
	double unit;

	/* the header again: of another table */
	n = cells_of(p->s, w,
		     b->columns > 0 && num_find(p->s, "| subject ", 300) == NULL ? b->columns
										 : PHPBENCH_COLUMNS,
		     &end);
	for (int i = 0; i < n; i++) {
		if (word_is(&w[i], "subject"))
			subject = i;
	}
	if (subject >= 0) {
		b->subject = subject;
		b->columns = n;
		b->mean = b->mode = -1;
		for (int i = 0; i < n; i++) {
			if (word_is(&w[i], "mean"))
				b->mean = i;
			if (word_is(&w[i], "mode"))
				b->mode = i;
		}
		batch_touch(&b->b, ctx);
		return end - p->s;
	}
	if (b->columns == 0 || n != b->columns || strncmp(w[b->subject].s, "bench", 5) != 0)
		return READER_NONE;
	from = b->mean >= 0 ? b->mean : b->mode;
	if (from < 0)
		return end - p->s;
	unit = number_with_unit(w[from].s, &v);
	if (unit == 0 || v.end > w[from].s + w[from].len)
		return READER_NONE;
	struct place place = {w[b->subject].s, w[b->subject].len, true, piece_line(p, w[from].s)};
	add(b, ctx, &place, "", &v, unit, b->mean >= 0 ? "" : "mode");
	return end - p->s;
}

static long phpbench_read(void *state, struct parse_ctx *ctx, const struct piece *p)
{
	struct phpbench *b = state;
	const char *e;

	switch (p->s[0]) {
	case 'b':
		return strncmp(p->s, "bench", 5) == 0 ? subject_line(b, ctx, p) : READER_NONE;
	case '(':
		return suite_line(b, ctx, p);
	case '|':
		return table_line(b, ctx, p);
	case '+':
		/* a table's border */
		return b->columns > 0 && b->b.any && strspn(p->s, "+-") > 4
			       ? (long)strspn(p->s, "+-")
			       : READER_NONE;
	case 'P':
		e = num_after(p->s, "PHPBench ");
		if (e == NULL || (*e != '(' && !num_is_digit(*e)))
			return READER_NONE;
		if (b->b.n > 0)
			batch_end(&b->b, ctx);
		batch_touch(&b->b, ctx);
		b->columns = 0;
		return e - p->s;
	default:
		return READER_NONE;
	}
}

static void phpbench_finish(void *state, struct parse_ctx *ctx)
{
	struct phpbench *b = state;

	batch_end(&b->b, ctx);
	b->columns = 0;
}

static const char *const phpbench_starts[] = {
	"bench", "(best [mean mode] worst)", "| subject ", "| bench", "PHPBench ", NULL};

const struct reader phpbench_reader = {
	.name = "PHPBench",
	.starts = phpbench_starts,
	.first = "b(|+P",
	.state_size = sizeof(struct phpbench),
	.read = phpbench_read,
	.boundary = phpbench_finish,
	.finish = phpbench_finish,
};
