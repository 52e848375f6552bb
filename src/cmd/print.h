/* print: reports of stored experiments, to standard output and to files. */
#ifndef LAMPDUEL_CMD_PRINT_H
#define LAMPDUEL_CMD_PRINT_H

#include "cmd/cmd.h"

/*
 * Renders experiment id in format. To output (written atomically) when it is not NULL; on standard
 * output as text when also is set or output is NULL.
 */
int print_experiment(struct cmd_context *c, int64_t id, const char *format, const char *output,
		     bool also, struct err *err);

#endif
