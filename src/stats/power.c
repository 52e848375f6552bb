#include "stats/power.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

double stats_sd_from_half(double half, size_t n, double alpha)
{
	if (n < 2 || isnan(half))
		return NAN;
	return half * sqrt((double)n) / gsl_cdf_tdist_Qinv(alpha / 2, (double)n - 1);
}

double stats_detectable(double sd, size_t n, double alpha, double power)
{
	if (n < 2 || isnan(sd))
		return NAN;
	double df = (double)n - 1;
	double t = gsl_cdf_tdist_Qinv(alpha / 2, df) + gsl_cdf_tdist_Pinv(power, df);
	return t * sd / sqrt((double)n);
}

size_t stats_pairs_for(double effect, double sd, double alpha, double power)
{
	size_t lo = 2, hi = STATS_PAIRS_MANY;

	if (!(fabs(effect) > 0) || isnan(sd) ||
	    stats_detectable(sd, hi, alpha, power) > fabs(effect))
		return hi;
	/* what can be detected shrinks with n: the first n that reaches the effect */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (stats_detectable(sd, mid, alpha, power) <= fabs(effect))
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

size_t stats_fewest_pairs(double alpha)
{
	size_t n = 1;

	while (n < 1000 && !(ldexp(2, -(int)n) < alpha))
		n++;
	return n;
}

size_t stats_fewest_sessions(double alpha)
{
	double choices = 2; /* C(2n, n) */
	size_t n = 1;

	while (n < 500 && !(2 / choices < alpha)) {
		n++;
		choices *= (2 * (double)n - 1) * 2 / (double)n;
	}
	return n;
}
