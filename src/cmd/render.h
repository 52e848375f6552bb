/* render: the report of a stored experiment, to standard output or a file. */
#ifndef LAMPDUEL_CMD_RENDER_H
#define LAMPDUEL_CMD_RENDER_H

#include "cmd/cmd.h"
#include "compare/compare.h"

struct render_options {
	const char
		*format; /* a name of report/report.h; NULL: what output's suffix says, or text */
	const char *output; /* file, written at once or not at all; NULL: none */
	bool also;          /* with output: the text on standard output too */
	bool explain, identify;
	const char *chart;  /* file for a chart, instead of the report unless output is set */
	const char *metric; /* whose samples it shows; NULL: all changes */
	double margin;      /* share that counts as the same; 0: the default */
};

/* How an experiment is to be compared as far as itself says it: the looks of its plan. */
void render_looks(const struct experiment *e, struct compare_options *out);
/* As its report compares it: with its looks, and with the checks that the store has (cmd/aa.h). */
int render_compare(struct store *st, const struct experiment *e, double margin,
		   struct comparison_set *out, struct err *err);
/* The judge a run asks on its way (measure/runner.h): the same rules as those of its report. */
int render_decided(void *store, const struct experiment *e, bool *decided, struct err *err);
/* The report of what was compared already. Without identify, hosts and users are taken out of e. */
int render_compared(struct cmd_context *c, struct experiment *e, const struct comparison_set *s,
		    const struct render_options *o, struct err *err);
int render_experiment(struct cmd_context *c, int64_t id, const struct render_options *o,
		      struct err *err);

#endif
