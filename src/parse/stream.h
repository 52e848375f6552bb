/*
 * stream: what parse.c, stream.c, piece.c and reader.c share; for no one else.
 */
#ifndef LAMPDUEL_PARSE_STREAM_H
#define LAMPDUEL_PARSE_STREAM_H

#include <stdint.h>

#include "base/buf.h"
#include "parse/label.h"
#include "parse/reader.h"
#include "parse/utf16.h"

enum { READERS_MAX = 32, WARNINGS = 256, GIVEN = 256 };

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
	/* what was given under the heading that holds, and what doubt there was then */
	struct {
		uint64_t metric; /* hash; 0: free */
		unsigned doubts;
	} given[GIVEN];
	size_t given_n;
	unsigned given_serial; /* the heading */
	struct buf scratch;
};

/* Text that a reader wants more of. */
struct pending {
	const struct reader *reader;
	void *state;
	struct buf text;
	size_t part[PIECE_PARTS]; /* offsets in text */
	long line[PIECE_PARTS];
	size_t parts;
	bool rest;
	bool blank;              /* a blank line came behind it */
	struct clean_line first; /* the line it begins with; s is not valid */
};

/* A text that a line of a reader may begin with. */
struct start {
	const char *text;
	uint32_t reader; /* its bit */
};

struct parse_stream {
	struct parse_ctx ctx;
	char *file;
	struct parse_sink sink;
	void *state[READERS_MAX];
	size_t readers;   /* how many there are */
	size_t favourite; /* read the line before */
	uint32_t allowed; /* bits of the readers that are used */
	struct utf16 utf16;
	struct buf wide; /* a piece of text in 16-bit units, decoded */
	struct buf raw;  /* an unfinished line */
	struct buf clean;
	struct buf joined, spare;
	struct pending pending;
	long line;
	bool printable;    /* quoted-printable was seen */
	struct buf broken; /* lines of it that go on */
	struct buf soft;   /* the line being read, decoded */
	long broken_line;
	long numbered;            /* the number that stood before the line above; 0: none */
	uint32_t readers_of[256]; /* a bit for each reader: may a piece begin with this byte? */
	uint8_t pairs[65536 / 8]; /* a bit for each two bytes that a start begins with */
	VEC(struct start) starts;
	size_t starts_of[257]; /* those that begin with a byte */
};

/* piece.c: pieces of cleaned text and who reads them */
void piece_index(struct parse_stream *s); /* what the table of readers says, for looking up */
/* Offers a whole line, joined to what is held back where it belongs there. */
void piece_line_read(struct parse_stream *s, const struct clean_line *c, long line, bool full,
		     bool end);
/* Nothing more comes for what is held back. */
void piece_end(struct parse_stream *s, bool end);
/* Another part of the text begins. */
void piece_boundaries(struct parse_stream *s);

/* Reads with one reader alone, for tests; before anything is fed. */
void parse_stream_only(struct parse_stream *s, const struct reader *r);

#endif
