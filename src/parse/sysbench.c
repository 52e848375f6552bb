/*
 * sysbench: 0.4 and 0.5 do fixed work, so that time is the result; 1.x runs for a fixed time, so
 * that the rate is. Rates that were not printed are computed where work was fixed.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "parse/batch.h"

struct sysbench {
	struct batch b;
	bool fixed_time; /* 1.x */
	bool results;    /* the results began: a version line begins another run */
	bool latency_ms; /* the rows below are milliseconds */
	char test[32];
	double threads, limit, target;
	struct num time, events; /* end NULL: not read */
	bool events_whole;       /* a line follows them, so they were not cut */
	long time_line;
};

static void derive_events(struct sysbench *s, struct parse_ctx *ctx)
{
	struct batch_value *v;

	if (s->time.end == NULL || s->events.end == NULL || !s->events_whole ||
	    s->time.value <= 0 || s->events.value <= 0 ||
	    batch_find(&s->b, "sysbench/run/events") != NULL ||
	    batch_find(&s->b, "sysbench/run/transactions") != NULL)
		return;
	v = batch_add(&s->b, ctx, "sysbench/run/events", "1/s", s->events.value / s->time.value, 0,
		      s->time_line);
	v->step = v->value * s->time.step / s->time.value;
	v->derived = true;
	snprintf(v->note, sizeof(v->note), "%.0f events in %g s", s->events.value, s->time.value);
}

static void sysbench_end(struct sysbench *s, struct parse_ctx *ctx)
{
	/* b is the first member: it alone lives on */
	char *rest = (char *)s + sizeof(s->b);
	struct batch_value *v;

	if (!s->b.any)
		return;
	derive_events(s, ctx);
	v = batch_find(&s->b, "sysbench/run/time");
	if (v != NULL && s->fixed_time)
		snprintf(v->note, sizeof(v->note),
			 "1.x runs for a time that is set: this is no result");
	if (s->target > 0) {
		for (int i = 0; i < s->b.n; i++) {
			if (strcmp(s->b.v[i].unit, "1/s") == 0 && s->b.v[i].note[0] == '\0')
				snprintf(s->b.v[i].note, sizeof(s->b.v[i].note),
					 "limited to %g/s: a target, not what it can do",
					 s->target);
		}
		ctx_warn(ctx, s->b.n > 0 ? s->b.v[0].line : 0,
			 "sysbench was limited to %g/s: the rate is a target, not what it can do",
			 s->target);
	}
	if (s->limit > 0)
		batch_condition(&s->b, "limit", "%.0f", s->limit);
	if (s->target > 0)
		batch_condition(&s->b, "target", "%g", s->target);
	if (s->test[0] != '\0')
		batch_condition(&s->b, "test", "%s", s->test);
	if (s->threads > 0)
		batch_condition(&s->b, "threads", "%.0f", s->threads);
	batch_end(&s->b, ctx);
	memset(rest, 0, sizeof(*s) - sizeof(s->b));
}

/* "sysbench 0.4.12:  multi-threaded system evaluation benchmark" */
static long version_line(struct sysbench *s, struct parse_ctx *ctx, const struct piece *p)
{
	const char *v = num_after(p->s, "sysbench "), *e;

	if (v == NULL || !num_is_digit(v[0]) || v[1] != '.')
		return READER_NONE;
	if (s->results)
		sysbench_end(s, ctx);
	batch_touch(&s->b, ctx);
	e = v + strcspn(v, " \t:");
	snprintf(s->b.software, sizeof(s->b.software), "sysbench %.*s", (int)(e - v), v);
	s->fixed_time = v[0] != '0';
	return e + (*e == ':') - p->s;
}

/* "sysbench --test=cpu ... run", "sysbench cpu --threads=4 run" */
static long command_line(struct sysbench *s, struct parse_ctx *ctx, const struct piece *p)
{
	const char *at = num_find(p->s, "sysbench ", 400), *test;
	struct word w;

	if (at == NULL || at - p->s > 100 || num_find(at, "run", 400) == NULL ||
	    (!p->prompt && p->hashes == 0 && at != p->s && *p->s != '/' && *p->s != '$'))
		return READER_NONE;
	at += strlen("sysbench");
	test = num_find(at, "--test=", 400);
	if (test != NULL)
		test += strlen("--test=");
	if (s->results)
		sysbench_end(s, ctx);
	batch_touch(&s->b, ctx);
	for (; num_words(at, &w, 1, &at) == 1 && at - p->s < 2000;) {
		if (test == NULL && num_is_alpha(w.s[0]) && !word_is(&w, "run"))
			test = w.s;
		if (word_is(&w, "run"))
			break;
	}
	if (test != NULL && s->test[0] == '\0') {
		size_t n = strcspn(test, " \t");

		for (size_t i = n; i > 0; i--) { /* /usr/share/.../oltp.lua */
			if (test[i - 1] == '/') {
				test += i;
				n -= i;
				break;
			}
		}
		metric_part(s->test, sizeof(s->test), test, n);
		if (strchr(s->test, '.') != NULL)
			*strchr(s->test, '.') = '\0';
	}
	return at - p->s;
}

enum sysbench_key {
	KEY_NOTHING,
	KEY_RESULTS,
	KEY_THREADS,
	KEY_TARGET,
	KEY_LIMIT,
	KEY_CPU,
	KEY_SQL,
	KEY_MEMORY,
	KEY_FILEIO,
	KEY_TIME,
	KEY_EVENTS,
	KEY_EVENT_RATE,
	KEY_TRANSACTIONS,
	KEY_QUERIES,
	KEY_OPERATIONS,
	KEY_LATENCY,
	KEY_LATENCY_OLD,
	KEY_AVERAGE,
	KEY_APPROX,
};

static const struct key keys[] = {
	{"Running the test with following options:", KEY_NOTHING},
	{"Number of threads:", KEY_THREADS},
	{"Target transaction rate:", KEY_TARGET},
	{"Initializing random number generator", KEY_NOTHING},
	{"Initializing worker threads", KEY_NOTHING},
	{"Random number generator seed is", KEY_NOTHING},
	{"Doing CPU performance benchmark", KEY_CPU},
	{"Threads started!", KEY_NOTHING},
	{"Done.", KEY_NOTHING},
	{"Maximum prime number checked in CPU test:", KEY_LIMIT},
	{"Prime numbers limit:", KEY_LIMIT},
	{"CPU speed:", KEY_CPU},
	{"events per second:", KEY_EVENT_RATE},
	{"events/s (eps):", KEY_EVENT_RATE},
	{"Test execution summary:", KEY_RESULTS},
	{"General statistics:", KEY_RESULTS},
	{"Throughput:", KEY_RESULTS},
	{"SQL statistics:", KEY_SQL},
	{"OLTP test statistics:", KEY_SQL},
	{"queries performed:", KEY_NOTHING},
	{"read:", KEY_NOTHING},
	{"write:", KEY_NOTHING},
	{"other:", KEY_NOTHING},
	{"total:", KEY_NOTHING},
	{"Total operations:", KEY_OPERATIONS},
	{"Operations performed:", KEY_OPERATIONS},
	{"Running memory speed test", KEY_MEMORY},
	{"File operations:", KEY_FILEIO},
	{"Doing random r/w test", KEY_FILEIO},
	{"Doing random read test", KEY_FILEIO},
	{"Doing random write test", KEY_FILEIO},
	{"Doing sequential ", KEY_FILEIO},
	{"Doing memory operations speed test", KEY_MEMORY},
	{"transactions:", KEY_TRANSACTIONS},
	{"queries:", KEY_QUERIES},
	{"read/write requests:", KEY_NOTHING},
	{"other operations:", KEY_NOTHING},
	{"ignored errors:", KEY_NOTHING},
	{"deadlocks:", KEY_NOTHING},
	{"reconnects:", KEY_NOTHING},
	{"total time:", KEY_TIME},
	{"time elapsed:", KEY_TIME},
	{"total number of events:", KEY_EVENTS},
	{"total time taken by event execution:", KEY_NOTHING},
	{"per-request statistics:", KEY_LATENCY_OLD},
	{"response time:", KEY_LATENCY_OLD},
	{"Latency (ms):", KEY_LATENCY},
	{"min:", KEY_NOTHING},
	{"avg:", KEY_AVERAGE},
	{"max:", KEY_NOTHING},
	{"approx.", KEY_APPROX},
	{"sum:", KEY_NOTHING},
	{"Threads fairness:", KEY_NOTHING},
	{"events (avg/stddev):", KEY_NOTHING},
	{"execution time (avg/stddev):", KEY_NOTHING},
	{NULL, 0},
};

/* "257521 (143.01 per sec.)": the rate between the parentheses. */
static long rate_in_parentheses(struct sysbench *s, struct parse_ctx *ctx, const struct piece *p,
				const char *metric, const char *at)
{
	struct num count, rate;
	const char *open;

	if (!num_scan(at, 0, &count) || count.decimals > 0)
		return *at == '\0' && !p->last ? READER_MORE : READER_NONE;
	open = num_skip(count.end);
	if (*open != '(' || !num_scan(open + 1, 0, &rate))
		return !p->last && strlen(open) < 12 ? READER_MORE : READER_NONE;
	if (num_after(rate.end, " per sec") == NULL && num_after(rate.end, " ops/sec") == NULL)
		return !p->last && strlen(rate.end) < 10 ? READER_MORE : READER_NONE;
	if (rate.value > 0)
		batch_add(&s->b, ctx, metric, "1/s", rate.value, rate.step,
			  piece_line(p, open + 1));
	s->results = true;
	return rate.end + strcspn(rate.end, ")") - p->s;
}

/* A time of the latency block: "28.97" below "Latency (ms):", "2.94ms" or "0.0029s" before. */
static bool latency_time(const struct sysbench *s, const char *at, struct num *n)
{
	if (num_scan_time(at, n))
		return true;
	if (!s->latency_ms || !num_scan(at, 0, n) || n->decimals != 2)
		return false;
	n->value = num_scaled(n, 1e-3);
	n->step *= 1e-3;
	return true;
}

static long latency_row(struct sysbench *s, struct parse_ctx *ctx, const struct piece *p,
			const char *aspect, const char *at)
{
	char metric[64];
	struct num n;

	if (!s->results || !latency_time(s, at, &n))
		return *at == '\0' && !p->last ? READER_MORE : READER_NONE;
	snprintf(metric, sizeof(metric), "sysbench/run/latency.%s", aspect);
	if (n.value > 0)
		batch_add(&s->b, ctx, metric, "s", n.value, n.step, piece_line(p, at));
	return n.end - p->s;
}

/* "95th percentile:  68.05", "approx.  95 percentile:  2.94ms" */
static long percentile_row(struct sysbench *s, struct parse_ctx *ctx, const struct piece *p,
			   const char *at)
{
	struct num percent;
	const char *e;
	char aspect[16];

	if (!num_scan(at, 0, &percent) || percent.value >= 100 || percent.value <= 0)
		return READER_NONE;
	e = percent.end;
	if (strncmp(e, "th", 2) == 0 || strncmp(e, "st", 2) == 0 || strncmp(e, "nd", 2) == 0 ||
	    strncmp(e, "rd", 2) == 0)
		e += 2;
	e = num_after(e, " percentile:");
	if (e == NULL)
		return READER_NONE;
	snprintf(aspect, sizeof(aspect), "p%.6g", percent.value);
	return latency_row(s, ctx, p, aspect, num_skip(e));
}

static long number_line(struct sysbench *s, struct parse_ctx *ctx, const struct piece *p, int key,
			const char *at)
{
	long line = piece_line(p, at);
	struct num n;

	if (*at == '\0' && !p->last)
		return READER_MORE;
	if (!num_scan(at, 0, &n))
		return READER_NONE;
	switch (key) {
	case KEY_THREADS:
		/* the options are printed again at the beginning of each run */
		if (s->results)
			sysbench_end(s, ctx);
		batch_touch(&s->b, ctx);
		s->threads = n.value;
		break;
	case KEY_TARGET:
		s->target = n.value;
		break;
	case KEY_LIMIT:
		s->limit = n.value;
		snprintf(s->test, sizeof(s->test), "cpu");
		break;
	case KEY_TIME:
		if (*n.end != 's')
			return READER_NONE; /* the unit is missing: so may digits */
		s->time = n;
		s->time_line = line;
		s->results = true;
		batch_add(&s->b, ctx, "sysbench/run/time", "s", n.value, n.step, line);
		return n.end + 1 - p->s;
	case KEY_EVENTS:
		if (n.decimals == 0 && !(p->end && *n.end == '\0'))
			s->events = n;
		break;
	case KEY_EVENT_RATE:
		s->results = true;
		if (n.value > 0 && (n.decimals == 2 || n.decimals == 4))
			batch_add(&s->b, ctx, "sysbench/run/events", "1/s", n.value, n.step, line);
		break;
	}
	return n.end - p->s;
}

static long key_line(struct sysbench *s, struct parse_ctx *ctx, const struct piece *p, int key,
		     const char *e)
{
	const char *at = num_skip(e);

	switch (key) {
	case KEY_TRANSACTIONS:
		return rate_in_parentheses(s, ctx, p, "sysbench/run/transactions", at);
	case KEY_OPERATIONS:
		return rate_in_parentheses(s, ctx, p, "sysbench/run/events", at);
	case KEY_QUERIES:
		return rate_in_parentheses(s, ctx, p, "sysbench/run/queries", at);
	case KEY_AVERAGE:
		return latency_row(s, ctx, p, "mean", at);
	case KEY_APPROX:
		return percentile_row(s, ctx, p, at);
	case KEY_THREADS:
	case KEY_TARGET:
	case KEY_LIMIT:
	case KEY_TIME:
	case KEY_EVENTS:
	case KEY_EVENT_RATE:
		return number_line(s, ctx, p, key, at);
	case KEY_RESULTS:
		s->results = true;
		break;
	case KEY_LATENCY:
	case KEY_LATENCY_OLD:
		s->results = true;
		s->latency_ms = key == KEY_LATENCY;
		break;
	case KEY_CPU:
		snprintf(s->test, sizeof(s->test), "cpu");
		break;
	case KEY_MEMORY:
		snprintf(s->test, sizeof(s->test), "memory");
		break;
	case KEY_FILEIO:
		snprintf(s->test, sizeof(s->test), "fileio");
		break;
	case KEY_SQL:
		s->results = true;
		if (s->test[0] == '\0')
			snprintf(s->test, sizeof(s->test), "oltp");
		break;
	default:
		break;
	}
	return e - p->s;
}

static long sysbench_read(void *state, struct parse_ctx *ctx, const struct piece *p)
{
	struct sysbench *s = state;
	const char *e = NULL;
	long r = READER_NONE;
	int key;

	if (p->s[0] == 's' || p->prompt || p->hashes > 0 || p->s[0] == '/' || p->s[0] == '$') {
		r = version_line(s, ctx, p);
		if (r == READER_NONE)
			r = command_line(s, ctx, p);
		if (r != READER_NONE)
			return r;
	}
	if (s->b.any && num_is_digit(p->s[0]))
		return percentile_row(s, ctx, p, p->s);
	key = num_key(keys, p->s, &e);
	/* what others print too counts only behind something that is sysbench's */
	if (key < 0 ||
	    (!s->b.any && key != KEY_LIMIT && key != KEY_SQL &&
	     strncmp(p->s, "Test execution", 14) != 0 && strncmp(p->s, "events/s (eps)", 14) != 0 &&
	     strncmp(p->s, "CPU speed", 9) != 0))
		return READER_NONE;
	batch_touch(&s->b, ctx);
	s->events_whole |= s->events.end != NULL;
	return key_line(s, ctx, p, key, e);
}

static void sysbench_finish(void *state, struct parse_ctx *ctx)
{
	sysbench_end(state, ctx);
}

static const char *const sysbench_starts[] = {
	"Total operations:",
	"Operations performed:",
	"sysbench ",
	"Number of threads:",
	"Target transaction rate:",
	"Prime numbers limit:",
	"Maximum prime",
	"events per second:",
	"events/s (eps):",
	"Test execution summary:",
	"SQL statistics:",
	"transactions:",
	"queries:",
	"total time:",
	"time elapsed:",
	"total number of events:",
	"General statistics:",
	"Latency (ms):",
	"avg:",
	"approx. ",
	"per-request statistics:",
	"95th percentile:",
	NULL,
};

const struct reader sysbench_reader = {
	.name = "sysbench",
	.starts = sysbench_starts,
	.first = "NTIRDMPCeSOgtqrwodLmaxs/$0123456789",
	.state_size = sizeof(struct sysbench),
	.read = sysbench_read,
	.boundary = sysbench_finish,
	.finish = sysbench_finish,
};
