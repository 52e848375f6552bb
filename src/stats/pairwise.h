/*
 * pairwise: order statistics of all averages or all differences of pairs,
 * without making them. The k-th smallest is found by bisection over the doubles
 * themselves: at most 64 counts, each O(n) on sorted input, so that two sets of
 * 100,000 values (10^10 differences) take a fraction of a second. The result is
 * the very double that sorting all of them would give.
 *
 * Input must be sorted ascending and free of NaN; infinities of one sign are
 * allowed. Pure; the caller owns the arrays.
 */
#ifndef LAMPDUEL_STATS_PAIRWISE_H
#define LAMPDUEL_STATS_PAIRWISE_H

#include <stddef.h>
#include <stdint.h>

/* Number of Walsh averages (d[i] + d[j]) / 2, i <= j, of n values. */
uint64_t stats_walsh_count(size_t n);
/* The k-th smallest of them, 1 <= k <= stats_walsh_count(n). */
double stats_walsh_kth(const double *d, size_t n, uint64_t k);
/*
 * Their median: the Hodges-Lehmann estimate of the centre (Hodges and Lehmann, Ann. Math. Stat. 34,
 * 1963). NaN when n = 0.
 */
double stats_walsh_median(const double *d, size_t n);

/* The k-th smallest of the m * n differences y[j] - x[i], 1 <= k <= m * n. */
double stats_differences_kth(const double *x, size_t m, const double *y, size_t n, uint64_t k);
/* Their median: the Hodges-Lehmann estimate of the shift from x to y. NaN when either is empty. */
double stats_differences_median(const double *x, size_t m, const double *y, size_t n);

#endif
