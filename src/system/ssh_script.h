/*
 * ssh_script: what a system reached through ssh is asked, as POSIX shell text,
 * and what it answers. Pure.
 *
 * Every script is sent on the session's standard input and read there by
 * SSH_BOOTSTRAP, so that no argument, path or variable ever stands in a command
 * line, here or there, and none has to survive a login shell. A script is one
 * brace group: of a text that was cut off nothing is executed.
 *
 * Answers begin behind a mark of this connection ("@0123456789abcdef"), so that
 * what a login shell's files print before is no answer.
 */
#ifndef LAMPDUEL_SYSTEM_SSH_SCRIPT_H
#define LAMPDUEL_SYSTEM_SSH_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

struct ssh_target {
	char *user; /* NULL: ssh's choice */
	char *host; /* without brackets */
	char *port; /* NULL: ssh's choice */
};

/* "ssh:[user@]host[:port]", an IPv6 address in brackets. */
int ssh_target_parse(const char *target, struct ssh_target *t, struct err *err);
void ssh_target_release(struct ssh_target *t);

/* How wall time is read over there. */
enum ssh_clock {
	SSH_CLOCK_SHELL,  /* bash 5's EPOCHREALTIME: microseconds, no process */
	SSH_CLOCK_DATE,   /* date +%s%N: a process, whose time is the step */
	SSH_CLOCK_UPTIME, /* /proc/uptime: 10 ms */
};

/* What a connection is, for the scripts that are sent over it. */
struct ssh_there {
	char nonce[17]; /* the mark, and part of the folder's name */
	char *run_id;   /* of the run: [A-Za-z0-9-]+ */
	char *dir;      /* the run folder there, once it is known */
	char *path;     /* PATH there */
	char *shell;    /* runs the timed part: an absolute path */
	enum ssh_clock clock;
	int64_t clock_step_ns;
};

void ssh_there_release(struct ssh_there *t);

/* The command line of a session that first reads a script of len bytes; new string. */
char *ssh_bootstrap(size_t len);

/*
 * The script of the agent: the session that makes the run folder, holds the measuring lock over
 * there, ends what is marked when it is told "end", and cleans up when its input ends. former: the
 * nonce of a connection of this run that was lost, whose lock is waited for; NULL: none.
 */
void ssh_script_agent(struct buf *b, const struct ssh_there *t, bool lock, const char *boot_id,
		      const char *former);

struct ssh_program {
	const struct strvec *argv, *env; /* env may be NULL */
	const char *cwd;
	bool has_input, discard_output;
};
void ssh_script_exec(struct buf *b, const struct ssh_there *t, const struct ssh_program *p);
/* The data follow the script. */
void ssh_script_put(struct buf *b, const struct ssh_there *t, const char *path, size_t len);
void ssh_script_get(struct buf *b, const struct ssh_there *t, const char *path, size_t max);

/* One word for a POSIX shell, in single quotes. */
void ssh_quote(struct buf *b, const char *word);

/* What a session's standard error says besides the program's own. */
struct ssh_answer {
	size_t err_start, err_len; /* the program's own part */
	bool began;                /* the program was started */
	bool ended;                /* and its times are here */
	bool complete;             /* the script came to its end */
	int status;                /* $? */
	char refused[16];          /* "none": no such program; "folder"; "" */
	int64_t wall_ns;           /* by the clock over there */
	int64_t uptime_ns;         /* the same by /proc/uptime; -1: not known */
	int64_t user_ns, sys_ns, cpu_step_ns;
};

void ssh_answer_read(const char *text, size_t len, const char *nonce, struct ssh_answer *a);
/* Where the answer on standard output begins; NULL: not there (yet). */
const char *ssh_output_start(const char *text, size_t len, const char *nonce);

/* One line that says why ssh could not log in, from what it printed; new string. */
char *ssh_explain(const char *text, size_t len);

#endif
