/*
 * multiple: many tests at once. Holm's step-down adjustment (Holm, Scand. J.
 * Statist. 6, 1979) holds the chance of any wrong rejection in the family below
 * the level, whatever the dependence between the tests.
 */
#ifndef LAMPDUEL_STATS_MULTIPLE_H
#define LAMPDUEL_STATS_MULTIPLE_H

#include <stddef.h>

/*
 * adjusted[i] = max over the j smallest p up to and including p[i] of (m - j + 1) p(j), at most 1.
 * NaN stays NaN and does not count in m. Equal p get equal results, so the order is of no
 * consequence. adjusted may be p itself. Returns m.
 */
size_t stats_holm(const double *p, size_t n, double *adjusted);

#endif
