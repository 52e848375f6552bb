/* live: shows on standard error how a run goes on; a bar on a terminal, plain lines elsewhere. */
#ifndef LAMPDUEL_CMD_LIVE_H
#define LAMPDUEL_CMD_LIVE_H

#include "cmd/cmd.h"
#include "measure/event.h"

struct live {
	bool tty, verbose, utf8;
	int columns;
	bool drawn; /* a bar stands on the current line */
};

void live_init(struct live *l, const struct cmd_context *c);
void live_event(void *live, const struct event *e); /* for struct event_sink */
/* Removes the bar so that other text can be written. */
void live_clear(struct live *l);
/* "7 min", "50 s", "1 h 12 min"; buf holds 32 bytes. */
const char *live_duration(int64_t ns, char *buf);

#endif
