/* Makes the installations of debian:SUITE/ARCH: mmdebstrap unpacks, nothing of it is run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/proc.h"
#include "base/text.h"
#include "system/debian_root.h"
#include "system/emulate.h"
#include "system/mirror.h"
#include "system/rootfs.h"

/* Packages, archive and index while it is being made, and some room to breathe. */
static const int64_t ROOM_NEEDED = INT64_C(900) << 20;

/*
 * Names with a star may be missing in a suite; of each group one has to be there. The unversioned
 * names of PHP bring the version that the suite has as its default.
 */
static const struct {
	const char *packages; /* with commas between */
	const char *what;     /* NULL: may be missing altogether */
} wanted[] = {
	{"openssl", "OpenSSL"},
	{"mariadb-server-core*,mariadb-server-core-10.5*", "a MariaDB server"},
	{"mariadb-client-core*,mariadb-client-core-10.5*", "a MariaDB client"},
	{"apache2-bin", "Apache"},
	{"libapache2-mod-php", "PHP for Apache"},
	{"php-cli", "PHP"},
	{"php-mysql", "PHP's MySQL extension"},
	{"wordpress", "WordPress"},
	/* the last classic theme; it left Debian with WordPress 6.2 */
	{"wordpress-theme-twentytwentyone*", NULL},
};

enum { N_WANTED = sizeof(wanted) / sizeof(wanted[0]) };

static bool is_suite(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool inner = i > 0 && (s[i] == '-' || s[i] == '.');
		if (!(s[i] >= 'a' && s[i] <= 'z') && !(s[i] >= '0' && s[i] <= '9') && !inner)
			return false;
	}
	return n > 0 && n <= 40;
}

int debian_parse(const char *target, struct rootfs_info *info, struct err *err)
{
	const char *rest = target + strlen("debian:");
	const char *slash = strchr(rest, '/');
	char *shown = text_escaped(target);
	int rc = 0;

	if (slash == NULL || !is_suite(rest, (size_t)(slash - rest))) {
		rc = err_code(err, ERR_USAGE,
			      "'%s' is no such target: debian:SUITE/ARCH is, as in "
			      "debian:bookworm/armhf",
			      shown);
	} else if (emulate_qemu_name(slash + 1) == NULL) {
		rc = err_code(err, ERR_USAGE,
			      "'%s': no such architecture (by Debian's names: amd64, i386, arm64, "
			      "armhf, armel, or another that qemu-user emulates)",
			      shown);
	} else {
		info->suite = mem_strndup(rest, (size_t)(slash - rest));
		info->arch = mem_strdup(slash + 1);
		info->name = mem_printf("%s-%s", info->suite, info->arch);
		info->target = mem_strdup(target);
	}
	free(shown);
	return rc;
}

const char *debian_keyring(void)
{
	static const char *const files[] = {"/usr/share/keyrings/debian-archive-keyring.gpg",
					    "/usr/share/keyrings/debian-archive-keyring.pgp"};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (access(files[i], R_OK) == 0)
			return files[i];
	}
	return NULL;
}

static int check_tools(const char *folder, struct err *err)
{
	static const char *const tools[][2] = {
		{"mmdebstrap", "mmdebstrap"}, {"apt-get", "apt"}, {"dpkg-deb", "dpkg"}};

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		char *found = proc_find(tools[i][0]);
		free(found);
		if (found == NULL)
			return err_set(err, "%s is missing: apt-get install %s", tools[i][0],
				       tools[i][1]);
	}
	if (debian_keyring() == NULL)
		return err_set(err, "the keys that sign Debian's archive are missing: "
				    "apt-get install debian-archive-keyring");
	int64_t room = fs_free_bytes(folder);
	if (room >= 0 && room < ROOM_NEEDED)
		return err_set(err, "too little room: about %d MB are needed in %s, %d MB are free",
			       (int)(ROOM_NEEDED >> 20), folder, (int)(room >> 20));
	return 0;
}

/* How apt reaches the network is this machine's setting. By file, as a proxy may have a password.
 */
static int write_apt_settings(const char *path, const volatile int *stop, bool *any,
			      struct err *err)
{
	char *const argv[] = {"env",        "LC_ALL=C", "apt-config", "dump",
			      "--no-empty", "Acquire",  NULL};
	static const char *const kept[] = {"Acquire::http::Proxy",
					   "Acquire::https::Proxy",
					   "Acquire::http::ProxyAutoDetect",
					   "Acquire::ForceIPv4",
					   "Acquire::ForceIPv6",
					   "Acquire::Retries",
					   "Acquire::http::Timeout",
					   "Acquire::https::Timeout",
					   "Acquire::https::CaInfo"};
	struct buf text = BUF_INIT;
	struct proc_result r;
	char *save = NULL;

	*any = false;
	int rc = proc_run(argv, 60 * NS_PER_S, stop, &r, err);
	for (char *line = rc != 0 || r.out.len == 0 ? NULL : strtok_r(r.out.data, "\n", &save);
	     line != NULL; line = strtok_r(NULL, "\n", &save)) {
		for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
			size_t n = strlen(kept[i]);
			if (strncasecmp(line, kept[i], n) == 0 &&
			    (line[n] == ' ' || line[n] == ':')) {
				buf_addf(&text, "%s\n", line);
				*any = true;
			}
		}
	}
	if (rc == 0 && *any)
		rc = fs_write_atomic(path, buf_str(&text), text.len, 0600, err);
	proc_result_release(&r);
	buf_release(&text);
	return rc;
}

static char *include_option(void)
{
	struct buf b = BUF_INIT;

	buf_addstr(&b, "--include=");
	for (size_t i = 0; i < N_WANTED; i++) {
		const char *p = wanted[i].packages;
		while (*p != '\0') {
			size_t n = strcspn(p, ",");
			bool optional = n > 0 && p[n - 1] == '*';
			if (b.data[b.len - 1] != '=')
				buf_addch(&b, ',');
			/* apt's patterns are content with matching nothing; a name alone would
			 * match packages that are only mentioned by others */
			if (optional)
				buf_addf(&b, "?exact-name(%.*s)?version(.)", (int)n - 1, p);
			else
				buf_add(&b, p, n);
			p += n + (p[n] == ',' ? 1 : 0);
		}
	}
	return buf_detach(&b);
}

static void push_sources(struct strvec *argv, const struct rootfs_info *info,
			 const struct mirror *m, const struct rootfs_options *o)
{
	const char *key = debian_keyring();

	strvec_pushf(argv, "deb [signed-by=%s] %s %s main", key, m->main, info->suite);
	if (o->sources != ROOTFS_SECURITY)
		return;
	strvec_pushf(argv, "deb [signed-by=%s] %s %s-updates main", key, m->main, info->suite);
	strvec_pushf(argv, "deb [signed-by=%s] %s %s-security main", key, m->security, info->suite);
}

/* The first line of text that begins with prefix, without it; NULL when there is none. */
static char *first_line(const char *text, const char *prefix)
{
	for (const char *p = text; *p != '\0';) {
		size_t n = strcspn(p, "\n");

		if (strncmp(p, prefix, strlen(prefix)) == 0) {
			char *line = mem_strndup(p + strlen(prefix), n - strlen(prefix));
			char *safe = text_escaped(text_trim(line));
			free(line);
			return safe;
		}
		p += n + (p[n] == '\n' ? 1 : 0);
	}
	return NULL;
}

int debian_explain(const char *output, const struct rootfs_info *info, const char *mirror,
		   struct err *err)
{
	static const char *const network[] = {"Could not resolve", "Could not connect",
					      "Temporary failure", "Unable to connect",
					      "Cannot initiate",   "Connection timed out",
					      "Connection failed", "Failed to fetch"};
	char *line = first_line(output, "E: ");
	const char *why = line == NULL ? "it does not say why" : line;
	char *shown = mirror_shown(mirror);
	int rc = 0;

	if (line != NULL)
		text_hide_logins(line);
	if (strstr(output, "No space left on device") != NULL)
		rc = err_set(err, "the disk became full while %s was being unpacked", info->target);
	for (size_t i = 0; i < sizeof(network) / sizeof(network[0]) && rc == 0; i++) {
		if (strstr(why, network[i]) != NULL)
			rc = err_set(err,
				     "the archive %s cannot be reached (%s): check the network, or "
				     "name another one with --mirror",
				     shown, why);
	}
	if (rc == 0 && (strstr(why, "does not have a Release file") != NULL ||
			strstr(why, "no longer has a Release file") != NULL))
		rc = err_set(err, "the archive %s has no suite '%s'", shown, info->suite);
	else if (rc == 0 && (strstr(why, "did not find any indices for architecture") != NULL ||
			     strstr(output, "doesn't support architecture") != NULL))
		rc = err_set(err, "the archive %s has no %s programs for '%s'", shown, info->arch,
			     info->suite);
	else if (rc == 0 &&
		 (strstr(output, "NO_PUBKEY") != NULL || strstr(output, "is not signed") != NULL ||
		  strstr(output, "EXPKEYSIG") != NULL))
		rc = err_set(err,
			     "the signature of %s in %s cannot be checked with the keys here (%s): "
			     "is it Debian's archive, and is debian-archive-keyring up to date?",
			     info->suite, shown, why);
	else if (rc == 0)
		rc = err_set(err, "mmdebstrap failed: %s", why);
	free(line);
	free(shown);
	return rc;
}

static int unpack(const char *folder, const struct rootfs_info *info, const struct mirror *m,
		  const struct rootfs_options *o, struct err *err)
{
	struct strvec argv = STRVEC_INIT;
	struct proc_result r;
	char *settings = fs_join(folder, "apt.conf");
	char *include = include_option();
	char *root = fs_join(folder, "root");
	bool any = false;

	int rc = write_apt_settings(settings, o->stop, &any, err);
	if (rc == 0) {
		strvec_push(&argv, "env");
		strvec_push(&argv, "LC_ALL=C");
		strvec_push(&argv, "--unset=APT_CONFIG");
		/* what it leaves when it is killed goes with the folder */
		strvec_pushf(&argv, "TMPDIR=%s/tmp", folder);
		if (o->run_id != NULL)
			strvec_pushf(&argv, "LAMPDUEL_RUN=%s", o->run_id);
		strvec_push(&argv, "mmdebstrap");
		strvec_push(&argv, geteuid() == 0 ? "--mode=root" : "--mode=chrootless");
		strvec_push(&argv, "--variant=extract");
		strvec_push(&argv, "--format=directory");
		strvec_pushf(&argv, "--arch=%s", info->arch);
		/* the packages and the index are read afterwards; nothing is to be mounted */
		strvec_push(&argv, "--skip=cleanup/apt,chroot/mount");
		if (any)
			strvec_pushf(&argv, "--aptopt=%s", settings);
		strvec_push(&argv, include);
		strvec_push(&argv, info->suite);
		strvec_push(&argv, root);
		push_sources(&argv, info, m, o);
		rc = proc_run(argv.v, 0, o->stop, &r, err);
		if (rc == 0 && r.exit_code != 0) {
			buf_addstr(&r.err, "\n");
			buf_addstr(&r.err, buf_str(&r.out));
			rc = debian_explain(buf_str(&r.err), info, m->main, err);
		}
		proc_result_release(&r);
	}
	strvec_release(&argv);
	free(settings);
	free(include);
	free(root);
	return rc;
}

void debian_read_release(const char *text, struct rootfs_info *info)
{
	char *date = first_line(text, "Date: ");
	char *version = first_line(text, "Version: ");
	char *codename = first_line(text, "Codename: ");
	struct tm tm = {0};

	/* the locale of dates is never set, so the names are English ones */
	if (date != NULL && strptime(date, "%a, %d %b %Y %H:%M:%S", &tm) != NULL) {
		char utc[32];

		clock_format_utc((int64_t)timegm(&tm) * NS_PER_S, utc, sizeof(utc));
		info->release_date = mem_strdup(utc);
	}
	info->os_name =
		mem_printf("Debian %s%s(%s)", version == NULL ? "" : version,
			   version == NULL ? "" : " ", codename == NULL ? info->suite : codename);
	free(date);
	free(version);
	free(codename);
}

/* apt names the file after the address: ..._dists_SUITE_InRelease. */
static int read_release(const char *root, struct rootfs_info *info, struct err *err)
{
	char *lists = fs_join(root, "var/lib/apt/lists");
	char *tail = mem_printf("_dists_%s_InRelease", info->suite);
	char *old_tail = mem_printf("_dists_%s_Release", info->suite);
	struct strvec names = STRVEC_INIT;
	struct buf text = BUF_INIT;

	int rc = fs_list(lists, &names, err);
	for (size_t i = 0; rc == 0 && i < names.n && text.len == 0; i++) {
		if (!text_ends(names.v[i], tail) && !text_ends(names.v[i], old_tail))
			continue;
		char *path = fs_join(lists, names.v[i]);
		rc = fs_read(path, 16 << 20, &text, err);
		free(path);
	}
	debian_read_release(buf_str(&text), info);
	if (rc == 0 && info->release_date == NULL)
		rc = err_set(err, "the archive's Release file of %s has no date", info->suite);
	buf_release(&text);
	strvec_release(&names);
	free(tail);
	free(old_tail);
	free(lists);
	return rc;
}

/* The package file's SHA-256 as a field, so that the very same packages can be found again. */
static int add_hash(const char *deb, struct buf *status, const volatile int *stop, struct err *err)
{
	enum { HEX = 64 };
	char *const argv[] = {"sha256sum", "--", (char *)(uintptr_t)deb, NULL};
	struct proc_result r;

	int rc = proc_run(argv, 60 * NS_PER_S, stop, &r, err);
	const char *text = buf_str(&r.out);
	if (rc == 0 && (r.exit_code != 0 || strspn(text, "0123456789abcdef") != HEX))
		rc = err_set(err, "sha256sum cannot read %s", deb);
	if (rc == 0)
		buf_addf(status, "\nSHA256: %.*s", HEX, text);
	proc_result_release(&r);
	return rc;
}

/* Adds the stanza that dpkg would have in its status file after unpacking the package. */
static int add_stanza(const char *deb, struct buf *status, const volatile int *stop,
		      struct err *err)
{
	char *const argv[] = {"dpkg-deb", "--field", (char *)(uintptr_t)deb, NULL};
	struct proc_result r;

	int rc = proc_run(argv, 60 * NS_PER_S, stop, &r, err);
	if (rc == 0 && (r.exit_code != 0 || !text_starts(buf_str(&r.out), "Package: ")))
		rc = err_set(err, "%s cannot be read", deb);
	if (rc == 0) {
		const char *text = buf_str(&r.out);
		size_t first = strcspn(text, "\n");
		size_t len = r.out.len;

		while (len > 0 && text[len - 1] == '\n')
			len--;
		buf_add(status, text, first);
		buf_addstr(status, "\nStatus: install ok unpacked");
		buf_add(status, text + first, len - first);
		rc = add_hash(deb, status, stop, err);
		buf_addstr(status, "\n\n");
	}
	proc_result_release(&r);
	return rc;
}

/* No maintainer script ran, so dpkg's status is empty: it is written from the packages themselves.
 */
static int write_status(const char *root, struct rootfs_info *info, const volatile int *stop,
			struct err *err)
{
	char *archives = fs_join(root, "var/cache/apt/archives");
	char *path = fs_join(root, "var/lib/dpkg/status");
	struct strvec names = STRVEC_INIT;
	struct buf status = BUF_INIT;

	int rc = fs_list(archives, &names, err);
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		if (!text_ends(names.v[i], ".deb"))
			continue;
		char *deb = fs_join(archives, names.v[i]);
		rc = add_stanza(deb, &status, stop, err);
		free(deb);
	}
	if (rc == 0)
		rc = fs_write_atomic(path, buf_str(&status), status.len, 0644, err);
	if (rc == 0)
		rootfs_packages_read(&info->packages, buf_str(&status), status.len);
	buf_release(&status);
	strvec_release(&names);
	free(archives);
	free(path);
	return rc;
}

static bool group_is_there(const char *packages, const struct rootfs_packages *p)
{
	while (*packages != '\0') {
		size_t n = strcspn(packages, ",");
		size_t name_len = n > 0 && packages[n - 1] == '*' ? n - 1 : n;
		char *name = mem_strndup(packages, name_len);
		bool there = rootfs_version(p, name) != NULL;

		free(name);
		if (there)
			return true;
		packages += n + (packages[n] == ',' ? 1 : 0);
	}
	return false;
}

int debian_check_packages(const struct rootfs_info *info, struct err *err)
{
	for (size_t i = 0; i < N_WANTED; i++) {
		if (wanted[i].what != NULL && !group_is_there(wanted[i].packages, &info->packages))
			return err_set(err, "Debian %s has no package of %s for %s (looked for %s)",
				       info->suite, wanted[i].what, info->arch, wanted[i].packages);
	}
	return 0;
}

static int debian_make(const char *folder, struct rootfs_info *info, const struct rootfs_options *o,
		       struct err *err)
{
	struct mirror m = {0};
	char *root = fs_join(folder, "root");
	char *tmp = fs_join(folder, "tmp");

	int rc = check_tools(folder, err);
	if (rc == 0)
		rc = mirror_find(o->mirror, o->stop, &m, err);
	if (rc == 0 && o->sources == ROOTFS_SECURITY && m.security == NULL)
		rc = err_set(err, "no archive of security updates is known beside %s", m.main);
	if (rc == 0)
		rc = fs_mkdirs(tmp, 0755, err);
	if (rc == 0) {
		info->mirror = mirror_shown(m.main);
		info->components = mem_strdup("main");
		info->sources = o->sources == ROOTFS_SECURITY
					? mem_printf("%s %s-updates %s-security", info->suite,
						     info->suite, info->suite)
					: mem_strdup(info->suite);
		rootfs_say(o, "%s: downloading and unpacking from %s (about 100 MB)", info->target,
			   info->mirror);
		rc = unpack(folder, info, &m, o, err);
	}
	if (rc == 0)
		rc = read_release(root, info, err);
	if (rc == 0) {
		rootfs_say(o, "%s: reading the packages of %s, %s", info->target, info->os_name,
			   info->release_date);
		rc = write_status(root, info, o->stop, err);
	}
	if (rc == 0)
		rc = debian_check_packages(info, err);
	if (rc == 0)
		rc = debian_finish_root(root, err);
	if (rc == 0)
		rc = fs_remove_tree(tmp, err);
	free(root);
	free(tmp);
	mirror_release(&m);
	return rc;
}

const struct rootfs_recipe rootfs_debian = {
	.scheme = "debian",
	.parse = debian_parse,
	.make = debian_make,
};
