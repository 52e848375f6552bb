/*
 * jsonx: what is done with jansson again and again. Memory that runs out ends the program, as in
 * base/mem.h; nothing here returns NULL.
 */
#ifndef LAMPDUEL_BASE_JSONX_H
#define LAMPDUEL_BASE_JSONX_H

#include <jansson.h>
#include <stddef.h>

/* The text as a JSON string; bytes that are no UTF-8 become \xNN in it. NULL is "". */
json_t *jsonx_text(const char *s);

/* Both take value over. */
void jsonx_put(json_t *object, const char *key, json_t *value);
void jsonx_append(json_t *array, json_t *value);

/* The document as text, with jansson's flags, and the document's end. New string. */
char *jsonx_take_text(json_t *document, size_t flags);

/* A member of an object, "" or 0 where there is none of that kind. The text is the object's. */
const char *jsonx_str(const json_t *object, const char *key);
long long jsonx_num(const json_t *object, const char *key);

#endif
