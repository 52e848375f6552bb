/*
 * clean: takes away what is around a tool's output when people publish it: colour,
 * markup, entities, quoting, prompts. Works line by line and keeps no state.
 */
#ifndef LAMPDUEL_PARSE_CLEAN_H
#define LAMPDUEL_PARSE_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* In the cleaned text: a line break the markup asked for, and the beginning of another file. */
enum { CLEAN_BREAK = '\n', CLEAN_FILE = '\f' };

/*
 * One line of the original, without its newline, as plain text in out (which is emptied first):
 * UTF-8 or what there is of it, no control characters but tab, CLEAN_BREAK and CLEAN_FILE.
 */
void clean_bytes(const char *raw, size_t len, struct buf *out);

/* A line of quoted-printable mail, =3D and the like decoded, in out (which is emptied first). */
void clean_printable(const char *raw, size_t len, struct buf *out);

struct clean_line {
	char *s; /* into the text given, NUL-terminated, blanks cut at both ends */
	size_t len;
	int hashes;  /* # before it */
	bool prompt; /* a shell's prompt before it */
	bool fence;  /* only markup: a ``` line, a bare quote mark */
};

/* Takes quoting, comment marks, time stamps and prompts from a line of cleaned text, in place. */
void clean_prefix(char *s, size_t len, struct clean_line *out);

#endif
