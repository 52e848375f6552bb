/* ab, the Apache HTTP server's benchmark: "Requests per second:" and the times below it. */
#include <stdio.h>
#include <string.h>

#include "parse/batch.h"

struct ab {
	struct batch b;
	double complete, failed, non2xx, concurrency;
	bool keepalive, percentages;
	/* the last row of percentages: whole only when another follows */
	char held[32];
	struct num held_ms;
	long held_line;
};

static void ab_end(struct ab *a, struct parse_ctx *ctx)
{
	struct batch_value *rate = batch_find(&a->b, "http/ab/rate");

	/* a page of another length counts as failed: dynamic pages do that, so it is a note only */
	if (rate != NULL && a->non2xx > 0)
		batch_errors(ctx, rate, a->complete - a->non2xx, a->non2xx);
	else if (rate != NULL && a->failed > 0)
		snprintf(rate->note, sizeof(rate->note), "%.0f of %.0f requests failed", a->failed,
			 a->complete);
	if (rate != NULL && a->non2xx == 0 && a->complete > 0 && a->failed / a->complete >= 0.5)
		ctx_warn(ctx, rate->line, "%.0f of %.0f requests failed", a->failed, a->complete);
	if (a->concurrency > 0)
		batch_condition(&a->b, "concurrency", "%.0f", a->concurrency);
	if (a->keepalive)
		batch_condition(&a->b, "keepalive", "yes");
	batch_end(&a->b, ctx);
	a->complete = a->failed = a->non2xx = a->concurrency = 0;
	a->keepalive = a->percentages = false;
	a->held[0] = '\0';
}

static void time_per_request(struct ab *a, struct parse_ctx *ctx, const struct num *n,
			     const char *unit, long line)
{
	const char *across = num_find(unit, "across all", 60);

	/* the second line divides by the concurrency: that is the rate once more */
	if ((across != NULL && across - unit < 40) || batch_find(&a->b, "http/ab/latency.mean"))
		return;
	batch_add(&a->b, ctx, "http/ab/latency.mean", "s", num_scaled(n, 1e-3), n->step * 1e-3,
		  line);
}

enum ab_key {
	KEY_NOTHING,
	KEY_START,
	KEY_RATE,
	KEY_TIME,
	KEY_COMPLETE,
	KEY_FAILED,
	KEY_NON2XX,
	KEY_CONCURRENCY,
	KEY_KEEPALIVE,
	KEY_PERCENT,
};

static const struct key keys[] = {
	{"This is ApacheBench", KEY_START},
	{"Server Software:", KEY_START},
	{"Server Hostname:", KEY_NOTHING},
	{"Server Port:", KEY_NOTHING},
	{"SSL/TLS Protocol:", KEY_NOTHING},
	{"Server Temp Key:", KEY_NOTHING},
	{"TLS Server Name:", KEY_NOTHING},
	{"Document Path:", KEY_NOTHING},
	{"Document Length:", KEY_NOTHING},
	{"Concurrency Level:", KEY_CONCURRENCY},
	{"Time taken for tests:", KEY_NOTHING},
	{"Complete requests:", KEY_COMPLETE},
	{"Failed requests:", KEY_FAILED},
	{"(Connect:", KEY_NOTHING},
	{"Write errors:", KEY_NOTHING},
	{"Broken pipe errors:", KEY_NOTHING},
	{"Non-2xx responses:", KEY_NON2XX},
	{"Keep-Alive requests:", KEY_KEEPALIVE},
	{"Total transferred:", KEY_NOTHING},
	{"Total body sent:", KEY_NOTHING},
	{"Total POSTed:", KEY_NOTHING},
	{"HTML transferred:", KEY_NOTHING},
	{"Requests per second:", KEY_RATE},
	{"Time per request:", KEY_TIME},
	{"Transfer rate:", KEY_NOTHING},
	{"Connection Times (ms)", KEY_NOTHING},
	{"min mean[+/-sd] median max", KEY_NOTHING},
	{"Connect:", KEY_NOTHING},
	{"Processing:", KEY_NOTHING},
	{"Waiting:", KEY_NOTHING},
	{"Percentage of the requests served", KEY_PERCENT},
	{"Benchmarking ", KEY_NOTHING},
	{"Completed ", KEY_NOTHING},
	{"Finished ", KEY_NOTHING},
	{"Copyright 1996 Adam Twiss", KEY_NOTHING},
	{"Licensed to The Apache Software", KEY_NOTHING},
	{NULL, 0},
};

static long ab_value(struct ab *a, struct parse_ctx *ctx, const struct piece *p, enum ab_key key,
		     const char *s)
{
	struct num n;
	const char *at = num_skip(s);
	long line = piece_line(p, at);

	if (!num_scan(at, 0, &n))
		return *at == '\0' && !p->last ? READER_MORE : s - p->s;
	/* all but counts are printed with decimals: without them the number is cut */
	if (p->end && *n.end == '\0')
		return s - p->s;
	switch (key) {
	case KEY_RATE:
		if (batch_find(&a->b, "http/ab/rate") != NULL)
			ab_end(a, ctx);
		if (n.value > 0 && n.decimals == 2)
			batch_add(&a->b, ctx, "http/ab/rate", "req/s", n.value, n.step, line);
		break;
	case KEY_TIME:
		if (num_after(n.end, " [ms]") == NULL)
			return *num_skip(n.end) == '\0' && !p->last ? READER_MORE : s - p->s;
		time_per_request(a, ctx, &n, n.end, line);
		break;
	case KEY_COMPLETE:
		a->complete = n.value;
		break;
	case KEY_FAILED:
		a->failed = n.value;
		break;
	case KEY_NON2XX:
		a->non2xx = n.value;
		break;
	case KEY_CONCURRENCY:
		if (a->concurrency > 0)
			ab_end(a, ctx);
		a->concurrency = n.value;
		break;
	case KEY_KEEPALIVE:
		a->keepalive = n.value > 0;
		break;
	default:
		break;
	}
	return n.end - p->s;
}

/* "  95%     27" in milliseconds, "100%  31 (longest request)". */
static long percent_row(struct ab *a, struct parse_ctx *ctx, const struct piece *p)
{
	struct num percent, ms;
	const char *s, *longest;

	if (!a->percentages || !num_scan(p->s, 0, &percent) || percent.decimals > 0 ||
	    *percent.end != '%')
		return READER_NONE;
	s = num_skip(percent.end + 1);
	if (!num_scan(s, 0, &ms) || (p->end && *ms.end == '\0'))
		return READER_NONE;
	if (a->held[0] != '\0' && batch_find(&a->b, a->held) == NULL)
		batch_add(&a->b, ctx, a->held, "s", num_scaled(&a->held_ms, 1e-3),
			  a->held_ms.step * 1e-3, a->held_line);
	a->held[0] = '\0';
	if (percent.value < 100) {
		snprintf(a->held, sizeof(a->held), "http/ab/latency.p%.0f", percent.value);
		a->held_ms = ms;
		a->held_line = piece_line(p, s);
		return ms.end - p->s;
	}
	longest = num_after(ms.end, " (longest request)");
	if (longest != NULL && batch_find(&a->b, "http/ab/latency.max") == NULL)
		batch_add(&a->b, ctx, "http/ab/latency.max", "s", num_scaled(&ms, 1e-3),
			  ms.step * 1e-3, piece_line(p, s));
	return (longest != NULL ? longest : ms.end) - p->s;
}

static long ab_read(void *state, struct parse_ctx *ctx, const struct piece *p)
{
	struct ab *a = state;
	const char *s = NULL;
	int key;

	if (num_is_digit(p->s[0]))
		return percent_row(a, ctx, p);
	key = num_key(keys, p->s, &s);
	if (key < 0)
		return READER_NONE;
	/* words that others use too count only within a run */
	if (key == KEY_NOTHING && !a->b.any)
		return READER_NONE;
	if (key == KEY_START && a->b.n > 0)
		ab_end(a, ctx);
	batch_touch(&a->b, ctx);
	if (key == KEY_PERCENT)
		a->percentages = true;
	if (key == KEY_NOTHING || key == KEY_START || key == KEY_PERCENT)
		return s - p->s;
	return ab_value(a, ctx, p, (enum ab_key)key, s);
}

static void ab_finish(void *state, struct parse_ctx *ctx)
{
	ab_end(state, ctx);
}

static const char *const ab_starts[] = {
	"This is ApacheBench",  "Server Software:",
	"Server Hostname:",     "Document Path:",
	"Concurrency Level:",   "Complete requests:",
	"Failed requests:",     "Non-2xx responses:",
	"Requests per second:", "Time per request:",
	"Transfer rate:",       "Keep-Alive requests:",
	"Percentage of the",    NULL,
};

const struct reader ab_reader = {
	.name = "ab",
	.starts = ab_starts,
	.first = "TSDCFWBNKHRmPL(0123456789",
	.state_size = sizeof(struct ab),
	.read = ab_read,
	.boundary = ab_finish,
	.finish = ab_finish,
};
