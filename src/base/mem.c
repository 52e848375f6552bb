#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void mem_exhausted(void)
{
	static const char text[] = "lampduel: out of memory\n";

	/* write, not stdio: stdio may allocate. Nothing can be done if it fails. */
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	abort();
}

size_t mem_add(size_t a, size_t b)
{
	if (a > SIZE_MAX - b)
		mem_exhausted();
	return a + b;
}

void *mem_alloc(size_t size)
{
	void *p = calloc(1, size == 0 ? 1 : size);

	if (p == NULL)
		mem_exhausted();
	return p;
}

void *mem_array(size_t n, size_t size)
{
	void *p = calloc(n == 0 ? 1 : n, size == 0 ? 1 : size);

	if (p == NULL)
		mem_exhausted();
	return p;
}

void *mem_resize(void *p, size_t n, size_t size)
{
	void *q = reallocarray(p, n == 0 ? 1 : n, size == 0 ? 1 : size);

	if (q == NULL)
		mem_exhausted();
	return q;
}

char *mem_strdup(const char *s)
{
	return s == NULL ? NULL : mem_strndup(s, strlen(s));
}

char *mem_strndup(const char *s, size_t n)
{
	char *p = strndup(s, n);

	if (p == NULL)
		mem_exhausted();
	return p;
}

char *mem_vprintf(const char *fmt, va_list ap)
{
	char *p = NULL;

	if (vasprintf(&p, fmt, ap) < 0)
		mem_exhausted();
	return p;
}

char *mem_printf(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *p = mem_vprintf(fmt, ap);
	va_end(ap);
	return p;
}

void mem_replace(char **pp, char *s)
{
	free(*pp);
	*pp = s;
}
