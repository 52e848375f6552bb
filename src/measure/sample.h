/*
 * sample: one sample of every system for one task and round: the order, the
 * executions, what disturbed them, repeats, and their way into the store.
 */
#ifndef LAMPDUEL_MEASURE_SAMPLE_H
#define LAMPDUEL_MEASURE_SAMPLE_H

#include "measure/progress.h"
#include "measure/session.h"
#include "store/store.h"

struct sampler {
	struct session *s;
	struct experiment *e;
	struct store *store;
	struct run_progress *progress;
	int life;             /* number of the life that the services are in */
	bool could_not_start; /* a program, in the last attempt */
	int *failed_in_a_row; /* by task: places left out one after the other */
};

void sampler_init(struct sampler *m, struct session *s, struct experiment *e, struct store *store,
		  struct run_progress *progress);
void sampler_release(struct sampler *m);
/* Was this place measured, or given up, in an earlier session? Counts it as done then. */
bool sampler_done(struct sampler *m, int round, bool warmup, size_t task);
/*
 * Begins a life of the task's services and numbers it: one more than any before, so that services
 * that were started again, in this session or a later one, are never taken for the same life.
 */
int sampler_begin_life(struct sampler *m, int round, bool warmup, size_t task, int attempt,
		       struct err *err);
/*
 * Measures the place: all systems one directly after the other. When one of them is not ok or
 * disturbed all are repeated, ATTEMPTS times at most; then the place is left out. Fails when a task
 * cannot be measured at all, or the store cannot be written.
 */
int sampler_sample(struct sampler *m, int round, bool warmup, size_t task, struct err *err);
/* Has every task lost so many of so many rounds that none can get a verdict (a fifth)? */
bool sampler_is_hopeless(const struct sampler *m, int rounds);
/* The number a recording knows a round by: warm-up rounds are negative. */
int sampler_step_round(int round, bool warmup);
/* Versions must not have changed since the experiment began. */
int sampler_compare_facts(struct sampler *m, size_t system, const struct factset *now,
			  struct err *err);

/* Index of the metric, added to the experiment when it is new. */
size_t sampler_metric(struct experiment *e, const struct sample_value *v);

#endif
