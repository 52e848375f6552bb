#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "report/model_parts.h"

const char *model_fate(const struct exp_execution *x, char **reason)
{
	static const char *const words[] = {
		[OUTCOME_FAILED] = "failed",
		[OUTCOME_TIMEOUT] = "timed out",
		[OUTCOME_INVALID] = "invalid",
		[OUTCOME_SKIPPED] = "skipped",
	};

	if (x->status != OUTCOME_OK) {
		*reason = text_escaped(x->reason);
		return words[x->status];
	}
	if (x->disturbed) {
		char *why = exp_disturbance_reason(x);
		*reason = text_escaped(why);
		free(why);
		return "disturbed";
	}
	*reason = mem_strdup("the same sample was repeated on every system");
	return "set aside";
}

static void add_problem(struct report_model *m, const struct exp_execution *x)
{
	char *reason = NULL;
	const char *what = model_fate(x, &reason);

	for (size_t i = 0; i < m->problems.n; i++) {
		struct report_problem *p = &m->problems.v[i];

		if (p->system == x->system && p->task == x->task && text_equal(p->what, what) &&
		    text_equal(p->reason, reason)) {
			p->count++;
			free(reason);
			return;
		}
	}
	struct report_problem *p = vec_add(&m->problems);
	p->system = x->system;
	p->task = x->task;
	p->what = mem_strdup(what);
	p->reason = reason;
	p->count = 1;
}

/*
 * A round is done when every task was executed on every system (of what was not measured by
 * lampduel: as many as in the fullest round), and something in it counts; store_list() does the
 * same.
 */
static int rounds_done(const struct experiment *e, const struct counted_index *index)
{
	size_t places = mem_add(e->tasks.n * e->systems.n, 1);
	int rounds = index->rounds;
	bool *made = mem_array((size_t)rounds * places, sizeof(*made));
	bool *counts = mem_array((size_t)rounds, sizeof(*counts));
	bool measured = e->kind != NULL && strcmp(e->kind, "import") != 0;
	size_t *in_round = mem_array((size_t)rounds, sizeof(*in_round));
	size_t most = 0;
	int done = 0;

	for (size_t i = 0; i < e->executions.n; i++) {
		const struct exp_execution *x = &e->executions.v[i];
		if (x->warmup || x->round < 1)
			continue;
		size_t r = (size_t)x->round - 1;
		bool *seen = &made[r * places + x->task * e->systems.n + x->system];
		in_round[r] += !*seen;
		*seen = true;
		counts[r] =
			counts[r] || counted_index_get(index, x->round, x->task, x->system) != NULL;
		most = in_round[r] > most ? in_round[r] : most;
	}
	if (measured)
		most = places - 1;
	for (int r = 0; r < rounds; r++)
		done += counts[r] && in_round[r] == most;
	free(made);
	free(counts);
	free(in_round);
	return done;
}

void model_problems(struct report_model *m, const struct experiment *e,
		    const struct counted_index *index)
{
	m->executions = e->executions.n;
	for (size_t i = 0; i < e->executions.n; i++) {
		const struct exp_execution *x = &e->executions.v[i];

		if (x->warmup)
			continue;
		if (counted_index_get(index, x->round, x->task, x->system) == x)
			m->counted++;
		else
			add_problem(m, x);
	}
	m->rounds_done = rounds_done(e, index);
}
