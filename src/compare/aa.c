#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"

#include "compare/internal.h"

static bool found_difference(const struct comparison *c)
{
	return c->verdict == VERDICT_FASTER || c->verdict == VERDICT_SLOWER || c->within_margin;
}

/* So few rounds that they find nothing whatever there is clear nothing either. */
static bool is_finding(const struct comparison *c)
{
	return c->verdict != VERDICT_NONE && (found_difference(c) || c->n >= c->pairs_fewest);
}

/*
 * A check finds a difference when it is shown as any other would be, whether or not it lies within
 * the margin. Metrics that the check could not judge leave no finding.
 */
void compare_findings_add(struct compare_findings *f, const struct comparison_set *s,
			  int64_t experiment, int64_t unix_ns)
{
	for (size_t i = 0; i < s->v.n; i++) {
		const struct comparison *c = &s->v.v[i];
		if (!is_finding(c))
			continue;
		struct compare_finding *x = vec_add(&f->v);
		x->metric = mem_strdup(c->metric);
		x->conditions = mem_strdup(c->conditions);
		x->system = COMPARE_ANY_SYSTEM;
		x->difference = found_difference(c);
		x->estimate = c->estimate;
		x->experiment = experiment;
		x->unix_ns = unix_ns;
	}
}

const struct compare_finding *aa_finding(const struct compare_findings *aa,
					 const struct comparison *c)
{
	const size_t sides[] = {c->baseline_system, c->candidate_system};
	const struct compare_finding *last = NULL;

	/* the newest of each side; one that found a difference outweighs the other side's */
	for (size_t s = 0; aa != NULL && s < 2; s++) {
		for (size_t i = aa->v.n; i-- > 0;) {
			const struct compare_finding *f = &aa->v.v[i];
			if (!text_equal(f->metric, c->metric) ||
			    !text_equal(f->conditions, c->conditions) ||
			    (f->system != COMPARE_ANY_SYSTEM && f->system != sides[s]))
				continue;
			if (last == NULL || f->difference)
				last = f;
			break;
		}
	}
	return last;
}

/* "load/item/time, load2/item/time and 3 more" */
static void add_name(struct buf *b, size_t n, const char *name)
{
	enum { NAMED = 3 };

	if (n < NAMED)
		buf_addf(b, "%s%s", n > 0 ? ", " : "", name);
}

static void note_own(struct comparison_set *s)
{
	struct buf names = BUF_INIT;
	size_t found = 0, metrics = 0;

	for (size_t i = 0; i < s->v.n; i++) {
		const struct comparison *c = &s->v.v[i];
		if (!c->primary || !is_finding(c))
			continue;
		metrics++;
		if (found_difference(c))
			add_name(&names, found++, c->metric);
	}
	if (metrics == 0)
		vec_push(&s->notes, mem_strdup("This check of one system against itself found "
					       "nothing: too few of its rounds count to find "
					       "anything."));
	else if (found == 0)
		vec_push(&s->notes,
			 mem_printf("This is a check of one system against itself. It found no "
				    "difference in %zu metric%s, as it should.",
				    metrics, metrics == 1 ? "" : "s"));
	else
		vec_push(
			&s->notes,
			mem_printf("This is a check of one system against itself. It found a "
				   "difference in %zu of %zu metric%s, where there is none (%s%s): "
				   "comparisons on this machine get no verdict on them until the "
				   "check is repeated and finds none.",
				   found, metrics, metrics == 1 ? "" : "s", buf_str(&names),
				   found > 3 ? ", ..." : ""));
	buf_release(&names);
}

static void note_others(struct comparison_set *s, const struct compare_findings *aa)
{
	size_t metrics = 0, covered = 0, found = 0;
	const struct compare_finding *newest = NULL;
	char when[32];

	for (size_t i = 0; i < s->v.n; i++) {
		const struct comparison *c = &s->v.v[i];
		const struct compare_finding *f = aa_finding(aa, c);
		if (!c->primary)
			continue;
		metrics++;
		covered += f != NULL;
		found += f != NULL && f->difference;
		if (f != NULL && (newest == NULL || f->unix_ns > newest->unix_ns))
			newest = f;
	}
	if (newest == NULL) {
		vec_push(&s->notes, mem_strdup("No check of one system against itself (run --aa) "
					       "was made on this machine with these versions and "
					       "parameters."));
		return;
	}
	clock_format_utc(newest->unix_ns, when, sizeof(when));
	char *result =
		found == 0 ? mem_strdup("no difference")
			   : mem_printf("a difference in %zu of them, where there is none", found);
	vec_push(&s->notes,
		 mem_printf("A check of one system against itself (run --aa; experiment %lld of "
			    "%.10s) covers %zu of %zu metric%s and found %s.",
			    (long long)newest->experiment, when, covered, metrics,
			    metrics == 1 ? "" : "s", result));
	free(result);
}

void aa_note(const struct experiment *e, const struct compare_options *o, struct comparison_set *s)
{
	if (text_equal(e->kind, "aa"))
		note_own(s);
	else if (o->aa != NULL)
		note_others(s, o->aa);
}

void compare_findings_release(struct compare_findings *f)
{
	for (size_t i = 0; i < f->v.n; i++) {
		free(f->v.v[i].metric);
		free(f->v.v[i].conditions);
	}
	vec_release(&f->v);
}
