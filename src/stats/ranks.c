#include "stats/ranks.h"

#include <gsl/gsl_cdf.h>
#include <stdlib.h>

#include "base/mem.h"

struct item {
	double value;
	size_t index;
};

static int by_value(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->value < y->value || x->value > y->value)
		return x->value < y->value ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

void stats_midranks_make(const double *x, size_t n, double tie, struct stats_midranks *out)
{
	struct item *items = mem_array(n, sizeof(*items));

	*out = (struct stats_midranks){.doubled = mem_array(n, sizeof(*out->doubled))};
	for (size_t i = 0; i < n; i++)
		items[i] = (struct item){x[i], i};
	if (n > 0)
		qsort(items, n, sizeof(*items), by_value);
	for (size_t first = 0, last; first < n; first = last) {
		last = first + 1;
		while (last < n && !(items[last].value - items[last - 1].value > tie))
			last++;
		for (size_t i = first; i < last; i++)
			out->doubled[items[i].index] = (int64_t)(first + 1 + last);
		double t = (double)(last - first);
		out->tie_cubes += t * t * t - t;
		out->ties |= last - first > 1;
	}
	free(items);
}

void stats_midranks_release(struct stats_midranks *r)
{
	free(r->doubled);
	*r = (struct stats_midranks){0};
}

double stats_upper_tail(double value, double mean, double sd, double half)
{
	if (!(sd > 0))
		return 1;
	return gsl_cdf_ugaussian_Q((value - mean - half) / sd);
}
