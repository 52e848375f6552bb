/* Cells of openssl speed's tables: numbers with a suffix, or what cannot be used. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "parse/openssl_int.h"

/* A cell of a table at s; its end, or NULL. */
const char *openssl_cell(const char *s, struct cell *c)
{
	const char *e;

	memset(c, 0, sizeof(*c));
	c->s = s;
	if (num_scan(s, 0, &c->n)) {
		e = c->n.end;
	} else {
		e = num_scan_bad(s);
		c->bad = true;
		if (e == NULL)
			return NULL;
	}
	if (*e == 's' || *e == 'k')
		c->suffix = *e++;
	/* Text may be glued behind the last number of a file without a newline: rates have one
	 * decimal, so what follows it is the other text's. */
	if (*e != '\0' && !num_is_blank(*e) && *e != '|' && c->suffix == 0) {
		const char *point = s + strspn(s, "0123456789");

		if (c->bad || *point != '.' || !num_is_digit(point[1]))
			return NULL;
		e = point + 2;
		c->n.value = floor(c->n.value * 10 + 1e-9) / 10;
		c->n.decimals = 1;
		c->n.step = 0.1;
		c->n.end = e;
	}
	return e;
}

const char *openssl_cell_skip(const char *s)
{
	while (num_is_blank(*s) || *s == '|')
		s++;
	return s;
}

/* "(Cortex-A55)" behind a row: a label of its own. */
/* "<- soft float", "# Pi 3": what people write behind a row, up to the end of the line. */
static const char *marked(const char *s, char *label, size_t size)
{
	static const char *const marks[] = {"<--", "<-",  "# ",  "// ",
					    "-- ", "=> ", "<= ", "\xe2\x86\x90"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		size_t n = strlen(marks[i]), len;

		if (strncmp(s, marks[i], n) != 0)
			continue;
		s = num_skip(s + n);
		len = strlen(s);
		if (len == 0 || len > 60 || len >= size || strstr(s, " bit") != NULL)
			break;
		memcpy(label, s, len + 1);
		return s + len;
	}
	return NULL;
}

const char *openssl_annotation(const char *s, char *label, size_t size)
{
	const char *a = openssl_cell_skip(s), *e;
	size_t n;

	label[0] = '\0';
	if (*a != '(') {
		e = marked(a, label, size);
		return e != NULL ? e : s;
	}
	e = strchr(a, ')');
	if (e == NULL || e - a < 2 || e - a > 60)
		return s;
	n = (size_t)(e - a - 1);
	if (n >= size)
		n = size - 1;
	memcpy(label, a + 1, n);
	label[n] = '\0';
	return e + 1;
}

/* "Pi 3: rsa 2048 bits ...": what people write before a row. */
void openssl_label_before(const struct piece *p, char *label, size_t size)
{
	size_t n = p->before_len;

	while (n > 0 && (num_is_blank(p->before[n - 1]) || p->before[n - 1] == ':'))
		n--;
	if (label[0] != '\0' || n == 0 || n > 40 || n >= size ||
	    memchr(p->before + n, ':', p->before_len - n) == NULL)
		return;
	memcpy(label, p->before, n);
	label[n] = '\0';
}

void openssl_use_annotation(const char *label, struct parse_value *v)
{
	if (label[0] != '\0')
		v->label = (char *)(uintptr_t)label;
}

/* Does a progress line's rate agree with a printed one, both being rounded? */
bool openssl_agrees(const struct measured *m, double per, double value, double step)
{
	double rate;

	if (m->seconds <= 0 || m->count <= 0 || value <= 0)
		return true;
	rate = m->count * per / m->seconds;
	return fabs(rate / value - 1) <= 0.02 + step / value + m->step / m->seconds;
}
