/*
 * collect: the facts of a system, read from the system itself. Reads only.
 */
#ifndef LAMPDUEL_COLLECT_COLLECT_H
#define LAMPDUEL_COLLECT_COLLECT_H

#include "base/err.h"
#include "facts/fact.h"
#include "stack/stack.h"
#include "system/system.h"

/*
 * Adds what is known of s to f: operating system, kernel, CPU, emulation, storage of the run
 * folder, versions of the programs found. What cannot be read is left out; an error only when the
 * system itself cannot be used.
 */
int collect_facts(struct system *s, const struct stack_programs *p, struct factset *f,
		  struct err *err);

/* Pure readers, for tests. Each returns a new string, or NULL when the text does not say. */
char *collect_cpu_model(const char *cpuinfo);
/* The device and file system that hold path: "/dev/vda (ext4)". */
char *collect_storage(const char *mountinfo, const char *path);
char *collect_os_name(const char *os_release);

#endif
