#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/text.h"
#include "facts/fact.h"
#include "system/debian_root.h"
#include "system/mirror.h"
#include "system/rootfs.h"

static int setup(void **state)
{
	char template[] = "/tmp/lampduel-rootfs test-XXXXXX";

	assert_non_null(mkdtemp(template));
	*state = mem_strdup(template);
	return 0;
}

static int teardown(void **state)
{
	assert_int_equal(fs_remove_tree(*state, NULL), 0);
	free(*state);
	return 0;
}

static void targets_are_checked(void **state)
{
	static const char *const good[][3] = {
		{"debian:bookworm/armel", "bookworm", "armel"},
		{"debian:trixie/amd64", "trixie", "amd64"},
		{"debian:12.5-x/arm64", "12.5-x", "arm64"},
	};
	static const char *const bad[] = {
		"debian:",
		"debian:bookworm",
		"debian:/armel",
		"debian:bookworm/",
		"debian:bookworm/arm",
		"debian:Bookworm/armel",
		"debian:../x/armel",
		"debian:a b/armel",
		"debian:bookworm/armel/",
		"debian:-x/armel",
		"debian:bookworm/../armel",
		"debian:.x/armel",
		"debian:\033[1m/armel",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct rootfs_info info = {0};
		assert_int_equal(debian_parse(good[i][0], &info, NULL), 0);
		assert_string_equal(info.target, good[i][0]);
		assert_string_equal(info.suite, good[i][1]);
		assert_string_equal(info.arch, good[i][2]);
		rootfs_info_release(&info);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct rootfs_info info = {0};
		struct err err = ERR_INIT;
		if (debian_parse(bad[i], &info, &err) != ERR_USAGE)
			fail_msg("accepted: %s", bad[i]);
		assert_null(strchr(err.msg, '\033'));
		assert_null(info.suite);
	}
}

static void a_description_survives_writing(void **state)
{
	char *path = fs_join(*state, "description.json");
	struct rootfs_info a = {0};
	struct rootfs_info b;
	struct err err = ERR_INIT;
	static const char status[] = "Package: zlib1g\nVersion: 1:1.2.13\nArchitecture: armel\n"
				     "SHA256: 0123abcd\n\nPackage: libc6\nVersion: 2\n";

	assert_int_equal(debian_parse("debian:bookworm/armel", &a, NULL), 0);
	a.mirror = mem_strdup("http://mirror.example/\"debian\"");
	a.bytes = INT64_C(5000000000);
	rootfs_packages_read(&a.packages, status, strlen(status));
	assert_int_equal(rootfs_info_write(path, &a, NULL), 0);
	assert_int_equal(rootfs_info_read(path, &b, &err), 0);
	assert_string_equal(b.name, "bookworm-armel");
	assert_string_equal(b.mirror, a.mirror);
	assert_string_equal(b.created, "");
	assert_true(b.bytes == a.bytes);
	assert_string_equal(rootfs_version(&b.packages, "zlib1g"), "1:1.2.13");
	assert_null(b.packages.v[0].sha256);
	struct factset f = {0};
	rootfs_package_facts(&b.packages, "dpkg status", &f);
	assert_string_equal(factset_get(&f, "package_sha256.zlib1g"), "0123abcd");
	assert_null(factset_get(&f, "package_sha256.libc6"));
	factset_release(&f);
	rootfs_info_release(&a);
	rootfs_info_release(&b);
	assert_int_equal(fs_write_atomic(path, "{\"form\": 999}", 13, 0644, NULL), 0);
	assert_true(rootfs_info_read(path, &b, &err) < 0);
	assert_int_equal(fs_write_atomic(path, "{\"form\": 1", 10, 0644, NULL), 0);
	assert_true(rootfs_info_read(path, &b, &err) < 0);
	assert_non_null(strstr(err.msg, "damaged"));
	assert_int_equal(fs_write_atomic(path, "[]", 2, 0644, NULL), 0);
	assert_true(rootfs_info_read(path, &b, &err) < 0);
	free(path);
}

static void status_files_are_read(void **state)
{
	static const char text[] =
		"Package: php8.2-cli\nStatus: install ok installed\n"
		"Architecture: armel\nVersion: 8.2.32-1~deb12u1\n"
		"Description: Package: liar\n Version: 9\n\n"
		"Package: gone\nStatus: deinstall ok config-files\nVersion: 1\n\n"
		"Package: apache2-bin\nStatus: install ok unpacked\nVersion: 2.4\n\n"
		"Package: half\n\n\n\nVersion: 3\n\nPackage: last\nVersion: 4";
	struct rootfs_packages p = {0};
	struct factset f = {0};

	(void)state;
	rootfs_packages_read(&p, text, strlen(text));
	assert_int_equal(p.n, 3);
	assert_string_equal(p.v[0].name, "apache2-bin");
	assert_string_equal(p.v[1].name, "last");
	assert_string_equal(p.v[1].version, "4");
	assert_string_equal(p.v[2].version, "8.2.32-1~deb12u1");
	assert_string_equal(p.v[2].arch, "armel");
	assert_null(rootfs_version(&p, "gone"));
	rootfs_package_facts(&p, "dpkg status", &f);
	assert_int_equal(f.n, 2);
	assert_string_equal(factset_get(&f, "package.php8.2-cli"), "8.2.32-1~deb12u1");
	assert_null(factset_get(&f, "package.last"));
	factset_release(&f);
	rootfs_packages_release(&p);
}

static void apt_targets_name_the_archive(void **state)
{
	struct mirror m;

	(void)state;
	assert_true(mirror_from_targets(
		"cdrom:[Debian]/|bookworm|main|Debian\n"
		"https://php.example/php/|bookworm|main|deb.sury.example\n"
		"http://m.example/debian/|bookworm|contrib|Debian\n"
		"http://m.example/debian/|bookworm|main|Debian\n"
		"http://other.example/debian/|trixie|main|Debian\n"
		"http://s.example/sec//|bookworm-security|main|Debian-Security\n",
		&m));
	assert_string_equal(m.main, "http://m.example/debian");
	assert_string_equal(m.security, "http://s.example/sec");
	mirror_release(&m);
	assert_false(mirror_from_targets("http://u.example/ubuntu/|noble|main|Ubuntu\n", &m));
	assert_false(mirror_from_targets("", &m));
	assert_false(mirror_from_targets("a|b\n|||||||\nnothing\n", &m));
	assert_null(m.main);
	assert_null(m.security);
}

static void apt_uris_name_the_archive(void **state)
{
	struct mirror m;

	(void)state;
	assert_true(mirror_from_uris(
		"'https://php.example/php/dists/bookworm/InRelease' x 0 \n"
		"'http://u.example/ubuntu/dists/noble/InRelease' x 0 \n"
		"'http://flat.example/debian/./InRelease' x 0 \n"
		"'http://m.example/debian-security/dists/bookworm-security/InRelease' x 0 \n"
		"'http://m.example/debian/dists/bookworm-updates/InRelease' x 0 \n"
		"'http://m.example/debian//dists/bookworm/InRelease' x 0 \n",
		&m));
	assert_string_equal(m.main, "http://m.example/debian");
	assert_string_equal(m.security, "http://m.example/debian-security");
	mirror_release(&m);
	assert_false(mirror_from_uris("'http://u.example/ubuntu/dists/noble/InRelease' x 0\n", &m));
	assert_false(mirror_from_uris("'/dists/bookworm/\n'\n''\n'http://x/dists/", &m));
	assert_null(m.main);
}

static void mirrors_are_checked(void **state)
{
	struct mirror m;
	struct err err = ERR_INIT;

	(void)state;
	assert_true(mirror_is_well_formed("http://m.example/debian"));
	assert_true(mirror_is_well_formed("file:/srv/debian"));
	assert_true(mirror_is_well_formed("mirror+file:/etc/apt/list"));
	assert_false(mirror_is_well_formed("m.example/debian"));
	assert_false(mirror_is_well_formed("http://m.example/ debian"));
	assert_false(mirror_is_well_formed("http://m.example/\nnext"));
	assert_false(mirror_is_well_formed("[trusted=yes] http://m.example/"));
	assert_false(mirror_is_well_formed(""));
	assert_int_equal(mirror_find("no address", NULL, &m, &err), ERR_USAGE);
	assert_non_null(strstr(err.msg, "--mirror"));
	assert_int_equal(mirror_find("http://m.example/debian//", NULL, &m, &err), 0);
	assert_string_equal(m.main, "http://m.example/debian");
	assert_string_equal(m.security, "http://m.example/debian-security");
	mirror_release(&m);
	assert_int_equal(setenv("LAMPDUEL_MIRROR", "http://env.example/d", 1), 0);
	assert_int_equal(mirror_find(NULL, NULL, &m, &err), 0);
	assert_string_equal(m.main, "http://env.example/d");
	assert_null(m.security);
	mirror_release(&m);
	assert_int_equal(setenv("LAMPDUEL_MIRROR", "bad", 1), 0);
	assert_int_equal(mirror_find(NULL, NULL, &m, &err), ERR_USAGE);
	assert_int_equal(unsetenv("LAMPDUEL_MIRROR"), 0);
	char *shown = mirror_shown("http://me:secret@host.example/debian");
	assert_string_equal(shown, "http://host.example/debian");
	free(shown);
	shown = mirror_shown("http://host.example/d@b");
	assert_string_equal(shown, "http://host.example/d@b");
	free(shown);
}

static void a_list_of_mirrors_is_followed(void **state)
{
	char *path = fs_join(*state, "mirrors.list");
	struct mirror m;
	static const char list[] = "http://first.example/debian/\tpriority:1\nhttp://b.example/\n";

	assert_int_equal(fs_write_atomic(path, list, strlen(list), 0644, NULL), 0);
	char *spaced = mem_printf("mirror+file:%s", path);
	/* a blank in a path cannot be said in a source line: the folder has one, so link it */
	assert_false(mirror_is_well_formed(spaced));
	char link[] = "/tmp/lampduel-mirror-XXXXXX";
	int fd = mkstemp(link);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, list, strlen(list)), (int)strlen(list));
	(void)close(fd);
	char *asked = mem_printf("mirror+file:%s", link);
	assert_int_equal(mirror_find(asked, NULL, &m, NULL), 0);
	assert_string_equal(m.main, "http://first.example/debian");
	mirror_release(&m);
	(void)unlink(link);
	free(asked);
	free(spaced);
	free(path);
}

static void failures_become_one_line(void **state)
{
	static const struct {
		const char *output, *want;
	} cases[] = {
		{"I: running\nE: Failed to fetch http://x/InRelease  Could not resolve 'x'\n"
		 "E: mmdebstrap failed to run\n",
		 "cannot be reached"},
		{"E: The repository 'http://m sid Release' does not have a Release file.\n",
		 "has no suite 'bookworm'"},
		{"E: apt-get update did not find any indices for architecture 'armel' in suite\n",
		 "has no armel programs"},
		{"W: x\ndpkg-deb: error: No space left on device\nE: tar failed\n",
		 "disk became full"},
		{"E: Failed to fetch http://x.deb  write (28: No space left on device)\n",
		 "disk became full"},
		{"W: GPG error: NO_PUBKEY 123\nE: The repository is not signed.\n",
		 "signature of bookworm"},
		{"E: Unable to locate package php-cli\n",
		 "mmdebstrap failed: Unable to locate package php-cli"},
		{"", "does not say why"},
		{"E: Failed to fetch http://u:p@m.example/debian/x  Connection failed\n",
		 "Failed to fetch http://m.example/debian/x"},
		{"E: \033[31mred\n", "\\x1b[31mred"},
	};
	struct rootfs_info info = {0};

	(void)state;
	assert_int_equal(debian_parse("debian:bookworm/armel", &info, NULL), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = ERR_INIT;
		int rc =
			debian_explain(cases[i].output, &info, "http://u:p@m.example/debian", &err);
		assert_true(rc < 0);
		if (strstr(err.msg, cases[i].want) == NULL)
			fail_msg("case %zu: %s", i, err.msg);
		assert_null(strchr(err.msg, '\n'));
		assert_null(strstr(err.msg, "u:p"));
	}
	rootfs_info_release(&info);
}

static void release_files_are_read(void **state)
{
	struct rootfs_info info = {0};

	(void)state;
	debian_read_release("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nOrigin: Debian\n"
			    "Version: 12.15\nCodename: bookworm\n"
			    "Date: Sat, 11 Jul 2026 10:16:37 UTC\nDescription: Date: x\n",
			    &info);
	assert_string_equal(info.release_date, "2026-07-11 10:16:37 UTC");
	assert_string_equal(info.os_name, "Debian 12.15 (bookworm)");
	rootfs_info_release(&info);
	info.suite = mem_strdup("sid");
	debian_read_release("Date: yesterday\n", &info);
	assert_null(info.release_date);
	assert_string_equal(info.os_name, "Debian (sid)");
	rootfs_info_release(&info);
}

static void missing_packages_are_noticed(void **state)
{
	struct rootfs_info info = {0};
	struct err err = ERR_INIT;
	static const char all[] =
		"Package: openssl\nVersion: 1\n\nPackage: mariadb-server-core-10.5\nVersion: 1\n\n"
		"Package: mariadb-client-core\nVersion: 1\n\nPackage: apache2-bin\nVersion: 1\n\n"
		"Package: libapache2-mod-php\nVersion: 1\n\nPackage: php-cli\nVersion: 1\n\n"
		"Package: php-mysql\nVersion: 1\n\nPackage: wordpress\nVersion: 1\n\n";

	(void)state;
	assert_int_equal(debian_parse("debian:bookworm/armel", &info, NULL), 0);
	rootfs_packages_read(&info.packages, all, strlen(all));
	assert_int_equal(debian_check_packages(&info, &err), 0);
	rootfs_packages_release(&info.packages);
	rootfs_packages_read(&info.packages, all,
			     (size_t)(strstr(all, "Package: wordpress") - all));
	assert_true(debian_check_packages(&info, &err) < 0);
	assert_non_null(strstr(err.msg, "no package of WordPress"));
	rootfs_info_release(&info);
}

static void touch(const char *root, const char *name, const char *text)
{
	char *path = fs_join(root, name);
	char *slash = strrchr(path, '/');

	*slash = '\0';
	assert_int_equal(fs_mkdirs(path, 0755, NULL), 0);
	*slash = '/';
	assert_int_equal(fs_write_atomic(path, text, strlen(text), 0644, NULL), 0);
	free(path);
}

static bool is_there(const char *root, const char *name)
{
	char *path = fs_join(root, name);
	struct stat st;
	bool yes = lstat(path, &st) == 0;

	free(path);
	return yes;
}

static void a_tree_is_finished(void **state)
{
	const char *root = *state;
	char link[64] = "";
	struct buf passwd = BUF_INIT;

	touch(root, "usr/lib64/ld.so", "x");
	touch(root, "usr/lib/libc.so", "x");
	touch(root, "usr/bin/true", "x");
	touch(root, "lib/real", "x"); /* not merged: stays a folder */
	touch(root, "etc/resolv.conf", "nameserver 192.0.2.1");
	touch(root, "etc/apt/apt.conf.d/99mmdebstrap", "Proxy secret");
	touch(root, "etc/hosts", "mine");
	touch(root, "var/cache/apt/archives/a.deb", "x");
	touch(root, "dev/null", "x");
	for (int i = 0; i < 2; i++) { /* a second time changes nothing */
		assert_int_equal(debian_finish_root(root, NULL), 0);
		char *path = fs_join(root, "lib64");
		assert_int_equal(readlink(path, link, sizeof(link) - 1), 9);
		assert_string_equal(link, "usr/lib64");
		free(path);
		assert_true(is_there(root, "bin"));
		assert_true(is_there(root, "lib/real"));
		assert_false(is_there(root, "sbin"));
		assert_false(is_there(root, "etc/resolv.conf"));
		assert_false(is_there(root, "etc/apt/apt.conf.d/99mmdebstrap"));
		assert_false(is_there(root, "var/cache/apt/archives"));
		assert_false(is_there(root, "dev/null"));
		assert_true(is_there(root, "dev"));
		assert_true(is_there(root, "etc/group"));
	}
	char *path = fs_join(root, "etc/passwd");
	assert_int_equal(fs_read(path, 4096, &passwd, NULL), 0);
	assert_non_null(strstr(passwd.data, "www-data:x:33:"));
	free(path);
	buf_clear(&passwd);
	path = fs_join(root, "etc/hosts");
	assert_int_equal(fs_read(path, 4096, &passwd, NULL), 0);
	assert_string_equal(passwd.data, "mine");
	free(path);
	buf_release(&passwd);
}

/* A prepared installation as rootfs_open() finds it, without having been made by it. */
static void pretend(const char *cache, const char *target)
{
	struct rootfs_info info = {0};

	assert_int_equal(debian_parse(target, &info, NULL), 0);
	info.created = mem_strdup("2026-01-01 00:00:00 UTC");
	char *name = mem_printf("rootfs/%s/root/usr/bin/true", info.name);
	touch(cache, name, "x");
	free(name);
	name = mem_printf("%s/rootfs/%s/description.json", cache, info.name);
	assert_int_equal(rootfs_info_write(name, &info, NULL), 0);
	free(name);
	rootfs_info_release(&info);
}

static void prepared_ones_are_opened_listed_and_removed(void **state)
{
	struct rootfs_options o = {.cache_dir = *state};
	struct rootfs r;
	struct rootfs second;
	struct rootfs_list l;
	struct rootfs_info info;
	struct err err = ERR_INIT;
	bool was = true;

	assert_int_equal(rootfs_list(&o, &l, &err), 0); /* no folder at all yet */
	assert_int_equal(l.infos.n, 0);
	rootfs_list_release(&l);
	assert_int_equal(rootfs_remove("debian:bookworm/armel", &o, &was, &err), 0);
	assert_false(was);

	pretend(*state, "debian:bookworm/armel");
	touch(*state, "rootfs/.bookworm-armel.new/left", "x");
	touch(*state, "rootfs/odd/file", "x");
	assert_int_equal(rootfs_open("debian:bookworm/armel", &o, &r, &err), 0);
	assert_false(r.made);
	assert_true(text_ends(r.root, "/rootfs/bookworm-armel/root"));
	assert_int_equal(rootfs_open("debian:bookworm/armel", &o, &second, &err), 0);
	rootfs_close(&second);
	assert_int_equal(rootfs_list(&o, &l, &err), 0);
	assert_int_equal(l.infos.n, 2);
	assert_string_equal(l.infos.v[0].target, "debian:bookworm/armel");
	assert_string_equal(l.infos.v[1].name, "odd");
	assert_null(l.infos.v[1].target);
	rootfs_list_release(&l);

	/* in use: neither replaced nor removed */
	assert_int_equal(rootfs_remove("debian:bookworm/armel", &o, &was, &err), ERR_TIMEOUT);
	assert_non_null(strstr(err.msg, "another lampduel uses it"));
	assert_int_equal(rootfs_update("debian:bookworm/armel", &o, &info, &err), ERR_TIMEOUT);
	assert_true(is_there(*state, "rootfs/bookworm-armel/root"));
	rootfs_close(&r);
	assert_int_equal(rootfs_remove("debian:bookworm/armel", &o, &was, &err), 0);
	assert_true(was);
	assert_false(is_there(*state, "rootfs/bookworm-armel"));
	assert_false(is_there(*state, "rootfs/.bookworm-armel.new"));
	assert_false(is_there(*state, "rootfs/.bookworm-armel.old"));
	assert_false(is_there(*state, "rootfs/.bookworm-armel.lock"));
}

static void a_failed_attempt_leaves_nothing(void **state)
{
	struct rootfs_options o = {.cache_dir = *state, .mirror = "file:/nowhere/debian"};
	struct rootfs r;
	struct rootfs_info info;
	struct err err = ERR_INIT;
	volatile int stop = 1;

	assert_true(rootfs_open("debian:bookworm/armel", &o, &r, &err) < 0);
	assert_true(text_starts(err.msg, "preparing debian:bookworm/armel: "));
	assert_null(r.root);
	assert_false(is_there(*state, "rootfs/bookworm-armel"));
	assert_false(is_there(*state, "rootfs/.bookworm-armel.new"));
	assert_false(is_there(*state, "rootfs/.bookworm-armel.lock"));

	/* an update that fails keeps what is there */
	pretend(*state, "debian:bookworm/armel");
	assert_true(rootfs_update("debian:bookworm/armel", &o, &info, &err) < 0);
	assert_null(info.name);
	assert_true(is_there(*state, "rootfs/bookworm-armel/root/usr/bin/true"));
	assert_false(is_there(*state, "rootfs/.bookworm-armel.new"));
	o.stop = &stop;
	assert_true(rootfs_update("debian:bookworm/armel", &o, &info, &err) < 0);
	assert_true(is_there(*state, "rootfs/bookworm-armel/root/usr/bin/true"));
	assert_false(is_there(*state, "rootfs/.bookworm-armel.new"));
	assert_int_equal(rootfs_open("slackware:14.2/arm", &o, &r, &err), ERR_USAGE);
	assert_int_equal(rootfs_open("debian:bookworm", &o, &r, &err), ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(targets_are_checked),
		cmocka_unit_test_setup_teardown(a_description_survives_writing, setup, teardown),
		cmocka_unit_test(status_files_are_read),
		cmocka_unit_test(apt_targets_name_the_archive),
		cmocka_unit_test(apt_uris_name_the_archive),
		cmocka_unit_test(mirrors_are_checked),
		cmocka_unit_test_setup_teardown(a_list_of_mirrors_is_followed, setup, teardown),
		cmocka_unit_test(failures_become_one_line),
		cmocka_unit_test(release_files_are_read),
		cmocka_unit_test(missing_packages_are_noticed),
		cmocka_unit_test_setup_teardown(a_tree_is_finished, setup, teardown),
		cmocka_unit_test_setup_teardown(prepared_ones_are_opened_listed_and_removed, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_failed_attempt_leaves_nothing, setup, teardown),
	};

	return cmocka_run_group_tests_name("rootfs", tests, NULL, NULL);
}
