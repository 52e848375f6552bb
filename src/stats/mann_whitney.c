#include "stats/mann_whitney.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stats/describe.h"
#include "stats/pairwise.h"

/* The smaller group: its size, its sum of doubled ranks, and what is possible. */
struct small_group {
	size_t size, all;   /* of the group, of both */
	int64_t sum, total; /* doubled: its ranks, all ranks */
};

static int by_rank(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/*
 * ways[s]: how many groups of that size have doubled rank sum s. Ranks come sorted, so that the
 * rounding of counts beyond 2^53 does not depend on the order of the values.
 */
static double *count_groups(const int64_t *doubled, const struct small_group *g)
{
	size_t width = (size_t)g->total + 1;
	double *ways = mem_array(g->size + 1, width * sizeof(*ways));
	int64_t reach = 0;

	ways[0] = 1;
	for (size_t i = 0; i < g->all; i++) {
		size_t most = i + 1 < g->size ? i + 1 : g->size;
		reach += doubled[i];
		for (size_t size = most; size > 0; size--) {
			double *to = ways + size * width;
			const double *from = to - width;
			for (int64_t s = reach; s >= doubled[i]; s--)
				to[s] += from[s - doubled[i]];
		}
	}
	memmove(ways, ways + g->size * width, width * sizeof(*ways));
	return ways;
}

/*
 * Of the ranks and their mirror image one is chosen, the same one whichever is given, so that data
 * with all signs changed give the same numbers to the last bit. True when ranks and sum were
 * mirrored: the tails then change places.
 */
static bool choose_direction(int64_t *doubled, struct small_group *g)
{
	int64_t ends = 2 * ((int64_t)g->all + 1), mirrored = (int64_t)g->size * ends - g->sum;
	size_t i = 0;

	while (i < g->all && doubled[i] == ends - doubled[g->all - 1 - i])
		i++;
	bool turn = i < g->all ? doubled[i] > ends - doubled[g->all - 1 - i] : g->sum > mirrored;
	if (!turn)
		return false;
	for (size_t a = 0, b = g->all; a < b--; a++) {
		int64_t keep = doubled[a];
		doubled[a] = ends - doubled[b];
		doubled[b] = ends - keep;
	}
	g->sum = mirrored;
	return true;
}

/*
 * Tails of the smaller group's rank sum. With groups of equal size the distribution is symmetric
 * and both tails are summed from its low end: exchanging the groups then exchanges them exactly.
 */
static void exact_p(const int64_t *doubled, const struct small_group *g, double *less,
		    double *greater, double *two)
{
	double *ways = count_groups(doubled, g);
	double all = 0, low = 0, high = 0, far = 0;
	bool even = 2 * g->size == g->all;
	/* distance from the expectation size * total / all, times all to stay whole */
	int64_t centre = (int64_t)g->size * g->total;
	int64_t distance = llabs(g->sum * (int64_t)g->all - centre);

	for (int64_t s = 0; s <= g->total; s++) {
		all += ways[s];
		if (s <= g->sum)
			low += ways[s];
		if (llabs(s * (int64_t)g->all - centre) >= distance)
			far += ways[s];
	}
	for (int64_t s = g->total; s >= g->sum; s--)
		high += ways[even ? g->total - s : s];
	*less = fmin(1, low / all);
	*greater = fmin(1, high / all);
	*two = fmin(1, far / all);
	free(ways);
}

static void normal_p(const struct small_group *g, double tie_cubes, double *less, double *greater,
		     double *two)
{
	double size = (double)g->size, all = (double)g->all, rest = all - size;
	double mean = size * (all + 1) / 2;
	double variance = size * rest / 12 * (all + 1 - tie_cubes / (all * (all - 1)));
	double sd = variance > 0 ? sqrt(variance) : 0, sum = (double)g->sum / 2;

	*greater = stats_upper_tail(sum, mean, sd, 0.5);
	*less = stats_upper_tail(2 * mean - sum, mean, sd, 0.5);
	*two = fmin(1, 2 * fmin(*less, *greater));
}

void stats_mann_whitney(const double *x, size_t m, const double *y, size_t n, double tie,
			struct stats_test *out)
{
	*out = (struct stats_test){.p_two = NAN, .p_less = NAN, .p_greater = NAN, .exact = true};
	if (m == 0 || n == 0 || !stats_all_numbers(x, m) || !stats_all_numbers(y, n))
		return;

	size_t all = mem_add(m, n);
	double *pool = mem_array(all, sizeof(*pool));
	memcpy(pool, x, m * sizeof(*pool));
	memcpy(pool + m, y, n * sizeof(*pool));
	struct stats_midranks ranks;
	stats_midranks_make(pool, all, tie, &ranks);
	free(pool);

	int64_t sum_x = 0, sum_y = 0;
	for (size_t i = 0; i < all; i++)
		*(i < m ? &sum_x : &sum_y) += ranks.doubled[i];
	bool x_small = m < n;
	struct small_group g = {x_small ? m : n, all, x_small ? sum_x : sum_y, sum_x + sum_y};
	double less, greater;
	out->exact = m <= STATS_EXACT_MAX && n <= STATS_EXACT_MAX;
	if (out->exact)
		qsort(ranks.doubled, all, sizeof(*ranks.doubled), by_rank);
	out->ties = ranks.ties;
	out->statistic = (double)sum_y / 2 - (double)n * ((double)n + 1) / 2;
	if (out->exact && choose_direction(ranks.doubled, &g))
		exact_p(ranks.doubled, &g, &greater, &less, &out->p_two);
	else if (out->exact)
		exact_p(ranks.doubled, &g, &less, &greater, &out->p_two);
	else
		normal_p(&g, ranks.tie_cubes, &less, &greater, &out->p_two);
	out->p_less = x_small ? greater : less;
	out->p_greater = x_small ? less : greater;
	stats_midranks_release(&ranks);
}

/*
 * ways[u], u <= most, of m values of one group and n of the other that interleave so that U = u,
 * by the recursion f(i, j, u) = f(i-1, j, u-j) + f(i, j-1, u) of Mann and Whitney.
 */
static double *count_interleavings(size_t m, size_t n, size_t most)
{
	size_t width = most + 1;
	double *f = mem_array(m + 1, width * sizeof(*f));

	for (size_t i = 0; i <= m; i++)
		f[i * width] = 1; /* j = 0: U can only be 0 */
	for (size_t j = 1; j <= n; j++) {
		for (size_t i = 1; i <= m; i++) {
			double *to = f + i * width;
			for (size_t u = j; u <= most; u++)
				to[u] += to[u - width - j];
		}
	}
	memmove(f, f + m * width, width * sizeof(*f));
	return f;
}

static uint64_t exact_k(size_t m, size_t n, double alpha, double *level)
{
	size_t most = m * n / 2, k = 0;
	double *ways = count_interleavings(m, n, most);
	double all = 1, sum = 0, tail = 0;

	for (size_t i = 1; i <= m; i++)
		all = all * (double)(n + i) / (double)i;
	for (; k <= most; k++) {
		sum += ways[k];
		if (2 * (sum / all) > alpha)
			break;
		tail = 2 * (sum / all);
	}
	free(ways);
	*level = 1 - tail;
	return k;
}

uint64_t stats_mann_whitney_k(size_t m, size_t n, double alpha, double *level)
{
	double attained = 1;
	uint64_t k;

	if (m == 0 || n == 0 || !(alpha > 0 && alpha < 1)) {
		k = 0;
	} else if (m <= STATS_EXACT_MAX && n <= STATS_EXACT_MAX) {
		k = m < n ? exact_k(m, n, alpha, &attained) : exact_k(n, m, alpha, &attained);
	} else {
		double count = (double)m * (double)n;
		double sd = sqrt(count * ((double)m + (double)n + 1) / 12);
		double last = floor(count / 2 - 0.5 - gsl_cdf_ugaussian_Qinv(alpha / 2) * sd);
		k = last < 0 ? 0 : (uint64_t)last + 1;
		if (k > 0)
			attained = 1 - 2 * stats_upper_tail(count - last, count / 2, sd, 0.5);
	}
	if (level != NULL)
		*level = k == 0 ? NAN : attained;
	return k;
}

bool stats_mann_whitney_interval(const double *x_lo, const double *x_hi, size_t m,
				 const double *y_lo, const double *y_hi, size_t n, double alpha,
				 double *lo, double *hi)
{
	uint64_t k = stats_mann_whitney_k(m, n, alpha, NULL);

	*lo = *hi = NAN;
	if (k == 0 || !stats_all_numbers(x_lo, m) || !stats_all_numbers(x_hi, m) ||
	    !stats_all_numbers(y_lo, n) || !stats_all_numbers(y_hi, n))
		return false;
	double *x = stats_sorted(x_hi, m), *y = stats_sorted(y_lo, n);
	*lo = stats_differences_kth(x, m, y, n, k);
	free(x);
	free(y);
	x = stats_sorted(x_lo, m);
	y = stats_sorted(y_hi, n);
	*hi = stats_differences_kth(x, m, y, n, (uint64_t)m * n + 1 - k);
	free(x);
	free(y);
	return true;
}
