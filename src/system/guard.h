/*
 * guard: what makes sure that nothing of a run is left behind.
 *
 * - A run folder, CACHE/run/RUNID, in which all temporary files of the run lie.
 *   It is locked (flock on CACHE/run/RUNID/lock) while its run lives. Its file
 *   "paths" lists further folders of the run, elsewhere.
 * - A supervisor: a process of its own that notices when lampduel dies, ends
 *   every process marked with LAMPDUEL_RUN=RUNID in its environment, and removes
 *   the run folder. Ending the supervisor does no harm.
 * - A sweep: the same for run folders whose run died together with its
 *   supervisor (power cut).
 * - The measuring lock: one measuring run at a time on a machine. It is an
 *   abstract socket name, and a lock on a folder for those that share the file
 *   system but not the network. The kernel frees both with their owner, and no
 *   file is left. (A container with a network and files of its own is a machine
 *   of its own here.)
 */
#ifndef LAMPDUEL_SYSTEM_GUARD_H
#define LAMPDUEL_SYSTEM_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* "20261130-214507-4f3a9c": unique, [a-z0-9-]. New string. */
char *guard_new_run_id(void);

struct guard;

/*
 * Creates the run folder, locks it and starts the supervisor. NULL on failure. Call it before there
 * are other threads: the supervisor is a copy of this process.
 */
struct guard *guard_new_run_dir(const char *cache_dir, const char *run_id, struct err *err);
const char *guard_run_dir(const struct guard *g); /* CACHE/run/RUNID */
const char *guard_run_id(const struct guard *g);
pid_t guard_supervisor(const struct guard *g);
/* A new folder in the run folder, for one system. New string; NULL on failure. */
char *guard_system_dir(struct guard *g, const char *name, struct err *err);
/* Ends what is still marked, removes the run folder and what it lists, ends the supervisor. NULL is
 * allowed. */
void guard_end(struct guard *g);

/* Lists a further folder or file to be removed with the run; no error when there is no run folder.
 */
int guard_add_path(const char *cache_dir, const char *run_id, const char *path, struct err *err);

/*
 * Cleans up after runs that are dead. 0, or an error that names the first folder that could not be
 * removed (the others were). *swept (may be NULL) counts the runs.
 */
int guard_sweep(const char *cache_dir, int *swept, struct err *err);

/* SIGKILL to every process marked with run_id that we may end, again until none is found, at most
 * for about two seconds. How many were ended. */
int guard_kill_marked(const char *run_id);

/* The measuring lock. whom: "lampduel run ... (process 4711, user root)", safe to print. */
struct measuring_lock;
typedef void measuring_lock_waiting(void *context, const char *whom);

/* Takes it, or waits; waiting (may be NULL) is called once for every holder that is waited for.
 * NULL: interrupted (*stop), or an error. */
struct measuring_lock *measuring_lock_take(measuring_lock_waiting *waiting, void *context,
					   const volatile int *stop, struct err *err);
/* The same without waiting: NULL with an error that says who has it. */
struct measuring_lock *measuring_lock_try(struct err *err);
void measuring_lock_release(struct measuring_lock *l); /* NULL is allowed */

#endif
