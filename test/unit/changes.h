/*
 * changes: what people do to outputs before others read them, and the checks that a changed text
 * gives the same values and nothing else. For the tests of the parse module.
 */
#ifndef LAMPDUEL_TEST_CHANGES_H
#define LAMPDUEL_TEST_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/vec.h"
#include "parse/parse.h"

extern int failures; /* counted by complain() */

void complain(const char *how, const char *what, const char *more);
struct parse_result read_text(const char *s, size_t n);

/* All numbers of r stand in a or, where it is not NULL, in b. */
void check_nothing_invented(const struct parse_result *r, const struct parse_result *a,
			    const struct parse_result *b, const char *how, const char *file);
/* All numbers of a stand in r. */
void check_nothing_lost(const struct parse_result *r, const struct parse_result *a, const char *how,
			const char *file);

struct change {
	const char *name;
	void (*change)(const char *s, size_t n, struct buf *out);
	bool all; /* every value must still be read */
};

extern const struct change changes[]; /* ended by a NULL name */

/* A text and its name, for the checks below; the strings are the caller's. */
struct sample {
	const char *name, *text;
	size_t len;
};

void check_changes(const struct sample *s);
void check_cuts(const struct sample *s);
void check_joined(const struct sample *a, const struct sample *b);

#endif
