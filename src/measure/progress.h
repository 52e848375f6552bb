/*
 * progress: how far the rounds are and how long the rest will take, told as events.
 */
#ifndef LAMPDUEL_MEASURE_PROGRESS_H
#define LAMPDUEL_MEASURE_PROGRESS_H

#include "measure/event.h"
#include "measure/session.h"

struct run_progress {
	const struct event_sink *sink;
	const struct clock *clock;
	const struct experiment *e;
	int64_t started_ns, done, total;
	int64_t done_before; /* by an earlier session that is resumed */
	int rounds, warmup;
	int current_round;
	bool current_warmup;
};

void progress_init(struct run_progress *p, const struct session *s, const struct experiment *e);
void progress_start(struct run_progress *p); /* the rounds begin */
/* The sample of all systems for this task and round exists already. */
void progress_skip(struct run_progress *p, size_t executions);
void progress_next(struct run_progress *p, int round, bool warmup, const char *task,
		   const char *system);
/* counts: this execution ends its place in the plan (it is no attempt to be repeated). */
void progress_sample(struct run_progress *p, const struct exp_execution *x);
void progress_place_done(struct run_progress *p, size_t executions);
void progress_round(struct run_progress *p, int round, bool warmup);
void progress_end(struct run_progress *p);

#endif
