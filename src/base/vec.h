/*
 * vec: growing arrays. VEC(T) declares one; v.v is the data, v.n the count.
 * Zero bytes are an empty vector. vec_release() frees the array, never what its
 * elements own.
 */
#ifndef LAMPDUEL_BASE_VEC_H
#define LAMPDUEL_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define VEC(T)                                                                                     \
	struct {                                                                                   \
		T *v;                                                                              \
		size_t n, cap;                                                                     \
	}

#define vec_reserve(vec, want)                                                                     \
	do {                                                                                       \
		size_t vec_want_ = (want);                                                         \
		if (vec_want_ > (vec)->cap) {                                                      \
			size_t vec_cap_ = (vec)->cap == 0 ? 8 : mem_add((vec)->cap, (vec)->cap);   \
			if (vec_cap_ < vec_want_)                                                  \
				vec_cap_ = vec_want_;                                              \
			(vec)->v = mem_resize((vec)->v, vec_cap_, sizeof(*(vec)->v));              \
			(vec)->cap = vec_cap_;                                                     \
		}                                                                                  \
	} while (0)

#define vec_push(vec, item)                                                                        \
	do {                                                                                       \
		vec_reserve((vec), mem_add((vec)->n, 1));                                          \
		(vec)->v[(vec)->n++] = (item);                                                     \
	} while (0)

/* A pointer to a new, zeroed last element. */
#define vec_add(vec) (vec_grow_zero_((vec)), &(vec)->v[(vec)->n - 1])
#define vec_grow_zero_(vec)                                                                        \
	vec_grow_raw_((void **)(void *)&(vec)->v, &(vec)->n, &(vec)->cap, sizeof(*(vec)->v))

#define vec_release(vec)                                                                           \
	do {                                                                                       \
		free((vec)->v);                                                                    \
		(vec)->v = NULL;                                                                   \
		(vec)->n = (vec)->cap = 0;                                                         \
	} while (0)

#define vec_last(vec) (&(vec)->v[(vec)->n - 1])

static inline void vec_grow_raw_(void **v, size_t *n, size_t *cap, size_t size)
{
	if (*n == *cap) {
		size_t c = *cap == 0 ? 8 : mem_add(*cap, *cap);
		*v = mem_resize(*v, c, size);
		*cap = c;
	}
	memset((char *)*v + *n * size, 0, size);
	(*n)++;
}

/* A list of strings that owns them and is always NULL-terminated: fit for argv. */
struct strvec {
	char **v;
	size_t n, cap;
};

#define STRVEC_INIT                                                                                \
	{                                                                                          \
		NULL, 0, 0                                                                         \
	}

void strvec_push(struct strvec *sv, const char *s); /* copies */
void strvec_pushf(struct strvec *sv, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strvec_push_all(struct strvec *sv, char *const *argv); /* up to its NULL */
void strvec_release(struct strvec *sv);

#endif
