/* render: the report of a stored experiment, to standard output or a file. */
#ifndef LAMPDUEL_CMD_RENDER_H
#define LAMPDUEL_CMD_RENDER_H

#include "cmd/cmd.h"

struct render_options {
	const char *format; /* a name of report/report.h */
	const char *output; /* file, written at once or not at all; NULL: none */
	bool also;          /* with output: on standard output too */
	bool explain, identify;
	double margin; /* share that counts as the same; 0: the default */
};

int render_experiment(struct cmd_context *c, int64_t id, const struct render_options *o,
		      struct err *err);

#endif
