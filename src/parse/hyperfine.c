/*
 * hyperfine: what it prints on the screen, and its JSON, CSV and Markdown exports. JSON and CSV
 * are in seconds whatever the screen showed. Single runs are given where they stand (JSON's
 * "times"), else the mean, which is marked as one.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "parse/batch.h"

enum { COMMAND_MAX = 600, CSV_COLUMNS = 24 };

struct hyperfine {
	int runs;
	/* the command being read */
	bool any;
	char label[2 * LABEL_MAX];
	char command[COMMAND_MAX];
	size_t command_len;
	struct num mean, deviation, user, sys; /* end NULL: not read */
	long mean_line, user_line, sys_line;
	double samples;
	/* JSON */
	bool json;
	bool in_times, other_array, times_closed, cut;
	long cut_line;
	/* CSV and Markdown: which column is what, -1: none */
	int columns, column_mean, column_deviation, column_user, column_sys;
	double unit; /* of Markdown's columns */
};

/* Values -------------------------------------------------------------------- */

static void emit(struct hyperfine *h, struct parse_ctx *ctx, const char *aspect,
		 const struct num *n, const char *conditions, const char *note, long line)
{
	char metric[METRIC_NAME + 64];
	struct parse_value v = {.run = h->runs, .unit = "s", .line = line};

	metric_join(metric, sizeof(metric), "command/", h->command, h->command_len, aspect, true);
	v.metric = metric;
	v.label = h->label;
	v.conditions = (char *)(uintptr_t)conditions;
	v.note = (char *)(uintptr_t)note;
	if (n != NULL) {
		v.has_value = true;
		v.value = n->value;
		v.step = n->step;
		if (n->value == 0)
			v.note = "below the resolution of what is printed";
	}
	ctx_value(ctx, &v);
}

static void command_end(struct hyperfine *h, struct parse_ctx *ctx)
{
	char note[128] = "mean of the runs";
	size_t n;

	if (!h->any)
		return;
	if (h->samples == 1)
		snprintf(note, sizeof(note), "one run");
	else if (h->samples > 1 && !h->in_times)
		snprintf(note, sizeof(note), "mean of %.0f runs", h->samples);
	n = strlen(note);
	if (h->deviation.end != NULL)
		snprintf(note + n, sizeof(note) - n, ", standard deviation %g s",
			 h->deviation.value);
	if (h->mean.end != NULL && !h->times_closed)
		emit(h, ctx, "/wall", &h->mean, "summary=mean", note, h->mean_line);
	if (h->user.end != NULL)
		emit(h, ctx, "/user", &h->user, "summary=mean", "", h->user_line);
	if (h->sys.end != NULL)
		emit(h, ctx, "/sys", &h->sys, "summary=mean", "", h->sys_line);
	if (h->in_times || h->cut)
		ctx_warn(ctx, h->cut ? h->cut_line : 0, "the JSON is cut: not all times are there");
	h->any = h->in_times = h->other_array = h->times_closed = h->cut = false;
	h->mean.end = h->deviation.end = h->user.end = h->sys.end = NULL;
	h->samples = 0;
}

static void command_begin(struct hyperfine *h, struct parse_ctx *ctx, const char *s, size_t len)
{
	command_end(h, ctx);
	h->any = true;
	h->runs++;
	snprintf(h->label, sizeof(h->label), "%s", ctx_label(ctx));
	if (len >= COMMAND_MAX)
		len = COMMAND_MAX - 1;
	memcpy(h->command, s, len);
	h->command[len] = '\0';
	h->command_len = len;
}

/* The screen ---------------------------------------------------------------- */

/* "Benchmark 1: stress --cpu 1", "Benchmark #1: ..." */
static long benchmark_line(struct hyperfine *h, struct parse_ctx *ctx, const struct piece *p)
{
	const char *s = num_after(p->s, "Benchmark "), *e;
	struct num n;
	size_t len;

	if (s == NULL)
		return READER_NONE;
	if (*s == '#')
		s++;
	if (!num_scan(s, 0, &n) || n.decimals > 0 || *n.end != ':')
		return READER_NONE;
	s = num_skip(n.end + 1);
	e = num_find(s, "Time (mean", 700);
	if (e == NULL)
		e = num_find(s, "Time (abs", 700);
	len = e != NULL ? (size_t)(e - s) : strnlen(s, COMMAND_MAX);
	while (len > 0 && num_is_blank(s[len - 1]))
		len--;
	command_begin(h, ctx, s, len);
	return (e != NULL ? e : s + len) - p->s;
}

/* "1.002 s +/- 0.002 s    [User: 993.7 ms, System: 1.0 ms]" */
static long time_line(struct hyperfine *h, const struct piece *p)
{
	const char *s, *user, *sys;
	struct num n;

	if (!h->any ||
	    (num_after(p->s, "Time (mean") == NULL && num_after(p->s, "Time (abs") == NULL))
		return READER_NONE;
	s = num_find(p->s, "):", 200);
	if (s == NULL)
		return p->last || p->len > 60 ? READER_NONE : READER_MORE;
	/* the line ends with a bracket; without it the rest stands in the next line */
	if (strchr(s, ']') == NULL && !p->last && p->len < 200)
		return READER_MORE;
	s = num_skip(s + 2);
	if (!num_scan_time(s, &n))
		return READER_NONE;
	h->mean = n;
	h->mean_line = piece_line(p, s);
	h->samples = num_after(p->s, "Time (abs") != NULL ? 1 : 0;
	s = num_skip(n.end);
	if (strncmp(s, "\xc2\xb1", 2) == 0 && num_scan_time(num_skip(s + 2), &n)) {
		h->deviation = n;
		s = n.end;
	}
	user = num_find(s, "[User: ", 1000);
	if (user == NULL)
		return p->last || p->parts_n < 2 ? s - p->s : READER_NONE;
	user = num_skip(user + strlen("[User: "));
	if (num_scan_time(user, &n)) {
		h->user = n;
		h->user_line = piece_line(p, user);
		s = n.end;
	} else if (!p->last && p->parts_n > 1) {
		return READER_NONE;
	}
	sys = num_find(s, "System: ", 1000);
	if (sys == NULL)
		return p->last || p->parts_n < 2 ? s - p->s : READER_NONE;
	sys = num_skip(sys + strlen("System: "));
	if (num_scan_time(sys, &n)) {
		h->sys = n;
		h->sys_line = piece_line(p, sys);
		s = n.end + (*n.end == ']');
	} else if (!p->last && p->parts_n > 1) {
		return READER_NONE; /* broken at another place */
	}
	return s - p->s;
}

/* "Range (min ... max):    1.000 s ...  1.003 s    2 runs" */
static long range_line(struct hyperfine *h, const struct piece *p)
{
	const char *e;

	if (!h->any || num_after(p->s, "Range (min") == NULL)
		return READER_NONE;
	e = num_find(p->s, " runs", 1000);
	if (e == NULL)
		return p->last || p->len > 100 ? (long)p->len : READER_MORE;
	for (const char *s = e; s > p->s && num_is_digit(s[-1]); s--) {
		struct num n;

		if (num_scan(s - 1, 0, &n))
			h->samples = n.value;
	}
	return e + strlen(" runs") - p->s;
}

/* JSON ---------------------------------------------------------------------- */

/* The text between quotes at s, its escapes undone, into out; the end behind it, or NULL. */
static const char *json_string(const char *s, char *out, size_t size, size_t *len)
{
	size_t n = 0;

	if (*s != '"')
		return NULL;
	for (s++; *s != '"'; s++) {
		char c = *s;

		if (c == '\0')
			return NULL;
		if (c == '\\') {
			s++;
			if (*s == '\0')
				return NULL;
			c = *s == 'n' || *s == 't' || *s == 'r' ? ' ' : *s;
		}
		if (n + 1 < size)
			out[n++] = c;
	}
	out[n] = '\0';
	*len = n;
	return s + 1;
}

/* Behind a number of JSON stands , ] or }. Without it digits may be missing. */
enum json_number { JSON_WHOLE, JSON_MORE, JSON_CUT, JSON_NONE };

static enum json_number json_number(const struct piece *p, const char *s, struct num *n)
{
	const char *e;

	if (!num_scan(s, NUM_EXPONENT, n))
		return JSON_NONE;
	n->step = 0; /* zeros at the end are not printed */
	e = num_skip(n->end);
	if (*e == ',' || *e == ']' || *e == '}')
		return JSON_WHOLE;
	/* a point or an e at the end of a line belongs to a number that was broken */
	if (num_is_alpha(*e) || *e == '{' || *e == '"' || *e == '<')
		return JSON_CUT;
	if (*e == '\0' || ((*e == '.' || *e == 'e') && e[1] == '\0'))
		return p->last ? JSON_CUT : JSON_MORE;
	return JSON_NONE;
}

static long json_sample(struct hyperfine *h, struct parse_ctx *ctx, const struct piece *p)
{
	struct num n;
	long line = piece_line(p, p->s);

	switch (json_number(p, p->s, &n)) {
	case JSON_WHOLE:
		h->samples++;
		emit(h, ctx, "/wall", &n, "", "", line);
		return n.end - p->s;
	case JSON_MORE:
		return READER_MORE;
	case JSON_CUT:
		emit(h, ctx, "/wall", NULL, "", "the text ends within this number", line);
		h->cut = true;
		h->cut_line = line;
		return n.end - p->s;
	default:
		return READER_NONE;
	}
}

static long json_scalar(struct hyperfine *h, struct parse_ctx *ctx, const struct piece *p,
			const char *key, const char *s)
{
	long line = piece_line(p, s);
	struct num n;
	enum json_number r = json_number(p, s, &n);

	if (r == JSON_MORE)
		return READER_MORE;
	if (r == JSON_NONE)
		return READER_NONE;
	if (r == JSON_CUT) {
		h->cut = true;
		h->cut_line = line;
		if (strcmp(key, "mean") == 0)
			emit(h, ctx, "/wall", NULL, "summary=mean",
			     "the text ends within this number", line);
		return (long)p->len;
	}
	if (strcmp(key, "mean") == 0) {
		h->mean = n;
		h->mean_line = line;
	} else if (strcmp(key, "stddev") == 0) {
		h->deviation = n;
	} else if (strcmp(key, "user") == 0) {
		h->user = n;
		h->user_line = line;
	} else if (strcmp(key, "system") == 0) {
		h->sys = n;
		h->sys_line = line;
	}
	return n.end - p->s;
}

static long json_value(struct hyperfine *h, struct parse_ctx *ctx, const struct piece *p,
		       const char *key, const char *s)
{
	static const char *const numbers[] = {"mean",   "stddev", "median", "user",
					      "system", "min",    "max"};
	char command[COMMAND_MAX];
	size_t len;
	const char *e;

	if (*s == '\0')
		return p->last ? READER_NONE : READER_MORE;
	if (strcmp(key, "results") == 0) {
		if (*s != '[')
			return READER_NONE;
		h->json = true;
		return s + 1 - p->s;
	}
	if (strcmp(key, "command") == 0) {
		e = json_string(s, command, sizeof(command), &len);
		if (e == NULL)
			return p->last || *s != '"' ? READER_NONE : READER_MORE;
		command_begin(h, ctx, command, len);
		h->json = true;
		return e - p->s;
	}
	if (!h->any || !h->json)
		return READER_NONE;
	if (strcmp(key, "times") == 0 || strcmp(key, "exit_codes") == 0 ||
	    strcmp(key, "memory_usage_byte") == 0) {
		if (*s != '[')
			return READER_NONE;
		h->in_times = key[0] == 't';
		h->other_array = key[0] != 't';
		return s + 1 - p->s;
	}
	if (strncmp(s, "null", 4) == 0)
		return s + 4 - p->s;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strcmp(key, numbers[i]) == 0)
			return json_scalar(h, ctx, p, key, s);
	}
	return READER_NONE;
}

static long json_read(struct hyperfine *h, struct parse_ctx *ctx, const struct piece *p)
{
	char key[32];
	const char *e;
	size_t len;

	if (p->s[0] == '"') {
		e = json_string(p->s, key, sizeof(key), &len);
		if (e == NULL || *num_skip(e) != ':')
			return READER_NONE;
		return json_value(h, ctx, p, key, num_skip(num_skip(e) + 1));
	}
	if (!h->json)
		return READER_NONE;
	if (h->in_times && num_is_digit(p->s[0]))
		return json_sample(h, ctx, p);
	if (p->s[0] == ']') {
		h->times_closed |= h->in_times && h->samples > 0;
		h->in_times = h->other_array = false;
	}
	if (h->other_array && (num_is_digit(p->s[0]) || p->s[0] == 'n'))
		return (long)strcspn(p->s, ",]");
	/* what stands among the times and is none: the text was cut, another one begins */
	if (h->in_times && p->s[0] != ']' && p->s[0] != ',') {
		h->cut = true;
		h->cut_line = piece_line(p, p->s);
		h->json = false;
		return READER_NONE;
	}
	return strchr("{}],", p->s[0]) != NULL ? 1 : READER_NONE;
}

/* CSV and Markdown ------------------------------------------------------------ */

static void no_columns(struct hyperfine *h)
{
	h->columns = 0;
	h->column_mean = h->column_deviation = h->column_user = h->column_sys = -1;
}

/* Cuts a line of CSV; a field may be quoted. */
static int csv_fields(const char *s, struct word *w, int max)
{
	int n = 0;

	while (n < max) {
		if (*s == '"') {
			const char *e = strchr(s + 1, '"');

			while (e != NULL && e[1] == '"')
				e = strchr(e + 2, '"');
			if (e == NULL || (e[1] != ',' && e[1] != '\0'))
				return 0;
			w[n].s = s + 1;
			w[n].len = (size_t)(e - s - 1);
			s = e + 1;
		} else {
			w[n].s = s;
			w[n].len = strcspn(s, ",");
			s += w[n].len;
		}
		n++;
		if (*s != ',')
			break;
		s++;
	}
	return n;
}

static void single_quotes(char *s)
{
	char *to = s;

	for (; *s != '\0'; s++) {
		*to++ = *s;
		if (*s == '"' && s[1] == '"')
			s++;
	}
	*to = '\0';
}

static bool csv_number(const struct word *w, int n, int column, struct num *out)
{
	return column >= 0 && column < n && num_scan(w[column].s, NUM_EXPONENT, out) &&
	       out->end == w[column].s + w[column].len;
}

static long csv_line(struct hyperfine *h, struct parse_ctx *ctx, const struct piece *p)
{
	struct word w[CSV_COLUMNS];
	struct num n;
	int fields;

	if (num_after(p->s, "command,mean,stddev,") != NULL) {
		command_end(h, ctx);
		no_columns(h);
		h->columns = csv_fields(p->s, w, CSV_COLUMNS);
		for (int i = 0; i < h->columns; i++) {
			if (word_is(&w[i], "mean"))
				h->column_mean = i;
			if (word_is(&w[i], "stddev"))
				h->column_deviation = i;
			if (word_is(&w[i], "user"))
				h->column_user = i;
			if (word_is(&w[i], "system"))
				h->column_sys = i;
		}
		h->unit = 0;
		return (long)p->len;
	}
	if (h->columns == 0 || h->unit > 0)
		return READER_NONE;
	fields = csv_fields(p->s, w, CSV_COLUMNS);
	if (fields < 2 || !csv_number(w, fields, h->column_mean, &n))
		return READER_NONE;
	if (fields < h->columns && !p->last)
		return READER_MORE;
	command_begin(h, ctx, w[0].s, w[0].len);
	if (w[0].s > p->s) /* it was quoted, and quotes in it were doubled */
		single_quotes(h->command);
	h->mean_line = h->user_line = h->sys_line = piece_line(p, p->s);
	/* the last field of a text that was cut may have lost digits */
	if (fields > h->column_mean + 1 || !p->end)
		h->mean = n;
	if (csv_number(w, fields, h->column_deviation, &n))
		h->deviation = n;
	if (csv_number(w, fields, h->column_user, &n) && fields > h->column_user + 1)
		h->user = n;
	if (csv_number(w, fields, h->column_sys, &n) && fields > h->column_sys + 1)
		h->sys = n;
	command_end(h, ctx);
	return (long)p->len;
}

/* Behind columns cells of a table's row, or NULL; *cells counts them up to a rule or the end. */
static const char *row_end(const char *s, int *cells, int most)
{
	*cells = 0;
	while (*s == '|' && *cells < most) {
		const char *e = strchr(s + 1, '|'), *in = num_skip(s + 1);

		if (e == NULL || strncmp(in, ":-", 2) == 0 || strncmp(in, "--", 2) == 0)
			break;
		++*cells;
		s = e;
		/* the next row of a table whose lines were joined */
		if (*num_skip(s + 1) == '|')
			break;
	}
	return s;
}

/* "| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |" */
static long markdown_line(struct hyperfine *h, struct parse_ctx *ctx, const struct piece *p)
{
	const char *s = num_after(p->s, "| Command | Mean ["), *name, *e, *end;
	int cells;
	struct num n;

	if (s != NULL) {
		command_end(h, ctx);
		no_columns(h);
		h->unit = num_time_unit(s, strcspn(s, "]"));
		end = row_end(p->s, &cells, CSV_COLUMNS);
		h->columns = h->unit > 0 ? cells : 0;
		return end + 1 - p->s;
	}
	if (h->columns == 0 || h->unit == 0)
		return READER_NONE;
	name = num_skip(p->s + 1);
	/* the rule between the header and the rows */
	for (e = p->s; *e == '|' && strspn(num_skip(e + 1), ":-") > 1;)
		e = num_skip(num_skip(e + 1) + strspn(num_skip(e + 1), ":-"));
	if (e > p->s)
		return e + (*e == '|') - p->s;
	end = row_end(p->s, &cells, h->columns);
	if (cells != h->columns)
		return READER_NONE;
	if (*name == '`') {
		e = strchr(name + 1, '`');
		if (e == NULL)
			return READER_NONE;
		s = strchr(e, '|');
		name++;
	} else {
		s = strchr(name, '|');
		e = s;
		while (e != NULL && e > name && num_is_blank(e[-1]))
			e--;
	}
	if (s == NULL || !num_scan(num_skip(s + 1), 0, &n) || strchr(n.end, '|') == NULL ||
	    !(num_is_blank(*n.end) || *n.end == '|'))
		return READER_NONE;
	command_begin(h, ctx, name, (size_t)(e - name));
	n.value = num_scaled(&n, h->unit);
	n.step *= h->unit;
	h->mean = n;
	h->mean_line = piece_line(p, p->s);
	s = num_skip(n.end);
	if (strncmp(s, "\xc2\xb1", 2) == 0 && num_scan(num_skip(s + 2), 0, &n)) {
		n.value *= h->unit;
		h->deviation = n;
	}
	command_end(h, ctx);
	return end + 1 - p->s;
}

static long hyperfine_read(void *state, struct parse_ctx *ctx, const struct piece *p)
{
	struct hyperfine *h = state;
	long r = READER_NONE;

	switch (p->s[0]) {
	case 'B':
		return benchmark_line(h, ctx, p);
	case 'T':
		return time_line(h, p);
	case 'R':
		return range_line(h, p);
	case '|':
		return markdown_line(h, ctx, p);
	case 'W':
		/* warnings of its own, in the middle of its output */
		return h->any && num_after(p->s, "Warning: ") != NULL ? (long)p->len : READER_NONE;
	}
	if (p->s[0] == '"' || h->json)
		r = json_read(h, ctx, p);
	if (r == READER_NONE && (p->s[0] == 'c' || h->columns > 0))
		r = csv_line(h, ctx, p);
	return r;
}

static void hyperfine_finish(void *state, struct parse_ctx *ctx)
{
	struct hyperfine *h = state;

	command_end(h, ctx);
	no_columns(h);
	h->json = false;
}

static const char *const hyperfine_starts[] = {
	"Benchmark 1:",       "Benchmark #1:",
	"Benchmark 2:",       "Benchmark #2:",
	"Benchmark 3:",       "Benchmark #3:",
	"Time (mean",         "Time (abs",
	"Range (min",         "\"results\":",
	"\"command\":",       "command,mean,",
	"| Command | Mean [", NULL,
};

const struct reader hyperfine_reader = {
	.name = "hyperfine",
	.starts = hyperfine_starts,
	.first = "BTRW|\"{}],c0123456789",
	.state_size = sizeof(struct hyperfine),
	.read = hyperfine_read,
	.boundary = hyperfine_finish,
	.finish = hyperfine_finish,
};
