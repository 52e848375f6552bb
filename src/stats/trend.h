/*
 * trend: does a series drift? Slope of Theil and Sen (Sen, J. Am. Stat. Assoc.
 * 63, 1968: the median of the slopes of all pairs) and Mann's test (Econometrica
 * 13, 1945: Kendall's S of the series against its order).
 */
#ifndef LAMPDUEL_STATS_TREND_H
#define LAMPDUEL_STATS_TREND_H

#include <stddef.h>

/* Longer series are cut into this many blocks of neighbours first, each the median of its block. */
enum { STATS_TREND_MAX = 400 };

struct stats_trend {
	double slope; /* per step from one value to the next */
	double p;     /* two-sided; exact for n <= 50 without ties, else normal */
};

/* n >= 3 values in their order; fewer, or a NaN, give NaN. */
void stats_trend(const double *x, size_t n, struct stats_trend *out);

#endif
