#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/text.h"
#include "system/debian_root.h"

/* From Debian 13 on packages ship /usr/lib alone, and base-files, which is not here, the links. */
static int link_usr(const char *root, struct err *err)
{
	static const char *const names[] = {"bin", "sbin", "lib", "lib32", "lib64", "libx32"};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(names) / sizeof(names[0]); i++) {
		struct stat st;
		char *link = fs_join(root, names[i]);
		char *inside = mem_printf("usr/%s", names[i]);
		char *folder = fs_join(root, inside);

		if (lstat(link, &st) != 0 && fs_is_dir(folder) && symlink(inside, link) != 0)
			rc = err_errno(err, errno, "cannot create %s", link);
		free(link);
		free(inside);
		free(folder);
	}
	return rc;
}

/* Written unless a package brought them. */
static const struct {
	const char *path, *text;
} files[] = {
	{"etc/passwd", "root:x:0:0:root:/root:/bin/sh\n"
		       "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n"
		       "www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin\n"
		       "mysql:x:101:101:MariaDB:/nonexistent:/usr/sbin/nologin\n"
		       "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"},
	{"etc/group", "root:x:0:\n"
		      "daemon:x:1:\n"
		      "www-data:x:33:\n"
		      "mysql:x:101:\n"
		      "nogroup:x:65534:\n"},
	{"etc/hosts", "127.0.0.1\tlocalhost\n::1\tlocalhost\n"},
	/* the libraries' own default would ask the network first */
	{"etc/nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\nhosts: files\n"
			      "services: files\nprotocols: files\n"},
};

static int write_files(const char *root, struct err *err)
{
	char *etc = fs_join(root, "etc");
	int rc = fs_mkdirs(etc, 0755, err);

	for (size_t i = 0; rc == 0 && i < sizeof(files) / sizeof(files[0]); i++) {
		char *path = fs_join(root, files[i].path);
		struct stat st;

		if (lstat(path, &st) != 0)
			rc = fs_write_atomic(path, files[i].text, strlen(files[i].text), 0644, err);
		free(path);
	}
	free(etc);
	return rc;
}

static int clear(const char *root, struct err *err)
{
	/* this machine's names and network settings, perhaps with a proxy's password */
	static const char *const gone[] = {"etc/resolv.conf",
					   "etc/hostname",
					   "etc/apt/apt.conf.d/99mmdebstrap",
					   "etc/apt/sources.list",
					   "var/lib/apt/lists",
					   "var/cache/apt",
					   "dev"};
	static const struct {
		const char *path;
		mode_t mode;
	} folders[] = {{"dev", 0755},  {"proc", 0755}, {"sys", 0755},      {"run", 0755},
		       {"root", 0755}, {"tmp", 01777}, {"var/tmp", 01777}, {"var/cache/apt", 0755}};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(gone) / sizeof(gone[0]); i++) {
		char *path = fs_join(root, gone[i]);
		rc = fs_remove_tree(path, err);
		free(path);
	}
	for (size_t i = 0; rc == 0 && i < sizeof(folders) / sizeof(folders[0]); i++) {
		char *path = fs_join(root, folders[i].path);

		rc = fs_mkdirs(path, 0755, err);
		if (rc == 0 && chmod(path, folders[i].mode) != 0)
			rc = err_errno(err, errno, "cannot change %s", path);
		free(path);
	}
	return rc;
}

int debian_finish_root(const char *root, struct err *err)
{
	int rc = link_usr(root, err);

	if (rc == 0)
		rc = write_files(root, err);
	if (rc == 0)
		rc = clear(root, err);
	return rc;
}
