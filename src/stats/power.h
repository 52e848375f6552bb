/*
 * power: how many, and how small. All effects and widths are in one unit,
 * normally the log of a ratio.
 *
 * The width of the interval says what a value's noise does to the estimate:
 * half = t(1 - alpha/2, n - 1) * s / sqrt(n), whatever the estimator; s / sqrt(n)
 * is taken from it (for Hodges-Lehmann: Lehmann, Ann. Math. Stat. 34, 1963). The
 * rest is the power function of the t test (Cohen, Statistical Power Analysis, 2):
 * effect = (t(1 - alpha/2) + t(power)) * s / sqrt(n).
 */
#ifndef LAMPDUEL_STATS_POWER_H
#define LAMPDUEL_STATS_POWER_H

#include <stddef.h>

/* More than this is not worth a figure. */
enum { STATS_PAIRS_MANY = 1000 };

/* Standard deviation of one pair, from the half-width of a 95 % interval (alpha 0.05) of n >= 2. */
double stats_sd_from_half(double half, size_t n, double alpha);

/* The effect that n >= 2 pairs show with this power, two-sided level alpha. */
double stats_detectable(double sd, size_t n, double alpha, double power);

/* Pairs that show the effect with this power, two-sided level alpha; at most STATS_PAIRS_MANY. */
size_t stats_pairs_for(double effect, double sd, double alpha, double power);

/*
 * The fewest pairs with which the exact signed-rank test can go below alpha at all: two-sided,
 * 2 * 2^-n < alpha.
 */
size_t stats_fewest_pairs(double alpha);
/* The fewest a side for Mann-Whitney: 2 / C(2n, n) < alpha. */
size_t stats_fewest_sessions(double alpha);

#endif
