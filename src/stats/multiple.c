#include "stats/multiple.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

struct item {
	double p;
	size_t index;
};

static int by_p(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->p < y->p || x->p > y->p)
		return x->p < y->p ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

size_t stats_holm(const double *p, size_t n, double *adjusted)
{
	struct item *items = mem_array(n, sizeof(*items));
	size_t m = 0;
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		if (!isnan(p[i]))
			items[m++] = (struct item){p[i], i};
		adjusted[i] = p[i];
	}
	if (m > 0)
		qsort(items, m, sizeof(*items), by_p);
	for (size_t i = 0; i < m; i++) {
		most = fmax(most, fmin(1, (double)(m - i) * items[i].p));
		adjusted[items[i].index] = most;
	}
	free(items);
	return m;
}
