/*
 * signed_rank: Wilcoxon's signed-rank test of paired differences and the
 * interval that belongs to it (Wilcoxon, Biometrics Bulletin 1, 1945; Hollander,
 * Wolfe and Chicken, Nonparametric Statistical Methods, 3.1-3.3).
 *
 * Assumption: under the hypothesis each difference is as likely to have one sign
 * as the other, given its size. A fair coin for the order within each pair makes
 * that true whatever the noise does over time.
 *
 * Rule for zeros: Pratt's (J. Am. Stat. Assoc. 54, 1959). Zeros take part in the
 * ranking and then carry no sign. Rule for ties: midranks. The p-values are exact
 * given the zeros and ties that are there: the distribution over all 2^n signs
 * (n <= STATS_EXACT_MAX). Beyond it: normal, variance of the very midranks,
 * continuity correction of half a rank.
 *
 * Interval: the k-th smallest and k-th largest Walsh average, k from the
 * distribution without ties, both ends included. With ties or zeros it covers at
 * least as often as without (Noether, J. Am. Stat. Assoc. 62, 1967; Pratt and
 * Gibbons, Concepts of Nonparametric Theory, 3.7).
 */
#ifndef LAMPDUEL_STATS_SIGNED_RANK_H
#define LAMPDUEL_STATS_SIGNED_RANK_H

#include <stddef.h>
#include <stdint.h>

#include "stats/ranks.h"

/*
 * d: n differences, n may be 0 (all NaN). tie: differences whose sizes are this close count as
 * equal, and those within it of zero as zero.
 */
void stats_signed_rank(const double *d, size_t n, double tie, struct stats_test *out);

/* P(W <= w) for the sum W of positive ranks of n differences without ties or zeros. */
double stats_signed_rank_cdf(size_t n, int64_t w);

/*
 * The number k of the Walsh averages that end the two-sided interval of level at least 1 - alpha:
 * the largest with 2 P(W <= k - 1) <= alpha; 0 when n is too small for that level. *level, if not
 * NULL, becomes the level attained.
 */
uint64_t stats_signed_rank_k(size_t n, double alpha, double *level);

/*
 * The interval of level at least 1 - alpha. d_lo and d_hi bound each difference from below and
 * above (its rounding); pass the same array twice when it is exact. False, and both ends NaN, when
 * n is too small or a value is NaN.
 */
bool stats_signed_rank_interval(const double *d_lo, const double *d_hi, size_t n, double alpha,
				double *lo, double *hi);

#endif
