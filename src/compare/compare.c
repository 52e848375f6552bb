#include "compare/compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/text.h"
#include "compare/internal.h"
#include "stats/power.h"

double compare_percent(double log_ratio)
{
	return 100 * expm1(log_ratio);
}

double compare_times(double log_ratio)
{
	return exp(-log_ratio);
}

size_t compare_fewest_rounds(size_t family)
{
	return stats_fewest_pairs(COMPARE_ALPHA / (double)(family > 0 ? family : 1));
}

void comparison_init(struct comparison *c)
{
	const struct compare_side nothing = {.mean = NAN, .sd = NAN, .step = NAN};
	const struct stats_trend no_trend = {NAN, NAN};

	*c = (struct comparison){.verdict = VERDICT_NONE, .gate = GATE_UNDECIDED};
	c->baseline = c->candidate = nothing;
	c->estimate = (struct compare_estimate){NAN, NAN, NAN};
	c->position = (struct compare_position){.log = NAN, .p = NAN};
	c->trend = c->drift = no_trend;
	c->means_log = c->level = c->step_share = c->sd = c->detectable = c->lag1 = NAN;
	c->p = c->p_same = c->p_worse = c->p_better = NAN;
	c->p_adjusted = c->p_same_adjusted = c->p_worse_adjusted = c->p_better_adjusted = NAN;
}

void comparison_release(struct comparison *c)
{
	free(c->metric);
	free(c->unit);
	free(c->conditions);
	free(c->workload);
	free(c->task);
	free(c->reason);
	free(c->baseline.name);
	free(c->candidate.name);
	for (size_t i = 0; i < c->exclusions.n; i++)
		free(c->exclusions.v[i].reason);
	for (size_t i = 0; i < c->notes.n; i++)
		free(c->notes.v[i]);
	vec_release(&c->exclusions);
	vec_release(&c->units);
	vec_release(&c->notes);
}

void comparison_set_release(struct comparison_set *s)
{
	for (size_t i = 0; i < s->v.n; i++)
		comparison_release(&s->v.v[i]);
	for (size_t i = 0; i < s->overall.n; i++)
		free(s->overall.v[i].candidate);
	for (size_t i = 0; i < s->notes.n; i++)
		free(s->notes.v[i]);
	vec_release(&s->v);
	vec_release(&s->overall);
	vec_release(&s->notes);
	*s = (struct comparison_set){.family = 0};
}

void comparison_note(struct comparison *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vec_push(&c->notes, mem_vprintf(fmt, ap));
	va_end(ap);
}

void comparison_none(struct comparison *c, const char *fmt, ...)
{
	va_list ap;

	c->verdict = VERDICT_NONE;
	if (c->reason != NULL)
		return;
	va_start(ap, fmt);
	c->reason = mem_vprintf(fmt, ap);
	va_end(ap);
}

void comparison_set_emulated(struct comparison *c, bool baseline, bool candidate)
{
	c->emulated = baseline || candidate;
	c->mixed = baseline != candidate;
	if (c->mixed)
		comparison_none(
			c, "one side is emulated and the other is not, so they do not compare");
}

bool compare_decided(const struct comparison_set *s)
{
	size_t primary = 0;

	for (size_t i = 0; i < s->v.n; i++) {
		const struct comparison *c = &s->v.v[i];
		if (!c->primary)
			continue;
		primary++;
		if (c->verdict == VERDICT_UNCLEAR || c->verdict == VERDICT_NONE)
			return false;
	}
	return primary > 0;
}

/* Imported values stand side by side without having been measured in pairs. */
static int compare_import(const struct experiment *e, const struct compare_options *o,
			  struct comparison_set *out, struct err *err)
{
	size_t b = experiment_baseline(e), n = 0;
	struct compare_pool *pools = mem_array(e->systems.n, sizeof(*pools));

	for (size_t i = 0; i < e->systems.n; i++) {
		/* the baseline goes to the end of the array, candidates in front */
		struct compare_pool *p = &pools[i == b ? e->systems.n - 1 : n++];
		compare_pool_init(p, e->systems.v[i].name, e->systems.v[i].emulated);
		compare_pool_add_experiment(p, e, i, NULL);
	}
	int rc = compare_pools(&pools[n], pools, n, o, out, err);
	for (size_t i = 0; i < e->systems.n; i++)
		compare_pool_release(&pools[i]);
	free(pools);
	return rc;
}

int compare_experiment(const struct experiment *e, const struct compare_options *o,
		       struct comparison_set *out, struct err *err)
{
	struct testing t;
	size_t rounds = 0;

	*out = (struct comparison_set){.gate = GATE_UNDECIDED};
	if (e->systems.n < 2)
		return err_code(err, ERR_USAGE,
				"experiment %lld has one system and nothing to compare it with; "
				"name a second one",
				(long long)e->id);
	if (text_equal(e->kind, "import"))
		return compare_import(e, o, out, err);
	pairs_collect(e, out);
	for (size_t i = 0; i < out->v.n; i++) {
		if (out->v.v[i].rounds > rounds)
			rounds = out->v.v[i].rounds;
	}
	testing_init(&t, o, (int)rounds);
	for (size_t i = 0; i < out->v.n; i++) {
		struct comparison *c = &out->v.v[i];
		if (c->reason == NULL) {
			estimate_paired(c, &t);
			if (!o->verdicts_only)
				diagnose_paired(c);
		}
	}
	family_judge(out, &t, o);
	if (o->verdicts_only)
		return 0;
	overall_collect(out, t.alpha);
	for (size_t i = 0; i < out->v.n; i++)
		notes_add(&out->v.v[i], out);
	aa_note(e, o, out);
	return 0;
}
