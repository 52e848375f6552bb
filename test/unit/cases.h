/*
 * cases: the table of published outputs and the values a correct reader gets from them, for
 * test_parse_cases.c. All strings are owned by the structures.
 */
#ifndef LAMPDUEL_TEST_CASES_H
#define LAMPDUEL_TEST_CASES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/vec.h"
#include "parse/parse.h"

enum expect { EXPECT_VALUE, EXPECT_INVALID, EXPECT_ABSENT, EXPECT_WARNING };

struct expected {
	enum expect what;
	char *text;   /* as the table has it, for messages */
	char *metric; /* NULL: any metric */
	char *label;  /* NULL: any */
	const char *unit;
	int run; /* 0: any */
	double value, tolerance;
};

struct parse_case {
	char *file, *kind;
	struct buf text;
	VEC(struct expected) expected;
};

struct cases {
	VEC(struct parse_case) v;
};

/* False when the folder is not there. */
bool cases_load(const char *dir, struct cases *c);
void cases_release(struct cases *c);

#endif
