/* siege: the summary as text, and the JSON of its later versions, which has the same names. */
#include <stdio.h>
#include <string.h>

#include "parse/batch.h"

struct siege {
	struct batch b;
	double transactions, successful, failed;
	bool has_successful;
};

static void siege_end(struct siege *g, struct parse_ctx *ctx)
{
	struct batch_value *rate = batch_find(&g->b, "http/siege/rate");

	if (rate != NULL) {
		/* failed ones are no transactions, so the rate counts the others alone */
		batch_errors(ctx, rate, g->transactions, g->failed);
		if (g->has_successful && g->successful < g->transactions && rate->note[0] == '\0')
			snprintf(rate->note, sizeof(rate->note),
				 "%.0f of %.0f transactions succeeded", g->successful,
				 g->transactions);
	}
	batch_end(&g->b, ctx);
	g->transactions = g->successful = g->failed = 0;
	g->has_successful = false;
}

enum siege_key {
	KEY_NOTHING,
	KEY_TRANSACTIONS,
	KEY_RATE,
	KEY_MEAN,
	KEY_MAX,
	KEY_SUCCESSFUL,
	KEY_FAILED,
	KEY_NOISE
};

static const struct key keys[] = {
	{"Transactions:", KEY_TRANSACTIONS},
	{"Availability:", KEY_NOTHING},
	{"Elapsed time:", KEY_NOTHING},
	{"Data transferred:", KEY_NOTHING},
	{"Response time:", KEY_MEAN},
	{"Transaction rate:", KEY_RATE},
	{"Throughput:", KEY_NOTHING},
	{"Concurrency:", KEY_NOTHING},
	{"Successful transactions:", KEY_SUCCESSFUL},
	{"Failed transactions:", KEY_FAILED},
	{"Longest transaction:", KEY_MAX},
	{"Shortest transaction:", KEY_NOTHING},
	{"\"transactions\":", KEY_TRANSACTIONS},
	{"\"availability\":", KEY_NOTHING},
	{"\"elapsed_time\":", KEY_NOTHING},
	{"\"data_transferred\":", KEY_NOTHING},
	{"\"response_time\":", KEY_MEAN},
	{"\"transaction_rate\":", KEY_RATE},
	{"\"throughput\":", KEY_NOTHING},
	{"\"concurrency\":", KEY_NOTHING},
	{"\"successful_transactions\":", KEY_SUCCESSFUL},
	{"\"failed_transactions\":", KEY_FAILED},
	{"\"longest_transaction\":", KEY_MAX},
	{"\"shortest_transaction\":", KEY_NOTHING},
	{"Lifting the server siege", KEY_NOISE},
	{"The server is now under siege", KEY_NOISE},
	{"** SIEGE ", KEY_NOISE},
	{"** Preparing ", KEY_NOISE},
	{"SIEGE ", KEY_NOISE},
	{"Preparing ", KEY_NOISE},
	{NULL, 0},
};

/* A time, in seconds unless it has a unit. Two decimals, three where milliseconds are printed. */
static bool siege_time(const char *s, struct num *n)
{
	return num_scan_time(s, n) || num_scan(s, 0, n);
}

static long siege_value(struct siege *g, struct parse_ctx *ctx, const struct piece *p, int key,
			const char *s)
{
	const char *at = num_skip(s);
	long line = piece_line(p, at);
	struct num n;

	if (*at == '\0' && !p->last)
		return READER_MORE;
	if (!num_scan(at, 0, &n))
		return s - p->s;
	switch (key) {
	case KEY_TRANSACTIONS:
		if (g->transactions > 0)
			siege_end(g, ctx);
		batch_touch(&g->b, ctx);
		g->transactions = n.value;
		return n.end - p->s;
	case KEY_SUCCESSFUL:
		g->successful = n.value;
		g->has_successful = true;
		return n.end - p->s;
	case KEY_FAILED:
		g->failed = n.value;
		return n.end - p->s;
	default:
		break;
	}
	/* the format has two decimals: fewer were cut off */
	if (n.decimals < 2)
		return n.end - p->s;
	if (key == KEY_RATE) {
		if (n.value > 0)
			batch_add(&g->b, ctx, "http/siege/rate", "req/s", n.value, n.step, line);
		return n.end - p->s;
	}
	siege_time(at, &n);
	batch_add(&g->b, ctx,
		  key == KEY_MEAN ? "http/siege/latency.mean" : "http/siege/latency.max", "s",
		  n.value, n.step, line);
	return n.end - p->s;
}

static long siege_read(void *state, struct parse_ctx *ctx, const struct piece *p)
{
	struct siege *g = state;
	const char *s = NULL;
	int key = num_key(keys, p->s, &s);

	if (key < 0) {
		/* "HTTP/1.1 503   0.01 secs:      19 bytes ==> GET  /cafes" */
		s = strncmp(p->s, "HTTP/1.", 7) == 0 ? num_find(p->s, " bytes ==> ", 80) : NULL;
		if (s == NULL || s - p->s > 60)
			return READER_NONE;
		for (int words = 0; words < 3; words++) /* ==> GET /path */
			s = num_skip(s + strcspn(s, " \t"));
		return s + strcspn(s, " \t") - p->s;
	}
	if (key == KEY_NOISE)
		return s - p->s;
	/* all but the first are words that others use too */
	if (!g->b.any && key != KEY_TRANSACTIONS)
		return READER_NONE;
	if (key == KEY_TRANSACTIONS && *num_skip(s) != '\0' && !num_is_digit(*num_skip(s)))
		return READER_NONE;
	if (key == KEY_NOTHING)
		return s - p->s;
	return siege_value(g, ctx, p, key, s);
}

static void siege_finish(void *state, struct parse_ctx *ctx)
{
	siege_end(state, ctx);
}

static const char *const siege_starts[] = {
	"Transactions:",
	"Response time:",
	"Transaction rate:",
	"Successful transactions:",
	"Failed transactions:",
	"Longest transaction:",
	"\"transactions\":",
	"\"response_time\":",
	"\"transaction_rate\":",
	"\"successful_transactions\":",
	"\"failed_transactions\":",
	"\"longest_transaction\":",
	NULL,
};

const struct reader siege_reader = {
	.name = "siege",
	.starts = siege_starts,
	.first = "TAEDRCSFLHP\"*{",
	.state_size = sizeof(struct siege),
	.read = siege_read,
	.boundary = siege_finish,
	.finish = siege_finish,
};
