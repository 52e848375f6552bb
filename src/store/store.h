/*
 * store: experiments in one SQLite file (WAL, foreign keys, user_version with
 * ordered migrations, each in a transaction). Every execution is committed with
 * its values and its compressed raw output before the next begins.
 */
#ifndef LAMPDUEL_STORE_STORE_H
#define LAMPDUEL_STORE_STORE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/experiment.h"

struct store;

/* Opens or creates path (folders too). NULL: fs_data_dir()/lampduel.db. A newer schema is refused.
 */
struct store *store_open(const char *path, struct err *err);
/* Is there one at path? Nothing is opened or made. */
bool store_exists(const char *path);
void store_close(struct store *st); /* NULL is allowed */
const char *store_path(const struct store *st);

/*
 * Writes the head (systems, tasks, notes; not executions); sets e->id and state "running". It is
 * this process's until another state is set or the store is closed: what is "running" and nobody's
 * is listed and loaded as "interrupted", and another process's cannot be set to "running".
 */
int store_create(struct store *st, struct experiment *e, struct err *err);
/* Replaces facts of one system (taken again at the end) or after preparation. */
int store_set_facts(struct store *st, const struct experiment *e, size_t system, struct err *err);
/* Parameters of a task after calibration. */
int store_set_task_params(struct store *st, const struct experiment *e, size_t task,
			  struct err *err);
int store_set_state(struct store *st, int64_t id, const char *state, int64_t ended_unix_ns,
		    struct err *err);
/* Why it ended before its last planned round: "decided", "time" or "disturbed". */
int store_set_ending(struct store *st, int64_t id, const char *ending, struct err *err);
int store_add_note(struct store *st, int64_t id, const char *note, struct err *err);
/*
 * One execution with its values, in one commit; sets x->id. Metrics it uses that the store
 * has not seen in this experiment are added. raw: what the program printed, may be empty.
 */
int store_add_execution(struct store *st, struct experiment *e, struct exp_execution *x,
			const struct buf *raw, struct err *err);
/* Marks attempts of (round, task) as disturbed or excluded afterwards. */
int store_set_disturbed(struct store *st, int64_t execution, const char *disturbance,
			struct err *err);

/*
 * Stores a whole experiment (of another store, or read from files) in one commit, as it is but for
 * its number: sets e->id, and the state of one that was running becomes "interrupted".
 */
int store_import(struct store *st, struct experiment *e, struct err *err);

/* Loads everything but the raw outputs. */
int store_load(struct store *st, int64_t id, struct experiment *e, struct err *err);
int store_raw(struct store *st, int64_t execution, struct buf *out, struct err *err);
/* Newest id, or 0 when the store is empty; negative on error. */
int64_t store_newest(struct store *st, struct err *err);
/* Heads only (systems and counts, no executions), newest first. */
struct store_row {
	int64_t id, created_unix_ns;
	char *title, *state, *kind;
	int rounds_planned, rounds_done;
	int64_t executions;
};
struct store_rows {
	VEC(struct store_row) rows;
};
int store_list(struct store *st, struct store_rows *rows, struct err *err);
void store_rows_release(struct store_rows *rows);
int store_remove(struct store *st, int64_t id, struct err *err); /* an unknown id is an error */

#endif
