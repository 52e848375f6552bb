#include <stdlib.h>

#include "compare/internal.h"

/*
 * A check finds a difference when it is shown as any other would be, whether or not it lies within
 * the margin. Metrics that the check could not judge leave no finding.
 */
void compare_findings_add(struct compare_findings *f, const struct comparison_set *s,
			  int64_t experiment, int64_t unix_ns)
{
	for (size_t i = 0; i < s->v.n; i++) {
		const struct comparison *c = &s->v.v[i];
		if (c->verdict == VERDICT_NONE)
			continue;
		struct compare_finding *x = vec_add(&f->v);
		x->metric = mem_strdup(c->metric);
		x->conditions = mem_strdup(c->conditions);
		x->difference = c->verdict == VERDICT_FASTER || c->verdict == VERDICT_SLOWER ||
				c->within_margin;
		x->estimate = c->estimate;
		x->experiment = experiment;
		x->unix_ns = unix_ns;
	}
}

void compare_findings_release(struct compare_findings *f)
{
	for (size_t i = 0; i < f->v.n; i++) {
		free(f->v.v[i].metric);
		free(f->v.v[i].conditions);
	}
	vec_release(&f->v);
}
