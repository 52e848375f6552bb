#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare/internal.h"
#include "stats/multiple.h"
#include "stats/power.h"

/* Rounds lost: more than a fifth of them, or clearly more by one side than by the other. */
#define LOST_SHARE 0.2
#define LOST_UNEVEN_SHARE 0.1
enum { LOST_UNEVEN_LEAST = 3 };

/* Which look this is, and the level of its interval. */
static void find_look(struct compare_memo_plan *p)
{
	double level[STATS_LOOKS_MAX];
	struct stats_looks plan;

	stats_looks_plan(p->looks_max, &plan);
	p->looks = plan;
	p->alpha = COMPARE_ALPHA;
	for (p->look = 0; p->look < plan.n && plan.at[p->look] != p->rounds;)
		p->look++;
	/* a run that stopped between two looks, or not because of its values, is at its last one */
	if (p->look == plan.n || (p->ended && p->look + 1 < plan.n)) {
		stats_looks_end(&plan, p->rounds, &p->looks);
		p->look = p->looks.n - 1;
	}
	if (p->looks.n == 1)
		return;
	stats_looks_levels(&p->looks, COMPARE_ALPHA / 2, level);
	/* the level is attained exactly: leave room for its own rounding */
	p->alpha = 2 * level[p->look] * (1 + 1e-12);
}

static const struct compare_memo_plan *remember_look(struct compare_memo *m,
						     const struct compare_memo_plan *like)
{
	for (size_t i = 0; i < m->plans.n; i++) {
		const struct compare_memo_plan *p = &m->plans.v[i];
		if (p->looks_max == like->looks_max && p->rounds == like->rounds &&
		    p->ended == like->ended)
			return p;
	}
	vec_push(&m->plans, *like);
	find_look(vec_last(&m->plans));
	return vec_last(&m->plans);
}

void testing_init(struct testing *t, const struct compare_options *o, int rounds)
{
	struct compare_memo_plan own = {o->looks_max, rounds, o->looks_ended, .look = 0};
	const struct compare_memo_plan *p = &own;

	*t = (struct testing){.margin = log1p(o->margin > 0 ? o->margin : COMPARE_MARGIN),
			      .alpha = COMPARE_ALPHA,
			      .verdicts_only = o->verdicts_only};
	if (o->looks_max <= 0 || rounds <= 0)
		return;
	if (o->memo != NULL)
		p = remember_look(o->memo, &own);
	else
		find_look(&own);
	t->looks = p->looks;
	t->look = p->look;
	t->alpha = p->alpha;
}

static void judge_losses(struct comparison *c)
{
	size_t b = c->baseline.excluded, k = c->candidate.excluded;
	size_t uneven = b > k ? b - k : k - b;

	if ((double)c->excluded > LOST_SHARE * (double)c->rounds * (1 + 1e-12)) {
		c->unreliable = true;
		comparison_none(c, "%zu of %zu rounds were excluded, more than a fifth",
				c->excluded, c->rounds);
	} else if (uneven >= LOST_UNEVEN_LEAST &&
		   (double)uneven > LOST_UNEVEN_SHARE * (double)c->rounds) {
		c->unreliable = true;
		comparison_none(c,
				"rounds were excluded unevenly: %zu by %s alone, %zu by %s alone, "
				"of %zu",
				b, c->baseline.name, k, c->candidate.name, c->rounds);
	}
}

/* Fields of a comparison that one pass of Holm reads and writes. */
struct adjustment {
	size_t from, to;
	bool two_sided;
};

static const struct adjustment adjustments[] = {
	{offsetof(struct comparison, p), offsetof(struct comparison, p_adjusted), true},
	{offsetof(struct comparison, p_same), offsetof(struct comparison, p_same_adjusted), false},
	{offsetof(struct comparison, p_worse), offsetof(struct comparison, p_worse_adjusted),
	 false},
	{offsetof(struct comparison, p_better), offsetof(struct comparison, p_better_adjusted),
	 false},
};

static double *field(struct comparison *c, size_t offset)
{
	return (double *)(void *)((char *)c + offset);
}

/* Holm over the primary comparisons, after turning each p of a look into one of the sequence. */
static void adjust(struct comparison_set *s, const struct adjustment *a,
		   const struct stats_looks_scale *scale)
{
	double *p = mem_array(s->v.n, sizeof(*p)), sides = a->two_sided ? 2 : 1;

	for (size_t i = 0; i < s->v.n; i++) {
		p[i] = s->v.v[i].primary ? *field(&s->v.v[i], a->from) : NAN;
		if (!isnan(p[i]))
			p[i] = fmin(1, sides * stats_looks_overall(scale, p[i] / sides));
	}
	stats_holm(p, s->v.n, p);
	for (size_t i = 0; i < s->v.n; i++)
		*field(&s->v.v[i], a->to) = p[i];
	free(p);
}

void compare_memo_release(struct compare_memo *m)
{
	vec_release(&m->plans);
	vec_release(&m->scales);
}

static void find_scales(const struct testing *t, size_t family, struct compare_memo_scales *out)
{
	*out = (struct compare_memo_scales){.looks = t->looks, .look = t->look, .family = family};
	stats_looks_scale(&t->looks, t->look, COMPARE_ALPHA / 2, family, &out->two);
	stats_looks_scale(&t->looks, t->look, COMPARE_ALPHA, family, &out->one);
}

static const struct compare_memo_scales *remember_scales(struct compare_memo *m,
							 const struct testing *t, size_t family)
{
	for (size_t i = 0; i < m->scales.n; i++) {
		const struct compare_memo_scales *e = &m->scales.v[i];
		if (e->look == t->look && e->family == family && e->looks.n == t->looks.n &&
		    e->looks.n_max == t->looks.n_max &&
		    memcmp(e->looks.at, t->looks.at, t->looks.n * sizeof(*t->looks.at)) == 0)
			return e;
	}
	find_scales(t, family, vec_add(&m->scales));
	return vec_last(&m->scales);
}

static void adjust_all(struct comparison_set *s, const struct testing *t, struct compare_memo *memo)
{
	struct compare_memo_scales own = {.two = {.plain = true}, .one = {.plain = true}};
	const struct compare_memo_scales *e = &own;

	s->family = 0;
	for (size_t i = 0; i < s->v.n; i++)
		s->family += s->v.v[i].primary && !isnan(s->v.v[i].p);
	if (t->looks.n > 1 && memo != NULL)
		e = remember_scales(memo, t, s->family);
	else if (t->looks.n > 1)
		find_scales(t, s->family, &own);
	for (size_t i = 0; i < sizeof(adjustments) / sizeof(*adjustments); i++)
		adjust(s, &adjustments[i], adjustments[i].two_sided ? &e->two : &e->one);
}

static void withhold(struct comparison *c, const struct compare_findings *aa)
{
	const struct compare_finding *f = aa_finding(aa, c);

	if (f == NULL || !f->difference)
		return;
	c->withheld = true;
	comparison_none(
		c,
		"a check of one system against itself (experiment %lld) found a difference "
		"of %.2f %% (%.2f %% to %.2f %%) in this metric; repeat the check (run --aa)",
		(long long)f->experiment, compare_percent(f->estimate.log),
		compare_percent(f->estimate.lo), compare_percent(f->estimate.hi));
}

static bool difference_shown(const struct comparison *c)
{
	return c->p_adjusted < COMPARE_ALPHA &&
	       (c->estimate.lo > COMPARE_TIE || c->estimate.hi < -COMPARE_TIE);
}

static void judge(struct comparison *c)
{
	if (c->reason != NULL)
		return; /* none */
	c->reason = mem_strdup("");
	if (c->p_same_adjusted < COMPARE_ALPHA && !c->step_coarse) {
		c->verdict = VERDICT_SAME;
		c->within_margin = difference_shown(c);
	} else if (difference_shown(c)) {
		c->verdict = c->estimate.log < 0 ? VERDICT_FASTER : VERDICT_SLOWER;
	} else {
		c->verdict = VERDICT_UNCLEAR;
	}
}

static void judge_gate(struct comparison *c)
{
	c->gate = GATE_UNDECIDED;
	if (c->verdict == VERDICT_NONE)
		return;
	if (c->p_worse_adjusted < COMPARE_ALPHA)
		c->gate = GATE_FAIL;
	else if (c->p_better_adjusted < COMPARE_ALPHA)
		c->gate = GATE_PASS;
}

/* What the rounding of both sides can move a log ratio by. */
static double rounding(const struct comparison *c)
{
	double r =
		(c->baseline.step / c->baseline.mean + c->candidate.step / c->candidate.mean) / 2;

	return r > 0 ? r : 0;
}

static void need(struct comparison *c, double margin, size_t family)
{
	double m = family > 0 && c->primary ? (double)family : 1, effect = fabs(c->estimate.log);
	double alpha = COMPARE_ALPHA / m, step = rounding(c);

	c->pairs_fewest = c->paired ? stats_fewest_pairs(alpha) : stats_fewest_sessions(alpha);
	c->detectable = stats_detectable(c->sd, c->n, alpha, COMPARE_POWER) + step;
	if (c->verdict != VERDICT_UNCLEAR || isnan(c->sd))
		return;

	size_t different = STATS_PAIRS_MANY, same = STATS_PAIRS_MANY;
	if (effect > step)
		different = stats_pairs_for(effect - step, c->sd, alpha, COMPARE_POWER);
	/* sameness takes two one-sided tests; near the middle both must succeed */
	if (effect + step < margin && !c->step_coarse)
		same = stats_pairs_for(margin - effect - step, c->sd, 2 * alpha,
				       (1 + COMPARE_POWER) / 2);
	size_t least = different < same ? different : same;
	if (least >= STATS_PAIRS_MANY)
		return;
	if (least < c->pairs_fewest)
		least = c->pairs_fewest;
	if (least > 100)
		least = (least + 9) / 10 * 10; /* it is an estimate of an estimate */
	c->pairs_needed = least > c->n ? least : c->n + 1;
}

static void judge_one(struct comparison *c, const struct testing *t, size_t family,
		      const struct compare_options *o)
{
	double half = (c->estimate.hi - c->estimate.lo) / 2;

	c->means_disagree =
		c->means_log * c->estimate.log < 0 || fabs(c->means_log - c->estimate.log) > half;
	withhold(c, o->aa);
	if (!c->primary)
		comparison_none(c, "not one of the primary metrics: figures only");
	judge(c);
	judge_gate(c);
	if (!o->verdicts_only)
		need(c, t->margin, family);
}

static enum gate_result judge_gates(const struct comparison_set *s)
{
	enum gate_result result = GATE_PASS;
	size_t primary = 0;

	for (size_t i = 0; i < s->v.n; i++) {
		const struct comparison *c = &s->v.v[i];
		primary += c->primary;
		if (c->primary && c->gate == GATE_FAIL)
			return GATE_FAIL;
		if (c->primary && c->gate == GATE_UNDECIDED)
			result = GATE_UNDECIDED;
	}
	return primary > 0 ? result : GATE_UNDECIDED;
}

void family_judge(struct comparison_set *s, const struct testing *t,
		  const struct compare_options *o)
{
	for (size_t i = 0; i < s->v.n; i++) {
		struct comparison *c = &s->v.v[i];
		judge_losses(c);
		c->level = t->alpha > 0 ? 1 - t->alpha : NAN;
		c->step_coarse = c->step_share > expm1(t->margin) / 4;
		if (t->looks.n > 1) {
			c->look = t->look + 1;
			c->looks = t->looks.n;
		}
	}
	adjust_all(s, t, o->memo);
	for (size_t i = 0; i < s->v.n; i++)
		judge_one(&s->v.v[i], t, s->family, o);
	s->gate = judge_gates(s);
	s->margin = expm1(t->margin);
	s->looks = t->looks;
}
