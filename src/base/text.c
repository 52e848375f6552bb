#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/clock.h"
#include "base/mem.h"

bool text_to_i64(const char *s, int64_t *out)
{
	char *end = NULL;

	if (!(isdigit((unsigned char)s[0]) || (s[0] == '-' && isdigit((unsigned char)s[1]))))
		return false;
	errno = 0;
	long long v = strtoll(s, &end, 10);
	if (errno != 0 || *end != '\0')
		return false;
	*out = v;
	return true;
}

bool text_to_u64(const char *s, uint64_t *out)
{
	char *end = NULL;

	if (!isdigit((unsigned char)s[0]))
		return false;
	errno = 0;
	unsigned long long v = strtoull(s, &end, 10);
	if (errno != 0 || *end != '\0')
		return false;
	*out = v;
	return true;
}

/* strtod takes "inf", "nan" and hexadecimal too: only decimal digits may start a number here. */
static bool scan_decimal(const char *s, const char **end, double *out)
{
	const char *p = s;

	if (*p == '-' || *p == '+')
		p++;
	if (!isdigit((unsigned char)p[0]) && !(p[0] == '.' && isdigit((unsigned char)p[1])))
		return false;
	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		return false;
	char *stop = NULL;
	double v = strtod(s, &stop);
	if (!isfinite(v))
		return false;
	*end = stop;
	*out = v;
	return true;
}

bool text_to_double(const char *s, double *out)
{
	const char *end = NULL;

	return scan_decimal(s, &end, out) && *end == '\0';
}

bool text_to_duration(const char *s, int64_t *ns)
{
	const char *end = NULL;
	double v = 0;
	double unit = 0;

	if (!scan_decimal(s, &end, &v) || v < 0)
		return false;
	if (*end == '\0' || strcmp(end, "s") == 0)
		unit = 1;
	else if (strcmp(end, "ms") == 0)
		unit = 1e-3;
	else if (strcmp(end, "m") == 0 || strcmp(end, "min") == 0)
		unit = 60;
	else if (strcmp(end, "h") == 0)
		unit = 3600;
	else
		return false;
	v *= unit;
	if (v > 1e9) /* thirty years: a typing error, and beyond 64-bit nanoseconds soon after */
		return false;
	*ns = (int64_t)llround(v * (double)NS_PER_S);
	return true;
}

bool text_to_share(const char *s, double *out)
{
	const char *end = NULL;
	double v = 0;

	if (!scan_decimal(s, &end, &v) || v < 0)
		return false;
	if (strcmp(end, "%") == 0)
		v /= 100;
	else if (*end != '\0')
		return false;
	*out = v;
	return true;
}

/* Length of the valid UTF-8 sequence at s (1 to 4) and its code point, or 0. */
static size_t decode(const unsigned char *s, size_t len, uint32_t *cp)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = 0;
	uint32_t c = 0;

	if (len == 0)
		return 0;
	if (s[0] < 0x80) {
		*cp = s[0];
		return 1;
	}
	if ((s[0] & 0xe0) == 0xc0) {
		n = 2;
		c = s[0] & 0x1fU;
	} else if ((s[0] & 0xf0) == 0xe0) {
		n = 3;
		c = s[0] & 0x0fU;
	} else if ((s[0] & 0xf8) == 0xf0) {
		n = 4;
		c = s[0] & 0x07U;
	} else {
		return 0;
	}
	if (n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3fU);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*cp = c;
	return n;
}

/* Characters that reorder or hide what stands around them. */
static bool is_direction_mark(uint32_t c)
{
	return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

void text_escape(struct buf *b, const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s;

	for (size_t i = 0; i < len;) {
		uint32_t c = 0;
		size_t n = decode(p + i, len - i, &c);

		if (n == 0) {
			buf_addf(b, "\\x%02x", p[i]);
			i++;
			continue;
		}
		if (c == '\n')
			buf_addstr(b, "\\n");
		else if (c == '\t')
			buf_addstr(b, "\\t");
		else if (c < 0x20 || (c >= 0x7f && c < 0xa0))
			buf_addf(b, "\\x%02x", (unsigned)c);
		else if (is_direction_mark(c))
			buf_addf(b, "\\u{%04x}", (unsigned)c);
		else
			buf_add(b, s + i, n);
		i += n;
	}
}

char *text_escaped(const char *s)
{
	struct buf b = BUF_INIT;

	text_escape(&b, s, strlen(s));
	return buf_detach(&b);
}

/* Bytes of the character at s, and the columns it takes. */
static size_t one_character(const char *s, size_t len, size_t *width)
{
	uint32_t c = 0;
	size_t n = decode((const unsigned char *)s, len, &c);
	int w = n == 0 ? 1 : wcwidth((wchar_t)c);

	/* In the C locale wcwidth knows no character beyond ASCII: one column is the guess. */
	*width = w < 0 ? 1 : (size_t)w;
	return n == 0 ? 1 : n;
}

size_t text_width(const char *s)
{
	size_t len = strlen(s);
	size_t width = 0;

	for (size_t i = 0, w = 0; i < len; width += w)
		i += one_character(s + i, len - i, &w);
	return width;
}

size_t text_fit(const char *s, size_t len, size_t width)
{
	size_t i = 0;

	for (size_t used = 0; i < len;) {
		size_t w = 0, n = one_character(s + i, len - i, &w);
		if (used + w > width)
			break;
		used += w;
		i += n;
	}
	return i;
}

char *text_ascii(const char *s)
{
	struct buf b = BUF_INIT;
	size_t len = strlen(s);

	for (size_t i = 0, w = 0; i < len;) {
		buf_addch(&b, (unsigned char)s[i] < 0x80 ? s[i] : '?');
		i += one_character(s + i, len - i, &w);
	}
	return buf_detach(&b);
}

void text_pad(struct buf *b, const char *s, size_t width, bool right)
{
	size_t have = text_width(s);

	if (!right)
		buf_addstr(b, s);
	for (; have < width; have++)
		buf_addch(b, ' ');
	if (right)
		buf_addstr(b, s);
}

void text_add_significant(struct buf *b, double value, int digits)
{
	if (!isfinite(value) || value == 0) {
		buf_addf(b, "%g", value);
		return;
	}
	char tmp[64];
	/* %e rounds first, so 9.996 with three digits becomes 10.0 and not 10.00 */
	(void)snprintf(tmp, sizeof(tmp), "%.*e", digits - 1, value);
	double rounded = strtod(tmp, NULL);
	int exponent = (int)floor(log10(fabs(rounded)) + 1e-12);
	int decimals = digits - 1 - exponent;
	buf_addf(b, "%.*f", decimals > 0 ? decimals : 0, rounded);
}

void text_add_shortest(struct buf *b, double value)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	buf_addstr(b, text);
}

bool text_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool text_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s);
	size_t m = strlen(suffix);

	return n >= m && strcmp(s + n - m, suffix) == 0;
}

bool text_equal(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

char *text_trim(char *s)
{
	size_t n = strlen(s);

	while (n > 0 && isspace((unsigned char)s[n - 1]))
		s[--n] = '\0';
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

char *text_metric_part(const char *s)
{
	struct buf b = BUF_INIT;

	for (; *s != '\0'; s++) {
		unsigned char c = (unsigned char)*s;

		if (isalnum(c))
			buf_addch(&b, (char)tolower(c));
		else if (strchr("._+-", c) != NULL)
			buf_addch(&b, (char)c);
		else if (isspace(c))
			buf_addch(&b, '_');
	}
	return buf_detach(&b);
}

void text_hide_logins(char *line)
{
	for (char *p = strstr(line, "://"); p != NULL; p = strstr(p, "://")) {
		p += 3;
		size_t n = strcspn(p, "/ \t'\"");
		for (size_t i = n; i > 0; i--) {
			if (p[i - 1] == '@') {
				memmove(p, p + i, strlen(p + i) + 1);
				break;
			}
		}
	}
}

size_t text_cut(const char *s, size_t most)
{
	size_t n = strlen(s);

	if (n <= most)
		return n;
	for (n = most; n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80;)
		n--;
	return n;
}
