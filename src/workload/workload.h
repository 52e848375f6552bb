/*
 * workload: something measured. A workload is a table of functions (struct
 * workload_kind) in a file of its own and one row in the registry
 * (workload/internal.h). A task is a workload with all its parameters: what one
 * execution does on one system ("openssl/rsa2048", "wordpress/opcache-off").
 *
 * The way of a value: run_once() makes the system do the work and returns the
 * raw bytes that came of it; read() is pure and turns raw bytes into values, so
 * that a better reader can read old experiments again.
 */
#ifndef LAMPDUEL_WORKLOAD_WORKLOAD_H
#define LAMPDUEL_WORKLOAD_WORKLOAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "stack/stack.h"
#include "store/experiment.h"
#include "system/system.h"

struct workload_kind;

struct task {
	const struct workload_kind *kind;
	char *name;     /* unique in the experiment; also the step name of its executions */
	json_t *params; /* object: every parameter, all set; counts after calibration */
};

struct task_list {
	VEC(struct task) tasks;
};

void task_list_release(struct task_list *l);
const char *task_text(const struct task *t, const char *key); /* never NULL: "" when missing */
int64_t task_int(const struct task *t, const char *key);
void task_set_int(struct task *t, const char *key, int64_t v);
void task_set_text(struct task *t, const char *key, const char *v);

/* One row: parsing, default and help of a parameter, as in [workload NAME] of the ini file. */
struct workload_param {
	const char *key;
	const char *fallback;
	const char *help;
};

/* What the user asked for: a workload and the parameters that were given. */
struct workload_request {
	const struct workload_kind *kind;
	char *name;            /* of the section; for "command" its NAME */
	struct factset params; /* key -> value as text; only keys of the kind's table */
	struct strvec argv;    /* "command" only */
};

struct sample_value {
	char *metric; /* full name: workload/item/aspect */
	const char *unit;
	double value, step;
	bool derived, primary;
	int n;
	double sd;
	char *conditions; /* sorted "key=value;key=value" */
};

struct sample {
	VEC(struct sample_value) values;
};

void sample_release(struct sample *s);
/* Adds a value; metric and conditions are copied. */
void sample_add(struct sample *s, const char *metric, const char *unit, double value, double step,
		bool primary, const char *conditions);

/* Which throwaway services a life of this task needs. */
enum stack_need { NEED_NOTHING, NEED_MARIADB, NEED_WEB /* MariaDB, Apache, PHP, WordPress */ };

struct workload_kind {
	const char *name;                    /* "openssl" */
	const char *summary;                 /* one line for --help */
	const struct workload_param *params; /* ended by a NULL key */
	enum stack_need need;
	bool by_default; /* measured where the user names no workload */
	/* the parameter that calibration sets, 0 until then; NULL: nothing to calibrate */
	const char *count_key;
	int64_t count_min, count_max;
	const char *count_unit; /* "requests", "evaluations", "s", for messages */

	/* One request to one task or more; refuses values that cannot be. */
	int (*expand)(const struct workload_request *q, struct task_list *out, struct err *err);
	/* Can this system do it? When not, *reason is a new string: what is missing, what brings
	 * it. */
	bool (*supported)(const struct task *t, struct system *s, char **reason);
	/* How a life of the stack is to be for this task (opcache on or off); NULL: as the release
	 * has it. */
	void (*life_options)(const struct task *t, struct stack_life *life);
	/* After a life began: brings it to its steady state outside of the timed part; NULL:
	 * nothing to do. */
	int (*warm_up)(const struct task *t, struct system *s, struct stack *st,
		       const struct step *step, struct err *err);
	/* Text that must be equal on all systems for the work to be the same; NULL: nothing to
	 * check. */
	int (*fingerprint)(const struct task *t, struct system *s, struct stack *st,
			   const struct step *step, struct buf *text, struct err *err);
	/*
	 * The smallest count with which a sample lasts target_ns or more on this system and its
	 * step is at most step_share of it (0.0025).
	 */
	int (*calibrate)(const struct task *t, struct system *s, struct stack *st,
			 const struct step *step, int64_t target_ns, double step_share,
			 int64_t *count, struct err *err);
	/* One execution. Negative only when the system cannot be used any more. out->status tells
	 * the rest; raw gets what read() needs. */
	int (*run_once)(const struct task *t, struct system *s, struct stack *st,
			const struct step *step, struct outcome *out, struct buf *raw,
			struct err *err);
	/*
	 * Adds what a server that runs anyway says of its settings, in place of what the system's
	 * files say of a server; NULL: such a server is not asked. What it does not tell is left
	 * out; an error only when the system cannot be used.
	 */
	int (*facts)(const struct task *t, struct system *s, struct factset *f, struct err *err);
	/* Pure. Fails when raw cannot be used as a sample; the message is the reason. */
	int (*read)(const struct task *t, const char *raw, size_t len, struct sample *out,
		    struct err *err);
};

/*
 * What this task needs: its kind's need, or nothing when it measures a server that runs already
 * (its parameter "running" is set then, and the functions above get a NULL stack).
 */
enum stack_need task_need(const struct task *t);

/* It measures a server or a site that runs anyway. */
bool task_is_of_running(const struct task *t);

const struct workload_kind *workload_kind_named(const char *name, struct err *err);
size_t workload_kind_count(void);
const struct workload_kind *workload_kind_at(size_t i);
void workload_request_release(struct workload_request *q);
/* Sets a parameter after checking its key against the kind's table. */
int workload_request_set(struct workload_request *q, const char *key, const char *value,
			 struct err *err);

#endif
