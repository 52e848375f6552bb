/* pick: which stored experiment a command is about. */
#ifndef LAMPDUEL_CMD_PICK_H
#define LAMPDUEL_CMD_PICK_H

#include "cmd/cmd.h"

/* "7" or "exp:7" to 7; anything else is a usage error. The store is not asked. */
int pick_id(const char *text, int64_t *id, struct err *err);
/* The one that argv names, or without arguments the newest. More than one is a usage error. */
int pick_experiment(struct cmd_context *c, const struct strvec *argv, int64_t *id, struct err *err);

#endif
