/* compare: pairs of lives, exclusions, verdicts, families, looks, gate, A/A, pools, words. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "compare/compare.h"
#include "duel.h"

#define assert_near(got, expected, tolerance)                                                      \
	do {                                                                                       \
		double got_ = (got), expected_ = (expected);                                       \
		if (!(fabs(got_ - expected_) <= (tolerance)) &&                                    \
		    !(isnan(got_) && isnan(expected_)))                                            \
			fail_msg("%s is %.17g, expected %.17g", #got, got_, expected_);            \
	} while (0)

static const struct compare_options plain = {.margin = 0.02};

static void compare(const struct experiment *e, const struct compare_options *o,
		    struct comparison_set *s)
{
	struct err err = ERR_INIT;

	if (compare_experiment(e, o, s, &err) != 0)
		fail_msg("%s", err.msg);
}

/* One metric; value i of each side is base[i] and cand[i], each execution its own life. */
static void duel_of(struct duel *d, const double *base, const double *cand, int n, double step)
{
	const struct duel_plan plan = {.rounds = n, .metrics = 1, .rounds_per_life = 1};

	duel_init(d, &plan);
	for (int i = 0; i < n; i++) {
		duel_set(d, i, 0, 0, base[i], step);
		duel_set(d, i, 0, 1, cand[i], step);
	}
}

static void set_unit(struct duel *d, const char *unit)
{
	mem_replace(&d->e.metrics.v[0].unit, mem_strdup(unit));
	d->e.metrics.v[0].direction = metric_direction_of_unit(unit);
}

/* Sides that differ by `ratio` with a little noise. */
static void duel_noisy(struct duel *d, int n, int metrics, double ratio, double sd, uint64_t seed)
{
	const struct duel_plan plan = {.rounds = n, .metrics = metrics, .rounds_per_life = 1};
	struct rng *r = rng_new(seed, 0);

	duel_init(d, &plan);
	for (int i = 0; i < n; i++) {
		for (int m = 0; m < metrics; m++) {
			duel_set(d, i, m, 0, exp(sd * rng_normal(r)), 0);
			duel_set(d, i, m, 1, ratio * exp(sd * rng_normal(r)), 0);
			int first = (int)rng_below(r, 2);
			duel_execution(d, i, m, 0)->position = 1 + first;
			duel_execution(d, i, m, 1)->position = 2 - first;
		}
	}
	rng_free(r);
}

static void exclude(struct duel *d, int round, int system)
{
	struct exp_execution *x = duel_execution(d, round, 0, system);

	x->status = OUTCOME_FAILED;
	mem_replace(&x->reason, mem_strdup("exit status 1"));
	x->values.n = 0;
}

static bool has_note(const struct comparison *c, const char *part)
{
	for (size_t i = 0; i < c->notes.n; i++) {
		if (strstr(c->notes.v[i], part) != NULL)
			return true;
	}
	return false;
}

static void test_faster_and_slower(void **state)
{
	struct comparison_set s;
	struct duel d;

	(void)state;
	duel_noisy(&d, 15, 1, 0.75, 0.01, 1);
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.n, 1);
	assert_int_equal(s.family, 1);
	const struct comparison *c = &s.v.v[0];
	assert_int_equal(c->verdict, VERDICT_FASTER);
	assert_string_equal(c->metric, "load0/item/time");
	assert_string_equal(c->workload, "load0");
	assert_int_equal(c->n, 15);
	assert_int_equal(c->method, METHOD_SIGNED_RANK);
	assert_near(compare_percent(c->estimate.log), -25, 1);
	assert_near(compare_times(c->estimate.log), 4 / 3., 0.02);
	assert_true(c->estimate.lo < c->estimate.log && c->estimate.log < c->estimate.hi);
	assert_near(c->p, ldexp(2, -15), 1e-18);
	assert_int_equal(c->gate, GATE_PASS);
	assert_int_equal(s.gate, GATE_PASS);
	assert_true(compare_decided(&s));
	assert_string_equal(comparison_word(c), "faster");
	assert_string_equal(c->reason, "");
	comparison_set_release(&s);

	/* as a rate more is better: the same numbers say slower */
	set_unit(&d, "op/s");
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_SLOWER);
	assert_near(compare_percent(s.v.v[0].estimate.log), 33.3, 1.5);
	assert_int_equal(s.gate, GATE_FAIL);
	comparison_set_release(&s);
	duel_release(&d);
}

static void test_same_and_within_margin(void **state)
{
	struct comparison_set s;
	struct duel d;

	(void)state;
	duel_noisy(&d, 15, 1, 1.006, 0.0005, 2);
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_SAME);
	assert_true(s.v.v[0].within_margin);
	comparison_set_release(&s);
	/* a smaller margin turns it into slower */
	const struct compare_options narrow = {.margin = 0.003};
	compare(&d.e, &narrow, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_SLOWER);
	comparison_set_release(&s);
	duel_release(&d);

	duel_noisy(&d, 15, 1, 1.0, 0.005, 3);
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_SAME);
	assert_false(s.v.v[0].within_margin);
	comparison_set_release(&s);
	duel_release(&d);
}

static void test_unclear_says_how_many(void **state)
{
	struct comparison_set s;
	struct duel d;

	(void)state;
	duel_noisy(&d, 10, 1, 1.0, 0.05, 4);
	compare(&d.e, &plain, &s);
	const struct comparison *c = &s.v.v[0];
	assert_int_equal(c->verdict, VERDICT_UNCLEAR);
	assert_true(c->pairs_needed > 10);
	assert_true(c->detectable > 0.02);
	assert_int_equal(c->gate, GATE_UNDECIDED);
	assert_false(compare_decided(&s));
	comparison_set_release(&s);
	duel_release(&d);

	/* 7 rounds cannot decide a family of 8, however large the difference */
	duel_noisy(&d, 7, 8, 0.5, 0.001, 5);
	compare(&d.e, &plain, &s);
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(s.v.v[i].verdict, VERDICT_UNCLEAR);
		assert_int_equal(s.v.v[i].pairs_fewest, 9);
		assert_int_equal(s.v.v[i].pairs_needed, 9);
	}
	assert_int_equal(compare_fewest_rounds(8), 9);
	assert_int_equal(compare_fewest_rounds(0), 6);
	comparison_set_release(&s);
	duel_release(&d);
}

static void test_few_lives(void **state)
{
	/* rounds share lives: 12 rounds, 4 lives a side */
	const struct duel_plan plan = {.rounds = 12, .metrics = 1, .rounds_per_life = 3};
	struct rng *r = rng_new(6, 0);
	struct comparison_set s;
	struct duel d;

	(void)state;
	duel_init(&d, &plan);
	for (int i = 0; i < 12; i++) {
		duel_set(&d, i, 0, 0, exp(0.01 * rng_normal(r)), 0);
		duel_set(&d, i, 0, 1, 1.5 * exp(0.01 * rng_normal(r)), 0);
	}
	rng_free(r);
	compare(&d.e, &plain, &s);
	const struct comparison *c = &s.v.v[0];
	assert_int_equal(c->n, 4);
	assert_int_equal(c->rounds, 12);
	assert_int_equal(c->baseline.lives, 4);
	assert_int_equal(c->units.v[1].rounds, 3);
	assert_int_equal(c->units.v[1].round, 4);
	assert_int_equal(c->method, METHOD_STUDENT);
	assert_int_equal(c->verdict, VERDICT_SLOWER);
	assert_true(has_note(c, "Student"));
	/* the unit's value is the mean in its own unit */
	double sum = 0;
	for (int i = 3; i < 6; i++)
		sum += duel_execution(&d, i, 0, 1)->values.v[0].value;
	assert_near(c->units.v[1].candidate, sum / 3, 1e-15);
	comparison_set_release(&s);

	/* a life of the candidate that goes over two lives of the baseline joins them */
	for (int i = 0; i < 6; i++)
		duel_execution(&d, i, 0, 1)->life = 1;
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].n, 3);
	assert_int_equal(s.v.v[0].baseline.lives, 4);
	assert_int_equal(s.v.v[0].candidate.lives, 3);
	comparison_set_release(&s);

	/* one life: figures, no verdict */
	for (int i = 0; i < 12; i++)
		duel_execution(&d, i, 0, 0)->life = duel_execution(&d, i, 0, 1)->life = 1;
	compare(&d.e, &plain, &s);
	c = &s.v.v[0];
	assert_int_equal(c->n, 1);
	assert_int_equal(c->verdict, VERDICT_NONE);
	assert_non_null(strstr(c->reason, "one life"));
	assert_near(compare_percent(c->estimate.log), 50, 2);
	assert_near(compare_percent(c->means_log), 50, 2);
	assert_true(isnan(c->p));
	comparison_set_release(&s);
	duel_release(&d);
}

static void test_means_are_the_reference_way(void **state)
{
	const double base[] = {1, 2, 3, 1, 2, 3}, cand[] = {2, 2, 2, 1, 1, 4};
	struct comparison_set s;
	struct duel d;

	(void)state;
	duel_of(&d, base, cand, 6, 0);
	compare(&d.e, &plain, &s);
	const struct comparison *c = &s.v.v[0];
	assert_near(c->baseline.mean, 2, 1e-15);
	assert_near(c->candidate.mean, 2, 1e-15);
	assert_near(c->means_log, 0, 1e-15);
	assert_near(c->baseline.sd, sqrt(4 / 5.), 1e-15);
	comparison_set_release(&s);
	/* rates: means of the rates, before conversion to cost */
	set_unit(&d, "req/s");
	duel_set(&d, 5, 0, 1, 10, 0);
	compare(&d.e, &plain, &s);
	assert_near(s.v.v[0].candidate.mean, 3, 1e-15);
	assert_near(compare_times(s.v.v[0].means_log), 1.5, 1e-12);
	comparison_set_release(&s);
	duel_release(&d);
}

static void test_means_disagree(void **state)
{
	struct comparison_set s;
	struct duel d;

	(void)state;
	duel_noisy(&d, 15, 1, 0.97, 0.005, 7);
	compare(&d.e, &plain, &s);
	assert_false(s.v.v[0].means_disagree);
	assert_int_equal(s.v.v[0].outliers, 0);
	comparison_set_release(&s);
	duel_set(&d, 4, 0, 1, 9, 0); /* one page took nine times as long */
	compare(&d.e, &plain, &s);
	const struct comparison *c = &s.v.v[0];
	assert_int_equal(c->verdict, VERDICT_FASTER);
	assert_true(c->means_log > 0 && c->estimate.log < 0);
	assert_true(c->means_disagree);
	assert_true(has_note(c, "means"));
	assert_int_equal(c->outliers, 1);
	assert_true(c->units.v[4].outlier && !c->units.v[5].outlier);
	assert_int_equal(c->n, 15); /* flagged, never dropped */
	comparison_set_release(&s);
	duel_release(&d);
}

static void test_exclusions(void **state)
{
	struct comparison_set s;
	struct duel d;

	(void)state;
	duel_noisy(&d, 15, 1, 0.7, 0.01, 8);
	exclude(&d, 3, 0);
	duel_execution(&d, 7, 0, 1)->disturbed = true;
	duel_set(&d, 9, 0, 0, -1, 0);
	compare(&d.e, &plain, &s);
	const struct comparison *c = &s.v.v[0];
	assert_int_equal(c->excluded, 3);
	assert_int_equal(c->n, 12);
	assert_int_equal(c->baseline.excluded, 2);
	assert_int_equal(c->candidate.excluded, 1);
	assert_int_equal(c->exclusions.n, 3);
	assert_string_equal(c->exclusions.v[0].reason, "old: failed: exit status 1");
	assert_string_equal(c->exclusions.v[1].reason, "new: disturbed");
	assert_int_equal(c->verdict, VERDICT_FASTER);
	assert_true(has_note(c, "1 of 15 rounds excluded, new: disturbed"));
	comparison_set_release(&s);

	/* a fifth is allowed, more is not */
	duel_execution(&d, 11, 0, 1)->disturbed = true;
	compare(&d.e, &plain, &s);
	c = &s.v.v[0];
	assert_int_equal(c->verdict, VERDICT_NONE);
	assert_true(c->unreliable);
	assert_non_null(strstr(c->reason, "more than a fifth"));
	assert_near(compare_percent(c->estimate.log), -30, 2); /* shown all the same */
	comparison_set_release(&s);
	duel_release(&d);

	/* three, all by one side */
	duel_noisy(&d, 15, 1, 0.7, 0.01, 9);
	for (int i = 0; i < 3; i++)
		exclude(&d, i, 1);
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_NONE);
	assert_non_null(strstr(s.v.v[0].reason, "unevenly"));
	comparison_set_release(&s);

	/* every one of them: no figures */
	for (int i = 0; i < 15; i++)
		exclude(&d, i, 1);
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].n, 0);
	assert_int_equal(s.v.v[0].method, METHOD_NOTHING);
	assert_int_equal(s.v.v[0].verdict, VERDICT_NONE);
	assert_int_equal(s.gate, GATE_UNDECIDED);
	comparison_set_release(&s);
	duel_release(&d);
}

static void test_attempts_and_unfinished(void **state)
{
	struct comparison_set s;
	struct duel d;

	(void)state;
	duel_noisy(&d, 10, 1, 0.9, 0.001, 10);
	/* round 3 was repeated: its first attempt was disturbed, and far off */
	struct exp_execution *x = vec_add(&d.e.executions);
	*x = *duel_execution(&d, 2, 0, 0);
	struct exp_execution *y = vec_add(&d.e.executions);
	*y = *duel_execution(&d, 2, 0, 1);
	for (int side = 0; side < 2; side++) {
		struct exp_execution *again = &d.e.executions.v[20 + side];
		again->attempt = 2;
		again->reason = mem_strdup("");
		again->disturbance = mem_strdup("");
		again->values.v = NULL;
		again->values.n = again->values.cap = 0;
		vec_push(&again->values, ((struct exp_value){.value = 2 + side, .n = 1}));
		duel_execution(&d, 2, 0, side)->disturbed = true;
	}
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].n, 10);
	assert_int_equal(s.v.v[0].excluded, 0);
	assert_near(s.v.v[0].units.v[2].baseline, 2, 0);
	assert_near(s.v.v[0].units.v[2].candidate, 3, 0);
	comparison_set_release(&s);

	/* stopped after the second attempt of one side: that round is not lost, it is not over */
	d.e.executions.n = 19;
	mem_replace(&d.e.state, mem_strdup("interrupted"));
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].rounds, 9);
	comparison_set_release(&s);
	mem_replace(&d.e.state, mem_strdup("complete"));
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].rounds, 10);
	comparison_set_release(&s);
	d.e.executions.n = 22;
	experiment_release(&d.e);
}

static void test_warm_up_is_left_out(void **state)
{
	struct comparison_set s;
	struct duel d;

	(void)state;
	duel_noisy(&d, 10, 1, 0.9, 0.001, 11);
	duel_execution(&d, 0, 0, 0)->warmup = duel_execution(&d, 0, 0, 1)->warmup = true;
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].rounds, 9);
	assert_int_equal(s.v.v[0].units.v[0].round, 2);
	comparison_set_release(&s);
	duel_release(&d);
}

static void test_step(void **state)
{
	/* 0.02 against 0.03 with a step of 0.01: the truth may be 0.025 on both sides */
	const double base[] = {2e-2, 2e-2, 2e-2, 2e-2, 2e-2, 2e-2, 2e-2};
	const double cand[] = {3e-2, 3e-2, 3e-2, 3e-2, 3e-2, 3e-2, 3e-2};
	const double more[] = {5e-2, 5e-2, 5e-2, 5e-2, 5e-2, 5e-2, 5e-2};
	struct comparison_set s;
	struct duel d;

	(void)state;
	duel_of(&d, base, cand, 7, 1e-2);
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_UNCLEAR);
	assert_near(s.v.v[0].estimate.lo, 0, 1e-12);
	assert_near(s.v.v[0].estimate.hi, log(0.035 / 0.015), 1e-12);
	assert_true(s.v.v[0].step_coarse);
	assert_true(has_note(&s.v.v[0], "step"));
	comparison_set_release(&s);
	duel_release(&d);

	duel_of(&d, base, more, 7, 1e-2);
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_SLOWER);
	comparison_set_release(&s);
	duel_release(&d);

	/* equal readings say "same" only when the step is fine enough: a quarter of 2 % */
	duel_of(&d, base, base, 7, 2e-2 * 0.0051);
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_UNCLEAR);
	comparison_set_release(&s);
	duel_release(&d);
	duel_of(&d, base, base, 7, 2e-2 * 0.0049);
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_SAME);
	comparison_set_release(&s);
	duel_release(&d);

	/* a step larger than the values leaves everything open but breaks nothing */
	duel_of(&d, base, more, 7, 1);
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_UNCLEAR);
	assert_true(isinf(s.v.v[0].estimate.lo) && isinf(s.v.v[0].estimate.hi));
	comparison_set_release(&s);
	duel_release(&d);

	duel_of(&d, base, more, 4, 1);
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_NONE);
	assert_non_null(strstr(s.v.v[0].reason, "half a step"));
	comparison_set_release(&s);
	duel_release(&d);

	/* few pairs that do not vary: with a known step there is something to judge by */
	duel_of(&d, base, more, 4, 0);
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_NONE);
	assert_non_null(strstr(s.v.v[0].reason, "do not vary"));
	comparison_set_release(&s);
	duel_release(&d);
	duel_of(&d, base, more, 4, 1e-4);
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_SLOWER);
	comparison_set_release(&s);
	duel_release(&d);
}

static void test_family_and_secondary(void **state)
{
	struct comparison_set s;
	struct duel d;

	(void)state;
	duel_noisy(&d, 15, 3, 0.8, 0.01, 12);
	d.e.metrics.v[1].primary = false;
	compare(&d.e, &plain, &s);
	assert_int_equal(s.family, 2);
	assert_near(s.v.v[0].p_adjusted, 2 * s.v.v[0].p, 1e-18);
	assert_int_equal(s.v.v[1].verdict, VERDICT_NONE);
	assert_non_null(strstr(s.v.v[1].reason, "primary"));
	assert_true(isnan(s.v.v[1].p_adjusted) && !isnan(s.v.v[1].p));
	assert_near(compare_percent(s.v.v[1].estimate.log), -20, 2);
	comparison_set_release(&s);
	duel_release(&d);
}

static void test_more_than_two_systems(void **state)
{
	struct comparison_set s;
	struct duel d;

	(void)state;
	/* the executions of metric 1 become those of a third system */
	duel_noisy(&d, 12, 2, 0.8, 0.01, 13);
	struct exp_system *third = vec_add(&d.e.systems);
	third->name = mem_strdup("other");
	third->emulated = true;
	for (size_t i = 0; i < d.e.executions.n; i++) {
		struct exp_execution *x = &d.e.executions.v[i];
		if (x->task == 1 && x->system == 1)
			x->system = 2;
		else if (x->task == 1)
			x->warmup = true;
		x->task = 0;
		x->values.v[0].metric = 0;
	}
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.n, 2);
	assert_int_equal(s.family, 1); /* what cannot get a verdict costs the others nothing */
	assert_string_equal(s.v.v[0].candidate.name, "new");
	assert_string_equal(s.v.v[1].candidate.name, "other");
	assert_int_equal(s.v.v[0].n, 12);
	assert_int_equal(s.v.v[1].n, 12);
	assert_string_equal(comparison_word(&s.v.v[0]), "faster");
	/* the third is emulated, the baseline is not: nothing is said, whatever the figures */
	assert_true(s.v.v[1].mixed);
	assert_int_equal(s.v.v[1].verdict, VERDICT_NONE);
	assert_int_equal(s.v.v[1].gate, GATE_UNDECIDED);
	assert_non_null(strstr(s.v.v[1].reason, "do not compare"));
	comparison_set_release(&s);
	d.e.systems.v[0].emulated = d.e.systems.v[1].emulated = true;
	compare(&d.e, &plain, &s);
	assert_int_equal(s.family, 2);
	assert_string_equal(comparison_word(&s.v.v[0]), "less time under emulation");
	assert_string_equal(comparison_word(&s.v.v[1]), "less time under emulation");
	comparison_set_release(&s);
	/* another baseline */
	d.e.systems.v[0].baseline = false;
	d.e.systems.v[2].baseline = true;
	compare(&d.e, &plain, &s);
	assert_string_equal(s.v.v[0].baseline.name, "other");
	assert_string_equal(s.v.v[0].candidate.name, "old");
	assert_int_equal(s.v.v[0].verdict, VERDICT_SLOWER);
	comparison_set_release(&s);
	duel_release(&d);
}

static void test_conditions_must_agree(void **state)
{
	struct comparison_set s;
	struct duel d;

	(void)state;
	duel_noisy(&d, 10, 2, 0.8, 0.01, 14);
	/* the candidate's values of metric 0 are of a metric of the same name, with more threads */
	mem_replace(&d.e.metrics.v[0].conditions, mem_strdup("threads=1"));
	mem_replace(&d.e.metrics.v[1].conditions, mem_strdup("threads=4"));
	mem_replace(&d.e.metrics.v[1].name, mem_strdup("load0/item/time"));
	for (int i = 0; i < 10; i++) {
		duel_execution(&d, i, 0, 1)->values.v[0].metric = 1;
		duel_execution(&d, i, 1, 0)->warmup = duel_execution(&d, i, 1, 1)->warmup = true;
	}
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.n, 1);
	assert_int_equal(s.v.v[0].verdict, VERDICT_NONE);
	assert_non_null(strstr(s.v.v[0].reason, "threads=1 on old, threads=4 on new"));
	assert_int_equal(s.v.v[0].method, METHOD_NOTHING);
	assert_true(isnan(s.v.v[0].estimate.log));
	comparison_set_release(&s);
	duel_release(&d);
}

static void assert_mirrored(const struct comparison *a, const struct comparison *b)
{
	static const enum verdict mirror[] = {VERDICT_SLOWER, VERDICT_FASTER, VERDICT_SAME,
					      VERDICT_UNCLEAR, VERDICT_NONE};

	assert_int_equal(b->verdict, mirror[a->verdict]);
	assert_true(a->estimate.log == -b->estimate.log);
	assert_true(a->estimate.lo == -b->estimate.hi);
	assert_true(a->estimate.hi == -b->estimate.lo);
	assert_true(a->means_log == -b->means_log);
	assert_true(a->p == b->p || (isnan(a->p) && isnan(b->p)));
	assert_true(a->p_adjusted == b->p_adjusted || isnan(a->p_adjusted));
	assert_true(a->p_same == b->p_same || isnan(a->p_same));
	assert_true(a->p_same_adjusted == b->p_same_adjusted || isnan(a->p_same));
	assert_true(a->baseline.mean == b->candidate.mean);
	assert_true(a->candidate.sd == b->baseline.sd || isnan(a->candidate.sd));
	assert_true(a->detectable == b->detectable || isnan(a->detectable));
	assert_int_equal(a->pairs_needed, b->pairs_needed);
	assert_int_equal(a->within_margin, b->within_margin);
	assert_int_equal(a->means_disagree, b->means_disagree);
	assert_true(a->position.log == b->position.log || isnan(a->position.log));
	assert_true(a->position.p == b->position.p || isnan(a->position.p));
	assert_true(a->trend.slope == -b->trend.slope || isnan(a->trend.slope));
	assert_true(a->drift.slope == b->drift.slope || isnan(a->drift.slope));
	assert_true(a->lag1 == b->lag1 || isnan(a->lag1));
	assert_int_equal(a->outliers, b->outliers);
}

static void test_swapping_mirrors(void **state)
{
	static const int rounds[] = {1, 2, 4, 6, 7, 15, 30, 60};
	struct rng *r = rng_new(15, 0);

	(void)state;
	for (int trial = 0; trial < 400; trial++) {
		struct duel_plan plan = {.rounds = rounds[trial % 8],
					 .metrics = 3,
					 .rounds_per_life = trial % 5 == 0 ? 4 : 1,
					 .model = (enum noise_model)(trial % NOISE_MODELS),
					 .effect = 0.01 * (trial % 4)};
		struct compare_options o = {.looks_max = trial % 3 == 0 ? plan.rounds : 0};
		struct comparison_set a, b;
		struct duel d;
		duel_init(&d, &plan);
		duel_draw(&d, r);
		if (trial % 2)
			set_unit(&d, "op/s");
		compare(&d.e, &o, &a);
		d.e.systems.v[0].baseline = false;
		d.e.systems.v[1].baseline = true;
		compare(&d.e, &o, &b);
		assert_int_equal(a.v.n, b.v.n);
		for (size_t i = 0; i < a.v.n; i++)
			assert_mirrored(&a.v.v[i], &b.v.v[i]);
		assert_int_equal(a.overall.n, 1);
		assert_true(a.overall.v[0].estimate.log == -b.overall.v[0].estimate.log);
		assert_true(a.overall.v[0].estimate.lo == -b.overall.v[0].estimate.hi ||
			    isnan(a.overall.v[0].estimate.lo));
		comparison_set_release(&a);
		comparison_set_release(&b);
		duel_release(&d);
	}
	rng_free(r);
}

/* Scale, and numbers of rounds and lives, are of no consequence. */
static void test_scaling_and_renumbering(void **state)
{
	static const double scales[] = {1e-9, 3, 0.1, 1e6 / 7};
	struct rng *r = rng_new(16, 0);

	(void)state;
	for (int trial = 0; trial < 100; trial++) {
		struct duel_plan plan = {.rounds = 9 + trial % 8,
					 .metrics = 1,
					 .rounds_per_life = 1,
					 .model = (enum noise_model)(trial % NOISE_MODELS)};
		double k = scales[trial % 4];
		struct comparison_set a, b;
		struct duel d;
		duel_init(&d, &plan);
		duel_draw(&d, r);
		compare(&d.e, &plain, &a);
		for (size_t i = 0; i < d.e.executions.n; i++) {
			d.e.executions.v[i].values.v[0].value *= k;
			d.e.executions.v[i].values.v[0].step *= k;
			d.e.executions.v[i].round = 1000 - 7 * d.e.executions.v[i].round;
			d.e.executions.v[i].life = 500 - 3 * d.e.executions.v[i].life;
		}
		compare(&d.e, &plain, &b);
		const struct comparison *x = &a.v.v[0], *y = &b.v.v[0];
		assert_int_equal(x->verdict, y->verdict);
		assert_near(y->estimate.log, x->estimate.log, 1e-12);
		assert_near(y->estimate.lo, x->estimate.lo, 1e-12);
		assert_near(y->estimate.hi, x->estimate.hi, 1e-12);
		assert_near(y->means_log, x->means_log, 1e-12);
		assert_near(y->p, x->p, 0);
		assert_near(y->p_same, x->p_same, 0);
		assert_near(y->lag1, x->lag1, 1e-9);
		assert_near(y->trend.slope, x->trend.slope, 1e-12);
		assert_near(y->position.p, x->position.p, 0);
		assert_int_equal(y->pairs_needed, x->pairs_needed);
		comparison_set_release(&a);
		comparison_set_release(&b);
		duel_release(&d);
	}
	rng_free(r);
}

static void test_diagnosis(void **state)
{
	struct comparison_set s;
	struct duel d;

	(void)state;
	/* the second place costs 1 %, both sides drift by 0.2 % a round, the difference by 1 % */
	duel_noisy(&d, 20, 1, 1.0, 0.0002, 17);
	for (int i = 0; i < 20; i++) {
		for (int side = 0; side < 2; side++) {
			struct exp_execution *x = duel_execution(&d, i, 0, side);
			x->values.v[0].value *= exp(0.01 * (x->position - 1) + 0.002 * i);
		}
	}
	compare(&d.e, &plain, &s);
	const struct comparison *c = &s.v.v[0];
	assert_near(c->position.log, 0.01, 0.001);
	assert_true(c->position.p < 0.001);
	assert_int_equal(c->position.baseline_first + c->position.candidate_first, 20);
	assert_near(c->drift.slope, 0.002, 2e-4);
	assert_true(c->drift.p < 1e-6 && c->trend.p > 0.001);
	assert_true(has_note(c, "second place") && has_note(c, "drifted together"));
	comparison_set_release(&s);
	for (int i = 0; i < 20; i++)
		duel_execution(&d, i, 0, 1)->values.v[0].value *= exp(0.01 * i);
	compare(&d.e, &plain, &s);
	assert_near(s.v.v[0].trend.slope, 0.01, 1e-3);
	assert_true(has_note(&s.v.v[0], "moved during the run"));
	assert_true(s.v.v[0].lag1 > 0.5);
	assert_true(has_note(&s.v.v[0], "not independent"));
	comparison_set_release(&s);
	duel_release(&d);
}

static void test_overall(void **state)
{
	struct comparison_set s;
	struct duel d;

	(void)state;
	/* load0 has two metrics, load2 one: each workload weighs a half */
	duel_noisy(&d, 15, 3, 1.0, 0.001, 18);
	mem_replace(&d.e.metrics.v[1].name, mem_strdup("load0/other/time"));
	for (int i = 0; i < 15; i++) {
		duel_execution(&d, i, 0, 1)->values.v[0].value *= 0.8;
		duel_execution(&d, i, 1, 1)->values.v[0].value *= 0.6;
		duel_execution(&d, i, 2, 1)->values.v[0].value *= 1.5;
	}
	compare(&d.e, &plain, &s);
	assert_int_equal(s.overall.n, 1);
	const struct compare_overall *o = &s.overall.v[0];
	double mean = (s.v.v[0].estimate.log + s.v.v[1].estimate.log) / 4;
	assert_near(o->estimate.log, mean + s.v.v[2].estimate.log / 2, 1e-15);
	assert_near(o->estimate.log, (log(0.8) + log(0.6)) / 4 + log(1.5) / 2, 2e-3);
	assert_true(o->estimate.lo < o->estimate.log && o->estimate.log < o->estimate.hi);
	assert_true(o->estimate.hi - o->estimate.lo < 0.002);
	assert_int_equal(o->workloads, 2);
	assert_int_equal(o->metrics, 3);
	assert_int_equal(o->n, 15);
	comparison_set_release(&s);
	/* a round that one metric lost does not count for the interval */
	exclude(&d, 4, 1);
	compare(&d.e, &plain, &s);
	assert_int_equal(s.overall.v[0].n, 14);
	comparison_set_release(&s);
	/* one workload alone has no overall figure */
	mem_replace(&d.e.metrics.v[2].name, mem_strdup("load0/third/time"));
	compare(&d.e, &plain, &s);
	assert_int_equal(s.overall.n, 0);
	comparison_set_release(&s);
	duel_release(&d);
}

static void test_looks(void **state)
{
	const struct compare_options looks = {.looks_max = 15};
	const struct compare_options ended = {.looks_max = 15, .looks_ended = true};
	struct comparison_set s;
	struct duel d;

	(void)state;
	duel_noisy(&d, 15, 1, 0.8, 0.01, 19);
	duel_cut(&d, 11);
	compare(&d.e, &looks, &s);
	const struct comparison *c = &s.v.v[0];
	assert_int_equal(c->look, 2);
	assert_int_equal(c->looks, 4);
	assert_int_equal(c->verdict, VERDICT_FASTER);
	assert_near((1 - c->level) * 1024, round((1 - c->level) * 1024), 1e-6); /* attainable */
	assert_true(1 - c->level < 0.025);
	assert_near(c->p, ldexp(2, -11), 1e-15);
	assert_true(c->p_adjusted > c->p);
	assert_true(compare_decided(&s));
	double wide = c->estimate.hi - c->estimate.lo;
	comparison_set_release(&s);

	/* the same rounds as the end of the run: the last look has more to spend */
	compare(&d.e, &ended, &s);
	c = &s.v.v[0];
	assert_int_equal(c->look, 2);
	assert_int_equal(c->looks, 2);
	assert_true(1 - c->level > 0.03);
	assert_true(c->estimate.hi - c->estimate.lo < wide);
	comparison_set_release(&s);

	/* between two looks only the end of the run can be meant */
	duel_cut(&d, 12);
	compare(&d.e, &looks, &s);
	assert_int_equal(s.v.v[0].look, 3);
	assert_int_equal(s.v.v[0].looks, 3);
	assert_int_equal(s.looks.at[2], 12);
	comparison_set_release(&s);

	/* what is remembered changes nothing */
	struct compare_memo memo = {0};
	const struct compare_options remembering = {.looks_max = 15, .memo = &memo};
	struct comparison_set again;
	for (int rounds = 9; rounds <= 15; rounds++) {
		duel_cut(&d, rounds);
		compare(&d.e, &looks, &s);
		for (int i = 0; i < 2; i++) {
			compare(&d.e, &remembering, &again);
			assert_near(again.v.v[0].p_adjusted, s.v.v[0].p_adjusted, 0);
			assert_near(again.v.v[0].p_same_adjusted, s.v.v[0].p_same_adjusted, 0);
			comparison_set_release(&again);
		}
		comparison_set_release(&s);
	}
	compare_memo_release(&memo);

	/* without looks 15 rounds are one plain test */
	duel_cut(&d, 15);
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].looks, 0);
	assert_near(s.v.v[0].level, 0.95, 0);
	comparison_set_release(&s);
	duel_release(&d);
}

static void test_aa_withholds(void **state)
{
	struct compare_findings f = {0};
	struct compare_options o = {.aa = &f};
	struct comparison_set s;
	struct duel d;

	(void)state;
	duel_noisy(&d, 15, 2, 1.05, 0.001, 20);
	compare(&d.e, &plain, &s);
	compare_findings_add(&f, &s, 41, 0);
	assert_int_equal(f.v.n, 2);
	assert_true(f.v.v[0].difference);
	comparison_set_release(&s);
	compare(&d.e, &o, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_NONE);
	assert_non_null(strstr(s.v.v[0].reason, "against itself"));
	assert_non_null(strstr(s.v.v[0].reason, "5.0"));
	assert_int_equal(s.v.v[0].gate, GATE_UNDECIDED);
	assert_near(compare_percent(s.v.v[0].estimate.log), 5, 0.2);
	comparison_set_release(&s);
	/* repeated, and clean: the last one counts; another metric's finding stays */
	f.v.v[1].difference = false;
	mem_replace(&f.v.v[1].metric, mem_strdup("load0/item/time"));
	compare(&d.e, &o, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_SLOWER);
	assert_int_equal(s.v.v[1].verdict, VERDICT_SLOWER);
	comparison_set_release(&s);
	/* other conditions are another metric */
	f.v.v[1].difference = true;
	mem_replace(&f.v.v[1].conditions, mem_strdup("threads=9"));
	f.v.v[0].difference = false;
	compare(&d.e, &o, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_SLOWER);
	comparison_set_release(&s);
	/* a check of another system than the two compared says nothing of them */
	mem_replace(&f.v.v[0].metric, mem_strdup("load0/item/time"));
	f.v.v[0].difference = true;
	f.v.v[0].system = 2;
	compare(&d.e, &o, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_SLOWER);
	comparison_set_release(&s);
	/* each side's newest counts: the baseline's clean one does not clear the candidate */
	mem_replace(&f.v.v[1].conditions, mem_strdup(f.v.v[0].conditions));
	mem_replace(&f.v.v[1].metric, mem_strdup("load0/item/time"));
	f.v.v[0].system = 1;
	f.v.v[1].system = 0;
	f.v.v[1].difference = false;
	compare(&d.e, &o, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_NONE);
	assert_non_null(strstr(s.notes.v[0], "covers 1 of 2 metrics"));
	comparison_set_release(&s);
	f.v.v[1].system = 1;
	compare(&d.e, &o, &s);
	assert_int_equal(s.v.v[0].verdict, VERDICT_SLOWER);
	comparison_set_release(&s);
	compare_findings_release(&f);
	duel_release(&d);

	/* so few rounds that nothing could be found leave nothing that could clear anything */
	duel_noisy(&d, 7, 8, 1.0, 0.01, 20);
	compare(&d.e, &plain, &s);
	compare_findings_add(&f, &s, 42, 0);
	assert_int_equal(f.v.n, 0);
	comparison_set_release(&s);
	compare(&d.e, &o, &s);
	assert_non_null(strstr(s.notes.v[0], "No check of one system against itself"));
	comparison_set_release(&s);
	mem_replace(&d.e.kind, mem_strdup("aa"));
	compare(&d.e, &plain, &s);
	assert_non_null(strstr(s.notes.v[0], "too few"));
	comparison_set_release(&s);
	compare_findings_release(&f);
	duel_release(&d);
}

static void test_gate(void **state)
{
	struct comparison_set s;
	struct duel d;

	(void)state;
	/* one metric grows by 3 %, the margin is 2 %: fails, though it is slower by little */
	duel_noisy(&d, 15, 3, 1.0, 0.002, 21);
	for (int i = 0; i < 15; i++)
		duel_execution(&d, i, 1, 1)->values.v[0].value *= 1.03;
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.v[0].gate, GATE_PASS);
	assert_int_equal(s.v.v[1].gate, GATE_FAIL);
	assert_int_equal(s.gate, GATE_FAIL);
	comparison_set_release(&s);
	const struct compare_options wide = {.margin = 0.05};
	compare(&d.e, &wide, &s);
	assert_int_equal(s.gate, GATE_PASS);
	comparison_set_release(&s);
	/* slower, but by about the margin: neither passed nor failed */
	const struct compare_options just = {.margin = 0.03};
	compare(&d.e, &just, &s);
	assert_int_equal(s.v.v[1].gate, GATE_UNDECIDED);
	assert_int_equal(s.gate, GATE_UNDECIDED);
	comparison_set_release(&s);
	duel_release(&d);
}

static void pool_fill(struct compare_pool *p, const char *name, double level, int n, int sessions)
{
	struct rng *r = rng_new(22, (uint64_t)(level * 1000));

	compare_pool_init(p, name, false);
	for (int i = 0; i < n; i++) {
		struct compare_value v = {level * exp(0.01 * rng_normal(r)), 0.0001, i + 1,
					  i % sessions + 1};
		compare_pool_add(p, "http/wrk/rate", "req/s", "threads=2", true, &v);
	}
	rng_free(r);
}

static void compare_two(const struct compare_pool *a, const struct compare_pool *b,
			struct comparison_set *s)
{
	struct err err = ERR_INIT;

	if (compare_pools(a, b, 1, &plain, s, &err) != 0)
		fail_msg("%s", err.msg);
}

static void test_pools(void **state)
{
	static const struct {
		int m, n, sessions;
		enum compare_method method;
		bool verdict;
	} cases[] = {
		{1, 1, 1, METHOD_ROUNDING, false},     {1, 9, 1, METHOD_ROUNDING, false},
		{2, 3, 1, METHOD_WELCH, false},        {3, 3, 1, METHOD_WELCH, false},
		{4, 4, 1, METHOD_MANN_WHITNEY, false}, {30, 70, 5, METHOD_MANN_WHITNEY, false},
		{6, 7, 6, METHOD_MANN_WHITNEY, true},  {30, 24, 6, METHOD_MANN_WHITNEY, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct compare_pool a, b;
		struct comparison_set s, mirror;
		pool_fill(&a, "a", 100, cases[i].m, cases[i].sessions);
		pool_fill(&b, "b", 125, cases[i].n, cases[i].sessions);
		compare_two(&a, &b, &s);
		compare_two(&b, &a, &mirror);
		const struct comparison *c = &s.v.v[0], *o = &mirror.v.v[0];
		assert_int_equal(s.v.n, 1);
		assert_false(c->paired);
		assert_int_equal(c->method, cases[i].method);
		assert_near(compare_times(c->estimate.log), 1.25, 0.03);
		assert_true(c->estimate.lo <= c->estimate.log && c->estimate.log <= c->estimate.hi);
		assert_int_equal(c->verdict, cases[i].verdict ? VERDICT_FASTER : VERDICT_NONE);
		assert_int_equal(c->sessions_only, !cases[i].verdict);
		assert_mirrored(c, o);
		if (!cases[i].verdict) {
			assert_non_null(strstr(c->reason, "within these sessions only"));
			assert_true(isnan(c->p));
		} else {
			assert_int_equal(c->n, 6);
			assert_int_equal(c->candidate.sessions, 6);
		}
		comparison_set_release(&s);
		comparison_set_release(&mirror);
		compare_pool_release(&a);
		compare_pool_release(&b);
	}
}

static void test_pools_that_do_not_match(void **state)
{
	const struct compare_value v = {0.5, 0.01, 1, 1}, w = {0.4, 0.01, 1, 1};
	struct err err = ERR_INIT;
	struct compare_pool a, b;
	struct comparison_set s;

	(void)state;
	compare_pool_init(&a, "a", true);
	compare_pool_init(&b, "b", true);
	compare_pool_add(&a, "x/y/time", "s", "count=1", true, &v);
	compare_pool_add(&b, "p/q/time", "s", "", true, &v);
	assert_int_equal(compare_pools(&a, &b, 1, &plain, &s, &err), ERR_FAIL);
	assert_non_null(strstr(err.msg, "no metric in common"));
	compare_pool_add(&b, "x/y/time", "s", "count=2", true, &v);
	compare_two(&a, &b, &s);
	assert_int_equal(s.v.n, 1);
	assert_non_null(strstr(s.v.v[0].reason, "conditions differ: count=1 on a, count=2 on b"));
	assert_int_equal(s.notes.n, 1);
	assert_string_equal(s.notes.v[0], "a has no p/q/time to compare with b.");
	comparison_set_release(&s);
	/* one value a side: the ratio with its rounding */
	compare_pool_add(&b, "x/y/time", "s", "count=1", true, &w);
	compare_two(&a, &b, &s);
	const struct comparison *c = &s.v.v[0];
	assert_near(c->estimate.log, log(0.8), 1e-15);
	assert_near(c->estimate.lo, log(0.395 / 0.505), 1e-12);
	assert_near(c->estimate.hi, log(0.405 / 0.495), 1e-12);
	assert_true(c->emulated);
	comparison_set_release(&s);
	compare_pool_release(&a);
	compare_pool_release(&b);
}

static void test_import_is_unpaired(void **state)
{
	struct comparison_set s;
	struct err err = ERR_INIT;
	struct duel d;

	(void)state;
	duel_noisy(&d, 10, 2, 0.5, 0.01, 23);
	mem_replace(&d.e.kind, mem_strdup("import"));
	d.e.systems.v[0].baseline = false;
	d.e.systems.v[1].baseline = true;
	compare(&d.e, &plain, &s);
	assert_int_equal(s.v.n, 2);
	assert_int_equal(s.v.v[0].verdict, VERDICT_NONE);
	assert_string_equal(s.v.v[0].baseline.name, "new");
	assert_near(compare_times(s.v.v[0].estimate.log), 0.5, 0.02);
	assert_int_equal(s.overall.n, 1);
	assert_near(compare_times(s.overall.v[0].estimate.log), 0.5, 0.02);
	comparison_set_release(&s);
	d.e.systems.n = 1;
	assert_int_equal(compare_experiment(&d.e, &plain, &s, &err), ERR_USAGE);
	d.e.systems.n = 2;
	duel_release(&d);
}

static void test_sentences(void **state)
{
	static const struct {
		double ratio, sd;
		int n;
		const char *start, *part;
	} cases[] = {
		{0.8, 0.001, 15, "load0/item/time: new takes 2", "less time than old (1.25 times"},
		{1.25, 0.001, 15, "load0/item/time: new takes 2",
		 "more time than old (0.800 times"},
		{0.0005, 0.001, 15, "load0/item/time: new takes ",
		 "less time than old (2000 times"},
		{1.0, 0.002, 15, "load0/item/time: new and old take the same time", "within 2 %"},
		{1.0, 0.1, 15, "load0/item/time: 15 rounds do not settle it", "would"},
		{1.0, 0.1, 1, "load0/item/time: no verdict: all values come from one life", ""},
	};
	struct buf b = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct comparison_set s;
		struct duel d;
		duel_noisy(&d, cases[i].n, 1, cases[i].ratio, cases[i].sd, 24);
		d.e.systems.v[0].emulated = d.e.systems.v[1].emulated = i % 2 == 1;
		compare(&d.e, &plain, &s);
		buf_clear(&b);
		comparison_explain(&s.v.v[0], &s, &b);
		if (!text_starts(buf_str(&b), cases[i].start) ||
		    strstr(buf_str(&b), cases[i].part) == NULL)
			fail_msg("%s", buf_str(&b));
		assert_true(text_ends(buf_str(&b), "."));
		assert_null(strchr(buf_str(&b), '\n'));
		struct buf details = BUF_INIT;
		comparison_details(&s.v.v[0], &details);
		assert_null(strstr(buf_str(&details), "nan"));
		assert_null(strstr(buf_str(&details), "e+"));
		if (s.v.v[0].n > 1) {
			assert_non_null(strstr(buf_str(&details), "position effect"));
			assert_non_null(strstr(buf_str(&details), "smallest detectable"));
			assert_non_null(strstr(buf_str(&details), "autocorrelation"));
		}
		buf_release(&details);
		assert_int_equal(strstr(buf_str(&b), "emulat") != NULL, s.v.v[0].emulated);
		if (s.v.v[0].emulated) {
			assert_null(strstr(buf_str(&b), "faster"));
			assert_null(strstr(comparison_word(&s.v.v[0]), "faster"));
		}
		comparison_set_release(&s);
		duel_release(&d);
	}
	buf_release(&b);
}

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

/*
 * Under 100 ms for a report of 10 metrics and 15 rounds, under a second for 100,000 values a side
 * (on an ordinary machine: slower ones get five times that; a quadratic method would take minutes).
 */
static void test_speed(void **state)
{
	const struct compare_options looks = {.looks_max = 15};
	struct comparison_set s;
	struct err err = ERR_INIT;
	struct compare_pool a, b;
	struct duel d;

	(void)state;
	duel_noisy(&d, 15, 10, 1.0, 0.01, 25);
	double start = cpu_seconds();
	compare(&d.e, &looks, &s);
	double report = cpu_seconds() - start;
	comparison_set_release(&s);
	duel_release(&d);
	pool_fill(&a, "a", 100, 100000, 1);
	pool_fill(&b, "b", 101, 100000, 1);
	start = cpu_seconds();
	assert_int_equal(compare_pools(&a, &b, 1, &plain, &s, &err), 0);
	double pools = cpu_seconds() - start;
	assert_near(compare_times(s.v.v[0].estimate.log), 1.01, 0.001);
	comparison_set_release(&s);
	compare_pool_release(&a);
	compare_pool_release(&b);
	duel_noisy(&d, 100000, 1, 1.0, 0.01, 26);
	start = cpu_seconds();
	compare(&d.e, &plain, &s);
	double paired = cpu_seconds() - start;
	comparison_set_release(&s);
	duel_release(&d);
	print_message("report %.1f ms, pools %.0f ms, pairs %.0f ms of CPU\n", 1e3 * report,
		      1e3 * pools, 1e3 * paired);
	assert_true(report < 0.1);
	assert_true(pools < 5);
	assert_true(paired < 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_faster_and_slower),
		cmocka_unit_test(test_same_and_within_margin),
		cmocka_unit_test(test_unclear_says_how_many),
		cmocka_unit_test(test_few_lives),
		cmocka_unit_test(test_means_are_the_reference_way),
		cmocka_unit_test(test_means_disagree),
		cmocka_unit_test(test_exclusions),
		cmocka_unit_test(test_attempts_and_unfinished),
		cmocka_unit_test(test_warm_up_is_left_out),
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_family_and_secondary),
		cmocka_unit_test(test_more_than_two_systems),
		cmocka_unit_test(test_conditions_must_agree),
		cmocka_unit_test(test_swapping_mirrors),
		cmocka_unit_test(test_scaling_and_renumbering),
		cmocka_unit_test(test_diagnosis),
		cmocka_unit_test(test_overall),
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_aa_withholds),
		cmocka_unit_test(test_gate),
		cmocka_unit_test(test_pools),
		cmocka_unit_test(test_pools_that_do_not_match),
		cmocka_unit_test(test_import_is_unpaired),
		cmocka_unit_test(test_sentences),
		cmocka_unit_test(test_speed),
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
