/* h2load: "finished in", counts of requests and status codes, rows of times in mixed units. */
#include <stdio.h>
#include <string.h>

#include "parse/batch.h"

enum { H2LOAD_COLUMNS = 10 };

struct h2load {
	struct batch b;
	char column[H2LOAD_COLUMNS][16]; /* what the columns of the rows are */
	int columns;
	double total, succeeded;
	double good, bad; /* by status */
	bool statuses;
};

static void h2load_end(struct h2load *h, struct parse_ctx *ctx)
{
	struct batch_value *rate = batch_find(&h->b, "http/h2load/rate");

	if (rate != NULL) {
		double failed = h->total - h->succeeded;

		if (h->statuses && h->bad > 0)
			batch_errors(ctx, rate, h->good, h->bad);
		else if (h->total > 0 && failed > 0)
			batch_errors(ctx, rate, h->succeeded, failed);
	}
	batch_end(&h->b, ctx);
	h->columns = 0;
	h->total = h->succeeded = h->good = h->bad = 0;
	h->statuses = false;
}

/* "finished in 1.07s, 9350.31 req/s, 2.09MB/s" */
static long finished_line(struct h2load *h, struct parse_ctx *ctx, const struct piece *p)
{
	const char *s = num_after(p->s, "finished in "), *at;
	struct num t, rate;

	if (s == NULL)
		return READER_NONE;
	if (!num_scan_time(s, &t) || *t.end != ',')
		return !p->last && p->len < 24 ? READER_MORE : READER_NONE;
	at = num_skip(t.end + 1);
	/* the first versions said "0 sec, 385 millisec and 851 microsec, 2591 req/s" */
	if (num_find(at, "microsec, ", 60) != NULL)
		at = num_skip(num_find(at, "microsec, ", 60) + strlen("microsec, "));
	if (!num_scan(at, 0, &rate) || num_after(rate.end, " req/s") == NULL)
		return !p->last && p->len < 40 ? READER_MORE : READER_NONE;
	if (h->b.any)
		h2load_end(h, ctx);
	if (rate.value > 0)
		batch_add(&h->b, ctx, "http/h2load/rate", "req/s", rate.value, rate.step,
			  piece_line(p, at));
	batch_touch(&h->b, ctx);
	s = num_after(rate.end, " req/s");
	if (*s == ',')
		s++;
	s = num_skip(s);
	s += strcspn(s, " \t");
	return s - p->s;
}

/* "218868 2xx, 0 3xx": the number before a word, or -1. */
static double before_word(const char *s, const char *word)
{
	const char *at = num_find(s, word, 320);
	struct num n;

	if (at == NULL || at - s > 300)
		return -1;
	while (at > s && num_is_blank(at[-1]))
		at--;
	while (at > s && num_is_digit(at[-1]))
		at--;
	return num_scan(at, 0, &n) ? n.value : -1;
}

static long count_line(struct h2load *h, const struct piece *p)
{
	const char *s = num_after(p->s, "requests: "), *e = NULL;

	if (s != NULL && ((e = num_find(s, " timeout", 320)) != NULL ||
			  (e = num_find(s, " errored", 320)) != NULL)) {
		double v = before_word(s, " succeeded");

		h->total = before_word(s, " done");
		if (v >= 0)
			h->succeeded = v;
		return e + strlen(" timeout") - p->s;
	}
	if (s == NULL && (s = num_after(p->s, "status codes: ")) != NULL &&
	    (e = num_find(s, "5xx", 320)) != NULL) {
		double c2 = before_word(s, " 2xx"), c3 = before_word(s, " 3xx");
		double c4 = before_word(s, " 4xx"), c5 = before_word(s, " 5xx");

		h->statuses = c2 >= 0 && c3 >= 0 && c4 >= 0 && c5 >= 0;
		h->good = c2 + c3;
		h->bad = c4 + c5;
		return e + 3 - p->s;
	}
	if (s == NULL)
		return READER_NONE;
	return !p->last && p->len < 120 ? READER_MORE : READER_NONE;
}

/* "min max mean sd +/- sd", in later versions with median and percentiles. */
static long header_line(struct h2load *h, const struct piece *p)
{
	const char *s = num_after(p->s, "min max ");
	struct word w;
	bool whole = false;

	if (s == NULL)
		return READER_NONE;
	snprintf(h->column[0], sizeof(h->column[0]), "min");
	snprintf(h->column[1], sizeof(h->column[1]), "max");
	h->columns = 2;
	while (num_words(s, &w, 1, NULL) == 1 && h->columns < H2LOAD_COLUMNS) {
		if (word_is(&w, "+/-")) {
			s = w.s + w.len;
			if (num_after(num_skip(s), "sd") != NULL) {
				s = num_skip(s) + 2;
				whole = true;
			}
			break;
		}
		if (!word_is(&w, "mean") && !word_is(&w, "sd") && !word_is(&w, "median") &&
		    !(w.s[0] == 'p' && w.len > 1 && num_is_digit(w.s[1])))
			break;
		snprintf(h->column[h->columns++], sizeof(h->column[0]), "%.*s", (int)w.len, w.s);
		s = w.s + w.len;
	}
	/* the last column is +/- sd: without it the line goes on */
	if (!whole && !p->last && *num_skip(s) == '\0')
		return READER_MORE;
	if (!whole && !p->last && p->parts_n > 1)
		return READER_NONE; /* broken at another place */
	return s - p->s;
}

static void time_cell(struct h2load *h, struct parse_ctx *ctx, const char *what, int column,
		      const struct num *n, bool nothing, long line)
{
	const char *name = h->column[column];
	char metric[64];

	if (strcmp(name, "min") == 0 || strcmp(name, "sd") == 0)
		return;
	if (strcmp(what, "connect") == 0 && strcmp(name, "mean") != 0)
		return;
	snprintf(metric, sizeof(metric), "http/h2load/%s.%s", what,
		 strcmp(name, "median") == 0 ? "p50" : name);
	if (nothing)
		batch_refuse(&h->b, ctx, metric, "s", line,
			     "all times of this row are 0: not measured");
	else
		batch_add(&h->b, ctx, metric, "s", n->value, n->step, line);
}

/* "time for request:      625us       1.02s     52.83ms     25.29ms    85.84%" */
static long time_row(struct h2load *h, struct parse_ctx *ctx, const struct piece *p)
{
	static const struct key rows[] = {
		{"time for request:", 0},
		{"request :", 0},
		{"time for connect:", 1},
		{"connect :", 1},
		{"time to 1st byte:", 2},
		{"TTFB :", 2},
		{NULL, 0},
	};
	struct num cell[H2LOAD_COLUMNS];
	const char *at[H2LOAD_COLUMNS], *s = NULL;
	int row = num_key(rows, p->s, &s), n = 0;
	double sum = 0;

	if (row < 0 || h->columns == 0)
		return READER_NONE;
	while (n < h->columns) {
		at[n] = num_skip(s);
		if (!num_scan_time(at[n], &cell[n]))
			break;
		sum += cell[n].value;
		s = cell[n++].end;
	}
	if (n < h->columns && !p->last) {
		const char *left = num_skip(s);

		if (left[strcspn(left, " \t")] == '\0')
			return READER_MORE;
		if (p->parts_n > 1)
			return READER_NONE; /* broken at another place */
	}
	if (n < h->columns)
		return s - p->s;
	for (int i = 0; i < n && row < 2; i++)
		time_cell(h, ctx, row == 0 ? "latency" : "connect", i, &cell[i], sum == 0,
			  piece_line(p, at[i]));
	return s - p->s;
}

static long noise(const struct h2load *h, const struct piece *p)
{
	static const struct key texts[] = {
		{"starting benchmark...", 0},
		{"spawning thread #", 0},
		{"Application protocol:", 0},
		{"progress: ", 0},
		{"TLS Protocol:", 0},
		{"Cipher:", 0},
		{"Server Temp Key:", 0},
		{"traffic: ", 0},
		{"req/s :", 0},
		{"Warm-up started", 0},
		{"Main benchmark duration", 0},
		{"Warm-up phase is over", 0},
		{NULL, 0},
	};
	const char *e = NULL;

	if (num_key(texts, p->s, &e) < 0 || (!h->b.any && p->s[0] != 's' && p->s[0] != 'A'))
		return READER_NONE;
	return e - p->s;
}

static long h2load_read(void *state, struct parse_ctx *ctx, const struct piece *p)
{
	struct h2load *h = state;
	long r = READER_NONE;

	switch (p->s[0]) {
	case 'f':
		r = finished_line(h, ctx, p);
		break;
	case 'r':
	case 't':
	case 'c':
	case 'T':
	case 's':
	case 'm':
		if (!h->b.any)
			break;
		r = count_line(h, p);
		if (r == READER_NONE)
			r = header_line(h, p);
		if (r == READER_NONE)
			r = time_row(h, ctx, p);
		break;
	}
	return r != READER_NONE ? r : noise(h, p);
}

static void h2load_finish(void *state, struct parse_ctx *ctx)
{
	h2load_end(state, ctx);
}

static const char *const h2load_starts[] = {
	"finished in ",      "requests: ", "status codes: ", "min max ", "time for request:",
	"time for connect:", NULL,
};

const struct reader h2load_reader = {
	.name = "h2load",
	.starts = h2load_starts,
	.first = "frtcTsmApWMCS",
	.state_size = sizeof(struct h2load),
	.read = h2load_read,
	.boundary = h2load_finish,
	.finish = h2load_finish,
};
