#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fs.h"
#include "parse/num.h"
#include "parse/sql.h"

/* Names of the table -> the product's names --------------------------------- */

static char *lower_name(const char *s)
{
	char *out = mem_strdup(s);

	for (char *c = out; *c != '\0'; c++) {
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c + 32);
		if (*c == ' ')
			*c = '_';
	}
	return out;
}

/* "rsa2048.sign_per_s", "bulk.md5@16_kBps" */
static bool openssl_name(const char *name, struct expected *e, double *scale)
{
	char *s = lower_name(name), *end = strstr(s, "_kbps"), *at = strchr(s, '@');
	bool known = true;

	if (end != NULL && at != NULL) {
		*end = '\0';
		*at = '/';
		e->metric = mem_printf("openssl/%s", s);
		e->unit = "B/s";
		*scale = 1000;
	} else if ((end = strstr(s, "_per_s")) != NULL && end[6] == '\0') {
		*end = '\0';
		at = strrchr(s, '.');
		if (at != NULL)
			*at = '/';
		e->metric = mem_printf("openssl/%s", s);
		e->unit = "op/s";
	} else if (strcmp(s, "table_row") == 0 || strstr(s, "sign_latency") != NULL) {
		known = false;
	} else {
		known = false;
	}
	free(s);
	return known;
}

static bool http_name(const char *name, const char *tool, struct expected *e, double *scale)
{
	static const struct {
		const char *name, *aspect;
		double scale;
	} names[] = {
		{"requests_per_s", "rate", 1},
		{"transactions_per_s", "rate", 1},
		{"latency_avg_s", "latency.mean", 1},
		{"latency_avg_ms", "latency.mean", 1e-3},
		{"latency_mean_ms", "latency.mean", 1e-3},
		{"time_per_request_ms", "latency.mean", 1e-3},
		{"request_time_mean_ms", "latency.mean", 1e-3},
		{"response_time_s", "latency.mean", 1},
		{"request_time_max_s", "latency.max", 1},
		{"longest_s", "latency.max", 1},
		{"p99_s", "latency.p99", 1},
		{"connect_time_mean", "connect.mean", 1},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i].name) != 0)
			continue;
		e->metric = mem_printf("http/%s/%s", tool, names[i].aspect);
		e->unit = i < 2 ? "req/s" : "s";
		*scale = names[i].scale;
		return true;
	}
	return false;
}

static bool table_name(const char *name, struct expected *e, double *scale)
{
	static const struct {
		const char *name, *metric, *unit;
		double scale;
	} names[] = {
		{"page.generated_seconds", "wordpress/page/generate", "s", 1},
		{"page.cached_seconds", "wordpress/cached/serve", "s", 1},
		{"db.seconds", "wordpress/db/time", "s", 1},
		{"total_time_s", "sysbench/run/time", "s", 1},
		{"time_s", "sysbench/run/time", "s", 1},
		{"latency_avg_ms", "sysbench/run/latency.mean", "s", 1e-3},
		{"p95_ms", "sysbench/run/latency.p95", "s", 1e-3},
		{"events_per_s", "sysbench/run/events", "1/s", 1},
		{"eps", "sysbench/run/events", "1/s", 1},
		{"tps", "sysbench/run/transactions", "1/s", 1},
		{"qps", "sysbench/run/queries", "1/s", 1},
		{"mean_s", "command/*/wall", "s", 1},
		{"mean_ms", "command/*/wall", "s", 1e-3},
		{"user_s", "command/*/user", "s", 1},
		{"user_ms", "command/*/user", "s", 1e-3},
		{"times.last", "command/*/wall", "s", 1},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i].name) == 0) {
			e->metric = mem_strdup(names[i].metric);
			e->unit = names[i].unit;
			*scale = names[i].scale;
			return true;
		}
	}
	return false;
}

static bool php_name(const char *name, struct expected *e, double *scale)
{
	size_t n = strlen(name);

	e->unit = "s";
	if (strcmp(name, "overhead") == 0) {
		e->metric = mem_strdup("php/bench/overhead");
		return true;
	}
	if (n > 3 && (strcmp(name + n - 3, "_ms") == 0 || strcmp(name + n - 3, "_us") == 0)) {
		const char *dot = strrchr(name, '.');
		bool mean = dot != NULL && strncmp(dot, ".mean_", 6) == 0 &&
			    strncmp(name, "suite.", 6) != 0;

		*scale = name[n - 2] == 'm' ? 1e-3 : 1e-6;
		e->metric =
			mem_printf("php/bench/%.*s", mean ? (int)(dot - name) : (int)n - 3, name);
		return true;
	}
	if (n < 3 || strcmp(name + n - 2, "_s") != 0)
		return false;
	if (strcmp(name, "repeat_totals_s") == 0)
		e->metric = mem_strdup("php/bench/total");
	else
		e->metric = mem_printf("php/bench/%.*s", (int)n - 2, name);
	return true;
}

static bool go_name(const char *name, struct expected *e, double *scale)
{
	const char *dot = strrchr(name, '.');
	char *s;

	if (dot == NULL)
		return false;
	s = lower_name(name);
	s[dot - name] = '\0';
	if (strcmp(dot, ".ns_per_op") == 0) {
		e->metric = mem_printf("go/%s/time", s);
		e->unit = "s/op";
		*scale = 1e-9;
	} else if (strcmp(dot, ".MB_per_s") == 0) {
		e->metric = mem_printf("go/%s/throughput", s);
		e->unit = "B/s";
		*scale = 1e6;
	}
	free(s);
	return e->metric != NULL;
}

static const char *http_tool(const char *file)
{
	static const char *const tools[] = {"ab-",    "h2load-", "hey-", "oha-",
					    "siege-", "wrk2-",   "wrk-"};
	static const char *const names[] = {"ab", "h2load", "hey", "oha", "siege", "wrk2", "wrk"};

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		if (strncmp(file, tools[i], strlen(tools[i])) == 0)
			return names[i];
	}
	return "wrk";
}

static bool product_name(const struct parse_case *c, const char *name, struct expected *e,
			 double *scale)
{
	if (strcmp(c->kind, "openssl") == 0)
		return openssl_name(name, e, scale);
	if (strcmp(c->kind, "http") == 0)
		return http_name(name, http_tool(c->file), e, scale);
	if (strcmp(c->kind, "php") == 0)
		return php_name(name, e, scale);
	return table_name(name, e, scale) || go_name(name, e, scale);
}

/* The column of values -------------------------------------------------------- */

static void add_number(struct parse_case *c, const struct expected *like, const char *number,
		       double scale)
{
	struct expected e = *like;
	struct num n;
	bool computed = *number == '~';

	if (!num_scan(number + computed, NUM_THOUSANDS | NUM_EXPONENT | NUM_SIGN, &n))
		return;
	e.text = mem_printf("%s: %s=%s", c->file, like->text, number);
	e.metric = like->metric != NULL ? mem_strdup(like->metric) : NULL;
	e.label = like->label != NULL ? mem_strdup(like->label) : NULL;
	e.value = n.value * scale;
	e.tolerance = n.step * scale * 0.5 * 1.001 + fabs(e.value) * (computed ? 1e-4 : 1e-12);
	vec_push(&c->expected, e);
}

/* Behind "run2/", "q1/label." or "q1.": what was cut is kept in e. */
static const char *cut_prefix(const char *name, struct expected *e, int *query)
{
	struct num n;

	*query = 0;
	if (strncmp(name, "run", 3) == 0 && num_scan(name + 3, 0, &n) && *n.end == '/') {
		e->run = (int)n.value;
		return n.end + 1;
	}
	if (*name != 'q' || !num_scan(name + 1, 0, &n))
		return name;
	/* "q1.seconds" reads as the number 1 and its rest */
	*query = (int)n.value;
	name = strpbrk(name, "./");
	if (name != NULL && *name == '/') {
		const char *dot = strrchr(name, '.');

		e->label = mem_strndup(name + 1, (size_t)(dot - name - 1));
		name = dot;
	}
	return name != NULL ? name + 1 : "";
}

struct query {
	double count;
	char *expr;
};

static void add_pair(struct parse_case *c, const char *pair, struct query *queries)
{
	const char *eq = strrchr(pair, '=');
	struct expected e = {.what = EXPECT_VALUE};
	double scale = 1;
	char *full, *value;
	const char *name;
	int query = 0;

	if (eq == NULL)
		return;
	full = mem_strndup(pair, (size_t)(eq - pair));
	value = mem_strdup(eq + 1);
	e.text = full;
	name = cut_prefix(full, &e, &query);
	if (strcmp(value, "INVALID") == 0)
		e.what = EXPECT_INVALID;
	else if (strcmp(value, "ABSENT") == 0)
		e.what = EXPECT_ABSENT;
	if (strcmp(name, "warning") == 0) {
		e.what = EXPECT_WARNING;
		e.text = mem_printf("%s: %s", c->file, pair);
		vec_push(&c->expected, e);
	} else if (query > 0 && query < 16) {
		if (strcmp(name, "count") == 0)
			queries[query].count = atof(value);
		if (strcmp(name, "expr") == 0)
			queries[query].expr = mem_strdup(value);
		if (strcmp(name, "seconds") == 0 && e.what == EXPECT_VALUE) {
			e.metric = mem_strdup("mariadb/benchmark.*/time");
			e.unit = "s/op";
			/* the table says a count once where all have the same */
			if (queries[query].count == 0)
				queries[query].count = queries[query - 1].count;
			add_number(c, &e, value, 1 / queries[query].count);
		} else if (strcmp(name, "seconds") == 0) {
			e.metric = mem_strdup("mariadb/*");
			e.text = mem_printf("%s: %s", c->file, pair);
			vec_push(&c->expected, e);
			e.metric = NULL;
		}
	} else if (product_name(c, name, &e, &scale)) {
		if (e.what == EXPECT_VALUE) {
			/* several values of one metric; but a comma may separate thousands */
			char *s = value;
			bool list = strstr(full, "repeat") != NULL ||
				    strstr(full, "_per_op") != NULL ||
				    strstr(full, "MB_per_s") != NULL;

			for (char *t; list && (t = strchr(s, ',')) != NULL; s = t + 1) {
				*t = '\0';
				add_number(c, &e, s, scale);
			}
			add_number(c, &e, s, scale);
		} else {
			e.text = mem_printf("%s: %s", c->file, pair);
			vec_push(&c->expected, e);
			e.metric = NULL;
		}
	}
	if (e.what == EXPECT_VALUE || query > 0)
		free(e.label);
	free(e.metric);
	free(full);
	free(value);
}

static void add_values(struct parse_case *c, const char *values)
{
	struct query queries[16] = {{0, NULL}};

	while (*values != '\0') {
		size_t n = strcspn(values, ";");
		char *pair = mem_strndup(values, n);

		add_pair(c, pair, queries);
		free(pair);
		values += n + (values[n] == ';');
	}
	for (size_t i = 0; i < 16; i++)
		free(queries[i].expr);
}

/* The rows of the table's file: name, kind, three more, values. */
static void add_row(struct cases *cases, const char *dir, char *line)
{
	char *field[6];
	struct parse_case *c;
	struct err err = ERR_INIT;
	char *path;
	int n = 0;

	for (char *s = line; n < 6 && s != NULL; n++) {
		field[n] = s;
		s = strchr(s, '\t');
		if (s != NULL)
			*s++ = '\0';
	}
	if (n < 6 || strcmp(field[0], "file") == 0)
		return;
	c = vec_add(&cases->v);
	c->file = mem_strdup(field[0]);
	c->kind = mem_strdup(field[1]);
	path = fs_join(dir, field[0]);
	if (fs_read(path, 1 << 24, &c->text, &err) != 0)
		fprintf(stderr, "%s\n", err.msg);
	free(path);
	add_values(c, field[5]);
}

bool cases_load(const char *dir, struct cases *c)
{
	char *path = fs_join(dir, "INDEX.tsv");
	struct buf table = BUF_INIT;
	struct err err = ERR_INIT;
	int rc = fs_read(path, 1 << 24, &table, &err);

	free(path);
	for (char *s = table.data; rc == 0 && s != NULL && *s != '\0';) {
		char *end = strchr(s, '\n');

		if (end != NULL)
			*end++ = '\0';
		add_row(c, dir, s);
		s = end;
	}
	buf_release(&table);
	return rc == 0;
}

void cases_release(struct cases *c)
{
	for (size_t i = 0; i < c->v.n; i++) {
		struct parse_case *one = &c->v.v[i];

		for (size_t k = 0; k < one->expected.n; k++) {
			free(one->expected.v[k].text);
			free(one->expected.v[k].metric);
			free(one->expected.v[k].label);
		}
		vec_release(&one->expected);
		buf_release(&one->text);
		free(one->file);
		free(one->kind);
	}
	vec_release(&c->v);
}
