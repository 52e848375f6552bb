/*
 * duelfile: an INI file (as my.cnf and php.ini are) that says all that options
 * of run can: [run] keys are the long options, [system NAME] and
 * [workload NAME] describe one each. lampduel.ini(5) documents it.
 */
#ifndef LAMPDUEL_CMD_DUELFILE_H
#define LAMPDUEL_CMD_DUELFILE_H

#include "cmd/cmd.h"
#include "measure/plan.h"

/*
 * Reads path: sets options of [run] that are not in given (bits as in cmd_context), adds systems
 * and workloads to the plan. An unknown section or key is an error with its line number.
 */
int duelfile_read(const char *path, const struct option_row *table, void *options, uint64_t given,
		  struct plan *p, struct err *err);

/* Splits a command line at blanks; '...' and "..." keep them, \ keeps the next character. */
int duelfile_split(const char *text, struct strvec *argv, struct err *err);

#endif
