#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "store/alive.h"
#include "store/db.h"
#include "store/raw.h"
#include "store/store.h"

static int write_facts(struct store *st, int64_t system, const struct factset *f, struct err *err)
{
	if (db_run(st, err, "DELETE FROM fact WHERE system = ?", "i", system) != 0)
		return ERR_FAIL;
	for (size_t i = 0; i < f->n; i++) {
		if (db_run(st, err,
			   "INSERT INTO fact (system, position, key, value, origin)"
			   " VALUES (?, ?, ?, ?, ?)",
			   "iittt", system, (int64_t)i, f->v[i].key, f->v[i].value,
			   f->v[i].origin) != 0)
			return ERR_FAIL;
	}
	return 0;
}

static int write_systems(struct store *st, const struct experiment *e, int64_t id, struct err *err)
{
	for (size_t i = 0; i < e->systems.n; i++) {
		const struct exp_system *s = &e->systems.v[i];

		if (db_run(st, err,
			   "INSERT INTO system (experiment, position, name, target, baseline, "
			   "emulated, emulator) VALUES (?, ?, ?, ?, ?, ?, ?)",
			   "iittnnt", id, (int64_t)i, s->name, s->target, (int)s->baseline,
			   (int)s->emulated, s->emulator) != 0)
			return ERR_FAIL;
		if (write_facts(st, sqlite3_last_insert_rowid(st->db), &s->facts, err) != 0)
			return ERR_FAIL;
	}
	return 0;
}

/* Metrics are numbered as in e; those the store has not seen yet are at its end. */
static int write_new_metrics(struct store *st, const struct experiment *e, int64_t id,
			     struct err *err)
{
	int64_t known = 0;

	if (db_int(st, err, 0, &known, "SELECT count(*) FROM metric WHERE experiment = ?", "i",
		   id) != 0)
		return ERR_FAIL;
	for (size_t i = (size_t)known; i < e->metrics.n; i++) {
		const struct exp_metric *m = &e->metrics.v[i];

		if (db_run(st, err,
			   "INSERT INTO metric (experiment, position, name, unit, direction, "
			   "conditions, is_primary) VALUES (?, ?, ?, ?, ?, ?, ?)",
			   "iittttn", id, (int64_t)i, m->name, m->unit,
			   metric_direction_name(m->direction), m->conditions,
			   (int)m->primary) != 0)
			return ERR_FAIL;
	}
	return 0;
}

static int write_head(struct store *st, const struct experiment *e, int64_t *id, struct err *err)
{
	if (db_run(st, err,
		   "INSERT INTO experiment (title, state, kind, command, version, plan, seed, "
		   "rounds_planned, warmup_rounds, lives, created_unix_ns, ended_unix_ns)"
		   " VALUES (?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		   "tttttinnnii", e->title, e->kind, e->command, e->version, e->plan,
		   (int64_t)e->seed, e->rounds_planned, e->warmup_rounds, e->lives,
		   e->created_unix_ns, e->ended_unix_ns) != 0)
		return ERR_FAIL;
	*id = sqlite3_last_insert_rowid(st->db);
	if (write_systems(st, e, *id, err) != 0)
		return ERR_FAIL;
	for (size_t i = 0; i < e->tasks.n; i++) {
		if (db_run(st, err,
			   "INSERT INTO task (experiment, position, workload, name, params)"
			   " VALUES (?, ?, ?, ?, ?)",
			   "iittt", *id, (int64_t)i, e->tasks.v[i].workload, e->tasks.v[i].name,
			   e->tasks.v[i].params) != 0)
			return ERR_FAIL;
	}
	for (size_t i = 0; i < e->notes.n; i++) {
		if (store_add_note(st, *id, e->notes.v[i], err) != 0)
			return ERR_FAIL;
	}
	return write_new_metrics(st, e, *id, err);
}

int store_create(struct store *st, struct experiment *e, struct err *err)
{
	int64_t id = 0;

	if (db_begin(st, err) != 0)
		return ERR_FAIL;
	int rc = write_head(st, e, &id, err);
	/* before anyone else can see it */
	if (rc == 0)
		rc = alive_take(st, id, err);
	if (db_end(st, rc, err) != 0) {
		alive_drop(st, id);
		return ERR_FAIL;
	}
	e->id = id;
	mem_replace(&e->state, mem_strdup("running"));
	return 0;
}

/* Id of the row at a position in a list of the experiment; table is a constant of this file. */
static int id_at(struct store *st, const char *table, int64_t experiment, size_t position,
		 int64_t *id, struct err *err)
{
	char *sql = mem_printf("SELECT id FROM %s WHERE experiment = ? AND position = ?", table);
	int rc = db_int(st, err, 0, id, sql, "ii", experiment, (int64_t)position);

	free(sql);
	if (rc == 0 && *id == 0)
		rc = err_set(err, "experiment %lld in the store %s has no %s %zu: was it removed?",
			     (long long)experiment, st->path, table, position + 1);
	return rc;
}

int store_set_facts(struct store *st, const struct experiment *e, size_t system, struct err *err)
{
	const struct exp_system *s = &e->systems.v[system];
	int64_t id = 0;

	if (db_begin(st, err) != 0)
		return ERR_FAIL;
	int rc = id_at(st, "system", e->id, system, &id, err);
	if (rc == 0)
		rc = db_run(st, err, "UPDATE system SET emulated = ?, emulator = ? WHERE id = ?",
			    "nti", (int)s->emulated, s->emulator, id);
	if (rc == 0)
		rc = write_facts(st, id, &s->facts, err);
	return db_end(st, rc, err);
}

int store_set_task_params(struct store *st, const struct experiment *e, size_t task,
			  struct err *err)
{
	int64_t id = 0;

	if (id_at(st, "task", e->id, task, &id, err) != 0)
		return ERR_FAIL;
	return db_run(st, err, "UPDATE task SET params = ? WHERE id = ?", "ti",
		      e->tasks.v[task].params, id);
}

int store_set_state(struct store *st, int64_t id, const char *state, int64_t ended_unix_ns,
		    struct err *err)
{
	bool running = strcmp(state, "running") == 0;

	if (running && alive_take(st, id, err) != 0)
		return ERR_FAIL;
	if (!running)
		alive_drop(st, id);
	if (db_run(st, err, "UPDATE experiment SET state = ?, ended_unix_ns = ? WHERE id = ?",
		   "tii", state, ended_unix_ns, id) != 0)
		return ERR_FAIL;
	return sqlite3_changes(st->db) == 0 ? db_no_experiment(st, id, err) : 0;
}

int store_set_ending(struct store *st, int64_t id, const char *ending, struct err *err)
{
	if (db_run(st, err, "UPDATE experiment SET ending = ? WHERE id = ?", "ti", ending, id) != 0)
		return ERR_FAIL;
	return sqlite3_changes(st->db) == 0 ? db_no_experiment(st, id, err) : 0;
}

int store_add_note(struct store *st, int64_t id, const char *note, struct err *err)
{
	int rc = db_run(st, err,
			"INSERT INTO note (experiment, text) SELECT id, ? FROM experiment"
			" WHERE id = ?",
			"ti", note, id);

	if (rc == 0 && sqlite3_changes(st->db) == 0)
		rc = db_no_experiment(st, id, err);
	return rc;
}

static int write_values(struct store *st, const struct experiment *e, const struct exp_execution *x,
			int64_t execution, struct err *err)
{
	for (size_t i = 0; i < x->values.n; i++) {
		const struct exp_value *v = &x->values.v[i];
		int64_t metric = 0;

		if (!isfinite(v->value) || !isfinite(v->step) || !isfinite(v->sd))
			return err_set(err, "a value of %s is not a finite number",
				       e->metrics.v[v->metric].name);
		if (id_at(st, "metric", e->id, v->metric, &metric, err) != 0)
			return ERR_FAIL;
		if (db_run(st, err,
			   "INSERT INTO value (execution, metric, value, step, derived, n, sd, "
			   "origin)"
			   " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			   "iiddnndt", execution, metric, v->value, v->step, (int)v->derived, v->n,
			   v->sd, v->origin != NULL ? v->origin : "") != 0)
			return ERR_FAIL;
	}
	return 0;
}

static int round_id(struct store *st, int64_t experiment, const struct exp_execution *x,
		    int64_t *id, struct err *err)
{
	if (db_run(st, err,
		   "INSERT INTO round (experiment, warmup, number) VALUES (?, ?, ?)"
		   " ON CONFLICT DO NOTHING",
		   "inn", experiment, (int)x->warmup, x->round) != 0)
		return ERR_FAIL;
	return db_int(st, err, 0, id,
		      "SELECT id FROM round WHERE experiment = ? AND warmup = ? AND number = ?",
		      "inn", experiment, (int)x->warmup, x->round);
}

static int write_execution(struct store *st, const struct experiment *e,
			   const struct exp_execution *x, const struct buf *raw, int64_t *id,
			   struct err *err)
{
	int64_t round = 0;
	int64_t task = 0;
	int64_t system = 0;

	/* task and system first: they tell a removed experiment from a fault */
	if (id_at(st, "task", e->id, x->task, &task, err) != 0 ||
	    id_at(st, "system", e->id, x->system, &system, err) != 0 ||
	    round_id(st, e->id, x, &round, err) != 0 || write_new_metrics(st, e, e->id, err) != 0)
		return ERR_FAIL;
	if (db_run(st, err,
		   "INSERT INTO execution (round, task, system, life, position, attempt, start_ns, "
		   "end_ns, unix_ns, status, reason, disturbed, disturbance)"
		   " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		   "iiinnniiittnt", round, task, system, x->life, x->position, x->attempt,
		   x->start_ns, x->end_ns, x->unix_ns, outcome_status_name(x->status), x->reason,
		   (int)x->disturbed, x->disturbance) != 0)
		return ERR_FAIL;
	*id = sqlite3_last_insert_rowid(st->db);
	if (write_values(st, e, x, *id, err) != 0)
		return ERR_FAIL;
	return raw_write(st, *id, raw, err);
}

int store_add_execution(struct store *st, struct experiment *e, struct exp_execution *x,
			const struct buf *raw, struct err *err)
{
	int64_t id = 0;

	if (db_begin(st, err) != 0)
		return ERR_FAIL;
	if (db_end(st, write_execution(st, e, x, raw, &id, err), err) != 0)
		return ERR_FAIL;
	x->id = id;
	return 0;
}

int store_set_disturbed(struct store *st, int64_t execution, const char *disturbance,
			struct err *err)
{
	if (db_run(st, err, "UPDATE execution SET disturbed = 1, disturbance = ? WHERE id = ?",
		   "ti", disturbance, execution) != 0)
		return ERR_FAIL;
	if (sqlite3_changes(st->db) == 0)
		return err_set(err, "no execution %lld in the store %s", (long long)execution,
			       st->path);
	return 0;
}

static int write_whole(struct store *st, struct experiment *e, int64_t *id, struct err *err)
{
	const struct buf nothing = BUF_INIT;
	int64_t execution = 0;
	int rc = write_head(st, e, id, err);

	e->id = *id;
	for (size_t i = 0; rc == 0 && i < e->executions.n; i++)
		rc = write_execution(st, e, &e->executions.v[i], &nothing, &execution, err);
	if (rc == 0 && e->ending != NULL)
		rc = store_set_ending(st, *id, e->ending, err);
	if (rc == 0)
		rc = store_set_state(st, *id, e->state, e->ended_unix_ns, err);
	return rc;
}

int store_import(struct store *st, struct experiment *e, struct err *err)
{
	int64_t before = e->id, id = 0;

	if (text_equal(e->state, "running"))
		mem_replace(&e->state, mem_strdup("interrupted"));
	if (db_begin(st, err) != 0)
		return ERR_FAIL;
	int rc = db_end(st, write_whole(st, e, &id, err), err);
	e->id = rc == 0 ? id : before;
	return rc;
}
