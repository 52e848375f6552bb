/*
 * observe: what a machine says of its own state at one moment, as lines of text
 * (doc/recording.md lists them). Two of them, before and after a sample, tell
 * what else went on meanwhile; measure/validity reads them.
 */
#ifndef LAMPDUEL_SYSTEM_OBSERVE_H
#define LAMPDUEL_SYSTEM_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"

/*
 * This machine, by the CPUs on which measured processes run. Everything that descends from this
 * process counts as measured. What cannot be read is left out.
 */
void observe_machine(struct buf *out);
/* The same for a machine that only a POSIX shell can be had on; the text lives for ever. */
const char *observe_script(void);

struct observed_process {
	long pid, parent;
	char name[16];
	uint64_t ticks; /* used by it and by children that it waited for */
	bool ours;      /* this process, or one that descends from it */
};

/* Of this machine, in the order of their pids. Free with vec_release(). */
struct observed_processes {
	VEC(struct observed_process) v;
};

void observe_processes(struct observed_processes *l);
/*
 * The three that are not ours and used most between two looks: "cc1 (pid 12), php (pid 7)"; a new
 * string, NULL when none used a tenth of a second.
 */
char *observe_busiest(const struct observed_processes *before,
		      const struct observed_processes *after);
/* Pure: reads the text of a /proc/PID/stat into all but ours. False when it is none. */
bool observe_read_process(const char *stat, struct observed_process *p);

#endif
