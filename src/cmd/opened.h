/*
 * opened: one system that a command looks at, opened in a run folder of its own
 * and closed with all that belongs to it. Nothing is measured there.
 */
#ifndef LAMPDUEL_CMD_OPENED_H
#define LAMPDUEL_CMD_OPENED_H

#include "cmd/cmd.h"
#include "system/guard.h"
#include "system/system.h"

struct opened {
	struct system *system;
	struct clock clock; /* a recording's stands still */
	struct guard *guard;
	char *dir, *cache, *run_id;
};

/* After an error there is nothing to close. ERR_USAGE: no such target. */
int opened_open(struct opened *o, const struct cmd_context *c, const char *target, struct err *err);
void opened_close(struct opened *o);

#endif
