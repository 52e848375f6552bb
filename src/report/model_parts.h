/* internal: what the files that make a model share. Not for others. */
#ifndef LAMPDUEL_REPORT_MODEL_PARTS_H
#define LAMPDUEL_REPORT_MODEL_PARTS_H

#include "report/model.h"

void model_note(struct report_model *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* config.c: facts and settings. */
void model_config(struct report_model *m, const struct experiment *e);
/* Further facts, in which systems differ, and notes on them. */
void model_differences(struct report_model *m, const struct experiment *e);
/* problems.c: executions, counted, problems, rounds_done. */
void model_problems(struct report_model *m, const struct experiment *e,
		    const struct counted_index *index);
/* What became of an execution that does not count, in a word or two; *reason is a new string. */
const char *model_fate(const struct exp_execution *x, char **reason);
/* leftout.c: the executions of a row that do not count; after its view is chosen. */
void model_left_out(struct report_row *row, const struct experiment *e,
		    const struct counted_index *index);
/* rows.c: rows. */
void model_rows(struct report_model *m, const struct experiment *e,
		const struct counted_index *index);
void model_row_release(struct report_row *r);

#endif
