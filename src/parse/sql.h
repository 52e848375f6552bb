/*
 * sql: as much of SQL as it takes to tell one benchmark from another. Nothing is allocated.
 */
#ifndef LAMPDUEL_PARSE_SQL_H
#define LAMPDUEL_PARSE_SQL_H

#include <stdbool.h>
#include <stddef.h>

#include "parse/num.h"

enum { SQL_EXPR_MAX = 256 };

struct sql_benchmark {
	double count;            /* 0: no plain number */
	char expr[SQL_EXPR_MAX]; /* no blanks outside strings, letters as written */
	bool whole;              /* the statement does nothing else */
};

/*
 * Finds BENCHMARK(count, expression) in a statement or a column's heading. False when there is
 * none, more than one, or its end is missing.
 */
bool sql_benchmark(const char *statement, struct sql_benchmark *out);
/* Copies s without blanks outside strings; a text too long ends in a mark of its own. */
void sql_normalise(const char *s, size_t len, char *out, size_t size);
/* The same with one blank where there are several. */
void sql_squeeze(const char *s, size_t len, char *out, size_t size);
/* Bytes of the comment that begins at s: to its end, or the text's; 0 when there is none. */
size_t sql_comment(const char *s);
/*
 * The end of the statement that begins at s: behind its ; or \G, NULL when it is not there. A ;
 * within a string is none.
 */
const char *sql_end(const char *s);

/*
 * "3.03 sec", "1 min 3,03 sec", "2 hours 1 min 0.12 s" in the words of many languages: the
 * seconds, the last figure's step and where it ends. False: none, or its seconds are missing.
 */
bool sql_duration(const char *s, struct num *n);

#endif
