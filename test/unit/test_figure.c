/* What a report is made of: figures, digits, titles, units, tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/figure.h"
#include "report/published.h"
#include "report/table.h"
#include "report/view.h"

#define assert_close(a, b) assert_close_(a, b, 1e-9, __LINE__)

static void assert_close_(double a, double b, double share, int line)
{
	if (!(fabs(a - b) <= share * fabs(b)))
		fail_msg("line %d: %.17g is not %.17g", line, a, b);
}

static void figures(void **state)
{
	static const double v[] = {1, 2, 3, 4};
	static const double far[] = {1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4};
	static const double steps[] = {0.1, 0.1, 0.3, 0.3};

	(void)state;
	struct figure f = figure_of(v, steps, 4);
	assert_int_equal(f.n, 4);
	assert_close(f.mean, 2.5);
	assert_close(f.sd, 1.2909944487358056); /* sqrt(5 / 3) */
	assert_close(f.error, 0.6454972243679028);
	assert_close(f.step, 0.2);
	f = figure_of(far, NULL, 4);
	assert_close(f.mean, 1e9 + 2.5);
	assert_close(f.sd, 1.2909944487358056);
	f = figure_of(v, NULL, 1);
	assert_close(f.mean, 1);
	assert_true(isnan(f.sd) && isnan(f.error));
	f = figure_of(v, NULL, 0);
	assert_int_equal(f.n, 0);
}

static void changes(void **state)
{
	static const double b[] = {2, 4};
	static const double c[] = {1, 3};
	static const double zero[] = {0, 0};

	(void)state;
	struct change t = change_of_pairs(b, c, 2, LESS_IS_BETTER);
	assert_true(t.known);
	assert_int_equal(t.n, 2);
	assert_close(t.ratio, 2.0 / 3);
	assert_close(t.percent, -100.0 / 3);
	assert_close(t.times, 1.5);
	/* of the pairs' (c / 2 - b / 3): -1/6 and 1/6; the error of two is half their distance */
	assert_close(t.error, 1.0 / 6);
	t = change_of_pairs(b, c, 2, MORE_IS_BETTER);
	assert_close(t.ratio, 1.5);
	assert_close(t.percent, 50);
	assert_close(t.times, 2.0 / 3);
	assert_close(t.error, 1.0 / 6);
	assert_false(change_of_pairs(b, zero, 2, LESS_IS_BETTER).known);
	assert_false(change_of_pairs(zero, c, 2, MORE_IS_BETTER).known);
	assert_false(change_of_pairs(b, c, 0, LESS_IS_BETTER).known);
	assert_true(isnan(change_of_pairs(b, c, 1, LESS_IS_BETTER).error));

	struct figure x = figure_of(b, NULL, 2);
	struct figure y = figure_of(c, NULL, 2);
	t = change_of_figures(&x, &y, LESS_IS_BETTER);
	assert_close(t.ratio, 2.0 / 3);
	assert_close(t.error, hypot(1.0 / 3, 1.0 / 2)); /* errors are 1 and 1 */
	y.n = 0;
	assert_false(change_of_figures(&x, &y, LESS_IS_BETTER).known);
}

/* A reading of 0 has no logarithm, and its pairs an error all the same. */
static void zeros_have_an_error(void **state)
{
	static const double b[] = {0, 0.004, 0, 0.012, 0.004, 0, 0};
	static const double c[] = {0.004, 0, 0, 0.004, 0, 0, 0.003};
	struct change t = change_of_pairs(b, c, 7, LESS_IS_BETTER);
	struct buf out = BUF_INIT;

	(void)state;
	assert_true(t.error > 0.3);
	change_add_percent(&out, &t, 1e-6);
	change_add_times(&out, &t, 1e-6);
	assert_string_equal(buf_str(&out), "-40 %1.8x");
	buf_release(&out);
}

static void assert_shown(double value, int decimals, const char *text)
{
	struct buf b = BUF_INIT;

	figure_add(&b, value, decimals);
	assert_string_equal(buf_str(&b), text);
	buf_release(&b);
}

static void digits(void **state)
{
	(void)state;
	/* two digits of the standard error */
	assert_int_equal(figure_decimals(1.7012, 0.012, 0, 15), 3);
	assert_int_equal(figure_decimals(1.7012, 0.0012, 0, 15), 4);
	assert_int_equal(figure_decimals(1490, 120, 0, 15), -1);
	assert_int_equal(figure_decimals(1490, 1, 0, 15), 1);
	/* never more than six digits, nor beyond what the reading tells */
	assert_int_equal(figure_decimals(1.7012, 1e-9, 0, 15), 5);
	assert_int_equal(figure_decimals(3.03, 0.0004, 0.01, 15), 3);
	assert_int_equal(figure_decimals(3.03, 0, 0.01, 15), 2);
	assert_int_equal(figure_decimals(3.03, NAN, 0.01, 1), 2);
	assert_int_equal(figure_decimals(1.7012, NAN, 0.0001, 1), 4);
	/* nothing known: a clock's nanoseconds are no digits of a single reading */
	assert_int_equal(figure_decimals(3.03, NAN, 0, 1), 3);
	assert_int_equal(figure_decimals(0.0123456789, NAN, 1e-9, 1), 5);
	/* few values know their error badly: times 12.7 / 1.96 for two of them */
	assert_int_equal(figure_decimals(1.7012, 0.0016, 0, 2), 3);
	assert_int_equal(figure_decimals(1.7012, 0.012, 0, 3), 3);
	assert_int_equal(figure_decimals(1.7012, 0.02, 0, 2), 2);
	/* an error of a tenth or more: one digit of it */
	assert_int_equal(figure_decimals(1.7012, 0.2, 0, 15), 1);
	assert_int_equal(figure_decimals(0.0031, 0.0016, 0, 7), 3);
	assert_int_equal(figure_decimals(0.0031, 0.0016, 0, 2), 2);
	assert_int_equal(figure_decimals(0, NAN, 0, 1), 0);
	/* one digit of a value always */
	assert_int_equal(figure_decimals_least(21000), -4);
	assert_int_equal(figure_decimals_least(-0.0031), 3);
	assert_int_equal(figure_decimals_least(0), INT_MIN);
	assert_shown(1.70125, 3, "1.701");
	assert_shown(1486, -1, "1490");
	assert_shown(1486, -2, "1500");
	assert_shown(-0.001, 2, "0.00");
	assert_shown(-0.5, 1, "-0.5");
}

static void assert_change_shown(double ratio, double error, double step_share, const char *percent,
				const char *times)
{
	const struct change c = {true, 5, ratio, (ratio - 1) * 100, 1 / ratio, error};
	struct buf b = BUF_INIT;

	change_add_percent(&b, &c, step_share);
	assert_string_equal(buf_str(&b), percent);
	buf_clear(&b);
	change_add_times(&b, &c, step_share);
	assert_string_equal(buf_str(&b), times);
	buf_release(&b);
}

static void change_digits(void **state)
{
	(void)state;
	assert_change_shown(0.8753, 0.002, 0, "-12.47 %", "1.142x");
	assert_change_shown(0.8753, 0.02, 0, "-12.5 %", "1.142x");
	assert_change_shown(0.8753, 0.2, 0, "-10 %", "1.1x");
	assert_change_shown(0.5684, 0.5, 0, "-40 %", "1.8x");
	assert_change_shown(1.25, 0.02, 0, "+25.0 %", "0.800x");
	assert_change_shown(1.000001, 0.002, 0, "0.00 %", "1.000x");
	assert_change_shown(0.999999, 0.002, 0, "0.00 %", "1.000x");
	assert_change_shown(1, 0, 0, "0.0 %", "1.00x");
	/* what differs is not said to be equal, or nothing at all */
	assert_change_shown(1.04, 0.3, 0, "+4 %", "0.96x");
	assert_change_shown(1.0004, 0.3, 0, "0 %", "1.00x");
	assert_change_shown(0.00003, 0.1, 0, "-99.997 %", "33333.3x");
	assert_change_shown(20000, 0.1, 0, "+1999900 %", "0.0001x");
	/* single readings: their resolution */
	assert_change_shown(0.3366, NAN, 0.0098, "-66.34 %", "2.971x");
	assert_change_shown(0.3366, NAN, 0, "-66.3 %", "2.97x");
	struct change one = {true, 1, 0.5684, -43.16, 1.759, NAN};
	struct buf b = BUF_INIT;
	change_add_percent(&b, &one, 1e-7);
	assert_string_equal(buf_str(&b), "-43.2 %");
	buf_clear(&b);
	one.n = 5;
	one.error = 1.4 / sqrt(5);
	change_add_percent(&b, &one, 1e-7);
	assert_string_equal(buf_str(&b), "-40 %");
	buf_release(&b);
}

/* The published changes are those that the publication's figures give. */
static void published(void **state)
{
	static const struct {
		const char *metric;
		double percent, times;
	} expected[] = {
		{"wordpress/page/generate", -12.47, 1.142},
		{"mariadb/benchmark.encode/time", -66.34, 2.971},
		{"openssl/rsa2048/sign", -25.5, 1.342},
		{"openssl/rsa2048/verify", -29.3, 1.415},
		{"openssl/rsa4096/sign", -27.9, 1.388},
		{"openssl/rsa4096/verify", -30.5, 1.439},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const struct published_figure *p = published_find(expected[i].metric);
		assert_non_null(p);
		double scale = pow(10, p->change_decimals);
		double percent = (p->hard / p->soft - 1) * 100;
		assert_true(fabs(round(percent * scale) / scale - expected[i].percent) < 1e-9);
		assert_true(fabs(round(p->soft / p->hard * 1000) / 1000 - expected[i].times) <
			    1e-9);
	}
	assert_null(published_find("openssl/rsa1024/sign"));
}

static void assert_title(const char *metric, const char *unit, const char *conditions,
			 const char *params, const char *title)
{
	struct exp_metric m = {.name = mem_strdup(metric),
			       .unit = mem_strdup(unit),
			       .conditions = mem_strdup(conditions)};
	struct exp_task t = {.params = mem_strdup(params)};
	char *is = view_title(&m, &t);

	assert_string_equal(is, title);
	free(is);
	free(m.name);
	free(m.unit);
	free(m.conditions);
	free(t.params);
}

static void titles(void **state)
{
	(void)state;
	assert_title("wordpress/page/generate", "s", "cache=purged;opcache=on", "{}",
		     "WordPress page, OPcache on");
	assert_title("wordpress/page/total", "s", "", "{}", "WordPress page, request to last byte");
	assert_title("wordpress/cached/total", "s", "opcache=off", "{}",
		     "WordPress page from the page cache, request to last byte, OPcache off");
	assert_title("mariadb/benchmark.encode/time", "s/op", "",
		     "{\"expression\":\"ENCODE('praise','bob')\"}",
		     "1,000,000 x ENCODE('praise','bob')");
	assert_title("mariadb/benchmark.encode/time", "s/op", "clock=x;expression=encode('a')",
		     "not json", "1,000,000 x encode('a')");
	assert_title("mariadb/benchmark.md5/time", "s/op", "", "", "1,000,000 x MD5");
	assert_title("mariadb/query.2/time", "s", "", "", "MariaDB query.2 time");
	assert_title("openssl/rsa2048/sign", "op/s", "", "", "openssl rsa2048 sign");
	assert_title("openssl/kem.ml-kem-768/encaps", "op/s", "", "",
		     "openssl kem ml-kem-768 encaps");
	assert_title("openssl/evp.aes-128-cbc/16384", "B/s", "", "",
		     "openssl evp aes-128-cbc, blocks of 16384 bytes");
	assert_title("command/ls/wall", "s", "", "", "ls, wall clock");
	assert_title("command/ls/peak", "B", "", "", "ls, peak memory");
	assert_title("http/wrk/rate", "req/s", "", "", "http/wrk/rate");
	assert_title("odd", "s", "", "", "odd");
	char *c = view_condition("a=1;bb=2;b=3", "b");
	assert_string_equal(c, "3");
	free(c);
	assert_null(view_condition("a=1", "aa"));
	assert_null(view_condition("", "a"));
}

static void views(void **state)
{
	struct exp_metric rate = {.name = "openssl/evp.x/16384", .unit = "B/s"};
	struct exp_metric ops = {.name = "openssl/rsa2048/sign", .unit = "op/s"};
	struct exp_metric encode = {.name = "mariadb/benchmark.encode/time", .unit = "s/op"};
	struct exp_metric plain = {.name = "php/x/y", .unit = "1"};
	struct view second;

	(void)state;
	struct view v = view_main(&rate, 123456789);
	assert_string_equal(v.unit, "MB/s");
	assert_close(view_value(&v, 123456789), 123.456789);
	assert_string_equal(view_main(&rate, 999).unit, "B/s");
	assert_string_equal(view_main(&rate, 5e12).unit, "GB/s");
	v = view_main(&ops, 40);
	assert_string_equal(v.unit, "s/op");
	assert_close(view_value(&v, 40), 0.025);
	assert_close(view_error(&v, 40, 0.4), 0.00025); /* 1 % of it */
	assert_true(view_second(&ops, &second));
	assert_close(view_value(&second, 40), 40);
	v = view_main(&encode, 3e-6);
	assert_string_equal(v.unit, "s");
	assert_close(view_value(&v, 3.03e-6), 3.03);
	assert_false(view_second(&encode, &second));
	assert_string_equal(view_main(&plain, 3).unit, "");
}

static void assert_table(const char *const *cells, size_t n, size_t columns, size_t width,
			 const char *expected)
{
	struct table t;
	struct buf b = BUF_INIT;

	table_init(&t, columns, false, false);
	for (size_t i = 0; i < n; i++)
		table_add(&t, cells[i]);
	table_render(&t, width, &b);
	assert_string_equal(buf_str(&b), expected);
	buf_release(&b);
	table_release(&t);
}

static void lines_over_all_columns(void **state)
{
	struct table t;
	struct buf b = BUF_INIT;

	(void)state;
	table_init(&t, 2, false, false);
	table_add(&t, "a");
	table_add(&t, "b");
	table_add_line(&t, "  wider than both of them", PAINT_NONE);
	table_add(&t, "cc"); /* ended by the line after it */
	table_add_line(&t, "", PAINT_NONE);
	table_add(&t, "d");
	table_render(&t, 16, &b);
	assert_string_equal(buf_str(&b), "a   b\n  wider than\n  both of them\ncc\n\nd\n");
	buf_release(&b);
	table_release(&t);
}

static void tables(void **state)
{
	static const char *const plain[] = {"a", "bb", "ccc", "d"};
	static const char *const lines[] = {"one\ntwo", "x", "  a b c d", "y"};
	static const char *const words[] = {"alpha beta gamma",
					    "1" TABLE_GLUE "s 2" TABLE_GLUE "s"};
	static const char *const odd[] = {"a", "b", "c"};

	(void)state;
	assert_table(plain, 4, 2, 80, "a    bb\nccc  d\n");
	assert_table(lines, 4, 2, 80, "one        x\ntwo\n  a b c d  y\n");
	assert_table(lines, 4, 2, 9, "one     x\ntwo\n  a b   y\n  c d\n");
	assert_table(words, 2, 2, 13, "alpha  1 s\nbeta   2 s\ngamma\n");
	assert_table(odd, 3, 2, 80, "a  b\nc\n");
	struct buf b = BUF_INIT;
	table_paragraph(&b, "- ", "some words that are wrapped\nhere", 14, false);
	assert_string_equal(buf_str(&b), "- some words\n  that are\n  wrapped\n  here\n");
	buf_clear(&b);
	table_paragraph(&b, "", "", 20, false);
	assert_string_equal(buf_str(&b), "\n");
	buf_clear(&b);
	table_paragraph(&b, "", "averyveryverylongword", 10, false);
	assert_string_equal(buf_str(&b), "averyveryv\nerylongwor\nd\n");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures),
		cmocka_unit_test(changes),
		cmocka_unit_test(digits),
		cmocka_unit_test(zeros_have_an_error),
		cmocka_unit_test(change_digits),
		cmocka_unit_test(published),
		cmocka_unit_test(titles),
		cmocka_unit_test(views),
		cmocka_unit_test(lines_over_all_columns),
		cmocka_unit_test(tables),
	};

	(void)setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("figures", tests, NULL, NULL);
}
