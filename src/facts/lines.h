/*
 * lines: walking over text line by line, and the shapes that "key: value" files
 * have. Nothing is copied until a value is wanted.
 */
#ifndef LAMPDUEL_FACTS_LINES_H
#define LAMPDUEL_FACTS_LINES_H

#include <stdbool.h>
#include <stddef.h>

struct line {
	const char *at; /* not terminated */
	size_t len;     /* without the end of the line, CR LF included */
};

/* The line at *cursor, which moves on to the next one; false at the end. */
bool lines_next(const char **cursor, struct line *l);
/* The line without white space at its ends, as a new string. */
char *lines_text(struct line l);
bool lines_starts(struct line l, const char *prefix);
/*
 * "key<blanks>SEPARATOR value": the value as a new, trimmed string; NULL when the line has another
 * key or no value.
 */
char *lines_value(struct line l, const char *key, const char *separator);
/* The first such line of text. */
char *lines_find(const char *text, const char *key, const char *separator);
/* Where separator (a string) stands in the line, or NULL. */
const char *lines_at(struct line l, const char *separator);

#endif
