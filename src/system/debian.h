/* debian: the kind debian:SUITE/ARCH, an unpacked Debian that is made on first use (rootfs.h). */
#ifndef LAMPDUEL_SYSTEM_DEBIAN_H
#define LAMPDUEL_SYSTEM_DEBIAN_H

#include "system/system.h"

extern const struct system_kind debian_kind;

#endif
