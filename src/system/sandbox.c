#include "system/sandbox.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/text.h"
#include "system/guard.h"

#define INSIDE_RUN "/run/lampduel"
#define INSIDE_BIN "/run/lampduel-bin"
#define INSIDE_LAUNCHER INSIDE_BIN "/lampduel-launcher"
#define INSIDE_EMULATOR INSIDE_BIN "/emulator"

struct sandbox {
	struct launched launched; /* first: launched_exec() and its kin see only this */
	char *inner;              /* fallback: our folder inside the root; NULL: bubblewrap */
	void *kind_data;
	void (*kind_release)(void *kind_data);
};

static void push3(struct strvec *v, const char *a, const char *b, const char *c)
{
	strvec_push(v, a);
	strvec_push(v, b);
	strvec_push(v, c);
}

/* Folders every program expects; they are ours, so that the root needs no mount points. */
static bool is_ours(const char *name)
{
	static const char *const names[] = {"dev", "proc", "sys", "run", "tmp"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/*
 * The root's first level, entry by entry, on an empty root of bubblewrap's own: nothing has to be
 * created in the user's folder, not even a mount point.
 */
static int add_root(struct strvec *v, const char *root, struct err *err)
{
	struct strvec names = STRVEC_INIT;
	int rc = fs_list(root[0] == '\0' ? "/" : root, &names, err);

	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		char *path = mem_printf("%s/%s", root, names.v[i]);
		char *inside = mem_printf("/%s", names.v[i]);
		char target[PATH_MAX];
		struct stat st;

		if (is_ours(names.v[i]) || lstat(path, &st) != 0) {
			/* skipped */
		} else if (S_ISLNK(st.st_mode)) {
			ssize_t n = readlink(path, target, sizeof(target) - 1);

			if (n > 0) {
				target[n] = '\0';
				push3(v, "--symlink", target, inside);
			}
		} else if (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)) {
			push3(v, "--ro-bind", path, inside);
		}
		free(path);
		free(inside);
	}
	strvec_release(&names);
	return rc;
}

/* Below a read-only /var, old installations keep real folders that programs write to. */
static void add_writable(struct strvec *v, const char *root, const char *inside,
			 struct strvec *shared)
{
	char *path = mem_printf("%s%s", root, inside);
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		strvec_push(v, "--tmpfs");
		strvec_push(v, inside);
		strvec_push(shared, "--shared-dir");
		strvec_push(shared, inside);
	}
	free(path);
}

/* As root everything is kept that a server needs to become another user, and nothing more. */
static void add_capabilities(struct strvec *v)
{
	static const char *const kept[] = {
		"CAP_CHOWN",    "CAP_DAC_OVERRIDE",     "CAP_FOWNER",       "CAP_FSETID",
		"CAP_KILL",     "CAP_SETGID",           "CAP_SETUID",       "CAP_SETPCAP",
		"CAP_SYS_NICE", "CAP_NET_BIND_SERVICE", "CAP_SYS_RESOURCE",
	};

	if (geteuid() != 0)
		return;
	strvec_push(v, "--cap-drop");
	strvec_push(v, "ALL");
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		strvec_push(v, "--cap-add");
		strvec_push(v, kept[i]);
	}
}

static int bwrap_argv(const struct system *s, const struct system_options *o,
		      const struct sandbox_options *so, const char *bwrap, const char *launcher,
		      struct strvec *v, struct err *err)
{
	struct strvec shared = STRVEC_INIT;

	strvec_push(v, bwrap);
	strvec_push(v, "--unshare-pid");
	strvec_push(v, "--unshare-ipc");
	strvec_push(v, "--die-with-parent");
	strvec_push(v, "--new-session");
	strvec_push(v, "--as-pid-1");
	add_capabilities(v);
	int rc = add_root(v, s->root_host, err);
	push3(v, "--dev", "/dev", "--proc");
	push3(v, "/proc", "--tmpfs", "/tmp");
	push3(v, "--tmpfs", "/run", "--dir");
	strvec_push(v, "/run/lock");
	if (fs_is_dir("/sys"))
		push3(v, "--ro-bind", "/sys", "/sys");
	push3(&shared, "--shared-dir", "/tmp", "--shared-dir");
	push3(&shared, "/run/lock", "--shared-dir", "/dev/shm");
	add_writable(v, s->root_host, "/var/tmp", &shared);
	add_writable(v, s->root_host, "/var/run", &shared);
	add_writable(v, s->root_host, "/var/lock", &shared);
	push3(v, "--bind", o->run_dir, INSIDE_RUN);
	push3(v, "--ro-bind", launcher, INSIDE_LAUNCHER);
	if (so->emulator != NULL)
		push3(v, "--ro-bind", so->emulator, INSIDE_EMULATOR);
	for (size_t i = 0; i < o->n_shares; i++)
		push3(v, "--ro-bind", o->shares[i].host_path, o->shares[i].inside_path);
	push3(v, "--chdir", INSIDE_RUN, "--");
	strvec_push(v, INSIDE_LAUNCHER);
	strvec_push_all(v, shared.v);
	strvec_release(&shared);
	return rc;
}

static void set_emulator(struct system *s, struct launched *d, const char *inside,
			 const struct sandbox_options *so)
{
	if (so->emulator == NULL)
		return;
	s->emulated = true;
	strvec_push(&d->emulator, inside);
	if (so->emulator_cpu != NULL) {
		strvec_push(&d->emulator, "-cpu");
		strvec_push(&d->emulator, so->emulator_cpu);
		mem_replace(&s->emulated_cpu, mem_strdup(so->emulator_cpu));
	}
}

static int start(struct system *s, const struct system_options *o, const struct strvec *argv,
		 const char *what, struct err *err)
{
	struct launched *d = s->impl;
	struct launch_options lo = {
		.argv = argv, .run_id = o->run_id, .what = what, .stop = o->stop};

	d->launch = launch_start(&lo, err);
	return d->launch == NULL ? ERR_FAIL : launched_begin(s, err);
}

static int open_bubblewrap(struct system *s, const struct system_options *o,
			   const struct sandbox_options *so, const char *launcher, struct err *err)
{
	struct sandbox *b = s->impl;
	struct strvec argv = STRVEC_INIT;
	char *bwrap = proc_find("bwrap");
	int rc = 0;

	if (bwrap == NULL)
		rc = err_set(err,
			     "bubblewrap is not installed (on Debian: apt install bubblewrap)");
	if (rc == 0)
		rc = bwrap_argv(s, o, so, bwrap, launcher, &argv, err);
	if (rc == 0) {
		mem_replace(&s->run_dir_inside, mem_strdup(INSIDE_RUN));
		launched_init(&b->launched, s, o, s->root_host, LAUNCHED_PATH, "/tmp");
		set_emulator(s, &b->launched, INSIDE_EMULATOR, so);
		factset_set(&s->facts, "sandbox", "bubblewrap", "lampduel");
		rc = start(s, o, &argv, "the sandbox", err);
	}
	strvec_release(&argv);
	free(bwrap);
	return rc;
}

/* A new folder of ours inside the root, removed at close or by whoever cleans up after us. */
static char *make_inner(const char *root, const struct system_options *o, struct err *err)
{
	char *run = fs_resolve_in_root(root, "/run");
	char *inner = mem_printf("%s/lampduel-%s-XXXXXX",
				 run != NULL && fs_is_dir(run) ? run : root, o->run_id);

	free(run);
	if (mkdtemp(inner) == NULL || chmod(inner, 0755) != 0) {
		(void)err_errno(err, errno, "cannot create a folder in %s", root);
		mem_replace(&inner, NULL);
	} else if (guard_add_path(o->cache_dir, o->run_id, inner, err) != 0) {
		(void)rmdir(inner);
		mem_replace(&inner, NULL);
	}
	return inner;
}

enum { COPY_MAX = 128 << 20 };

/* Copies a file or folder of this machine to the new path to. */
static int copy_in(const char *from, const char *to, mode_t mode, struct err *err)
{
	struct buf b = BUF_INIT;

	if (fs_is_dir(from))
		return fs_copy_tree_in_root("", from, to, err);
	int rc = fs_read(from, COPY_MAX, &b, err);
	if (rc == 0)
		rc = fs_write_atomic(to, b.data, b.len, mode, err);
	buf_release(&b);
	return rc;
}

static int fill_inner(struct system *s, const struct system_options *o,
		      const struct sandbox_options *so, const char *inner, struct err *err)
{
	size_t root_len = strlen(s->root_host);
	char *run = fs_join(inner, "run");
	char *emulator = fs_join(inner, "emulator");
	int rc = fs_mkdirs(run, 0755, err);

	if (rc == 0 && so->emulator != NULL)
		rc = copy_in(so->emulator, emulator, 0755, err);
	for (size_t i = 0; rc == 0 && i < o->n_shares; i++) {
		char *to = mem_printf("%s/share-%zu", inner, i);

		rc = copy_in(o->shares[i].host_path, to, 0644, err);
		mem_replace(&s->share_inside[i], mem_strdup(to + root_len));
		free(to);
	}
	if (rc == 0) {
		struct sandbox *b = s->impl;
		struct system_options here = *o;

		here.run_dir = run;
		mem_replace(&s->run_dir_inside, mem_strdup(run + root_len));
		launched_init(&b->launched, s, &here, s->root_host, LAUNCHED_PATH,
			      s->run_dir_inside);
		set_emulator(s, &b->launched, emulator + root_len, so);
	}
	free(run);
	free(emulator);
	return rc;
}

static int open_chroot(struct system *s, const struct system_options *o,
		       const struct sandbox_options *so, const char *launcher, const char *why,
		       struct err *err)
{
	struct sandbox *b = s->impl;
	struct strvec argv = STRVEC_INIT;
	char *text = mem_printf("chroot (%s)", why);

	factset_set(&s->facts, "sandbox", text, "lampduel");
	free(text);
	b->inner = make_inner(s->root_host, o, err);
	int rc = b->inner == NULL ? ERR_FAIL : fill_inner(s, o, so, b->inner, err);
	if (rc == 0) {
		push3(&argv, launcher, "--chroot", s->root_host[0] == '\0' ? "/" : s->root_host);
		rc = start(s, o, &argv, "the chroot", err);
	}
	strvec_release(&argv);
	return rc;
}

static void impl_free(struct sandbox *b)
{
	launched_release(&b->launched);
	if (b->inner != NULL)
		(void)fs_remove_tree(b->inner, NULL);
	free(b->inner);
	if (b->kind_release != NULL)
		b->kind_release(b->kind_data);
	free(b);
}

/* Bubblewrap failed with *err: is it the machine (then why), or this root alone (then NULL)? */
static char *machine_refuses(void)
{
	struct sandbox_probe p;
	char *why = NULL;

	sandbox_probe(&p);
	if (!p.bubblewrap)
		why = mem_strdup(p.why_not);
	sandbox_probe_release(&p);
	return why;
}

static int open_either(struct system *s, const struct system_options *o,
		       const struct sandbox_options *so, const char *launcher, struct err *err)
{
	struct sandbox *b = s->impl;
	char *why = NULL;
	int rc = 0;

	if (so->no_bubblewrap) {
		why = mem_strdup("asked for");
	} else {
		rc = open_bubblewrap(s, o, so, launcher, err);
		if (rc == 0 || (o->stop != NULL && *o->stop != 0))
			return rc;
		why = machine_refuses();
		if (why == NULL)
			return rc;
		launched_release(&b->launched);
		b->launched = (struct launched){0};
	}
	if (geteuid() != 0) {
		rc = err_set(err, "%s", why);
	} else if (so->users_own) {
		rc = err_set(err,
			     "%s; without it lampduel would have to write in %s, which is not its "
			     "own: measure a copy made with `lampduel rootfs`, or let it use "
			     "bubblewrap",
			     why, so->root);
	} else {
		err_clear(err);
		rc = open_chroot(s, o, so, launcher, why, err);
	}
	free(why);
	return rc;
}

int sandbox_open(struct system *s, const struct system_options *o, const struct sandbox_options *so,
		 struct err *err)
{
	struct sandbox *b = mem_alloc(sizeof(*b));
	char *launcher = fs_helper_program("lampduel-launcher");
	int rc = 0;

	b->kind_data = so->kind_data;
	b->kind_release = so->kind_release;
	s->impl = b;
	s->is_rootfs = true;
	mem_replace(&s->root_host, realpath(so->root, NULL));
	if (s->root_host == NULL || !fs_is_dir(s->root_host))
		rc = err_set(err, "no folder %s", so->root);
	else if (launcher == NULL)
		rc = err_set(err, "lampduel-launcher is missing beside lampduel; install it again");
	if (rc == 0 && strcmp(s->root_host, "/") == 0)
		s->root_host[0] =
			'\0'; /* so that root and a path inside simply follow each other */
	if (rc == 0)
		rc = open_either(s, o, so, launcher, err);
	if (s->root_host != NULL && s->root_host[0] == '\0')
		mem_replace(&s->root_host, mem_strdup("/"));
	free(launcher);
	if (rc != 0) {
		impl_free(b);
		s->impl = NULL;
	}
	return rc;
}

void sandbox_close(struct system *s)
{
	impl_free(s->impl);
	s->impl = NULL;
}

void *sandbox_kind_data(const struct system *s)
{
	const struct sandbox *b = s->impl;

	return b->kind_data;
}
