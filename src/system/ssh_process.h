/* ssh_process: one ssh client with its three pipes. Of ssh_link. */
#ifndef LAMPDUEL_SYSTEM_SSH_PROCESS_H
#define LAMPDUEL_SYSTEM_SSH_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/vec.h"

struct ssh_process {
	pid_t pid;
	int in, out, err; /* our ends, non-blocking; -1: closed */
};

/* run_id marks it in its environment. When lampduel dies its input ends, and with that its work;
 * what does not, the run's supervisor ends by the mark. */
int ssh_process_start(const struct strvec *argv, const char *run_id, struct ssh_process *p,
		      struct err *err);
bool ssh_process_ended(struct ssh_process *p); /* and was waited for; its pid is 0 then */
/* Closes the pipes; waits up to grace_ns for its end, then ends it. */
void ssh_process_end(struct ssh_process *p, int64_t grace_ns);

#endif
