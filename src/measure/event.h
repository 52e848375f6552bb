/*
 * event: what a run tells while it goes on. The runner emits, the command
 * renders; nothing in measure/ prints. Events come one at a time (while systems
 * are prepared from several threads, later from one), and only between samples.
 */
#ifndef LAMPDUEL_MEASURE_EVENT_H
#define LAMPDUEL_MEASURE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "store/experiment.h"

enum event_type {
	EVENT_PHASE,  /* text: what is being done now, "preparing soft and hard" */
	EVENT_NOTE,   /* text: something the user should know */
	EVENT_START,  /* the rounds begin: experiment, done, total */
	EVENT_NEXT,   /* text: the sample that comes now */
	EVENT_SAMPLE, /* execution: one sample was stored */
	EVENT_ROUND,  /* round of rounds is complete */
	EVENT_END,    /* the rounds are over */
};

struct event {
	enum event_type type;
	const char *text;
	const struct experiment *experiment;
	const struct exp_execution *execution;
	int round, rounds;
	bool warmup;
	int64_t done, total;         /* executions, repeated ones not counted twice */
	int64_t elapsed_ns, left_ns; /* of the rounds; left -1: not known yet */
};

struct event_sink {
	void (*fn)(void *arg, const struct event *e);
	void *arg;
};

static inline void event_text(const struct event_sink *sink, enum event_type type, const char *text)
{
	struct event e = {.type = type, .text = text};

	if (sink->fn != NULL)
		sink->fn(sink->arg, &e);
}

#endif
