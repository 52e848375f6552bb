#include "base/vec.h"

#include <stdarg.h>

static void push_owned(struct strvec *sv, char *s)
{
	size_t need = mem_add(sv->n, 2);

	if (need > sv->cap) {
		size_t cap = sv->cap == 0 ? 16 : mem_add(sv->cap, sv->cap);
		if (cap < need)
			cap = need;
		sv->v = mem_resize(sv->v, cap, sizeof(*sv->v));
		sv->cap = cap;
	}
	sv->v[sv->n++] = s;
	sv->v[sv->n] = NULL;
}

void strvec_push(struct strvec *sv, const char *s)
{
	push_owned(sv, mem_strdup(s));
}

void strvec_pushf(struct strvec *sv, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	push_owned(sv, mem_vprintf(fmt, ap));
	va_end(ap);
}

void strvec_push_all(struct strvec *sv, char *const *argv)
{
	for (; *argv != NULL; argv++)
		strvec_push(sv, *argv);
}

void strvec_release(struct strvec *sv)
{
	for (size_t i = 0; i < sv->n; i++)
		free(sv->v[i]);
	free(sv->v);
	sv->v = NULL;
	sv->n = sv->cap = 0;
}
