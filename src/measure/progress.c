#include "measure/progress.h"

void progress_init(struct run_progress *p, const struct session *s, const struct experiment *e)
{
	int rounds = s->plan->rounds + s->plan->warmup;

	*p = (struct run_progress){
		.sink = s->sink,
		.clock = s->clock,
		.e = e,
		.rounds = s->plan->rounds,
		.warmup = s->plan->warmup,
		.total = (int64_t)rounds * (int64_t)s->tasks.tasks.n * (int64_t)s->n,
	};
}

static void emit(struct run_progress *p, enum event_type type, const char *text,
		 const struct exp_execution *x)
{
	int64_t now = clock_now_ns(p->clock);
	int64_t measured = p->done - p->done_before;
	struct event ev = {
		.type = type,
		.text = text,
		.experiment = p->e,
		.execution = x,
		.round = p->current_round,
		.rounds = p->current_warmup ? p->warmup : p->rounds,
		.warmup = p->current_warmup,
		.done = p->done,
		.total = p->total,
		.elapsed_ns = now - p->started_ns,
		.left_ns = -1,
	};

	if (measured > 0)
		ev.left_ns = (int64_t)((double)ev.elapsed_ns / (double)measured *
				       (double)(p->total - p->done));
	if (p->sink->fn != NULL)
		p->sink->fn(p->sink->arg, &ev);
}

void progress_start(struct run_progress *p)
{
	p->started_ns = clock_now_ns(p->clock);
	emit(p, EVENT_START, NULL, NULL);
}

void progress_skip(struct run_progress *p, size_t executions)
{
	p->done += (int64_t)executions;
	p->done_before += (int64_t)executions;
}

void progress_next(struct run_progress *p, int round, bool warmup, const char *task,
		   const char *system)
{
	char *text = mem_printf("%s on %s", task, system);

	p->current_round = round;
	p->current_warmup = warmup;
	emit(p, EVENT_NEXT, text, NULL);
	free(text);
}

void progress_sample(struct run_progress *p, const struct exp_execution *x)
{
	emit(p, EVENT_SAMPLE, NULL, x);
}

void progress_place_done(struct run_progress *p, size_t executions)
{
	p->done += (int64_t)executions;
}

void progress_round(struct run_progress *p, int round, bool warmup)
{
	p->current_round = round;
	p->current_warmup = warmup;
	emit(p, EVENT_ROUND, NULL, NULL);
}

void progress_end(struct run_progress *p)
{
	emit(p, EVENT_END, NULL, NULL);
}
