#include "measure/sample.h"

#include <string.h>

#include "base/text.h"
#include "measure/runner.h"
#include "measure/validity.h"

/* A task that fails at this many places one after the other is not going to work. */
enum { FAILURES_MAX = 3 };

/* One round of so many may be lost (compare/family.c: more, and there is no verdict). */
enum { LOST_OF = 5 };

/* The exit status of a program that could not be executed (launch.h; a shell has it as well). */
enum { NOT_STARTED = 127 };

void sampler_init(struct sampler *m, struct session *s, struct experiment *e, struct store *store,
		  struct run_progress *progress)
{
	*m = (struct sampler){.s = s, .e = e, .store = store, .progress = progress};
	m->failed_in_a_row = mem_array(s->tasks.tasks.n, sizeof(*m->failed_in_a_row));
}

void sampler_release(struct sampler *m)
{
	free(m->failed_in_a_row);
	m->failed_in_a_row = NULL;
}

int sampler_step_round(int round, bool warmup)
{
	return warmup ? -round : round;
}

/* Executions of one attempt at a place: how many there are, and how many of them count. */
struct attempt_state {
	size_t made, good;
};

static struct attempt_state look_at(const struct experiment *e, int round, bool warmup, size_t task,
				    int attempt)
{
	struct attempt_state a = {0, 0};

	for (size_t i = 0; i < e->executions.n; i++) {
		const struct exp_execution *x = &e->executions.v[i];
		if (x->round != round || x->warmup != warmup || x->task != task ||
		    x->attempt != attempt)
			continue;
		a.made++;
		a.good += x->status == OUTCOME_OK && !x->disturbed;
	}
	return a;
}

static int last_attempt(const struct experiment *e, int round, bool warmup, size_t task)
{
	int last = 0;

	for (size_t i = 0; i < e->executions.n; i++) {
		const struct exp_execution *x = &e->executions.v[i];
		if (x->round == round && x->warmup == warmup && x->task == task &&
		    x->attempt > last)
			last = x->attempt;
	}
	return last;
}

bool sampler_done(struct sampler *m, int round, bool warmup, size_t task)
{
	size_t n = m->e->systems.n;
	int full = 0;

	for (int a = last_attempt(m->e, round, warmup, task); a > 0; a--) {
		struct attempt_state st = look_at(m->e, round, warmup, task, a);
		full += st.made == n;
		if (st.good == n || full >= ATTEMPTS) {
			progress_skip(m->progress, n);
			return true;
		}
	}
	return false;
}

size_t sampler_metric(struct experiment *e, const struct sample_value *v)
{
	for (size_t i = 0; i < e->metrics.n; i++) {
		const struct exp_metric *k = &e->metrics.v[i];
		if (strcmp(k->name, v->metric) == 0 && strcmp(k->unit, v->unit) == 0 &&
		    strcmp(k->conditions, v->conditions) == 0)
			return i;
	}
	struct exp_metric *k = vec_add(&e->metrics);
	k->name = mem_strdup(v->metric);
	k->unit = mem_strdup(v->unit);
	k->direction = metric_direction_of_unit(v->unit);
	k->conditions = mem_strdup(v->conditions);
	k->primary = v->primary;
	return e->metrics.n - 1;
}

static void take_values(struct experiment *e, const struct sample *sample, struct exp_execution *x)
{
	for (size_t i = 0; i < sample->values.n; i++) {
		const struct sample_value *v = &sample->values.v[i];
		struct exp_value out = {
			.metric = sampler_metric(e, v),
			.value = v->value,
			.step = v->step,
			.derived = v->derived,
			.n = v->n,
			.sd = v->sd,
		};
		vec_push(&x->values, out);
	}
}

/* Turns what came of the execution into its status, reason and values. */
static void judge(struct sampler *m, const struct task *t, const struct outcome *out,
		  const struct buf *raw, struct exp_execution *x)
{
	struct sample sample = {{0}};
	struct err why = ERR_INIT;

	x->status = out->status;
	if (out->status == OUTCOME_OK) {
		if (t->kind->read(t, buf_str(raw), raw->len, &sample, &why) == 0) {
			take_values(m->e, &sample, x);
		} else {
			x->status = OUTCOME_INVALID;
			mem_replace(&x->reason, text_escaped(why.msg));
		}
	} else {
		mem_replace(&x->reason, text_escaped(out->reason == NULL ? "" : out->reason));
	}
	sample_release(&sample);
}

/* What cannot be observed is not known; a system that is lost says so when it is measured. */
static void look(struct sampler *m, size_t system, const struct step *step, struct validity *v)
{
	struct buf b = BUF_INIT;
	struct err ignored = ERR_INIT;

	if (system_observe(m->s->systems[system], step, &b, &ignored) != 0)
		buf_clear(&b);
	validity_read(buf_str(&b), v);
	buf_release(&b);
}

/* Writes down what went on between the two looks. */
static void note_disturbance(struct sampler *m, const struct task *t, const struct outcome *out,
			     const struct validity *before, const struct validity *after,
			     struct exp_execution *x)
{
	const struct validity_sample sample = {
		.own_ns = out->user_ns + out->sys_ns > 0 ? out->user_ns + out->sys_ns : -1,
		.serves_others = task_is_of_running(t),
		.accept_load = m->s->plan->accept_load,
	};

	mem_replace(&x->disturbance, validity_difference(before, after, &sample, &x->disturbed));
}

static int measure_one(struct sampler *m, struct exp_execution *x, struct err *err)
{
	struct session *s = m->s;
	const struct task *t = &s->tasks.tasks.v[x->task];
	struct step step = {t->name, sampler_step_round(x->round, x->warmup), x->attempt};
	struct outcome out = {.status = OUTCOME_OK};
	struct buf raw = BUF_INIT;
	struct validity before = {0};
	struct validity after = {0};

	progress_next(m->progress, x->round, x->warmup, t->name, s->systems[x->system]->name);
	x->unix_ns = clock_unix_ns(s->clock);
	x->start_ns = clock_now_ns(s->clock);
	look(m, x->system, &step, &before);
	int rc = t->kind->run_once(t, s->systems[x->system], s->stacks[x->system], &step, &out,
				   &raw, err);
	x->end_ns = clock_now_ns(s->clock);
	if (rc == 0) {
		look(m, x->system, &step, &after);
		note_disturbance(m, t, &out, &before, &after, x);
		if (out.end_ns > out.start_ns) {
			x->start_ns = out.start_ns;
			x->end_ns = out.end_ns;
		}
		judge(m, t, &out, &raw, x);
		m->could_not_start |= out.status == OUTCOME_FAILED && out.exit_code == NOT_STARTED;
		rc = store_add_execution(m->store, m->e, x, &raw, err);
	} else {
		rc = err_wrap(err, "%s on %s", t->name, s->systems[x->system]->name);
	}
	outcome_release(&out);
	buf_release(&raw);
	return rc;
}

int sampler_begin_life(struct sampler *m, int round, bool warmup, size_t task, int attempt,
		       struct err *err)
{
	m->life = 1;
	for (size_t i = 0; i < m->e->executions.n; i++) {
		const struct exp_execution *x = &m->e->executions.v[i];
		if (x->task == task && x->life >= m->life)
			m->life = x->life + 1;
	}
	return session_begin_life(m->s, &m->s->tasks.tasks.v[task],
				  sampler_step_round(round, warmup), attempt, err);
}

/* Every system once, directly after one another. *good: the attempt counts. */
static int attempt_once(struct sampler *m, int round, bool warmup, size_t task, int attempt,
			bool *good, struct err *err)
{
	const struct session *s = m->s;
	size_t *order = mem_array(s->n, sizeof(*order));
	bool own_life = task_need(&s->tasks.tasks.v[task]) == NEED_NOTHING;
	int rc = 0;

	*good = true;
	m->could_not_start = false;
	plan_system_order(m->e->seed, round, warmup, task, attempt, order, s->n);
	for (size_t i = 0; rc == 0 && i < s->n; i++) {
		struct exp_execution x = {
			.round = round,
			.warmup = warmup,
			.task = task,
			.system = order[i],
			/* a process is a life of its own */
			.life = own_life ? round : m->life,
			.position = (int)i + 1,
			.attempt = attempt,
			.reason = mem_strdup(""),
			.disturbance = mem_strdup("{}"),
		};
		rc = measure_one(m, &x, err);
		*good = *good && rc == 0 && x.status == OUTCOME_OK && !x.disturbed;
		vec_push(&m->e->executions, x);
		if (rc == 0)
			progress_sample(m->progress, vec_last(&m->e->executions));
	}
	free(order);
	return rc;
}

/* The last execution that failed in this attempt; NULL: none did, they were disturbed. */
static const struct exp_execution *failed_in(const struct experiment *e, int round, bool warmup,
					     size_t task, int attempt)
{
	for (size_t i = e->executions.n; i > 0; i--) {
		const struct exp_execution *x = &e->executions.v[i - 1];
		if (x->task == task && x->round == round && x->warmup == warmup &&
		    x->attempt == attempt && x->status != OUTCOME_OK)
			return x;
	}
	return NULL;
}

static bool has_worked(const struct experiment *e, size_t task)
{
	for (size_t i = 0; i < e->executions.n; i++) {
		if (e->executions.v[i].task == task && e->executions.v[i].status == OUTCOME_OK)
			return true;
	}
	return false;
}

/* A place that was only disturbed is left out; a task that fails again and again ends the run. */
static int give_up_place(struct sampler *m, int round, bool warmup, size_t task, int attempt,
			 struct err *err)
{
	const struct exp_execution *x = failed_in(m->e, round, warmup, task, attempt);

	if (x == NULL) {
		m->failed_in_a_row[task] = 0;
		return 0;
	}
	if (round == 1 || ++m->failed_in_a_row[task] >= FAILURES_MAX)
		return err_code(err, has_worked(m->e, task) ? ERR_FAIL : ERR_HOPELESS,
				"%s cannot be measured on %s: %s", m->s->tasks.tasks.v[task].name,
				m->e->systems.v[x->system].name, x->reason);
	return 0;
}

/* A service that died is started again for the next attempt. */
static int renew_life(struct sampler *m, int round, bool warmup, size_t task, int attempt,
		      struct err *err)
{
	const struct task *t = &m->s->tasks.tasks.v[task];
	struct err why = ERR_INIT;
	int at = sampler_step_round(round, warmup);

	if (session_check_life(m->s, t, &why) == 0)
		return 0;
	event_text(m->s->sink, EVENT_NOTE, why.msg);
	session_end_life(m->s, t, at, attempt);
	return sampler_begin_life(m, round, warmup, task, attempt, err);
}

int sampler_sample(struct sampler *m, int round, bool warmup, size_t task, struct err *err)
{
	int first = last_attempt(m->e, round, warmup, task) + 1;
	bool good = false;
	int rc = 0;

	for (int a = first; rc == 0 && !good && a < first + ATTEMPTS; a++) {
		if (*m->s->stop != 0)
			return err_code(err, ERR_INTERRUPTED, "interrupted");
		if (a > first)
			rc = renew_life(m, round, warmup, task, a, err);
		if (rc == 0)
			rc = attempt_once(m, round, warmup, task, a, &good, err);
		if (m->could_not_start && !has_worked(m->e, task))
			break; /* a program that is not there will not be there the next time */
	}
	if (rc == 0 && good)
		m->failed_in_a_row[task] = 0;
	if (rc == 0)
		progress_place_done(m->progress, m->s->n);
	if (rc == 0 && !good)
		rc = give_up_place(m, round, warmup, task, last_attempt(m->e, round, warmup, task),
				   err);
	return rc;
}

/* Rounds in which the task has no attempt that counts. */
static int rounds_lost(const struct experiment *e, size_t task, int rounds)
{
	int lost = 0;

	for (int round = 1; round <= rounds; round++) {
		int last = last_attempt(e, round, false, task);
		struct attempt_state st = look_at(e, round, false, task, last);
		lost += last > 0 && st.good < e->systems.n;
	}
	return lost;
}

bool sampler_is_hopeless(const struct sampler *m, int rounds)
{
	for (size_t k = 0; k < m->e->tasks.n; k++) {
		if (rounds_lost(m->e, k, rounds) * LOST_OF <= rounds)
			return false;
	}
	return m->e->tasks.n > 0;
}

int sampler_compare_facts(struct sampler *m, size_t system, const struct factset *now,
			  struct err *err)
{
	const struct factset *then = &m->e->systems.v[system].facts;

	for (size_t i = 0; i < then->n; i++) {
		const struct fact *f = &then->v[i];
		const char *v = factset_get(now, f->key);
		if ((!text_ends(f->key, ".version") && !text_starts(f->key, "package.")) ||
		    text_starts(f->key, "effective.") || text_starts(f->key, "libc."))
			continue;
		if (v == NULL || strcmp(v, f->value) != 0)
			return err_code(
				err, ERR_HOPELESS,
				"%s changed during the experiment: %s was %s and is %s now; what "
				"was measured before and after does not belong together",
				m->e->systems.v[system].name, f->key, f->value,
				v == NULL ? "gone" : v);
	}
	return 0;
}
