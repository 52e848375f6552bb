/* chart: one drawing of a report as a file. */
#ifndef LAMPDUEL_CMD_CHART_H
#define LAMPDUEL_CMD_CHART_H

#include "cmd/cmd.h"
#include "report/model.h"

/* Can a chart be written as this file? By its suffix, and by what is installed. */
int chart_check(const char *file, struct err *err);
/*
 * The changes, or with metric (its name or title) the samples of one; whole or not at all. file is
 * one that chart_check() found good.
 */
int chart_write(struct cmd_context *c, const struct report_model *m, const char *metric,
		const char *file, struct err *err);

#endif
