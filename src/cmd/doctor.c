/* lampduel doctor: can this machine, and these targets, be measured? */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/doctor.h"
#include "cmd/help.h"
#include "cmd/opened.h"
#include "stack/stack.h"
#include "system/debian_root.h"
#include "system/emulate.h"
#include "system/mirror.h"
#include "system/rootfs.h"
#include "system/sandbox.h"
#include "system/system.h"

struct doctor_options {
	bool noise;
	int64_t seconds;
};

void doctor_tell(struct doctor *d, enum checkup_finding f, const char *what, const char *fmt, ...)
{
	static const char *const words[] = {[CHECKUP_FINE] = "fine",
					    [CHECKUP_NOTE] = "note",
					    [CHECKUP_BAD] = "bad",
					    [CHECKUP_UNKNOWN] = "unknown"};
	static const char *const colors[] = {[CHECKUP_FINE] = "\033[32m",
					     [CHECKUP_NOTE] = "\033[33m",
					     [CHECKUP_BAD] = "\033[31m",
					     [CHECKUP_UNKNOWN] = "\033[33m"};
	bool color = d->c->color;
	va_list ap;

	va_start(ap, fmt);
	char *text = mem_vprintf(fmt, ap);
	va_end(ap);
	char *safe = text_escaped(text);
	char *safe_what = text_escaped(what);
	(void)fprintf(d->c->out, "%s%-7s%s  %s: %s\n", color ? colors[f] : "", words[f],
		      color ? "\033[0m" : "", safe_what, safe);
	if (f == CHECKUP_BAD)
		d->bad++;
	free(text);
	free(safe);
	free(safe_what);
}

static void check_program(struct doctor *d, const char *name, const char *package, const char *why)
{
	char *path = proc_find(name);

	if (path != NULL)
		doctor_tell(d, CHECKUP_FINE, name, "%s", path);
	else
		doctor_tell(d, CHECKUP_BAD, name, "missing (%s): apt-get install %s", why, package);
	free(path);
}

static void check_launcher(struct doctor *d)
{
	char *launcher = fs_helper_program("lampduel-launcher");

	if (launcher != NULL)
		doctor_tell(d, CHECKUP_FINE, "launcher", "%s", launcher);
	else
		doctor_tell(d, CHECKUP_BAD, "launcher",
			    "lampduel-launcher is missing beside lampduel: build or "
			    "install it again");
	free(launcher);
}

static void check_sandbox(struct doctor *d)
{
	struct sandbox_probe p;

	sandbox_probe(&p);
	if (p.bubblewrap)
		doctor_tell(d, CHECKUP_FINE, "sandbox",
			    "%s works, namespaces are allowed for this user", p.version);
	else if (p.chroot)
		doctor_tell(d, CHECKUP_NOTE, "sandbox",
			    "%s; as root a plain chroot is used instead", p.why_not);
	else
		doctor_tell(d, CHECKUP_BAD, "sandbox", "%s", p.why_not);
	sandbox_probe_release(&p);
}

static void check_making(struct doctor *d)
{
	struct mirror m;
	struct err err = ERR_INIT;

	check_program(d, "mmdebstrap", "mmdebstrap", "it unpacks debian: targets");
	check_program(d, "apt-get", "apt", "mmdebstrap uses it");
	check_program(d, "dpkg-deb", "dpkg", "mmdebstrap uses it");
	if (debian_keyring() != NULL)
		doctor_tell(d, CHECKUP_FINE, "archive keys", "%s", debian_keyring());
	else
		doctor_tell(d, CHECKUP_BAD, "archive keys",
			    "Debian's are missing: apt-get install "
			    "debian-archive-keyring");
	if (mirror_find(NULL, d->c->stop, &m, &err) == 0) {
		char *shown = mirror_shown(m.main);
		doctor_tell(d, CHECKUP_FINE, "archive", "%s (not contacted)", shown);
		free(shown);
	} else {
		doctor_tell(d, CHECKUP_BAD, "archive", "%s", err.msg);
	}
	mirror_release(&m);
}

/* The deepest folder of path that exists. */
static char *existing_folder(const char *path)
{
	char *at = mem_strdup(path);

	while (!fs_exists(at)) {
		char *slash = strrchr(at, '/');
		if (slash == NULL || slash == at)
			break;
		*slash = '\0';
	}
	return at;
}

static void check_space(struct doctor *d, bool making)
{
	enum { ROOM_MB = 900 };
	char *cache = fs_cache_dir();
	char *at = existing_folder(cache);
	int64_t room = fs_free_bytes(at);

	if (access(at, W_OK) != 0)
		doctor_tell(d, CHECKUP_BAD, "cache",
			    "%s cannot be written (%s): set XDG_CACHE_HOME to a folder "
			    "that can",
			    cache, strerror(errno));
	else if (making && room >= 0 && room >> 20 < ROOM_MB)
		doctor_tell(d, CHECKUP_BAD, "cache",
			    "%lld MB are free in %s; making an installation needs about %d: make "
			    "room or "
			    "set XDG_CACHE_HOME",
			    (long long)(room >> 20), cache, ROOM_MB);
	else
		doctor_tell(d, CHECKUP_FINE, "cache", "%s, %lld MB free", cache,
			    (long long)(room / (1 << 20)));
	free(at);
	free(cache);
}

static void check_arch(struct doctor *d, const char *what, const char *arch, const char *sample)
{
	struct emulate_host host;
	struct emulation e;
	struct err err = ERR_INIT;

	emulate_host_init(&host);
	if (emulate_find(&host, arch, sample, NULL, &e, &err) != 0) {
		doctor_tell(d, CHECKUP_BAD, what, "%s", err.msg);
		return;
	}
	char *text = emulation_text(&e);
	if (e.emulated)
		doctor_tell(d, CHECKUP_FINE, what, "%s programs run emulated: %s (%s)", arch, text,
			    e.reason);
	else
		doctor_tell(d, CHECKUP_FINE, what, "%s programs run natively", arch);
	free(text);
	emulation_release(&e);
}

/* Without services of ours only what runs there already is measured, by its client. */
static void tell_running(struct doctor *d, const struct stack_programs *p, const char *target)
{
	if (p->mariadb == NULL)
		doctor_tell(d, CHECKUP_NOTE, target,
			    "workload mariadb is not possible; missing: the client (package "
			    "mariadb-client-core)");
	else
		doctor_tell(d, CHECKUP_FINE, target,
			    "%s: a server that runs there can be measured (mariadb.server=running)",
			    p->mariadb);
	doctor_tell(d, CHECKUP_FINE, target,
		    "a site that runs there can be measured (wordpress.url=http://...)");
}

static void tell_stack(struct doctor *d, const struct stack_programs *p, const char *target)
{
	static const char *const names[] = {"mariadb", "wordpress"};
	bool all = true;

	for (int web = 0; web < 2; web++) {
		char *reason = NULL;
		if (!stack_supported(p, web == 1, &reason)) {
			all = false;
			doctor_tell(d, CHECKUP_BAD, target, "workload %s is not possible; %s",
				    names[web], reason);
		}
		free(reason);
	}
	if (all)
		doctor_tell(d, CHECKUP_FINE, target, "mariadb %s, apache %s, php %s, wordpress %s",
			    p->mariadb_version == NULL ? "?" : p->mariadb_version,
			    p->apache_version == NULL ? "?" : p->apache_version,
			    p->php_version == NULL ? "?" : p->php_version,
			    p->wordpress_version == NULL ? "none of its own"
							 : p->wordpress_version);
}

/* Looks for the programs of each workload in a system that can be opened. */
static int check_programs(struct doctor *d, struct system *s, const char *target, struct err *err)
{
	struct stack_programs p;
	int rc = stack_find_programs(s, &p, err);

	if (rc != 0)
		return rc;
	if (p.openssl == NULL)
		doctor_tell(d, CHECKUP_BAD, target,
			    "workload openssl is not possible; missing: OpenSSL's program (package "
			    "openssl)");
	else
		doctor_tell(d, CHECKUP_FINE, target, "openssl %s",
			    p.openssl_version == NULL ? "(version unknown)" : p.openssl_version);
	if (s->kind->no_services)
		tell_running(d, &p, target);
	else
		tell_stack(d, &p, target);
	stack_programs_release(&p);
	return 0;
}

static int check_system(struct doctor *d, struct system *s, const char *target, struct err *err)
{
	char *by = system_emulated_by(s);

	if (by != NULL)
		doctor_tell(d, CHECKUP_FINE, target,
			    "reached, a folder was made there; %s programs, emulated by %s",
			    s->arch == NULL ? "its" : s->arch, by);
	else
		doctor_tell(d, CHECKUP_FINE, target, "reached, a folder was made there%s%s%s",
			    s->arch == NULL ? "" : "; ", s->arch == NULL ? "" : s->arch,
			    s->arch == NULL ? "" : " programs, native");
	free(by);
	int rc = check_programs(d, s, target, err);

	/* this machine was looked at already */
	return rc == 0 && s->root_host == NULL ? doctor_look(d, s, err) : rc;
}

static int open_and_check(struct doctor *d, const char *target, struct err *err)
{
	struct err why = ERR_INIT;
	struct opened o;
	int rc = opened_open(&o, d->c, target, &why);

	if (rc == 0) {
		rc = check_system(d, o.system, target, &why);
		opened_close(&o);
	}
	if (rc == ERR_INTERRUPTED)
		return err_code(err, ERR_INTERRUPTED, "interrupted");
	if (rc != 0) /* what is wrong with one target is no reason not to look at the others */
		doctor_tell(d, CHECKUP_BAD, target, "%s", why.msg);
	return 0;
}

/* The machine under all targets but those that are reached elsewhere. */
static int check_here(struct doctor *d, struct err *err)
{
	struct err why = ERR_INIT;
	struct opened o;
	int rc = opened_open(&o, d->c, "local", &why);

	if (rc == 0) {
		rc = doctor_look(d, o.system, &why);
		opened_close(&o);
	}
	if (rc == ERR_INTERRUPTED)
		return err_code(err, ERR_INTERRUPTED, "interrupted");
	if (rc != 0)
		doctor_tell(d, CHECKUP_BAD, "this machine", "%s", why.msg);
	return 0;
}

/* 1: prepared, 0: it is not, negative: no such target. */
static int is_prepared(const char *target, struct rootfs_info *asked, struct err *err)
{
	struct rootfs_options o = {0};
	struct rootfs_list l;

	int rc = debian_parse(target, asked, err);
	if (rc == 0)
		rc = rootfs_list(&o, &l, err);
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < l.infos.n; i++) {
		if (text_equal(l.infos.v[i].target, target))
			rc = 1;
	}
	rootfs_list_release(&l);
	return rc;
}

static bool is_known_suite(const char *suite)
{
	static const char *const known[] = {"bullseye", "bookworm", "trixie",   "forky",
					    "sid",      "stable",   "unstable", "testing"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (text_equal(known[i], suite))
			return true;
	}
	return false;
}

static int check_target(struct doctor *d, const char *target, struct err *err)
{
	const struct system_kind *k = system_kind_of(target, err);
	struct rootfs_info asked = {0};

	if (k == NULL)
		return ERR_USAGE;
	if (strcmp(k->scheme, "debian") != 0)
		return open_and_check(d, target, err);
	int rc = is_prepared(target, &asked, err);
	if (rc == 1) {
		rc = open_and_check(d, target, err);
	} else if (rc == 0) {
		bool known = is_known_suite(asked.suite);
		doctor_tell(
			d, known ? CHECKUP_FINE : CHECKUP_NOTE, target,
			"not prepared yet: the first run makes it (or lampduel rootfs add %s)%s",
			target,
			known ? ""
			      : "; no release of Debian that lampduel knows has this name, the "
				"archive will tell");
		check_arch(d, target, asked.arch, NULL);
	}
	rootfs_info_release(&asked);
	return rc;
}

/* What the targets need: this machine, a sandbox, the tools that make installations. */
static int look_ahead(const struct strvec *targets, bool *here, bool *sandbox, bool *making,
		      struct err *err)
{
	*here = *sandbox = *making = targets->n == 0;
	for (size_t i = 0; i < targets->n; i++) {
		const struct system_kind *k = system_kind_of(targets->v[i], err);
		struct rootfs_info asked = {0};

		if (k == NULL || (k->check != NULL && k->check(targets->v[i], err) != 0))
			return ERR_USAGE;
		bool debian = strcmp(k->scheme, "debian") == 0;
		*sandbox = *sandbox || k->in_sandbox;
		*here = *here || k->in_sandbox || strcmp(k->scheme, "local") == 0;
		*making = *making || (debian && is_prepared(targets->v[i], &asked, err) == 0);
		rootfs_info_release(&asked);
	}
	return 0;
}

static int look_at_all(struct doctor *d, const struct strvec *targets, struct err *err)
{
	bool here = false;
	bool sandbox = false;
	bool making = false;
	int rc = look_ahead(targets, &here, &sandbox, &making, err);

	if (rc != 0)
		return rc;
	check_launcher(d);
	if (sandbox)
		check_sandbox(d);
	if (making)
		check_making(d);
	check_space(d, making);
	if (here)
		rc = check_here(d, err);
	if (targets->n == 0) {
		check_arch(d, "debian:bookworm/armel", "armel", NULL);
		check_arch(d, "debian:bookworm/armhf", "armhf", NULL);
	}
	for (size_t i = 0; rc == 0 && i < targets->n; i++)
		rc = check_target(d, targets->v[i], err);
	return rc;
}

static int run(struct cmd_context *c, void *options, struct strvec *argv, struct err *err)
{
	const struct doctor_options *o = options;
	struct doctor d = {.c = c};
	int rc = 0;

	if (o->noise && argv->n > 1)
		return err_code(err, ERR_USAGE, "--noise: one target at a time");
	if (o->noise)
		rc = doctor_noise(&d, argv->n == 0 ? "local" : argv->v[0], o->seconds, err);
	else
		rc = look_at_all(&d, argv, err);
	if (rc != 0)
		return rc;
	return d.bad > 0 ? EXIT_ERROR : 0;
}

static const struct option_row rows[] = {
	{.name = "noise",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct doctor_options, noise),
	 .help = "measure one short task of TARGET (otherwise local) against itself and say which "
		 "differences 15 rounds could show there"},
	{.name = "time",
	 .type = OPT_DURATION,
	 .offset = offsetof(struct doctor_options, seconds),
	 .arg = "TIME",
	 .fallback = "60s",
	 .help = "how long --noise measures"},
	{.name = NULL},
};

const struct command cmd_doctor = {
	.name = "doctor",
	.arguments = "[options] [TARGET...]",
	.summary = "say what is missing for measuring here, what is noisy, and what to do",
	.details =
		"Each line begins with fine, note (figures will be worse for it), bad (something\n"
		"cannot be measured like this) or unknown, then says what to do. Without a target\n"
		"this machine and the two ports of the reference case are looked at. "
		"Nothing\n"
		"is downloaded, and no network is used but for ssh: targets. Exit status 1 when\n"
		"anything is bad.\n",
	.more_help = help_targets,
	.options = rows,
	.options_size = sizeof(struct doctor_options),
	.run = run,
};
