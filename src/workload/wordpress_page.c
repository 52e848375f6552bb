#include "workload/internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"

enum { SHOWN_MAX = 200 };

static const char DYNAMIC[] = "\n<!-- Dynamic page generated in ";
static const char SECONDS[] = " seconds. -->";
static const char REQUEST[] = "<!-- lampduel request ";
static const char CLOSE[] = " -->\n";

static char *escaped(const char *s, size_t n)
{
	struct buf b = BUF_INIT;

	text_escape(&b, s, n > SHOWN_MAX ? SHOWN_MAX : n);
	return buf_detach(&b);
}

/* The value of the first header of that name, escaped; "". */
static char *header_value(const char *headers, const char *name)
{
	size_t n = strlen(name);

	for (const char *line = headers; line != NULL && *line != '\0';) {
		if (strncasecmp(line, name, n) == 0 && line[n] == ':') {
			const char *value = line + n + 1;
			value += strspn(value, " \t");
			size_t len = strcspn(value, "\r\n");
			while (len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t'))
				len--;
			return escaped(value, len);
		}
		line = strchr(line, '\n');
		line = line == NULL ? NULL : line + 1;
	}
	return mem_strdup("");
}

/* Where the last DYNAMIC begins; NULL: nowhere. */
static const char *find_closing(const char *body, size_t len)
{
	const char *found = NULL;
	const char *at = body;
	const char *end = body + len;

	while (at < end &&
	       (at = memmem(at, (size_t)(end - at), DYNAMIC, sizeof(DYNAMIC) - 1)) != NULL)
		found = at++;
	return found;
}

/* The page ends in both comments, one line each, and nothing after them. */
static void read_closing(const char *body, size_t len, struct page *p)
{
	const char *at = len > 0 ? find_closing(body, len) : NULL;

	if (at == NULL)
		return;
	const char *comment = at + 1;
	size_t left = len - (size_t)(comment - body);
	const char *eol = memchr(comment, '\n', left);
	if (eol == NULL)
		return;
	const char *request = eol + 1;
	left = len - (size_t)(request - body);
	size_t around = sizeof(REQUEST) - 1 + sizeof(CLOSE) - 1;
	if (left < around || memcmp(request, REQUEST, sizeof(REQUEST) - 1) != 0 ||
	    memcmp(body + len - (sizeof(CLOSE) - 1), CLOSE, sizeof(CLOSE) - 1) != 0)
		return;
	p->text_len = (size_t)(comment - body);
	mem_replace(&p->comment, escaped(comment, (size_t)(eol - comment)));
	mem_replace(&p->nonce, escaped(request + sizeof(REQUEST) - 1, left - around));
}

void page_read(const char *headers, const char *body, size_t len, struct page *p)
{
	char *type = header_value(headers, "Content-Type");

	*p = (struct page){.text_len = len};
	p->is_html = strncasecmp(type, "text/html", 9) == 0;
	free(type);
	p->cache = header_value(headers, "X-Lampduel-Cache");
	p->opcache = header_value(headers, "X-Lampduel-Opcache");
	p->problem = header_value(headers, "X-Lampduel-Problem");
	p->comment = mem_strdup("");
	p->nonce = mem_strdup("");
	p->complete = len > 0 && memmem(body, len, "</html>", 7) != NULL;
	for (size_t i = 0; i < len; i++)
		p->nuls += body[i] == '\0';
	read_closing(body, len, p);
	p->hash = hash_more(HASH_START, body, p->text_len);
}

void page_release(struct page *p)
{
	free(p->cache);
	free(p->opcache);
	free(p->problem);
	free(p->comment);
	free(p->nonce);
	*p = (struct page){0};
}

bool page_seconds(const char *comment, double *seconds, double *step)
{
	const char *start = DYNAMIC + 1;

	if (!text_starts(comment, start) || !text_ends(comment, SECONDS) ||
	    strlen(comment) <= strlen(start) + strlen(SECONDS))
		return false;
	const char *number = comment + strlen(start);
	char *text = mem_strndup(number, strlen(number) - strlen(SECONDS));
	/* digits, a point, digits: nothing else that a number could be */
	size_t whole = strspn(text, "0123456789");
	size_t part = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
	bool ok = whole > 0 && part > 0 && text[whole + 1 + part] == '\0' &&
		  text_to_double(text, seconds) && *seconds > 0;
	*step = 1;
	for (size_t i = 0; ok && i < part; i++)
		*step /= 10;
	free(text);
	return ok;
}
