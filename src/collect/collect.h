/*
 * collect: the facts of a system, read from the system itself, through the
 * system's own get and exec: files of /proc, /sys and /etc, and what programs
 * say of themselves. Reads only; no shell is needed over there.
 */
#ifndef LAMPDUEL_COLLECT_COLLECT_H
#define LAMPDUEL_COLLECT_COLLECT_H

#include "base/err.h"
#include "facts/fact.h"
#include "stack/stack.h"
#include "system/system.h"

enum collect_depth {
	COLLECT_VERSIONS, /* programs, packages, kernel: to see whether anything changed */
	COLLECT_ALL,      /* settings, builds, ELF files as well */
};

/*
 * Adds what is known of s to f. What cannot be read is left out; an error only when the system
 * itself cannot be used.
 */
int collect_facts(struct system *s, const struct stack_programs *p, enum collect_depth depth,
		  struct factset *f, struct err *err);

/* The same of the machine alone: kernel, CPU, memory, storage, what it is virtualised by. */
int collect_machine_facts(struct system *s, struct factset *f, struct err *err);

#endif
