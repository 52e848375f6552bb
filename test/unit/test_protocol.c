/*
 * Both sides of the launcher's protocol against a partner that does not keep to it: malformed
 * requests to a real launcher, and false launchers for lampduel's side.
 */
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
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/text.h"
#include "launcher/protocol.h"
#include "system/launch.h"

struct raw {
	int fd;
	pid_t pid;
};

static void u32(struct buf *b, uint32_t v)
{
	unsigned char p[4];

	lp_store32(p, v);
	buf_add(b, p, 4);
}

static void u64(struct buf *b, uint64_t v)
{
	unsigned char p[8];

	lp_store64(p, v);
	buf_add(b, p, 8);
}

static void string(struct buf *b, const char *s)
{
	u32(b, (uint32_t)strlen(s) + 1);
	buf_add(b, s, strlen(s) + 1);
}

static void read_all(int fd, void *data, size_t len)
{
	for (char *p = data; len > 0;) {
		ssize_t n = read(fd, p, len);

		assert_true(n > 0);
		p += n;
		len -= (size_t)n;
	}
}

static void send_frame(const struct raw *w, uint32_t type, const struct buf *b)
{
	unsigned char header[LP_HEADER];

	lp_store32(header, (uint32_t)b->len);
	lp_store32(header + 4, type);
	assert_int_equal(write(w->fd, header, sizeof(header)), sizeof(header));
	if (b->len > 0)
		assert_int_equal(write(w->fd, b->data, b->len), (ssize_t)b->len);
}

/* The reply's payload replaces b; its stage is returned. */
static uint32_t receive(const struct raw *w, uint32_t type, struct buf *b)
{
	unsigned char header[LP_HEADER];
	struct lp_reader r = {header, header + sizeof(header), false};

	read_all(w->fd, header, sizeof(header));
	size_t len = lp_u32(&r);
	assert_int_equal(lp_u32(&r), type | LP_REPLY);
	assert_true(len >= 8 && len < 1 << 20);
	buf_clear(b);
	read_all(w->fd, buf_reserve(b, len), len);
	b->len = len;
	r = (struct lp_reader){(unsigned char *)b->data, (unsigned char *)b->data + len, false};
	return lp_u32(&r);
}

static void raw_start(struct raw *w)
{
	int pair[2];
	char *launcher = fs_helper_program("lampduel-launcher");
	struct buf b = BUF_INIT;

	assert_non_null(launcher);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	w->fd = pair[0];
	w->pid = fork();
	if (w->pid == 0) {
		(void)dup2(pair[1], 0);
		(void)dup2(pair[1], 1);
		(void)execl(launcher, launcher, (char *)NULL);
		_exit(127);
	}
	(void)close(pair[1]);
	assert_int_equal(receive(w, LP_HELLO, &b), LP_DONE);
	struct lp_reader r = {(unsigned char *)b.data + 8, (unsigned char *)b.data + b.len, false};
	assert_int_equal(lp_u32(&r), LP_VERSION);
	assert_int_equal(lp_u32(&r), w->pid);
	assert_int_equal(lp_u32(&r), LP_SEES_PROC);
	assert_false(r.bad);
	buf_release(&b);
	free(launcher);
}

static int raw_end(struct raw *w)
{
	int status = 0;

	if (w->fd >= 0)
		(void)close(w->fd);
	assert_int_equal(waitpid(w->pid, &status, 0), w->pid);
	return status;
}

static void add_program(struct buf *b, const char *script)
{
	string(b, "/bin/sh");
	u32(b, 3);
	string(b, "sh");
	string(b, "-c");
	string(b, script);
	u32(b, 0);
	string(b, "/");
}

static void add_run(struct buf *b, const char *script)
{
	add_program(b, script);
	u32(b, 0);
	u64(b, 10 * NS_PER_S);
	u64(b, 1000);
	u32(b, 0);
	u32(b, 0);
}

/* Every request cut at every length is refused, and the next good one is served. */
static void test_cut_requests(void **state)
{
	struct raw w;
	struct buf whole = BUF_INIT;
	struct buf b = BUF_INIT;

	(void)state;
	raw_start(&w);
	add_run(&whole, "exit 7");
	for (size_t len = 0; len < whole.len; len++) {
		buf_clear(&b);
		buf_add(&b, whole.data, len);
		send_frame(&w, LP_RUN, &b);
		assert_int_equal(receive(&w, LP_RUN, &b), LP_BAD_REQUEST);
	}
	static const uint32_t types[] = {LP_SPAWN, LP_STATUS, LP_STOP, LP_PLACE,
					 LP_PUT,   LP_GET,    0,       999};
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		buf_clear(&b);
		buf_add(&b, "\1", 1);
		send_frame(&w, types[i], &b);
		assert_int_equal(receive(&w, types[i], &b), LP_BAD_REQUEST);
	}
	send_frame(&w, LP_RUN, &whole);
	assert_int_equal(receive(&w, LP_RUN, &b), LP_DONE);
	struct lp_reader r = {(unsigned char *)b.data + 8, (unsigned char *)b.data + b.len, false};
	assert_int_equal(WEXITSTATUS((int)lp_u32(&r)), 7);
	assert_int_equal(raw_end(&w), 0);
	buf_release(&b);
	buf_release(&whole);
}

/* Single bytes changed: whatever comes of it, it answers or ends, and leaves nothing. */
static void test_changed_requests(void **state)
{
	struct buf whole = BUF_INIT;
	struct buf b = BUF_INIT;
	struct raw w;
	bool running = false;

	(void)state;
	add_run(&whole, "exit 7");
	for (size_t i = 0; i < whole.len; i++) {
		if (!running)
			raw_start(&w);
		running = true;
		buf_clear(&b);
		buf_add(&b, whole.data, whole.len);
		b.data[i] = (char)(b.data[i] ^ 0x41);
		send_frame(&w, LP_RUN, &b);
		(void)receive(&w, LP_RUN, &b);
	}
	assert_int_equal(raw_end(&w), 0);
	buf_release(&b);
	buf_release(&whole);
}

static void test_oversized_frame(void **state)
{
	struct raw w;
	unsigned char header[LP_HEADER];

	(void)state;
	raw_start(&w);
	lp_store32(header, LP_FRAME_MAX + 1);
	lp_store32(header + 4, LP_PUT);
	assert_int_equal(write(w.fd, header, sizeof(header)), sizeof(header));
	char byte = 0;
	assert_int_equal(read(w.fd, &byte, 1), 0);
	assert_int_equal(WEXITSTATUS(raw_end(&w)), 1);
}

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

/* A run and a service whose processes ignore every signal and left their group. */
static void stubborn(const struct raw *w, pid_t pids[2])
{
	char log[] = "/tmp/lampduel-protocol.XXXXXX";
	struct buf b = BUF_INIT;
	int fd = mkstemp(log);

	assert_true(fd >= 0);
	add_program(&b, "trap '' TERM HUP INT; setsid sh -c 'echo $$; sleep 60; true' & echo $$; "
			"sleep 60; true");
	string(&b, log);
	send_frame(w, LP_SPAWN, &b);
	assert_int_equal(receive(w, LP_SPAWN, &b), LP_DONE);
	for (int i = 0; i < 200; i++) {
		buf_clear(&b);
		assert_int_equal(fs_read(log, 100, &b, NULL), 0);
		if (sscanf(buf_str(&b), "%d %d\n", &pids[0], &pids[1]) == 2)
			break;
		(void)usleep(10000);
	}
	assert_true(pids[0] > 1 && pids[1] > 1);
	assert_int_equal(kill(pids[0], 0), 0);
	assert_int_equal(kill(pids[1], 0), 0);
	(void)close(fd);
	(void)unlink(log);
	buf_release(&b);
}

static void test_end_of_channel(void **state)
{
	for (int how = 0; how < 3; how++) {
		struct raw w;
		struct buf b = BUF_INIT;
		pid_t pids[2] = {0, 0};

		(void)state;
		raw_start(&w);
		stubborn(&w, pids);
		if (how == 1) { /* in the middle of a run */
			add_run(&b, "trap '' TERM; sleep 50; true");
			send_frame(&w, LP_RUN, &b);
			(void)usleep(100000);
		}
		if (how == 2)
			assert_int_equal(kill(w.pid, SIGTERM), 0);
		if (how < 2) {
			(void)close(w.fd);
			w.fd = -1;
		}
		int status = raw_end(&w);
		assert_int_equal(WEXITSTATUS(status), how == 2 ? 128 + SIGTERM : 0);
		/* it waited for them: they are gone by now */
		assert_int_equal(kill(pids[0], 0), -1);
		assert_int_equal(kill(pids[1], 0), -1);
		buf_release(&b);
	}
}

/* Killed outright, its children die with it; those further down are the guard's. */
static void test_killed(void **state)
{
	struct raw w;
	pid_t pids[2] = {0, 0};

	(void)state;
	raw_start(&w);
	stubborn(&w, pids);
	assert_int_equal(kill(w.pid, SIGKILL), 0);
	(void)raw_end(&w);
	int first = is_gone(pids[0]) ? 0 : 1; /* the order of the two lines is not fixed */
	assert_true(is_gone(pids[first]));
	(void)kill(pids[1 - first], SIGKILL);
}

/* lampduel's side: a shell that plays a false launcher. */
static void expect_refusal(const char *script, const char *message)
{
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;

	strvec_push(&argv, "/bin/sh");
	strvec_push(&argv, "-c");
	strvec_push(&argv, script);
	struct launch_options o = {.argv = &argv, .run_id = "test", .what = "the sandbox"};
	assert_null(launch_start(&o, &err));
	assert_string_equal(err.msg, message);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	strvec_release(&argv);
}

static void test_false_launchers(void **state)
{
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;

	(void)state;
	expect_refusal("echo first >&2; printf 'bad\\033[1m thing\\n\\n' >&2; exit 5",
		       "the sandbox ended unexpectedly with exit status 5: bad\\x1b[1m thing");
	expect_refusal("kill -9 $$", "the sandbox ended unexpectedly, killed by signal 9");
	expect_refusal("printf '\\377\\377\\377\\177\\001\\001\\000\\000'; sleep 20",
		       "the sandbox sent an answer that makes no sense");
	expect_refusal("echo hello, world; sleep 20",
		       "the sandbox sent an answer that makes no sense");
	expect_refusal("printf '\\024\\000\\000\\000\\001\\001\\000\\000'; "
		       "printf '\\000\\000\\000\\000\\000\\000\\000\\000\\143\\000\\000\\000'; "
		       "printf '\\001\\000\\000\\000\\001\\000\\000\\000'; sleep 20",
		       "the sandbox is of another version than lampduel; install both anew");
	strvec_push(&argv, "/no/such/bwrap");
	struct launch_options o = {.argv = &argv, .run_id = "test", .what = "the sandbox"};
	assert_null(launch_start(&o, &err));
	assert_string_equal(err.msg, "cannot start the sandbox (/no/such/bwrap): No such file or "
				     "directory");
	strvec_release(&argv);
}

/* A good greeting, then lies: sizes that do not fit, times that run backwards. */
static void test_false_answers(void **state)
{
	static const char *const answers[] = {
		"printf '\\377\\377\\377\\000\\002\\001\\000\\000'",
		"printf "
		"'\\010\\000\\000\\000\\003\\001\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000"
		"'",
		"printf "
		"'\\014\\000\\000\\000\\002\\001\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000"
		"\\000"
		"\\000\\000\\000'",
		"printf '\\100\\000\\000\\000\\002\\001\\000\\000'; head -c 8 /dev/zero; head -c "
		"56 /dev/zero "
		"| tr '\\000' '\\377'",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct strvec argv = STRVEC_INIT;
		struct strvec program = STRVEC_INIT;
		struct err err = ERR_INIT;
		struct outcome out;

		strvec_push(&argv, "/bin/sh");
		strvec_push(&argv, "-c");
		strvec_pushf(
			&argv,
			"printf '\\024\\000\\000\\000\\001\\001\\000\\000'; "
			"printf '\\000\\000\\000\\000\\000\\000\\000\\000\\002\\000\\000\\000'; "
			"printf '\\001\\000\\000\\000\\001\\000\\000\\000'; %s; sleep 20",
			answers[i]);
		strvec_push(&program, "true");
		struct launch_options o = {.argv = &argv, .run_id = "test", .what = "the sandbox"};
		struct launch *l = launch_start(&o, &err);
		if (l == NULL)
			fail_msg("%s", err.msg);
		struct launch_run q = {
			.program = {.path = "/bin/true", .argv = &program, .cwd = "/"},
			.timeout_ns = NS_PER_S,
			.output_max = 1000};
		assert_int_equal(launch_run(l, &q, &out, &err), ERR_GONE);
		assert_string_equal(err.msg, "the sandbox sent an answer that makes no sense");
		assert_int_equal(out.out.len, 0);
		outcome_release(&out);
		launch_close(l);
		strvec_release(&argv);
		strvec_release(&program);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_requests),    cmocka_unit_test(test_changed_requests),
		cmocka_unit_test(test_oversized_frame), cmocka_unit_test(test_end_of_channel),
		cmocka_unit_test(test_killed),          cmocka_unit_test(test_false_launchers),
		cmocka_unit_test(test_false_answers),
	};

	return cmocka_run_group_tests_name("protocol", tests, NULL, NULL);
}
