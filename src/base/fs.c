#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/text.h"

char *fs_join(const char *dir, const char *name)
{
	while (*name == '/')
		name++;
	return mem_printf("%s%s%s", dir, text_ends(dir, "/") ? "" : "/", name);
}

bool fs_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

bool fs_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int fs_mkdirs(const char *path, mode_t mode, struct err *err)
{
	char *copy = mem_strdup(path);
	int rc = 0;

	for (char *p = copy + 1; rc == 0; p++) {
		if (*p != '/' && *p != '\0')
			continue;
		char saved = *p;
		*p = '\0';
		if (mkdir(copy, mode) != 0 && errno != EEXIST)
			rc = err_errno(err, errno, "cannot create folder %s", copy);
		*p = saved;
		if (saved == '\0')
			break;
	}
	if (rc == 0 && !fs_is_dir(path))
		rc = err_set(err, "%s is in the way: it is not a folder", path);
	free(copy);
	return rc;
}

/* A folder without write permission cannot be emptied by an ordinary owner: open it up first. */
static int remove_at(int dirfd, const char *name, dev_t dev, struct err *err)
{
	struct stat st;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : err_errno(err, errno, "cannot look at %s", name);
	if (!S_ISDIR(st.st_mode)) {
		if (unlinkat(dirfd, name, 0) != 0 && errno != ENOENT)
			return err_errno(err, errno, "cannot remove %s", name);
		return 0;
	}
	if (st.st_dev != dev)
		return err_set(err, "cannot remove %s: something is mounted there", name);
	if ((st.st_mode & 0700) != 0700)
		(void)fchmodat(dirfd, name, 0700, 0);

	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, errno, "cannot open folder %s", name);
	DIR *d = fdopendir(fd);
	if (d == NULL) {
		(void)close(fd);
		return err_errno(err, errno, "cannot read folder %s", name);
	}
	int rc = 0;
	const struct dirent *e = NULL;
	while (rc == 0 && (e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			rc = remove_at(fd, e->d_name, dev, err);
	}
	(void)closedir(d);
	if (rc != 0)
		return err_wrap(err, "in %s", name);
	if (unlinkat(dirfd, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
		return err_errno(err, errno, "cannot remove folder %s", name);
	return 0;
}

int fs_remove_tree(const char *path, struct err *err)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return errno == ENOENT ? 0 : err_errno(err, errno, "cannot look at %s", path);
	return remove_at(AT_FDCWD, path, st.st_dev, err);
}

/* Reads up to max + 1 bytes, so that the caller can tell a longer file. */
static int read_some(const char *path, size_t max, struct buf *out, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_errno(err, errno, "cannot open %s", path);
	int rc = 0;
	while (out->len <= max) {
		char *p = buf_reserve(out, 65536);
		ssize_t n = read(fd, p, 65536);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			rc = err_errno(err, errno, "cannot read %s", path);
		if (n <= 0)
			break;
		out->len += (size_t)n;
		out->data[out->len] = '\0';
	}
	(void)close(fd);
	return rc;
}

int fs_read(const char *path, size_t max, struct buf *out, struct err *err)
{
	int rc = read_some(path, max, out, err);

	if (rc == 0 && out->len > max)
		rc = err_set(err, "%s is longer than %zu bytes", path, max);
	return rc;
}

int fs_read_head(const char *path, size_t max, struct buf *out, struct err *err)
{
	int rc = read_some(path, max, out, err);

	if (rc == 0 && out->len > max) {
		out->len = max;
		out->data[max] = '\0';
	}
	return rc;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

int fs_write_atomic(const char *path, const void *data, size_t len, mode_t mode, struct err *err)
{
	char *tmp = mem_printf("%s.XXXXXX", path);
	int fd = mkostemp(tmp, O_CLOEXEC);
	int rc = 0;

	if (fd < 0) {
		rc = err_errno(err, errno, "cannot write %s", path);
		free(tmp);
		return rc;
	}
	if (write_all(fd, data, len) != 0 || fchmod(fd, mode) != 0 || fsync(fd) != 0)
		rc = err_errno(err, errno, "cannot write %s", path);
	if (close(fd) != 0 && rc == 0)
		rc = err_errno(err, errno, "cannot write %s", path);
	if (rc == 0 && rename(tmp, path) != 0)
		rc = err_errno(err, errno, "cannot write %s", path);
	if (rc != 0)
		(void)unlink(tmp);
	free(tmp);
	return rc;
}

static int write_into(const char *path, const void *data, size_t len, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	int rc = 0;

	if (fd < 0 || write_all(fd, data, len) != 0)
		rc = err_errno(err, errno, "cannot write %s", path);
	if (fd >= 0 && close(fd) != 0 && rc == 0)
		rc = err_errno(err, errno, "cannot write %s", path);
	return rc;
}

int fs_check_output(const char *path, struct err *err)
{
	struct stat st;
	const char *slash = strrchr(path, '/');
	int rc = 0;

	if (path[0] == '\0')
		return err_set(err, "a file needs a name");
	if (stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return err_set(err, "cannot write %s: it is a folder", path);
		if (access(path, W_OK) != 0 || (S_ISREG(st.st_mode) && (st.st_mode & 0222) == 0))
			return err_set(err, "cannot write %s: it is read-only", path);
		if (!S_ISREG(st.st_mode))
			return 0;
	}
	char *folder =
		slash == NULL ? mem_strdup(".") : mem_strndup(path, (size_t)(slash - path) + 1);
	if (slash != NULL && slash[1] == '\0')
		rc = err_set(err, "cannot write %s: it names a folder", path);
	else if (!fs_is_dir(folder))
		rc = err_set(err, "cannot write %s: there is no folder %s", path, folder);
	else if (access(folder, W_OK | X_OK) != 0)
		rc = err_errno(err, errno, "cannot write %s", path);
	free(folder);
	return rc;
}

int fs_write_output(const char *path, const void *data, size_t len, struct err *err)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return fs_write_atomic(path, data, len, 0644, err);
	if (S_ISDIR(st.st_mode))
		return err_set(err, "cannot write %s: it is a folder", path);
	/* root may write anything, but a file without any write permission was not meant for it */
	if (access(path, W_OK) != 0 || (S_ISREG(st.st_mode) && (st.st_mode & 0222) == 0))
		return err_set(err, "cannot write %s: it is read-only", path);
	if (!S_ISREG(st.st_mode))
		return write_into(path, data, len, err);
	char *real = realpath(path, NULL);
	int rc = real == NULL ? err_errno(err, errno, "cannot write %s", path)
			      : fs_write_atomic(real, data, len, st.st_mode & 0777, err);
	free(real);
	return rc;
}

/* Links of a package are few and short: more than this is a loop. */
enum { LINKS_MAX = 40 };

char *fs_resolve_in_root(const char *root, const char *path)
{
	char *left = mem_strdup(path);
	char *at = mem_strdup(""); /* resolved so far, below root */
	int links = 0;

	while (left[0] != '\0') {
		char *rest = left;
		while (*rest == '/')
			rest++;
		size_t n = strcspn(rest, "/");
		char *name = mem_strndup(rest, n);
		mem_replace(&left, mem_strdup(rest + n));
		if (n == 0 || strcmp(name, ".") == 0) {
			free(name);
			continue;
		}
		if (strcmp(name, "..") == 0) {
			char *slash = strrchr(at, '/');
			if (slash != NULL)
				*slash = '\0';
			free(name);
			continue;
		}
		char *full = mem_printf("%s%s/%s", root, at, name);
		char target[PATH_MAX];
		ssize_t len = readlink(full, target, sizeof(target) - 1);
		if (len >= 0 && ++links <= LINKS_MAX) {
			target[len] = '\0';
			if (target[0] == '/')
				at[0] = '\0';
			mem_replace(&left, mem_printf("%s/%s", target, left));
		} else {
			mem_replace(&at, mem_printf("%s/%s", at, name));
		}
		free(full);
		free(name);
		if (links > LINKS_MAX)
			break;
	}
	char *found = mem_printf("%s%s", root, at);
	if (links > LINKS_MAX || !fs_exists(found))
		mem_replace(&found, NULL);
	free(at);
	free(left);
	return found;
}

static int copy_file(const char *from, const char *to, mode_t mode, struct err *err)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return err_errno(err, errno, "cannot open %s", from);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	int rc = 0;
	if (out < 0)
		rc = err_errno(err, errno, "cannot create %s", to);
	char block[65536];
	while (rc == 0) {
		ssize_t n = read(in, block, sizeof(block));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			rc = err_errno(err, errno, "cannot read %s", from);
		if (n <= 0)
			break;
		if (write_all(out, block, (size_t)n) != 0)
			rc = err_errno(err, errno, "cannot write %s", to);
	}
	(void)close(in);
	if (out >= 0 && close(out) != 0 && rc == 0)
		rc = err_errno(err, errno, "cannot write %s", to);
	return rc;
}

/* Deeper trees than this are link loops through folders. */
enum { DEPTH_MAX = 40 };

static int copy_entry(const char *root, const char *inside, const char *to, int depth,
		      struct err *err)
{
	struct stat st;
	char *real = fs_resolve_in_root(root, inside);
	int rc = 0;

	if (real == NULL || stat(real, &st) != 0 || depth > DEPTH_MAX) {
		free(real);
		return 0;
	}
	if (S_ISREG(st.st_mode)) {
		rc = copy_file(real, to, (st.st_mode & 0777) | 0600, err);
	} else if (S_ISDIR(st.st_mode)) {
		struct strvec names = STRVEC_INIT;

		if (mkdir(to, 0755) != 0 && !(depth == 0 && errno == EEXIST))
			rc = err_errno(err, errno, "cannot create folder %s", to);
		if (rc == 0)
			rc = fs_list(real, &names, err);
		for (size_t i = 0; rc == 0 && i < names.n; i++) {
			char *sub = fs_join(real + strlen(root), names.v[i]);
			char *sub_to = fs_join(to, names.v[i]);
			rc = copy_entry(root, sub, sub_to, depth + 1, err);
			free(sub);
			free(sub_to);
		}
		strvec_release(&names);
	}
	free(real);
	return rc;
}

int fs_copy_tree_in_root(const char *root, const char *from, const char *to, struct err *err)
{
	char *real = fs_resolve_in_root(root, from);

	if (real == NULL || !fs_is_dir(real)) {
		free(real);
		return err_set(err, "no folder %s in %s", from, root);
	}
	free(real);
	return copy_entry(root, from, to, 0, err);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int fs_list(const char *dir, struct strvec *names, struct err *err)
{
	DIR *d = opendir(dir);

	if (d == NULL)
		return err_errno(err, errno, "cannot read folder %s", dir);
	const struct dirent *e = NULL;
	while ((e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			strvec_push(names, e->d_name);
	}
	(void)closedir(d);
	if (names->n > 1)
		qsort(names->v, names->n, sizeof(*names->v), by_name);
	return 0;
}

int64_t fs_free_bytes(const char *path)
{
	struct statvfs s;

	if (statvfs(path, &s) != 0)
		return -1;
	return (int64_t)s.f_bavail * (int64_t)s.f_frsize;
}

static char *xdg_dir(const char *var, const char *fallback)
{
	const char *base = getenv(var);

	if (base != NULL && base[0] == '/')
		return fs_join(base, "lampduel");
	const char *home = getenv("HOME");
	return mem_printf("%s/%s/lampduel", home != NULL && home[0] == '/' ? home : "/root",
			  fallback);
}

char *fs_cache_dir(void)
{
	const char *base = getenv("XDG_CACHE_HOME");

	/* root's own folder is closed to the users that servers run as */
	if (geteuid() == 0 && (base == NULL || base[0] != '/'))
		return mem_strdup("/var/cache/lampduel");
	return xdg_dir("XDG_CACHE_HOME", ".cache");
}

char *fs_data_dir(void)
{
	return xdg_dir("XDG_DATA_HOME", ".local/share");
}

/* The first of candidates, relative to the program's own folder, that exists. */
static char *beside_program(const char *const *candidates, const char *name)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return NULL;
	self[n] = '\0';
	char *slash = strrchr(self, '/');
	if (slash != NULL)
		*slash = '\0';
	for (; *candidates != NULL; candidates++) {
		char *path = mem_printf("%s/%s/%s", self, *candidates, name);
		char *real = realpath(path, NULL);
		free(path);
		if (real != NULL)
			return real;
	}
	return NULL;
}

char *fs_share_file(const char *name)
{
	/* installed (bin/ and share/lampduel/), then a build folder of any depth used here */
	static const char *const candidates[] = {"../share/lampduel", "../share", "../../share",
						 "../../../share", NULL};

	return beside_program(candidates, name);
}

char *fs_helper_program(const char *name)
{
	static const char *const candidates[] = {"../libexec/lampduel", ".", "..", NULL};

	return beside_program(candidates, name);
}
