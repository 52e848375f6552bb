#include "stack/internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

char *version_after(const char *text, const char *mark)
{
	const char *at = strstr(text, mark);
	size_t n = 0;

	if (at == NULL)
		return NULL;
	at += strlen(mark);
	at += strspn(at, " \t");
	/* "10.11.14" of "10.11.14-MariaDB", "1.1.1w" with its letter */
	while (isalnum((unsigned char)at[n]) || (at[n] == '.' && isdigit((unsigned char)at[n + 1])))
		n++;
	return n > 0 && isdigit((unsigned char)*at) ? mem_strndup(at, n) : NULL;
}

/* The next number of a dotted version, 0 at its end; *s moves behind it. */
static unsigned long next_number(const char **s)
{
	unsigned long v = 0;

	while (isdigit((unsigned char)**s)) {
		unsigned digit = (unsigned)(**s - '0');
		v = v > 100000000 ? v : v * 10 + digit;
		(*s)++;
	}
	if (**s == '.' && isdigit((unsigned char)(*s)[1]))
		(*s)++;
	else
		*s += strlen(*s);
	return v;
}

int version_compare(const char *a, const char *b)
{
	while (*a != '\0' || *b != '\0') {
		unsigned long x = next_number(&a);
		unsigned long y = next_number(&b);

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

char *php_string_of(const char *text, const char *name)
{
	char *mark = mem_printf("$%s", name);
	char *found = NULL;

	for (const char *at = strstr(text, mark); at != NULL && found == NULL;
	     at = strstr(at + 1, mark)) {
		const char *p = at + strlen(mark);
		p += strspn(p, " \t");
		if (*p++ != '=')
			continue;
		p += strspn(p, " \t");
		const char quote = *p++;
		const char *end = quote == '\'' || quote == '"' ? strchr(p, quote) : NULL;
		if (end != NULL)
			found = mem_strndup(p, (size_t)(end - p));
	}
	free(mark);
	return found;
}
