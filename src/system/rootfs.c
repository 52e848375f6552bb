#include "system/rootfs.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/text.h"
#include "system/guard.h"

static const struct rootfs_recipe *const recipes[] = {&rootfs_debian};

/* The paths of one prepared installation. */
struct place {
	char *folder; /* CACHE/rootfs */
	char *at;     /* CACHE/rootfs/NAME */
	char *fresh;  /* CACHE/rootfs/.NAME.new: while it is being made */
	char *old;    /* CACHE/rootfs/.NAME.old: while it is being removed */
	char *lock;   /* CACHE/rootfs/.NAME.lock */
};

void rootfs_say(const struct rootfs_options *o, const char *fmt, ...)
{
	va_list ap;

	if (o->progress == NULL)
		return;
	va_start(ap, fmt);
	char *line = mem_vprintf(fmt, ap);
	va_end(ap);
	o->progress(o->progress_arg, line);
	free(line);
}

bool rootfs_stopped(const struct rootfs_options *o)
{
	return o->stop != NULL && *o->stop != 0;
}

char *rootfs_folder(const struct rootfs_options *o)
{
	char *cache = o->cache_dir == NULL ? fs_cache_dir() : mem_strdup(o->cache_dir);
	char *folder = fs_join(cache, "rootfs");

	free(cache);
	return folder;
}

static void place_init(struct place *p, const struct rootfs_options *o, const char *name)
{
	p->folder = rootfs_folder(o);
	p->at = fs_join(p->folder, name);
	p->fresh = mem_printf("%s/.%s.new", p->folder, name);
	p->old = mem_printf("%s/.%s.old", p->folder, name);
	p->lock = mem_printf("%s/.%s.lock", p->folder, name);
}

static void place_release(struct place *p)
{
	free(p->folder);
	free(p->at);
	free(p->fresh);
	free(p->old);
	free(p->lock);
}

static const struct rootfs_recipe *recipe_of(const char *target, struct err *err)
{
	for (size_t i = 0; i < sizeof(recipes) / sizeof(recipes[0]); i++) {
		size_t n = strlen(recipes[i]->scheme);

		if (strncmp(recipes[i]->scheme, target, n) == 0 && target[n] == ':')
			return recipes[i];
	}
	char *shown = text_escaped(target);
	(void)err_code(err, ERR_USAGE,
		       "'%s' is no installation that is prepared here (debian:SUITE/ARCH is one)",
		       shown);
	free(shown);
	return NULL;
}

/* Its holder may have removed the file that we waited for. */
static bool still_there(const struct place *p, int fd)
{
	struct stat ours;
	struct stat now;

	return fstat(fd, &ours) == 0 && stat(p->lock, &now) == 0 && ours.st_ino == now.st_ino &&
	       ours.st_dev == now.st_dev;
}

/* 0 and the lock is held; 1: wait; negative: failed. */
static int try_lock(const struct place *p, int how, int *fd, struct err *err)
{
	if (*fd < 0)
		*fd = open(p->lock, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	/* a cache that others made is fine for reading */
	if (*fd < 0 && how == LOCK_SH)
		*fd = open(p->lock, O_RDONLY | O_CLOEXEC);
	if (*fd < 0)
		return err_errno(err, errno, "cannot open %s", p->lock);
	if (flock(*fd, how | LOCK_NB) != 0)
		return errno == EWOULDBLOCK || errno == EINTR
			       ? 1
			       : err_errno(err, errno, "cannot lock %s", p->lock);
	if (still_there(p, *fd))
		return 0;
	(void)close(*fd);
	*fd = -1;
	return try_lock(p, how, fd, err);
}

/* Waits for the lock unless wait is false (then ERR_TIMEOUT). *fd is -1 on failure. */
static int take_lock(const struct place *p, int how, bool wait, const struct rootfs_options *o,
		     int *fd, struct err *err)
{
	int tries = 0;
	int rc = 0;

	*fd = -1;
	while ((rc = try_lock(p, how, fd, err)) == 1) {
		if (!wait)
			rc = err_code(err, ERR_TIMEOUT, "another lampduel uses it");
		else if (rootfs_stopped(o))
			rc = err_code(err, ERR_INTERRUPTED, "interrupted");
		if (rc < 0)
			break;
		/* a program that another thread is starting holds it for a moment, too short to
		 * tell */
		if (++tries == 10)
			rootfs_say(o, "waiting for another lampduel that uses or prepares %s",
				   p->at);
		(void)usleep(100000);
	}
	if (rc < 0 && *fd >= 0) {
		(void)close(*fd);
		*fd = -1;
	}
	return rc;
}

/* Gives an exclusive lock back; its file goes when there is nothing left to lock. */
static void drop_lock(const struct place *p, int fd)
{
	if (fd < 0)
		return;
	if (!fs_exists(p->at))
		(void)unlink(p->lock);
	/* said to the kernel, as a program that another thread started meanwhile may hold it too */
	(void)flock(fd, LOCK_UN);
	(void)close(fd);
}

static _Thread_local int64_t walked_bytes; /* nftw() passes nothing on */

static int walk(const char *path, const struct stat *st, int kind, struct FTW *f)
{
	(void)f;
	if (kind == FTW_F || kind == FTW_D)
		walked_bytes += (int64_t)st->st_blocks * 512;
	/* nobody's account is to be reached through a folder with old programs */
	if (kind == FTW_F && (st->st_mode & (S_ISUID | S_ISGID)) != 0)
		(void)chmod(path, st->st_mode & 01777);
	return 0;
}

static int make_into(const struct rootfs_recipe *recipe, const struct place *p,
		     struct rootfs_info *info, const struct rootfs_options *o, struct err *err)
{
	char utc[32];
	char *description = fs_join(p->fresh, "description.json");

	int rc = fs_mkdirs(p->fresh, 0755, err);
	if (rc == 0)
		rc = recipe->make(p->fresh, info, o, err);
	if (rc == 0) {
		char *root = fs_join(p->fresh, "root");
		walked_bytes = 0;
		if (nftw(root, walk, 64, FTW_PHYS) != 0)
			rc = err_errno(err, errno, "cannot look through %s", root);
		info->bytes = walked_bytes;
		free(root);
	}
	if (rc == 0) {
		struct clock c;
		clock_init_real(&c);
		clock_format_utc(clock_unix_ns(&c), utc, sizeof(utc));
		mem_replace(&info->created, mem_strdup(utc));
		rc = rootfs_info_write(description, info, err);
	}
	if (rc == 0) {
		int fd = open(p->fresh, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 || syncfs(fd) != 0)
			rc = err_errno(err, errno, "cannot write %s", p->fresh);
		if (fd >= 0)
			(void)close(fd);
	}
	free(description);
	return rc;
}

static int put_in_place(const struct place *p, struct err *err)
{
	if (rename(p->at, p->old) != 0 && errno != ENOENT)
		return err_errno(err, errno, "cannot move %s away", p->at);
	if (rename(p->fresh, p->at) != 0) {
		int rc = err_errno(err, errno, "cannot put %s in place", p->at);
		(void)rename(p->old, p->at);
		return rc;
	}
	return 0;
}

static int promise_removal(const char *cache, const char *run_id, const struct place *p,
			   struct err *err)
{
	const char *name = strrchr(p->fresh, '/') + 1;
	char *folder = realpath(p->folder, NULL);
	char *path = folder == NULL ? NULL : fs_join(folder, name);
	int rc = path == NULL ? err_errno(err, errno, "cannot use %s", p->folder)
			      : guard_add_path(cache, run_id, path, err);

	free(path);
	free(folder);
	return rc;
}

/*
 * make_into() with a guard: when lampduel is killed, the programs that it started are ended and the
 * half-made folder goes. They also hold the lock until their end, so that nobody begins before
 * that.
 */
static int make_guarded(const struct rootfs_recipe *recipe, const struct place *p, int lock,
			struct rootfs_info *info, const struct rootfs_options *o, struct err *err)
{
	char *cache = o->cache_dir == NULL ? fs_cache_dir() : mem_strdup(o->cache_dir);
	char *id = guard_new_run_id();
	struct rootfs_options mine = *o;
	struct guard *g = guard_new_run_dir(cache, id, err);
	int rc = g == NULL ? ERR_FAIL : 0;

	mine.run_id = id;
	if (rc == 0)
		rc = promise_removal(cache, id, p, err);
	if (rc == 0 && fcntl(lock, F_SETFD, 0) != 0)
		rc = err_errno(err, errno, "cannot pass on %s", p->lock);
	if (rc == 0)
		rc = make_into(recipe, p, info, &mine, err);
	(void)fcntl(lock, F_SETFD, FD_CLOEXEC);
	if (rc == 0 && rootfs_stopped(o))
		rc = err_code(err, ERR_INTERRUPTED, "interrupted");
	if (rc == 0)
		rc = put_in_place(p, err);
	/* removes the half-made folder too, after whatever writes into it was ended */
	guard_end(g);
	free(id);
	free(cache);
	return rc;
}

/* The lock is held exclusively. */
static int make(const struct rootfs_recipe *recipe, const struct place *p, int lock,
		struct rootfs_info *info, const struct rootfs_options *o, struct err *err)
{
	int64_t start = clock_mono_ns();
	int rc = fs_remove_tree(p->fresh, err);

	if (rc == 0)
		rc = fs_remove_tree(p->old, err);
	if (rc == 0)
		rc = make_guarded(recipe, p, lock, info, o, err);
	if (rc == 0)
		rootfs_say(o, "%s: ready, %d MB, %.0f s", info->target, (int)(info->bytes >> 20),
			   (double)(clock_mono_ns() - start) / 1e9);
	(void)fs_remove_tree(p->old, NULL);
	return rc;
}

static bool read_description(const struct place *p, struct rootfs_info *info)
{
	char *path = fs_join(p->at, "description.json");
	char *root = fs_join(p->at, "root");
	bool ok = fs_is_dir(root) && rootfs_info_read(path, info, NULL) == 0;

	if (!ok)
		rootfs_info_release(info);
	free(path);
	free(root);
	return ok;
}

/* A first use: made under an exclusive lock, which is given back. */
static int make_missing(const struct rootfs_recipe *recipe, const struct place *p,
			const char *target, const struct rootfs_options *o, bool *made,
			struct err *err)
{
	struct rootfs_info info = {0};
	int fd = -1;

	int rc = fs_mkdirs(p->folder, 0755, err);
	if (rc == 0)
		rc = take_lock(p, LOCK_EX, true, o, &fd, err);
	if (rc != 0)
		return rc;
	if (!read_description(p, &info)) {
		rc = recipe->parse(target, &info, err);
		if (rc == 0)
			rc = make(recipe, p, fd, &info, o, err);
		*made = rc == 0;
	}
	rootfs_info_release(&info);
	drop_lock(p, fd);
	return rc;
}

int rootfs_open(const char *target, const struct rootfs_options *o, struct rootfs *r,
		struct err *err)
{
	const struct rootfs_recipe *recipe = recipe_of(target, err);
	struct rootfs_info asked = {0};
	struct place p;

	*r = (struct rootfs){.lock = -1};
	if (recipe == NULL)
		return ERR_USAGE;
	int rc = recipe->parse(target, &asked, err);
	if (rc != 0)
		return rc;
	place_init(&p, o, asked.name);
	/* between the two locks another process may take it away again */
	for (int i = 0; rc == 0 && i < 10; i++) {
		if (fs_is_dir(p.at)) {
			rc = take_lock(&p, LOCK_SH, true, o, &r->lock, err);
			if (rc != 0 || read_description(&p, &r->info))
				break;
			(void)close(r->lock);
			r->lock = -1;
		}
		rc = make_missing(recipe, &p, target, o, &r->made, err);
	}
	if (rc == 0 && r->lock < 0)
		rc = err_set(err, "%s does not stay in place", p.at);
	if (rc == 0) {
		char *root = fs_join(p.at, "root");
		r->root = realpath(root, NULL);
		if (r->root == NULL)
			rc = err_errno(err, errno, "cannot use %s", root);
		free(root);
	}
	if (rc != 0)
		(void)err_wrap(err, "preparing %s", target);
	if (rc != 0)
		rootfs_close(r);
	rootfs_info_release(&asked);
	place_release(&p);
	return rc;
}

void rootfs_close(struct rootfs *r)
{
	free(r->root);
	r->root = NULL;
	rootfs_info_release(&r->info);
	if (r->lock >= 0)
		(void)close(r->lock);
	r->lock = -1;
}

int rootfs_update(const char *target, const struct rootfs_options *o, struct rootfs_info *info,
		  struct err *err)
{
	const struct rootfs_recipe *recipe = recipe_of(target, err);
	struct rootfs_options mine = *o;
	struct rootfs_info before = {0};
	struct place p;
	int fd = -1;

	*info = (struct rootfs_info){0};
	if (recipe == NULL)
		return ERR_USAGE;
	int rc = recipe->parse(target, info, err);
	if (rc != 0)
		return rc;
	place_init(&p, o, info->name);
	if (o->sources == ROOTFS_AS_IT_WAS && read_description(&p, &before))
		mine.sources = rootfs_has_security(&before) ? ROOTFS_SECURITY : ROOTFS_RELEASE;
	rootfs_info_release(&before);
	rc = fs_mkdirs(p.folder, 0755, err);
	if (rc == 0)
		rc = take_lock(&p, LOCK_EX, false, o, &fd, err);
	if (rc == 0)
		rc = make(recipe, &p, fd, info, &mine, err);
	drop_lock(&p, fd);
	if (rc != 0) {
		(void)err_wrap(err, "updating %s", target);
		rootfs_info_release(info);
	}
	place_release(&p);
	return rc;
}

int rootfs_remove(const char *target, const struct rootfs_options *o, bool *was, struct err *err)
{
	const struct rootfs_recipe *recipe = recipe_of(target, err);
	struct rootfs_info info = {0};
	struct place p;
	int fd = -1;

	*was = false;
	if (recipe == NULL)
		return ERR_USAGE;
	int rc = recipe->parse(target, &info, err);
	if (rc != 0)
		return rc;
	place_init(&p, o, info.name);
	if (fs_is_dir(p.folder))
		rc = take_lock(&p, LOCK_EX, false, o, &fd, err);
	if (rc == 0 && fd >= 0) {
		rc = fs_remove_tree(p.fresh, err);
		if (rc == 0)
			rc = fs_remove_tree(p.old, err);
		*was = fs_exists(p.at);
		if (rc == 0 && *was && rename(p.at, p.old) != 0)
			rc = err_errno(err, errno, "cannot move %s away", p.at);
		if (rc == 0)
			rc = fs_remove_tree(p.old, err);
		drop_lock(&p, fd);
	}
	if (rc != 0)
		(void)err_wrap(err, "removing %s", target);
	rootfs_info_release(&info);
	place_release(&p);
	return rc;
}

int rootfs_list(const struct rootfs_options *o, struct rootfs_list *l, struct err *err)
{
	char *folder = rootfs_folder(o);
	struct strvec names = STRVEC_INIT;
	int rc = 0;

	*l = (struct rootfs_list){0};
	if (fs_is_dir(folder))
		rc = fs_list(folder, &names, err);
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		struct place p;
		struct rootfs_info info = {0};

		if (names.v[i][0] == '.')
			continue;
		place_init(&p, o, names.v[i]);
		if (!read_description(&p, &info))
			info.name = mem_strdup(names.v[i]);
		vec_push(&l->infos, info);
		place_release(&p);
	}
	strvec_release(&names);
	free(folder);
	return rc;
}

void rootfs_list_release(struct rootfs_list *l)
{
	for (size_t i = 0; i < l->infos.n; i++)
		rootfs_info_release(&l->infos.v[i]);
	vec_release(&l->infos);
}
