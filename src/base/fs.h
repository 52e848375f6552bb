/*
 * fs: files and folders. Paths are the caller's; strings returned are new.
 * Folder removal never follows a symbolic link and never leaves the file system
 * it started on.
 */
#ifndef LAMPDUEL_BASE_FS_H
#define LAMPDUEL_BASE_FS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

char *fs_join(const char *dir, const char *name); /* one slash between */
bool fs_exists(const char *path);                 /* follows links */
bool fs_is_dir(const char *path);
int fs_mkdirs(const char *path, mode_t mode, struct err *err); /* like mkdir -p */
int fs_remove_tree(const char *path, struct err *err);         /* a missing path is no error */
/* All of a file, at most max bytes (a longer one is an error that names the limit). */
int fs_read(const char *path, size_t max, struct buf *out, struct err *err);
/* The same, but of a longer file the first max bytes. */
int fs_read_head(const char *path, size_t max, struct buf *out, struct err *err);
/* Written to a temporary name beside path, fsync'd, renamed; nothing is left on failure. */
int fs_write_atomic(const char *path, const void *data, size_t len, mode_t mode, struct err *err);
/*
 * A file the user named for output: a link is followed, a regular file is replaced atomically (when
 * it may be written), anything else (a device, a pipe) is written to and stays what it is.
 */
int fs_write_output(const char *path, const void *data, size_t len, struct err *err);
/* Whether fs_write_output() could write there, as far as that can be known before: nothing is
 * written. */
int fs_check_output(const char *path, struct err *err);
/*
 * Copies the tree at root/from into the folder to, which is made when missing. Symbolic links are
 * followed as they would be inside root (an absolute link starts at root), so the copy holds plain
 * files and folders only; a link that leads nowhere is left out.
 */
int fs_copy_tree_in_root(const char *root, const char *from, const char *to, struct err *err);
/* Resolves path as a chroot at root would; NULL when it leads nowhere. New string. */
char *fs_resolve_in_root(const char *root, const char *path);
int fs_list(const char *dir, struct strvec *names, struct err *err); /* sorted, no . and .. */
/* Free bytes for an unprivileged writer on the file system of path; -1 unknown. */
int64_t fs_free_bytes(const char *path);

/* $XDG_CACHE_HOME/lampduel or ~/.cache/lampduel (root: /var/cache/lampduel);
 * $XDG_DATA_HOME/lampduel or ~/.local/share/lampduel. */
char *fs_cache_dir(void);
char *fs_data_dir(void);
/* The program's read-only files (share/), found beside the program; NULL when missing. */
char *fs_share_file(const char *name);
/* A helper program of ours (the launcher), found beside the program; NULL when missing. */
char *fs_helper_program(const char *name);

#endif
