/*
 * figure: means, spreads and changes, and with how many digits they are shown.
 * Digits follow the uncertainty: two digits of the standard error decide (one
 * where it is above a tenth of the figure), which few values make wider by
 * Student's t, and no more is shown than the readings can tell.
 */
#ifndef LAMPDUEL_REPORT_FIGURE_H
#define LAMPDUEL_REPORT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "store/experiment.h"

/* Of values in the metric's own unit. n = 0: nothing else is set. */
struct figure {
	size_t n;
	double mean;
	double sd;    /* sample standard deviation; NaN with n = 1 */
	double error; /* standard error of the mean; NaN with n = 1 */
	double step;  /* mean resolution of the readings; 0: not known */
};

/* steps may be NULL. Sums are taken around the mean, so that an offset costs no digits. */
struct figure figure_of(const double *values, const double *steps, size_t n);

/* What a candidate costs compared with the baseline. */
struct change {
	bool known;
	size_t n;       /* pairs; of unpaired values the smaller side */
	double ratio;   /* candidate's cost over the baseline's, of the means */
	double percent; /* (ratio - 1) * 100: less time is negative */
	double times;   /* 1 / ratio: times as fast */
	double error;   /* standard error of ln(ratio); NaN when it cannot be told */
};

/*
 * baseline and candidate: values of the same n rounds (paired), in the metric's unit. The error is
 * that of a ratio of means, from the pairs. Unknown when a mean is not above 0.
 */
struct change change_of_pairs(const double *baseline, const double *candidate, size_t n,
			      enum metric_direction d);
/* From two figures that were not measured in pairs; the errors add up. */
struct change change_of_figures(const struct figure *baseline, const struct figure *candidate,
				enum metric_direction d);

/* Decimals for a value with this standard error and resolution; negative: tens, hundreds. */
int figure_decimals(double value, double error, double step, size_t n);
/* The fewest decimals with which the value is not shown as 0; of 0: INT_MIN. */
int figure_decimals_least(double value);
/* With negative decimals the value is rounded to tens, hundreds. Never "-0". */
void figure_add(struct buf *b, double value, int decimals);
/* "-12.5 %" with its sign; "1.142x" */
void change_add_percent(struct buf *b, const struct change *c, double step_share);
void change_add_times(struct buf *b, const struct change *c, double step_share);

#endif
