#include "stats/trend.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stats/describe.h"
#include "stats/ranks.h"

/* P(S >= s) for s >= 0 over all orders of n different values: S = n(n-1)/2 - 2 inversions. */
static double exact_upper(size_t n, int64_t s)
{
	size_t pairs = n * (n - 1) / 2, most = (pairs - (size_t)s) / 2;
	double *share = mem_array(most + 1, sizeof(*share)), sum = 0;

	/* the k-th value has 0..k-1 inversions with those before it, each equally likely */
	share[0] = 1;
	for (size_t k = 2; k <= n; k++) {
		double *next = mem_array(most + 1, sizeof(*next));
		for (size_t inversions = 0; inversions <= most; inversions++) {
			for (size_t own = 0; own < k && own <= inversions; own++)
				next[inversions] += share[inversions - own] / (double)k;
		}
		free(share);
		share = next;
	}
	for (size_t i = 0; i <= most; i++)
		sum += share[i];
	free(share);
	return sum;
}

static double mann_p(const double *x, size_t n, int64_t s)
{
	struct stats_midranks ranks;
	double v = (double)n * ((double)n - 1) * (2 * (double)n + 5), ties = 0;

	stats_midranks_make(x, n, 0, &ranks);
	/* sum over groups of t equal values of t(t-1)(2t+5), by the members' share of it */
	for (size_t i = 0; i < n && ranks.ties; i++) {
		double t = 0;
		for (size_t j = 0; j < n; j++)
			t += ranks.doubled[j] == ranks.doubled[i];
		ties += (t - 1) * (2 * t + 5);
	}
	bool exact = !ranks.ties && n <= STATS_EXACT_MAX;
	stats_midranks_release(&ranks);
	if (s == 0)
		return 1;
	if (exact)
		return fmin(1, 2 * exact_upper(n, llabs(s)));
	return fmin(1, 2 * stats_upper_tail((double)llabs(s), 0, sqrt((v - ties) / 18), 1));
}

static void trend_short(const double *x, size_t n, struct stats_trend *out)
{
	double *slopes = mem_array(n * (n - 1) / 2, sizeof(*slopes));
	size_t count = 0;
	int64_t s = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = i + 1; j < n; j++) {
			slopes[count++] = (x[j] - x[i]) / (double)(j - i);
			s += (x[j] > x[i]) - (x[j] < x[i]);
		}
	}
	out->slope = stats_median(slopes, count);
	out->p = mann_p(x, n, s);
	free(slopes);
}

void stats_trend(const double *x, size_t n, struct stats_trend *out)
{
	*out = (struct stats_trend){NAN, NAN};
	if (n < 3 || !stats_all_numbers(x, n))
		return;
	if (n <= STATS_TREND_MAX) {
		trend_short(x, n, out);
		return;
	}

	double blocks[STATS_TREND_MAX];
	for (size_t b = 0; b < STATS_TREND_MAX; b++) {
		size_t from = n * b / STATS_TREND_MAX, to = n * (b + 1) / STATS_TREND_MAX;
		blocks[b] = stats_median(x + from, to - from);
	}
	trend_short(blocks, STATS_TREND_MAX, out);
	out->slope *= (double)STATS_TREND_MAX / (double)n;
}
