/*
 * proc: runs a program of this machine (mmdebstrap, uname) without a shell and
 * collects what it prints. Not for measuring: that is the launcher's.
 */
#ifndef LAMPDUEL_BASE_PROC_H
#define LAMPDUEL_BASE_PROC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct proc_result {
	int exit_code; /* -1 when ended by a signal */
	int signal;
	struct buf out, err; /* each cut at 4 MiB */
};

void proc_result_release(struct proc_result *r);
/*
 * Runs argv (looked up in PATH), waits at most timeout_ns (0: no limit). 0 when it ran and
 * ended by itself, whatever its exit status; else an error that names the program (ERR_TIMEOUT,
 * ERR_INTERRUPTED). stop, when not NULL, is looked at ten times a second: non-zero ends the child.
 */
int proc_run(char *const *argv, int64_t timeout_ns, const volatile int *stop, struct proc_result *r,
	     struct err *err);
/* Descriptors above 2 that this process was started with are not passed on: the programs that
 * lampduel runs are not to hold them, and some fail when low numbers are taken. */
void proc_close_inherited_on_exec(void);
/* Full path of a program in PATH (and the sbin folders), or NULL. New string. */
char *proc_find(const char *name);
/* The same in a list of folders with colons between. */
char *proc_find_in(const char *folders, const char *name);

#endif
