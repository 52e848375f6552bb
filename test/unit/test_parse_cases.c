/*
 * Published outputs, as they are and changed the way people change them: every value of the
 * table must be read, and nothing that is not in the text. The files are not part of the
 * repository; without them the tests are skipped with a message. LAMPDUEL_CASES names the
 * folder, else ../shared/cases beside the repository is taken.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "cases.h"

static struct cases cases;
static int failures;

static int load(void **state)
{
	const char *dir = getenv("LAMPDUEL_CASES");

	(void)state;
	if (dir == NULL)
		dir = "../shared/cases";
	if (!cases_load(dir, &cases))
		fprintf(stderr,
			"skipped: there is no %s/INDEX.tsv (LAMPDUEL_CASES names another "
			"folder)\n",
			dir);
	return 0;
}

static int unload(void **state)
{
	(void)state;
	cases_release(&cases);
	return 0;
}

static void need_cases(void)
{
	if (cases.v.n == 0)
		skip();
	failures = 0;
}

/* LAMPDUEL_CASES_ALL=1 shows them all. */
static int limit(void)
{
	return getenv("LAMPDUEL_CASES_ALL") != NULL ? 1 << 30 : 40;
}

static void complain(const char *how, const char *what, const char *more)
{
	if (failures++ < limit())
		fprintf(stderr, "%s: %s %s\n", how, what, more);
}

static struct parse_result read_text(const char *s, size_t n)
{
	struct parse_result r = {{NULL, 0, 0}, {NULL, 0, 0}};
	struct err err = ERR_INIT;

	(void)parse_text(s, n, "text", &r, &err);
	return r;
}

/* A * in the pattern stands for anything. */
static bool matches(const char *metric, const char *pattern)
{
	const char *star;
	size_t n, m;

	if (pattern == NULL)
		return true;
	star = strchr(pattern, '*');
	if (star == NULL)
		return strcmp(metric, pattern) == 0;
	n = (size_t)(star - pattern);
	m = strlen(star + 1);
	return strncmp(metric, pattern, n) == 0 && strlen(metric) >= n + m &&
	       strcmp(metric + strlen(metric) - m, star + 1) == 0;
}

static bool has_value(const struct parse_result *r, const struct expected *e, bool exactly)
{
	for (size_t i = 0; i < r->values.n; i++) {
		const struct parse_value *v = &r->values.v[i];

		if (v->has_value && matches(v->metric, e->metric) &&
		    strcmp(v->unit, e->unit) == 0 && fabs(v->value - e->value) <= e->tolerance &&
		    (!exactly || e->run == 0 || v->run == e->run) &&
		    (!exactly || e->label == NULL || strcmp(v->label, e->label) == 0))
			return true;
	}
	return false;
}

static void check_table(const struct parse_case *c, const struct parse_result *r, const char *how,
			bool exactly)
{
	for (size_t k = 0; k < c->expected.n; k++) {
		const struct expected *e = &c->expected.v[k];
		bool cell = false;

		if (e->what == EXPECT_VALUE && !has_value(r, e, exactly))
			complain(how, "not read:", e->text);
		if (e->what == EXPECT_WARNING && exactly && r->warnings.n == 0)
			complain(how, "no warning:", e->text);
		for (size_t i = 0; i < r->values.n; i++) {
			if (!matches(r->values.v[i].metric, e->metric) || e->metric == NULL)
				continue;
			cell = true;
		}
		if (e->what == EXPECT_ABSENT && cell)
			complain(how, "invented:", e->text);
		if (e->what == EXPECT_INVALID && exactly && !cell)
			complain(how, "the cell is not named:", e->text);
	}
}

/* The same reading, or one that differs by less than what either can resolve. */
static bool same_reading(const struct parse_value *a, const struct parse_value *b)
{
	double step = a->step > b->step ? a->step : b->step;

	/* of a row that was cut the time may be left, and in one text it contradicts the rate */
	if (a->derived && !b->derived && strncmp(a->metric, "openssl/rsa", 11) == 0 &&
	    step < 0.6 * b->value)
		step = 0.6 * b->value;
	return strcmp(a->metric, b->metric) == 0 && strcmp(a->unit, b->unit) == 0 && a->has_value &&
	       b->has_value && fabs(a->value - b->value) <= step * 1.001;
}

/* All numbers of r stand in one of the originals. */
static void check_nothing_invented(const struct parse_result *r, const struct parse_result *a,
				   const struct parse_result *b, const char *how, const char *file)
{
	for (size_t i = 0; i < r->values.n; i++) {
		const struct parse_value *v = &r->values.v[i];
		bool found = !v->has_value;

		for (size_t k = 0; !found && k < a->values.n; k++)
			found = same_reading(v, &a->values.v[k]);
		for (size_t k = 0; b != NULL && !found && k < b->values.n; k++)
			found = same_reading(v, &b->values.v[k]);
		if (!found) {
			char text[400];

			snprintf(text, sizeof(text), "%s %.17g %s (line %ld)", v->metric, v->value,
				 v->unit, v->line);
			complain(how, file, text);
		}
	}
}

/* All numbers of a stand in r. */
static void check_nothing_lost(const struct parse_result *r, const struct parse_result *a,
			       const char *how, const char *file)
{
	for (size_t i = 0; i < a->values.n; i++) {
		const struct parse_value *v = &a->values.v[i];
		bool found = !v->has_value;

		for (size_t k = 0; !found && k < r->values.n; k++)
			found = same_reading(v, &r->values.v[k]);
		if (!found) {
			char text[400];

			snprintf(text, sizeof(text), "lost %s %.17g (line %ld)", v->metric,
				 v->value, v->line);
			complain(how, file, text);
		}
	}
}

/* Changes ----------------------------------------------------------------- */

static void before_lines(const char *s, size_t n, const char *prefix, const char *end,
			 struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < n;) {
		const char *nl = memchr(s + i, '\n', n - i);
		size_t len = nl != NULL ? (size_t)(nl - s) - i : n - i;

		buf_addstr(out, prefix);
		buf_add(out, s + i, len);
		i += len;
		if (nl != NULL) {
			buf_addstr(out, end);
			i++;
		}
	}
}

static void change_crlf(const char *s, size_t n, struct buf *out)
{
	before_lines(s, n, "", "\r\n", out);
}

static void change_quote(const char *s, size_t n, struct buf *out)
{
	before_lines(s, n, "> ", "\n", out);
}

static void change_quote_twice(const char *s, size_t n, struct buf *out)
{
	before_lines(s, n, ">> ", "\n", out);
}

static void change_indent(const char *s, size_t n, struct buf *out)
{
	before_lines(s, n, "    ", "\n", out);
}

static void change_blank_lines(const char *s, size_t n, struct buf *out)
{
	before_lines(s, n, "", "\n\n", out);
}

static void change_comment(const char *s, size_t n, struct buf *out)
{
	before_lines(s, n, "# ", "\n", out);
}

static void change_bom(const char *s, size_t n, struct buf *out)
{
	buf_clear(out);
	buf_addstr(out, "\xef\xbb\xbf");
	buf_add(out, s, n);
}

static void change_html(const char *s, size_t n, struct buf *out)
{
	buf_clear(out);
	buf_addstr(out, "<pre><code>");
	for (size_t i = 0; i < n; i++) {
		switch (s[i]) {
		case '<':
			buf_addstr(out, "&lt;");
			break;
		case '>':
			buf_addstr(out, "&gt;");
			break;
		case '&':
			buf_addstr(out, "&amp;");
			break;
		case '\'':
			buf_addstr(out, "&#39;");
			break;
		default:
			buf_addch(out, s[i]);
		}
	}
	buf_addstr(out, "</code></pre>\n");
}

static void change_breaks(const char *s, size_t n, struct buf *out)
{
	before_lines(s, n, "", "<br>\n", out);
}

static void change_colour(const char *s, size_t n, struct buf *out)
{
	before_lines(s, n, "\x1b[1;32m", "\x1b[0m\n", out);
}

/* A blank between words only: what a web page makes of columns. */
static void change_one_blank(const char *s, size_t n, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < n; i++) {
		if ((s[i] == ' ' || s[i] == '\t') && i + 1 < n &&
		    (s[i + 1] == ' ' || s[i + 1] == '\t'))
			continue;
		buf_addch(out, s[i] == '\t' ? ' ' : s[i]);
	}
}

static void change_tabs(const char *s, size_t n, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < n; i++) {
		if (s[i] == ' ' && i + 1 < n && s[i + 1] == ' ') {
			while (i + 1 < n && s[i + 1] == ' ')
				i++;
			buf_addch(out, '\t');
			continue;
		}
		buf_addch(out, s[i]);
	}
}

static void wrap(const char *s, size_t n, size_t width, const char *prefix, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < n;) {
		const char *nl = memchr(s + i, '\n', n - i);
		size_t len = nl != NULL ? (size_t)(nl - s) - i : n - i;

		while (len > width) {
			size_t cut = width;

			while (cut > 0 && s[i + cut] != ' ' && s[i + cut] != '\t')
				cut--;
			if (cut == 0 || strspn(s + i, " \t") >= cut) {
				/* a word that does not fit stands alone */
				cut = width;
				while (cut < len && s[i + cut] != ' ' && s[i + cut] != '\t')
					cut++;
			}
			buf_addstr(out, prefix);
			buf_add(out, s + i, cut);
			if (cut < len)
				buf_addch(out, '\n');
			while (cut < len && (s[i + cut] == ' ' || s[i + cut] == '\t'))
				cut++;
			i += cut;
			len -= cut;
		}
		if (len > 0 || nl != NULL)
			buf_addstr(out, prefix);
		buf_add(out, s + i, len);
		i += len;
		if (nl != NULL) {
			buf_addch(out, '\n');
			i++;
		}
	}
}

static void change_wrap72(const char *s, size_t n, struct buf *out)
{
	wrap(s, n, 72, "", out);
}

static void change_wrap_quoted(const char *s, size_t n, struct buf *out)
{
	wrap(s, n, 70, "> ", out);
}

/* As a terminal breaks lines: in the middle of words. */
static void change_hard_wrap(const char *s, size_t n, struct buf *out)
{
	size_t column = 0;

	buf_clear(out);
	for (size_t i = 0; i < n; i++) {
		if (s[i] != '\n' && column == 72 && ((unsigned char)s[i] & 0xc0) != 0x80) {
			buf_addch(out, '\n');
			column = 0;
		}
		buf_addch(out, s[i]);
		column = s[i] == '\n' ? 0 : column + (((unsigned char)s[i] & 0xc0) != 0x80);
	}
}

static void change_collapse(const char *s, size_t n, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < n; i++)
		buf_addch(out, s[i] == '\n' || s[i] == '\r' ? ' ' : s[i]);
	buf_addch(out, '\n');
}

static void change_utf16(const char *s, size_t n, struct buf *out)
{
	buf_clear(out);
	buf_add(out, "\xff\xfe", 2);
	for (size_t i = 0; i < n; i++) {
		buf_addch(out, s[i]);
		buf_addch(out, '\0');
	}
}

static const struct {
	const char *name;
	void (*change)(const char *s, size_t n, struct buf *out);
	bool all; /* every value must still be read */
} changes[] = {
	{"CRLF", change_crlf, true},
	{"quoted", change_quote, true},
	{"quoted twice", change_quote_twice, true},
	{"indented", change_indent, true},
	{"blank lines", change_blank_lines, true},
	{"commented", change_comment, true},
	{"BOM", change_bom, true},
	{"HTML", change_html, true},
	{"HTML line breaks", change_breaks, true},
	{"colour", change_colour, true},
	{"one blank", change_one_blank, true},
	{"tabs", change_tabs, true},
	{"wrapped at 72", change_wrap72, true},
	{"wrapped and quoted", change_wrap_quoted, true},
	{"broken at 72", change_hard_wrap, true},
	{"collapsed", change_collapse, true},
	{"UTF-16", change_utf16, false},
};

/* Tests ------------------------------------------------------------------- */

static void originals(void **state)
{
	(void)state;
	need_cases();
	for (size_t i = 0; i < cases.v.n; i++) {
		const struct parse_case *c = &cases.v.v[i];
		struct parse_result r = read_text(c->text.data, c->text.len);

		check_table(c, &r, "as published", true);
		parse_result_release(&r);
	}
	assert_int_equal(failures, 0);
}

static void changed(void **state)
{
	struct buf text = BUF_INIT;

	(void)state;
	need_cases();
	for (size_t i = 0; i < cases.v.n; i++) {
		const struct parse_case *c = &cases.v.v[i];
		struct parse_result original = read_text(c->text.data, c->text.len);

		for (size_t k = 0; k < sizeof(changes) / sizeof(changes[0]); k++) {
			struct parse_result r;

			changes[k].change(c->text.data, c->text.len, &text);
			r = read_text(text.data, text.len);
			if (changes[k].all) {
				check_table(c, &r, changes[k].name, false);
				check_nothing_lost(&r, &original, changes[k].name, c->file);
			}
			check_nothing_invented(&r, &original, NULL, changes[k].name, c->file);
			parse_result_release(&r);
		}
		parse_result_release(&original);
	}
	buf_release(&text);
	assert_int_equal(failures, 0);
}

static void cut_anywhere(void **state)
{
	char how[64];

	(void)state;
	need_cases();
	for (size_t i = 0; i < cases.v.n; i++) {
		const struct parse_case *c = &cases.v.v[i];
		struct parse_result original = read_text(c->text.data, c->text.len);

		for (size_t n = 0; n < c->text.len; n++) {
			/* a copy of its own, so that reading beyond the end is seen */
			char *copy = malloc(n + 2);
			struct parse_result r;

			memcpy(copy, c->text.data, n);
			for (int newline = 0; newline < 2; newline++) {
				if (newline == 1)
					copy[n] = '\n';
				snprintf(how, sizeof(how), "cut at byte %zu%s", n,
					 newline ? ", with newline" : "");
				r = read_text(copy, n + (size_t)newline);
				check_nothing_invented(&r, &original, NULL, how, c->file);
				parse_result_release(&r);
			}
			free(copy);
		}
		parse_result_release(&original);
	}
	assert_int_equal(failures, 0);
}

static void joined(void **state)
{
	struct buf text = BUF_INIT;
	char how[300];

	(void)state;
	need_cases();
	for (size_t i = 0; i < cases.v.n; i++) {
		const struct parse_case *a = &cases.v.v[i];
		struct parse_result ra = read_text(a->text.data, a->text.len);

		for (size_t k = 0; k < cases.v.n; k++) {
			const struct parse_case *b = &cases.v.v[k];
			struct parse_result rb = read_text(b->text.data, b->text.len), r;

			buf_clear(&text);
			buf_add(&text, a->text.data, a->text.len);
			buf_add(&text, b->text.data, b->text.len);
			r = read_text(text.data, text.len);
			snprintf(how, sizeof(how), "%s + %s", a->file, b->file);
			check_nothing_invented(&r, &ra, &rb, "joined", how);
			check_nothing_lost(&r, &ra, "joined, first", how);
			check_nothing_lost(&r, &rb, "joined, second", how);
			parse_result_release(&r);
			parse_result_release(&rb);
		}
		parse_result_release(&ra);
	}
	buf_release(&text);
	assert_int_equal(failures, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(originals),
		cmocka_unit_test(changed),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(joined),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
