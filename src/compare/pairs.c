#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare/internal.h"
#include "stats/describe.h"

/* One round of one task: what counts of each system. */
struct group {
	size_t made; /* place of its first execution in the experiment: the order of time */
	int round;
	const struct exp_execution *
		*cells; /* by system; NULL: not run in the attempt that counts */
};

struct task_rounds {
	size_t task;
	VEC(struct group) groups; /* in the order of time */
	bool *seen;               /* [metric * systems + system]: it has values */
	const struct exp_execution **cells;
};

struct ref {
	const struct exp_execution *x;
	size_t made;
};

/* A round that counts for one comparison. */
struct used {
	const struct exp_execution *baseline, *candidate;
	double b, c, step_b, step_c;
	int round;
	size_t made, parent, unit;
};

static int by_round(const void *a, const void *b)
{
	const struct ref *x = a, *y = b;

	if (x->x->task != y->x->task)
		return x->x->task < y->x->task ? -1 : 1;
	if (x->x->round != y->x->round)
		return x->x->round < y->x->round ? -1 : 1;
	return (x->made > y->made) - (x->made < y->made);
}

static int by_made(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return (x->made > y->made) - (x->made < y->made);
}

static void mark_seen(const struct experiment *e, struct task_rounds *t,
		      const struct exp_execution *x)
{
	for (size_t i = 0; i < x->values.n && x->status == OUTCOME_OK; i++)
		t->seen[x->values.v[i].metric * e->systems.n + x->system] = true;
}

/* refs: one task's executions by round. */
static void task_rounds_make(const struct experiment *e, const struct ref *refs, size_t n,
			     struct task_rounds *t)
{
	size_t systems = e->systems.n;

	*t = (struct task_rounds){.task = refs[0].x->task};
	t->seen = mem_array(e->metrics.n, systems * sizeof(*t->seen));
	t->cells = mem_array(n, systems * sizeof(*t->cells));
	for (size_t first = 0, last; first < n; first = last) {
		struct group *g = vec_add(&t->groups);
		int attempt = 0;
		g->cells = t->cells + (t->groups.n - 1) * systems;
		g->made = refs[first].made;
		g->round = refs[first].x->round;
		for (last = first; last < n && refs[last].x->round == g->round; last++) {
			if (refs[last].x->attempt > attempt)
				attempt = refs[last].x->attempt;
			mark_seen(e, t, refs[last].x);
		}
		/* a pair is repeated as a whole: only the highest attempt counts */
		for (size_t i = first; i < last; i++) {
			if (refs[i].x->attempt == attempt)
				g->cells[refs[i].x->system] = refs[i].x;
		}
	}
	qsort(t->groups.v, t->groups.n, sizeof(*t->groups.v), by_made);
}

static void task_rounds_release(struct task_rounds *t)
{
	vec_release(&t->groups);
	free(t->seen);
	free(t->cells);
}

/* NULL when the execution has a value that can be compared, else why not (new string). */
static char *why_not(const struct exp_execution *x, size_t metric, double *value, double *step)
{
	if (x == NULL)
		return mem_strdup("not measured");
	if (x->status != OUTCOME_OK)
		return mem_printf("%s%s%s", outcome_status_name(x->status),
				  x->reason != NULL && *x->reason != '\0' ? ": " : "",
				  x->reason != NULL ? x->reason : "");
	if (x->disturbed)
		return mem_strdup("disturbed");
	const struct exp_value *v = exp_execution_value(x, metric);
	if (v == NULL)
		return mem_strdup("no value");
	if (!(v->value > 0) || !isfinite(v->value))
		return mem_strdup("the value is not above zero");
	*value = v->value;
	*step = v->step > 0 && isfinite(v->step) ? v->step : 0;
	return NULL;
}

static void exclude(struct comparison *c, const char *side, const char *why)
{
	enum { DIFFERENT = 12 };
	char *reason = mem_printf("%s: %s", side, why);

	for (size_t i = 0; i < c->exclusions.n; i++) {
		if (text_equal(c->exclusions.v[i].reason, reason)) {
			c->exclusions.v[i].rounds++;
			free(reason);
			return;
		}
	}
	if (c->exclusions.n == DIFFERENT) {
		struct compare_exclusion *last = vec_last(&c->exclusions);
		mem_replace(&last->reason, mem_strdup("other reasons"));
		last->rounds++;
		free(reason);
		return;
	}
	struct compare_exclusion *x = vec_add(&c->exclusions);
	x->reason = reason;
	x->rounds = 1;
}

/* Adds the round to used when both sides count, else books why not. */
static bool use_round(struct comparison *c, const struct group *g, size_t metric, struct used *u)
{
	*u = (struct used){.baseline = g->cells[c->baseline_system],
			   .candidate = g->cells[c->candidate_system],
			   .round = g->round,
			   .made = g->made};
	char *b = why_not(u->baseline, metric, &u->b, &u->step_b);
	char *k = why_not(u->candidate, metric, &u->c, &u->step_c);
	bool good = b == NULL && k == NULL;

	c->rounds++;
	c->excluded += !good;
	c->baseline.excluded += b != NULL && k == NULL;
	c->candidate.excluded += b == NULL && k != NULL;
	if (b != NULL)
		exclude(c, c->baseline.name, b);
	if (k != NULL)
		exclude(c, c->candidate.name, k);
	free(b);
	free(k);
	return good;
}

static size_t find(struct used *u, size_t i)
{
	while (u[i].parent != i) {
		u[i].parent = u[u[i].parent].parent;
		i = u[i].parent;
	}
	return i;
}

struct life_at {
	int life;
	size_t index;
};

static int by_life(const void *a, const void *b)
{
	const struct life_at *x = a, *y = b;

	if (x->life != y->life)
		return x->life < y->life ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Joins rounds that share a life of one side; returns how many lives there are. */
static size_t join_lives(struct used *u, size_t n, bool baseline)
{
	struct life_at *at = mem_array(n, sizeof(*at));
	size_t lives = n > 0;

	for (size_t i = 0; i < n; i++)
		at[i] = (struct life_at){(baseline ? u[i].baseline : u[i].candidate)->life, i};
	if (n > 0)
		qsort(at, n, sizeof(*at), by_life);
	for (size_t i = 1; i < n; i++) {
		if (at[i].life != at[i - 1].life) {
			lives++;
			continue;
		}
		size_t one = find(u, at[i - 1].index), other = find(u, at[i].index);
		/* the earlier round stays the root, so that units keep the order of time */
		if (one < other)
			u[other].parent = one;
		else
			u[one].parent = other;
	}
	free(at);
	return lives;
}

/* ln(cost of y / cost of x) for costs within half a step of x and y: the least it can be. */
static double least_log(double x, double step_x, double y, double step_y)
{
	return y - step_y / 2 > 0 ? stats_log_ratio(x + step_x / 2, y - step_y / 2) : -INFINITY;
}

static void unit_logs(struct compare_unit *u, enum metric_direction direction)
{
	double b = u->baseline, c = u->candidate, sb = u->step_baseline, sc = u->step_candidate;

	if (direction == LESS_IS_BETTER) {
		u->log = stats_log_ratio(b, c);
		u->log_lo = least_log(b, sb, c, sc);
		u->log_hi = -least_log(c, sc, b, sb);
	} else {
		u->log = stats_log_ratio(c, b);
		u->log_lo = least_log(c, sc, b, sb);
		u->log_hi = -least_log(b, sb, c, sc);
	}
}

static int by_unit(const void *a, const void *b)
{
	const struct used *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return (x->made > y->made) - (x->made < y->made);
}

/* Averages n rounds into a unit; scratch has room for n numbers. */
static void unit_make(struct compare_unit *out, const struct used *u, size_t n, double *scratch,
		      enum metric_direction direction)
{
	const size_t offsets[] = {offsetof(struct used, b), offsetof(struct used, c),
				  offsetof(struct used, step_b), offsetof(struct used, step_c)};
	double *means[] = {&out->baseline, &out->candidate, &out->step_baseline,
			   &out->step_candidate};

	for (size_t k = 0; k < 4; k++) {
		for (size_t i = 0; i < n; i++)
			memcpy(&scratch[i], (const char *)&u[i] + offsets[k], sizeof(*scratch));
		*means[k] = stats_mean(scratch, n);
	}
	out->rounds = n;
	out->round = u[0].round;
	for (size_t i = 0; i < n; i++) {
		int order = u[i].candidate->position > u[i].baseline->position ? 1 : -1;
		if (u[i].candidate->position == u[i].baseline->position)
			order = 0;
		out->order = i == 0 || out->order == order ? order : 0;
	}
	unit_logs(out, direction);
}

static void make_units(struct comparison *c, struct used *u, size_t n)
{
	size_t *unit_of_root = mem_array(n, sizeof(*unit_of_root));
	double *scratch = mem_array(n, sizeof(*scratch));
	size_t units = 0;

	for (size_t i = 0; i < n; i++)
		u[i].parent = i;
	c->baseline.lives = join_lives(u, n, true);
	c->candidate.lives = join_lives(u, n, false);
	for (size_t i = 0; i < n; i++) {
		size_t root = find(u, i);
		if (root == i)
			unit_of_root[i] = units++;
		u[i].unit = unit_of_root[root];
	}
	if (n > 0)
		qsort(u, n, sizeof(*u), by_unit);
	for (size_t first = 0, last; first < n; first = last) {
		for (last = first; last < n && u[last].unit == u[first].unit;)
			last++;
		unit_make(vec_add(&c->units), u + first, last - first, scratch, c->direction);
	}
	c->n = c->units.n;
	c->baseline.values = c->candidate.values = n;
	c->baseline.sessions = c->candidate.sessions = n > 0;
	free(scratch);
	free(unit_of_root);
}

/* A run that was stopped in the middle of a round has lost nothing by it. */
static bool unfinished(const struct experiment *e, const struct task_rounds *t, size_t g,
		       const struct comparison *c)
{
	const struct group *group = &t->groups.v[g];

	return g + 1 == t->groups.n && !text_equal(e->state, "complete") &&
	       (group->cells[c->baseline_system] == NULL ||
		group->cells[c->candidate_system] == NULL);
}

static void collect(const struct experiment *e, const struct task_rounds *t, size_t metric,
		    struct comparison *c)
{
	VEC(struct used) used = {0};

	for (size_t g = 0; g < t->groups.n; g++) {
		const struct group *group = &t->groups.v[g];
		struct used u;
		if ((group->cells[c->baseline_system] == NULL &&
		     group->cells[c->candidate_system] == NULL) ||
		    unfinished(e, t, g, c))
			continue;
		if (use_round(c, group, metric, &u))
			vec_push(&used, u);
	}
	make_units(c, used.v, used.n);
	vec_release(&used);
}

static struct comparison *add_comparison(const struct experiment *e, struct comparison_set *s,
					 size_t task, size_t metric, size_t b, size_t k)
{
	const struct exp_metric *m = &e->metrics.v[metric];
	struct comparison *c = vec_add(&s->v);

	comparison_init(c);
	c->metric = mem_strdup(m->name);
	c->unit = mem_strdup(m->unit);
	c->conditions = mem_strdup(m->conditions != NULL ? m->conditions : "");
	c->workload = mem_strndup(m->name, strcspn(m->name, "/"));
	c->task = mem_strdup(e->tasks.v[task].name);
	c->direction = m->direction;
	c->primary = m->primary;
	c->paired = true;
	comparison_set_emulated(c, e->systems.v[b].emulated, e->systems.v[k].emulated);
	c->baseline_system = b;
	c->candidate_system = k;
	c->baseline.name = mem_strdup(e->systems.v[b].name);
	c->candidate.name = mem_strdup(e->systems.v[k].name);
	return c;
}

/* Another metric of that name which the system has in this task, or the count of metrics. */
static size_t namesake(const struct experiment *e, const struct task_rounds *t, size_t metric,
		       size_t system)
{
	for (size_t m = 0; m < e->metrics.n; m++) {
		if (m != metric && t->seen[m * e->systems.n + system] &&
		    text_equal(e->metrics.v[m].name, e->metrics.v[metric].name))
			return m;
	}
	return e->metrics.n;
}

static void compare_metric(const struct experiment *e, const struct task_rounds *t, size_t metric,
			   size_t b, size_t k, struct comparison_set *s)
{
	bool on_b = t->seen[metric * e->systems.n + b], on_k = t->seen[metric * e->systems.n + k];

	if (!on_b && (!on_k || namesake(e, t, metric, b) < e->metrics.n))
		return;
	struct comparison *c = add_comparison(e, s, t->task, metric, b, k);
	size_t other = on_k ? e->metrics.n : namesake(e, t, metric, k);
	if (other < e->metrics.n) {
		comparison_none(c, "the conditions differ: %s on %s, %s on %s", c->conditions,
				c->baseline.name, e->metrics.v[other].conditions,
				c->candidate.name);
		return;
	}
	collect(e, t, metric, c);
}

static void compare_task(const struct experiment *e, const struct task_rounds *t,
			 struct comparison_set *s)
{
	size_t b = experiment_baseline(e);

	for (size_t m = 0; m < e->metrics.n; m++) {
		for (size_t k = 0; k < e->systems.n; k++) {
			if (k != b)
				compare_metric(e, t, m, b, k, s);
		}
	}
}

void pairs_collect(const struct experiment *e, struct comparison_set *s)
{
	struct ref *refs = mem_array(e->executions.n, sizeof(*refs));
	size_t n = 0;

	for (size_t i = 0; i < e->executions.n; i++) {
		if (!e->executions.v[i].warmup)
			refs[n++] = (struct ref){&e->executions.v[i], i};
	}
	if (n > 0)
		qsort(refs, n, sizeof(*refs), by_round);
	for (size_t first = 0, last; first < n; first = last) {
		struct task_rounds t;
		for (last = first; last < n && refs[last].x->task == refs[first].x->task;)
			last++;
		task_rounds_make(e, refs + first, last - first, &t);
		compare_task(e, &t, s);
		task_rounds_release(&t);
	}
	free(refs);
}
