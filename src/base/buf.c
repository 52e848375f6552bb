#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

char *buf_reserve(struct buf *b, size_t more)
{
	size_t need = mem_add(mem_add(b->len, more), 1);

	if (need > b->cap) {
		size_t cap = b->cap == 0 ? 64 : b->cap;
		while (cap < need)
			cap = mem_add(cap, cap);
		b->data = mem_resize(b->data, cap, 1);
		b->cap = cap;
	}
	b->data[b->len] = '\0';
	return b->data + b->len;
}

void buf_release(struct buf *b)
{
	free(b->data);
	b->data = NULL;
	b->len = b->cap = 0;
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	if (b->data != NULL)
		b->data[0] = '\0';
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	char *p = buf_reserve(b, len);

	if (len > 0)
		memcpy(p, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void buf_addstr(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_addch(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;

	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		mem_exhausted();
	char *p = buf_reserve(b, (size_t)n);
	(void)vsnprintf(p, (size_t)n + 1, fmt, ap);
	b->len += (size_t)n;
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(b, fmt, ap);
	va_end(ap);
}

const char *buf_str(const struct buf *b)
{
	return b->data == NULL ? "" : b->data;
}

char *buf_detach(struct buf *b)
{
	char *p = b->data == NULL ? mem_strdup("") : b->data;

	b->data = NULL;
	b->len = b->cap = 0;
	return p;
}
