/*
 * num: numbers, units and words as tools print them. A decimal point always, a decimal
 * comma or thousands separators only where the caller knows of them. Nothing is allocated.
 */
#ifndef LAMPDUEL_PARSE_NUM_H
#define LAMPDUEL_PARSE_NUM_H

#include <stdbool.h>
#include <stddef.h>

struct num {
	double value;
	double step;     /* 10^-decimals: what the last digit is worth */
	int decimals;    /* digits behind the point */
	const char *end; /* first byte behind the number */
};

enum num_flags {
	NUM_THOUSANDS = 1, /* 12,753.007 */
	NUM_COMMA = 2,     /* a decimal comma: 3,03 */
	NUM_EXPONENT = 4,  /* 1.5e-05 */
	NUM_SIGN = 8,      /* a leading minus */
};

/* A number at s, which must begin with a digit (or a minus, where allowed). */
bool num_scan(const char *s, unsigned flags, struct num *n);
/* The number times factor, without the rounding error of n->value where that can be. */
double num_scaled(const struct num *n, double factor);
/* "inf", "-inf", "nan", "-nan", "-1.5": printed where a number belongs, but none that can be used.
 * Returns its end, or NULL. */
const char *num_scan_bad(const char *s);

/* Seconds in one unit of time ("s", "ms", "us", "minutes"); 0 when word is none. */
double num_time_unit(const char *word, size_t len);
/*
 * "12.10s", "468.49us", "20.14 ms", "1m": a number with its unit directly or one blank behind it,
 * in seconds. n->end is behind the unit. The unit must be there and end at a word's end.
 */
bool num_scan_time(const char *s, struct num *n);

/* Blank within a line: space or tab. */
static inline bool num_is_blank(char c)
{
	return c == ' ' || c == '\t';
}
static inline bool num_is_digit(char c)
{
	return c >= '0' && c <= '9';
}
static inline bool num_is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static inline const char *num_skip(const char *s)
{
	while (num_is_blank(*s))
		s++;
	return s;
}

/* A word: what stands between blanks. */
struct word {
	const char *s;
	size_t len;
};

/* Cuts s into at most max words; returns how many, *rest is behind the last one. */
size_t num_words(const char *s, struct word *w, size_t max, const char **rest);
bool word_is(const struct word *w, const char *text);
bool word_is_nocase(const struct word *w, const char *text);
/* A whole word of digits, below 10^15. */
bool word_count(const struct word *w, double *count);

/* If s begins with text (blanks in text stand for one or more blanks in s), the end of it. */
const char *num_after(const char *s, const char *text);
/* The same, ASCII letters of either case. */
const char *num_after_nocase(const char *s, const char *text);

/* Where text stands within the next bytes of s, or NULL: for texts of any length. */
const char *num_find(const char *s, const char *text, size_t within);

/* A table of texts that lines begin with, ended by a NULL text. */
struct key {
	const char *text;
	int id; /* not negative */
};

/* The id of the key that s begins with, *end behind it; -1: none. A longer key must stand before
 * a shorter one that it begins with. */
int num_key(const struct key *keys, const char *s, const char **end);

#endif
