/*
 * student: tests and intervals for few values that are taken to be normal
 * (Student, Biometrika 6, 1908; Welch, Biometrika 34, 1947). Used where there are
 * too few for the rank methods, and then labelled, because normality is a belief:
 * with so few values nothing in them can show that it is wrong.
 *
 * Degrees of freedom are n - 1, quantiles come from GSL's t distribution.
 */
#ifndef LAMPDUEL_STATS_STUDENT_H
#define LAMPDUEL_STATS_STUDENT_H

#include <stdbool.h>
#include <stddef.h>

struct stats_student {
	double estimate; /* mean, or difference of means y - x */
	double error;    /* its standard error */
	double df;
};

/*
 * n values of a difference. variance: added to theirs, for rounding that equal readings hide (0:
 * none). False, all NaN, when n < 2, a value is NaN, or nothing varies at all: then there is
 * nothing to judge by.
 */
bool stats_student_one(const double *d, size_t n, double variance, struct stats_student *out);

/* Two groups with variances of their own; df by Welch and Satterthwaite. */
bool stats_student_welch(const double *x, size_t m, const double *y, size_t n,
			 struct stats_student *out);

/* One-sided p-values of the hypothesis that the truth is `at` against less or greater. */
double stats_student_less(const struct stats_student *s, double at);
double stats_student_greater(const struct stats_student *s, double at);
/* Half the width of the two-sided interval of level 1 - alpha around the estimate. */
double stats_student_half(const struct stats_student *s, double alpha);

#endif
