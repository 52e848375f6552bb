/*
 * utf16: text in 16-bit units, which some shells write where output goes to a file, as UTF-8.
 * Works on pieces of any size; keeps what a piece's end cuts off.
 */
#ifndef LAMPDUEL_PARSE_UTF16_H
#define LAMPDUEL_PARSE_UTF16_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct utf16 {
	enum { UTF16_UNKNOWN, UTF16_NO, UTF16_LITTLE, UTF16_BIG } order;
	unsigned char kept; /* a byte of a unit, or of the mark at the beginning */
	bool has_kept;
	unsigned high; /* first unit of a pair; 0: none */
};

/* Looks for the mark that text of 16-bit units begins with, while order is not known. Returns the
 * bytes that are no text. */
size_t utf16_mark(struct utf16 *u, const char *bytes, size_t len);

/* The next bytes of a text of 16-bit units as UTF-8 in out, which is emptied first. */
void utf16_decode(struct utf16 *u, const char *bytes, size_t len, struct buf *out);

/* c as UTF-8; nothing for what is no character. */
void utf16_add_utf8(struct buf *out, unsigned long c);

#endif
