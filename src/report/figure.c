#include "report/figure.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "stats/student.h"

enum {
	DIGITS_MAX = 6,     /* significant digits of a mean: more is never known */
	DIGITS_UNKNOWN = 4, /* when nothing is known of the uncertainty */
	PERCENT_DECIMALS_MIN = -1,
	PERCENT_DECIMALS_MAX = 2,
	TIMES_DECIMALS_MIN = 1,
	TIMES_DECIMALS_MAX = 3,
	CHANGE_DECIMALS_MOST = 9, /* however close to -100 % or 0x it is */
	ALPHA_PER_MILLE = 50, /* the interval whose width decides how many digits mean something */
};

/* An error above this share of the figure has one digit of it shown, not two. */
#define ERROR_LARGE 0.1
/* One reading with a finer step was not printed by anybody: it is a clock that counts so far. */
#define STEP_FINE 1e-5

static double mean_of(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	double mean = sum / (double)n;
	/* a second pass takes out what rounding left in the first */
	sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += v[i] - mean;
	return mean + sum / (double)n;
}

static double sd_of(const double *v, size_t n, double mean)
{
	double sum = 0;

	if (n < 2)
		return NAN;
	for (size_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sqrt(sum / (double)(n - 1));
}

struct figure figure_of(const double *values, const double *steps, size_t n)
{
	struct figure f = {.n = n};

	if (n == 0)
		return f;
	f.mean = mean_of(values, n);
	f.sd = sd_of(values, n, f.mean);
	f.error = f.sd / sqrt((double)n);
	if (steps != NULL)
		f.step = mean_of(steps, n);
	return f;
}

static struct change change_of_means(double baseline, double candidate, enum metric_direction d)
{
	struct change c = {.error = NAN};

	if (!(baseline > 0) || !(candidate > 0))
		return c;
	c.known = true;
	c.ratio = d == MORE_IS_BETTER ? baseline / candidate : candidate / baseline;
	c.percent = (c.ratio - 1) * 100;
	c.times = 1 / c.ratio;
	return c;
}

struct change change_of_pairs(const double *baseline, const double *candidate, size_t n,
			      enum metric_direction d)
{
	struct change c = {.error = NAN};
	if (n == 0)
		return c;
	double mean_b = mean_of(baseline, n), mean_c = mean_of(candidate, n);
	c = change_of_means(mean_b, mean_c, d);
	c.n = n;
	if (!c.known || n < 2)
		return c;
	/* how the ratio of two means varies, to first order; a value of 0 is no obstacle */
	double *part = mem_array(n, sizeof(*part));
	for (size_t i = 0; i < n; i++)
		part[i] = candidate[i] / mean_c - baseline[i] / mean_b;
	c.error = sd_of(part, n, mean_of(part, n)) / sqrt((double)n);
	free(part);
	return c;
}

struct change change_of_figures(const struct figure *baseline, const struct figure *candidate,
				enum metric_direction d)
{
	struct change c = {.error = NAN};

	if (baseline->n == 0 || candidate->n == 0)
		return c;
	c = change_of_means(baseline->mean, candidate->mean, d);
	c.n = baseline->n < candidate->n ? baseline->n : candidate->n;
	if (c.known)
		c.error =
			hypot(baseline->error / baseline->mean, candidate->error / candidate->mean);
	return c;
}

/* Place of the first digit: 0 for 1..9.99, -2 for 0.05. */
static int magnitude(double v)
{
	return (int)floor(log10(v) + 1e-9);
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

/*
 * The error that digits go by: of few values it is badly known itself, and Student's t says how
 * badly.
 */
static double error_of_few(double error, size_t n)
{
	const struct stats_student few = {0, error, (double)n - 1};
	const struct stats_student many = {0, error, 1e6};
	const double alpha = ALPHA_PER_MILLE / 1000.0;

	if (n < 2 || !(error > 0) || !isfinite(error))
		return error;
	return error * stats_student_half(&few, alpha) / stats_student_half(&many, alpha);
}

/* Two digits of the error, or one where the figure is hardly known. */
static int decimals_of_error(double value, double error)
{
	return (error > ERROR_LARGE * fabs(value) ? 0 : 1) - magnitude(error);
}

int figure_decimals_least(double value)
{
	return isfinite(value) && value != 0 ? -magnitude(fabs(value)) : INT_MIN;
}

int figure_decimals(double value, double error, double step, size_t n)
{
	bool has_value = isfinite(value) && value != 0;
	int unknown = has_value ? DIGITS_UNKNOWN - 1 - magnitude(fabs(value)) : 0;
	int most = has_value ? DIGITS_MAX - 1 - magnitude(fabs(value)) : DIGITS_MAX;
	int decimals = unknown;

	if (error > 0 && isfinite(error))
		decimals = decimals_of_error(value, error_of_few(error, n));
	/* one reading tells no more than its last digit; a mean of several one digit more */
	if (step > 0 && n == 1)
		decimals = step < STEP_FINE * fabs(value) ? unknown : -magnitude(step);
	else if (step > 0)
		decimals = error > 0 ? least(decimals, 1 - magnitude(step)) : -magnitude(step);
	return least(decimals, most);
}

void figure_add(struct buf *b, double value, int decimals)
{
	if (decimals < 0) {
		double unit = pow(10, -decimals);
		value = round(value / unit) * unit;
		decimals = 0;
	}
	size_t from = b->len;
	buf_addf(b, "%.*f", decimals, value);
	/* "-0.00" is zero */
	if (b->data[from] == '-' && strspn(b->data + from + 1, "0.") == b->len - from - 1) {
		memmove(b->data + from, b->data + from + 1, b->len - from);
		b->len--;
	}
}

/* Decimals of a value whose relative standard error is c's, within [min, max]. */
static int change_decimals(const struct change *c, double value, double step_share, int min,
			   int max)
{
	int decimals = max - 1;
	double scale = fabs(value);

	if (c->error > 0 && isfinite(c->error))
		decimals = decimals_of_error(value, error_of_few(c->error, c->n) * scale);
	else if (step_share >
		 (c->n == 1 ? STEP_FINE : 0)) /* rounding is off by this, in the mean */
		decimals = decimals_of_error(value, step_share * scale / sqrt(12));
	return decimals < min ? min : least(decimals, max);
}

/* Enough decimals, but at most so many, that what is not limit is not printed as limit. */
static int apart_from(double limit, double value, int decimals, int most)
{
	while (value != limit && decimals < most && fabs(value - limit) < 0.5 * pow(10, -decimals))
		decimals++;
	return decimals;
}

void change_add_percent(struct buf *b, const struct change *c, double step_share)
{
	/* an error of the ratio is 100 times as many percent points */
	int decimals = change_decimals(c, 100 * c->ratio, step_share, PERCENT_DECIMALS_MIN,
				       PERCENT_DECIMALS_MAX);
	size_t from = b->len;

	/* "0 %" and "1.0x" would say that nothing differs where it is only badly known */
	decimals = apart_from(0, c->percent, decimals, 0);
	figure_add(b, c->percent, apart_from(-100, c->percent, decimals, CHANGE_DECIMALS_MOST));
	if (c->percent > 0 && strspn(b->data + from, "0.") < b->len - from) {
		char *number = mem_strdup(b->data + from);
		b->len = from;
		buf_addf(b, "+%s", number);
		free(number);
	}
	buf_addstr(b, " %");
}

void change_add_times(struct buf *b, const struct change *c, double step_share)
{
	int decimals =
		change_decimals(c, c->times, step_share, TIMES_DECIMALS_MIN, TIMES_DECIMALS_MAX);

	decimals = apart_from(1, c->times, decimals, 2);
	figure_add(b, c->times, apart_from(0, c->times, decimals, CHANGE_DECIMALS_MOST));
	buf_addch(b, 'x');
}
