#include "store/experiment.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/jsonx.h"
#include "base/text.h"

static void release_system(struct exp_system *s)
{
	free(s->name);
	free(s->target);
	free(s->emulator);
	factset_release(&s->facts);
}

static void release_execution(struct exp_execution *x)
{
	free(x->reason);
	free(x->disturbance);
	for (size_t i = 0; i < x->values.n; i++)
		free(x->values.v[i].origin);
	vec_release(&x->values);
}

void experiment_release(struct experiment *e)
{
	for (size_t i = 0; i < e->systems.n; i++)
		release_system(&e->systems.v[i]);
	for (size_t i = 0; i < e->tasks.n; i++) {
		free(e->tasks.v[i].workload);
		free(e->tasks.v[i].name);
		free(e->tasks.v[i].params);
	}
	for (size_t i = 0; i < e->metrics.n; i++) {
		free(e->metrics.v[i].name);
		free(e->metrics.v[i].unit);
		free(e->metrics.v[i].conditions);
	}
	for (size_t i = 0; i < e->executions.n; i++)
		release_execution(&e->executions.v[i]);
	for (size_t i = 0; i < e->notes.n; i++)
		free(e->notes.v[i]);
	vec_release(&e->systems);
	vec_release(&e->tasks);
	vec_release(&e->metrics);
	vec_release(&e->executions);
	vec_release(&e->notes);
	free(e->title);
	free(e->state);
	free(e->ending);
	free(e->kind);
	free(e->command);
	free(e->version);
	free(e->plan);
	*e = (struct experiment){.id = 0};
}

const char *metric_direction_name(enum metric_direction d)
{
	return d == MORE_IS_BETTER ? "more" : "less";
}

enum metric_direction metric_direction_of_unit(const char *unit)
{
	/* every rate is "something/s"; times, times per operation and sizes are costs */
	return text_ends(unit, "/s") ? MORE_IS_BETTER : LESS_IS_BETTER;
}

static size_t index_of(const struct counted_index *x, int round, size_t task, size_t system)
{
	return ((size_t)(round - 1) * x->tasks + task) * x->systems + system;
}

void counted_index_make(struct counted_index *x, const struct experiment *e)
{
	*x = (struct counted_index){.tasks = e->tasks.n, .systems = e->systems.n};
	for (size_t i = 0; i < e->executions.n; i++) {
		if (!e->executions.v[i].warmup && e->executions.v[i].round > x->rounds)
			x->rounds = e->executions.v[i].round;
	}
	size_t places = (size_t)x->rounds * x->tasks;
	int *highest = mem_array(places, sizeof(*highest));
	x->at = mem_array(places * x->systems, sizeof(const struct exp_execution *));
	for (size_t i = 0; i < e->executions.n; i++) {
		const struct exp_execution *y = &e->executions.v[i];

		if (y->warmup || y->round < 1)
			continue;
		/* a sample is repeated on every system, so the highest attempt of any decides */
		size_t first = index_of(x, y->round, y->task, 0);
		int *top = &highest[first / x->systems];
		if (y->attempt > *top) {
			*top = y->attempt;
			for (size_t s = 0; s < x->systems; s++)
				x->at[first + s] = NULL;
		}
		if (y->attempt == *top && y->status == OUTCOME_OK && !y->disturbed)
			x->at[first + y->system] = y;
	}
	free(highest);
}

const struct exp_execution *counted_index_get(const struct counted_index *x, int round, size_t task,
					      size_t system)
{
	if (round < 1 || round > x->rounds || task >= x->tasks || system >= x->systems)
		return NULL;
	return x->at[index_of(x, round, task, system)];
}

void counted_index_release(struct counted_index *x)
{
	free(x->at);
	*x = (struct counted_index){.at = NULL};
}

const struct exp_value *exp_execution_value(const struct exp_execution *x, size_t metric)
{
	for (size_t i = 0; i < x->values.n; i++) {
		if (x->values.v[i].metric == metric)
			return &x->values.v[i];
	}
	return NULL;
}

size_t experiment_baseline(const struct experiment *e)
{
	for (size_t i = 0; i < e->systems.n; i++) {
		if (e->systems.v[i].baseline)
			return i;
	}
	return 0;
}

char *exp_disturbance_reason(const struct exp_execution *x)
{
	json_t *j = x->disturbed ? json_loads(x->disturbance, 0, NULL) : NULL;
	char *reason = mem_strdup(jsonx_str(j, "reason"));

	json_decref(j);
	return reason;
}
