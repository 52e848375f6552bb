#include "cmd/live.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/text.h"

enum { BAR_WIDTH = 24, LINE_MIN = 40 };

void live_init(struct live *l, const struct cmd_context *c)
{
	*l = (struct live){
		.tty = c->tty_err, .verbose = c->verbose, .utf8 = c->utf8, .columns = c->columns};
}

void live_clear(struct live *l)
{
	if (l->drawn)
		(void)fputs("\r\033[K", stderr);
	l->drawn = false;
}

const char *live_duration(int64_t ns, char *buf)
{
	int64_t s = (ns + NS_PER_S / 2) / NS_PER_S;

	if (s < 90)
		(void)snprintf(buf, 32, "%lld s", (long long)s);
	else if (s < 90 * 60)
		(void)snprintf(buf, 32, "%lld min", (long long)((s + 30) / 60));
	else
		(void)snprintf(buf, 32, "%lld h %lld min", (long long)(s / 3600),
			       (long long)(s % 3600 / 60));
	return buf;
}

static void line(struct live *l, const char *prefix, const char *text)
{
	char *safe = text_escaped(text);

	live_clear(l);
	(void)fprintf(stderr, "%s%s\n", prefix, safe);
	free(safe);
}

static void add_left(struct buf *b, const struct event *e)
{
	char tmp[32];

	if (e->left_ns >= 0 && e->done < e->total)
		buf_addf(b, ", about %s left", live_duration(e->left_ns, tmp));
}

static void draw_bar(struct live *l, const struct event *e)
{
	int64_t filled = e->total == 0 ? 0 : e->done * BAR_WIDTH / e->total;
	struct buf b = BUF_INIT;

	buf_addch(&b, '[');
	for (int i = 0; i < BAR_WIDTH; i++)
		buf_addstr(&b, i < filled ? (l->utf8 ? "\xe2\x96\x88" : "#")
					  : (l->utf8 ? "\xe2\x96\x91" : "."));
	buf_addf(&b, "] %3lld %%", (long long)(e->total == 0 ? 0 : e->done * 100 / e->total));
	add_left(&b, e);
	if (e->text != NULL) {
		char *safe = text_escaped(e->text);
		buf_addf(&b, ", %sround %d of %d: %s", e->warmup ? "warm-up " : "", e->round,
			 e->rounds, safe);
		free(safe);
	}
	/* a line that wraps cannot be cleared */
	int max = l->columns > LINE_MIN ? l->columns - 1 : LINE_MIN;
	while (b.len > 0 && text_width(b.data) > (size_t)max) {
		b.len--;
		while (b.len > 0 && ((unsigned char)b.data[b.len] & 0xc0) == 0x80)
			b.len--;
		b.data[b.len] = '\0';
	}
	(void)fprintf(stderr, "\r\033[K%s", b.data);
	(void)fflush(stderr);
	l->drawn = true;
	buf_release(&b);
}

static void show_sample(struct live *l, const struct event *e)
{
	const struct exp_execution *x = e->execution;
	const struct experiment *ex = e->experiment;
	struct buf b = BUF_INIT;

	if (x->status != OUTCOME_OK || x->disturbed) {
		char *disturbance = exp_disturbance_reason(x);
		buf_addf(&b, "%s on %s, round %d, attempt %d: %s", ex->tasks.v[x->task].name,
			 ex->systems.v[x->system].name, x->round, x->attempt,
			 x->reason[0] != '\0'     ? x->reason
			 : disturbance[0] != '\0' ? disturbance
						  : outcome_status_name(x->status));
		free(disturbance);
	} else if (l->verbose) {
		buf_addf(&b, "round %d  %s  %s", x->round, ex->tasks.v[x->task].name,
			 ex->systems.v[x->system].name);
		for (size_t i = 0; i < x->values.n; i++) {
			const struct exp_value *v = &x->values.v[i];
			buf_addf(&b, "  %s ", ex->metrics.v[v->metric].name);
			text_add_significant(&b, v->value, 5);
			buf_addf(&b, " %s", ex->metrics.v[v->metric].unit);
		}
	}
	if (b.len > 0)
		line(l, "", b.data);
	buf_release(&b);
}

static void show_round(struct live *l, const struct event *e)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%sround %d of %d is done", e->warmup ? "warm-up " : "", e->round, e->rounds);
	add_left(&b, e);
	line(l, "", b.data);
	buf_release(&b);
}

void live_event(void *arg, const struct event *e)
{
	struct live *l = arg;

	switch (e->type) {
	case EVENT_PHASE:
		line(l, "", e->text);
		break;
	case EVENT_NOTE:
		line(l, "note: ", e->text);
		break;
	case EVENT_START:
		line(l, "", "measuring");
		break;
	case EVENT_SAMPLE:
		show_sample(l, e);
		break;
	case EVENT_NEXT:
		if (l->tty)
			draw_bar(l, e);
		break;
	case EVENT_ROUND:
		if (!l->tty)
			show_round(l, e);
		break;
	case EVENT_END:
		live_clear(l);
		break;
	}
}
