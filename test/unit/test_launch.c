/* The launcher and lampduel's side of it, by the target local and real small programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/text.h"
#include "launcher/protocol.h"
#include "system/launch.h"
#include "system/launched.h"
#include "system/placement.h"
#include "system/system.h"

static volatile int stop_flag;

struct fixture {
	char dir[64];
	struct clock clock;
	struct system *s;
};

static int open_local(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err err = ERR_INIT;

	stop_flag = 0;
	strcpy(f->dir, "/tmp/lampduel test.XXXXXX"); /* a blank on purpose */
	assert_non_null(mkdtemp(f->dir));
	clock_init_real(&f->clock);
	struct system_options o = {.name = "here",
				   .target = "local",
				   .run_id = "test-run",
				   .run_dir = f->dir,
				   .clock = &f->clock,
				   .stop = &stop_flag};
	f->s = system_open(&o, &err);
	if (f->s == NULL)
		fail_msg("%s", err.msg);
	*state = f;
	return 0;
}

static int close_local(void **state)
{
	struct fixture *f = *state;
	struct strvec names = STRVEC_INIT;

	system_close(f->s);
	assert_int_equal(fs_list(f->dir, &names, NULL), 0);
	assert_int_equal(names.n, 0);
	assert_int_equal(rmdir(f->dir), 0);
	/* nothing is left to be reaped */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	strvec_release(&names);
	free(f);
	return 0;
}

static const struct step step = {.name = "test", .attempt = 1};

static int run(struct fixture *f, const char *const *argv, struct exec_request q,
	       struct outcome *out, struct err *err)
{
	struct strvec v = STRVEC_INIT;

	for (; *argv != NULL; argv++)
		strvec_push(&v, *argv);
	q.argv = &v;
	if (q.timeout_ns == 0)
		q.timeout_ns = 20 * NS_PER_S;
	int rc = system_exec(f->s, &step, &q, out, err);
	strvec_release(&v);
	return rc;
}

#define ARGV(...) ((const char *const[]){__VA_ARGS__, NULL})
#define SH(script) ARGV("sh", "-c", script)

static void test_run(void **state)
{
	struct fixture *f = *state;
	struct outcome out;
	struct err err = ERR_INIT;

	assert_int_equal(run(f, ARGV("true"), (struct exec_request){0}, &out, &err), 0);
	assert_int_equal(out.status, OUTCOME_OK);
	assert_true(out.end_ns > out.start_ns);
	assert_true(out.end_ns - out.start_ns < 10 * NS_PER_S);
	assert_true(out.maxrss_bytes > 0 && out.maxrss_bytes < 16 << 20);
	outcome_release(&out);

	assert_int_equal(run(f, SH("echo out; echo one >&2; echo two >&2; exit 3"),
			     (struct exec_request){0}, &out, &err),
			 0);
	assert_int_equal(out.status, OUTCOME_FAILED);
	assert_int_equal(out.exit_code, 3);
	assert_string_equal(out.reason, "sh ended with exit status 3: two");
	assert_string_equal(buf_str(&out.out), "out\n");
	assert_string_equal(buf_str(&out.err), "one\ntwo\n");
	outcome_release(&out);

	assert_int_equal(run(f, SH("kill -SEGV $$"), (struct exec_request){0}, &out, &err), 0);
	assert_int_equal(out.status, OUTCOME_FAILED);
	assert_int_equal(out.signal, SIGSEGV);
	outcome_release(&out);

	assert_int_equal(run(f, SH("sleep 0.3; i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"),
			     (struct exec_request){0}, &out, &err),
			 0);
	assert_true(out.end_ns - out.start_ns > 300 * NS_PER_MS);
	assert_true(out.user_ns + out.sys_ns > 5 * NS_PER_MS);
	assert_true(out.user_ns < out.end_ns - out.start_ns - 250 * NS_PER_MS);
	outcome_release(&out);
}

static void test_environment(void **state)
{
	struct fixture *f = *state;
	struct outcome out;
	struct err err = ERR_INIT;
	struct strvec env = STRVEC_INIT;

	assert_int_equal(setenv("LD_DEBUG", "all", 1), 0);
	strvec_push(&env, "HOME=/elsewhere");
	strvec_push(&env, "MINE=a b");
	assert_int_equal(run(f,
			     SH("echo \"$HOME|$MINE|$LAMPDUEL_RUN|$LD_DEBUG|$LC_ALL\"; pwd; "
				"grep -E 'Sig(Blk|Ign)' /proc/self/status; cat"),
			     (struct exec_request){.env = &env, .input = "in\0put", .input_len = 6},
			     &out, &err),
			 0);
	char *expected = mem_printf("/elsewhere|a b|test-run||C\n%s\n"
				    "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nin",
				    f->dir);
	assert_string_equal(buf_str(&out.out), expected);
	assert_int_equal(out.out.len, strlen(expected) + 4);
	assert_memory_equal(out.out.data + out.out.len - 6, "in\0put", 6);
	free(expected);
	unsetenv("LD_DEBUG");
	strvec_release(&env);
	outcome_release(&out);
}

static void expect_failure(struct fixture *f, const char *const *argv, const char *cwd,
			   const char *reason)
{
	struct outcome out;
	struct err err = ERR_INIT;

	assert_int_equal(run(f, argv, (struct exec_request){.cwd = cwd}, &out, &err), 0);
	assert_int_equal(out.status, OUTCOME_FAILED);
	assert_int_equal(out.exit_code, 127);
	assert_string_equal(out.reason, reason);
	outcome_release(&out);
}

static void test_cannot_run(void **state)
{
	struct fixture *f = *state;
	char *foreign = fs_join(f->dir, "foreign");
	char *plain = fs_join(f->dir, "plain");
	char *reason = NULL;

	assert_int_equal(fs_write_atomic(foreign, "\177ELFnothing", 11, 0755, NULL), 0);
	assert_int_equal(fs_write_atomic(plain, "text", 4, 0644, NULL), 0);
	expect_failure(f, ARGV("no-such-program"), NULL,
		       "cannot run no-such-program: no such program in this installation");
	expect_failure(
		f, ARGV("/no/such\nprogram"), NULL,
		"cannot run /no/such\\nprogram: no such program in this installation, or its "
		"loader is missing");
	expect_failure(f, ARGV("./here"), NULL,
		       "cannot run ./here: give its full path, or its name alone");
	reason = mem_printf("cannot run %s: no program that this processor can run (built for "
			    "another architecture?)",
			    foreign);
	expect_failure(f, ARGV(foreign), NULL, reason);
	free(reason);
	reason = mem_printf("cannot run %s: not allowed to run it (is it executable?)", plain);
	expect_failure(f, ARGV(plain), NULL, reason);
	free(reason);
	expect_failure(f, ARGV("true"), "/no/folder",
		       "cannot enter folder /no/folder: No such file or directory");
	free(foreign);
	free(plain);
}

/* Whoever adopts an orphan may take its time to reap it. */
static bool is_gone(pid_t pid)
{
	for (int i = 0; i < 100; i++) {
		char *path = mem_printf("/proc/%d/stat", (int)pid);
		struct buf b = BUF_INIT;
		bool gone =
			fs_read(path, 4096, &b, NULL) != 0 || strstr(buf_str(&b), ") Z") != NULL;

		free(path);
		buf_release(&b);
		if (gone)
			return true;
		(void)usleep(20000);
	}
	return false;
}

static void test_timeout(void **state)
{
	struct fixture *f = *state;
	struct outcome out;
	struct err err = ERR_INIT;
	int64_t before = clock_mono_ns();

	/* the background process left the group, holds the pipe and ignores what it can */
	assert_int_equal(run(f, SH("trap '' TERM; setsid sleep 60 & echo $!; sleep 60"),
			     (struct exec_request){.timeout_ns = 300 * NS_PER_MS}, &out, &err),
			 0);
	assert_int_equal(out.status, OUTCOME_TIMEOUT);
	assert_string_equal(out.reason, "sh did not end within 0.3 s and was ended");
	assert_true(clock_mono_ns() - before < 15 * NS_PER_S);
	assert_true(out.end_ns - out.start_ns >= 300 * NS_PER_MS);
	pid_t pid = (pid_t)atoi(buf_str(&out.out));
	assert_true(pid > 1);
	assert_true(is_gone(pid));
	outcome_release(&out);
}

static void test_enough(void **state)
{
	struct fixture *f = *state;
	struct outcome out;
	struct err err = ERR_INIT;
	int64_t before = clock_mono_ns();

	/* in two pieces, so that it is found across the border of two reads */
	assert_int_equal(
		run(f,
		    SH("echo one >&2; printf 'that is en' >&2; sleep 0.2; echo ough >&2; sleep 60"),
		    (struct exec_request){.enough = "is enough"}, &out, &err),
		0);
	assert_int_equal(out.status, OUTCOME_OK);
	assert_int_equal(out.exit_code, 0);
	assert_int_equal(out.signal, 0);
	/* the shell may have time to say that its sleep was killed */
	assert_true(text_starts(buf_str(&out.err), "one\nthat is enough\n"));
	assert_true(clock_mono_ns() - before < 15 * NS_PER_S);
	outcome_release(&out);
	/* never said: it ends by itself, and how it ends counts */
	assert_int_equal(run(f, SH("echo not yet >&2; exit 4"),
			     (struct exec_request){.enough = "is enough"}, &out, &err),
			 0);
	assert_int_equal(out.status, OUTCOME_FAILED);
	assert_int_equal(out.exit_code, 4);
	outcome_release(&out);
}

static void test_endless_output(void **state)
{
	struct fixture *f = *state;
	struct outcome out;
	struct err err = ERR_INIT;

	assert_int_equal(
		run(f, SH("yes; true"),
		    (struct exec_request){.timeout_ns = 400 * NS_PER_MS, .output_max = 100000},
		    &out, &err),
		0);
	assert_int_equal(out.status, OUTCOME_TIMEOUT);
	assert_int_equal(out.out.len, 100000);
	assert_true(out.truncated);
	outcome_release(&out);

	/* and what was discarded does not make the next child look big */
	assert_int_equal(run(f, SH("head -c 30000000 /dev/zero"),
			     (struct exec_request){.output_max = 40000000}, &out, &err),
			 0);
	assert_int_equal(out.status, OUTCOME_OK);
	assert_int_equal(out.out.len, 30000000);
	assert_false(out.truncated);
	outcome_release(&out);
	char *big = calloc(1, 20 << 20);
	assert_int_equal(run(f, ARGV("true"),
			     (struct exec_request){.input = big, .input_len = 20 << 20}, &out,
			     &err),
			 0);
	assert_true(out.maxrss_bytes < 8 << 20);
	outcome_release(&out);
	assert_int_equal(run(f, ARGV("true"), (struct exec_request){0}, &out, &err), 0);
	assert_true(out.maxrss_bytes < 8 << 20);
	outcome_release(&out);
	free(big);

	assert_int_equal(run(f, SH("echo gone; echo kept >&2"),
			     (struct exec_request){.discard_output = true}, &out, &err),
			 0);
	assert_int_equal(out.status, OUTCOME_OK);
	assert_int_equal(out.out.len, 0);
	assert_string_equal(buf_str(&out.err), "kept\n");
	outcome_release(&out);
}

static int spawn(struct fixture *f, const char *script, const char *log, struct err *err)
{
	struct strvec v = STRVEC_INIT;
	int id = 0;

	strvec_push(&v, "sh");
	strvec_push(&v, "-c");
	strvec_push(&v, script);
	struct exec_request q = {.argv = &v};
	int rc = system_spawn(f->s, &step, &q, log, &id, err);
	strvec_release(&v);
	return rc == 0 ? id : rc;
}

/* The first line of a file inside, waited for. */
static int wait_number(struct fixture *f, const char *path)
{
	struct buf b = BUF_INIT;
	int n = 0;

	for (int i = 0; i < 200 && n == 0; i++) {
		buf_clear(&b);
		if (system_get(f->s, &step, path, 4096, &b, NULL) == 0)
			n = atoi(buf_str(&b));
		if (n == 0)
			(void)usleep(20000);
	}
	buf_release(&b);
	return n;
}

static void test_held_pipe(void **state)
{
	struct fixture *f = *state;
	struct outcome out;
	struct err err = ERR_INIT;
	int64_t before = clock_mono_ns();

	/* a service's orphan stays, the run's own do not */
	char *log = fs_join(f->dir, "log");
	int id = spawn(f, "sh -c 'setsid sleep 60 & echo $!'; sleep 60; true", log, &err);
	pid_t kept = wait_number(f, log);
	(void)usleep(50000);
	assert_int_equal(run(f, SH("sleep 30 & setsid sleep 31 & echo $!; sleep 0.1"),
			     (struct exec_request){0}, &out, &err),
			 0);
	assert_int_equal(out.status, OUTCOME_OK);
	assert_true(clock_mono_ns() - before < 15 * NS_PER_S);
	assert_true(is_gone((pid_t)atoi(buf_str(&out.out))));
	assert_int_equal(kill(kept, 0), 0);
	outcome_release(&out);
	assert_int_equal(system_stop(f->s, &step, id, NS_PER_S, &err), 0);
	free(log);
}

static void test_service(void **state)
{
	struct fixture *f = *state;
	struct err err = ERR_INIT;
	const char *how = NULL;
	char *log = fs_join(f->dir, "service.log");

	int id = spawn(f, "sleep 60 & echo $!; wait", log, &err);
	assert_true(id > 0);
	assert_true(system_alive(f->s, id, &how));
	int child = wait_number(f, log);
	assert_true(child > 1);
	assert_int_equal(system_stop(f->s, &step, id, 5 * NS_PER_S, &err), 0);
	assert_true(is_gone(child)); /* its group went with it */
	assert_false(system_alive(f->s, id, &how));
	assert_string_equal(how, "no such service");

	id = spawn(f, "exit 4", log, &err);
	for (int i = 0; i < 100 && system_alive(f->s, id, &how); i++)
		(void)usleep(20000);
	assert_string_equal(how, "exit status 4");
	assert_int_equal(system_stop(f->s, &step, id, NS_PER_S, &err), 0);

	int64_t before = clock_mono_ns();
	id = spawn(f, "trap '' TERM; while :; do sleep 1; done", log, &err);
	(void)usleep(100000);
	assert_int_equal(system_stop(f->s, &step, id, 200 * NS_PER_MS, &err), 0);
	assert_true(clock_mono_ns() - before < 15 * NS_PER_S);
	assert_true(clock_mono_ns() - before > 200 * NS_PER_MS);

	assert_int_equal(spawn(f, "true", "/no/folder/log", &err), ERR_FAIL);
	assert_string_equal(err.msg, "cannot create log file /no/folder/log: No such file or "
				     "directory");
	assert_int_equal(system_stop(f->s, &step, 99, NS_PER_S, &err), ERR_FAIL);
	free(log);
}

static void test_files(void **state)
{
	struct fixture *f = *state;
	struct err err = ERR_INIT;
	struct buf b = BUF_INIT;
	char *path = fs_join(f->dir, "a/b/file");
	char *pipe_path = fs_join(f->dir, "pipe");

	assert_int_equal(system_put(f->s, &step, path, "x\0y", 3, &err), 0);
	assert_int_equal(system_get(f->s, &step, path, 3, &b, &err), 0);
	assert_int_equal(b.len, 3);
	assert_memory_equal(b.data, "x\0y", 3);
	assert_int_equal(system_get(f->s, &step, path, 2, &b, &err), ERR_FAIL);
	assert_non_null(strstr(err.msg, "is longer than 2 bytes"));
	assert_int_equal(system_get(f->s, &step, f->dir, 100, &b, &err), ERR_FAIL);
	assert_int_equal(mkfifo(pipe_path, 0600), 0);
	assert_int_equal(system_get(f->s, &step, pipe_path, 100, &b, &err), ERR_FAIL);
	assert_int_equal(system_put(f->s, &step, "/proc/none/x", "", 0, &err), ERR_FAIL);
	buf_clear(&b);
	assert_int_equal(system_get(f->s, &step, "/proc/self/status", 100000, &b, &err), 0);
	assert_non_null(strstr(buf_str(&b), "lampduel-launch"));
	buf_release(&b);
	free(path);
	free(pipe_path);
}

static void test_place(void **state)
{
	struct fixture *f = *state;
	struct err err = ERR_INIT;
	struct outcome out;
	char *log = fs_join(f->dir, "log");
	char *status = NULL;
	struct buf b = BUF_INIT;

	int id = spawn(f, "sh -c 'echo $$; sleep 20; true'; true", log, &err);
	status = mem_printf("/proc/%d/status", wait_number(f, log));
	for (int p = PLACE_MEASURED; p >= PLACE_ALL; p--) {
		const char *text = f->s->placement_text[p];
		char *line = mem_printf("Cpus_allowed_list:\t%s\n", strchr(text, ' ') + 1);

		assert_int_equal(system_place(f->s, (enum placement)p, &err), 0);
		buf_clear(&b);
		assert_int_equal(system_get(f->s, &step, status, 100000, &b, &err), 0);
		assert_non_null(strstr(buf_str(&b), line)); /* the grandchild of a service */
		assert_int_equal(run(f, ARGV("cat", "/proc/self/status"), (struct exec_request){0},
				     &out, &err),
				 0);
		assert_non_null(strstr(buf_str(&out.out), line)); /* what is started later */
		outcome_release(&out);
		free(line);
		/* the launcher itself waits wherever there is a CPU, so that ends are timed at once
		 */
		line = mem_printf("Cpus_allowed_list:\t%s\n",
				  strchr(f->s->placement_text[PLACE_ALL], ' ') + 1);
		buf_clear(&b);
		assert_int_equal(system_get(f->s, &step, "/proc/self/status", 100000, &b, &err), 0);
		assert_non_null(strstr(buf_str(&b), line));
		free(line);
	}
	assert_int_equal(placement_client(&err), 0);
	placement_client_undo();
	buf_release(&b);
	free(log);
	free(status);
	assert_int_equal(system_stop(f->s, &step, id, NS_PER_S, &err), 0);
}

static void on_alarm(int sig)
{
	(void)sig;
	stop_flag = 1;
}

static void test_interrupt(void **state)
{
	struct fixture *f = *state;
	struct err err = ERR_INIT;
	struct outcome out;
	char *log = fs_join(f->dir, "log");
	int64_t before = clock_mono_ns();

	int id = spawn(f, "trap '' TERM; while :; do sleep 1; done", log, &err);
	assert_true(id > 0);
	(void)signal(SIGALRM, on_alarm);
	(void)alarm(1);
	assert_int_equal(run(f, ARGV("sleep", "50"),
			     (struct exec_request){.timeout_ns = 60 * NS_PER_S}, &out, &err),
			 ERR_INTERRUPTED);
	outcome_release(&out);
	assert_true(clock_mono_ns() - before < 10 * NS_PER_S);
	assert_int_equal(run(f, ARGV("true"), (struct exec_request){0}, &out, &err),
			 ERR_INTERRUPTED);
	outcome_release(&out);
	/* stopping goes on, in short */
	assert_int_equal(system_stop(f->s, &step, id, 60 * NS_PER_S, &err), 0);
	assert_true(clock_mono_ns() - before < 10 * NS_PER_S);
	free(log);
}

static void test_gone(void **state)
{
	struct fixture *f = *state;
	struct err err = ERR_INIT;
	struct outcome out;
	const struct launched *d = f->s->impl;
	const char *how = NULL;
	char *log = fs_join(f->dir, "log");

	assert_true(spawn(f, "echo $$; exec sleep 60", log, &err) > 0);
	int pid = wait_number(f, log);
	assert_int_equal(kill(launch_pid(d->launch), SIGKILL), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(run(f, ARGV("true"), (struct exec_request){0}, &out, &err),
				 ERR_GONE);
		assert_string_equal(err.msg, "the launcher ended unexpectedly, killed by signal 9");
		outcome_release(&out);
	}
	assert_false(system_alive(f->s, 1, &how));
	assert_string_equal(how, "the whole system ended");
	assert_true(is_gone(pid)); /* died with its parent */
	free(log);
}

/* Many requests of any kind leave no file descriptor behind. */
static void test_no_leak(void **state)
{
	struct fixture *f = *state;
	struct err err = ERR_INIT;
	struct outcome out;
	const struct launched *d = f->s->impl;
	char *fds = mem_printf("/proc/%d/fd", (int)launch_pid(d->launch));
	size_t counts[2];

	for (int turn = 0; turn < 2; turn++) {
		struct strvec names = STRVEC_INIT;

		for (int i = 0; i < 20; i++) {
			assert_int_equal(run(f, ARGV("true"),
					     (struct exec_request){.input = "x", .input_len = 1},
					     &out, &err),
					 0);
			outcome_release(&out);
			assert_int_equal(
				run(f, ARGV("/none"), (struct exec_request){0}, &out, &err), 0);
			outcome_release(&out);
		}
		assert_int_equal(fs_list(fds, &names, &err), 0);
		counts[turn] = names.n;
		strvec_release(&names);
	}
	assert_int_equal(counts[0], counts[1]);
	free(fds);
}

#define LOCAL_TEST(f) cmocka_unit_test_setup_teardown(f, open_local, close_local)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOCAL_TEST(test_run),        LOCAL_TEST(test_environment),
		LOCAL_TEST(test_cannot_run), LOCAL_TEST(test_timeout),
		LOCAL_TEST(test_enough),     LOCAL_TEST(test_endless_output),
		LOCAL_TEST(test_held_pipe),  LOCAL_TEST(test_service),
		LOCAL_TEST(test_files),      LOCAL_TEST(test_place),
		LOCAL_TEST(test_interrupt),  LOCAL_TEST(test_gone),
		LOCAL_TEST(test_no_leak),
	};

	return cmocka_run_group_tests_name("launch", tests, NULL, NULL);
}
