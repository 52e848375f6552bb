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

/*
 * This machine, by the CPUs on which measured processes run. Everything that descends from this
 * process counts as measured. What cannot be read is left out.
 */
void observe_machine(struct buf *out);
/* The same for a machine that only a POSIX shell can be had on; the text lives for ever. */
const char *observe_script(void);
/* Pure: of the text of a /proc/PID/stat the parent and the ticks used, with those of children that
 * were waited for. False when it is none. */
bool observe_read_process(const char *stat, long *parent, uint64_t *ticks);

#endif
