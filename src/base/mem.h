/*
 * mem: allocation. Out of memory ends the program in one place with one line;
 * sizes are multiplied and added with overflow checks. Everything returned is
 * the caller's, freed with free().
 */
#ifndef LAMPDUEL_BASE_MEM_H
#define LAMPDUEL_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

void *mem_alloc(size_t size);                     /* zeroed; size 0 is allowed */
void *mem_array(size_t n, size_t size);           /* zeroed n * size */
void *mem_resize(void *p, size_t n, size_t size); /* not zeroed beyond the old end */
char *mem_strdup(const char *s);                  /* NULL gives NULL */
char *mem_strndup(const char *s, size_t n);       /* at most n bytes, terminated */
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *mem_vprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));
size_t mem_add(size_t a, size_t b); /* a + b, or the end */
_Noreturn void mem_exhausted(void); /* also for libraries that return NULL */

/* free(*pp) and set it to s, which becomes owned. */
void mem_replace(char **pp, char *s);

#endif
