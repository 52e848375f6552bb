#include "stats/signed_rank.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stats/describe.h"
#include "stats/pairwise.h"

/*
 * Number of sign choices, of 2^n, by the sum of doubled ranks they give to the positive side.
 * Counts are whole numbers; doubles hold them exactly to 2^53 and with 16 digits beyond.
 */
static double *count_signs(const int64_t *doubled, size_t n, int64_t total)
{
	double *ways = mem_array((size_t)total + 1, sizeof(*ways));
	int64_t reach = 0;

	ways[0] = 1;
	for (size_t i = 0; i < n; i++) {
		reach += doubled[i];
		for (int64_t s = reach; s >= doubled[i]; s--)
			ways[s] += ways[s - doubled[i]];
	}
	return ways;
}

static void exact_p(const int64_t *doubled, size_t n, int64_t plus, int64_t total,
		    struct stats_test *out)
{
	double *ways = count_signs(doubled, n, total);
	double low = 0, high = 0;

	/* The distribution is symmetric: both tails are summed from its low end, smallest first,
	 * so that changing all signs swaps the two p-values exactly. */
	for (int64_t s = 0; s <= plus; s++)
		low += ways[s];
	for (int64_t s = 0; s <= total - plus; s++)
		high += ways[s];
	out->p_less = ldexp(low, -(int)n);
	out->p_greater = ldexp(high, -(int)n);
	free(ways);
}

static void normal_p(const int64_t *doubled, size_t n, int64_t plus, int64_t total,
		     struct stats_test *out)
{
	double square = 0;

	for (size_t i = 0; i < n; i++)
		square += (double)doubled[i] * (double)doubled[i] / 4;
	double sd = sqrt(square / 4), mean = (double)total / 4;
	out->p_greater = stats_upper_tail((double)plus / 2, mean, sd, 0.5);
	out->p_less = stats_upper_tail((double)(total - plus) / 2, mean, sd, 0.5);
}

void stats_signed_rank(const double *d, size_t n, double tie, struct stats_test *out)
{
	*out = (struct stats_test){.p_two = NAN, .p_less = NAN, .p_greater = NAN, .exact = true};
	if (n == 0 || !stats_all_numbers(d, n))
		return;

	double *size = mem_array(n, sizeof(*size));
	for (size_t i = 0; i < n; i++)
		size[i] = fabs(d[i]) > tie ? fabs(d[i]) : 0;
	struct stats_midranks ranks;
	stats_midranks_make(size, n, tie, &ranks);

	/* keep the ranks of those that have a sign */
	size_t used = 0;
	int64_t plus = 0, total = 0;
	for (size_t i = 0; i < n; i++) {
		if (!(size[i] > 0))
			continue;
		total += ranks.doubled[i];
		if (d[i] > 0)
			plus += ranks.doubled[i];
		ranks.doubled[used++] = ranks.doubled[i];
	}
	out->zeros = n - used;
	out->ties = ranks.ties;
	out->statistic = (double)plus / 2;
	out->exact = n <= STATS_EXACT_MAX;
	if (out->exact)
		exact_p(ranks.doubled, used, plus, total, out);
	else
		normal_p(ranks.doubled, used, plus, total, out);
	out->p_two = fmin(1, 2 * fmin(out->p_less, out->p_greater));
	stats_midranks_release(&ranks);
	free(size);
}

/* ways[w], w <= most: number of subsets of 1..n that sum to w. */
static double *count_subsets(size_t n, int64_t most)
{
	double *ways = mem_array((size_t)most + 1, sizeof(*ways));

	ways[0] = 1;
	for (int64_t r = 1; r <= (int64_t)n; r++) {
		for (int64_t w = most; w >= r; w--)
			ways[w] += ways[w - r];
	}
	return ways;
}

double stats_signed_rank_cdf(size_t n, int64_t w)
{
	int64_t total = (int64_t)stats_walsh_count(n);

	if (w < 0)
		return 0;
	if (w >= total)
		return 1;
	if (n > STATS_EXACT_MAX) {
		double count = (double)total, sd = sqrt(count * (2 * (double)n + 1) / 12);
		return stats_upper_tail(count - (double)w, count / 2, sd, 0.5);
	}
	if (w > total / 2)
		return 1 - stats_signed_rank_cdf(n, total - w - 1);
	double *ways = count_subsets(n, w), sum = 0;
	for (int64_t i = 0; i <= w; i++)
		sum += ways[i];
	free(ways);
	return ldexp(sum, -(int)n);
}

static uint64_t exact_k(size_t n, double alpha, double *level)
{
	int64_t most = (int64_t)(stats_walsh_count(n) / 2), k = 0;
	double *ways = count_subsets(n, most), sum = 0, tail = 0;

	for (; k <= most; k++) {
		sum += ways[k];
		if (2 * ldexp(sum, -(int)n) > alpha)
			break;
		tail = 2 * ldexp(sum, -(int)n);
	}
	free(ways);
	*level = 1 - tail;
	return (uint64_t)k;
}

uint64_t stats_signed_rank_k(size_t n, double alpha, double *level)
{
	double attained = 1, z;
	uint64_t k;

	if (n == 0 || !(alpha > 0 && alpha < 1)) {
		k = 0;
	} else if (n <= STATS_EXACT_MAX) {
		k = exact_k(n, alpha, &attained);
	} else {
		double count = (double)stats_walsh_count(n);
		double sd = sqrt(count * (2 * (double)n + 1) / 12);
		z = gsl_cdf_ugaussian_Qinv(alpha / 2);
		/* P(W <= k - 1) with the continuity correction is at most alpha / 2 */
		double last = floor(count / 2 - 0.5 - z * sd);
		k = last < 0 ? 0 : (uint64_t)last + 1;
		if (k > 0)
			attained = 1 - 2 * stats_upper_tail(count - last, count / 2, sd, 0.5);
	}
	if (level != NULL)
		*level = k == 0 ? NAN : attained;
	return k;
}

bool stats_signed_rank_interval(const double *d_lo, const double *d_hi, size_t n, double alpha,
				double *lo, double *hi)
{
	uint64_t k = stats_signed_rank_k(n, alpha, NULL);

	*lo = *hi = NAN;
	if (k == 0 || !stats_all_numbers(d_lo, n) || !stats_all_numbers(d_hi, n))
		return false;
	double *sorted = stats_sorted(d_lo, n);
	*lo = stats_walsh_kth(sorted, n, k);
	free(sorted);
	sorted = stats_sorted(d_hi, n);
	*hi = stats_walsh_kth(sorted, n, stats_walsh_count(n) + 1 - k);
	free(sorted);
	return true;
}
