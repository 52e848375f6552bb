/*
 * Systems reached through ssh, with a stand-in for the client that runs the command in a login
 * shell of this machine: what is quoted, measured, cut off and cleaned up is the real thing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/proc.h"
#include "base/text.h"
#include "check.h"
#include "system/guard.h"
#include "system/ssh_script.h"
#include "system/system.h"

/* The first call is the master: the command runs while it lives, its socket is a plain file. */
static const char stand_in[] =
	"#!/bin/sh\n"
	"socket= master=\n"
	"while [ $# -gt 1 ]; do\n"
	"	case $1 in\n"
	"	-S) socket=$2; shift ;;\n"
	"	ControlMaster=yes) master=1 ;;\n"
	"	esac\n"
	"	shift\n"
	"done\n"
	"[ -z \"$FAKE_REFUSE\" ] || { echo \"$FAKE_REFUSE\" >&2; exit 255; }\n"
	"unset LAMPDUEL_RUN\n"
	"if [ -n \"$master\" ]; then\n"
	"	echo $$ >\"$socket\"\n"
	"	exec $FAKE_LOGIN -c \"$1\"\n"
	"fi\n"
	"kill -0 \"$(cat \"$socket\")\" 2>/dev/null || exit 255\n"
	"exec $FAKE_LOGIN -c \"$1\"\n";

struct place {
	char *dir, *temporary, *path;
	struct clock clock;
	volatile int stop;
	struct system *s;
};

static void set_up_client(struct place *p)
{
	char *bin = fs_join(p->dir, "bin");
	char *ssh = fs_join(bin, "ssh");
	char *path = mem_printf("%s:%s", bin, getenv("PATH"));

	assert_ok(fs_mkdirs(bin, 0755, err));
	assert_ok(fs_write_atomic(ssh, stand_in, strlen(stand_in), 0755, err));
	p->path = mem_strdup(getenv("PATH"));
	p->temporary = fs_join(p->dir, "there");
	assert_ok(fs_mkdirs(p->temporary, 0755, err));
	assert_int_equal(setenv("PATH", path, 1), 0);
	assert_int_equal(setenv("TMPDIR", p->temporary, 1), 0);
	assert_int_equal(setenv("FAKE_LOGIN", "/bin/sh", 1), 0);
	free(bin);
	free(ssh);
	free(path);
}

static int setup(void **state)
{
	char template[] = "/tmp/lampduel ssh-XXXXXX";
	struct place *p = mem_alloc(sizeof(*p));

	(void)signal(SIGPIPE, SIG_IGN);
	assert_non_null(mkdtemp(template));
	p->dir = mem_strdup(template);
	clock_init_real(&p->clock);
	set_up_client(p);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;
	struct strvec left = STRVEC_INIT;

	system_close(p->s);
	/* nothing is left over there */
	assert_ok(fs_list(p->temporary, &left, err));
	assert_int_equal(left.n, 0);
	strvec_release(&left);
	assert_int_equal(setenv("PATH", p->path, 1), 0);
	(void)unsetenv("TMPDIR");
	(void)unsetenv("FAKE_LOGIN");
	(void)unsetenv("FAKE_REFUSE");
	assert_int_equal(fs_remove_tree(p->dir, NULL), 0);
	free(p->dir);
	free(p->temporary);
	free(p->path);
	free(p);
	return 0;
}

static struct system *open_host(struct place *p, struct err *why)
{
	char *run = fs_join(p->dir, "run");
	char *id = guard_new_run_id();

	assert_ok(fs_mkdirs(run, 0755, err));
	struct system_options o = {.name = "host",
				   .target = "ssh:pi@somewhere:2222",
				   .run_id = id,
				   .run_dir = run,
				   .cache_dir = p->dir,
				   .clock = &p->clock,
				   .stop = &p->stop};
	p->s = system_open(&o, why);
	free(run);
	free(id);
	return p->s;
}

static void begin(struct place *p)
{
	struct err err = ERR_INIT;

	if (open_host(p, &err) == NULL)
		fail_msg("%s", err.msg);
}

static const struct step at_round = {"step", 1, 1};
static const struct step before = {"step", 0, 1};

static void run(struct place *p, const struct step *step, struct exec_request *q,
		const char *const *words, struct outcome *out)
{
	struct strvec argv = STRVEC_INIT;

	for (; *words != NULL; words++)
		strvec_push(&argv, *words);
	q->argv = &argv;
	if (q->timeout_ns == 0)
		q->timeout_ns = 60 * NS_PER_S;
	assert_ok(system_exec(p->s, step, q, out, err));
	strvec_release(&argv);
}

static void test_targets(void **state)
{
	struct ssh_target t;
	(void)state;

	assert_ok(ssh_target_parse("ssh:host", &t, err));
	assert_null(t.user);
	assert_string_equal(t.host, "host");
	assert_null(t.port);
	ssh_target_release(&t);
	assert_ok(ssh_target_parse("ssh:pi@[fe80::1%eth0]:2222", &t, err));
	assert_string_equal(t.user, "pi");
	assert_string_equal(t.host, "fe80::1%eth0");
	assert_string_equal(t.port, "2222");
	ssh_target_release(&t);
	assert_ok(ssh_target_parse("ssh:a@b@10.0.0.1:22", &t, err));
	assert_string_equal(t.user, "a@b");
	assert_string_equal(t.host, "10.0.0.1");
	ssh_target_release(&t);
	assert_fails(ssh_target_parse("ssh:", &t, err), "host");
	assert_fails(ssh_target_parse("ssh:@h", &t, err), "user");
	assert_fails(ssh_target_parse("ssh:-oProxyCommand=x", &t, err), "host");
	assert_fails(ssh_target_parse("ssh:-l@h", &t, err), "user");
	assert_fails(ssh_target_parse("ssh:a b", &t, err), "host");
	assert_fails(ssh_target_parse("ssh:$(x)", &t, err), "host");
	assert_fails(ssh_target_parse("ssh:::1", &t, err), "brackets");
	assert_fails(ssh_target_parse("ssh:[::1", &t, err), "brackets");
	assert_fails(ssh_target_parse("ssh:[::1]x", &t, err), "brackets");
	assert_fails(ssh_target_parse("ssh:h:0", &t, err), "port");
	assert_fails(ssh_target_parse("ssh:h:+22", &t, err), "port");
	assert_fails(ssh_target_parse("ssh:h:70000", &t, err), "port");
	assert_fails(ssh_target_parse("ssh:h:", &t, err), "port");
}

static void test_words_of_ssh(void **state)
{
	static const char denied[] = "user@h: Permission denied (publickey).\r\n";
	static const char other[] = "ssh: connect to host h port 22: No route to host\n";
	(void)state;

	char *text = ssh_explain(denied, strlen(denied));
	assert_non_null(strstr(text, "ssh-copy-id"));
	free(text);
	text = ssh_explain(other, strlen(other));
	assert_string_equal(text, "ssh says: ssh: connect to host h port 22: No route to host");
	free(text);
	text = ssh_explain("", 0);
	assert_string_equal(text, "ssh ended without a word");
	free(text);
}

static void test_answers(void **state)
{
	static const char n[] = "0123456789abcdef";
	static const char text[] =
		"noise\n@0123456789abcdef head\n0m0.00s 0m0.00s\n0m0.10s 0m0.20s\n"
		"@0123456789abcdef begin\nits words\n@0123456789abcdef times\n"
		"0m0.00s 0m0.00s\n1m0.60s 0m0.20s\n"
		"@0123456789abcdef end 3 5.000100 6.250100 10.00 11.25\n"
		"\n@0123456789abcdef exit 3\n";
	struct ssh_answer a;
	(void)state;

	ssh_answer_read(text, strlen(text), n, &a);
	assert_true(a.began && a.ended && a.complete);
	assert_int_equal(a.status, 3);
	assert_int_equal(a.wall_ns, 1250000000);
	assert_int_equal(a.uptime_ns, 1250000000);
	assert_int_equal(a.user_ns, 60500000000);
	assert_int_equal(a.sys_ns, 0);
	assert_int_equal(a.cpu_step_ns, 10 * NS_PER_MS);
	assert_int_equal(a.err_len, strlen("its words"));
	assert_memory_equal(text + a.err_start, "its words", a.err_len);
	/* cut off anywhere: nothing is read that is not there */
	for (size_t i = 0; i < strlen(text) - 1; i++) {
		char *part = mem_strndup(text, i);
		ssh_answer_read(part, i, n, &a);
		assert_false(a.complete);
		assert_true(a.err_start + a.err_len <= i);
		free(part);
	}
	ssh_answer_read(text, strlen(text), "fedcba9876543210", &a);
	assert_false(a.began || a.ended || a.complete);
}

/* Every argument as it was, whatever the login shell. */
static void check_arguments(struct place *p)
{
	char bytes[256];
	struct outcome out;
	struct exec_request q = {0};
	struct buf expected = BUF_INIT;

	for (int i = 1; i < 256; i++)
		bytes[i - 1] = (char)i;
	bytes[255] = '\0';
	const char *const words[] = {"printf", "%s|",      "-n",    "",          "a'b\"c",
				     "line\n", "\n\n",     "$(id)", "`id`",      "\\",
				     "*",      "~",        "!",     "--",        " two  blanks ",
				     bytes,    "\xff\xfe", "@x",    "' '\\'' '", NULL};
	for (size_t i = 2; words[i] != NULL; i++)
		buf_addf(&expected, "%s|", words[i]);
	begin(p);
	run(p, &at_round, &q, words, &out);
	if (out.status != OUTCOME_OK)
		fail_msg("%s", out.reason);
	assert_int_equal(out.out.len, expected.len);
	assert_memory_equal(out.out.data, expected.data, expected.len);
	outcome_release(&out);
	buf_release(&expected);
}

static void test_arguments_sh(void **state)
{
	check_arguments(*state);
}

static void test_arguments_bash(void **state)
{
	char *bash = proc_find("bash");

	if (bash == NULL)
		skip();
	assert_int_equal(setenv("FAKE_LOGIN", bash, 1), 0);
	free(bash);
	check_arguments(*state);
}

static void test_arguments_busybox(void **state)
{
	char *busybox = proc_find("busybox");

	if (busybox == NULL)
		skip();
	char *login = mem_printf("%s ash", busybox);
	assert_int_equal(setenv("FAKE_LOGIN", login, 1), 0);
	free(login);
	free(busybox);
	check_arguments(*state);
}

static void test_outcomes(void **state)
{
	static const char *const both[] = {"sh", "-c", "cat; echo no >&2; exit 7", NULL};
	static const char *const killed[] = {"sh", "-c", "echo dying >&2; kill -11 $$", NULL};
	static const char *const missing[] = {"no-such-program", NULL};
	static const char *const builtin[] = {"export", NULL};
	static const char *const variables[] = {"env", NULL};
	struct strvec env = STRVEC_INIT;
	struct outcome out;

	begin(*state);
	struct exec_request q = {.input = "from here\n", .input_len = 10};
	run(*state, &at_round, &q, both, &out);
	assert_int_equal(out.status, OUTCOME_FAILED);
	assert_int_equal(out.exit_code, 7);
	assert_string_equal(buf_str(&out.out), "from here\n");
	assert_string_equal(buf_str(&out.err), "no\n");
	assert_string_equal(out.reason, "sh ended with exit status 7: no");
	outcome_release(&out);
	q = (struct exec_request){0};
	run(*state, &at_round, &q, killed, &out);
	assert_int_equal(out.signal, 11);
	assert_string_equal(buf_str(&out.err), "dying\n");
	outcome_release(&out);
	run(*state, &at_round, &q, missing, &out);
	assert_int_equal(out.exit_code, 127);
	outcome_release(&out);
	run(*state, &at_round, &q, builtin, &out); /* a shell's own word is no program */
	assert_int_equal(out.exit_code, 127);
	outcome_release(&out);
	strvec_push(&env, "TZ=Asia/Tokyo");
	strvec_push(&env, "EMPTY=");
	q.env = &env;
	run(*state, &at_round, &q, variables, &out);
	assert_non_null(strstr(buf_str(&out.out), "TZ=Asia/Tokyo\n"));
	assert_non_null(strstr(buf_str(&out.out), "EMPTY=\n"));
	assert_non_null(strstr(buf_str(&out.out), "LC_ALL=C\n"));
	assert_null(strstr(buf_str(&out.out), "FAKE_LOGIN"));
	outcome_release(&out);
	strvec_release(&env);
}

static void test_limits(void **state)
{
	static const char *const slow[] = {"sh", "-c", "sleep 71 & sleep 72", NULL};
	static const char *const talks[] = {"sh", "-c", "echo 1 enough >&2; sleep 73; echo 2 >&2",
					    NULL};
	static const char *const leaves[] = {"sh", "-c", "sleep 74 >/dev/null 2>&1 & echo $!",
					     NULL};
	struct outcome out;

	begin(*state);
	struct exec_request q = {.timeout_ns = NS_PER_S};
	run(*state, &at_round, &q, slow, &out);
	assert_int_equal(out.status, OUTCOME_TIMEOUT);
	outcome_release(&out);
	q = (struct exec_request){.enough = "enough"};
	run(*state, &at_round, &q, talks, &out);
	assert_int_equal(out.status, OUTCOME_OK);
	assert_int_equal(out.exit_code, 0);
	assert_string_equal(buf_str(&out.err), "1 enough\n");
	outcome_release(&out);
	q = (struct exec_request){0};
	run(*state, &at_round, &q, leaves, &out);
	assert_int_equal(out.status, OUTCOME_OK);
	/* gone, or dead and waited for by nobody yet */
	char *file = mem_printf("/proc/%d/cmdline", atoi(buf_str(&out.out)));
	struct buf line = BUF_INIT;
	for (int i = 0; i < 100; i++) { /* it is ended from over there, in its own time */
		buf_clear(&line);
		if (fs_read(file, 4096, &line, NULL) != 0 || line.len == 0)
			break;
		(void)usleep(20000);
	}
	assert_int_equal(line.len, 0);
	buf_release(&line);
	free(file);
	outcome_release(&out);
}

static void test_much_output(void **state)
{
	static const char *const much[] = {
		"sh", "-c", "yes | head -c 3000000; yes n | head -c 3000000 >&2; exit 2", NULL};
	struct exec_request q = {.output_max = 1000};
	struct outcome out;

	begin(*state);
	run(*state, &at_round, &q, much, &out);
	assert_true(out.truncated);
	assert_int_equal(out.exit_code, 2);
	assert_true(out.out.len >= 1000 && out.out.len < 10000);
	outcome_release(&out);
}

/* The time is the program's, not that of the way there. */
static void test_times(void **state)
{
	static const char *const waits[] = {"sleep", "0.3", NULL};
	static const char *const works[] = {
		"sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done", NULL};
	struct exec_request q = {.discard_output = true};
	struct outcome out;

	begin(*state);
	run(*state, &at_round, &q, waits, &out);
	int64_t wall = out.end_ns - out.start_ns;
	assert_true(out.wall_step_ns > 0 && out.cpu_step_ns > 0);
	assert_true(wall >= 290 * NS_PER_MS && wall < 3 * NS_PER_S);
	assert_true(out.user_ns + out.sys_ns <= 100 * NS_PER_MS);
	outcome_release(&out);
	run(*state, &at_round, &q, works, &out);
	assert_true(out.user_ns >= 10 * NS_PER_MS);
	outcome_release(&out);
}

static void test_files(void **state)
{
	struct place *p = *state;
	struct buf b = BUF_INIT;
	static const char data[] = "a\0b\n'\xff";

	begin(p);
	char *path = mem_printf("%s/deep/er/it's \"it\"", p->s->run_dir_inside);
	assert_ok(system_put(p->s, &before, path, data, sizeof(data), err));
	assert_ok(system_get(p->s, &before, path, 100, &b, err));
	assert_int_equal(b.len, sizeof(data));
	assert_memory_equal(b.data, data, b.len);
	buf_clear(&b);
	assert_fails(system_get(p->s, &before, path, 3, &b, err), "longer");
	assert_ok(system_put(p->s, &before, path, "", 0, err));
	assert_ok(system_get(p->s, &before, path, 3, &b, err));
	assert_int_equal(b.len, 0);
	assert_fails(system_get(p->s, &before, "/no/such", 3, &b, err), "No such file");
	assert_fails(system_get(p->s, &before, "/tmp", 3, &b, err), "regular");
	assert_fails(system_put(p->s, &before, "/dev/full/x", "x", 1, err), "cannot write");
	assert_ok(system_get(p->s, &before, "/proc/uptime", 100, &b, err));
	assert_true(b.len > 3);
	free(path);
	buf_release(&b);
}

/* The client dies in the middle: that execution is invalid, the next one is on a new connection. */
static void test_lost(void **state)
{
	struct place *p = *state;
	struct outcome out;
	struct buf pid = BUF_INIT;

	begin(p);
	char *first = mem_strdup(p->s->run_dir_inside);
	char *socket = fs_join(p->dir, "run/ssh");
	assert_ok(fs_read(socket, 100, &pid, err));
	char *script = mem_printf("sleep 75 & echo $! >'%s/pid'; kill -9 %d; sleep 76", p->dir,
				  atoi(pid.data));
	const char *const cuts[] = {"sh", "-c", script, NULL};
	const char *const fine[] = {"echo", "fine", NULL};
	struct exec_request q = {.timeout_ns = 5 * NS_PER_S};
	run(p, &at_round, &q, cuts, &out);
	/* the stand-in's agent is its master: what it left, a real one would have swept */
	assert_int_not_equal(out.status, OUTCOME_OK);
	outcome_release(&out);
	run(p, &at_round, &q, fine, &out);
	assert_int_equal(out.status, OUTCOME_OK);
	assert_string_equal(buf_str(&out.out), "fine\n");
	assert_string_not_equal(first, p->s->run_dir_inside);
	outcome_release(&out);
	buf_clear(&pid);
	char *file = fs_join(p->dir, "pid");
	assert_ok(fs_read(file, 100, &pid, err));
	(void)kill(atoi(pid.data), SIGKILL);
	assert_ok(fs_remove_tree(first, err));
	free(file);
	free(first);
	free(socket);
	free(script);
	buf_release(&pid);
}

static void test_interrupted(void **state)
{
	struct place *p = *state;
	struct strvec argv = STRVEC_INIT;
	struct outcome out;
	struct err err = ERR_INIT;

	begin(p);
	strvec_push(&argv, "sleep");
	strvec_push(&argv, "77");
	struct exec_request q = {.argv = &argv, .timeout_ns = 60 * NS_PER_S};
	p->stop = 1;
	assert_int_equal(system_exec(p->s, &at_round, &q, &out, &err), ERR_INTERRUPTED);
	outcome_release(&out);
	strvec_release(&argv);
}

static void test_refused(void **state)
{
	struct place *p = *state;
	struct err err = ERR_INIT;

	assert_int_equal(setenv("FAKE_REFUSE", "Host key verification failed.", 1), 0);
	assert_null(open_host(p, &err));
	assert_non_null(strstr(err.msg, "log in once by hand"));
	assert_null(strchr(err.msg, '\n'));
	/* a folder that cannot be written */
	(void)unsetenv("FAKE_REFUSE");
	assert_int_equal(setenv("TMPDIR", "/proc", 1), 0);
	err_clear(&err);
	assert_null(open_host(p, &err));
	assert_non_null(strstr(err.msg, "no folder for the run"));
	assert_null(strchr(err.msg, '\n'));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_words_of_ssh),
		cmocka_unit_test(test_answers),
		TEST(test_arguments_sh),
		TEST(test_arguments_bash),
		TEST(test_arguments_busybox),
		TEST(test_outcomes),
		TEST(test_limits),
		TEST(test_much_output),
		TEST(test_times),
		TEST(test_files),
		TEST(test_lost),
		TEST(test_interrupted),
		TEST(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
