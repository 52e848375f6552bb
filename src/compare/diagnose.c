#include <math.h>
#include <stdlib.h>

#include "compare/internal.h"
#include "stats/describe.h"
#include "stats/mann_whitney.h"
#include "stats/pairwise.h"

enum { ORDER_LEAST = 3 }; /* pairs in each order, to say anything of its effect */

/*
 * With the candidate second, a pair's log ratio is truth + effect; with the baseline second, truth
 * - effect. So half the shift between the two groups is the effect of the place, whatever the
 * truth, and Mann-Whitney tests it.
 */
static void position_effect(struct comparison *c, const double *log)
{
	double *first = mem_array(c->units.n, sizeof(*first));
	double *second = mem_array(c->units.n, sizeof(*second));
	struct compare_position *p = &c->position;

	for (size_t i = 0; i < c->units.n; i++) {
		if (c->units.v[i].order > 0)
			second[p->baseline_first++] = log[i];
		else if (c->units.v[i].order < 0)
			first[p->candidate_first++] = log[i];
	}
	if (p->baseline_first >= ORDER_LEAST && p->candidate_first >= ORDER_LEAST) {
		struct stats_test t;
		stats_mann_whitney(first, p->candidate_first, second, p->baseline_first,
				   COMPARE_TIE, &t);
		p->p = t.p_two;
		double *x = stats_sorted(first, p->candidate_first);
		double *y = stats_sorted(second, p->baseline_first);
		p->log = stats_differences_median(x, p->candidate_first, y, p->baseline_first) / 2;
		free(x);
		free(y);
	}
	free(first);
	free(second);
}

static void mark_outliers(struct comparison *c, const double *log)
{
	bool *marked = mem_array(c->units.n, sizeof(*marked));

	c->outliers = stats_outliers(log, c->units.n, marked);
	for (size_t i = 0; i < c->units.n; i++)
		c->units.v[i].outlier = marked[i];
	free(marked);
}

void diagnose_paired(struct comparison *c)
{
	size_t n = c->units.n;
	double *log = mem_array(n, sizeof(*log)), *level = mem_array(n, sizeof(*level));

	for (size_t i = 0; i < n; i++) {
		const struct compare_unit *u = &c->units.v[i];
		double both =
			(stats_log_ratio(1, u->baseline) + stats_log_ratio(1, u->candidate)) / 2;
		log[i] = u->log;
		level[i] = c->direction == LESS_IS_BETTER ? both : -both;
	}
	position_effect(c, log);
	stats_trend(log, n, &c->trend);
	stats_trend(level, n, &c->drift);
	c->lag1 = stats_lag1(log, n);
	mark_outliers(c, log);
	free(log);
	free(level);
}
