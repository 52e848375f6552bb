/* parse: what lies below the readers, and the stream: numbers, SQL, cleaning, headings, runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parse/clean.h"
#include "parse/label.h"
#include "parse/reader.h"
#include "parse/sql.h"

static void numbers_are_read_as_printed(void **state)
{
	struct num n;

	(void)state;
	assert_true(num_scan("1482.2s", 0, &n));
	assert_true(n.value == 1482.2 && n.decimals == 1 && n.step == 0.1 && *n.end == 's');
	assert_true(num_scan("727,889.620us", NUM_THOUSANDS, &n));
	assert_true(n.value == 727889.62 && n.decimals == 3);
	assert_true(num_scan("727,889.620", 0, &n) && n.value == 727);
	assert_true(num_scan("3,03 sec", NUM_COMMA, &n) && n.value == 3.03 && n.step == 0.01);
	assert_true(num_scan("1.5e-05,", NUM_EXPONENT, &n) && n.value == 1.5e-05 && *n.end == ',');
	assert_true(num_scan("7.", 0, &n) && n.value == 7 && *n.end == '.');
	assert_true(num_scan("9007199254740993", 0, &n) && n.value == 9007199254740992.0);
	assert_true(num_scan("33.45652016", 0, &n) && n.value == 33.45652016);
	assert_false(num_scan("-1", 0, &n));
	assert_true(num_scan("-1", NUM_SIGN, &n) && n.value == -1);
	assert_false(num_scan(".5", 0, &n));
	assert_false(num_scan("inf", 0, &n));
	assert_false(num_scan("1e999", NUM_EXPONENT, &n));
	assert_false(num_scan("99999999999999999999999999999999999999999999999", 0, &n));
	assert_true(num_scan("1053297.41k", 0, &n) && num_scaled(&n, 1000) == 1053297410);
	assert_true(num_scan("15147.907", 0, &n) && num_scaled(&n, 1e-3) == 15.147907);
}

static void times_have_units(void **state)
{
	struct num n;

	(void)state;
	assert_true(num_scan_time("468.49us", &n) && n.value == 0.00046849);
	assert_true(num_scan_time("993.7 ms,", &n) && n.value == 0.9937 && *n.end == ',');
	assert_true(num_scan_time("2.50m,", &n) && n.value == 150);
	/* what is left of ms, perhaps */
	assert_false(num_scan_time("2.50m", &n));
	assert_false(num_scan_time("12", &n));
	assert_false(num_scan_time("12 parsecs", &n));
	assert_non_null(num_scan_bad("infs"));
	assert_non_null(num_scan_bad("-nan"));
	assert_non_null(num_scan_bad("-12.5k"));
	assert_null(num_scan_bad("12.5k"));
	assert_null(num_scan_bad("none"));
}

static void sql_tells_benchmarks_apart(void **state)
{
	struct sql_benchmark b;
	struct num n;
	char text[64];

	(void)state;
	assert_true(sql_benchmark("SELECT BENCHMARK(1000000,ENCODE('praise', 'a b'));", &b));
	assert_true(b.count == 1e6 && b.whole);
	assert_string_equal(b.expr, "ENCODE('praise','a b')");
	assert_true(sql_benchmark("select benchmark( 10 * 1e3 , (select 1) ) as x", &b));
	assert_true(b.count == 1e4 && b.whole);
	assert_true(sql_benchmark("select benchmark(@n,1)", &b) && b.count == 0);
	assert_true(sql_benchmark("select 1, benchmark(5,1)", &b) && !b.whole);
	assert_true(sql_benchmark("select benchmark(5,')')", &b));
	assert_string_equal(b.expr, "')'");
	assert_false(sql_benchmark("select benchmark(5,1", &b));
	assert_false(sql_benchmark("select benchmark(5,1)+benchmark(6,1)", &b));
	assert_false(sql_benchmark("select benchmark", &b));
	assert_true(sql_duration("1 min 2.50 sec)", &n) && n.value == 62.5 && n.step == 0.01);
	assert_true(sql_duration("2 hours 3 min 0,1 s", &n) && fabs(n.value - 7380.1) < 1e-9);
	assert_false(sql_duration("1 min", &n));
	assert_false(sql_duration("1 sec 1 min", &n) && n.value != 1);
	assert_false(sql_duration("3.03", &n));
	sql_squeeze("  a   'b  c'  d ", 16, text, sizeof(text));
	assert_string_equal(text, "a 'b  c' d");
	sql_normalise("a b", 3, text, 13);
	assert_string_equal(text, "ab");
	assert_string_equal(sql_end("select ';' ;x"), "x");
	assert_null(sql_end("select ';"));
}

static void expect_clean(const char *raw, const char *want)
{
	struct buf out = BUF_INIT;

	clean_bytes(raw, strlen(raw), &out);
	assert_string_equal(buf_str(&out), want);
	buf_release(&out);
}

static void markup_goes(void **state)
{
	(void)state;
	expect_clean("plain text\r", "plain text");
	expect_clean("\x1b[1;32mrsa\x1b[0m \x1b]0;title\x07 2048", "rsa  2048");
	expect_clean("10s: ^[[A^[[A2948", "10s: 2948");
	expect_clean("mysql&gt; &#39;x&#39; &amp;gt; &quot;&#x41;&nbsp;", "mysql> 'x' > \"A ");
	expect_clean("a &nothing; b && c", "a &nothing; b && c");
	expect_clean("<pre class=\"x\">a<br/>b</pre>", "\na\nb\n");
	expect_clean("<td>md5</td><td>1.00k</td>", " md5  1.00k ");
	expect_clean("a <b@c> 1 < 2", "a <b@c> 1 < 2");
	expect_clean("<!-- kept -->", "<!-- kept -->");
	expect_clean("<h2>Soft</h2>", "\n## Soft\n");
	expect_clean("for **3s** on \\_x\\*", "for 3s on _x*");
	expect_clean("\xef\xbb\xbf"
		     "x\xc2\xa0y \xe2\x80\x98z\xe2\x80\x99",
		     "\n\fx y 'z'");
	expect_clean("ab\bc\x01", "ac");
	expect_clean("\xce\xbcs \xff", "\xce\xbcs ");
}

static void expect_prefix(const char *line, const char *want, int hashes, bool prompt)
{
	char text[200];
	struct clean_line c;

	snprintf(text, sizeof(text), "%s", line);
	clean_prefix(text, strlen(text), &c);
	assert_string_equal(c.s, want);
	assert_int_equal(c.len, strlen(want));
	assert_int_equal(c.hashes, hashes);
	assert_int_equal(c.prompt, prompt);
}

static void quoting_goes(void **state)
{
	(void)state;
	expect_prefix("> > rsa 2048 bits  ", "rsa 2048 bits", 0, false);
	expect_prefix(">mysql> select 1;", "mysql> select 1;", 0, false);
	expect_prefix("#\trsa", "rsa", 1, false);
	expect_prefix("## Soft float", "Soft float", 2, false);
	expect_prefix("$ openssl speed", "openssl speed", 0, true);
	expect_prefix("pi@board:~/x $ openssl speed", "openssl speed", 0, true);
	expect_prefix("puffy$ openssl speed", "openssl speed", 0, true);
	expect_prefix("US$ 5", "US$ 5", 0, false);
	expect_prefix("[root@host dir]# ab -n 1", "ab -n 1", 0, true);
	expect_prefix("JD> text", "text", 0, false);
	expect_prefix("2024-05-03T22:11:19.123Z text", "text", 0, false);
	expect_prefix("[2024-05-03 22:11:19] text", "text", 0, false);
	expect_prefix("[22:11:19] text", "text", 0, false);
	expect_prefix("22:11:19.123 text", "text", 0, false);
	expect_prefix("[   12.345678] text", "text", 0, false);
	expect_prefix("[12.5] text", "[12.5] text", 0, false);
	expect_prefix("+md5 1.00k", "md5 1.00k", 0, false);
	expect_prefix("++R:1:md5:3.0", "+R:1:md5:3.0", 0, false);
	expect_prefix("+DTP:2048:private:rsa:1", "+DTP:2048:private:rsa:1", 0, false);
	expect_prefix("++$this->x 0.1", "++$this->x 0.1", 0, false);
	expect_prefix("//", "", 0, false);
	expect_prefix("* an item", "an item", 0, false);
	expect_prefix("--$this->x 0.1", "--$this->x 0.1", 0, false);
	expect_prefix("$x = 1", "$x = 1", 0, false);
	expect_prefix("-> from t", "-> from t", 0, false);
	expect_prefix("| a | b |", "| a | b |", 0, false);
	expect_prefix("```text", "", 0, false);
	expect_prefix(">", "", 0, false);
	expect_prefix("`code`", "code", 0, false);
}

static struct labels labels;

static bool heading(const char *line)
{
	char text[200];
	struct clean_line c;

	snprintf(text, sizeof(text), "%s", line);
	clean_prefix(text, strlen(text), &c);
	if (c.len == 0) {
		labels_blank(&labels, c.hashes);
		return false;
	}
	return labels_line(&labels, &c);
}

static void headings_label(void **state)
{
	(void)state;
	labels_reset(&labels);
	assert_true(heading("# Soft float"));
	assert_string_equal(labels_text(&labels), "Soft float");
	heading("");
	/* a tool's name is no system's */
	assert_true(heading("## openssl"));
	assert_string_equal(labels_text(&labels), "Soft float");
	heading("");
	assert_true(heading("# Hard float"));
	assert_string_equal(labels_text(&labels), "Hard float");
	heading("");
	assert_true(heading("## Run 2"));
	assert_string_equal(labels_text(&labels), "Hard float / Run 2");
	heading("");
	assert_false(heading("Board A"));
	assert_true(heading("======="));
	assert_string_equal(labels_text(&labels), "Board A");
	heading("");
	assert_true(heading("=== Board B ==="));
	assert_string_equal(labels_text(&labels), "Board B");
	heading("");
	assert_true(heading("==> soft.txt <=="));
	assert_string_equal(labels_text(&labels), "soft.txt");
	heading("");
	assert_true(heading("Default:"));
	assert_string_equal(labels_text(&labels), "Default");
	heading("");
	assert_false(heading("Here is the output of the second one:"));
	assert_false(heading("# cat /proc/cpuinfo | grep model"));
	assert_string_equal(labels_text(&labels), "Default");
	heading("");
	assert_true(heading("# Hard | *v7*"));
	assert_string_equal(labels_text(&labels), "Hard | *v7*");
	/* no text of people: options, markup, a command that goes on */
	heading("");
	assert_false(heading("Board D"));
	heading("");
	assert_false(heading("-O2 -fPIC"));
	assert_false(heading("<!-- Cache path:"));
	assert_false(heading("perf stat -e cycles \\"));
	assert_string_equal(labels_text(&labels), "Board D");
	/* lines that all begin with # are comments */
	heading("");
	assert_true(heading("# Board C"));
	assert_false(heading("# more of it"));
	assert_string_equal(labels_text(&labels), "Board C");
}

static void runs_are_counted(void **state)
{
	struct runs r = {0};

	(void)state;
	/* row by row: two cores */
	assert_int_equal(runs_row(&r, "a"), 1);
	assert_int_equal(runs_row(&r, "a"), 2);
	assert_int_equal(runs_row(&r, "b"), 1);
	assert_int_equal(runs_row(&r, "b"), 2);
	runs_boundary(&r);
	/* run by run */
	assert_int_equal(runs_row(&r, "a"), 3);
	assert_int_equal(runs_row(&r, "b"), 3);
	assert_int_equal(runs_row(&r, "a"), 4);
	assert_int_equal(runs_row(&r, "b"), 4);
	/* more rows than are remembered */
	for (int i = 0; i < 2 * RUN_ROWS; i++) {
		char row[16];

		snprintf(row, sizeof(row), "row%d", i);
		assert_int_equal(runs_row(&r, row), 4 + 1 - 1);
	}
}

static void names_become_metrics(void **state)
{
	char name[METRIC_NAME * 2], one[METRIC_NAME + 64], two[METRIC_NAME + 64];

	(void)state;
	metric_part(one, sizeof(one), "DES EDE3", 8);
	assert_string_equal(one, "des_ede3");
	metric_join(one, sizeof(one), "php/bench/", "$x = Foo::f()", 13, "", false);
	assert_string_equal(one, "php/bench/$x = Foo::f()");
	/* long names that differ behind what is kept stay two */
	memset(name, 'a', sizeof(name));
	metric_join(one, sizeof(one), "go/", name, sizeof(name), "/time", true);
	name[sizeof(name) - 1] = 'b';
	metric_join(two, sizeof(two), "go/", name, sizeof(name), "/time", true);
	assert_string_not_equal(one, two);
	assert_string_equal(one + strlen(one) - 5, "/time");
}

/* The stream ---------------------------------------------------------------- */

static const char text_of_two[] = "# Soft\n$ openssl speed rsa2048\n"
				  "rsa 2048 bits 0.025189s 0.000675s     39.7   1482.2\n"
				  "# Hard\r\n$ openssl speed rsa2048\r\n"
				  "rsa 2048 bits 0.018764s 0.000477s     53.3   2097.9";

static void collect(void *arg, const struct parse_value *v)
{
	struct buf *b = arg;

	buf_addf(b, "%d %s %s %.17g %ld\n", v->run, v->label, v->metric, v->value, v->line);
}

/* The pieces a text comes in change nothing. */
static void pieces_do_not_matter(void **state)
{
	struct buf whole = BUF_INIT, pieces = BUF_INIT;
	struct parse_sink sink = {.value = collect, .arg = &whole};
	size_t len = strlen(text_of_two);
	struct err err = ERR_INIT;
	struct parse_stream *s = parse_stream_new("f", &sink);

	(void)state;
	parse_stream_feed(s, text_of_two, len);
	assert_int_equal(parse_stream_finish(s, &err), 0);
	parse_stream_free(s);
	assert_non_null(strstr(buf_str(&whole), "1 Soft openssl/rsa2048/verify 1482.2"));
	assert_non_null(strstr(buf_str(&whole), "2 Hard openssl/rsa2048/verify 2097.9"));
	for (size_t size = 1; size < 40; size++) {
		buf_clear(&pieces);
		sink.arg = &pieces;
		s = parse_stream_new("f", &sink);
		for (size_t i = 0; i < len; i += size)
			parse_stream_feed(s, text_of_two + i, len - i < size ? len - i : size);
		assert_int_equal(parse_stream_finish(s, &err), 0);
		parse_stream_free(s);
		assert_string_equal(buf_str(&whole), buf_str(&pieces));
	}
	buf_release(&whole);
	buf_release(&pieces);
}

/* Text in 16-bit units of either order, in pieces that break units and pairs of them. */
static void wide_text_is_read(void **state)
{
	static const char text[] =
		"mysql> select benchmark(100,md5('\xe5\xb0\x94\xf0\x9f\x98\x80'));\n"
		"1 row in set (2.50 sec)\n";
	static const unsigned units[] = {0x5c14, 0xd83d, 0xde00};
	struct buf wide = BUF_INIT, got = BUF_INIT;
	struct parse_sink sink = {.value = collect, .arg = &got};
	struct err err = ERR_INIT;

	(void)state;
	for (int big = 0; big < 2; big++) {
		buf_clear(&wide);
		buf_add(&wide, big ? "\xfe\xff" : "\xff\xfe", 2);
		for (size_t i = 0, k = 0; i < sizeof(text) - 1; i++) {
			unsigned unit = (unsigned char)text[i];

			if (unit >= 0x80 && (unit & 0xc0) == 0x80)
				continue;
			for (bool more = true; more;) {
				more = unit >= 0xf0 && unit < 0x100;
				unsigned u = unit >= 0x80 ? units[k++] : unit;
				buf_addch(&wide, (char)(big ? u >> 8 : u & 0xff));
				buf_addch(&wide, (char)(big ? u & 0xff : u >> 8));
				unit = more ? 0x80 : unit;
			}
		}
		for (size_t size = 1; size < 5; size++) {
			struct parse_stream *s = parse_stream_new("f", &sink);

			buf_clear(&got);
			for (size_t i = 0; i < wide.len; i += size)
				parse_stream_feed(s, wide.data + i,
						  wide.len - i < size ? wide.len - i : size);
			assert_int_equal(parse_stream_finish(s, &err), 0);
			parse_stream_free(s);
			assert_string_equal(buf_str(&got),
					    "1  mariadb/benchmark.md5('\xe5\xb0\x94\xf0\x9f\x98"
					    "\x80')/time 0.025000000000000001 2\n");
		}
	}
	buf_release(&wide);
	buf_release(&got);
}

/* What a text's end cuts off is not made up from what is left. */
static void a_cut_row_gives_no_rate(void **state)
{
	static const char text[] = "OpenSSL 3.0.2 15 Mar 2022\n"
				   "                  sign    verify    sign/s verify/s\n"
				   "rsa 2048 bits 0.000790s 0.000015s   1316.7  42004";
	struct parse_result r = {{NULL, 0, 0}, {NULL, 0, 0}};
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(parse_text(text, strlen(text), "cut", &r, &err), 0);
	assert_int_equal(r.values.n, 2);
	assert_true(r.values.v[0].has_value && r.values.v[0].value == 1316.7);
	assert_false(r.values.v[1].has_value || r.values.v[1].derived);
	assert_true(r.values.v[1].value == 0 && r.values.v[1].step == 0);
	assert_string_equal(r.values.v[1].note, "the text ends before the rate");
	parse_result_release(&r);
}

/* Options that were broken over lines are no heading: the table is the same run's. */
static void broken_options_keep_a_run_whole(void **state)
{
	static const char text[] = "Board A\n"
				   "$ openssl speed md5\n"
				   "Doing md5 for 3s on 16 size blocks: 300 md5's in 3.00s\n"
				   "OpenSSL 1.0.2o 27 Mar 2018\n"
				   "options:bn(64,64) rc4(16x,int) des(idx,cisc,16,int)\n"
				   "idea(int) blowfish(idx)\n\n"
				   "compiler: gcc -I. -I..\n\n"
				   "-DOPENSSL_THREADS -D_REENTRANT\n\n"
				   "-Wall\n"
				   "type             16 bytes\n"
				   "md5                 1.60k\n";
	struct parse_result r = {{NULL, 0, 0}, {NULL, 0, 0}};
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(parse_text(text, strlen(text), "f", &r, &err), 0);
	assert_int_equal(r.values.n, 1);
	assert_string_equal(r.values.v[0].label, "Board A");
	parse_result_release(&r);
}

static void errors_say_what_was_looked_for(void **state)
{
	struct parse_result r = {{NULL, 0, 0}, {NULL, 0, 0}};
	struct err err = ERR_INIT;
	static const char multi[] = "+R16:8423:rsa7680:10.00\n+DTP:rsa7680:decaps:10\n"
				    "+DTP:rsa7680:keygen:10\n+R17:68:rsa7680:10.07\n";

	(void)state;
	assert_int_equal(parse_text("", 0, "empty.txt", &r, &err), ERR_FAIL);
	assert_non_null(strstr(err.msg, "empty.txt: no result found"));
	assert_non_null(strstr(err.msg, "openssl speed"));
	assert_non_null(strstr(err.msg, "siege"));
	assert_null(strchr(err.msg, '\n'));
	assert_int_equal(parse_text(multi, strlen(multi), "m", &r, &err), ERR_FAIL);
	assert_non_null(strstr(err.msg, "-multi had not finished"));
	assert_int_equal(r.values.n, 0);
	parse_result_release(&r);
}

/* A line of a megabyte is read in parts; its number stays one. */
static void long_lines_are_read(void **state)
{
	struct parse_result r = {{NULL, 0, 0}, {NULL, 0, 0}};
	struct err err = ERR_INIT;
	struct buf b = BUF_INIT;

	(void)state;
	buf_addstr(&b, "x\ntype 16 bytes 64 bytes ");
	for (int i = 0; i < 20000; i++)
		buf_addf(&b, "row%d %d.00k %d.50k ", i, i + 1, i + 2);
	assert_int_equal(parse_text(b.data, b.len, "long", &r, &err), 0);
	assert_int_equal(r.values.n, 40000);
	for (size_t i = 0; i < r.values.n; i++)
		assert_int_equal(r.values.v[i].line, 2);
	assert_string_equal(r.values.v[39999].metric, "openssl/bulk.row19999/64");
	assert_true(r.values.v[39999].value == 20001500);
	parse_result_release(&r);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_read_as_printed),
		cmocka_unit_test(times_have_units),
		cmocka_unit_test(sql_tells_benchmarks_apart),
		cmocka_unit_test(markup_goes),
		cmocka_unit_test(quoting_goes),
		cmocka_unit_test(headings_label),
		cmocka_unit_test(runs_are_counted),
		cmocka_unit_test(names_become_metrics),
		cmocka_unit_test(pieces_do_not_matter),
		cmocka_unit_test(wide_text_is_read),
		cmocka_unit_test(a_cut_row_gives_no_rate),
		cmocka_unit_test(broken_options_keep_a_run_whole),
		cmocka_unit_test(errors_say_what_was_looked_for),
		cmocka_unit_test(long_lines_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
