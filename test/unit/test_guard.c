/* Run folders, the supervisor, the sweep and the measuring lock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/text.h"
#include "system/guard.h"
#include "system/sandbox.h"

struct fixture {
	char dir[64];
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/lampduel guard.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fs_remove_tree(f->dir, NULL), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	free(f);
	return 0;
}

/* Run ids of this process alone: tests may run at the same time. */
static const char *id_of(int n)
{
	static char ids[16][64];

	(void)snprintf(ids[n], sizeof(ids[n]), "guard-test-%d-%d", (int)getpid(), n);
	return ids[n];
}

static char *run_dir_of(const struct fixture *f, int n)
{
	return mem_printf("%s/run/%s", f->dir, id_of(n));
}

static pid_t start_marked(const char *run_id)
{
	char *mark = mem_printf("LAMPDUEL_RUN=%s", run_id);
	char *env[] = {"A=b", mark, NULL};
	char *argv[] = {"sleep", "100", NULL};
	pid_t pid = fork();

	if (pid == 0) {
		(void)execve("/bin/sleep", argv, env);
		_exit(127);
	}
	free(mark);
	(void)usleep(50000);
	return pid;
}

static int wait_status(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* Waits up to ms for a path to be gone. */
static bool goes(const char *path, int ms)
{
	for (int i = 0; i < ms / 10 && fs_exists(path); i++)
		(void)usleep(10000);
	return !fs_exists(path);
}

static void test_kill_marked(void **state)
{
	pid_t ours = start_marked(id_of(1));
	pid_t other = start_marked(id_of(12));

	(void)state;
	assert_int_equal(guard_kill_marked(id_of(1)), 1);
	assert_int_equal(WTERMSIG(wait_status(ours)), SIGKILL);
	assert_int_equal(waitpid(other, NULL, WNOHANG), 0);
	assert_int_equal(guard_kill_marked(id_of(12)), 1);
	assert_int_equal(WTERMSIG(wait_status(other)), SIGKILL);
	assert_int_equal(guard_kill_marked(id_of(12)), 0);
}

static void test_run_dir(void **state)
{
	struct fixture *f = *state;
	struct err err = ERR_INIT;
	char *id = guard_new_run_id();
	char *other_id = guard_new_run_id();
	char *elsewhere = fs_join(f->dir, "elsewhere");
	int swept = -1;

	assert_string_not_equal(id, other_id);
	assert_int_equal(strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(id));
	struct guard *g = guard_new_run_dir(f->dir, id, &err);
	assert_non_null(g);
	assert_true(fs_is_dir(guard_run_dir(g)));
	assert_null(guard_new_run_dir(f->dir, id, &err)); /* taken */
	char *dir = guard_system_dir(g, "soft", &err);
	assert_true(fs_is_dir(dir));
	assert_null(guard_system_dir(g, "../x", &err));
	assert_int_equal(mkdir(elsewhere, 0755), 0);
	assert_int_equal(guard_add_path(f->dir, id, elsewhere, &err), 0);
	assert_int_equal(guard_add_path(f->dir, "no-such-run", elsewhere, &err), 0);
	assert_int_equal(guard_sweep(f->dir, &swept, &err), 0); /* it lives */
	assert_int_equal(swept, 0);
	assert_true(fs_is_dir(dir));
	pid_t marked = start_marked(id);
	pid_t supervisor = guard_supervisor(g);
	guard_end(g);
	assert_int_equal(WTERMSIG(wait_status(marked)), SIGKILL);
	assert_int_equal(kill(supervisor, 0), -1);
	assert_false(fs_exists(dir));
	assert_false(fs_exists(elsewhere));
	free(dir);
	free(id);
	free(other_id);
	free(elsewhere);
}

static void test_supervisor_killed(void **state)
{
	struct fixture *f = *state;
	struct err err = ERR_INIT;
	struct guard *g = guard_new_run_dir(f->dir, id_of(2), &err);
	char *dir = mem_strdup(guard_run_dir(g));

	assert_int_equal(kill(guard_supervisor(g), SIGKILL), 0);
	(void)usleep(20000);
	assert_true(fs_is_dir(dir));
	guard_end(g);
	assert_false(fs_exists(dir));
	free(dir);
}

/* What a power cut leaves: a folder whose lock nobody holds. */
static void test_sweep(void **state)
{
	struct fixture *f = *state;
	struct err err = ERR_INIT;
	char *dir = run_dir_of(f, 3);
	char *unlocked = run_dir_of(f, 4);
	char *lock = fs_join(dir, "lock");
	char *listed = fs_join(f->dir, "listed");
	int swept = -1;

	assert_int_equal(guard_sweep(f->dir, &swept, &err), 0); /* no folder at all */
	assert_int_equal(swept, 0);
	assert_int_equal(fs_mkdirs(dir, 0700, &err), 0);
	assert_int_equal(fs_mkdirs(unlocked, 0700, &err), 0);
	assert_int_equal(fs_mkdirs(listed, 0700, &err), 0);
	assert_int_equal(fs_write_atomic(lock, "", 0, 0600, &err), 0);
	assert_int_equal(guard_add_path(f->dir, id_of(3), listed, &err), 0);
	pid_t marked = start_marked(id_of(3));
	int fd = open(lock, O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(guard_sweep(f->dir, &swept, &err), 0);
	assert_int_equal(swept, 1); /* the one without a lock file */
	assert_false(fs_exists(unlocked));
	assert_true(fs_exists(dir));
	(void)close(fd);
	assert_int_equal(guard_sweep(f->dir, &swept, &err), 0);
	assert_int_equal(swept, 1);
	assert_false(fs_exists(dir));
	assert_false(fs_exists(listed));
	assert_int_equal(WTERMSIG(wait_status(marked)), SIGKILL);
	free(dir);
	free(unlocked);
	free(lock);
	free(listed);
}

static const struct system_kind sandbox_kind = {.scheme = "test", SANDBOX_FUNCTIONS};

/* Another lampduel: a run with a service in a sandbox (or local), and then it waits for its death.
 */
static _Noreturn void other_lampduel(const char *dir, const char *run_id, bool sandboxed, int ready)
{
	static volatile int stop;
	struct err err = ERR_INIT;
	struct clock clock;
	const struct step step = {.name = "x", .attempt = 1};
	struct strvec v = STRVEC_INIT;
	struct exec_request q = {.argv = &v};
	int id = 0;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* when the test fails */
	clock_init_real(&clock);
	struct guard *g = guard_new_run_dir(dir, run_id, &err);
	char *run_dir = guard_system_dir(g, "a", &err);
	struct system_options o = {.name = "a",
				   .target = "local",
				   .run_id = run_id,
				   .run_dir = run_dir,
				   .cache_dir = dir,
				   .clock = &clock,
				   .stop = &stop};
	struct sandbox_options so = {.root = "/"};
	struct system *s = NULL;
	if (sandboxed) {
		s = mem_alloc(sizeof(*s));
		s->kind = &sandbox_kind;
		if (sandbox_open(s, &o, &so, &err) != 0)
			_exit(1);
	} else {
		s = system_open(&o, &err);
	}
	char *log = fs_join(s->run_dir_inside, "log");
	strvec_push(&v, "sh");
	strvec_push(&v, "-c");
	strvec_push(&v, "trap '' TERM HUP INT; setsid setsid sleep 100 & sleep 100");
	if (system_spawn(s, &step, &q, log, &id, &err) != 0)
		_exit(1);
	(void)usleep(100000);
	(void)write(ready, "r", 1);
	for (;;)
		(void)pause();
}

static int processes_with(const char *run_id)
{
	char *script =
		mem_printf("grep -lzs '^LAMPDUEL_RUN=%s$' /proc/[0-9]*/environ | wc -l", run_id);
	FILE *p = popen(script, "r");
	int n = -1;

	assert_non_null(p);
	assert_int_equal(fscanf(p, "%d", &n), 1);
	(void)pclose(p);
	free(script);
	return n;
}

static void killed_lampduel(struct fixture *f, bool sandboxed)
{
	int ready[2];
	char byte = 0;
	/* of its own: a supervisor looks twice */
	const char *run_id = sandboxed ? id_of(5) : id_of(7);
	char *dir = mem_printf("%s/run/%s", f->dir, run_id);

	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0)
		other_lampduel(f->dir, run_id, sandboxed, ready[1]);
	(void)close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_true(processes_with(run_id) >= 3);
	assert_true(fs_is_dir(dir));
	int64_t before = clock_mono_ns();
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(WTERMSIG(wait_status(pid)), SIGKILL);
	assert_true(goes(dir, 2000));
	assert_int_equal(processes_with(run_id), 0);
	assert_true(clock_mono_ns() - before < 15 * NS_PER_S);
	/* the supervisor held none of its files: end of file */
	assert_int_equal(read(ready[0], &byte, 1), 0);
	(void)close(ready[0]);
	free(dir);
}

static void test_killed_lampduel(void **state)
{
	killed_lampduel(*state, false);
}

static void test_killed_lampduel_sandbox(void **state)
{
	struct sandbox_probe p;

	sandbox_probe(&p);
	bool works = p.bubblewrap;
	if (!works)
		print_message("skipped: %s\n", p.why_not);
	sandbox_probe_release(&p);
	if (!works)
		skip();
	killed_lampduel(*state, true);
}

struct waiter {
	char *whom;
	int calls;
	volatile int stop;
	struct measuring_lock *lock;
	struct err err;
};

static void on_waiting(void *context, const char *whom)
{
	struct waiter *w = context;

	w->calls++;
	mem_replace(&w->whom, mem_strdup(whom));
}

static void *wait_for_lock(void *arg)
{
	struct waiter *w = arg;

	w->lock = measuring_lock_take(on_waiting, w, &w->stop, &w->err);
	return NULL;
}

static void test_lock(void **state)
{
	struct waiter w = {0};
	struct err err = ERR_INIT;
	pthread_t t;

	(void)state;
	struct measuring_lock *l = measuring_lock_try(&err);
	if (l == NULL) {
		print_message("skipped: %s\n", err.msg);
		skip();
	}
	assert_null(measuring_lock_try(&err));
	char *who = mem_printf("(process %d, user ", (int)getpid());
	assert_non_null(strstr(err.msg, who));
	assert_non_null(strstr(err.msg, "test_guard"));
	free(who);

	/* interrupted */
	assert_int_equal(pthread_create(&t, NULL, wait_for_lock, &w), 0);
	(void)usleep(100000);
	w.stop = 1;
	(void)pthread_join(t, NULL);
	assert_null(w.lock);
	assert_int_equal(w.err.code, ERR_INTERRUPTED);
	assert_int_equal(w.calls, 1);

	/* gets it as soon as it is free */
	w.stop = 0;
	assert_int_equal(pthread_create(&t, NULL, wait_for_lock, &w), 0);
	(void)usleep(100000);
	measuring_lock_release(l);
	(void)pthread_join(t, NULL);
	assert_non_null(w.lock);
	assert_int_equal(w.calls, 2);
	measuring_lock_release(w.lock);
	free(w.whom);
}

/* A holder that is killed frees it; its supervisor does not keep it. */
static void test_lock_dies(void **state)
{
	struct fixture *f = *state;
	struct err err = ERR_INIT;
	const char *run_id = id_of(6);
	int ready[2];
	char byte = 0;

	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct measuring_lock *l = measuring_lock_try(&err);

		(void)guard_new_run_dir(f->dir, run_id, &err);
		(void)write(ready[1], l == NULL ? "n" : "y", 1);
		for (;;)
			(void)pause();
	}
	(void)close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	(void)close(ready[0]);
	if (byte == 'y')
		assert_null(measuring_lock_try(&err));
	assert_int_equal(kill(pid, SIGKILL), 0);
	(void)wait_status(pid);
	char *dir = run_dir_of(f, 6);
	if (byte == 'y') {
		struct measuring_lock *l = measuring_lock_try(&err);

		if (l == NULL)
			fail_msg("%s", err.msg);
		measuring_lock_release(l);
	}
	assert_true(goes(dir, 2000));
	free(dir);
	if (byte != 'y') {
		print_message("skipped: another program has the lock\n");
		skip();
	}
}

/* In a network namespace of its own, where the holder's socket is not to be found. */
static char try_elsewhere(const char *who)
{
	struct err err = ERR_INIT;

	if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
		return 's';
	struct measuring_lock *l = measuring_lock_try(&err);
	if (l != NULL)
		return 'l';
	return strstr(err.msg, who) != NULL ? 'y' : 'n';
}

static void test_lock_across_networks(void **state)
{
	struct err err = ERR_INIT;
	char *who = mem_printf("(process %d, user ", (int)getpid());

	(void)state;
	struct measuring_lock *l = measuring_lock_try(&err);
	if (l == NULL) {
		free(who);
		print_message("skipped: %s\n", err.msg);
		skip();
	}
	pid_t pid = fork();
	if (pid == 0)
		_exit(try_elsewhere(who));
	int status = wait_status(pid);
	measuring_lock_release(l);
	free(who);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 's') {
		print_message("skipped: no network namespace of one's own is allowed here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 'y');
	l = measuring_lock_try(&err);
	assert_non_null(l);
	measuring_lock_release(l);
}

#define GUARD_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		GUARD_TEST(test_kill_marked),
		GUARD_TEST(test_run_dir),
		GUARD_TEST(test_supervisor_killed),
		GUARD_TEST(test_sweep),
		GUARD_TEST(test_killed_lampduel),
		GUARD_TEST(test_killed_lampduel_sandbox),
		GUARD_TEST(test_lock),
		GUARD_TEST(test_lock_across_networks),
		GUARD_TEST(test_lock_dies),
	};

	return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
