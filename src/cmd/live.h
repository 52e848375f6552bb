/*
 * live: shows on standard error how a run goes on: a screen of lines that are drawn over between
 * samples (report/screen.h) on a terminal, a bar where that has no room or every sample has a line
 * of its own, plain lines elsewhere.
 */
#ifndef LAMPDUEL_CMD_LIVE_H
#define LAMPDUEL_CMD_LIVE_H

#include "base/vec.h"
#include "cmd/cmd.h"
#include "measure/event.h"

struct live {
	bool tty, verbose, utf8;
	size_t columns, height; /* of the terminal when it was drawn on last */
	bool bar;               /* a bar stands on the current line */
	struct strvec lines;    /* that stand above the cursor */
};

void live_init(struct live *l, const struct cmd_context *c);
void live_event(void *live, const struct event *e); /* for struct event_sink */
/* Removes what is drawn so that other text can be written, and releases all. */
void live_end(struct live *l);

#endif
