#include "stats/student.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "stats/describe.h"

static bool finish(struct stats_student *out)
{
	if (out->error > 0 && isfinite(out->error) && isfinite(out->estimate) && out->df > 0)
		return true;
	*out = (struct stats_student){NAN, NAN, NAN};
	return false;
}

bool stats_student_one(const double *d, size_t n, double variance, struct stats_student *out)
{
	double sd = stats_sd(d, n);

	out->estimate = stats_mean(d, n);
	out->error = sqrt((sd * sd + variance) / (double)n);
	out->df = (double)n - 1;
	return finish(out);
}

bool stats_student_welch(const double *x, size_t m, const double *y, size_t n,
			 struct stats_student *out)
{
	double sx = stats_sd(x, m), sy = stats_sd(y, n);
	double vx = sx * sx / (double)m, vy = sy * sy / (double)n;

	out->estimate = stats_mean(y, n) - stats_mean(x, m);
	out->error = sqrt(vx + vy);
	out->df = (vx + vy) * (vx + vy) / (vx * vx / ((double)m - 1) + vy * vy / ((double)n - 1));
	return finish(out);
}

double stats_student_less(const struct stats_student *s, double at)
{
	if (isnan(s->estimate) || isnan(at))
		return NAN;
	/* the upper tail of the mirrored statistic: mirrored data give the mirrored p exactly */
	return gsl_cdf_tdist_Q((at - s->estimate) / s->error, s->df);
}

double stats_student_greater(const struct stats_student *s, double at)
{
	if (isnan(s->estimate) || isnan(at))
		return NAN;
	return gsl_cdf_tdist_Q((s->estimate - at) / s->error, s->df);
}

double stats_student_half(const struct stats_student *s, double alpha)
{
	if (isnan(s->estimate) || !(alpha > 0 && alpha < 1))
		return NAN;
	return gsl_cdf_tdist_Qinv(alpha / 2, s->df) * s->error;
}
