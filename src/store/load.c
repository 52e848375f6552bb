#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "store/alive.h"
#include "store/db.h"
#include "store/store.h"

static int damaged(const struct store *st, int64_t id, const char *what, struct err *err)
{
	return err_set(err, "experiment %lld in the store %s is damaged: %s", (long long)id,
		       st->path, what);
}

static int load_head(struct store *st, int64_t id, struct experiment *e, struct err *err)
{
	sqlite3_stmt *s = db_prepare(
		st, err,
		"SELECT title, state, kind, command, version, plan, seed, rounds_planned, "
		"warmup_rounds, lives, created_unix_ns, ended_unix_ns, ending FROM experiment "
		"WHERE id = ?",
		"i", id);
	if (s == NULL)
		return ERR_FAIL;
	int rc = db_step(st, s, err);
	if (rc == 1) {
		e->id = id;
		e->title = db_text(s, 0);
		e->state = alive_state(st, id, db_text(s, 1));
		e->kind = db_text(s, 2);
		e->command = db_text(s, 3);
		e->version = db_text(s, 4);
		e->plan = db_text(s, 5);
		e->seed = (uint64_t)sqlite3_column_int64(s, 6);
		e->rounds_planned = sqlite3_column_int(s, 7);
		e->warmup_rounds = sqlite3_column_int(s, 8);
		e->lives = sqlite3_column_int(s, 9);
		e->created_unix_ns = sqlite3_column_int64(s, 10);
		e->ended_unix_ns = sqlite3_column_int64(s, 11);
		e->ending = db_text(s, 12);
		rc = 0;
	} else if (rc == 0) {
		rc = db_no_experiment(st, id, err);
	}
	(void)sqlite3_finalize(s);
	return rc;
}

/*
 * Calls row for each row of a query about one experiment. row returns 0, or fills err and
 * returns a negative code.
 */
typedef int row_fn(struct store *st, sqlite3_stmt *s, struct experiment *e, struct err *err);

static int each_row(struct store *st, struct experiment *e, const char *sql, row_fn *row,
		    struct err *err)
{
	sqlite3_stmt *s = db_prepare(st, err, sql, "i", e->id);
	int rc = s == NULL ? ERR_FAIL : 0;

	while (rc == 0 && (rc = db_step(st, s, err)) == 1)
		rc = row(st, s, e, err);
	(void)sqlite3_finalize(s);
	return rc;
}

static int system_row(struct store *st, sqlite3_stmt *s, struct experiment *e, struct err *err)
{
	struct exp_system *y = vec_add(&e->systems);

	(void)st;
	(void)err;
	y->name = db_text(s, 0);
	y->target = db_text(s, 1);
	y->baseline = sqlite3_column_int(s, 2) != 0;
	y->emulated = sqlite3_column_int(s, 3) != 0;
	y->emulator = db_text(s, 4);
	return 0;
}

static int fact_row(struct store *st, sqlite3_stmt *s, struct experiment *e, struct err *err)
{
	int64_t system = sqlite3_column_int64(s, 0);

	if (system < 0 || (size_t)system >= e->systems.n)
		return damaged(st, e->id, "a fact belongs to no system", err);
	struct fact *f = vec_add(&e->systems.v[system].facts);
	f->key = db_text(s, 1);
	f->value = db_text(s, 2);
	f->origin = db_text(s, 3);
	return 0;
}

static int task_row(struct store *st, sqlite3_stmt *s, struct experiment *e, struct err *err)
{
	struct exp_task *t = vec_add(&e->tasks);

	(void)st;
	(void)err;
	t->workload = db_text(s, 0);
	t->name = db_text(s, 1);
	t->params = db_text(s, 2);
	return 0;
}

static int metric_row(struct store *st, sqlite3_stmt *s, struct experiment *e, struct err *err)
{
	struct exp_metric *m = vec_add(&e->metrics);
	char *direction = db_text(s, 2);

	(void)st;
	(void)err;
	m->name = db_text(s, 0);
	m->unit = db_text(s, 1);
	m->direction = text_equal(direction, "more") ? MORE_IS_BETTER : LESS_IS_BETTER;
	m->conditions = db_text(s, 3);
	m->primary = sqlite3_column_int(s, 4) != 0;
	free(direction);
	return 0;
}

static int note_row(struct store *st, sqlite3_stmt *s, struct experiment *e, struct err *err)
{
	(void)st;
	(void)err;
	vec_push(&e->notes, db_text(s, 0));
	return 0;
}

static int execution_row(struct store *st, sqlite3_stmt *s, struct experiment *e, struct err *err)
{
	int64_t task = sqlite3_column_int64(s, 3);
	int64_t system = sqlite3_column_int64(s, 4);
	struct exp_execution *x = vec_add(&e->executions);

	x->id = sqlite3_column_int64(s, 0);
	x->round = sqlite3_column_int(s, 1);
	x->warmup = sqlite3_column_int(s, 2) != 0;
	x->life = sqlite3_column_int(s, 5);
	x->position = sqlite3_column_int(s, 6);
	x->attempt = sqlite3_column_int(s, 7);
	x->start_ns = sqlite3_column_int64(s, 8);
	x->end_ns = sqlite3_column_int64(s, 9);
	x->unix_ns = sqlite3_column_int64(s, 10);
	char *status = db_text(s, 11);
	bool known = outcome_status_from_name(status, &x->status);
	free(status);
	x->reason = db_text(s, 12);
	x->disturbed = sqlite3_column_int(s, 13) != 0;
	x->disturbance = db_text(s, 14);
	if (!known)
		return damaged(st, e->id, "an execution has an unknown status", err);
	if (task < 0 || (size_t)task >= e->tasks.n || system < 0 || (size_t)system >= e->systems.n)
		return damaged(st, e->id, "an execution belongs to no task or system", err);
	x->task = (size_t)task;
	x->system = (size_t)system;
	return 0;
}

static int by_id(const void *key, const void *row)
{
	int64_t id = *(const int64_t *)key;
	int64_t have = ((const struct exp_execution *)row)->id;

	return id < have ? -1 : id > have;
}

static int value_row(struct store *st, sqlite3_stmt *s, struct experiment *e, struct err *err)
{
	int64_t execution = sqlite3_column_int64(s, 0);
	int64_t metric = sqlite3_column_int64(s, 1);
	/* executions are loaded in the order of their ids */
	struct exp_execution *x = e->executions.n == 0
					  ? NULL
					  : bsearch(&execution, e->executions.v, e->executions.n,
						    sizeof(*e->executions.v), by_id);

	if (x == NULL || metric < 0 || (size_t)metric >= e->metrics.n)
		return damaged(st, e->id, "a value belongs to no execution or metric", err);
	struct exp_value *v = vec_add(&x->values);
	v->metric = (size_t)metric;
	v->value = sqlite3_column_double(s, 2);
	v->step = sqlite3_column_double(s, 3);
	v->derived = sqlite3_column_int(s, 4) != 0;
	v->n = sqlite3_column_int(s, 5);
	v->sd = sqlite3_column_double(s, 6);
	if (sqlite3_column_bytes(s, 7) > 0)
		v->origin = db_text(s, 7);
	return 0;
}

static const struct {
	const char *sql;
	row_fn *row;
} parts[] = {
	{"SELECT name, target, baseline, emulated, emulator FROM system WHERE experiment = ?"
	 " ORDER BY position",
	 system_row},
	{"SELECT y.position, f.key, f.value, f.origin FROM system y JOIN fact f ON f.system = y.id"
	 " WHERE y.experiment = ? ORDER BY y.position, f.position",
	 fact_row},
	{"SELECT workload, name, params FROM task WHERE experiment = ? ORDER BY position",
	 task_row},
	{"SELECT name, unit, direction, conditions, is_primary FROM metric WHERE experiment = ?"
	 " ORDER BY position",
	 metric_row},
	{"SELECT text FROM note WHERE experiment = ? ORDER BY id", note_row},
	{"SELECT x.id, r.number, r.warmup, t.position, y.position, x.life, x.position, x.attempt,"
	 " x.start_ns, x.end_ns, x.unix_ns, x.status, x.reason, x.disturbed, x.disturbance"
	 " FROM round r JOIN execution x ON x.round = r.id JOIN task t ON t.id = x.task"
	 " JOIN system y ON y.id = x.system WHERE r.experiment = ? ORDER BY x.id",
	 execution_row},
	{"SELECT v.execution, m.position, v.value, v.step, v.derived, v.n, v.sd, v.origin"
	 " FROM metric m JOIN value v ON v.metric = m.id"
	 " WHERE m.experiment = ? ORDER BY v.execution, m.position",
	 value_row},
};

static int load_parts(struct store *st, int64_t id, struct experiment *e, struct err *err)
{
	int rc = load_head(st, id, e, err);

	for (size_t i = 0; rc == 0 && i < sizeof(parts) / sizeof(parts[0]); i++)
		rc = each_row(st, e, parts[i].sql, parts[i].row, err);
	return rc;
}

int store_load(struct store *st, int64_t id, struct experiment *e, struct err *err)
{
	*e = (struct experiment){.id = 0};
	/* one read transaction: a run that writes meanwhile is seen at one moment of it */
	if (db_exec(st, "BEGIN", err) != 0)
		return ERR_FAIL;
	int rc = load_parts(st, id, e, err);
	(void)sqlite3_exec(st->db, "ROLLBACK", NULL, NULL, NULL);
	if (rc != 0)
		experiment_release(e);
	return rc;
}
