/*
 * ssh_link: a connection to another machine through the OpenSSH client: one
 * process is the connection itself and the agent over there (ssh_script.h), one
 * more for each session on it. The agent cleans up over there when its input
 * ends, however this process ended.
 *
 * A link is used by one thread at a time.
 */
#ifndef LAMPDUEL_SYSTEM_SSH_LINK_H
#define LAMPDUEL_SYSTEM_SSH_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "system/ssh_script.h"

struct ssh_link;

struct ssh_link_options {
	const struct ssh_target *target; /* outlives the link */
	const char *run_id, *run_dir, *cache_dir;
	bool locking; /* hold the measuring lock over there */
	const volatile int *stop;
	/* one printable line while something is waited for; may be NULL */
	void (*progress)(void *arg, const char *line);
	void *progress_arg;
};

/* Logs in. NULL and one line that says why not. */
struct ssh_link *ssh_link_open(const struct ssh_link_options *o, const char *former,
			       struct err *err);
const struct ssh_there *ssh_link_there(const struct ssh_link *l);
bool ssh_link_alive(struct ssh_link *l);
/* Lets the agent clean up and waits for that, at most some seconds. NULL is allowed. */
void ssh_link_close(struct ssh_link *l);
/* Without waiting: the connection is lost. */
void ssh_link_drop(struct ssh_link *l);

struct ssh_session {
	const struct buf *script;
	const void *input; /* follows the script; may be NULL */
	size_t input_len;
	int64_t timeout_ns;
	size_t output_max;  /* of each of stdout and stderr */
	const char *enough; /* as in struct exec_request; NULL: none */
};

struct ssh_result {
	struct buf out, err; /* behind the marks; err is the program's own part */
	struct ssh_answer answer;
	bool truncated, timed_out, enough;
	int64_t start_ns, end_ns; /* CLOCK_MONOTONIC of this machine */
	char *said;               /* when nothing began: the last that was said; never NULL */
};

void ssh_result_release(struct ssh_result *r);
/* 0, or ERR_INTERRUPTED, or ERR_GONE: the connection is lost, *r says what came before. */
int ssh_link_run(struct ssh_link *l, const struct ssh_session *q, struct ssh_result *r,
		 struct err *err);

#endif
