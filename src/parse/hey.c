/*
 * hey (boom before) and oha, which print alike: a summary, the distribution of times, the
 * status codes that say whether the rate is one of answers or of errors.
 */
#include <stdio.h>
#include <string.h>

#include "parse/batch.h"

enum { HEY_PERCENTILES = 16 };

struct hey {
	struct batch b;
	bool oha;
	bool codes;        /* status codes follow */
	bool distribution; /* percentiles follow */
	struct num rate, mean, max;
	long rate_line, mean_line, max_line;
	struct {
		char name[24];
		struct num n;
		long line;
	} percentile[HEY_PERCENTILES];
	int percentiles;
	double good, bad;
};

static void hey_add(struct hey *h, struct parse_ctx *ctx, const char *aspect, const char *unit,
		    const struct num *n, long line)
{
	char metric[64];

	snprintf(metric, sizeof(metric), "http/%s/%s", h->oha ? "oha" : "hey", aspect);
	batch_add(&h->b, ctx, metric, unit, n->value, n->step, line);
}

static void hey_end(struct hey *h, struct parse_ctx *ctx)
{
	/* b is the first member: it alone lives on */
	char *rest = (char *)h + sizeof(h->b);

	if (!h->b.any)
		return;
	if (h->rate.end != NULL && h->rate.value > 0) {
		hey_add(h, ctx, "rate", "req/s", &h->rate, h->rate_line);
		batch_errors(ctx, &h->b.v[h->b.n - 1], h->good, h->bad);
	}
	if (h->mean.end != NULL)
		hey_add(h, ctx, "latency.mean", "s", &h->mean, h->mean_line);
	if (h->max.end != NULL)
		hey_add(h, ctx, "latency.max", "s", &h->max, h->max_line);
	for (int i = 0; i < h->percentiles; i++)
		hey_add(h, ctx, h->percentile[i].name, "s", &h->percentile[i].n,
			h->percentile[i].line);
	batch_end(&h->b, ctx);
	memset(rest, 0, sizeof(*h) - sizeof(h->b));
}

enum hey_key {
	KEY_NOTHING,
	KEY_SUMMARY,
	KEY_OHA,
	KEY_RATE,
	KEY_MEAN,
	KEY_MAX,
	KEY_CODES,
	KEY_DISTRIBUTION,
	KEY_OTHER_DISTRIBUTION,
	KEY_ERRORS
};

static const struct key keys[] = {
	{"Summary:", KEY_SUMMARY},
	{"Success rate:", KEY_OHA},
	{"Total:", KEY_NOTHING},
	{"Slowest:", KEY_MAX},
	{"Fastest:", KEY_NOTHING},
	{"Average:", KEY_MEAN},
	{"Requests/sec:", KEY_RATE},
	{"Total data:", KEY_NOTHING},
	{"Size/request:", KEY_NOTHING},
	{"Size/sec:", KEY_NOTHING},
	{"Response time histogram:", KEY_NOTHING},
	{"Response time distribution:", KEY_DISTRIBUTION},
	{"Latency distribution:", KEY_DISTRIBUTION},
	/* what --disable-keepalive and --latency-correction add has other times */
	{"Response time distribution (", KEY_OTHER_DISTRIBUTION},
	{"Details (average, fastest, slowest)", KEY_NOTHING},
	{"DNS+dialup", KEY_NOTHING},
	{"DNS-lookup", KEY_NOTHING},
	{"req write:", KEY_NOTHING},
	{"resp wait:", KEY_NOTHING},
	{"resp read:", KEY_NOTHING},
	{"Status code distribution:", KEY_CODES},
	{"Error distribution:", KEY_ERRORS},
	{NULL, 0},
};

/* "0.3336 secs", "12.34 ms": a time with its unit. */
static bool hey_time(const char *s, struct num *n)
{
	return num_scan_time(num_skip(s), n);
}

/* "99% in 1.7911 secs", "99.90% in ..."; some versions print the % twice. */
static long percent_row(struct hey *h, const struct piece *p)
{
	struct num percent, t;
	const char *s;

	if (!h->distribution || !num_scan(p->s, 0, &percent) || *percent.end != '%')
		return READER_NONE;
	s = percent.end + 1 + (percent.end[1] == '%');
	s = num_after(s, " in ");
	if (s == NULL)
		return !p->last && p->len < 12 ? READER_MORE : READER_NONE;
	if (!num_scan_time(s, &t))
		return !p->last && p->len < 30 ? READER_MORE : READER_NONE;
	if (percent.value > 0 && percent.value < 100 && h->percentiles < HEY_PERCENTILES) {
		snprintf(h->percentile[h->percentiles].name, sizeof(h->percentile[0].name),
			 "latency.p%.6g", percent.value);
		h->percentile[h->percentiles].n = t;
		h->percentile[h->percentiles++].line = piece_line(p, s);
	}
	return t.end - p->s;
}

/* "[200]  50 responses" or, of errors, "[12] Get ...: EOF". */
static long code_row(struct hey *h, const struct piece *p)
{
	struct num code, count;
	const char *s;

	if (!h->codes || !num_scan(p->s + 1, 0, &code) || *code.end != ']')
		return READER_NONE;
	s = num_skip(code.end + 1);
	if (!num_scan(s, 0, &count) || num_after(count.end, " responses") == NULL)
		return READER_NONE;
	if (code.value >= 200 && code.value < 400)
		h->good += count.value;
	else
		h->bad += count.value;
	return num_after(count.end, " responses") - p->s;
}

static long value_line(struct hey *h, struct parse_ctx *ctx, const struct piece *p, int key,
		       const char *s)
{
	const char *at = num_skip(s);
	long line = piece_line(p, at);
	struct num n;

	if (*at == '\0' && !p->last)
		return READER_MORE;
	if (key == KEY_RATE) {
		if (!num_scan(at, 0, &n) || n.decimals < 4 || !h->b.any)
			return READER_NONE;
		if (h->rate.end != NULL)
			hey_end(h, ctx);
		batch_touch(&h->b, ctx);
		h->rate = n;
		h->rate_line = line;
		return n.end - p->s;
	}
	if (!hey_time(at, &n))
		return num_is_digit(*at) && !p->last && p->len < 40 ? READER_MORE : s - p->s;
	if (key == KEY_MEAN && h->mean.end == NULL) {
		h->mean = n;
		h->mean_line = line;
	} else if (key == KEY_MAX && h->max.end == NULL) {
		h->max = n;
		h->max_line = line;
	}
	return n.end - p->s;
}

static long hey_read(void *state, struct parse_ctx *ctx, const struct piece *p)
{
	struct hey *h = state;
	const char *s = NULL;
	int key;

	if (h->b.any && num_is_digit(p->s[0]))
		return percent_row(h, p);
	if (h->b.any && p->s[0] == '[')
		return code_row(h, p);
	key = num_key(keys, p->s, &s);
	/* all but the first line are words that others use too */
	if (key < 0 || (!h->b.any && key != KEY_SUMMARY))
		return READER_NONE;
	switch (key) {
	case KEY_SUMMARY:
		if (*num_skip(s) != '\0' && num_after(num_skip(s), "Total:") == NULL &&
		    num_after(num_skip(s), "Success rate:") == NULL)
			return READER_NONE;
		if (h->b.any)
			hey_end(h, ctx);
		batch_touch(&h->b, ctx);
		return s - p->s;
	case KEY_OHA:
		h->oha = true;
		break;
	case KEY_CODES:
		h->codes = true;
		h->distribution = false;
		return s - p->s;
	case KEY_ERRORS:
		h->codes = false;
		return s - p->s;
	case KEY_DISTRIBUTION:
		h->distribution = h->percentiles == 0;
		return s - p->s;
	case KEY_OTHER_DISTRIBUTION:
		h->distribution = false;
		break;
	case KEY_RATE:
	case KEY_MEAN:
	case KEY_MAX:
		return value_line(h, ctx, p, key, s);
	default:
		break;
	}
	return s - p->s;
}

static void hey_finish(void *state, struct parse_ctx *ctx)
{
	hey_end(state, ctx);
}

static const char *const hey_starts[] = {
	"Summary:",
	"Slowest:",
	"Average:",
	"Requests/sec:",
	"Latency distribution:",
	"Response time distribution:",
	"Status code distribution:",
	"Error distribution:",
	NULL,
};

const struct reader hey_reader = {
	.name = "hey and oha",
	.starts = hey_starts,
	.first = "STFARDLEr[0123456789",
	.state_size = sizeof(struct hey),
	.read = hey_read,
	.boundary = hey_finish,
	.finish = hey_finish,
};
