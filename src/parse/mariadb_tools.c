/*
 * What other programs than MySQL's and MariaDB's own clients say of a statement's time:
 * phpMyAdmin, HeidiSQL, MySQL Workbench, mycli.
 */
#include <string.h>
#include <strings.h>

#include "parse/mariadb_int.h"

void mariadb_above(struct mariadb *m, struct parse_ctx *ctx)
{
	if (m->above_line == 0)
		return;
	mariadb_clear(m);
	mariadb_emit(m, ctx, &m->above, NULL, "", m->above_line);
	m->above_line = 0;
}

/* The statement below a time that stood above it. */
static long below(struct mariadb *m, struct parse_ctx *ctx, const struct piece *p)
{
	bool select = num_after_nocase(p->s, "select ") != NULL;

	if (p->rest && !select)
		return READER_NONE; /* what is left of the line above */
	if (select) {
		long line = m->above_line;

		mariadb_clear(m);
		mariadb_statement_add(m, p->s, p->len);
		m->above_line = 0;
		mariadb_emit(m, ctx, &m->above, NULL, "", line);
		mariadb_clear(m);
		return (long)p->len;
	}
	mariadb_above(m, ctx);
	return READER_NONE;
}

/* "Showing rows 0 - 0 (1 total, Query took 3.0300 seconds.)": phpMyAdmin;
 * "Duration for 1 query: 3.031 sec.": HeidiSQL. */
static long sentence(struct mariadb *m, struct parse_ctx *ctx, const struct piece *p)
{
	static const char *const words[] = {
		"Query took ",          "query took ",
		"Traitement en ",       "La consulta tard\xc3\xb3 ",
		"Die Abfrage dauerte ", "Duration for 1 query: ",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *at = num_find(p->s, words[i], 400);
		struct num t;

		if (at == NULL || !sql_duration(at + strlen(words[i]), &t))
			continue;
		if (m->statement_len == 0 && m->column[0] == '\0') {
			m->above = t;
			m->above_line = piece_line(p, at);
		} else {
			mariadb_emit(m, ctx, &t, NULL, "", piece_line(p, at));
			mariadb_clear(m);
		}
		return t.end + strcspn(t.end, ")") - p->s;
	}
	return READER_NONE;
}

/* "3  11:22:33  SELECT ...  1 row(s) returned  3.031 sec / 0.000 sec": MySQL Workbench. */
static long workbench(struct mariadb *m, struct parse_ctx *ctx, const struct piece *p)
{
	const char *end = num_find(p->s, " row(s) ", 1000), *s = p->s, *slash;
	struct num t;

	if (end == NULL)
		return READER_NONE;
	while (end > s && num_is_digit(end[-1]))
		end--;
	while (s < end && strncasecmp(s, "select ", 7) != 0)
		s++;
	slash = num_find(end, " sec / ", 120);
	if (s == end || slash == NULL)
		return READER_NONE;
	while (slash > end && (num_is_digit(slash[-1]) || slash[-1] == '.'))
		slash--;
	if (!sql_duration(slash, &t))
		return READER_NONE;
	mariadb_clear(m);
	mariadb_statement_add(m, s, (size_t)(end - s));
	m->open = false;
	mariadb_emit(m, ctx, &t, NULL, "", piece_line(p, slash));
	mariadb_clear(m);
	return (long)p->len;
}

long mariadb_mycli(struct mariadb *m, struct parse_ctx *ctx, const struct piece *p,
		   const char *sure)
{
	const char *s = num_find(sure, "Time: ", 40);
	struct num t;

	if (s == NULL || m->statement_len == 0 || m->open)
		return READER_NONE;
	s += strlen("Time: ");
	if (!num_scan_time(s, &t) || (*t.end != '\0' && !num_is_blank(*t.end)))
		return READER_NONE;
	mariadb_emit(m, ctx, &t, NULL, "", piece_line(p, s));
	mariadb_next(m);
	return t.end - p->s;
}

long mariadb_tool_line(struct mariadb *m, struct parse_ctx *ctx, const struct piece *p)
{
	char c = p->s[0];
	long r = m->above_line != 0 ? below(m, ctx, p) : READER_NONE;

	if (r == READER_NONE && (c == '/' || (strchr(p->s, '(') != NULL &&
					      (strchr("SAMZ", c) != NULL || m->statement_len > 0))))
		r = sentence(m, ctx, p);
	if (r == READER_NONE && num_is_digit(c) && p->len > 60)
		r = workbench(m, ctx, p);
	return r;
}
