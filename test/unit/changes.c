#include "changes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int failures;

/* LAMPDUEL_CASES_ALL=1 shows them all. */
static int limit(void)
{
	return getenv("LAMPDUEL_CASES_ALL") != NULL ? 1 << 30 : 40;
}

void complain(const char *how, const char *what, const char *more)
{
	if (failures++ < limit())
		fprintf(stderr, "%s: %s %s\n", how, what, more);
}

struct parse_result read_text(const char *s, size_t n)
{
	struct parse_result r = {{NULL, 0, 0}, {NULL, 0, 0}};
	struct err err = ERR_INIT;

	(void)parse_text(s, n, "text", &r, &err);
	return r;
}

/* The same reading, or one that differs by less than what either can resolve. */
static bool same_reading(const struct parse_value *a, const struct parse_value *b)
{
	double step = a->step > b->step ? a->step : b->step;

	/* of a row that was cut the time may be left, and in one text it contradicts the rate */
	if (a->derived && !b->derived && strncmp(a->metric, "openssl/rsa", 11) == 0 &&
	    step < 0.6 * b->value)
		step = 0.6 * b->value;
	/* queries are counted, so that another text before them moves their numbers */
	if (strncmp(a->metric, "mariadb/query.", 14) == 0)
		return strncmp(b->metric, "mariadb/query.", 14) == 0 && a->has_value &&
		       b->has_value && fabs(a->value - b->value) <= step * 1.001;
	return strcmp(a->metric, b->metric) == 0 && strcmp(a->unit, b->unit) == 0 && a->has_value &&
	       b->has_value && fabs(a->value - b->value) <= step * 1.001;
}

/* All numbers of r stand in one of the originals. */
void check_nothing_invented(const struct parse_result *r, const struct parse_result *a,
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
void check_nothing_lost(const struct parse_result *r, const struct parse_result *a, const char *how,
			const char *file)
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
	for (size_t i = 0; i < n; i++) {
		/* the page shows no quote marks */
		while (i < n && s[i] == '>' && (i == 0 || s[i - 1] == '\n'))
			i++;
		if (i < n)
			buf_addch(out, s[i] == '\n' || s[i] == '\r' ? ' ' : s[i]);
	}
	buf_addch(out, '\n');
}

static void change_numbers(const char *s, size_t n, struct buf *out)
{
	long line = 0;

	buf_clear(out);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || s[i - 1] == '\n')
			buf_addf(out, "%6ld\t", ++line);
		buf_addch(out, s[i]);
	}
}

/* As mail programs send it: = at the end of a line that goes on. */
static void change_printable(const char *s, size_t n, struct buf *out)
{
	size_t column = 0;

	buf_clear(out);
	buf_addstr(out, "Content-Transfer-Encoding: quoted-printable\n\n");
	for (size_t i = 0; i < n; i++) {
		size_t width = s[i] == '=' || (unsigned char)s[i] >= 0x7f || s[i] == '\t' ? 3 : 1;

		if (s[i] != '\n' && column + width > 75) {
			buf_addstr(out, "=\n");
			column = 0;
		}
		if (width == 3)
			buf_addf(out, "=%02X", (unsigned)(unsigned char)s[i]);
		else
			buf_addch(out, s[i]);
		column = s[i] == '\n' ? 0 : column + width;
	}
}

static void change_utf16(const char *s, size_t n, struct buf *out)
{
	buf_clear(out);
	buf_add(out, "\xff\xfe", 2);
	for (size_t i = 0; i < n;) {
		unsigned long c = (unsigned char)s[i++];

		/* of UTF-8 that is whole; what is none stays as it is */
		if (c >= 0xc2 && c < 0xf0) {
			size_t more = c < 0xe0 ? 1 : 2;

			for (c &= c < 0xe0 ? 0x1f : 0x0f; more > 0 && i < n; more--)
				c = c << 6 | ((unsigned char)s[i++] & 0x3f);
		}
		buf_addch(out, (char)(c & 0xff));
		buf_addch(out, (char)(c >> 8 & 0xff));
	}
}

static void change_log(const char *s, size_t n, struct buf *out)
{
	before_lines(s, n, "[22:11:19] ", "\n", out);
}

const struct change changes[] = {
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
	{"numbered", change_numbers, true},
	{"quoted-printable", change_printable, true},
	{"UTF-16", change_utf16, true},
	{"in a log", change_log, true},
	{NULL, NULL, false},
};

/* Checks ------------------------------------------------------------------ */

void check_changes(const struct sample *s)
{
	struct parse_result original = read_text(s->text, s->len);
	struct buf text = BUF_INIT;

	for (const struct change *c = changes; c->name != NULL; c++) {
		struct parse_result r;

		c->change(s->text, s->len, &text);
		r = read_text(text.data, text.len);
		if (c->all)
			check_nothing_lost(&r, &original, c->name, s->name);
		check_nothing_invented(&r, &original, NULL, c->name, s->name);
		parse_result_release(&r);
	}
	buf_release(&text);
	parse_result_release(&original);
}

void check_cuts(const struct sample *s)
{
	struct parse_result original = read_text(s->text, s->len);
	char how[64];

	for (size_t n = 0; n < s->len; n++) {
		/* a copy of its own, so that reading beyond the end is seen */
		char *copy = malloc(n + 1);

		memcpy(copy, s->text, n);
		for (size_t newline = 0; newline < 2; newline++) {
			struct parse_result r;

			copy[n] = '\n';
			(void)snprintf(how, sizeof(how), "cut at byte %zu%s", n,
				       newline == 1 ? ", with newline" : "");
			r = read_text(copy, n + newline);
			check_nothing_invented(&r, &original, NULL, how, s->name);
			parse_result_release(&r);
		}
		free(copy);
	}
	parse_result_release(&original);
}

void check_joined(const struct sample *a, const struct sample *b)
{
	struct parse_result ra = read_text(a->text, a->len), rb = read_text(b->text, b->len), r;
	struct buf text = BUF_INIT;
	char how[300];

	buf_add(&text, a->text, a->len);
	buf_add(&text, b->text, b->len);
	r = read_text(text.data, text.len);
	(void)snprintf(how, sizeof(how), "%s + %s", a->name, b->name);
	check_nothing_invented(&r, &ra, &rb, "joined", how);
	check_nothing_lost(&r, &ra, "joined, first", how);
	check_nothing_lost(&r, &rb, "joined, second", how);
	parse_result_release(&r);
	parse_result_release(&ra);
	parse_result_release(&rb);
	buf_release(&text);
}
