/*
 * words: what a report says in sentences. One place, so that every format says
 * the same, and so that nothing measured under emulation is called faster.
 */
#ifndef LAMPDUEL_REPORT_WORDS_H
#define LAMPDUEL_REPORT_WORDS_H

#include <stdbool.h>

#include "report/model.h"

/* "Experiment 7, the reference case: soft against hard" */
void words_title(const struct report_model *m, struct buf *b);
/* When, how long, how many rounds, seed; nothing of what compare put together. Appends. */
void words_circumstances(const struct report_model *m, struct buf *b);
/* What is said first of anything measured under emulation. */
const char *words_emulation(void);
/* Was either side of this comparison emulated? */
bool words_pair_emulated(const struct report_model *m, size_t candidate);
/* "soft, openssl/rsa2048: 1 timed out (gave up after 60 s)"; appends. */
void words_problem(const struct report_model *m, const struct report_problem *p, struct buf *b);
/* How it was measured and judged, in a paragraph; appends. */
void words_method(const struct report_model *m, struct buf *b);

/* What stands in the verdict's column as long as nothing has judged the figures. */
const char *words_no_verdict(void);
/* Heading of the column of percent: "time", under emulation "time, emulated". */
const char *words_time_heading(bool emulated);
const char *words_times_heading(bool emulated);
/* "less time" or "more time", with " under emulation" when it was; "as much time" for no change. */
const char *words_direction(double ratio, bool emulated);

/*
 * The cell of the verdict's column: "faster, 1.335x to 1.350x as fast". Appends; never "faster"
 * when it was emulated.
 */
void words_verdict(const struct comparison *c, double margin, struct buf *b);
/* "hard takes 30.1 % less time over 4 workloads ..." */
void words_overall(const struct compare_overall *o, const char *baseline, struct buf *b);

/* Has any of these rows a second view, a rate beside its time? */
bool words_has_rates(const struct report_model *m, size_t from, size_t to);
/* Is any of these rows judged for that candidate? */
bool words_has_verdicts(const struct report_model *m, size_t candidate, size_t from, size_t to);

/* What the columns of the results mean; appends. */
void words_legend(const struct report_model *m, struct buf *b);

/* Appends to the model's notes what its reader must know about the systems and the run. */
void words_notes(const struct experiment *e, struct report_model *m);

#endif
