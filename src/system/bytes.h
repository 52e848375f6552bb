/*
 * bytes: what programs printed and servers answered, as a recording keeps it.
 * Equal bytes are kept once; bytes that are mostly like others (a page that
 * differs in its timing comment) are written as parts of those.
 *
 * An index names bytes in their pool; index 0 is always the empty ones.
 */
#ifndef LAMPDUEL_SYSTEM_BYTES_H
#define LAMPDUEL_SYSTEM_BYTES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

/* A stretch of an entry: of its own data (literal) or of another entry's. */
struct bytes_part {
	bool literal;
	size_t from, len;
};

struct bytes_piece {
	size_t from, len;
	uint64_t hash;
};

struct bytes_entry {
	char *data;
	size_t len;
	uint64_t hash;
	size_t uses;   /* calls that have these bytes, entries that are written as parts of them */
	size_t of;     /* the entry that parts refer to; 0: written in full */
	size_t number; /* in the file, 1..; 0: not written apart */
	VEC(struct bytes_part) parts;
	VEC(struct bytes_piece) pieces; /* only while others may be written as parts of it */
};

enum { BYTES_MODELS = 32 };

struct bytes_pool {
	VEC(struct bytes_entry) entries;
	/* the entries that new ones are compared with; the one that fitted last stands last */
	size_t models[BYTES_MODELS];
	size_t n_models;
	bool reading;         /* from a file: nothing is compared, nothing will be written */
	VEC(size_t) numbered; /* by number in the file that is read */
};

void bytes_pool_release(struct bytes_pool *p);
/* Copies the bytes, or finds them; counts one use. */
size_t bytes_add(struct bytes_pool *p, const void *data, size_t len);
const struct bytes_entry *bytes_at(const struct bytes_pool *p, size_t index);

/* Appends a line {"bytes": N, "is": ...} for each entry that is used more than once. */
void bytes_write_shared(struct bytes_pool *p, struct buf *out);
/* The JSON form of an entry inside a line: a string, or an object. New reference. */
json_t *bytes_to_json(const struct bytes_pool *p, size_t index);
/* Reads that form; the error does not name the line. */
int bytes_from_json(struct bytes_pool *p, json_t *j, size_t *index, struct err *err);
/* Reads a line written by bytes_write_shared(). */
int bytes_read_shared(struct bytes_pool *p, json_t *line, struct err *err);

#endif
