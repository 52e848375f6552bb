/*
 * What a comparison costs: two sets of 100,000 values, in pairs and apart.
 *
 * compare_cost [VALUES]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../test/unit/duel.h"
#include "base/clock.h"
#include "base/rng.h"
#include "compare/compare.h"

enum { VALUES = 100000 };

static void draw(struct compare_pool *p, const char *name, int n, uint64_t seed)
{
	struct rng *r = rng_new(seed, 0);

	compare_pool_init(p, name, false);
	for (int i = 0; i < n; i++) {
		const struct compare_value v = {
			.value = exp(0.01 * rng_normal(r)), .life = i + 1, .session = 1};
		compare_pool_add(p, "load/item/time", "s", "", true, &v);
	}
	rng_free(r);
}

static void say(const char *what, int n, int64_t start, size_t comparisons)
{
	(void)printf("comparison of two sets of %d values, %s: %.0f ms (%zu comparison)\n", n, what,
		     (double)(clock_mono_ns() - start) / NS_PER_MS, comparisons);
}

static int apart(int n, struct err *err)
{
	const struct compare_options o = {.margin = COMPARE_MARGIN};
	struct compare_pool a, b;
	struct comparison_set s;

	draw(&a, "a", n, 1);
	draw(&b, "b", n, 2);
	int64_t start = clock_mono_ns();
	int rc = compare_pools(&a, &b, 1, &o, &s, err);
	if (rc == 0)
		say("apart", n, start, s.v.n);
	comparison_set_release(&s);
	compare_pool_release(&a);
	compare_pool_release(&b);
	return rc;
}

static int in_pairs(int n, struct err *err)
{
	const struct compare_options o = {.margin = COMPARE_MARGIN};
	const struct duel_plan plan = {.rounds = n, .metrics = 1, .rounds_per_life = 1};
	struct rng *r = rng_new(3, 0);
	struct comparison_set s;
	struct duel d;

	duel_init(&d, &plan);
	duel_draw(&d, r);
	int64_t start = clock_mono_ns();
	int rc = compare_experiment(&d.e, &o, &s, err);
	if (rc == 0)
		say("in pairs", n, start, s.v.n);
	comparison_set_release(&s);
	duel_release(&d);
	rng_free(r);
	return rc;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : VALUES;
	struct err err = ERR_INIT;

	if (n < 2) {
		(void)fprintf(stderr, "usage: compare_cost [VALUES]\n");
		return 2;
	}
	int rc = in_pairs(n, &err);
	if (rc == 0)
		rc = apart(n, &err);
	if (rc != 0)
		(void)fprintf(stderr, "compare_cost: %s\n", err.msg);
	return rc == 0 ? 0 : 1;
}
