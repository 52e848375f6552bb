/*
 * stream: what parse.c, stream.c and reader.c share; for no one else.
 */
#ifndef LAMPDUEL_PARSE_STREAM_H
#define LAMPDUEL_PARSE_STREAM_H

#include <stdint.h>

#include "base/buf.h"
#include "parse/label.h"
#include "parse/reader.h"

enum { READERS_MAX = 32, WARNINGS = 256 };

/* All readers, ended by NULL. */
extern const struct reader *const parse_readers[];

struct parse_ctx {
	const char *file;
	const struct parse_sink *sink;
	struct labels labels;
	char *hint;
	size_t values;
	uint64_t warned[WARNINGS]; /* hashes: each warning is given once */
	size_t warned_n;
	struct buf scratch;
};

/* Reads with one reader alone, for tests; before anything is fed. */
struct parse_stream;
void parse_stream_only(struct parse_stream *s, const struct reader *r);

#endif
