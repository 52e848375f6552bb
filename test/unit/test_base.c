/* base: numbers, escapes, files, processes, random choices. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/proc.h"
#include "base/rng.h"
#include "base/text.h"

static void err_keeps_one_line_with_context(void **state)
{
	(void)state;
	struct err e = ERR_INIT;

	assert_int_equal(err_errno(&e, ENOENT, "cannot open %s", "x"), ERR_FAIL);
	assert_string_equal(e.msg, "cannot open x: No such file or directory");
	assert_int_equal(err_wrap(&e, "system %s", "soft"), ERR_FAIL);
	assert_string_equal(e.msg, "system soft: cannot open x: No such file or directory");
	assert_int_equal(err_code(&e, ERR_GONE, "gone"), ERR_GONE);
	assert_int_equal(err_wrap(&e, "in a"), ERR_GONE);
	assert_int_equal(err_set(NULL, "nobody listens"), ERR_FAIL);
}

static void err_cuts_what_is_too_long(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	char text[3 * ERR_MAX];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	(void)err_set(&e, "%s", text);
	(void)err_wrap(&e, "%s", text);
	assert_int_equal(strlen(e.msg), ERR_MAX - 1);
}

static void buf_grows_and_keeps_nul_bytes(void **state)
{
	(void)state;
	struct buf b = BUF_INIT;

	assert_string_equal(buf_str(&b), "");
	for (int i = 0; i < 1000; i++)
		buf_addf(&b, "%d\n", i);
	buf_add(&b, "a\0b", 3);
	assert_int_equal(b.len, 10 * 2 + 90 * 3 + 900 * 4 + 3);
	assert_memory_equal(b.data + b.len - 3, "a\0b", 4);
	buf_release(&b);
}

static void numbers_are_read_whole_or_not_at_all(void **state)
{
	(void)state;
	int64_t i = 0;
	uint64_t u = 0;
	double d = 0;

	assert_true(text_to_i64("-12", &i) && i == -12);
	assert_false(text_to_i64("12x", &i) || text_to_i64("", &i) || text_to_i64(" 1", &i));
	assert_false(text_to_i64("9223372036854775808", &i));
	assert_true(text_to_u64("18446744073709551615", &u) && u == UINT64_MAX);
	assert_false(text_to_u64("-1", &u) || text_to_u64("18446744073709551616", &u));
	assert_true(text_to_double("1.5e-3", &d) && d == 0.0015);
	assert_false(text_to_double("nan", &d) || text_to_double("inf", &d));
	assert_false(text_to_double("0x10", &d) || text_to_double("1,5", &d));
	assert_false(text_to_double("1e999", &d));
}

static void durations_and_shares(void **state)
{
	(void)state;
	int64_t ns = 0;
	double x = 0;

	assert_true(text_to_duration("90s", &ns) && ns == 90 * NS_PER_S);
	assert_true(text_to_duration("1.5h", &ns) && ns == 5400 * NS_PER_S);
	assert_true(text_to_duration("250ms", &ns) && ns == NS_PER_S / 4);
	assert_false(text_to_duration("-1s", &ns) || text_to_duration("5 s", &ns));
	assert_false(text_to_duration("1d", &ns) || text_to_duration("1e30h", &ns));
	assert_true(text_to_share("2%", &x) && fabs(x - 0.02) < 1e-15);
	assert_true(text_to_share("0.05", &x) && x == 0.05);
	assert_false(text_to_share("2 %", &x) || text_to_share("-1%", &x));
}

static void hostile_text_cannot_reach_the_terminal(void **state)
{
	(void)state;
	static const char hostile[] = "a\033[31mb\x9b\xc2\x9bz\xe2\x80\xae\n\tk\xffü";
	char *safe = text_escaped(hostile);

	assert_string_equal(safe, "a\\x1b[31mb\\x9b\\x9bz\\u{202e}\\n\\tk\\xffü");
	free(safe);
}

static void significant_digits(void **state)
{
	(void)state;
	static const struct {
		double value;
		int digits;
		const char *text;
	} rows[] = {
		{0.025189, 3, "0.0252"},
		{9.996, 3, "10.0"},
		{1489.1, 3, "1490"},
		{6.06, 2, "6.1"},
		{0.000477, 2, "0.00048"},
		{-12.465, 4, "-12.46"},
		{0, 3, "0"},
		{999.96, 4, "1000"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf b = BUF_INIT;
		text_add_significant(&b, rows[i].value, rows[i].digits);
		assert_string_equal(b.data, rows[i].text);
		buf_release(&b);
	}
}

static void metric_parts(void **state)
{
	(void)state;
	char *s = text_metric_part("AES-128 CBC/x\033\"");

	assert_string_equal(s, "aes-128_cbcx");
	free(s);
}

/* A folder of this test's own. */
static int make_dir(void **state)
{
	char path[] = "/tmp/lampduel test.XXXXXX";

	if (mkdtemp(path) == NULL)
		return -1;
	*state = mem_strdup(path);
	return 0;
}

static int drop_dir(void **state)
{
	struct err e = ERR_INIT;
	int rc = fs_remove_tree(*state, &e);

	free(*state);
	return rc;
}

static void write_file(const char *dir, const char *name, const char *text)
{
	struct err e = ERR_INIT;
	char *path = fs_join(dir, name);

	assert_int_equal(fs_write_atomic(path, text, strlen(text), 0644, &e), 0);
	free(path);
}

static void write_is_atomic_and_leaves_nothing(void **state)
{
	const char *dir = *state;
	struct err e = ERR_INIT;
	struct strvec names = STRVEC_INIT;
	char *missing = fs_join(dir, "none/file");

	write_file(dir, "a", "one");
	write_file(dir, "a", "two");
	assert_int_equal(fs_write_atomic(missing, "x", 1, 0644, &e), ERR_FAIL);
	assert_non_null(strstr(e.msg, "none/file"));
	assert_int_equal(fs_list(dir, &names, &e), 0);
	assert_int_equal(names.n, 1);
	strvec_release(&names);
	free(missing);
}

/* What the user names for output keeps its kind: -o on a device once replaced it with a file. */
static void output_keeps_what_is_there(void **state)
{
	const char *dir = *state;
	struct err e = ERR_INIT;
	struct stat st;
	struct buf b = BUF_INIT;
	char *target = fs_join(dir, "target");
	char *link = fs_join(dir, "link");
	char *fifo = fs_join(dir, "fifo");

	write_file(dir, "target", "old");
	assert_int_equal(symlink("target", link), 0);
	assert_int_equal(fs_write_output(link, "new", 3, &e), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(fs_read(target, 10, &b, &e), 0);
	assert_string_equal(b.data, "new");

	assert_int_equal(chmod(target, 0444), 0);
	assert_int_equal(fs_write_output(target, "no", 2, &e), ERR_FAIL);
	assert_non_null(strstr(e.msg, "read-only"));

	assert_int_equal(mkfifo(fifo, 0600), 0);
	int reader = open(fifo, O_RDONLY | O_NONBLOCK);
	char got[8] = "";
	assert_int_equal(fs_write_output(fifo, "pipe", 4, &e), 0);
	assert_int_equal(read(reader, got, sizeof(got)), 4);
	assert_string_equal(got, "pipe");
	assert_int_equal(lstat(fifo, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	(void)close(reader);

	assert_int_equal(fs_write_output(dir, "x", 1, &e), ERR_FAIL);
	assert_non_null(strstr(e.msg, "folder"));
	buf_release(&b);
	free(fifo);
	free(link);
	free(target);
}

static void read_stops_at_its_limit(void **state)
{
	const char *dir = *state;
	struct err e = ERR_INIT;
	struct buf b = BUF_INIT;
	char *path = fs_join(dir, "a");

	write_file(dir, "a", "12345");
	assert_int_equal(fs_read(path, 5, &b, &e), 0);
	assert_string_equal(b.data, "12345");
	assert_int_equal(fs_read(path, 9, &b, &e), ERR_FAIL); /* 5 + 5 */
	buf_release(&b);
	free(path);
}

static void links_are_resolved_inside_the_root(void **state)
{
	const char *dir = *state;
	struct err e = ERR_INIT;
	char *root = fs_join(dir, "root");
	char *usr = fs_join(root, "usr/bin");

	assert_int_equal(fs_mkdirs(usr, 0755, &e), 0);
	write_file(usr, "tool", "x");
	char *link = fs_join(root, "bin");
	assert_int_equal(symlink("/usr/bin", link), 0);
	char *up = fs_join(root, "escape");
	assert_int_equal(symlink("../../../../../../etc/passwd", up), 0);
	char *loop = fs_join(root, "loop");
	assert_int_equal(symlink("loop", loop), 0);

	char *found = fs_resolve_in_root(root, "/bin/tool");
	char *want = fs_join(usr, "tool");
	assert_string_equal(found, want);
	assert_null(fs_resolve_in_root(root, "/escape"));
	assert_null(fs_resolve_in_root(root, "/loop"));
	free(found);
	free(want);
	free(loop);
	free(up);
	free(link);
	free(usr);
	free(root);
}

static void copies_hold_no_links(void **state)
{
	const char *dir = *state;
	struct err e = ERR_INIT;
	char *root = fs_join(dir, "root");
	char *wp = fs_join(root, "usr/share/wp");
	char *js = fs_join(root, "usr/share/js");
	char *to = fs_join(dir, "copy");

	assert_int_equal(fs_mkdirs(wp, 0755, &e), 0);
	assert_int_equal(fs_mkdirs(js, 0755, &e), 0);
	write_file(js, "a.js", "js");
	char *link = fs_join(wp, "lib");
	assert_int_equal(symlink("/usr/share/js", link), 0);
	char *dangling = fs_join(wp, "gone");
	assert_int_equal(symlink("/nowhere", dangling), 0);
	assert_int_equal(fs_copy_tree_in_root(root, "/usr/share/wp", to, &e), 0);

	struct stat st;
	char *copied = fs_join(to, "lib/a.js");
	assert_int_equal(lstat(copied, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	char *gone = fs_join(to, "gone");
	assert_int_not_equal(lstat(gone, &st), 0);
	free(gone);
	free(copied);
	free(dangling);
	free(link);
	free(to);
	free(js);
	free(wp);
	free(root);
}

static void removal_does_not_follow_links(void **state)
{
	const char *dir = *state;
	struct err e = ERR_INIT;
	char *keep = fs_join(dir, "keep");
	char *gone = fs_join(dir, "gone");
	char *inner = fs_join(gone, "inner");
	char *link = fs_join(gone, "link");

	assert_int_equal(fs_mkdirs(keep, 0755, &e), 0);
	write_file(keep, "a", "x");
	assert_int_equal(fs_mkdirs(inner, 0755, &e), 0);
	assert_int_equal(symlink(keep, link), 0);
	assert_int_equal(chmod(inner, 0), 0);
	assert_int_equal(fs_remove_tree(gone, &e), 0);
	assert_false(fs_exists(gone));
	char *a = fs_join(keep, "a");
	assert_true(fs_exists(a));
	assert_int_equal(fs_remove_tree(gone, &e), 0); /* nothing there is no error */
	free(a);
	free(link);
	free(inner);
	free(gone);
	free(keep);
}

static void programs_run_and_are_told_apart(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct proc_result r;
	char *fails[] = {"sh", "-c", "echo out; echo err >&2; exit 3", NULL};
	char *none[] = {"/no/such/program", NULL};
	char *slow[] = {"sleep", "30", NULL};

	assert_int_equal(proc_run(fails, 0, NULL, &r, &e), 0);
	assert_int_equal(r.exit_code, 3);
	assert_string_equal(r.out.data, "out\n");
	assert_string_equal(r.err.data, "err\n");
	proc_result_release(&r);
	assert_int_equal(proc_run(none, 0, NULL, &r, &e), ERR_FAIL);
	assert_non_null(strstr(e.msg, "/no/such/program"));
	proc_result_release(&r);
	assert_int_equal(proc_run(slow, NS_PER_S / 5, NULL, &r, &e), ERR_TIMEOUT);
	proc_result_release(&r);
}

static void streams_are_independent_and_repeatable(void **state)
{
	(void)state;
	struct rng *a = rng_new(7, 1);
	struct rng *b = rng_new(7, 1);
	struct rng *c = rng_new(7, 2);
	int same = 0;

	for (int i = 0; i < 100; i++) {
		size_t x = rng_below(a, 1000);
		assert_int_equal(x, rng_below(b, 1000));
		same += x == rng_below(c, 1000);
	}
	assert_true(same < 10);
	rng_free(a);
	rng_free(b);
	rng_free(c);
}

static void virtual_clock_moves_only_when_told(void **state)
{
	(void)state;
	struct clock c;
	char text[32];

	clock_init_virtual(&c, 5 * NS_PER_S, INT64_C(1796000000) * NS_PER_S);
	assert_int_equal(clock_now_ns(&c), 5 * NS_PER_S);
	clock_advance_to(&c, 4 * NS_PER_S);
	assert_int_equal(clock_now_ns(&c), 5 * NS_PER_S);
	clock_sleep_ns(&c, NS_PER_S);
	clock_format_utc(clock_unix_ns(&c), text, sizeof(text));
	assert_string_equal(text, "2026-11-30 00:53:26 UTC");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(err_keeps_one_line_with_context),
		cmocka_unit_test(err_cuts_what_is_too_long),
		cmocka_unit_test(buf_grows_and_keeps_nul_bytes),
		cmocka_unit_test(numbers_are_read_whole_or_not_at_all),
		cmocka_unit_test(durations_and_shares),
		cmocka_unit_test(hostile_text_cannot_reach_the_terminal),
		cmocka_unit_test(significant_digits),
		cmocka_unit_test(metric_parts),
		cmocka_unit_test_setup_teardown(write_is_atomic_and_leaves_nothing, make_dir,
						drop_dir),
		cmocka_unit_test_setup_teardown(output_keeps_what_is_there, make_dir, drop_dir),
		cmocka_unit_test_setup_teardown(read_stops_at_its_limit, make_dir, drop_dir),
		cmocka_unit_test_setup_teardown(links_are_resolved_inside_the_root, make_dir,
						drop_dir),
		cmocka_unit_test_setup_teardown(copies_hold_no_links, make_dir, drop_dir),
		cmocka_unit_test_setup_teardown(removal_does_not_follow_links, make_dir, drop_dir),
		cmocka_unit_test(programs_run_and_are_told_apart),
		cmocka_unit_test(streams_are_independent_and_repeatable),
		cmocka_unit_test(virtual_clock_moves_only_when_told),
	};

	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
