/* The statistics at their edges: nothing, one, two, NaN, large n, symmetry, speed, looks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "stats/describe.h"
#include "stats/looks.h"
#include "stats/mann_whitney.h"
#include "stats/multiple.h"
#include "stats/pairwise.h"
#include "stats/power.h"
#include "stats/signed_rank.h"
#include "stats/student.h"
#include "stats/trend.h"

#define assert_near(got, expected, relative)                                                       \
	do {                                                                                       \
		double got_ = (got), expected_ = (expected);                                       \
		if (!(fabs(got_ - expected_) <= (relative)*fabs(expected_)))                       \
			fail_msg("%s is %.17g, expected %.17g", #got, got_, expected_);            \
	} while (0)

static void test_nothing_and_nan(void **state)
{
	const double with_nan[] = {1, NAN, 3, 4, 5, 6, 7, 8};
	struct stats_student s;
	struct stats_trend trend;
	struct stats_test t;
	double lo, hi;
	bool marked[8];

	(void)state;
	assert_true(isnan(stats_mean(NULL, 0)));
	assert_true(isnan(stats_median(NULL, 0)));
	assert_true(isnan(stats_sd(with_nan, 1)));
	assert_true(isnan(stats_mean(with_nan, 8)));
	assert_true(isnan(stats_sd(with_nan, 8)));
	assert_true(isnan(stats_median(with_nan, 8)));
	assert_true(isnan(stats_lag1(with_nan, 8)));
	assert_true(isnan(stats_walsh_median(NULL, 0)));
	assert_true(isnan(stats_differences_median(NULL, 0, with_nan, 1)));
	assert_int_equal(stats_outliers(with_nan, 8, marked), 0);
	stats_signed_rank(NULL, 0, 0, &t);
	assert_true(isnan(t.p_two) && isnan(t.p_less) && isnan(t.p_greater));
	stats_signed_rank(with_nan, 8, 0, &t);
	assert_true(isnan(t.p_two));
	assert_false(stats_signed_rank_interval(with_nan, with_nan, 8, 0.05, &lo, &hi));
	assert_true(isnan(lo) && isnan(hi));
	stats_mann_whitney(with_nan, 0, with_nan, 1, 0, &t);
	assert_true(isnan(t.p_two));
	assert_false(stats_mann_whitney_interval(with_nan, with_nan, 8, with_nan, with_nan, 8, 0.05,
						 &lo, &hi));
	assert_false(stats_student_one(with_nan, 1, 0, &s));
	assert_false(stats_student_one(with_nan, 8, 0, &s));
	assert_true(isnan(stats_student_less(&s, 0)) && isnan(stats_student_half(&s, 0.05)));
	stats_trend(with_nan, 2, &trend);
	assert_true(isnan(trend.slope) && isnan(trend.p));
	assert_true(isnan(stats_log_ratio(0, 1)) && isnan(stats_log_ratio(1, -1)));
	assert_int_equal(stats_signed_rank_k(5, 0.05, NULL), 0);
	assert_int_equal(stats_mann_whitney_k(3, 3, 0.05, NULL), 0);
}

static void test_one_and_two(void **state)
{
	const double two[] = {3, 5}, equal[] = {7, 7, 7};
	struct stats_student s;
	struct stats_test t;

	(void)state;
	stats_signed_rank(two, 1, 0, &t);
	assert_near(t.p_two, 1, 0);
	assert_near(t.p_greater, 0.5, 0);
	stats_signed_rank(two, 2, 0, &t);
	assert_near(t.p_two, 0.5, 0);
	/* df is n - 1 = 1: the quantile is 12.71, not 4.30 */
	assert_true(stats_student_one(two, 2, 0, &s));
	assert_near(stats_student_half(&s, 0.05), 12.706204736174698, 1e-12);
	assert_near(stats_sd(two, 2), sqrt(2), 1e-15);
	assert_near(stats_sd(equal, 3), 0, 0);
	assert_false(stats_student_one(equal, 3, 0, &s));
	assert_true(stats_student_one(equal, 3, 0.01, &s));
	assert_true(isnan(stats_lag1(equal, 3)));
	stats_signed_rank((const double[]){0, 0, 0}, 3, 0, &t);
	assert_near(t.p_two, 1, 0);
	assert_int_equal(t.zeros, 3);
}

static void test_offsets(void **state)
{
	const double far[] = {1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4, 1e9 + 5};
	const double big[] = {1e16, 1, -1e16};

	(void)state;
	assert_near(stats_sd(far, 5), sqrt(2.5), 1e-15);
	assert_near(stats_mean(far, 5), 1e9 + 3, 0);
	assert_near(stats_sum(big, 3), 1, 0);
}

/* Beyond 50 the normal approximation must be close to what the exact distribution says at 50. */
static void test_large(void **state)
{
	double x[STATS_EXACT_MAX + 1], y[STATS_EXACT_MAX + 1];
	struct rng *r = rng_new(11, 0);
	struct stats_test exact, normal;
	double level, lo, hi, lo_less, hi_less;

	(void)state;
	for (size_t i = 0; i <= STATS_EXACT_MAX; i++)
		y[i] = rng_normal(r) + 0.2;
	rng_free(r);
	stats_signed_rank(y, STATS_EXACT_MAX, 0, &exact);
	y[STATS_EXACT_MAX] = 0; /* a zero hardly changes the test but makes it 51 values */
	stats_signed_rank(y, STATS_EXACT_MAX + 1, 0, &normal);
	assert_true(exact.exact && !normal.exact);
	assert_near(normal.p_two, exact.p_two, 0.1);
	assert_near(normal.p_less, exact.p_less, 0.01);
	assert_in_range(stats_signed_rank_k(51, 0.05, &level), 434 + 1, 434 + 36);
	assert_true(level >= 0.95 && level < 0.952);
	(void)stats_mann_whitney_k(60, 70, 0.05, &level);
	assert_true(level >= 0.95 && level < 0.951);
	/* bounds of rounding widen the interval by just that much */
	for (size_t i = 0; i <= STATS_EXACT_MAX; i++)
		x[i] = y[i] + 0.25;
	assert_true(stats_signed_rank_interval(y, y, 51, 0.05, &lo, &hi));
	assert_true(stats_signed_rank_interval(y, x, 51, 0.05, &lo_less, &hi_less));
	assert_near(lo_less, lo, 0);
	assert_near(hi_less, hi + 0.25, 1e-12);
}

static void test_infinite_bounds(void **state)
{
	double lo_side[7], hi_side[7], lo, hi;

	(void)state;
	for (int i = 0; i < 7; i++) {
		lo_side[i] = i < 3 ? -INFINITY : i;
		hi_side[i] = INFINITY;
	}
	assert_true(stats_signed_rank_interval(lo_side, hi_side, 7, 0.05, &lo, &hi));
	assert_true(isinf(lo) && lo < 0 && isinf(hi) && hi > 0);
}

/* The k-th by bisection is the very number that sorting everything gives. */
static void test_selection(void **state)
{
	enum { M = 23, N = 17 };
	double x[M], y[N], all[M * N], walsh[M * (M + 1) / 2];
	struct rng *r = rng_new(12, 0);

	(void)state;
	for (int trial = 0; trial < 50; trial++) {
		size_t count = 0, pairs = 0;
		for (int i = 0; i < M; i++)
			x[i] = trial % 2 ? rng_normal(r) : floor(5 * rng_normal(r));
		for (int i = 0; i < N; i++)
			y[i] = 1e9 + (trial % 2 ? rng_normal(r) : floor(5 * rng_normal(r)));
		double *sx = stats_sorted(x, M), *sy = stats_sorted(y, N);
		for (int i = 0; i < M; i++) {
			for (int j = 0; j < N; j++)
				all[count++] = y[j] - x[i];
			for (int j = i; j < M; j++)
				walsh[pairs++] = (x[i] + x[j]) / 2;
		}
		double *sorted = stats_sorted(all, count), *averages = stats_sorted(walsh, pairs);
		for (uint64_t k = 1; k <= count; k += 7)
			assert_near(stats_differences_kth(sx, M, sy, N, k), sorted[k - 1], 0);
		for (uint64_t k = 1; k <= pairs; k += 5)
			assert_near(stats_walsh_kth(sx, M, k), averages[k - 1], 0);
		free(sorted);
		free(averages);
		free(sx);
		free(sy);
	}
	rng_free(r);
}

/* Ties are ties after a change of scale has rounded them apart. */
static void test_tie_tolerance(void **state)
{
	const double d[] = {0.3, 0.1 + 0.2, -0.3, 1e-17, 0.5, 0.5, -0.1, 0.9};
	const double same[] = {0.3, 0.3, -0.3, 0, 0.5, 0.5, -0.1, 0.9};
	struct stats_test a, b;

	(void)state;
	stats_signed_rank(d, 8, 1e-14, &a);
	stats_signed_rank(same, 8, 0, &b);
	assert_near(a.p_two, b.p_two, 0);
	assert_int_equal(a.zeros, 1);
	assert_true(a.ties);
}

static void test_holm(void **state)
{
	double p[] = {0.01, NAN, 0.04, 0.03, 0.01};

	(void)state;
	assert_int_equal(stats_holm(p, 5, p), 4);
	assert_near(p[0], 0.04, 1e-15);
	assert_true(isnan(p[1]));
	assert_near(p[2], 0.06, 1e-15);
	assert_near(p[3], 0.06, 1e-15);
	assert_near(p[4], 0.04, 1e-15);
	assert_int_equal(stats_holm(p, 0, p), 0);
}

static void test_outliers(void **state)
{
	const double mostly_equal[] = {1, 1, 1, 1, 1, 9};
	const double one_far[] = {1.0, 1.1, 0.9, 1.05, 0.95, 1.2, 4};
	bool marked[7];

	(void)state;
	assert_int_equal(stats_outliers(one_far, 7, marked), 1);
	assert_true(marked[6] && !marked[5]);
	assert_int_equal(stats_outliers(mostly_equal, 6, marked), 1);
	assert_true(marked[5]);
	assert_int_equal(stats_outliers(one_far, 4, marked), 0);
}

static void test_log_ratio(void **state)
{
	struct rng *r = rng_new(13, 0);

	(void)state;
	for (int i = 0; i < 1000; i++) {
		double a = exp(10 * rng_normal(r)), b = a * exp(rng_normal(r));
		assert_near(stats_log_ratio(a, b), -stats_log_ratio(b, a), 0);
		assert_near(stats_log_ratio(a, b), log(b) - log(a), 1e-9);
	}
	assert_near(stats_log_ratio(1e9, 1e9 + 1), 1e-9 - 5e-19, 1e-12);
	rng_free(r);
}

static void test_trend(void **state)
{
	double x[1000];
	struct stats_trend t;

	(void)state;
	for (int i = 0; i < 1000; i++)
		x[i] = 5 + 0.25 * i;
	stats_trend(x, 15, &t);
	assert_near(t.slope, 0.25, 1e-12);
	assert_near(t.p, 2 / 1307674368000.0, 1e-9); /* two orders of 15! */
	stats_trend(x, 1000, &t);
	assert_near(t.slope, 0.25, 1e-9);
	assert_true(t.p < 1e-10);
	for (int i = 0; i < 20; i++)
		x[i] = 3;
	stats_trend(x, 20, &t);
	assert_near(t.slope, 0, 0);
	assert_near(t.p, 1, 0);
}

static void test_power(void **state)
{
	(void)state;
	/* 2 / 2^n below 0.05: 6 pairs alone, 9 in a family of 8 */
	assert_int_equal(stats_fewest_pairs(0.05), 6);
	assert_int_equal(stats_fewest_pairs(0.05 / 8), 9);
	assert_int_equal(stats_fewest_sessions(0.05), 4);
	assert_int_equal(stats_fewest_sessions(0.05 / 8), 6);
	/* t(0.975, 14) + t(0.8, 14) */
	assert_near(stats_detectable(1, 15, 0.05, 0.8), (2.14478669 + 0.86805478) / sqrt(15), 1e-7);
	assert_near(stats_sd_from_half(2.14478669 * 3 / sqrt(15), 15, 0.05), 3, 1e-7);
	size_t n = stats_pairs_for(0.02, 0.03, 0.05, 0.8);
	assert_true(stats_detectable(0.03, n, 0.05, 0.8) <= 0.02);
	assert_true(stats_detectable(0.03, n - 1, 0.05, 0.8) > 0.02);
	assert_int_equal(stats_pairs_for(0, 1, 0.05, 0.8), STATS_PAIRS_MANY);
	assert_true(isnan(stats_detectable(1, 1, 0.05, 0.8)));
}

static void test_looks_plan(void **state)
{
	struct stats_looks p, end;

	(void)state;
	stats_looks_plan(15, &p);
	assert_int_equal(p.n, 4); /* 8 of 15 is too early to show anything */
	assert_int_equal(p.at[0], 9);
	assert_int_equal(p.at[1], 11);
	assert_int_equal(p.at[2], 13);
	assert_int_equal(p.at[3], 15);
	stats_looks_end(&p, 12, &end);
	assert_int_equal(end.n, 3);
	assert_int_equal(end.at[2], 12);
	assert_int_equal(end.n_max, 15);
	stats_looks_plan(5, &p);
	assert_int_equal(p.n, 1);
	assert_int_equal(p.at[0], 5);
	stats_looks_plan(0, &p);
	assert_int_equal(p.at[0], 1);
	for (int n = 1; n < 200; n++) {
		stats_looks_plan(n, &p);
		assert_int_equal(p.at[p.n - 1], n);
		for (size_t k = 1; k < p.n; k++)
			assert_true(p.at[k] > p.at[k - 1]);
	}
}

struct orders {
	int size[7]; /* order of the absolute values */
	struct stats_looks looks;
	double level[STATS_LOOKS_MAX];
	uint64_t rejected, all;
};

static bool rejects(const struct orders *o, unsigned signs, size_t k)
{
	int n = o->looks.at[k], w = 0;

	for (int i = 0; i < n; i++) {
		int rank = 1;
		for (int j = 0; j < n; j++)
			rank += o->size[j] < o->size[i];
		w += signs >> i & 1 ? rank : 0;
	}
	return o->level[k] > 0 && stats_signed_rank_cdf((size_t)n, w) <= o->level[k] * (1 + 1e-9);
}

static void each_order(struct orders *o, int at)
{
	for (int i = at; i < 7; i++) {
		int swap = o->size[at];
		o->size[at] = o->size[i];
		o->size[i] = swap;
		each_order(o, at + 1);
		o->size[i] = o->size[at];
		o->size[at] = swap;
	}
	for (unsigned signs = 0; at == 7 && signs < 128; signs++) {
		bool any = false;
		for (size_t k = 0; k < o->looks.n && !any; k++)
			any = rejects(o, signs, k);
		o->rejected += any;
		o->all++;
	}
}

/* Every order of seven sizes with all signs: the chance to reject at any look is what it says. */
static void test_looks_exhaustive(void **state)
{
	const double alphas[] = {0.025, 0.05, 0.2};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct orders o = {.looks = {.n_max = 7, .n = 3, .at = {5, 6, 7}}};
		double share, plain;
		for (int j = 0; j < 7; j++)
			o.size[j] = j;
		stats_looks_levels(&o.looks, alphas[i], o.level);
		each_order(&o, 0);
		share = (double)o.rejected / (double)o.all;
		plain = o.level[0] + o.level[1] + o.level[2];
		assert_int_equal(o.all, 5040 * 128);
		assert_true(share <= alphas[i]);
		/* the bound counts the overlap of neighbouring looks, so it is not just the sum */
		if (o.level[1] > 0)
			assert_true(share < plain);
		assert_true(share > alphas[i] / 2);
	}
}

static void test_looks_levels(void **state)
{
	struct stats_looks p;
	struct stats_looks_scale s;
	double level[STATS_LOOKS_MAX];

	(void)state;
	for (int n = 6; n <= 120; n += 3) {
		stats_looks_plan(n, &p);
		stats_looks_levels(&p, 0.025, level);
		for (size_t k = 0; k < p.n; k++)
			assert_true(level[k] > 0 && level[k] <= 0.025);
		/* little is spent early, most of it is left for the end */
		assert_true(level[p.n - 1] > 0.012);
		assert_true(p.n == 1 || level[0] < level[p.n - 1]);
		if (p.n == 1)
			continue;
		stats_looks_scale(&p, p.n - 1, 0.025, 10, &s);
		for (size_t i = 1; i < s.n; i++)
			assert_true(s.level[i] <= s.level[i - 1] && s.alpha[i] < s.alpha[i - 1]);
		/* just what the level allows, and just not */
		assert_true(stats_looks_overall(&s, s.level[0]) < 0.025);
		assert_true(stats_looks_overall(&s, s.level[0] * 1.01) > 0.025);
		/* Holm's first step of ten uses the level for a tenth */
		assert_true(10 * stats_looks_overall(&s, s.level[9]) < 0.025);
		if (s.level[8] > s.level[9])
			assert_true(10 * stats_looks_overall(&s, s.level[8]) > 0.025);
	}
	/* one look is the plain test */
	stats_looks_plan(5, &p);
	stats_looks_scale(&p, 0, 0.025, 3, &s);
	assert_near(stats_looks_overall(&s, 0.0123), 0.0123, 0);
	assert_true(isnan(stats_looks_overall(&s, NAN)));
	/* a family too large for a level each still ends at its own size */
	stats_looks_plan(15, &p);
	stats_looks_scale(&p, 3, 0.025, 1000, &s);
	assert_true(s.n <= STATS_LOOKS_SCALE_MAX);
	bool own = false;
	for (size_t i = 0; i < s.n; i++)
		own |= fabs(s.alpha[i] - 0.025 / 1000) < 1e-15;
	assert_true(own);
}

static void test_speed(void **state)
{
	enum { N = 100000 };
	double *x = mem_array(N, sizeof(*x)), *y = mem_array(N, sizeof(*y)), lo, hi;
	struct rng *r = rng_new(14, 0);
	struct stats_test t;

	(void)state;
	for (int i = 0; i < N; i++) {
		x[i] = 0.03 * rng_normal(r);
		y[i] = 0.01 + 0.03 * rng_normal(r);
	}
	clock_t start = clock();
	double *sx = stats_sorted(x, N), *sy = stats_sorted(y, N);
	double shift = stats_differences_median(sx, N, sy, N);
	assert_true(stats_mann_whitney_interval(x, x, N, y, y, N, 0.05, &lo, &hi));
	stats_mann_whitney(x, N, y, N, 0, &t);
	double took = (double)(clock() - start) / CLOCKS_PER_SEC;
	assert_true(lo < shift && shift < hi && t.p_two < 1e-10);
	assert_near(shift, 0.01, 0.1);
	/* under a second on an ordinary machine; a quadratic method would take minutes */
	assert_true(took < 5);
	free(x);
	free(y);
	free(sx);
	free(sy);
	rng_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_and_nan), cmocka_unit_test(test_one_and_two),
		cmocka_unit_test(test_offsets),         cmocka_unit_test(test_large),
		cmocka_unit_test(test_infinite_bounds), cmocka_unit_test(test_selection),
		cmocka_unit_test(test_tie_tolerance),   cmocka_unit_test(test_holm),
		cmocka_unit_test(test_outliers),        cmocka_unit_test(test_log_ratio),
		cmocka_unit_test(test_trend),           cmocka_unit_test(test_power),
		cmocka_unit_test(test_looks_plan),      cmocka_unit_test(test_looks_exhaustive),
		cmocka_unit_test(test_looks_levels),    cmocka_unit_test(test_speed),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
