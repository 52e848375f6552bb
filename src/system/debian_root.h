/*
 * debian_root: the recipe of debian:SUITE/ARCH (rootfs.h). What is here is for
 * its own files and for tests.
 */
#ifndef LAMPDUEL_SYSTEM_DEBIAN_ROOT_H
#define LAMPDUEL_SYSTEM_DEBIAN_ROOT_H

#include "base/err.h"
#include "system/rootfs.h"

int debian_parse(const char *target, struct rootfs_info *info, struct err *err);
/* The file with the keys of Debian's archive, or NULL. Static. */
const char *debian_keyring(void);

/* Pure: one line for what mmdebstrap printed before it failed; always negative. */
int debian_explain(const char *output, const struct rootfs_info *info, const char *mirror,
		   struct err *err);
/* Pure: sets release_date (stays NULL when there is none) and os_name from a Release file. */
void debian_read_release(const char *text, struct rootfs_info *info);
/* Pure: is everything there that a duel needs? */
int debian_check_packages(const struct rootfs_info *info, struct err *err);
/*
 * Makes an unpacked tree one that programs can run in: links of a merged /usr where the release
 * leaves them to a script, users, name lookup, folders to mount on. Takes out what came from this
 * machine or was needed for unpacking only. Idempotent.
 */
int debian_finish_root(const char *root, struct err *err);

#endif
