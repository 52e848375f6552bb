/* dir: the kind dir:/path, somebody's own unpacked installation; nothing is written into it. */
#ifndef LAMPDUEL_SYSTEM_DIR_H
#define LAMPDUEL_SYSTEM_DIR_H

#include "system/system.h"

extern const struct system_kind dir_kind;

#endif
