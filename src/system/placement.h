/*
 * placement: which CPUs the client (this process) and the measured processes
 * get. The CPUs this process may use are looked at once, before anything is
 * pinned; with two or more, the first is the client's while something is
 * measured. Strings are static.
 */
#ifndef LAMPDUEL_SYSTEM_PLACEMENT_H
#define LAMPDUEL_SYSTEM_PLACEMENT_H

#include "base/err.h"
#include "system/system.h"

enum { PLACEMENT_MASK_MAX = 128 }; /* bytes: 1024 CPUs */

/* CPU n is bit n % 8 of byte n / 8. */
void placement_mask(enum placement p, unsigned char mask[PLACEMENT_MASK_MAX]);
const char *placement_text(enum placement p); /* "CPUs 0-1", "CPU 1" */

/* Pins every thread of this process to the client's CPU; with a single CPU nothing changes. */
int placement_client(struct err *err);
void placement_client_undo(void);
/* Is the client's CPU another than those of the measured processes? */
bool placement_client_is_apart(void);

#endif
