/* local: this machine itself, without a sandbox. Programs are looked up in the user's own PATH. */
#ifndef LAMPDUEL_SYSTEM_LOCAL_H
#define LAMPDUEL_SYSTEM_LOCAL_H

#include "system/system.h"

extern const struct system_kind local_kind;

#endif
