#include "stats/describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

bool stats_all_numbers(const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (isnan(x[i]))
			return false;
	}
	return true;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double *stats_sorted(const double *x, size_t n)
{
	double *v = mem_array(n, sizeof(*v));

	if (n > 0) {
		memcpy(v, x, n * sizeof(*v));
		qsort(v, n, sizeof(*v), by_value);
	}
	return v;
}

struct running {
	double sum, lost; /* lost: what rounding took from sum so far */
};

static void running_add(struct running *r, double v)
{
	double t = r->sum + v;

	if (fabs(r->sum) >= fabs(v))
		r->lost += (r->sum - t) + v;
	else
		r->lost += (v - t) + r->sum;
	r->sum = t;
}

static double running_total(const struct running *r)
{
	return isfinite(r->sum) ? r->sum + r->lost : r->sum;
}

double stats_sum(const double *x, size_t n)
{
	struct running r = {0};

	for (size_t i = 0; i < n; i++)
		running_add(&r, x[i]);
	return running_total(&r);
}

double stats_mean(const double *x, size_t n)
{
	struct running r = {0};

	if (n == 0)
		return NAN;
	for (size_t i = 0; i < n; i++)
		running_add(&r, x[i] - x[0]);
	return x[0] + running_total(&r) / (double)n;
}

double stats_sd(const double *x, size_t n)
{
	if (n < 2)
		return NAN;

	struct running sum = {0};
	for (size_t i = 0; i < n; i++)
		running_add(&sum, x[i] - x[0]);

	double mean = running_total(&sum) / (double)n; /* of the deviations from x[0] */
	struct running square = {0}, rest = {0};
	for (size_t i = 0; i < n; i++) {
		double e = (x[i] - x[0]) - mean;
		running_add(&square, e * e);
		running_add(&rest, e);
	}
	double r = running_total(&rest);
	double ss = running_total(&square) - r * r / (double)n;
	if (isnan(ss))
		return NAN;
	return ss > 0 ? sqrt(ss / (double)(n - 1)) : 0;
}

double stats_median(const double *x, size_t n)
{
	if (n == 0 || !stats_all_numbers(x, n))
		return NAN;

	double *v = stats_sorted(x, n);
	double m = n % 2 == 1 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
	free(v);
	return m;
}

double stats_lag1(const double *x, size_t n)
{
	if (n < 3)
		return NAN;

	double mean = stats_mean(x, n);
	struct running product = {0}, square = {0};
	for (size_t i = 0; i < n; i++) {
		double e = x[i] - mean;
		running_add(&square, e * e);
		if (i + 1 < n)
			running_add(&product, e * (x[i + 1] - mean));
	}
	double ss = running_total(&square);
	return ss > 0 ? running_total(&product) / ss : NAN;
}

size_t stats_outliers(const double *x, size_t n, bool *marked)
{
	const double far = 3.5;
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		marked[i] = false;
	if (n < 5 || !stats_all_numbers(x, n))
		return 0;

	double median = stats_median(x, n);
	double *away = mem_array(n, sizeof(*away));
	for (size_t i = 0; i < n; i++)
		away[i] = fabs(x[i] - median);
	double scale = 1.4826 * stats_median(away, n);
	if (!(scale > 0))
		scale = 1.253314 * stats_mean(away, n);
	for (size_t i = 0; i < n && scale > 0; i++) {
		marked[i] = away[i] > far * scale;
		count += marked[i];
	}
	free(away);
	return count;
}

double stats_log_ratio(double a, double b)
{
	if (!(a > 0) || !(b > 0))
		return NAN;
	if (isinf(a) || isinf(b))
		return isinf(a) && isinf(b) ? NAN : isinf(b) ? INFINITY : -INFINITY;
	if (b >= a)
		return b / a < 2 ? log1p((b - a) / a) : log(b / a);
	return a / b < 2 ? -log1p((a - b) / b) : -log(a / b);
}
