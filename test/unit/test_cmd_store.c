/* list, show, remove and report as a user sees them: output, error line, exit status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "example.h"

static char dir[64];
static char *db, *out_path, *err_path;

/* Experiments 1 (complete) and 2 (running). */
static int set_up(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	(void)snprintf(dir, sizeof(dir), "/tmp/lampduel-cmd-XXXXXX");
	if (mkdtemp(dir) == NULL)
		return -1;
	db = fs_join(dir, "test.db");
	out_path = fs_join(dir, "out");
	err_path = fs_join(dir, "err");
	struct store *st = store_open(db, &err);
	for (int i = 0; st != NULL && i < 2; i++) {
		struct experiment e;
		struct buf raw = BUF_INIT;
		buf_addstr(&raw, "raw \x1b[31mred\nsecond\n");
		example_reference(&e, 3);
		if (store_create(st, &e, &err) != 0)
			return -1;
		for (size_t k = 0; k < e.executions.n; k++)
			(void)store_add_execution(st, &e, &e.executions.v[k], &raw, &err);
		if (i == 0)
			(void)store_set_state(st, e.id, "complete", e.ended_unix_ns, &err);
		buf_release(&raw);
		experiment_release(&e);
	}
	store_close(st);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(db);
	free(out_path);
	free(err_path);
	return fs_remove_tree(dir, NULL);
}

struct result {
	int status;
	struct buf out, err;
};

static void result_release(struct result *r)
{
	buf_release(&r->out);
	buf_release(&r->err);
}

static void redirect(const char *path, int fd)
{
	int to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (to < 0 || dup2(to, fd) < 0)
		_exit(99);
}

/* lampduel with these arguments, "--db" added; in a child, for the program ends its stdout. */
static struct result lampduel(const char *arguments)
{
	struct result r = {0, BUF_INIT, BUF_INIT};
	struct strvec argv = STRVEC_INIT;
	char *copy = mem_strdup(arguments);
	char *save = NULL;

	strvec_push(&argv, "lampduel");
	for (char *word = strtok_r(copy, " ", &save); word != NULL;
	     word = strtok_r(NULL, " ", &save))
		strvec_push(&argv, word);
	strvec_push(&argv, "--db");
	strvec_push(&argv, db);
	(void)fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		redirect(out_path, STDOUT_FILENO);
		redirect(err_path, STDERR_FILENO);
		int status = cmd_main((int)argv.n, argv.v);
		_exit(status);
	}
	assert_int_equal(waitpid(pid, &r.status, 0), pid);
	assert_true(WIFEXITED(r.status));
	r.status = WEXITSTATUS(r.status);
	assert_int_equal(fs_read(out_path, 1 << 20, &r.out, NULL), 0);
	assert_int_equal(fs_read(err_path, 1 << 20, &r.err, NULL), 0);
	strvec_release(&argv);
	free(copy);
	return r;
}

static void assert_runs(const char *arguments, const char *out)
{
	struct result r = lampduel(arguments);

	if (r.status != 0 || r.err.len != 0 || strstr(buf_str(&r.out), out) == NULL)
		fail_msg("%s: status %d, %s%s", arguments, r.status, buf_str(&r.err),
			 buf_str(&r.out));
	result_release(&r);
}

static void assert_refuses(const char *arguments, int status, const char *text)
{
	struct result r = lampduel(arguments);
	const char *newline = strchr(buf_str(&r.err), '\n');

	if (r.status != status || strstr(buf_str(&r.err), text) == NULL || r.out.len != 0 ||
	    newline == NULL || newline[1] != '\0' || !text_starts(buf_str(&r.err), "lampduel: "))
		fail_msg("%s: status %d, %s%s", arguments, r.status, buf_str(&r.err),
			 buf_str(&r.out));
	result_release(&r);
}

static void list(void **state)
{
	(void)state;
	/* the run of the second one died: nobody measures it */
	(void)setenv("COLUMNS", "90", 1);
	assert_runs("list", "Number  Begun, UTC        State        Rounds  Title\n");
	assert_runs("list", "1       2026-11-30 00:53  complete     3 of 3  debian:");
	assert_runs("list", "2       2026-11-30 00:53  interrupted  3 of 3  debian:");
	(void)setenv("COLUMNS", "120", 1);
	assert_runs("list", "Number  Begun, UTC        Kind       State        Rounds  Executions");
	assert_runs("list", "2       2026-11-30 00:53  reference  interrupted  3 of 3  30");
	assert_refuses("list 3", 2, "takes no arguments");
	struct result r = lampduel("list");
	assert_true(strstr(r.out.data, "\n2 ") < strstr(r.out.data, "\n1 "));
	result_release(&r);
	(void)setenv("COLUMNS", "100", 1);
}

/* At any width no line is too long, no time, state or name of a target is broken. */
static void list_fits(void **state)
{
	(void)state;
	for (int columns = 40; columns <= 130; columns++) {
		char number[8];
		(void)snprintf(number, sizeof(number), "%d", columns);
		(void)setenv("COLUMNS", number, 1);
		struct result r = lampduel("list");
		static const char *const whole[] = {"2026-11-30 00:53", "interrupted",
						    "debian:bookworm/armhf"};
		for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
			if (strstr(buf_str(&r.out), whole[i]) == NULL)
				fail_msg("%d columns: %s", columns, buf_str(&r.out));
		}
		for (char *line = r.out.data, *end = NULL; *line != '\0'; line = end + 1) {
			end = strchr(line, '\n');
			assert_non_null(end);
			assert_true(end - line <= columns);
		}
		result_release(&r);
	}
	(void)setenv("COLUMNS", "100", 1);
}

static void show(void **state)
{
	(void)state;
	assert_runs("show", "Experiment  2, reference, interrupted\n");
	assert_runs("show 1", "Experiment  1, reference, complete\n");
	assert_runs("show exp:1", "Experiment  1, reference, complete\n");
	assert_runs("show 1", "\nphp.version                 8.2.29 [");
	assert_runs("show 1", "openssl/rsa4096");
	assert_runs("show 1 --executions", "execution\tround\twarmup\tattempt\ttask\tsystem\t");
	assert_runs("show 1 --executions",
		    "\n2\t1\t0\t1\twordpress/"
		    "opcache-on\thard\t1\t2\t5.000000000\t4.000000000\tok\t0\t\t"
		    "{}\twordpress/page/generate=1.");
	/* not a terminal: as it was printed */
	struct result r = lampduel("show 1 --raw 2");
	assert_string_equal(buf_str(&r.out), "raw \x1b[31mred\nsecond\n");
	result_release(&r);
	assert_refuses("show 3", 1, "no experiment 3 in the store");
	assert_refuses("show 1 2", 2, "one experiment at a time");
	assert_refuses("show x", 2, "\"x\" is not the number of an experiment");
	assert_refuses("show 1 --raw 31", 1, "experiment 1 has no execution 31");
	assert_refuses("show 1 --raw 0", 2, "out of range");
}

static void report(void **state)
{
	(void)state;
	assert_runs("report", "Experiment 2, the reference case");
	assert_runs("report 1", "Experiment 1, the reference case");
	assert_runs("report 1", "Results: hard against soft, under emulation\n");
	assert_runs("report 1 --explain", "\nHow sure\n- ");
	assert_refuses("report 1 --format papyrus", 2, "papyrus");
	assert_refuses("report 7", 1, "no experiment 7");
	char *file = fs_join(dir, "report.txt");
	char *arguments = mem_printf("report 1 -o %s", file);
	struct result r = lampduel(arguments);
	assert_int_equal(r.status, 0);
	assert_int_equal(r.out.len, 0);
	result_release(&r);
	struct buf text = BUF_INIT;
	assert_int_equal(fs_read(file, 1 << 20, &text, NULL), 0);
	assert_true(text_starts(buf_str(&text), "Experiment 1, the reference case"));
	buf_release(&text);
	mem_replace(&arguments, mem_printf("report 1 -o %s/no/such/folder", dir));
	assert_refuses(arguments, 1, "cannot write");
	free(arguments);
	free(file);
}

static void removal(void **state)
{
	(void)state;
	assert_refuses("remove", 2, "name the experiments");
	assert_refuses("remove 1 1", 2, "named twice");
	assert_refuses("remove 1 9", 1, "no experiment 9");
	struct err err = ERR_INIT;
	struct store *st = store_open(db, &err);
	assert_non_null(st);
	assert_int_equal(store_set_state(st, 2, "running", 0, &err), 0);
	assert_runs("list", "2       2026-11-30 00:53  reference  running ");
	assert_refuses("remove 1 2", 1, "experiment 2 is being measured just now");
	assert_refuses("run --resume 2", 1, "experiment 2 is being measured just now");
	assert_runs("show 1", "Experiment  1"); /* nothing was removed */
	assert_runs("remove 1", "removed experiment 1\n");
	assert_refuses("show 1", 1, "no experiment 1");
	assert_runs("remove --force 2", "removed experiment 2\n");
	store_close(st);
	assert_runs("list", "There is no experiment in the store");
	assert_refuses("report", 1, "there is no experiment in the store");
}

static void removal_of_a_killed_one(void **state)
{
	(void)state;
	assert_runs("remove 2", "removed experiment 2\n");
}

static void store_that_cannot_be_used(void **state)
{
	(void)state;
	assert_int_equal(fs_write_atomic(db, "no database at all, but long enough to be looked at",
					 50, 0600, NULL),
			 0);
	static const char *const commands[] = {"list", "show", "report", "remove 1"};
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		assert_refuses(commands[i], 1, db);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(list),
		TEST(list_fits),
		TEST(show),
		TEST(report),
		TEST(removal),
		TEST(removal_of_a_killed_one),
		TEST(store_that_cannot_be_used),
	};

	(void)setenv("COLUMNS", "100", 1);
	(void)setenv("LC_ALL", "C.UTF-8", 1);
	return cmocka_run_group_tests_name("commands on the store", tests, NULL, NULL);
}
