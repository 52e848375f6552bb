/*
 * Simple PHP benchmark scripts: the table on a terminal ("test_math : 2.345 sec."), and the
 * machine and JSON formats of php-simple-benchmark-script.
 */
#include <stdio.h>
#include <string.h>

#include "parse/batch.h"

struct php_simple {
	struct batch b;
	bool active;
	bool json;
	bool machine; /* "name: seconds, operations, ..." */
	char version[24];
};

static void php_simple_end(struct php_simple *s, struct parse_ctx *ctx)
{
	if (s->version[0] != '\0')
		batch_condition(&s->b, "script", "%s", s->version);
	batch_end(&s->b, ctx);
	s->active = s->json = s->machine = false;
	s->version[0] = '\0';
}

static void begin(struct php_simple *s, struct parse_ctx *ctx)
{
	if (s->active)
		php_simple_end(s, ctx);
	batch_touch(&s->b, ctx);
	s->active = true;
}

static void add(struct php_simple *s, struct parse_ctx *ctx, const char *name, size_t len,
		const struct num *n, long line)
{
	char metric[METRIC_NAME + 64];

	metric_join(metric, sizeof(metric), "php/bench/", name, len, "", false);
	if (n->value > 0)
		batch_add(&s->b, ctx, metric, "s", n->value, n->step, line);
	else
		batch_refuse(&s->b, ctx, metric, "s", line, "no time");
}

/* A quoted text at s: its end behind the quote, or NULL. */
static const char *quoted(const char *s, const char **text, size_t *len)
{
	const char *e;

	if (*s != '"')
		return NULL;
	e = strchr(s + 1, '"');
	if (e == NULL)
		return NULL;
	*text = s + 1;
	*len = (size_t)(e - s - 1);
	return e + 1;
}

/* [ "01_math", 3.4119508266449, 586174.9, ... ] */
static long json_row(struct php_simple *s, struct parse_ctx *ctx, const struct piece *p)
{
	const char *name, *e, *at;
	struct num n;
	size_t len;

	e = quoted(num_skip(p->s + 1), &name, &len);
	if (e == NULL)
		return READER_NONE;
	e = num_skip(e);
	if (*e == '\0')
		return p->last ? READER_NONE : READER_MORE;
	if (*e != ',')
		return READER_NONE;
	at = num_skip(e + 1);
	if (*at == '\0')
		return p->last ? READER_NONE : READER_MORE;
	if (!num_scan(at, NUM_EXPONENT, &n))
		return READER_NONE;
	/* the comma behind it says that all its digits are there */
	if (*n.end == '\0')
		return p->last ? READER_NONE : READER_MORE;
	if (*num_skip(n.end) != ',')
		return READER_NONE;
	add(s, ctx, name, len, &n, piece_line(p, at));
	e = strchr(n.end, ']');
	return (e != NULL ? e + 1 : n.end + 1) - p->s;
}

/* "total": { "seconds": 7.052170753479, ... } */
static long json_total(struct php_simple *s, struct parse_ctx *ctx, const struct piece *p)
{
	const char *e = num_after(p->s, "\"total\": {");
	struct num n;

	if (e == NULL)
		e = num_after(p->s, "\"total\":{");
	if (e == NULL)
		return READER_NONE;
	e = num_skip(e);
	if (*e == '\0')
		return p->last ? READER_NONE : READER_MORE;
	e = num_after(e, "\"seconds\":");
	if (e == NULL)
		return READER_NONE;
	e = num_skip(e);
	if (*e == '\0')
		return p->last ? READER_NONE : READER_MORE;
	if (!num_scan(e, NUM_EXPONENT, &n))
		return READER_NONE;
	if (*n.end == '\0')
		return p->last ? READER_NONE : READER_MORE;
	if (*num_skip(n.end) != ',' && *num_skip(n.end) != '}')
		return READER_NONE;
	add(s, ctx, "total", 5, &n, piece_line(p, e));
	e = strchr(n.end, '}');
	return (e != NULL ? e + 1 : n.end + 1) - p->s;
}

static long json_line(struct php_simple *s, struct parse_ctx *ctx, const struct piece *p)
{
	const char *e = num_after(p->s, "\"php_benchmark_script\": "), *v;
	size_t len;

	if (e == NULL)
		e = num_after(p->s, "\"php_benchmark_script\":");
	if (e != NULL) {
		const char *end = quoted(e, &v, &len);

		begin(s, ctx);
		s->json = true;
		if (end != NULL)
			snprintf(s->version, sizeof(s->version), "%.*s", (int)len, v);
		return (end != NULL ? end : e) - p->s;
	}
	if (!s->active || !s->json)
		return READER_NONE;
	if (p->s[0] == '[')
		return json_row(s, ctx, p);
	e = num_after(p->s, "\"php_version\": ");
	if (e != NULL && (e = quoted(e, &v, &len)) != NULL) {
		snprintf(s->b.software, sizeof(s->b.software), "PHP %.*s", (int)len, v);
		return e - p->s;
	}
	return json_total(s, ctx, p);
}

/* "01_math: 3.3808300495148, 591570.70030392, 164.32519452887, 4194304" */
static long machine_row(struct php_simple *s, struct parse_ctx *ctx, const struct piece *p)
{
	const char *colon = strchr(p->s, ':'), *at;
	struct num n;
	size_t len;

	if (colon == NULL || colon - p->s > 80)
		return READER_NONE;
	len = (size_t)(colon - p->s);
	at = num_skip(colon + 1);
	if (*at == '\0' && len > 0)
		return p->last || p->rest ? READER_NONE : READER_MORE;
	if (memchr(p->s, ' ', len) != NULL || !num_scan(at, NUM_EXPONENT, &n))
		return READER_NONE;
	if (*n.end == '\0')
		return p->last ? READER_NONE : READER_MORE;
	if (*n.end != ',' || n.decimals == 0 || !num_is_blank(n.end[1]))
		return READER_NONE;
	if (len == 5 && strncmp(p->s, "TOTAL", 5) == 0) {
		add(s, ctx, "total", 5, &n, piece_line(p, at));
		s->machine = false; /* its last line */
	} else {
		add(s, ctx, p->s, len, &n, piece_line(p, at));
	}
	/* the other columns: rates and memory */
	for (at = n.end; *at == ','; at = n.end) {
		if (!num_scan(num_skip(at + 1), NUM_EXPONENT, &n))
			break;
	}
	return at - p->s;
}

/* "01_math   :   3.412 sec | 586.17 kOp/s |", "test_math   : 2.345 sec." */
static long text_row(struct php_simple *s, struct parse_ctx *ctx, const struct piece *p)
{
	const char *colon = strchr(p->s, ':'), *at, *e;
	size_t len;
	struct num n;
	bool total;

	if (colon == NULL || colon - p->s > 60 || colon == p->s)
		return READER_NONE;
	len = (size_t)(colon - p->s);
	total = num_after_nocase(p->s, "total time") != NULL ||
		num_after_nocase(p->s, "total:") != NULL ||
		num_after_nocase(p->s, "total :") != NULL;
	at = num_skip(colon + 1);
	if (*at == ':')
		at = num_skip(at + 1);
	while (len > 0 && (num_is_blank(p->s[len - 1]) || p->s[len - 1] == '.'))
		len--;
	if (len == 0 || !num_scan_time(at, &n) || n.decimals == 0 ||
	    (!total && memchr(p->s, ' ', len) != NULL))
		return READER_NONE;
	e = n.end + (*n.end == '.');
	if (*num_skip(e) != '\0' && *num_skip(e) != '|' && !p->rest)
		return READER_NONE;
	if (total)
		add(s, ctx, "total", 5, &n, piece_line(p, at));
	else
		add(s, ctx, p->s, len, &n, piece_line(p, at));
	return e - p->s;
}

static long begin_line(struct php_simple *s, struct parse_ctx *ctx, const struct piece *p)
{
	const char *e = num_after(p->s, "PHP_BENCHMARK_SCRIPT:");
	long r;

	if (e != NULL) {
		begin(s, ctx);
		s->machine = true;
		e = num_skip(e);
		snprintf(s->version, sizeof(s->version), "%.*s", (int)strcspn(e, " \t;"), e);
		return e + strcspn(e, " \t") - p->s;
	}
	e = num_after(p->s, "TEST_NAME: SECONDS,");
	if (e != NULL) {
		if (!s->active)
			begin(s, ctx);
		s->machine = true;
		return p->rest ? e - p->s : (long)p->len;
	}
	e = num_after(p->s, "TEST NAME : SECONDS");
	if (e != NULL) {
		if (!s->active || s->b.n > 0)
			begin(s, ctx);
		return e - p->s;
	}
	if (memchr(p->s, 'P', p->len < 120 ? p->len : 120) != NULL &&
	    (num_find(p->s, "PHP BENCHMARK SCRIPT", 120) != NULL ||
	     num_find(p->s, "PHP benchmark script", 120) != NULL)) {
		if (!s->active || s->b.n > 0)
			begin(s, ctx);
		e = num_find(p->s, "SCRIPT", 120);
		if (e == NULL)
			e = num_find(p->s, "script", 120);
		return e != NULL ? e + strlen("SCRIPT") - p->s : (long)p->len;
	}
	if (!s->active && strncmp(p->s, "test_", 5) == 0 && num_find(p->s, " sec", 120) != NULL) {
		batch_touch(&s->b, ctx);
		s->active = true;
		r = text_row(s, ctx, p);
		s->active = r > 0;
		return r;
	}
	return READER_NONE;
}

/* "Server : ...", "CPU :": what is said before the results, and no heading. */
static bool is_about_machine(const struct piece *p)
{
	static const char *const words[] = {"start",   "server",           "platform", "system",
					    "cpu ",    "model ",           "cores ",   "mhz ",
					    "memory ", "benchmark version"};

	/* in the middle of a line only the first four are sure */
	for (size_t i = 0; i < (p->rest ? 4 : sizeof(words) / sizeof(words[0])); i++) {
		if (num_after_nocase(p->s, words[i]) != NULL)
			return true;
	}
	return false;
}

static long php_simple_read(void *state, struct parse_ctx *ctx, const struct piece *p)
{
	struct php_simple *s = state;
	long r = READER_NONE;
	const char *e;

	if (p->s[0] == '"' || p->s[0] == '[')
		return json_line(s, ctx, p);
	r = begin_line(s, ctx, p);
	if (r != READER_NONE || !s->active)
		return r;
	if (is_about_machine(p)) {
		e = strchr(p->s, ':');
		return e != NULL && e - p->s < 24 ? e + 1 - p->s : READER_NONE;
	}
	e = num_after(p->s, "PHP_VERSION: ");
	if (e == NULL)
		e = num_after(p->s, "PHP version : ");
	if (e != NULL) {
		snprintf(s->b.software, sizeof(s->b.software), "PHP %.*s", (int)strcspn(e, " \t"),
			 e);
		return e + strcspn(e, " \t") - p->s;
	}
	if (s->machine)
		r = machine_row(s, ctx, p);
	return r != READER_NONE ? r : text_row(s, ctx, p);
}

static void php_simple_finish(void *state, struct parse_ctx *ctx)
{
	php_simple_end(state, ctx);
}

static const char *const php_simple_starts[] = {
	"\"php_benchmark_script\":",
	"PHP_BENCHMARK_SCRIPT:",
	"TEST_NAME: SECONDS",
	"TOTAL: ",
	"\"total\": {",
	"[ \"",
	"\"php_version\":",
	"test_",
	NULL,
};

const struct reader php_simple_reader = {
	.name = "simple PHP benchmark scripts",
	.starts = php_simple_starts,
	.first = "\"[PTt|{",
	.state_size = sizeof(struct php_simple),
	.read = php_simple_read,
	.boundary = php_simple_finish,
	.finish = php_simple_finish,
};
