/* kinds: every kind of system, one row each. A kind is a file that defines NAME_kind, and its row
 * here. */
#ifndef LAMPDUEL_SYSTEM_KINDS_H
#define LAMPDUEL_SYSTEM_KINDS_H

#include "system/system.h"

/* in the order in which help and messages list them */
#define SYSTEM_KINDS(KIND)                                                                         \
	KIND(local)                                                                                \
	KIND(ssh)                                                                                  \
	KIND(debian)                                                                               \
	KIND(dir)                                                                                  \
	KIND(recorded)

#define SYSTEM_KIND_DECLARED(name) extern const struct system_kind name##_kind;
SYSTEM_KINDS(SYSTEM_KIND_DECLARED)

#endif
