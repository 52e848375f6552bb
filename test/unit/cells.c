#include "cells.h"

#include <math.h>
#include <stdlib.h>

#include "compare/compare.h"

static void compare_or_die(const struct experiment *e, const struct compare_options *o,
			   struct comparison_set *s)
{
	if (compare_experiment(e, o, s, NULL) != 0)
		abort();
}

/* A run without looks, or one that stops at the first look that decides everything. */
static int run_once(struct duel *d, const struct cell *c, const struct stats_looks *plan,
		    struct compare_memo *memo, struct comparison_set *s)
{
	struct compare_options o = {.verdicts_only = true, .memo = memo};

	if (!c->looks) {
		compare_or_die(&d->e, &o, s);
		return c->rounds;
	}
	o.looks_max = c->rounds;
	for (size_t k = 0;; k++) {
		duel_cut(d, plan->at[k]);
		compare_or_die(&d->e, &o, s);
		if (k + 1 == plan->n || compare_decided(s))
			return plan->at[k];
		comparison_set_release(s);
	}
}

static void count_trial(const struct cell *c, const struct comparison_set *s, struct cell_counts *n)
{
	bool wrong = false, same = false;

	for (size_t i = 0; i < s->v.n; i++) {
		const struct comparison *x = &s->v.v[i];
		double truth = i == 0 || c->all_effect ? c->effect : 0;
		wrong |= x->verdict == VERDICT_FASTER && !(truth < 0);
		wrong |= x->verdict == VERDICT_SLOWER && !(truth > 0);
		same |= x->verdict == VERDICT_SAME;
	}
	const struct comparison *first = &s->v.v[0];
	n->wrong += wrong;
	n->same += same;
	n->right += c->effect < 0   ? first->verdict == VERDICT_FASTER
		    : c->effect > 0 ? first->verdict == VERDICT_SLOWER
				    : first->verdict == VERDICT_SAME;
	n->covered += first->estimate.lo <= c->effect && c->effect <= first->estimate.hi;
	n->trials++;
}

/* Metric 0 alone has the effect, unless all do: the others' values were drawn with it. */
static void take_back_effect(struct duel *d, const struct cell *c)
{
	struct duel_plan *p = &d->plan;

	for (int r = 0; r < p->rounds; r++) {
		for (int m = 1; m < p->metrics && !c->all_effect; m++) {
			struct exp_value *old = duel_execution(d, r, m, 1)->values.v;
			old->value *= exp(-c->effect);
		}
	}
}

void cell_run(const struct cell *c, long trials, uint64_t stream, struct cell_counts *counts)
{
	const struct duel_plan plan = {.rounds = c->rounds,
				       .metrics = c->metrics,
				       .rounds_per_life = c->rounds_per_life,
				       .model = c->model,
				       .effect = c->effect};
	struct rng *r = rng_new(CELL_SEED, stream);
	struct compare_memo memo = {0};
	struct stats_looks looks;
	struct duel d;

	stats_looks_plan(c->rounds, &looks);
	duel_init(&d, &plan);
	for (long i = 0; i < trials; i++) {
		struct comparison_set s;
		duel_cut(&d, c->rounds);
		duel_draw(&d, r);
		take_back_effect(&d, c);
		counts->rounds += run_once(&d, c, &looks, &memo, &s);
		count_trial(c, &s, counts);
		comparison_set_release(&s);
	}
	duel_release(&d);
	rng_free(r);
	compare_memo_release(&memo);
}
