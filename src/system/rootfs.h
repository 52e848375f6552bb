/*
 * rootfs: prepared installations, each in CACHE/rootfs/NAME:
 *   root/             the unpacked files
 *   description.json  what they are and where they came from
 * One is made beside its place and renamed when it is complete; an interrupted
 * or failed attempt leaves nothing (guard.h sees to it when lampduel is killed),
 * and what a power cut left is swept by the next use of that name. A file lock for each name keeps
 * two processes from making the same one, and an installation in use from being replaced.
 *
 * How one is made belongs to its recipe (one for each scheme of target).
 * Structures own their strings; the release functions take zeroed ones too.
 */
#ifndef LAMPDUEL_SYSTEM_ROOTFS_H
#define LAMPDUEL_SYSTEM_ROOTFS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct rootfs_package {
	char *name, *version, *arch;
	char *sha256; /* of the package file, in hexadecimal; NULL when it is not known */
};

struct rootfs_packages {
	struct rootfs_package *v; /* sorted by name */
	size_t n, cap;
};

struct rootfs_info {
	char *target;       /* "debian:bookworm/armel" */
	char *name;         /* "bookworm-armel": its folder */
	char *suite;        /* "bookworm" */
	char *arch;         /* Debian's name */
	char *os_name;      /* "Debian 12.15 (bookworm)" */
	char *mirror;       /* without user and password */
	char *sources;      /* "bookworm", or "bookworm bookworm-updates bookworm-security" */
	char *components;   /* "main" */
	char *release_date; /* of the archive's Release file, "2026-07-11 10:16:37 UTC" */
	char *created;      /* the same form */
	int64_t bytes;      /* on disk */
	struct rootfs_packages packages;
};

enum rootfs_sources {
	ROOTFS_AS_IT_WAS, /* an update keeps what it had; a new one is of the release alone */
	ROOTFS_RELEASE,
	ROOTFS_SECURITY, /* the release with its security and point updates */
};

struct rootfs_options {
	const char *cache_dir; /* NULL: fs_cache_dir() */
	const char *mirror;    /* NULL: LAMPDUEL_MIRROR, then this machine's apt configuration */
	enum rootfs_sources sources;
	const volatile int *stop;                      /* non-zero: interrupted; may be NULL */
	void (*progress)(void *arg, const char *line); /* may be NULL; printable, no newline */
	void *progress_arg;
	const char *run_id; /* set for recipes: LAMPDUEL_RUN of the programs they start (guard.h) */
};

/* A prepared installation in use: it is neither replaced nor removed before rootfs_close(). */
struct rootfs {
	char *root; /* absolute */
	struct rootfs_info info;
	bool made; /* it was missing before */
	int lock;
};

struct rootfs_recipe {
	const char *scheme; /* "debian" */
	/* Sets target, name, suite and arch; looks at the text alone. */
	int (*parse)(const char *target, struct rootfs_info *info, struct err *err);
	/* Fills folder/root and the rest of info. folder exists, is empty and is removed on error.
	 */
	int (*make)(const char *folder, struct rootfs_info *info, const struct rootfs_options *o,
		    struct err *err);
};

extern const struct rootfs_recipe rootfs_debian; /* debian_root.c */

/* Makes it when it is missing; waits for another process that is making it. */
int rootfs_open(const char *target, const struct rootfs_options *o, struct rootfs *r,
		struct err *err);
void rootfs_close(struct rootfs *r);
/* Makes it anew from today's archive; the old one stays until the new one is complete. */
int rootfs_update(const char *target, const struct rootfs_options *o, struct rootfs_info *info,
		  struct err *err);
/* *was: it existed. Refused while another process uses it. */
int rootfs_remove(const char *target, const struct rootfs_options *o, bool *was, struct err *err);

struct rootfs_list {
	VEC(struct rootfs_info) infos; /* by name; one that cannot be read has a name alone */
};

int rootfs_list(const struct rootfs_options *o, struct rootfs_list *l, struct err *err);
void rootfs_list_release(struct rootfs_list *l);
/* The folder that the list is of. New string. */
char *rootfs_folder(const struct rootfs_options *o);

/* rootfs_info.c */
void rootfs_info_release(struct rootfs_info *i);
int rootfs_info_read(const char *path, struct rootfs_info *i, struct err *err);
int rootfs_info_write(const char *path, const struct rootfs_info *i, struct err *err);
bool rootfs_has_security(const struct rootfs_info *i); /* by its sources */
/* The version of a package, or NULL. */
const char *rootfs_version(const struct rootfs_packages *p, const char *name);
void rootfs_packages_release(struct rootfs_packages *p);
/* Adds the packages of a dpkg status file that are unpacked or installed, and sorts. Pure. */
void rootfs_packages_read(struct rootfs_packages *p, const char *status, size_t len);

struct factset;
/* package.NAME of what is measured and of what that leans on most. */
void rootfs_package_facts(const struct rootfs_packages *p, const char *origin, struct factset *f);

/* For recipes. */
void rootfs_say(const struct rootfs_options *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
bool rootfs_stopped(const struct rootfs_options *o);

#endif
