/*
 * The mysql and mariadb clients: the time of a statement is the one between parentheses behind
 * its result; BENCHMARK() is divided by its count, so that different counts compare.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "parse/mariadb_int.h"

/* Statements ---------------------------------------------------------------- */

enum { RULE = 14 }; /* dashes that -vvv prints around a statement */

void mariadb_clear(struct mariadb *m)
{
	m->statement[0] = m->column[0] = '\0';
	m->statement_len = 0;
	m->open = m->shown = m->listed = m->full = m->profiles = m->version_column = false;
	m->borders = 0;
	m->waiting_len = 0;
	m->queued = false;
}

/* A statement whose result stood without a time counts as a query all the same. */
static void statement_drop(struct mariadb *m)
{
	if (m->statement_len > 0 && m->shown)
		m->query++;
	mariadb_clear(m);
}

/* Adds text to the statement up to its end; returns the bytes read. */
long mariadb_statement_add(struct mariadb *m, const char *s, size_t len)
{
	char quote = 0;
	size_t n = 0;

	if (m->statement_len > 0 && m->statement_len + 1 < STATEMENT_MAX && !m->full)
		m->statement[m->statement_len++] = ' ';
	for (size_t i = 0; i < m->statement_len; i++) {
		if (quote == 0 && (m->statement[i] == '\'' || m->statement[i] == '"'))
			quote = m->statement[i];
		else if (m->statement[i] == quote)
			quote = 0;
	}
	m->open = true;
	for (; n < len && m->open; n++) {
		char c = s[n];
		size_t comment = quote == 0 ? sql_comment(s + n) : 0;

		if (comment > 0) {
			n += comment - 1;
			continue;
		}
		if (quote == 0 && (c == '\'' || c == '"'))
			quote = c;
		else if (c == quote)
			quote = 0;
		else if (quote == 0 && c == ';')
			m->open = false;
		else if (quote == 0 && c == '\\' && (s[n + 1] == 'G' || s[n + 1] == 'g')) {
			n++;
			m->open = false;
		}
		/* a table's border or a rule glued behind a statement without its ; */
		if (quote == 0 && (c == '+' || c == '-') && strspn(s + n + 1, "-") >= 3) {
			m->open = false;
			break;
		}
		if (m->open && m->statement_len + 1 < STATEMENT_MAX)
			m->statement[m->statement_len++] = c;
	}
	m->statement[m->statement_len] = '\0';
	if (!m->open) { /* figures in a comment were not measured here */
		size_t blanks = strspn(s + n, " \t"), comment = sql_comment(s + n + blanks);
		n += comment > 0 ? blanks + comment : 0;
	}
	return (long)(n < len ? n : len);
}

void mariadb_next(struct mariadb *m)
{
	char text[STATEMENT_MAX];
	const char *end;
	size_t len = m->waiting_len, n;

	memcpy(text, m->waiting, len);
	text[len] = '\0';
	mariadb_clear(m);
	if (len == 0)
		return;
	end = sql_end(text);
	n = end != NULL ? (size_t)(end - text) : len;
	mariadb_statement_add(m, text, n);
	m->queued = true;
	m->waiting_len = len - n;
	memcpy(m->waiting, text + n, m->waiting_len);
}

/* "select 1; select 2;": the second one waits until the first one has its time. */
static long statement_behind(struct mariadb *m, const struct piece *p)
{
	static const char *const verbs[] = {"select ", "set ",    "do ",
					    "insert ", "update ", "delete "};
	const char *end = sql_end(p->s);
	size_t n = end != NULL ? (size_t)(end - p->s) : p->len;
	bool verb = false;

	for (size_t i = 0; !verb && i < sizeof(verbs) / sizeof(verbs[0]); i++)
		verb = num_after_nocase(p->s, verbs[i]) != NULL ||
		       (p->len == strlen(verbs[i]) - 1 && strncasecmp(p->s, verbs[i], p->len) == 0);
	if (!verb || m->waiting_len + n + 1 >= sizeof(m->waiting))
		return READER_NONE;
	if (end == NULL && !p->last && p->parts_n < 4)
		return READER_MORE; /* the client waits for its end: the line was broken */
	memcpy(m->waiting + m->waiting_len, p->s, n);
	m->waiting_len += n;
	if (end == NULL)
		m->waiting[m->waiting_len++] = ';';
	m->queued = true;
	return (long)n;
}

static bool is_client_command(const char *s)
{
	static const char *const words[] = {"exit",   "quit",   "use",   "\\q",
					    "status", "source", "clear", "help"};
	struct word w;

	if (num_words(s, &w, 1, NULL) == 0)
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (word_is_nocase(&w, words[i]))
			return true;
	}
	return false;
}

static long statement_begin(struct mariadb *m, const char *s, const struct piece *p)
{
	long n;

	statement_drop(m);
	m->ruled = m->dashes;
	m->dashes = false;
	n = mariadb_statement_add(m, s, strlen(s));
	m->full = p->full;
	m->last_len = p->s == s ? SIZE_MAX / 2 : p->len; /* without a prompt it has no -> either */
	/* what the client does itself needs no semicolon */
	if (is_client_command(m->statement))
		mariadb_clear(m);
	return n;
}

/* "mysql>", "MariaDB [(none)]>", "mysql [localhost] {root} (test) >": behind it, or NULL. */
static const char *prompt_end(const char *s)
{
	if (*s != 'm' && *s != 'M' && *s != 'r')
		return NULL;
	static const char *const names[] = {"mysql", "MariaDB", "mariadb", "MySQL", "root@"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *e = num_after(s, names[i]);
		int n = 0;

		if (e == NULL)
			continue;
		while (*e != '\0' && *e != '>' && *e != '\'' && *e != ';' && n++ < 60)
			e++;
		/* words before the > are a sentence, not a prompt */
		if (*e != '>' || (n > 0 && memchr(s, '[', (size_t)(e - s)) == NULL &&
				  memchr(s, '@', (size_t)(e - s)) == NULL &&
				  memchr(s, ' ', (size_t)(e - s)) != NULL))
			continue;
		return num_skip(e + 1);
	}
	return NULL;
}

static bool is_verb(const char *s)
{
	if (strchr("SIUDCALER0", *s) == NULL)
		return false;
	static const char *const verbs[] = {"SELECT ", "INSERT ",  "UPDATE ",  "DELETE ",
					    "CREATE ", "ALTER ",   "DO ",      "SET ",
					    "CALL ",   "LOAD ",    "ANALYZE ", "EXPLAIN ",
					    "SHOW ",   "REPLACE ", "OPTIMIZE "};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (num_after(s, verbs[i]) != NULL)
			return true;
	}
	return false;
}

/* A statement without a prompt: BENCHMARK in either case, others as SQL is written. */
static bool is_bare_statement(const struct piece *p)
{
	const char *e = p->s[0] == 's' || p->s[0] == 'S' ? num_after_nocase(p->s, "select ") : NULL;

	if (e != NULL && num_after_nocase(e, "sql_no_cache ") != NULL)
		e = num_after_nocase(e, "sql_no_cache ");
	if (e != NULL && strncasecmp(e, "benchmark", 9) == 0)
		return true;
	return is_verb(p->s) && sql_end(p->s) != NULL;
}

/* Lines --------------------------------------------------------------------- */

/* Does this begin as the line that ends a result in English? Behind what is sure, or NULL. */
static const char *result_words(const char *s)
{
	const char *e;
	struct num n;

	if ((e = num_after(s, "Empty set")) != NULL || (e = num_after(s, "Query OK,")) != NULL ||
	    (e = num_after(s, "Query OK")) != NULL)
		return e;
	if (!num_scan(s, 0, &n) || n.decimals > 0)
		return NULL;
	if ((e = num_after(n.end, " row in set")) != NULL ||
	    (e = num_after(n.end, " rows in set")) != NULL)
		return e;
	return NULL;
}

/* "1 row in set, 1 warning (3.03 sec)"; in other languages when a result was being read. */
static long time_line(struct mariadb *m, struct parse_ctx *ctx, const struct piece *p)
{
	const char *sure = result_words(p->s), *open = p->s;
	bool waiting = m->shown || (m->statement_len > 0 && !m->open);
	struct num t;

	if (sure == NULL && !waiting)
		return READER_NONE;
	if (*p->s == '|' || *p->s == '+')
		return READER_NONE;
	while (*open != '\0' && *open != '(' && open - p->s < 100)
		open++;
	if (*open == '\0' && sure != NULL && mariadb_mycli(m, ctx, p, sure) > 0)
		return (long)p->len;
	if (*open == '\0')
		return sure != NULL && !p->last && p->len < 100 ? READER_MORE : READER_NONE;
	if (*open != '(')
		return READER_NONE;
	if (sure != NULL && open - sure > 60)
		return READER_NONE;
	if (!sql_duration(num_skip(open + 1), &t)) {
		/* the line may be broken between the number and its unit */
		return sure != NULL && !p->last && strchr(open, ')') == NULL && strlen(open) < 60
			       ? READER_MORE
			       : READER_NONE;
	}
	if (*t.end != ')' && *t.end != '\0')
		return READER_NONE;
	/* the time of SHOW PROFILES itself says nothing */
	if (!m->profiles)
		mariadb_emit(m, ctx, &t, NULL, "", piece_line(p, open));
	mariadb_next(m);
	return t.end + (*t.end == ')') - p->s;
}

/* "mysql_5.7: ~1.8 sec" below a statement: somebody's list, one server a line. */
static long list_line(struct mariadb *m, struct parse_ctx *ctx, const struct piece *p)
{
	const char *colon = strchr(p->s, ':'), *s;
	struct sql_benchmark b;
	char label[64];
	bool about;
	struct num t;

	if (colon == NULL || colon == p->s || colon - p->s >= (long)sizeof(label) || m->shown ||
	    m->statement_len == 0 || !sql_benchmark(m->statement, &b))
		return READER_NONE;
	s = num_skip(colon + 1);
	about = *s == '~' || num_after(s, "about ") != NULL || num_after(s, "ca. ") != NULL;
	while (*s != '\0' && !num_is_digit(*s) && s - colon < 10)
		s++;
	if (!sql_duration(s, &t) || (*num_skip(t.end) != '\0' && !p->rest))
		return READER_NONE;
	if (p->rest && memchr(p->s, ' ', (size_t)(colon - p->s)) != NULL)
		return READER_NONE;
	snprintf(label, sizeof(label), "%.*s", (int)(colon - p->s), p->s);
	if (about)
		ctx_warn(ctx, 0,
			 "approximate values (~): as many digits as are printed are not known");
	m->query -= m->listed; /* one query, however many servers */
	mariadb_emit(m, ctx, &t, label, about ? "approximate" : "", piece_line(p, s));
	m->listed = true;
	return t.end - p->s;
}

/* Server version: 10.0.31-MariaDB Source distribution */
static void set_software(struct mariadb *m, const char *s)
{
	size_t n = 0;

	while (num_is_digit(s[n]) || s[n] == '.')
		n++;
	if (n < 3 || n > 30)
		return;
	snprintf(m->software, sizeof(m->software), "%s %.*s",
		 strncmp(s + n, "-MariaDB", 8) == 0 || num_find(s, "MariaDB", 400) != NULL
			 ? "MariaDB"
			 : "MySQL",
		 (int)n, s);
}

static long session_line(struct mariadb *m, const struct piece *p)
{
	static const char *const texts[] = {
		"Welcome to the M",
		"Your M",
		"Copyright (c) ",
		"Type 'help;'",
		"Database changed",
		"Bye",
		"Oracle is a reg",
		"affiliates.",
		"Records: ",
		"Rows matched: ",
		"Reading table info",
		"You can turn off",
		"owners.",
	};
	const char *e;

	if (!num_is_alpha(p->s[0]) || strchr("WYCTDBORaoSEO", p->s[0]) == NULL)
		return READER_NONE;
	e = num_after(p->s, "Server version: ");

	if (e != NULL) {
		set_software(m, e);
		return e + strcspn(e, " \t") - p->s;
	}
	if (strncmp(p->s, "ERROR ", 6) == 0 && num_is_digit(p->s[6])) {
		mariadb_clear(m);
		return 6 + (long)strcspn(p->s + 6, " \t");
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strncmp(p->s, texts[i], strlen(texts[i])) == 0)
			return (long)strlen(texts[i]);
	}
	return READER_NONE;
}

/* "|        1 | 3.03000000 | SELECT BENCHMARK(...) |" of SHOW PROFILES. */
static long profile_row(struct mariadb *m, struct parse_ctx *ctx, const struct piece *p)
{
	const char *s = num_skip(p->s + 1), *bar;
	struct num id, t;

	if (!num_scan(s, 0, &id) || id.decimals > 0 || *(s = num_skip(id.end)) != '|')
		return READER_NONE;
	s = num_skip(s + 1);
	if (!num_scan(s, 0, &t) || t.decimals < 6 || *(s = num_skip(t.end)) != '|')
		return READER_NONE;
	s = num_skip(s + 1);
	bar = strchr(s, '|');
	while (bar != NULL && !num_is_blank(bar[-1]))
		bar = strchr(bar + 1, '|');
	if (bar == NULL)
		return p->last ? READER_NONE : READER_MORE;
	m->statement_len = 0;
	m->full = true;
	mariadb_statement_add(m, s, (size_t)(bar - s));
	m->open = false;
	m->again = mariadb_was_timed(m, &t);
	mariadb_emit(m, ctx, &t, NULL,
		     m->again ? "the same execution as above, from SHOW PROFILES" : "",
		     piece_line(p, p->s));
	m->again = false;
	return bar + 1 - p->s;
}

static long table_row(struct mariadb *m, struct parse_ctx *ctx, const struct piece *p)
{
	const char *end = strchr(p->s + 1, '|'), *s = num_skip(p->s + 1);
	struct sql_benchmark b;
	bool whole = sql_benchmark(p->s + 1, &b);

	if (m->profiles) {
		long r = profile_row(m, ctx, p);

		if (r != READER_NONE)
			return r;
	}
	if (num_after(s, "Query_ID | Duration ") != NULL) {
		mariadb_clear(m);
		m->profiles = m->shown = true;
		return num_after(s, "Query_ID | Duration ") - p->s;
	}
	if (!whole && (m->statement_len == 0 || m->listed || m->borders >= 3))
		return READER_NONE;
	if (end == NULL)
		return p->last || whole ? READER_NONE : READER_MORE;
	m->open = false;
	m->shown = true;
	if (m->version_column)
		set_software(m, s);
	if (m->borders < 2)
		m->version_column = num_after_nocase(s, "version()") != NULL ||
				    num_after(s, "@@version ") != NULL;
	if (whole && m->column[0] == '\0')
		snprintf(m->column, sizeof(m->column), "benchmark(%.0f,%s)", b.count, b.expr);
	/* in collapsed text the rows follow each other: one cell at a time */
	if (num_find(p->s, "+--", 400) != NULL && num_find(p->s, "+--", 400) < end)
		return 1;
	return p->rest || p->len > 400 ? end - p->s : (long)p->len;
}

/* "+-----+": ends a statement that lost its semicolon. */
static long border(struct mariadb *m, const struct piece *p)
{
	size_t n = strspn(p->s, "+-");

	if (n < 5 || p->s[1] != '-' || (p->s[n] != '\0' && !num_is_blank(p->s[n])))
		return READER_NONE;
	if ((m->statement_len == 0 && !m->shown) || m->listed || m->borders >= 3)
		return READER_NONE;
	m->open = false;
	m->shown = true;
	m->borders++;
	return (long)n;
}

/* "*************************** 1. row ***" of \G, and the columns below it. */
static long vertical(struct mariadb *m, const struct piece *p)
{
	size_t n = strspn(p->s, "*");
	struct sql_benchmark b;
	struct num row;

	if (n >= 10 && num_scan(num_skip(p->s + n), 0, &row) &&
	    num_after(row.end, ". row ") != NULL) {
		m->shown = true;
		m->open = false;
		return p->rest ? row.end + 5 + strspn(row.end + 5, " *") - p->s : (long)p->len;
	}
	if (m->shown && strncasecmp(p->s, "benchmark", 9) == 0 && sql_benchmark(p->s, &b)) {
		const char *colon = num_find(p->s, "): ", 400);

		if (colon == NULL)
			return READER_NONE;
		snprintf(m->column, sizeof(m->column), "benchmark(%.0f,%s)", b.count, b.expr);
		return p->rest ? colon + 2 - p->s : (long)p->len;
	}
	return READER_NONE;
}

/* Would the first word have fitted into the line above? Else that line was wrapped. */
static bool is_wrapped(const struct mariadb *m, const struct piece *p)
{
	return m->last_len + 1 + strcspn(p->s, " \t") > 60;
}

/* A statement that has no end yet goes on. */
static long more_of_statement(struct mariadb *m, const struct piece *p)
{
	const char *s = num_after(p->s, "->");
	size_t skip = s != NULL ? (size_t)(num_skip(s) - p->s) : 0;
	long n;

	if (!m->open || m->statement_len == 0 || m->statement_len > STATEMENT_MAX - 64)
		return READER_NONE;
	if (s == NULL && !m->dashes && (m->statement_len > 1000 || !(p->rest || is_wrapped(m, p))))
		return READER_NONE;
	if (skip == p->len)
		return (long)p->len;
	n = (long)skip + mariadb_statement_add(m, p->s + skip, p->len - skip);
	m->full = p->full;
	if (m->last_len < SIZE_MAX / 2)
		m->last_len = p->len;
	return n;
}

static long statement_line(struct mariadb *m, const struct piece *p)
{
	const char *after = prompt_end(p->s);

	if (p->rest && m->statement_len > 0 && !m->open && !m->shown && !m->listed) {
		long n = statement_behind(m, p);

		if (n != READER_NONE)
			return n;
	}
	if (after != NULL) {
		long n = 0;

		if (*after == '\0')
			statement_drop(m);
		else
			n = statement_begin(m, after, p);
		n += after - p->s;
		return n > 0 ? n : 1;
	}
	/* -vvv prints a line of fourteen dashes before and behind a statement */
	if (strspn(p->s, "-") == RULE && (p->s[RULE] == '\0' || num_is_blank(p->s[RULE]))) {
		bool begins = !m->ruled;

		if (begins)
			statement_drop(m);
		m->dashes = m->ruled = begins;
		m->open = false;
		return RULE;
	}
	if (m->dashes || is_bare_statement(p))
		return statement_begin(m, p->s, p);
	return READER_NONE;
}

static long mariadb_read(void *state, struct parse_ctx *ctx, const struct piece *p)
{
	struct mariadb *m = state;
	char c = p->s[0];
	long r = READER_NONE;

	if (c == '+')
		r = border(m, p);
	else if (c == '|')
		r = table_row(m, ctx, p);
	else if (c == '*' || c == 'b' || c == 'B')
		r = vertical(m, p);
	if (r == READER_NONE &&
	    (num_is_digit(c) || c == 'E' || c == 'Q' || m->shown || m->statement_len > 0))
		r = time_line(m, ctx, p);
	if (r == READER_NONE)
		r = mariadb_tool_line(m, ctx, p);
	if (r == READER_NONE)
		r = statement_line(m, p);
	if (r == READER_NONE)
		r = session_line(m, p);
	if (r == READER_NONE && m->statement_len > 0) {
		r = list_line(m, ctx, p);
		if (r == READER_NONE)
			r = more_of_statement(m, p);
	}
	if (r > (long)p->len)
		r = (long)p->len;
	return r;
}

static void mariadb_boundary(void *state, struct parse_ctx *ctx)
{
	struct mariadb *m = state;

	mariadb_above(m, ctx);
	statement_drop(m);
	runs_boundary(&m->runs);
	m->fresh = true;
}

static void mariadb_finish(void *state, struct parse_ctx *ctx)
{
	struct mariadb *m = state;

	mariadb_above(m, ctx);
	if (m->statement_len > 0 && m->shown)
		ctx_hint(ctx, "the result of a statement without the line that says its time");
	if (m->exprs_n > 1)
		ctx_warn(ctx, 0,
			 "BENCHMARK() of different expressions (%s, %s%s): their times do not "
			 "compare",
			 m->exprs[0], m->exprs[1], m->exprs_n > 2 ? ", ..." : "");
}

static const char *const mariadb_starts[] = {
	"mysql> ", "mysql>",   "MariaDB [", "SELECT BENCHMARK", "select benchmark", "+---",
	"| ",      "Query OK", "Empty set", "Showing rows",     "Server version: ", NULL,
};

const struct reader mariadb_reader = {
	.name = "the mysql and mariadb clients",
	.starts = mariadb_starts,
	.first = "+|*/-0123456789bBEQmMrSIUDCALRWYTOaosZ",
	.state_size = sizeof(struct mariadb),
	.read = mariadb_read,
	.boundary = mariadb_boundary,
	.finish = mariadb_finish,
};
