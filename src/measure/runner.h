/*
 * runner: does what a plan says. Interleaved rounds; each execution is stored
 * before the next begins.
 */
#ifndef LAMPDUEL_MEASURE_RUNNER_H
#define LAMPDUEL_MEASURE_RUNNER_H

#include "base/clock.h"
#include "base/err.h"
#include "measure/event.h"
#include "measure/plan.h"
#include "store/store.h"

/* What a run asks of those who judge its values. Functions may be NULL: then nobody is asked. */
struct run_judge {
	/* *decided: the verdict of every primary metric is settled, at a planned look. */
	int (*decided)(void *arg, const struct experiment *e, bool *decided, struct err *err);
	/* Rounds (or starts) below which so many primary metrics cannot give any verdict. */
	size_t (*fewest)(size_t family);
	void *arg;
};

struct run_request {
	const struct plan *plan;
	struct store *store;
	struct clock *clock;
	const volatile int *stop;
	struct event_sink sink;
	struct run_judge judge;
	int64_t resume_id; /* 0: a new experiment */
};

/*
 * 0: all rounds are done, the verdicts are settled, or the time was up. ERR_INTERRUPTED and other
 * errors: what was measured is stored and can be resumed; *id names the experiment when it exists,
 * else 0.
 */
int runner_run(const struct run_request *q, int64_t *id, struct err *err);

/* Attempts at one sample of all systems before it is left out. */
enum { ATTEMPTS = 3 };

#endif
