/*
 * text: numbers, escapes and columns, independent of the locale. The program
 * sets LC_CTYPE alone, so printf and strtod always use a point.
 */
#ifndef LAMPDUEL_BASE_TEXT_H
#define LAMPDUEL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Whole-string readers: true when all of s is a number in range (no blanks, no sign for u64). */
bool text_to_i64(const char *s, int64_t *out);
bool text_to_u64(const char *s, uint64_t *out);
bool text_to_double(const char *s, double *out); /* finite decimal numbers only */
/* "90", "90s", "15m", "2h", "1.5h" to nanoseconds; false when it is none or negative. */
bool text_to_duration(const char *s, int64_t *ns);
/* "2%" or "0.02" to 0.02. */
bool text_to_share(const char *s, double *out);

/*
 * Appends len bytes of untrusted text made safe for a terminal or a log: control
 * characters (C0, DEL, C1) and bytes that are no UTF-8 become \xNN, direction
 * overrides become \u{NNNN}, newline and tab become \n and \t.
 */
void text_escape(struct buf *b, const char *s, size_t len);
char *text_escaped(const char *s); /* the same as a new string */

/* Columns a terminal needs for UTF-8 text s (wcwidth; undecodable bytes count 1). */
size_t text_width(const char *s);
/* Appends s and blanks up to width columns; right: blanks first. */
void text_pad(struct buf *b, const char *s, size_t width, bool right);

/* Bytes of the longest start of s (of len bytes), in whole characters, that fits in width columns.
 */
size_t text_fit(const char *s, size_t len, size_t width);
/* The same text with a question mark for each character beyond ASCII; new string. */
char *text_ascii(const char *s);

/* Where s may be cut to at most so many bytes: never inside a character of several. */
size_t text_cut(const char *s, size_t most);

/* value with digits significant digits, plain notation ("0.0252", "1490", "6.06"). */
void text_add_significant(struct buf *b, double value, int digits);
/* The shortest decimal number that reads back as value. */
void text_add_shortest(struct buf *b, double value);

bool text_starts(const char *s, const char *prefix);
bool text_ends(const char *s, const char *suffix);
bool text_equal(const char *a, const char *b); /* either may be NULL */
char *text_trim(char *s); /* in place: cuts trailing white space, returns the first non-blank */
/* Takes "user:password@" out of every address ("scheme://...") in line, in place. */
void text_hide_logins(char *line);
/* A metric part: lower case, [a-z0-9._+-], a blank becomes _, anything else is dropped. New string.
 */
char *text_metric_part(const char *s);

#endif
