/*
 * describe: what a row of numbers looks like. Pure; the caller owns every array
 * and none is changed. Nothing here prints, allocates for the caller or fails:
 * too few values, or a NaN among them, give NaN.
 *
 * Units: those of the values. Sources are named at each function.
 */
#ifndef LAMPDUEL_STATS_DESCRIBE_H
#define LAMPDUEL_STATS_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>

bool stats_all_numbers(const double *x, size_t n); /* no NaN among them; true for none */

/*
 * Sum with the rounding errors carried along (Neumaier, Z. angew. Math. Mech. 54, 1974).
 * Mean and standard deviation (divisor n - 1) take deviations from the first value before they
 * sum, in two passes with the correction of Chan, Golub and LeVeque (Am. Stat. 37, 1983), so that
 * an offset of 1e9 costs nothing and equal values have deviation 0. The sign of all values
 * changed changes the sign of the sum and of the mean, and nothing else.
 */
double stats_sum(const double *x, size_t n);
double stats_mean(const double *x, size_t n); /* n >= 1 */
double stats_sd(const double *x, size_t n);   /* n >= 2 */

double stats_median(const double *x, size_t n); /* n >= 1; mean of the middle two when n is even */

/*
 * Lag-1 autocorrelation of x in the order given: sum (x[i] - m)(x[i+1] - m) / sum (x[i] - m)^2
 * (Box and Jenkins, Time Series Analysis, 2.1.5). n >= 3; NaN when all values are equal.
 */
double stats_lag1(const double *x, size_t n);

/*
 * Marks values far from the rest: |x - median| / s above 3.5 with s = 1.4826 times the median
 * absolute deviation, or 1.2533 times the mean absolute deviation where more than half of the
 * values are equal (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993). Returns how
 * many. A mark is a flag to look at, nothing is ever dropped for it. n < 5: none.
 */
size_t stats_outliers(const double *x, size_t n, bool *marked);

/*
 * ln(b / a), for positive a and b. Computed so that swapping a and b changes the sign and nothing
 * else, and so that ratios near 1 keep their digits: log1p of the relative difference.
 * NaN when either is not positive; an infinite b gives +inf, an infinite a gives -inf.
 */
double stats_log_ratio(double a, double b);

/* A sorted copy (ascending), the caller's to free; never NULL. */
double *stats_sorted(const double *x, size_t n);

#endif
