/*
 * put: short texts built piece by piece in a place of fixed size, always terminated, cut when
 * they are too long. What printf does, where millions of values are read.
 */
#ifndef LAMPDUEL_PARSE_PUT_H
#define LAMPDUEL_PARSE_PUT_H

#include <stddef.h>
#include <string.h>

struct put {
	char *s;
	size_t n, size;
};

static inline struct put put_begin(char *s, size_t size)
{
	s[0] = '\0';
	return (struct put){s, 0, size};
}

static inline void put_mem(struct put *p, const char *s, size_t len)
{
	if (len > p->size - p->n - 1)
		len = p->size - p->n - 1;
	memcpy(p->s + p->n, s, len);
	p->n += len;
	p->s[p->n] = '\0';
}

static inline void put_str(struct put *p, const char *s)
{
	put_mem(p, s, strlen(s));
}

/* s (len bytes of it) as the whole of out. */
static inline void put_copy(char *out, size_t size, const char *s, size_t len)
{
	if (len > size - 1)
		len = size - 1;
	memcpy(out, s, len);
	out[len] = '\0';
}

static inline void put_count(struct put *p, unsigned long v)
{
	char digits[24];
	size_t n = sizeof(digits);

	do {
		digits[--n] = (char)('0' + v % 10);
		v /= 10;
	} while (v > 0);
	put_mem(p, digits + n, sizeof(digits) - n);
}

#endif
