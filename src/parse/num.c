#include "parse/num.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
				1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
				1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

enum { POWERS = sizeof(powers) / sizeof(powers[0]), DIGITS_MAX = 40 };

/* Digits collected without their separators, so that strtod sees a plain number. */
struct digits {
	char text[DIGITS_MAX + 16];
	size_t n;
	uint64_t mantissa; /* of the first 18 digits */
	int decimals;
	bool exact; /* mantissa holds all digits */
};

static void digit_add(struct digits *d, char c)
{
	if (d->n < DIGITS_MAX)
		d->text[d->n++] = c;
	else
		d->exact = false;
	if (c == '.')
		return;
	if (d->mantissa < UINT64_C(100000000000000000))
		d->mantissa = d->mantissa * 10 + (uint64_t)(c - '0');
	else
		d->exact = false;
}

/* A comma is a thousands separator when exactly three digits follow it. */
static bool is_group(const char *p)
{
	return p[0] == ',' && num_is_digit(p[1]) && num_is_digit(p[2]) && num_is_digit(p[3]) &&
	       !num_is_digit(p[4]);
}

/* Behind a number of digits may stand e-05; *scale becomes the power of ten. */
static const char *scan_exponent(const char *p, int *scale)
{
	const char *q = p + 1;
	bool minus = false;
	int e = 0;

	if (*p != 'e' && *p != 'E')
		return p;
	if (*q == '-' || *q == '+')
		minus = *q++ == '-';
	if (!num_is_digit(*q))
		return p;
	for (; num_is_digit(*q); q++) {
		if (e < 1000)
			e = e * 10 + (*q - '0');
	}
	*scale = minus ? -e : e;
	return q;
}

/* Exact while mantissa and power of ten are both exact doubles; else by strtod. */
static double digits_value(struct digits *d, int scale)
{
	int e = scale - d->decimals;

	if (d->exact && d->mantissa <= UINT64_C(1) << 53 && e > -POWERS && e < POWERS) {
		double m = (double)d->mantissa;

		return e < 0 ? m / powers[-e] : m * powers[e];
	}
	d->text[d->n] = '\0';
	return strtod(d->text, NULL) * (scale == 0 ? 1 : pow(10, scale));
}

bool num_scan(const char *s, unsigned flags, struct num *n)
{
	struct digits d = {.exact = true};
	const char *p = s;
	int scale = 0;
	bool minus = false;

	if ((flags & NUM_SIGN) && *p == '-') {
		minus = true;
		p++;
	}
	if (!num_is_digit(*p))
		return false;
	while (num_is_digit(*p) || ((flags & NUM_THOUSANDS) && is_group(p))) {
		if (*p != ',')
			digit_add(&d, *p);
		p++;
	}
	if (d.n == DIGITS_MAX) /* no tool prints such a number */
		return false;
	if ((*p == '.' || ((flags & NUM_COMMA) && *p == ',')) && num_is_digit(p[1])) {
		digit_add(&d, '.');
		for (p++; num_is_digit(*p); p++) {
			digit_add(&d, *p);
			if (d.exact)
				d.decimals++;
		}
	}
	if (flags & NUM_EXPONENT)
		p = scan_exponent(p, &scale);
	n->value = digits_value(&d, scale);
	if (!isfinite(n->value))
		return false;
	if (minus)
		n->value = -n->value;
	n->decimals = d.decimals;
	n->step = d.decimals < POWERS ? 1 / powers[d.decimals] : 0;
	if (scale != 0)
		n->step *= pow(10, scale);
	n->end = p;
	return true;
}

double num_scaled(const struct num *n, double factor)
{
	double digits, divisor = 1;

	if (n->decimals >= POWERS)
		return n->value * factor;
	if (factor < 1) { /* 1e-3 is no exact double, 1000 is */
		divisor = round(1 / factor);
		factor = 1;
	}
	digits = round(n->value * powers[n->decimals]);
	if (!(fabs(digits) * factor < 9e15))
		return n->value * factor / divisor;
	return digits * factor / (powers[n->decimals] * divisor);
}

const char *num_scan_bad(const char *s)
{
	const char *p = *s == '-' || *s == '+' ? s + 1 : s;
	struct num n;

	if (strchr("iInN", *p) == NULL && *s != '-')
		return NULL;
	if (strncasecmp(p, "inf", 3) == 0 || strncasecmp(p, "nan", 3) == 0)
		return strncasecmp(p, "infinity", 8) == 0 ? p + 8 : p + 3;
	if (*s == '-' && num_scan(p, 0, &n))
		return n.end;
	return NULL;
}

static const struct {
	const char *name;
	double seconds;
} time_units[] = {
	{"s", 1},
	{"ms", 1e-3},
	{"us", 1e-6},
	{"\xc2\xb5s", 1e-6},
	{"\xce\xbcs", 1e-6},
	{"ns", 1e-9},
	{"sec", 1},
	{"secs", 1},
	{"seconds", 1},
	{"second", 1},
	{"m", 60},
	{"min", 60},
	{"mins", 60},
	{"minute", 60},
	{"minutes", 60},
	{"h", 3600},
	{"hour", 3600},
	{"hours", 3600},
	{"hrs", 3600},
	{"day", 86400},
	{"days", 86400},
	{"msec", 1e-3},
	{"msecs", 1e-3},
	{"usec", 1e-6},
	{"usecs", 1e-6},
	{"nsec", 1e-9},
	{"millisecond", 1e-3},
	{"milliseconds", 1e-3},
	{"microseconds", 1e-6},
	{"microsecond", 1e-6},
};

double num_time_unit(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(time_units) / sizeof(time_units[0]); i++) {
		if (strlen(time_units[i].name) == len &&
		    strncasecmp(time_units[i].name, word, len) == 0)
			return time_units[i].seconds;
	}
	return 0;
}

static bool is_unit_byte(char c)
{
	return num_is_alpha(c) || (unsigned char)c >= 0x80;
}

bool num_scan_time(const char *s, struct num *n)
{
	const char *unit;
	size_t len = 0;
	double seconds;

	if (!num_scan(s, 0, n))
		return false;
	unit = n->end;
	if (num_is_blank(*unit))
		unit = num_skip(unit);
	while (is_unit_byte(unit[len]))
		len++;
	seconds = num_time_unit(unit, len);
	/* an m at the end of the text may be what is left of ms */
	if (seconds == 0 || (len == 1 && seconds > 1 && unit[1] == '\0'))
		return false;
	n->value = num_scaled(n, seconds);
	n->step *= seconds;
	n->end = unit + len;
	return true;
}

size_t num_words(const char *s, struct word *w, size_t max, const char **rest)
{
	size_t n = 0;

	for (;;) {
		s = num_skip(s);
		if (*s == '\0' || n == max)
			break;
		w[n].s = s;
		while (*s != '\0' && !num_is_blank(*s))
			s++;
		w[n].len = (size_t)(s - w[n].s);
		n++;
	}
	if (rest != NULL)
		*rest = s;
	return n;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool word_is(const struct word *w, const char *text)
{
	/* most words differ in their first byte */
	return (w->len == 0 || w->s[0] == text[0]) && strncmp(w->s, text, w->len) == 0 &&
	       text[w->len] == '\0';
}

bool word_is_nocase(const struct word *w, const char *text)
{
	return (w->len == 0 || lower(w->s[0]) == lower(text[0])) &&
	       strncasecmp(w->s, text, w->len) == 0 && text[w->len] == '\0';
}

bool word_count(const struct word *w, double *count)
{
	double v = 0;

	if (w->len == 0 || w->len > 15)
		return false;
	for (size_t i = 0; i < w->len; i++) {
		if (!num_is_digit(w->s[i]))
			return false;
		v = v * 10 + (w->s[i] - '0');
	}
	*count = v;
	return true;
}

const char *num_after(const char *s, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == ' ') {
			if (!num_is_blank(*s))
				return NULL;
			s = num_skip(s);
			continue;
		}
		if (*s != *text)
			return NULL;
		s++;
	}
	return s;
}

const char *num_after_nocase(const char *s, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == ' ') {
			if (!num_is_blank(*s))
				return NULL;
			s = num_skip(s);
			continue;
		}
		if (lower(*s) != lower(*text))
			return NULL;
		s++;
	}
	return s;
}

const char *num_find(const char *s, const char *text, size_t within)
{
	return memmem(s, strnlen(s, within), text, strlen(text));
}

int num_key(const struct key *keys, const char *s, const char **end)
{
	for (; keys->text != NULL; keys++) {
		if (keys->text[0] != s[0] ||
		    (keys->text[1] != s[1] && keys->text[1] != ' ' && s[0] != '\0'))
			continue;
		*end = num_after(s, keys->text);
		if (*end != NULL)
			return keys->id;
	}
	return -1;
}
