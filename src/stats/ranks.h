/*
 * ranks: midranks for values that may be equal, and the exact distribution of
 * sums of them. Ranks are kept doubled, so that the mean of two neighbours is a
 * whole number. Pure; the caller owns every array.
 */
#ifndef LAMPDUEL_STATS_RANKS_H
#define LAMPDUEL_STATS_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Up to this many values a side the distributions are exact; beyond it they are approximated. */
enum { STATS_EXACT_MAX = 50 };

/* A two-sided p-value and the two one-sided ones. NaN when there is nothing to test. */
struct stats_test {
	double p_two;
	double p_less;    /* small when the values (or y against x) lie below */
	double p_greater; /* small when they lie above */
	double statistic; /* the rank sum, in ranks */
	bool exact;       /* else the normal approximation with continuity correction */
	bool ties;        /* equal values were found */
	size_t zeros;     /* signed-rank only: differences of zero */
};

struct stats_midranks {
	int64_t *doubled; /* by index of the input: twice the midrank */
	double tie_cubes; /* sum of t^3 - t over groups of t equal values */
	bool ties;
};

/*
 * Ranks x ascending. Neighbours in that order that differ by at most tie count as equal (0: only
 * equal ones do). Free with stats_midranks_release().
 */
void stats_midranks_make(const double *x, size_t n, double tie, struct stats_midranks *out);
void stats_midranks_release(struct stats_midranks *r);

/*
 * Probability that a standard normal exceeds (value - mean - half) / sd, for upper tails of a
 * statistic on a grid; sd 0 gives 1.
 */
double stats_upper_tail(double value, double mean, double sd, double half);

#endif
