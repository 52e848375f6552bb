/*
 * The short form of the simulation: fewer trials of every model, fixed seed, so the counts are the
 * same on every run. Limits leave room for what so few trials can stray: four standard errors.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cells.h"

/* Streams away from those of the long form. */
enum { STREAM = 1000 };

static void at_most(long count, long trials, double share, const struct cell *c, const char *what)
{
	double limit = share + 4 * sqrt(share * (1 - share) / (double)trials);

	if ((double)count > limit * (double)trials)
		fail_msg("%s: %s in %ld of %ld trials, %d rounds, %d metrics",
			 noise_names[c->model], what, count, trials, c->rounds, c->metrics);
}

static struct cell_counts run(const struct cell *c, long trials)
{
	struct cell_counts n = {0};

	cell_run(c, trials, STREAM + (uint64_t)c->model, &n);
	assert_int_equal(n.trials, trials);
	return n;
}

static void false_verdicts(int rounds, int metrics, bool looks, long trials)
{
	for (int m = 0; m < NOISE_MODELS; m++) {
		struct cell c = {.model = (enum noise_model)m,
				 .rounds = rounds,
				 .metrics = metrics,
				 .rounds_per_life = 1,
				 .looks = looks};
		struct cell_counts n = run(&c, trials);
		at_most(n.wrong, trials, 0.05, &c, "wrong verdict");
		at_most(trials - n.covered, trials, 0.05, &c, "interval without the truth");
	}
}

static void test_false_verdicts(void **state)
{
	(void)state;
	false_verdicts(15, 1, false, 2000);
	false_verdicts(7, 1, false, 1000);
}

static void test_false_verdicts_with_looks(void **state)
{
	(void)state;
	false_verdicts(15, 1, true, 1000);
}

static void test_false_verdicts_in_a_family(void **state)
{
	(void)state;
	false_verdicts(15, 10, false, 200);
	false_verdicts(15, 10, true, 100);
}

/* Intervals are not just wide: with continuous noise they miss the truth about as often as they
 * may. */
static void test_intervals_are_not_too_wide(void **state)
{
	struct cell c = {.model = NOISE_AR05, .rounds = 15, .metrics = 1, .rounds_per_life = 1};
	struct cell_counts n;

	(void)state;
	c.effect = log(1.03);
	n = run(&c, 4000);
	at_most(n.covered, n.trials, 0.955, &c, "interval with the truth");
	at_most(n.trials - n.covered, n.trials, 0.05, &c, "interval without the truth");
}

static void test_power(void **state)
{
	const struct cell c = {.model = NOISE_AR095,
			       .rounds = 15,
			       .metrics = 8,
			       .rounds_per_life = 1,
			       .effect = log(1.03)};
	struct cell_counts n = run(&c, 200);

	(void)state;
	assert_true(n.right >= 190);
}

static void test_looks_save_rounds(void **state)
{
	const struct cell c = {.model = NOISE_DRIFT,
			       .rounds = 15,
			       .metrics = 1,
			       .rounds_per_life = 1,
			       .effect = log(1.03),
			       .looks = true};
	struct cell_counts n = run(&c, 300);

	(void)state;
	assert_true(n.right >= 290);
	assert_true((double)n.rounds / (double)n.trials < 11);
}

/* "Same" where the truth is just at the margin, in any of ten metrics. */
static void test_same(void **state)
{
	struct cell c = {.model = NOISE_DRIFT,
			 .rounds = 15,
			 .metrics = 10,
			 .rounds_per_life = 1,
			 .effect = log(1.02),
			 .all_effect = true};
	struct cell_counts n = run(&c, 400);

	(void)state;
	at_most(n.same, n.trials, 0.05, &c, "\"same\" at the margin");
	c.looks = true;
	n = run(&c, 400);
	at_most(n.same, n.trials, 0.05, &c, "\"same\" at the margin, with looks");
}

/* Rounds that share lives are no evidence of their own. */
static void test_lives(void **state)
{
	const struct cell c = {
		.model = NOISE_LIVES, .rounds = 24, .metrics = 1, .rounds_per_life = 3};
	struct cell_counts n = run(&c, 2000);

	(void)state;
	at_most(n.wrong, n.trials, 0.05, &c, "wrong verdict");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_false_verdicts),
		cmocka_unit_test(test_false_verdicts_with_looks),
		cmocka_unit_test(test_false_verdicts_in_a_family),
		cmocka_unit_test(test_intervals_are_not_too_wide),
		cmocka_unit_test(test_power),
		cmocka_unit_test(test_looks_save_rounds),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_lives),
	};

	return cmocka_run_group_tests_name("simulate, short form", tests, NULL, NULL);
}
