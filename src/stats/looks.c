#include "stats/looks.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stats/signed_rank.h"

void stats_looks_end(const struct stats_looks *plan, int rounds, struct stats_looks *out)
{
	*out = (struct stats_looks){.n_max = plan->n_max};
	for (size_t i = 0; i < plan->n && plan->at[i] < rounds; i++) {
		if (out->n < STATS_LOOKS_MAX - 1)
			out->at[out->n++] = plan->at[i];
	}
	out->at[out->n++] = rounds;
}

/* A look that can reject: after n rounds, for a rank sum of at most c. */
struct boundary {
	int n;
	int64_t c;
	double level;
};

/* One rank of joint_exact(): p of one (a, W1), by W2, gets its share of the states before. */
static void joint_row(double *to, const double *unpaired, const double *paired, double out,
		      double in, int64_t rank, int64_t most)
{
	for (int64_t w = most; w >= 0; w--) {
		double p = out * to[w];
		if (unpaired != NULL)
			p += in * unpaired[w];
		if (w >= rank) {
			p += out * to[w - rank];
			if (paired != NULL)
				p += in * paired[w - rank];
		}
		to[w] = p;
	}
}

/*
 * P(W1 <= c1 and W2 = w) for w = 0..most, where W1 is the statistic of the first n1 of n2
 * differences: rank by rank, a counts those of the first n1 seen so far, which are a random
 * choice, and give the ranks among them.
 */
static double *joint_exact(const struct boundary *first, int n2, int64_t most)
{
	size_t sums = (size_t)most + 1, plane = ((size_t)first->c + 1) * sums;
	double *f = mem_array((size_t)first->n + 1, plane * sizeof(*f));
	double *joint = mem_array(sums, sizeof(*joint));

	f[0] = 1;
	for (int r = 1; r <= n2; r++) {
		int64_t reach = (int64_t)r * (r + 1) / 2 < most ? (int64_t)r * (r + 1) / 2 : most;
		double left = n2 - r + 1;
		for (int a = r < first->n ? r : first->n; a >= 0 && a >= r - n2 + first->n; a--) {
			double out = fmax(0, 0.5 * (1 - (first->n - a) / left));
			double in = 0.5 * (first->n - a + 1) / left;
			double *to = f + (size_t)a * plane;
			for (int64_t w1 = first->c; w1 >= 0; w1--) {
				double *row = to + (size_t)w1 * sums;
				joint_row(row, a > 0 ? row - plane : NULL,
					  a > 0 && w1 >= a ? row - plane - (size_t)a * sums : NULL,
					  out, in, r, reach);
			}
		}
	}
	for (size_t i = 0; i < plane; i++)
		joint[i % sums] += f[(size_t)first->n * plane + i];
	free(f);
	return joint;
}

/* P(X <= x and Y <= y), standard normal with correlation rho, by Simpson's rule over X. */
static double joint_normal(double x, double y, double rho)
{
	const double low = -9;
	const int steps = 400;
	double h = (x - low) / steps, sum = 0, rest = sqrt(1 - rho * rho);

	if (x <= low)
		return 0;
	for (int i = 0; i <= steps; i++) {
		double u = low + h * i, weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
		sum += weight * gsl_ran_ugaussian_pdf(u) *
		       gsl_cdf_ugaussian_P((y - rho * u) / rest);
	}
	return sum * h / 3;
}

/* Correlation of the statistics after n1 and n2 rounds; the later rank of a value of rank r is
 * r (n2 + 1) / (n1 + 1) on average. */
static double correlation(double n1, double n2)
{
	return sqrt((n2 + 1) * n1 * (2 * n1 + 1) / ((n1 + 1) * n2 * (2 * n2 + 1)));
}

/* P(W <= c here and the boundary before was met), for one c. */
static double joint_at(const struct boundary *before, const double *exact, int n, int64_t c)
{
	double sum = 0;

	if (before->c < 0)
		return 0;
	for (int64_t w = 0; exact != NULL && w <= c; w++)
		sum += exact[w];
	if (exact != NULL)
		return sum;
	return joint_normal(gsl_cdf_ugaussian_Pinv(before->level),
			    gsl_cdf_ugaussian_Pinv(stats_signed_rank_cdf((size_t)n, c)),
			    correlation(before->n, n));
}

/* The largest c with P(W <= c) at most p after n rounds; -1 when there is none. */
static int64_t largest_sum(int n, double p)
{
	int64_t lo = -1, hi = (int64_t)n * (n + 1) / 4;

	while (lo < hi) {
		int64_t mid = lo + (hi - lo + 1) / 2;
		if (stats_signed_rank_cdf((size_t)n, mid) <= p)
			lo = mid;
		else
			hi = mid - 1;
	}
	return lo;
}

/* The boundary of one look that spends at most `may`; *spent becomes what it spends at most. */
static struct boundary find_boundary(const struct boundary *before, int n, double may,
				     double *spent)
{
	double room = before->c < 0 ? may : may + before->level;
	int64_t lo = -1, hi = largest_sum(n, room);
	double *exact = NULL;
	struct boundary b = {.n = n, .c = -1};

	*spent = 0;
	if (before->c >= 0 && hi >= 0 && n <= STATS_LOOKS_EXACT)
		exact = joint_exact(before, n, hi);
	while (lo < hi) {
		int64_t mid = lo + (hi - lo + 1) / 2;
		double p = stats_signed_rank_cdf((size_t)n, mid);
		if (p - joint_at(before, exact, n, mid) <= may)
			lo = mid;
		else
			hi = mid - 1;
	}
	if (lo >= 0) {
		b.c = lo;
		b.level = stats_signed_rank_cdf((size_t)n, lo);
		*spent = fmax(0, b.level - joint_at(before, exact, n, lo));
	}
	free(exact);
	return b;
}

void stats_looks_levels(const struct stats_looks *looks, double alpha, double *level)
{
	struct boundary before = {.c = -1};
	double z = gsl_cdf_ugaussian_Qinv(alpha / 2), used = 0;

	for (size_t k = 0; k < looks->n; k++) {
		double t = (double)looks->at[k] / looks->n_max, spent;
		double may = k + 1 == looks->n ? alpha : 2 * gsl_cdf_ugaussian_Q(z / sqrt(t));
		struct boundary b = find_boundary(&before, looks->at[k], may - used, &spent);
		level[k] = b.level;
		used += spent;
		if (b.c >= 0)
			before = b;
	}
}

/* Looks at which not even a single test could show anything tell nothing. */
static void drop_idle(struct stats_looks *looks)
{
	double level[STATS_LOOKS_MAX];
	size_t kept = 0;

	stats_looks_levels(looks, STATS_LOOKS_ALPHA, level);
	for (size_t k = 0; k < looks->n; k++) {
		if (level[k] > 0 || k + 1 == looks->n)
			looks->at[kept++] = looks->at[k];
	}
	looks->n = kept;
}

void stats_looks_plan(int n_max, struct stats_looks *out)
{
	static const int fifteenths[STATS_LOOKS_MAX] = {8, 9, 11, 13, 15};

	*out = (struct stats_looks){.n_max = n_max > 1 ? n_max : 1};
	for (size_t i = 0; i < STATS_LOOKS_MAX; i++) {
		int at = (int)lround((double)out->n_max * fifteenths[i] / 15);
		bool last = at >= out->n_max;
		bool new = out->n == 0 || at > out->at[out->n - 1];
		if (last || (new &&at >= STATS_LOOKS_FIRST))
			out->at[out->n++] = at;
		if (last)
			break;
	}
	drop_idle(out);
}

void stats_looks_scale(const struct stats_looks *looks, size_t look, double alpha, size_t family,
		       struct stats_looks_scale *out)
{
	const size_t beyond = 8; /* finer levels than the family needs, to show small p as small */
	double share = 1, last = (double)(family > 0 ? family : 1), least = 1;

	*out = (struct stats_looks_scale){.plain = looks->n == 1};
	while (!out->plain && out->n < STATS_LOOKS_SCALE_MAX - beyond) {
		out->alpha[out->n++] = alpha / share;
		if (share >= last)
			break;
		/* each j up to 24, then in steps; the family's own size in any case */
		share = share < 24 ? share + 1 : floor(share * 1.2);
		if (share > last || out->n == STATS_LOOKS_SCALE_MAX - beyond - 1)
			share = last;
	}
	for (size_t i = 0; i < beyond && !out->plain; i++) {
		share = last * ldexp(1, 2 * (int)i + 1);
		out->alpha[out->n++] = alpha / share;
	}
	for (size_t i = 0; i < out->n; i++) {
		double level[STATS_LOOKS_MAX];
		stats_looks_levels(looks, out->alpha[i], level);
		least = fmin(least, level[look]);
		out->level[i] = least;
	}
}

double stats_looks_overall(const struct stats_looks_scale *scale, double p)
{
	const double below = 1 - 1e-9; /* so that alpha itself, times j, stays below the level */

	if (scale->plain || isnan(p))
		return p;
	for (size_t i = scale->n; i-- > 0;) {
		if (p <= scale->level[i])
			return scale->alpha[i] * below;
	}
	if (!(scale->level[0] > 0))
		return 1;
	return fmin(1, scale->alpha[0] * p / scale->level[0]);
}
