/*
 * mariadb_int: what the files of the reader of mysql and mariadb clients share.
 */
#ifndef LAMPDUEL_PARSE_MARIADB_INT_H
#define LAMPDUEL_PARSE_MARIADB_INT_H

#include <stdint.h>

#include "parse/reader.h"
#include "parse/sql.h"

enum { STATEMENT_MAX = 2048, EXPRS_MAX = 8, TIMED_MAX = 32 };

struct mariadb {
	struct runs runs;
	char statement[STATEMENT_MAX]; /* "" when there is none that waits for its time */
	size_t statement_len;
	char waiting[STATEMENT_MAX]; /* statements that stood behind it in the same line */
	size_t waiting_len;
	bool queued;     /* the statement stood in a line with others */
	bool open;       /* its end was not read */
	bool shown;      /* something of its result was read */
	bool listed;     /* by a list of servers: it has no table */
	size_t last_len; /* of its last line */
	bool full;       /* its last line may have been broken in a word */
	int borders;     /* lines of its table */
	bool profiles;   /* the table of SHOW PROFILES */
	bool again;      /* its row repeats a time that was given already, more exactly */
	/* the last statements and their times, for SHOW PROFILES, which says them again */
	struct {
		uint32_t statement; /* a hash */
		double value, step;
	} timed[TIMED_MAX];
	unsigned timed_n;
	bool version_column;            /* the table holds the server's version */
	char column[SQL_EXPR_MAX + 64]; /* a heading of the table that names BENCHMARK() */
	int query;                      /* statements counted in this part of the text */
	bool fresh;                     /* a heading came: queries may be counted anew */
	char first[SQL_EXPR_MAX];       /* the first statement of this part */
	char software[64];
	char exprs[EXPRS_MAX][SQL_EXPR_MAX];
	int exprs_n;
	bool ruled;  /* the statement began behind such a line, and ends before another */
	bool dashes; /* the line of dashes before a statement of -vvv */
	/* a time that phpMyAdmin shows above its statement */
	struct num above;
	long above_line; /* 0: there is none */
};

/*
 * The time of the statement that was read, or of one that is not in the text. label NULL: that of
 * the heading; said: a note.
 */
void mariadb_emit(struct mariadb *m, struct parse_ctx *ctx, const struct num *t, const char *label,
		  const char *said, long line);

/* Was this time of the statement given before, less exactly? */
bool mariadb_was_timed(const struct mariadb *m, const struct num *t);

/* The statement has its time: the next one of its line is waited for, if there is one. */
void mariadb_next(struct mariadb *m);
void mariadb_clear(struct mariadb *m);
/* Adds text to the statement up to its end; returns the bytes read. */
long mariadb_statement_add(struct mariadb *m, const char *s, size_t len);

/* mariadb_tools.c: what other programs than the clients say of a statement's time */
long mariadb_tool_line(struct mariadb *m, struct parse_ctx *ctx, const struct piece *p);
/* "Time: 3.031s", of mycli, behind "1 row in set", which ends at sure. */
long mariadb_mycli(struct mariadb *m, struct parse_ctx *ctx, const struct piece *p,
		   const char *sure);
/* Gives a time that no statement follows. */
void mariadb_above(struct mariadb *m, struct parse_ctx *ctx);

#endif
