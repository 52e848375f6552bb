/*
 * buf: a growing byte buffer. data is always terminated by a NUL that does not
 * count in len, and may contain others. Zero it with BUF_INIT; free with
 * buf_release().
 */
#ifndef LAMPDUEL_BASE_BUF_H
#define LAMPDUEL_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct buf {
	char *data; /* NULL only while nothing was ever added */
	size_t len, cap;
};

#define BUF_INIT                                                                                   \
	{                                                                                          \
		NULL, 0, 0                                                                         \
	}

void buf_release(struct buf *b);
void buf_clear(struct buf *b); /* len 0, memory kept */
void buf_add(struct buf *b, const void *data, size_t len);
void buf_addstr(struct buf *b, const char *s);
void buf_addch(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vaddf(struct buf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
char *buf_reserve(struct buf *b, size_t more); /* room for more bytes after len */
const char *buf_str(const struct buf *b);      /* never NULL */
char *buf_detach(struct buf *b);               /* the string becomes the caller's; never NULL */

#endif
