#include "facts/fact.h"

#include "base/text.h"

void factset_release(struct factset *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->v[i].key);
		free(f->v[i].value);
		free(f->v[i].origin);
	}
	vec_release(f);
}

static struct fact *find(const struct factset *f, const char *key)
{
	for (size_t i = 0; i < f->n; i++) {
		if (text_equal(f->v[i].key, key))
			return &f->v[i];
	}
	return NULL;
}

void factset_set(struct factset *f, const char *key, const char *value, const char *origin)
{
	struct fact *at = find(f, key);

	if (at == NULL) {
		at = vec_add(f);
		at->key = mem_strdup(key);
	}
	mem_replace(&at->value, mem_strdup(value));
	mem_replace(&at->origin, mem_strdup(origin == NULL ? "" : origin));
}

void factset_remove(struct factset *f, const char *prefix)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (!text_starts(f->v[i].key, prefix)) {
			f->v[kept++] = f->v[i];
			continue;
		}
		free(f->v[i].key);
		free(f->v[i].value);
		free(f->v[i].origin);
	}
	f->n = kept;
}

const char *factset_get(const struct factset *f, const char *key)
{
	const struct fact *at = find(f, key);

	return at == NULL ? NULL : at->value;
}

void factset_copy(struct factset *to, const struct factset *from)
{
	for (size_t i = 0; i < from->n; i++)
		factset_set(to, from->v[i].key, from->v[i].value, from->v[i].origin);
}
