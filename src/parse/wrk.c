/*
 * wrk and wrk2: thread statistics, percentiles, rate. wrk2 is known by its calibration or its
 * spectrum, whose figures are milliseconds whatever unit stands above.
 */
#include <stdio.h>
#include <string.h>

#include "parse/batch.h"

enum { WRK_PERCENTILES = 16 };

struct wrk {
	struct batch b;
	bool two;                   /* wrk2 */
	bool distribution;          /* percentiles follow */
	bool second;                /* a second distribution (uncorrected) follows: not read */
	struct num mean, max, rate; /* end NULL: not read */
	long mean_line, max_line, rate_line;
	struct {
		char name[24];
		struct num n;
		long line;
	} percentile[WRK_PERCENTILES];
	int percentiles;
	double requests, bad, errors;
	double threads, connections;
};

static void wrk_add(struct wrk *w, struct parse_ctx *ctx, const char *aspect, const char *unit,
		    const struct num *n, long line)
{
	char metric[64];

	snprintf(metric, sizeof(metric), "http/%s/%s", w->two ? "wrk2" : "wrk", aspect);
	batch_add(&w->b, ctx, metric, unit, n->value, n->step, line);
}

static void wrk_end(struct wrk *w, struct parse_ctx *ctx)
{
	/* b is the first member: it alone lives on */
	char *rest = (char *)w + sizeof(w->b);

	if (!w->b.any)
		return;
	if (w->rate.end != NULL && w->rate.value > 0) {
		wrk_add(w, ctx, "rate", "req/s", &w->rate, w->rate_line);
		/* in a text that was cut the number of requests may be missing */
		if (w->requests >= w->bad)
			batch_errors(ctx, &w->b.v[w->b.n - 1], w->requests - w->bad, w->bad);
		if (w->errors > 0 && w->bad == 0)
			snprintf(w->b.v[w->b.n - 1].note, BATCH_NOTE, "%.0f socket errors",
				 w->errors);
		if (w->requests > 0 && w->errors > w->requests)
			ctx_warn(ctx, w->rate_line,
				 "more socket errors (%.0f) than requests (%.0f)", w->errors,
				 w->requests);
	}
	if (w->mean.end != NULL)
		wrk_add(w, ctx, "latency.mean", "s", &w->mean, w->mean_line);
	if (w->max.end != NULL)
		wrk_add(w, ctx, "latency.max", "s", &w->max, w->max_line);
	for (int i = 0; i < w->percentiles; i++)
		wrk_add(w, ctx, w->percentile[i].name, "s", &w->percentile[i].n,
			w->percentile[i].line);
	if (w->connections > 0)
		batch_condition(&w->b, "concurrency", "%.0f", w->connections);
	if (w->threads > 0)
		batch_condition(&w->b, "threads", "%.0f", w->threads);
	batch_end(&w->b, ctx);
	memset(rest, 0, sizeof(*w) - sizeof(w->b));
}

/* "Running 30s test @ http://..." */
static long start_line(struct wrk *w, struct parse_ctx *ctx, const struct piece *p)
{
	const char *s = num_after(p->s, "Running "), *at;
	struct num n;

	if (s == NULL || !num_scan(s, 0, &n))
		return READER_NONE;
	at = n.end + strcspn(n.end, " ");
	if (num_after(at, " test @") == NULL)
		return READER_NONE;
	if (w->b.any)
		wrk_end(w, ctx);
	batch_touch(&w->b, ctx);
	at = num_skip(num_after(at, " test @"));
	return at + strcspn(at, " \t") - p->s;
}

/* "Latency   102.45ms   17.10ms 134.53ms   76.19%" */
static long latency_row(struct wrk *w, const struct piece *p, const char *s)
{
	struct num mean, sd, max;
	const char *at = num_skip(s), *at_max;

	if (!w->b.any)
		return READER_NONE;
	if (!num_scan_time(at, &mean) || !num_scan_time(num_skip(mean.end), &sd))
		return !p->last && p->len < 60 ? READER_MORE : READER_NONE;
	at_max = num_skip(sd.end);
	if (!num_scan_time(at_max, &max))
		return !p->last && p->len < 60 ? READER_MORE : READER_NONE;
	if (w->mean.end == NULL) {
		w->mean = mean;
		w->mean_line = piece_line(p, at);
		w->max = max;
		w->max_line = piece_line(p, at_max);
	}
	return max.end - p->s;
}

/* "50.000%   29.56s" or "50%  250.00us" */
static long percent_row(struct wrk *w, const struct piece *p)
{
	struct num percent, t;
	const char *s;

	if (!w->distribution || !num_scan(p->s, 0, &percent) || *percent.end != '%')
		return READER_NONE;
	s = num_skip(percent.end + 1);
	if (!num_scan_time(s, &t))
		return READER_NONE;
	if (!w->second && percent.value < 100 && w->percentiles < WRK_PERCENTILES) {
		snprintf(w->percentile[w->percentiles].name, sizeof(w->percentile[0].name),
			 "latency.p%.6g", percent.value);
		w->percentile[w->percentiles].n = t;
		w->percentile[w->percentiles++].line = piece_line(p, s);
	}
	return t.end - p->s;
}

/* "#[Mean    =    29266.261, StdDeviation   =    12102.812]": milliseconds. */
static long spectrum_line(struct wrk *w, const struct piece *p)
{
	const char *s = num_after(p->s, "[Mean = "), *max = num_after(p->s, "[Max = ");
	struct num n;

	if (!w->b.any)
		return READER_NONE;
	if (num_after(p->s, "[Buckets = ") != NULL)
		return (long)p->len;
	if (s == NULL)
		s = max;
	if (s == NULL || !num_scan(s, 0, &n))
		return READER_NONE;
	if (n.decimals != 3 || *n.end != ',')
		return READER_NONE;
	n.value = num_scaled(&n, 1e-3);
	n.step *= 1e-3;
	if (!w->second && max != NULL) {
		w->max = n;
		w->max_line = piece_line(p, s);
	} else if (!w->second) {
		w->mean = n;
		w->mean_line = piece_line(p, s);
	}
	w->two = true;
	return n.end - p->s;
}

/* "978315 requests in 1.00m, 1.17GB read", "5 threads and 100 connections" */
static long count_line(struct wrk *w, const struct piece *p)
{
	struct num n, m;
	const char *s;

	if (!num_scan(p->s, 0, &n) || n.decimals > 0)
		return READER_NONE;
	s = num_after(n.end, " requests in ");
	if (s != NULL) {
		if (!w->b.any)
			return READER_NONE;
		w->requests = n.value;
		return s + strcspn(s, ",") - p->s;
	}
	s = num_after(n.end, " threads and ");
	if (s == NULL || !num_scan(s, 0, &m) || num_after(m.end, " connections") == NULL)
		return READER_NONE;
	w->threads = n.value;
	w->connections = m.value;
	return num_after(m.end, " connections") - p->s;
}

static double sum_of_numbers(const char *s)
{
	double sum = 0;
	struct num n;

	for (; *s != '\0'; s++) {
		if (num_is_digit(*s) && num_scan(s, 0, &n)) {
			sum += n.value;
			s = n.end - 1;
		}
	}
	return sum;
}

/* "Requests/sec:  16305.17": two decimals, nothing behind. */
static long rate_line(struct wrk *w, struct parse_ctx *ctx, const struct piece *p, const char *s)
{
	struct num n;
	const char *at = num_skip(s);

	if (!w->b.any)
		return READER_NONE;
	if (*at == '\0' && !p->last)
		return READER_MORE;
	/* hey prints four decimals under the same name */
	if (!num_scan(at, 0, &n) || n.decimals != 2)
		return READER_NONE;
	if (w->rate.end != NULL)
		wrk_end(w, ctx);
	batch_touch(&w->b, ctx);
	w->rate = n;
	w->rate_line = piece_line(p, at);
	return n.end - p->s;
}

enum wrk_key {
	KEY_NOTHING,
	KEY_SPECTRUM,
	KEY_UNCORRECTED,
	KEY_DISTRIBUTION,
	KEY_CALIBRATION,
	KEY_SOCKET,
	KEY_NON2XX
};

static const struct key keys[] = {
	{"Thread Stats Avg", KEY_NOTHING},
	{"Req/Sec ", KEY_NOTHING},
	{"Transfer/sec:", KEY_NOTHING},
	{"Value Percentile", KEY_NOTHING},
	{"Detailed Percentile spectrum", KEY_SPECTRUM},
	{"Latency Distribution (HdrHistogram - Uncorr", KEY_UNCORRECTED},
	{"Latency Distribution", KEY_DISTRIBUTION},
	{"Thread calibration:", KEY_CALIBRATION},
	{"Initialised ", KEY_NOTHING},
	{"Socket errors:", KEY_SOCKET},
	{"Non-2xx or 3xx responses:", KEY_NON2XX},
	{NULL, 0},
};

/* Lines that give no value of their own. */
static long other_line(struct wrk *w, const struct piece *p)
{
	const char *e = NULL;
	int key = num_key(keys, p->s, &e);
	struct num n;

	if (key < 0 || !w->b.any)
		return READER_NONE;
	if (key == KEY_SPECTRUM || key == KEY_CALIBRATION || key == KEY_UNCORRECTED)
		w->two = true;
	if (key == KEY_UNCORRECTED)
		w->second = w->distribution = true;
	if (key == KEY_DISTRIBUTION) {
		w->distribution = true;
		w->two |= num_after(e, " (") != NULL; /* (HdrHistogram - Recorded Latency) */
	}
	if (key == KEY_SOCKET)
		w->errors = sum_of_numbers(e);
	if (key == KEY_NON2XX && num_scan(num_skip(e), 0, &n)) {
		w->bad = n.value;
		e = n.end;
	}
	return e - p->s;
}

/* A row of the spectrum: four numbers, the last may be inf. */
static long spectrum_row(const struct wrk *w, const struct piece *p)
{
	struct word f[5];
	const char *rest;
	size_t n;

	if (!w->two || !w->distribution)
		return READER_NONE;
	n = num_words(p->s, f, 4, &rest);
	if (n < 4 || memchr(f[1].s, '.', f[1].len) == NULL || !num_is_digit(f[1].s[0]) ||
	    f[1].len != 8)
		return READER_NONE;
	return rest - p->s;
}

static long wrk_read(void *state, struct parse_ctx *ctx, const struct piece *p)
{
	struct wrk *w = state;
	const char *s;
	long r;

	switch (p->s[0]) {
	case 'R':
		r = start_line(w, ctx, p);
		if (r == READER_NONE && (s = num_after(p->s, "Requests/sec:")) != NULL)
			r = rate_line(w, ctx, p, s);
		return r != READER_NONE ? r : other_line(w, p);
	case 'L':
		r = other_line(w, p);
		if (r == READER_NONE && (s = num_after(p->s, "Latency ")) != NULL)
			r = latency_row(w, p, s);
		return r;
	case '[':
		return spectrum_line(w, p);
	default:
		break;
	}
	if (num_is_digit(p->s[0])) {
		r = percent_row(w, p);
		if (r == READER_NONE)
			r = count_line(w, p);
		return r != READER_NONE ? r : spectrum_row(w, p);
	}
	return other_line(w, p);
}

static void wrk_finish(void *state, struct parse_ctx *ctx)
{
	wrk_end(state, ctx);
}

static const char *const wrk_starts[] = {
	"Running ",
	"Thread Stats",
	"Thread calibration:",
	"Latency ",
	"Requests/sec:",
	"Transfer/sec:",
	"Socket errors:",
	"Non-2xx or 3xx responses:",
	"Latency Distribution",
	"[Mean",
	"[Max",
	"Req/Sec ",
	NULL,
};

const struct reader wrk_reader = {
	.name = "wrk and wrk2",
	.starts = wrk_starts,
	.first = "RLTVDINS[0123456789",
	.state_size = sizeof(struct wrk),
	.read = wrk_read,
	.boundary = wrk_finish,
	.finish = wrk_finish,
};
