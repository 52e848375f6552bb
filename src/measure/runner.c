#include "measure/runner.h"

#include <string.h>

#include "base/text.h"
#include "collect/collect.h"
#include "measure/calibrate.h"
#include "measure/gate.h"
#include "measure/sample.h"
#include "measure/session.h"
#include "stats/looks.h"
#include "system/placement.h"

struct runner {
	const struct run_request *q;
	struct session session;
	struct sampler sampler;
	struct experiment e;
	struct run_progress progress;
};

static const struct plan *plan_of(const struct runner *r)
{
	return r->q->plan;
}

/* Servers that run anyway know better than files which settings are in effect. */
static int ask_servers(const struct session *s, size_t system, struct factset *f, struct err *err)
{
	int rc = 0;

	for (size_t k = 0; rc == 0 && k < s->tasks.tasks.n; k++) {
		const struct task *t = &s->tasks.tasks.v[k];
		if (task_is_of_running(t) && t->kind->facts != NULL)
			rc = t->kind->facts(t, s->systems[system], f, err);
	}
	return rc;
}

static int collect_all(struct runner *r, bool again, struct err *err)
{
	struct session *s = &r->session;

	for (size_t i = 0; i < s->n; i++) {
		struct factset f = {0};
		int rc = collect_facts(s->systems[i], &s->programs[i],
				       again ? COLLECT_VERSIONS : COLLECT_ALL, &f, err);
		if (rc == 0 && s->n_trees > 0)
			factset_set(&f, "wordpress.version",
				    s->trees[s->n_trees == 1 ? 0 : i].version,
				    s->trees[s->n_trees == 1 ? 0 : i].origin);
		if (rc == 0 && s->stacks[i] != NULL)
			stack_settings(s->stacks[i], &f);
		if (rc == 0)
			rc = ask_servers(s, i, &f, err);
		if (rc == 0 && again)
			rc = sampler_compare_facts(&r->sampler, i, &f, err);
		if (rc == 0 && !again)
			factset_copy(&r->e.systems.v[i].facts, &f);
		factset_release(&f);
		if (rc != 0)
			return rc;
	}
	return 0;
}

/* The head of a new experiment, from what the session found. */
static void fill_experiment(struct runner *r)
{
	const struct plan *p = plan_of(r);
	struct session *s = &r->session;
	struct experiment *e = &r->e;

	e->title = plan_title(p);
	e->state = mem_strdup("running");
	e->kind = mem_strdup(p->kind);
	e->command = mem_strdup(p->command_line);
	e->version = mem_strdup(LAMPDUEL_VERSION);
	e->plan = plan_to_json(p);
	e->seed = p->seed;
	e->rounds_planned = p->rounds;
	e->warmup_rounds = p->warmup;
	e->lives = p->lives == 0 ? p->rounds : p->lives;
	e->created_unix_ns = clock_unix_ns(r->q->clock);
	for (size_t i = 0; i < s->n; i++) {
		struct exp_system *x = vec_add(&e->systems);
		const struct system *y = s->systems[i];
		x->name = mem_strdup(p->systems.v[i].name);
		x->target = mem_strdup(p->systems.v[i].target);
		x->baseline = i == 0;
		x->emulated = y->emulated;
		x->emulator = y->emulated ? system_emulated_by(y) : mem_strdup("");
	}
	for (size_t k = 0; k < s->tasks.tasks.n; k++) {
		const struct task *t = &s->tasks.tasks.v[k];
		struct exp_task *x = vec_add(&e->tasks);
		x->workload = mem_strdup(t->kind->name);
		x->name = mem_strdup(t->name);
		x->params = json_dumps(t->params, JSON_COMPACT | JSON_SORT_KEYS);
	}
	for (size_t i = 0; i < s->notes.n; i++)
		vec_push(&e->notes, mem_strdup(s->notes.v[i]));
}

/* A difference between ports must not be one between releases of the programs measured. */
static int check_versions(const struct runner *r, struct err *err)
{
	static const char *const keys[] = {"apache.version", "mariadb.version", "php.version",
					   "openssl.version"};
	const struct exp_system *a = &r->e.systems.v[0];

	for (size_t i = 1; i < r->e.systems.n; i++) {
		const struct exp_system *b = &r->e.systems.v[i];
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
			const char *x = factset_get(&a->facts, keys[k]);
			const char *y = factset_get(&b->facts, keys[k]);
			if (!text_equal(x, y))
				return err_code(
					err, ERR_HOPELESS,
					"the reference case needs equal versions, but %s is "
					"%s on %s "
					"and %s on %s; lampduel rootfs update brings both "
					"to one date",
					keys[k], x == NULL ? "missing" : x, a->name,
					y == NULL ? "missing" : y, b->name);
		}
	}
	return 0;
}

static int begin_new(struct runner *r, struct err *err)
{
	fill_experiment(r);
	int rc = collect_all(r, false, err);
	if (rc == 0 && plan_of(r)->equal_versions)
		rc = check_versions(r, err);
	if (rc == 0)
		rc = store_create(r->q->store, &r->e, err);
	return rc;
}

/* The tasks of the stored experiment, with their calibrated parameters, must be those of this
 * session. */
static int adopt_tasks(struct runner *r, struct err *err)
{
	struct task_list *l = &r->session.tasks;

	if (l->tasks.n != r->e.tasks.n)
		return err_code(
			err, ERR_HOPELESS,
			"experiment %lld cannot go on: it had %zu tasks, now %zu are possible",
			(long long)r->e.id, r->e.tasks.n, l->tasks.n);
	for (size_t k = 0; k < l->tasks.n; k++) {
		json_t *params = json_loads(r->e.tasks.v[k].params, 0, NULL);
		if (params == NULL || strcmp(l->tasks.v[k].name, r->e.tasks.v[k].name) != 0) {
			json_decref(params);
			return err_code(
				err, ERR_HOPELESS,
				"experiment %lld cannot go on: its task %s is not possible now",
				(long long)r->e.id, r->e.tasks.v[k].name);
		}
		json_decref(l->tasks.v[k].params);
		l->tasks.v[k].params = params;
	}
	return 0;
}

static int begin_resumed(struct runner *r, struct err *err)
{
	int rc = store_load(r->q->store, r->q->resume_id, &r->e, err);

	if (rc == 0)
		rc = adopt_tasks(r, err);
	if (rc == 0)
		rc = collect_all(r, true, err);
	if (rc == 0)
		rc = store_set_state(r->q->store, r->e.id, "running", 0, err);
	return rc;
}

/* Samples of one task in the rounds first..last, which share one life where the task has services.
 */
static int run_life(struct runner *r, size_t task, int first, int last, bool warmup,
		    struct err *err)
{
	struct session *s = &r->session;
	const struct task *t = &s->tasks.tasks.v[task];
	bool alive = false;
	int rc = 0;

	for (int round = first; rc == 0 && round <= last; round++) {
		if (sampler_done(&r->sampler, round, warmup, task))
			continue;
		if (!alive)
			rc = sampler_begin_life(&r->sampler, round, warmup, task, 1, err);
		alive = true;
		if (rc == 0)
			rc = sampler_sample(&r->sampler, round, warmup, task, err);
	}
	if (alive)
		session_end_life(s, t, sampler_step_round(last, warmup), 1);
	return rc;
}

/* All tasks in the rounds first..last, in an order of their own. */
static int run_block(struct runner *r, int first, int last, bool warmup, struct err *err)
{
	size_t n = r->session.tasks.tasks.n;
	size_t *order = mem_array(n, sizeof(*order));
	int rc = 0;

	plan_task_order(r->e.seed, first, warmup, order, n);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = run_life(r, order[i], first, last, warmup, err);
	free(order);
	if (rc == 0)
		progress_round(&r->progress, last, warmup);
	return rc;
}

/* blocks: how many this session has measured. */
static bool time_is_up(const struct runner *r, int64_t started_ns, int blocks)
{
	int64_t max = plan_of(r)->max_time_ns;
	int64_t spent = clock_now_ns(r->q->clock) - started_ns;

	/* a block that would not end in time is not begun */
	return max > 0 && blocks > 0 && spent + spent / blocks > max;
}

/* Says why the run is over before its last round, and keeps that. */
static int end_early(struct runner *r, const char *ending, const char *note, struct err *err)
{
	event_text(&r->q->sink, EVENT_NOTE, note);
	int rc = store_add_note(r->q->store, r->e.id, note, err);

	return rc != 0 ? rc : store_set_ending(r->q->store, r->e.id, ending, err);
}

/* Rounds that an interrupted session measured beyond this one: its look has been, or was missed. */
static bool is_last_measured(const struct runner *r, int round)
{
	for (size_t i = 0; i < r->e.executions.n; i++) {
		const struct exp_execution *x = &r->e.executions.v[i];
		if (!x->warmup && x->round > round)
			return false;
	}
	return true;
}

/* After a round: is it one to look at, and are all verdicts settled there? Then says so. */
static int look(struct runner *r, int round, bool *over, struct err *err)
{
	const struct plan *p = plan_of(r);
	const struct run_judge *judge = &r->q->judge;
	struct stats_looks looks;
	size_t k = 0;

	*over = false;
	if (!p->looks || judge->decided == NULL || r->session.n < 2 || round >= p->rounds)
		return 0;
	stats_looks_plan(p->rounds, &looks);
	while (k < looks.n && looks.at[k] != round)
		k++;
	if (k == looks.n || !is_last_measured(r, round))
		return 0;
	int rc = judge->decided(judge->arg, &r->e, over, err);
	if (rc != 0 || !*over)
		return rc;
	char *note = mem_printf("every verdict was settled after %d of at most %d rounds (look %zu "
				"of %zu), so the run ended there",
				round, p->rounds, k + 1, looks.n);
	rc = end_early(r, "decided", note, err);
	free(note);
	return rc;
}

/* Primary comparisons as far as they are known: metrics with values, or tasks at least. */
static size_t family_so_far(const struct runner *r)
{
	size_t metrics = 0;

	for (size_t i = 0; i < r->e.metrics.n; i++)
		metrics += r->e.metrics.v[i].primary;
	if (metrics < r->e.tasks.n)
		metrics = r->e.tasks.n;
	return metrics * (r->session.n - 1);
}

/* So few rounds that only large differences, or none at all, can show: better said beforehand. */
static void hint_rounds(const struct runner *r, bool *said)
{
	enum { RANKS_FROM = 6 }; /* below, compare/ judges by Student's t (doc/statistics.md) */
	const struct plan *p = plan_of(r);
	const struct run_judge *judge = &r->q->judge;
	/* a process is a life of its own: lives are shared by services alone */
	bool shared = plan_lives_are_shared(p) && session_needs(&r->session, NEED_MARIADB);
	size_t have = (size_t)(shared ? p->lives : p->rounds);
	char *note = NULL;

	if (*said || judge->fewest == NULL || r->session.n < 2)
		return;
	size_t need = judge->fewest(family_so_far(r));
	if (have >= need)
		return;
	const char *unit =
		shared      ? have == 1 ? "start of the services is" : "starts of the services are"
		: have == 1 ? "round is"
			    : "rounds are";
	if (have == 1)
		note = mem_printf("1 %s planned: figures, and no verdict; to show a difference in "
				  "this many metrics, however small, takes at least %zu (%s %zu)",
				  unit, need, shared ? "--lives" : "-n", need);
	else if (have < RANKS_FROM)
		note = mem_printf("%zu %s planned: so few show large differences at best; for "
				  "others, in this many metrics, it takes at least %zu (%s %zu)",
				  have, unit, need, shared ? "--lives" : "-n", need);
	else
		note = mem_printf("%zu %s planned; to show a difference in this many metrics takes "
				  "at least %zu (%s %zu)",
				  have, unit, need, shared ? "--lives" : "-n", need);
	event_text(&r->q->sink, EVENT_NOTE, note);
	free(note);
	*said = true;
}

/* After a round: can no task get a verdict any more, because too many rounds were disturbed? */
static int give_up(struct runner *r, int round, bool *over, struct err *err)
{
	const struct plan *p = plan_of(r);

	if (*over || round >= p->rounds || r->session.n < 2 ||
	    !sampler_is_hopeless(&r->sampler, p->rounds))
		return 0;
	char *note = mem_printf("more than a fifth of the planned rounds was disturbed in every "
				"task, so that no verdict is possible; the run ended after %d of "
				"%d rounds (a quieter machine, or --accept-load)",
				round, p->rounds);
	int rc = end_early(r, "disturbed", note, err);
	*over = true;
	free(note);
	return rc;
}

static int run_rounds(struct runner *r, struct err *err)
{
	const struct plan *p = plan_of(r);
	int64_t started = clock_now_ns(r->q->clock);
	int blocks = 0;
	bool over = false;
	bool said = false;
	int rc = 0;

	hint_rounds(r, &said);
	progress_start(&r->progress);
	for (int i = 1; rc == 0 && i <= p->warmup; i++)
		rc = run_block(r, i, i, true, err);
	for (int first = 1, last = 1; rc == 0 && !over && first <= p->rounds; first = last + 1) {
		int life = plan_life_of_round(first, p->rounds, p->lives);
		for (last = first;
		     last < p->rounds && plan_life_of_round(last + 1, p->rounds, p->lives) == life;)
			last++;
		if (time_is_up(r, started, blocks)) {
			char *note =
				mem_printf("the time limit ended the run after %d of %d rounds",
					   first - 1, p->rounds);
			rc = end_early(r, "time", note, err);
			free(note);
			break;
		}
		int64_t skipped = r->progress.done_before;
		int64_t done = r->progress.done;
		rc = run_block(r, first, last, false, err);
		blocks += r->progress.done - done > r->progress.done_before - skipped;
		if (rc == 0)
			rc = look(r, last, &over, err);
		if (rc == 0)
			rc = give_up(r, last, &over, err);
		if (rc == 0)
			hint_rounds(r, &said);
	}
	progress_end(&r->progress);
	return rc;
}

/* Counts and rounds, with this process where it is not in the way of what is measured. */
static int measure_all(struct runner *r, struct err *err)
{
	const struct run_request *q = r->q;
	int rc = r->session.recorded ? 0 : placement_client(err);

	if (rc == 0)
		rc = calibrate_all(&r->session, &r->e, q->store, q->resume_id != 0, err);
	if (rc == 0)
		rc = run_rounds(r, err);
	if (!r->session.recorded)
		placement_client_undo();
	return rc;
}

static int run_session(struct runner *r, struct err *err)
{
	const struct run_request *q = r->q;
	int rc = session_open(&r->session, q->plan, q->clock, q->stop, &q->sink, err);

	if (rc == 0)
		rc = session_prepare(&r->session, err);
	if (rc == 0)
		rc = gate_wait(&r->session, err);
	sampler_init(&r->sampler, &r->session, &r->e, q->store, &r->progress);
	progress_init(&r->progress, &r->session, &r->e);
	if (rc == 0)
		rc = q->resume_id != 0 ? begin_resumed(r, err) : begin_new(r, err);
	if (rc == 0)
		rc = measure_all(r, err);
	if (rc == 0)
		rc = collect_all(r, true, err);
	if (rc == 0 && r->session.recording != NULL)
		rc = recording_save(r->session.recording, q->plan->record, err);
	return rc;
}

int runner_run(const struct run_request *q, int64_t *id, struct err *err)
{
	struct runner r = {.q = q};
	int rc = run_session(&r, err);

	*id = r.e.id;
	if (r.e.id != 0) {
		/* the first error is the one to tell; a store that is full cannot note its own
		 * state */
		struct err second = ERR_INIT;
		const char *state = rc == 0                 ? "complete"
				    : rc == ERR_INTERRUPTED ? "interrupted"
							    : "failed";
		int src =
			store_set_state(q->store, r.e.id, state, clock_unix_ns(q->clock), &second);
		if (rc == 0 && src != 0) {
			*err = second;
			rc = src;
		}
	}
	sampler_release(&r.sampler);
	session_close(&r.session);
	experiment_release(&r.e);
	return rc;
}
