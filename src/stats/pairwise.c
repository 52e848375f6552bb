#include "stats/pairwise.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Doubles in their order as unsigned integers: neighbours differ by one. */
static uint64_t to_key(double v)
{
	const uint64_t sign = UINT64_C(1) << 63;
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits & sign ? ~bits : bits | sign;
}

static double from_key(uint64_t key)
{
	const uint64_t sign = UINT64_C(1) << 63;
	uint64_t bits = key & sign ? key & ~sign : ~key;
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

struct pairs {
	const double *x, *y; /* y is NULL for averages of x with itself */
	size_t m, n;
};

/* How many sums x[i] + x[j], i <= j, are at most limit. */
static uint64_t count_sums(const double *x, size_t n, double limit)
{
	uint64_t ordered = 0, same = 0;
	size_t j = n;

	for (size_t i = 0; i < n; i++) {
		while (j > 0 && !(x[i] + x[j - 1] <= limit))
			j--;
		ordered += j;
		same += x[i] + x[i] <= limit;
	}
	return (ordered + same) / 2;
}

/* How many differences y[j] - x[i] are at most limit. */
static uint64_t count_differences(const struct pairs *p, double limit)
{
	uint64_t count = 0;
	size_t j = 0;

	for (size_t i = 0; i < p->m; i++) {
		while (j < p->n && p->y[j] - p->x[i] <= limit)
			j++;
		count += j;
	}
	return count;
}

/* The smallest sum x[i] + x[j] above limit; +inf when there is none. */
static double next_sum(const double *x, size_t n, double limit)
{
	double least = INFINITY;
	size_t j = n;

	for (size_t i = 0; i < n; i++) {
		while (j > 0 && !(x[i] + x[j - 1] <= limit))
			j--;
		if (j < n && x[i] + x[j] < least)
			least = x[i] + x[j];
	}
	return least;
}

/* The smallest difference y[j] - x[i] above limit; +inf when there is none. */
static double next_difference(const struct pairs *p, double limit)
{
	double least = INFINITY;
	size_t j = 0;

	for (size_t i = 0; i < p->m; i++) {
		while (j < p->n && p->y[j] - p->x[i] <= limit)
			j++;
		if (j < p->n && p->y[j] - p->x[i] < least)
			least = p->y[j] - p->x[i];
	}
	return least;
}

static uint64_t count(const struct pairs *p, double limit)
{
	return p->y == NULL ? count_sums(p->x, p->m, limit) : count_differences(p, limit);
}

static double next(const struct pairs *p, double limit)
{
	return p->y == NULL ? next_sum(p->x, p->m, limit) : next_difference(p, limit);
}

enum { FEW = 8 }; /* so few are left that they are gone through one by one */

/*
 * Where between lo and hi the kth is looked for: where a straight line between their counts puts
 * it, or, in turn and where that gives nothing, half way through the doubles between them.
 */
static double between(double lo, double hi, double share, bool straight)
{
	uint64_t from = to_key(lo), to = to_key(hi);
	double v = lo + (hi - lo) * share;

	if (straight && v > lo && v < hi)
		return v;
	return from_key(from + (to - from) / 2);
}

/* The least of all pairs' results up to which there are k. */
static double select_kth(const struct pairs *p, double least, double most, uint64_t k)
{
	double lo = least, hi = most;
	uint64_t below = count(p, lo), above = (uint64_t)-1;
	bool straight = false;

	if (below >= k)
		return lo + 0.0; /* no negative zero */
	/* below: up to lo, fewer than k; above: up to hi, k or more (all of them at first) */
	above = p->y == NULL ? stats_walsh_count(p->m) : (uint64_t)p->m * p->n;
	while (above - below > FEW && to_key(hi) - to_key(lo) > 1) {
		double v = between(lo, hi, (double)(k - below) / (double)(above - below), straight);
		uint64_t n = count(p, v);
		if (n >= k) {
			hi = v;
			above = n;
		} else {
			lo = v;
			below = n;
		}
		straight = !straight;
	}
	while (below < k && lo < hi && to_key(hi) - to_key(lo) > 1) {
		lo = next(p, lo);
		below = count(p, lo);
	}
	return (below < k ? hi : lo) + 0.0;
}

uint64_t stats_walsh_count(size_t n)
{
	return (uint64_t)n * ((uint64_t)n + 1) / 2;
}

double stats_walsh_kth(const double *d, size_t n, uint64_t k)
{
	struct pairs p = {.x = d, .m = n};

	return select_kth(&p, d[0] + d[0], d[n - 1] + d[n - 1], k) / 2;
}

double stats_walsh_median(const double *d, size_t n)
{
	uint64_t count = stats_walsh_count(n);

	if (n == 0)
		return NAN;
	double lower = stats_walsh_kth(d, n, (count + 1) / 2), sum = lower + lower;
	if (count % 2 == 1 || count_sums(d, n, sum) > count / 2)
		return lower;
	return (lower + (next_sum(d, n, sum) + 0.0) / 2) / 2;
}

double stats_differences_kth(const double *x, size_t m, const double *y, size_t n, uint64_t k)
{
	struct pairs p = {.x = x, .m = m, .y = y, .n = n};

	return select_kth(&p, y[0] - x[m - 1], y[n - 1] - x[0], k);
}

double stats_differences_median(const double *x, size_t m, const double *y, size_t n)
{
	uint64_t count = (uint64_t)m * n;

	if (count == 0)
		return NAN;
	struct pairs p = {.x = x, .m = m, .y = y, .n = n};
	double lower = stats_differences_kth(x, m, y, n, (count + 1) / 2);
	if (count % 2 == 1 || count_differences(&p, lower) > count / 2)
		return lower;
	return (lower + next_difference(&p, lower)) / 2;
}
