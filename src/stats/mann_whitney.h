/*
 * mann_whitney: the test of Mann and Whitney (Ann. Math. Stat. 18, 1947) of two
 * independent groups and the interval for the shift between them (Hollander,
 * Wolfe and Chicken, Nonparametric Statistical Methods, 4.1-4.3).
 *
 * Assumption: the values are independent and the groups differ by a shift only.
 * Sessions can be that; repeated readings within one session are not.
 *
 * Ties: midranks; p-values exact given the ties that are there: the distribution
 * over all choices of the smaller group from the pooled midranks (both sides
 * <= STATS_EXACT_MAX). The two-sided one is the probability of a rank sum at least
 * as far from its expectation, as ties can make the distribution lopsided. Beyond:
 * normal, variance with the correction for ties, continuity correction of half a rank.
 *
 * Interval: the k-th smallest and k-th largest difference y - x, k from the
 * distribution without ties, both ends included: with ties it covers at least as
 * often (Noether, J. Am. Stat. Assoc. 62, 1967).
 */
#ifndef LAMPDUEL_STATS_MANN_WHITNEY_H
#define LAMPDUEL_STATS_MANN_WHITNEY_H

#include <stddef.h>
#include <stdint.h>

#include "stats/ranks.h"

/* p_greater is small when y lies above x. statistic: rank sum of y less its least value (U of y).
 */
void stats_mann_whitney(const double *x, size_t m, const double *y, size_t n, double tie,
			struct stats_test *out);

/*
 * The largest k with 2 P(U <= k - 1) <= alpha; 0 when the groups are too small. *level, if not
 * NULL: the level attained.
 */
uint64_t stats_mann_whitney_k(size_t m, size_t n, double alpha, double *level);

/* x and y as lower and upper bounds of each value (their rounding). False, both ends NaN, when the
 * groups are too small or a value is NaN. */
bool stats_mann_whitney_interval(const double *x_lo, const double *x_hi, size_t m,
				 const double *y_lo, const double *y_hi, size_t n, double alpha,
				 double *lo, double *hi);

#endif
