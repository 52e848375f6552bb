#include "cmd/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/text.h"
#include "report/screen.h"

enum { COLUMNS = 80, LINES = 24 }; /* of a terminal that does not tell */

void live_init(struct live *l, const struct cmd_context *c)
{
	*l = (struct live){.tty = c->tty_err, .verbose = c->verbose, .utf8 = c->utf8};
}

static size_t size_of(unsigned short told, const char *variable, size_t otherwise)
{
	const char *env = getenv(variable);
	uint64_t n = 0;

	if (told > 0)
		return told;
	return env != NULL && text_to_u64(env, &n) && n > 0 && n <= 1000 ? (size_t)n : otherwise;
}

/* Asked anew each time: a window may be made smaller meanwhile. */
static struct screen_paper paper_of(const struct live *l)
{
	struct winsize w = {0};

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) != 0)
		w = (struct winsize){0};
	return (struct screen_paper){.columns = size_of(w.ws_col, "COLUMNS", COLUMNS),
				     .lines = size_of(w.ws_row, "LINES", LINES),
				     .utf8 = l->utf8};
}

static void write_out(const struct buf *b)
{
	(void)fwrite(b->data, 1, b->len, stderr);
	(void)fflush(stderr);
}

static void clear(struct live *l)
{
	const struct strvec nothing = STRVEC_INIT;
	struct buf b = BUF_INIT;

	if (l->bar)
		buf_addstr(&b, "\r\033[K");
	screen_update(&l->lines, &nothing, &b);
	if (b.len > 0)
		write_out(&b);
	l->bar = false;
	strvec_release(&l->lines);
	buf_release(&b);
}

void live_end(struct live *l)
{
	clear(l);
}

static void line(struct live *l, const char *prefix, const char *text)
{
	char *safe = text_escaped(text);

	clear(l);
	(void)fprintf(stderr, "%s%s\n", prefix, safe);
	free(safe);
}

static void draw_bar(struct live *l, const struct event *e, const struct screen_paper *p)
{
	struct buf b = BUF_INIT;

	clear(l);
	screen_bar(e, p, &b);
	write_out(&b);
	l->bar = true;
	buf_release(&b);
}

/* What stood in a window that is smaller now is somewhere else: it is left alone. */
static void draw_screen(struct live *l, const struct event *e, const struct screen_paper *p)
{
	struct strvec lines = STRVEC_INIT;
	struct buf b = BUF_INIT;

	if (l->bar)
		clear(l);
	if (p->columns < l->columns || p->lines < l->height)
		strvec_release(&l->lines);
	screen_lines(e, p, &lines);
	screen_update(&l->lines, &lines, &b);
	if (b.len > 0)
		write_out(&b);
	strvec_release(&l->lines);
	l->lines = lines;
	buf_release(&b);
}

/* A run in the background must not draw where somebody types. */
static bool in_foreground(void)
{
	pid_t group = tcgetpgrp(STDERR_FILENO);

	return group < 0 || group == getpgrp();
}

static void draw(struct live *l, const struct event *e)
{
	struct screen_paper p = paper_of(l);
	bool fits = !l->verbose && screen_fits(&p);

	if (!l->tty || !in_foreground() || (e->type == EVENT_SAMPLE && !fits))
		return;
	if (fits)
		draw_screen(l, e, &p);
	else
		draw_bar(l, e, &p);
	l->columns = p.columns;
	l->height = p.lines;
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
	if (e->left_ns >= 0 && e->done < e->total) {
		buf_addstr(&b, ", about ");
		screen_duration(e->left_ns, &b);
		buf_addstr(&b, " left");
	}
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
		draw(l, e);
		break;
	case EVENT_NEXT:
		draw(l, e);
		break;
	case EVENT_ROUND:
		if (!l->tty)
			show_round(l, e);
		break;
	case EVENT_END:
		clear(l);
		break;
	}
}
