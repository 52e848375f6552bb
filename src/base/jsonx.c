#include "base/jsonx.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"

json_t *jsonx_text(const char *s)
{
	json_t *j = json_string(s == NULL ? "" : s);

	if (j == NULL) {
		char *escaped = text_escaped(s);
		j = json_string(escaped);
		free(escaped);
	}
	if (j == NULL)
		mem_exhausted();
	return j;
}

void jsonx_put(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new_nocheck(object, key, value) != 0)
		mem_exhausted();
}

void jsonx_append(json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) != 0)
		mem_exhausted();
}

char *jsonx_take_text(json_t *document, size_t flags)
{
	char *text = document == NULL ? NULL : json_dumps(document, flags);

	if (text == NULL)
		mem_exhausted();
	json_decref(document);
	return text;
}

const char *jsonx_str(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s == NULL ? "" : s;
}

long long jsonx_num(const json_t *object, const char *key)
{
	return (long long)json_integer_value(json_object_get(object, key));
}
