/*
 * mariadb_int: what the files of the reader of mysql and mariadb clients share.
 */
#ifndef LAMPDUEL_PARSE_MARIADB_INT_H
#define LAMPDUEL_PARSE_MARIADB_INT_H

#include "parse/reader.h"
#include "parse/sql.h"

enum { STATEMENT_MAX = 2048, EXPRS_MAX = 8 };

struct mariadb {
	struct runs runs;
	char statement[STATEMENT_MAX]; /* "" when there is none that waits for its time */
	size_t statement_len;
	bool open;           /* its end was not read */
	bool shown;          /* something of its result was read */
	bool listed;         /* by a list of servers: it has no table */
	size_t last_len;     /* of its last line */
	bool full;           /* its last line may have been broken in a word */
	int borders;         /* lines of its table */
	bool profiles;       /* the table of SHOW PROFILES */
	bool version_column; /* the table holds the server's version */
	long line;
	char column[SQL_EXPR_MAX + 64]; /* a heading of the table that names BENCHMARK() */
	int query;                      /* statements counted in this part of the text */
	bool fresh;                     /* a heading came: queries may be counted anew */
	char first[SQL_EXPR_MAX];       /* the first statement of this part */
	char software[64];
	char exprs[EXPRS_MAX][SQL_EXPR_MAX];
	int exprs_n;
	bool ruled;  /* the statement began behind such a line, and ends before another */
	bool dashes; /* the line of dashes before a statement of -vvv */
};

/*
 * The time of the statement that was read, or of one that is not in the text. label NULL: that of
 * the heading; said: a note.
 */
void mariadb_emit(struct mariadb *m, struct parse_ctx *ctx, const struct num *t, const char *label,
		  const char *said, long line);

#endif
