#include "facts/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

bool lines_next(const char **cursor, struct line *l)
{
	const char *p = *cursor;

	if (*p == '\0')
		return false;
	l->at = p;
	l->len = strcspn(p, "\n");
	*cursor = p + l->len + (p[l->len] == '\n');
	if (l->len > 0 && l->at[l->len - 1] == '\r')
		l->len--;
	return true;
}

char *lines_text(struct line l)
{
	char *copy = mem_strndup(l.at, l.len);
	char *trimmed = mem_strdup(text_trim(copy));

	free(copy);
	return trimmed;
}

bool lines_starts(struct line l, const char *prefix)
{
	size_t n = strlen(prefix);

	return l.len >= n && memcmp(l.at, prefix, n) == 0;
}

const char *lines_at(struct line l, const char *separator)
{
	return memmem(l.at, l.len, separator, strlen(separator));
}

char *lines_value(struct line l, const char *key, const char *separator)
{
	size_t at = strlen(key);
	size_t width = strlen(separator);

	if (!lines_starts(l, key))
		return NULL;
	while (at < l.len && (l.at[at] == ' ' || l.at[at] == '\t'))
		at++;
	if (l.len - at < width || memcmp(l.at + at, separator, width) != 0)
		return NULL;
	at += width;
	char *value = lines_text((struct line){l.at + at, l.len - at});
	if (value[0] != '\0')
		return value;
	free(value);
	return NULL;
}

char *lines_find(const char *text, const char *key, const char *separator)
{
	struct line l;

	while (lines_next(&text, &l)) {
		char *value = lines_value(l, key, separator);

		if (value != NULL)
			return value;
	}
	return NULL;
}
