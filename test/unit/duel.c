#include "duel.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

const char *const noise_names[NOISE_MODELS] = {
	"independent, CV 3 %",           "CV 1 % + 3 % linear drift",
	"AR(1) rho 0.5, CV 3 % + 1 %",   "AR(1) rho 0.95, CV 3 % + 1 %",
	"periodic neighbour 5 %, + 1 %", "load bump 10 % over 8, + 1 %",
	"heavy tails, t(2) x 1 %",       "CV 1 %, steps of 0.5 %",
	"CV 1 %, steps of 1 %",          "CV 1 %, steps of 2 %",
	"lives of own level and spread",
};

static void add_system(struct experiment *e, const char *name)
{
	struct exp_system *s = vec_add(&e->systems);

	s->name = mem_strdup(name);
	s->target = mem_strdup("local");
	s->emulator = mem_strdup("");
	s->baseline = e->systems.n == 1;
}

static void add_execution(struct duel *d, int round, int metric, int system)
{
	struct exp_execution *x = vec_add(&d->e.executions);
	struct exp_value *v = vec_add(&x->values);

	x->round = round + 1;
	x->task = (size_t)metric;
	x->system = (size_t)system;
	x->life = round / d->plan.rounds_per_life + 1;
	x->position = system + 1;
	x->attempt = 1;
	x->reason = mem_strdup("");
	x->disturbance = mem_strdup("");
	v->metric = (size_t)metric;
	v->value = 1;
	v->n = 1;
}

void duel_init(struct duel *d, const struct duel_plan *plan)
{
	struct experiment *e = &d->e;

	*d = (struct duel){.plan = *plan};
	e->title = mem_strdup("made up");
	e->state = mem_strdup("complete");
	e->kind = mem_strdup("run");
	e->rounds_planned = plan->rounds;
	add_system(e, "old");
	add_system(e, "new");
	for (int m = 0; m < plan->metrics; m++) {
		struct exp_task *t = vec_add(&e->tasks);
		struct exp_metric *x = vec_add(&e->metrics);
		t->workload = mem_printf("load%d", m);
		t->name = mem_printf("load%d/item", m);
		t->params = mem_strdup("{}");
		x->name = mem_printf("load%d/item/time", m);
		x->unit = mem_strdup("s");
		x->conditions = mem_strdup("");
		x->primary = true;
	}
	for (int r = 0; r < plan->rounds; r++) {
		for (int m = 0; m < plan->metrics; m++) {
			add_execution(d, r, m, 0);
			add_execution(d, r, m, 1);
		}
	}
}

void duel_release(struct duel *d)
{
	duel_cut(d, d->plan.rounds);
	experiment_release(&d->e);
}

struct exp_execution *duel_execution(struct duel *d, int round, int metric, int system)
{
	return &d->e.executions.v[(round * d->plan.metrics + metric) * 2 + system];
}

void duel_set(struct duel *d, int round, int metric, int system, double value, double step)
{
	struct exp_value *v = &duel_execution(d, round, metric, system)->values.v[0];

	v->value = value;
	v->step = step;
}

void duel_cut(struct duel *d, int rounds)
{
	d->e.executions.n = (size_t)(rounds * d->plan.metrics) * 2;
}

/* Student's t with 2 degrees of freedom from a uniform number, by its quantile function. */
static double heavy(struct rng *r)
{
	double u = rng_uniform(r);

	return (2 * u - 1) / sqrt(2 * u * (1 - u));
}

static void autoregressive(struct rng *r, double rho, double *out, size_t n)
{
	double level = 0.03 * rng_normal(r);

	for (size_t i = 0; i < n; i++) {
		out[i] = level + 0.01 * rng_normal(r);
		level = rho * level + 0.03 * sqrt(1 - rho * rho) * rng_normal(r);
	}
}

/* Noise of n samples in the order of time, as log factors. */
static void draw_series(const struct duel_plan *p, struct rng *r, double *out, size_t n)
{
	size_t phase = rng_below(r, 4), long_bump = (size_t)p->metrics * 8;
	size_t bump = rng_below(r, n);

	if (p->model == NOISE_AR05 || p->model == NOISE_AR095) {
		autoregressive(r, p->model == NOISE_AR05 ? 0.5 : 0.95, out, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		double sd = p->model == NOISE_INDEPENDENT ? 0.03 : 0.01;
		out[i] = p->model == NOISE_HEAVY ? 0.01 * heavy(r) : sd * rng_normal(r);
		if (p->model == NOISE_DRIFT)
			out[i] += 0.03 * (double)i / (double)n;
		if (p->model == NOISE_PERIODIC && (i + phase) % 4 < 2)
			out[i] += 0.05;
		if (p->model == NOISE_BUMP && i >= bump && i < bump + long_bump)
			out[i] += 0.10;
	}
}

static double step_of(enum noise_model m)
{
	return m == NOISE_STEP05 ? 0.005 : m == NOISE_STEP1 ? 0.01 : m == NOISE_STEP2 ? 0.02 : 0;
}

/* Every life of both sides has a level of its own, and its rounds a spread of their own. */
static void draw_lives(struct duel *d, struct rng *r, int metric)
{
	double level = 0, spread = 0;

	for (int side = 0; side < 2; side++) {
		for (int round = 0; round < d->plan.rounds; round++) {
			if (round % d->plan.rounds_per_life == 0) {
				level = 0.01 * rng_normal(r);
				spread = 0.01 * exp(0.7 * rng_normal(r));
			}
			duel_set(d, round, metric, side,
				 exp(level + spread * rng_normal(r) + side * d->plan.effect), 0);
		}
	}
}

void duel_draw(struct duel *d, struct rng *r)
{
	int metrics = d->plan.metrics, pairs = d->plan.rounds * metrics;
	double *noise = mem_array((size_t)pairs, 2 * sizeof(*noise));
	double step = step_of(d->plan.model);
	/* anywhere within a step, so that no reading is favoured */
	double level = 1 + step * rng_uniform(r);

	draw_series(&d->plan, r, noise, (size_t)pairs * 2);
	for (int i = 0; i < pairs; i++) {
		int first = (int)rng_below(r, 2);
		for (int place = 0; place < 2; place++) {
			int side = place == 0 ? first : 1 - first;
			double v = level * exp(noise[i * 2 + place] + side * d->plan.effect);
			if (step > 0)
				v = step * round(v / step);
			duel_set(d, i / metrics, i % metrics, side, v, step);
			duel_execution(d, i / metrics, i % metrics, side)->position = place + 1;
		}
	}
	for (int m = 0; m < metrics && d->plan.model == NOISE_LIVES; m++)
		draw_lives(d, r, m);
	free(noise);
}
