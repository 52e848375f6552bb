/*
 * parse: text that tools print -> values. Pure: no file, no clock, no locale.
 * One file per tool (parse/NAME.c), each with a row in the table of parse.c;
 * the shared layer (unquoting, unwrapping, numbers and units, runs and labels)
 * comes before them.
 */
#ifndef LAMPDUEL_PARSE_PARSE_H
#define LAMPDUEL_PARSE_PARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/vec.h"

struct parse_value {
	int run;        /* 1-based: the Nth run of this tool in the text */
	char *label;    /* the heading that tells runs apart; "" when there is none */
	char *metric;   /* "openssl/rsa2048/sign" */
	bool has_value; /* false: the cell exists but cannot be used, note says why */
	double value;
	char *unit;   /* "s" "s/op" "op/s" "B/s" "req/s" "B" "1" "1/s" */
	double step;  /* resolution of the reading in the same unit; 0: not known */
	bool derived; /* computed (count / seconds), not printed as such */
	char *file;   /* as given by the caller */
	long line;    /* 1-based line of the original text */
	char *note;   /* "" when there is nothing to say */
	/* Conditions under which two values of one metric may be compared:
	 * "clock=user;processes=2", sorted by key; a key that is absent is not known. */
	char *conditions;
	char *software; /* "OpenSSL 3.0.19", "MariaDB 10.0.31"; "" when the text does not say */
};

struct parse_result {
	VEC(struct parse_value) values;
	VEC(char *) warnings; /* one line each: what cannot be concluded, and why */
};

void parse_value_release(struct parse_value *v);
void parse_result_release(struct parse_result *r);

/*
 * Reads all that is recognised in text (len bytes, any bytes). 0 when at least one cell was
 * found; else an error that says what was looked for. file is copied into each value.
 */
int parse_text(const char *text, size_t len, const char *file, struct parse_result *r,
	       struct err *err);

/*
 * The same in pieces, for texts of any size: memory does not grow with the text. The sink gets
 * each value once; what v and text point to is the stream's and lasts for the call only.
 */
struct parse_sink {
	void (*value)(void *arg, const struct parse_value *v);
	void (*warning)(void *arg, const char *text);
	void *arg;
};

struct parse_stream;

struct parse_stream *parse_stream_new(const char *file, const struct parse_sink *sink);
void parse_stream_feed(struct parse_stream *s, const char *bytes, size_t len);
/* The end of the text: gives what was still held back. 0 or an error, as parse_text(). */
int parse_stream_finish(struct parse_stream *s, struct err *err);
void parse_stream_free(struct parse_stream *s);

#endif
