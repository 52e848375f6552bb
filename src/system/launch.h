/*
 * launch: lampduel's side of a launcher (launcher/protocol.h): one process tree,
 * started directly or as the command of a sandbox, and the requests it answers.
 *
 * A launch is used by one thread, the one that started it: the kernel ends the
 * sandbox with that thread. When the launcher is gone every function returns
 * ERR_GONE with one line that says how it ended. What comes back from inside is
 * not trusted: sizes are checked against what was asked for.
 */
#ifndef LAMPDUEL_SYSTEM_LAUNCH_H
#define LAMPDUEL_SYSTEM_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/outcome.h"
#include "base/vec.h"

struct launch;

struct launch_options {
	const struct strvec *argv; /* what to start; argv[0] is a path of this machine */
	const char *run_id;        /* becomes LAMPDUEL_RUN, the only variable besides PATH */
	const char *what;          /* for messages: "the sandbox" */
	const volatile int *stop;  /* non-zero: interrupted */
};

struct launch_program {
	const char *path; /* inside */
	const struct strvec *argv, *env;
	const char *cwd;
};

struct launch_run {
	struct launch_program program;
	const void *input; /* NULL: /dev/null */
	size_t input_len;
	int64_t timeout_ns;
	size_t output_max;
	bool discard_output;
	const char *enough; /* as in struct exec_request */
};

struct launch *launch_start(const struct launch_options *o, struct err *err); /* NULL on failure */
/* Ends every process in it, waits for that. NULL is allowed. */
void launch_close(struct launch *l);
pid_t launch_pid(const struct launch *l); /* the process that was started */

/*
 * 0: it was tried, *out (released by the caller) says what came of it: a program that cannot be
 * executed is OUTCOME_FAILED with exit_code 127. ERR_INTERRUPTED when *stop became non-zero; the
 * program was ended then.
 */
int launch_run(struct launch *l, const struct launch_run *q, struct outcome *out, struct err *err);
/* The program's stdout and stderr go to log (a path inside), appended. */
int launch_spawn(struct launch *l, const struct launch_program *p, const char *log, int *id,
		 struct err *err);
int launch_status(struct launch *l, int id, bool *running, int *wait_status, struct err *err);
/* Works after an interruption too, with a shorter grace then. */
int launch_stop(struct launch *l, int id, int64_t grace_ns, struct err *err);
int launch_place(struct launch *l, const unsigned char *mask, size_t len, struct err *err);
int launch_put(struct launch *l, const char *path, const void *data, size_t len, struct err *err);
int launch_get(struct launch *l, const char *path, size_t max, struct buf *out, struct err *err);

#endif
