/* Sandboxes on this machine's own root: bubblewrap, and the fallback when we are root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/text.h"
#include "system/guard.h"
#include "system/sandbox.h"

static volatile int stop_flag;

static const struct system_kind kind = {.scheme = "test", SANDBOX_FUNCTIONS};

static const struct step step = {.name = "test", .attempt = 1};

/* Of this process alone: tests may run at the same time. */
static const char *run_id(void)
{
	static char id[64];

	(void)snprintf(id, sizeof(id), "test-run-%d", (int)getpid());
	return id;
}

struct fixture {
	char dir[64];
	struct guard *guard;
	char *run_dir, *share;
	struct clock clock;
	struct system *s;
	int released;
	bool users_own; /* the opening is to be refused */
};

static void on_release(void *data)
{
	(*(int *)data)++;
}

/* What is left of the fixture when the opening was refused. */
static void refused(struct fixture *f, const struct err *err)
{
	assert_non_null(strstr(err->msg, "which is not its own"));
	assert_null(strchr(err->msg, '\n'));
	assert_int_equal(f->released, 1);
	guard_end(f->guard);
	assert_int_equal(fs_remove_tree(f->dir, NULL), 0);
	free(f->s->share_asked[0]);
	free(f->s->root_host);
	factset_release(&f->s->facts);
	free(f->s);
	free(f->run_dir);
	free(f->share);
}

static void open_sandbox(struct fixture *f, const char *emulator, bool no_bubblewrap)
{
	struct err err = ERR_INIT;

	stop_flag = 0;
	strcpy(f->dir, "/tmp/lampduel test.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	f->guard = guard_new_run_dir(f->dir, run_id(), &err);
	assert_non_null(f->guard);
	f->run_dir = guard_system_dir(f->guard, "here", &err);
	assert_non_null(f->run_dir);
	f->share = mem_printf("%s/shared files", f->dir);
	assert_int_equal(mkdir(f->share, 0755), 0);
	char *file = fs_join(f->share, "file");
	assert_int_equal(fs_write_atomic(file, "shared", 6, 0644, &err), 0);
	free(file);
	clock_init_real(&f->clock);
	f->s = mem_alloc(sizeof(*f->s));
	f->s->kind = &kind;
	f->s->share_asked[0] = mem_strdup("/run/shared");
	struct system_options o = {.name = "here",
				   .run_id = run_id(),
				   .run_dir = f->run_dir,
				   .cache_dir = f->dir,
				   .clock = &f->clock,
				   .stop = &stop_flag,
				   .shares = {{f->share, "/run/shared"}},
				   .n_shares = 1};
	struct sandbox_options so = {.root = "/",
				     .emulator = emulator,
				     .emulator_cpu = emulator == NULL ? NULL : "max",
				     .kind_data = &f->released,
				     .kind_release = on_release,
				     .users_own = f->users_own,
				     .no_bubblewrap = no_bubblewrap};
	int rc = sandbox_open(f->s, &o, &so, &err);
	assert_int_equal(rc != 0, f->users_own);
	if (rc != 0) {
		refused(f, &err);
		return;
	}
	assert_ptr_equal(sandbox_kind_data(f->s), &f->released);
}

static void close_sandbox(struct fixture *f)
{
	struct strvec names = STRVEC_INIT;

	system_close(f->s);
	assert_int_equal(f->released, 1);
	assert_int_equal(fs_list(f->run_dir, &names, NULL), 0);
	assert_int_equal(names.n, 0);
	strvec_release(&names);
	guard_end(f->guard);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(fs_remove_tree(f->dir, NULL), 0);
	free(f->run_dir);
	free(f->share);
}

static void need_bubblewrap(void)
{
	struct sandbox_probe p;

	sandbox_probe(&p);
	bool works = p.bubblewrap;
	if (!works)
		print_message("skipped: %s\n", p.why_not);
	sandbox_probe_release(&p);
	if (!works)
		skip();
}

static int run(struct fixture *f, const char *script, struct outcome *out, struct err *err)
{
	struct strvec v = STRVEC_INIT;
	struct exec_request q = {.argv = &v, .timeout_ns = 20 * NS_PER_S};

	strvec_push(&v, "sh");
	strvec_push(&v, "-c");
	strvec_push(&v, script);
	int rc = system_exec(f->s, &step, &q, out, err);
	strvec_release(&v);
	return rc;
}

static void expect_output(struct fixture *f, const char *script, const char *expected)
{
	struct outcome out;
	struct err err = ERR_INIT;

	if (run(f, script, &out, &err) != 0)
		fail_msg("%s: %s", script, err.msg);
	if (out.status != OUTCOME_OK)
		fail_msg("%s: %s", script, out.reason);
	assert_string_equal(buf_str(&out.out), expected);
	outcome_release(&out);
}

static void test_bubblewrap(void **state)
{
	struct fixture f = {0};
	struct buf b = BUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	need_bubblewrap();
	open_sandbox(&f, NULL, false);
	assert_string_equal(factset_get(&f.s->facts, "sandbox"), "bubblewrap");
	assert_string_equal(f.s->root_host, "/");
	assert_true(f.s->is_rootfs);
	char *expected = mem_printf("/run/lampduel\n/run/lampduel /tmp %s\n", run_id());
	expect_output(&f, "pwd; echo $HOME $TMPDIR $LAMPDUEL_RUN", expected);
	free(expected);
	expect_output(&f, "cat /run/shared/file", "shared");
	assert_string_equal(system_share_inside(f.s, "/run/shared"), "/run/shared");
	/* the measured side can change nothing but what is its own */
	expect_output(&f, "touch /etc/x /usr/x /run/shared/x /var/x /sys/x 2>/dev/null; echo $?",
		      "1\n");
	expect_output(&f, "touch file /tmp/x /var/tmp/x /run/x /dev/shm/x /run/lock/x; echo $?",
		      "0\n");
	expect_output(&f, "stat -c %a /tmp /var/tmp /run/lock /dev/shm",
		      "1777\n1777\n1777\n1777\n");
	/* the shell itself counts: a pipe's members may be there already, or not yet */
	expect_output(&f, "cat /proc/1/comm; set -- /proc/[0-9]*; echo $#", "lampduel-launch\n2\n");
	expect_output(&f, "test -c /dev/null && test -c /dev/urandom && echo yes", "yes\n");
	assert_int_equal(system_put(f.s, &step, "/run/lampduel/a/b", "x", 1, &err), 0);
	char *host = mem_printf("%s/a/b", f.run_dir);
	assert_true(fs_exists(host));
	free(host);
	expect_output(&f, "echo in > /tmp/only-inside", "");
	assert_int_equal(system_get(f.s, &step, "/tmp/only-inside", 10, &b, &err), 0);
	assert_string_equal(buf_str(&b), "in\n");
	buf_release(&b);
	close_sandbox(&f);
}

static bool nothing_marked(void)
{
	/* guard_kill_marked() says how many it had to end */
	return guard_kill_marked(run_id()) == 0;
}

static void spawn_escapee(struct fixture *f)
{
	struct strvec v = STRVEC_INIT;
	struct exec_request q = {.argv = &v};
	struct err err = ERR_INIT;
	char *log = fs_join(f->s->run_dir_inside, "log");
	const char *how = NULL;
	int id = 0;

	strvec_push(&v, "sh");
	strvec_push(&v, "-c");
	strvec_push(&v, "setsid setsid sleep 100 & trap '' TERM HUP INT; wait; sleep 100");
	assert_int_equal(system_spawn(f->s, &step, &q, log, &id, &err), 0);
	(void)usleep(100000);
	assert_true(system_alive(f->s, id, &how));
	strvec_release(&v);
	free(log);
}

static void test_close_ends_all(void **state)
{
	struct fixture f = {0};

	(void)state;
	need_bubblewrap();
	open_sandbox(&f, NULL, false);
	spawn_escapee(&f);
	system_close(f.s);
	assert_true(nothing_marked());
	f.s = NULL;
	close_sandbox(&f);
}

static void test_killed(void **state)
{
	(void)state;
	need_bubblewrap();
	for (int who = 0; who < 2; who++) {
		struct fixture f = {0};
		struct err err = ERR_INIT;
		struct outcome out;

		open_sandbox(&f, NULL, false);
		spawn_escapee(&f);
		const struct launched *d = f.s->impl;
		pid_t pid = launch_pid(d->launch);
		if (who == 1) { /* the launcher itself, bubblewrap's child */
			char *path = mem_printf("/proc/%d/task/%d/children", (int)pid, (int)pid);
			struct buf b = BUF_INIT;

			assert_int_equal(fs_read(path, 100, &b, &err), 0);
			pid = (pid_t)atoi(buf_str(&b));
			assert_true(pid > 1);
			buf_release(&b);
			free(path);
		}
		assert_int_equal(kill(pid, SIGKILL), 0);
		int rc = 0;
		for (int i = 0; i < 100 && rc == 0; i++) { /* death takes a moment to arrive */
			rc = run(&f, "true", &out, &err);
			outcome_release(&out);
		}
		assert_int_equal(rc, ERR_GONE);
		assert_string_equal(
			err.msg, who == 0 ? "the sandbox ended unexpectedly, killed by signal 9"
					  : "the sandbox ended unexpectedly with exit status 137");
		outcome_release(&out);
		(void)usleep(100000);
		assert_true(nothing_marked());
		close_sandbox(&f);
	}
}

static void test_bad_share(void **state)
{
	struct fixture f = {0};
	struct err err = ERR_INIT;
	struct sandbox_options so = {
		.root = "/", .kind_data = &f.released, .kind_release = on_release};
	struct system_options o = {.name = "here",
				   .run_id = run_id(),
				   .run_dir = "/tmp/none",
				   .cache_dir = "/tmp",
				   .stop = &stop_flag};

	(void)state;
	need_bubblewrap();
	stop_flag = 0;
	f.s = mem_alloc(sizeof(*f.s));
	assert_true(sandbox_open(f.s, &o, &so, &err) < 0);
	assert_non_null(strstr(err.msg, "/tmp/none"));
	assert_int_equal(f.released, 1);
	err_clear(&err);
	so.root = "/no/such/root";
	assert_true(sandbox_open(f.s, &o, &so, &err) < 0);
	assert_string_equal(err.msg, "no folder /no/such/root");
	factset_release(&f.s->facts);
	free(f.s->run_dir_inside);
	free(f.s->root_host);
	free(f.s);
}

/* A shell as the emulator shows what an emulator is given. */
static void test_emulator(void **state)
{
	struct fixture f = {0};
	struct err err = ERR_INIT;
	char *fake = NULL;
	const char *text = "#!/bin/sh\nprintf '<%s>' \"$@\"\n";

	(void)state;
	need_bubblewrap();
	fake = mem_strdup("/tmp/lampduel-emulator.XXXXXX");
	int fd = mkstemp(fake);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fchmod(fd, 0755), 0);
	(void)close(fd);
	open_sandbox(&f, fake, false);
	assert_true(f.s->emulated);
	assert_string_equal(f.s->emulated_cpu, "max");
	assert_int_equal(
		system_put(f.s, &step, "/run/lampduel/script", "#! /bin/sh -e\n", 14, &err), 0);
	struct outcome out;
	char *real = fs_resolve_in_root("", "/bin/sh");
	char *expected = mem_printf("<-cpu><max><-0><sh><%s><-c><true>", real);
	assert_int_equal(run(&f, "true", &out, &err), 0);
	assert_string_equal(buf_str(&out.out), expected);
	outcome_release(&out);
	free(expected);
	free(real);
	close_sandbox(&f);
	(void)unlink(fake);
	free(fake);
}

/* An installation of the user's own is never written, and the fallback would have to. */
static void test_no_fallback(void **state)
{
	struct fixture f = {.users_own = true};

	(void)state;
	if (geteuid() != 0) {
		print_message("skipped: the fallback needs root\n");
		skip();
	}
	open_sandbox(&f, NULL, true);
}

static void test_fallback(void **state)
{
	struct fixture f = {0};

	(void)state;
	if (geteuid() != 0) {
		print_message("skipped: the fallback needs root\n");
		skip();
	}
	open_sandbox(&f, NULL, true);
	assert_true(text_starts(factset_get(&f.s->facts, "sandbox"), "chroot ("));
	assert_true(text_starts(f.s->run_dir_inside, "/run/lampduel-test-run-"));
	char *inner = mem_strdup(f.s->run_dir_inside);
	*strrchr(inner, '/') = '\0';
	char *script = mem_printf("cat %s/file; pwd", system_share_inside(f.s, "/run/shared"));
	char *expected = mem_printf("shared%s\n", f.s->run_dir_inside);
	expect_output(&f, script, expected);
	free(script);
	free(expected);
	spawn_escapee(&f);
	assert_true(fs_exists(inner));
	system_close(f.s);
	f.s = NULL;
	assert_false(fs_exists(inner));
	assert_true(nothing_marked());
	free(inner);
	close_sandbox(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bubblewrap), cmocka_unit_test(test_close_ends_all),
		cmocka_unit_test(test_killed),     cmocka_unit_test(test_bad_share),
		cmocka_unit_test(test_emulator),   cmocka_unit_test(test_no_fallback),
		cmocka_unit_test(test_fallback),
	};

	return cmocka_run_group_tests_name("sandbox", tests, NULL, NULL);
}
