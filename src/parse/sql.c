#include "parse/sql.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Behind the string that begins at s with a quote; NULL when it does not end. */
static const char *string_end(const char *s)
{
	char quote = *s++;

	for (; *s != '\0'; s++) {
		if (*s == '\\' && s[1] != '\0')
			s++;
		else if (*s == quote && s[1] == quote)
			s++;
		else if (*s == quote)
			return s + 1;
	}
	return NULL;
}

static bool is_quote(char c)
{
	return c == '\'' || c == '"' || c == '`';
}

size_t sql_comment(const char *s)
{
	if (s[0] == '/' && s[1] == '*') {
		const char *end = strstr(s + 2, "*/");
		return end != NULL ? (size_t)(end + 2 - s) : strlen(s);
	}
	if (s[0] == '#' || (s[0] == '-' && s[1] == '-' && num_is_blank(s[2])))
		return strlen(s);
	return 0;
}

const char *sql_end(const char *s)
{
	while (*s != '\0') {
		if (is_quote(*s)) {
			s = string_end(s);
			if (s == NULL)
				return NULL;
			continue;
		}
		if (*s == ';')
			return s + 1;
		if (*s == '\\' && (s[1] == 'G' || s[1] == 'g'))
			return s + 2;
		s++;
	}
	return NULL;
}

/* Copies without superfluous blanks; keep: one of several is left. */
static void copy(const char *s, size_t len, char *out, size_t size, bool keep)
{
	size_t n = 0;
	uint64_t h = UINT64_C(1469598103934665603);
	char quote = 0;

	while (len > 0 && num_is_blank(s[len - 1]))
		len--;
	for (size_t i = 0; i < len; i++) {
		if (quote == 0 && num_is_blank(s[i]) &&
		    (!keep || n == 0 || num_is_blank(s[i + 1 < len ? i + 1 : i]))) {
			continue;
		}
		if (quote == 0 && is_quote(s[i]))
			quote = s[i];
		else if (s[i] == quote)
			quote = 0;
		h = (h ^ (unsigned char)s[i]) * UINT64_C(1099511628211);
		if (n + 1 < size)
			out[n] = s[i];
		n++;
	}
	if (n < size) {
		out[n] = '\0';
		return;
	}
	/* two long texts that begin alike stay two */
	n = size - 12;
	while (n > 0 && ((unsigned char)out[n] & 0xc0) == 0x80)
		n--;
	snprintf(out + n, size - n, "..%08x", (unsigned)(h ^ h >> 32));
}

void sql_normalise(const char *s, size_t len, char *out, size_t size)
{
	copy(s, len, out, size, false);
}

void sql_squeeze(const char *s, size_t len, char *out, size_t size)
{
	copy(s, len, out, size, true);
}

/* Behind the parenthesis that closes the one at s; NULL when it is missing. comma: the first one
 * between them that is in no string and no deeper parenthesis. */
static const char *closing(const char *s, const char **comma)
{
	int depth = 0;

	*comma = NULL;
	while (*s != '\0') {
		if (is_quote(*s)) {
			s = string_end(s);
			if (s == NULL)
				return NULL;
			continue;
		}
		if (*s == '(')
			depth++;
		else if (*s == ')' && --depth == 0)
			return s + 1;
		else if (*s == ',' && depth == 1 && *comma == NULL)
			*comma = s;
		else if (*s == ';')
			return NULL;
		s++;
	}
	return NULL;
}

static const char *find_nocase(const char *s, const char *text)
{
	size_t n = strlen(text);

	for (; *s != '\0'; s++) {
		if ((*s == text[0] || *s == text[0] - 32) && strncasecmp(s, text, n) == 0)
			return s;
	}
	return NULL;
}

/* "1000000", "1e6", "1000 * 1000": a count, 0 when it is nothing of these. */
static double count_of(const char *s, const char *end)
{
	double count = 1;

	for (;;) {
		struct num n;

		s = num_skip(s);
		if (s >= end || !num_scan(s, NUM_EXPONENT, &n) || n.end > end)
			return 0;
		count *= n.value;
		s = num_skip(n.end);
		if (s == end)
			return count >= 1 && count < 1e15 ? count : 0;
		if (*s != '*')
			return 0;
		s++;
	}
}

/* Nothing but SELECT (or DO, SET @x =) before, nothing but an alias behind. */
static bool stands_alone(const char *statement, const char *at, const char *end)
{
	static const char *const before[] = {"select", "sql_no_cache", "do", "set", "="};
	struct word w;
	const char *s = num_skip(statement);

	while (s < at && num_words(s, &w, 1, &s) == 1 && w.s < at) {
		bool known = w.s[0] == '@';

		for (size_t i = 0; !known && i < sizeof(before) / sizeof(before[0]); i++)
			known = word_is_nocase(&w, before[i]);
		if (!known)
			return false;
	}
	end = num_skip(end);
	if (num_after_nocase(end, "as ") != NULL)
		end = num_skip(end + 3) + strcspn(num_skip(end + 3), " \t;\\");
	end = num_skip(end);
	return *end == '\0' || *end == ';' || *end == '\\' || *end == '|' || *end == ':' ||
	       num_after_nocase(end, "from dual") != NULL;
}

bool sql_benchmark(const char *statement, struct sql_benchmark *out)
{
	const char *at = find_nocase(statement, "benchmark"), *open, *end, *comma;

	if (at == NULL)
		return false;
	open = num_skip(at + strlen("benchmark"));
	if (*open != '(')
		return false;
	end = closing(open, &comma);
	if (end == NULL || comma == NULL)
		return false;
	for (const char *more = end; (more = find_nocase(more, "benchmark")) != NULL; more++) {
		if (*num_skip(more + strlen("benchmark")) == '(')
			return false;
	}
	out->count = count_of(open + 1, comma);
	sql_normalise(comma + 1, (size_t)(end - 1 - comma - 1), out->expr, sizeof(out->expr));
	out->whole = stands_alone(statement, at, end);
	return out->expr[0] != '\0';
}

/* Units of time as clients print them; a point behind an abbreviation is skipped. */
static const struct {
	const char *word;
	double seconds;
} units[] = {
	{"sec", 1},
	{"secs", 1},
	{"second", 1},
	{"seconds", 1},
	{"s", 1},
	{"seg", 1},
	{"segs", 1},
	{"segundo", 1},
	{"segundos", 1},
	{"sek", 1},
	{"sekunde", 1},
	{"sekunden", 1},
	{"sekunder", 1},
	{"sekund", 1},
	{"seconde", 1},
	{"secondes", 1},
	{"secondi", 1},
	{"secondo", 1},
	{"sekundy", 1},
	{"sekundi", 1},
	{"sekuntia", 1},
	{"sn", 1},
	{"saniye", 1},
	{"\xd1\x81\xd0\xb5\xd0\xba", 1}, /* Russian */
	{"\xd1\x81", 1},
	{"\xe7\xa7\x92", 1}, /* Chinese, Japanese */
	{"\xe7\xa7\x92\xe9\x92\x9f", 1},
	{"\xec\xb4\x88", 1}, /* Korean */
	{"min", 60},
	{"mins", 60},
	{"minute", 60},
	{"minutes", 60},
	{"minuto", 60},
	{"minutos", 60},
	{"minuten", 60},
	{"minuti", 60},
	{"minuta", 60},
	{"minuty", 60},
	{"minut", 60},
	{"minuut", 60},
	{"dk", 60},
	{"m", 60},
	{"\xd0\xbc\xd0\xb8\xd0\xbd", 60},
	{"\xe5\x88\x86", 60},
	{"\xe5\x88\x86\xe9\x92\x9f", 60},
	{"\xeb\xb6\x84", 60},
	{"hour", 3600},
	{"hours", 3600},
	{"heure", 3600},
	{"heures", 3600},
	{"stunde", 3600},
	{"stunden", 3600},
	{"std", 3600},
	{"uur", 3600},
	{"uren", 3600},
	{"godz", 3600},
	{"godzina", 3600},
	{"godziny", 3600},
	{"godzin", 3600},
	{"hod", 3600},
	{"hodina", 3600},
	{"hodiny", 3600},
	{"hodin", 3600},
	{"tim", 3600},
	{"timme", 3600},
	{"timmar", 3600},
	{"time", 3600},
	{"timer", 3600},
	{"tunti", 3600},
	{"tuntia", 3600},
	{"saat", 3600},
	{"hora", 3600},
	{"horas", 3600},
	{"ora", 3600},
	{"ore", 3600},
	{"h", 3600},
	{"\xd1\x87", 3600},
	{"\xd1\x87\xd0\xb0\xd1\x81", 3600},
	{"\xd1\x87\xd0\xb0\xd1\x81\xd0\xb0", 3600},
	{"\xd1\x87\xd0\xb0\xd1\x81\xd0\xbe\xd0\xb2", 3600},
	{"\xe5\xb0\x8f\xe6\x97\xb6", 3600},
	{"\xe6\x99\x82\xe9\x96\x93", 3600},
	{"\xec\x8b\x9c\xea\xb0\x84", 3600},
	{"day", 86400},
	{"days", 86400},
	{"jour", 86400},
	{"jours", 86400},
	{"tag", 86400},
	{"tage", 86400},
	{"dia", 86400},
	{"dias", 86400},
	{"d\xc3\xad"
	 "a",
	 86400},
	{"d\xc3\xad"
	 "as",
	 86400},
	{"dag", 86400},
	{"dagen", 86400},
	{"dagar", 86400},
	{"dni", 86400},
	{"den", 86400},
	{"giorno", 86400},
	{"giorni", 86400},
	{"\xe5\xa4\xa9", 86400},
	{"\xe6\x97\xa5", 86400},
};

static double unit_of(const char *s, size_t len)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if ((units[i].word[0] | 0x20) == (s[0] | 0x20) && strlen(units[i].word) == len &&
		    strncasecmp(units[i].word, s, len) == 0)
			return units[i].seconds;
	}
	return 0;
}

bool sql_duration(const char *s, struct num *n)
{
	double total = 0, below = 1e9;

	for (;;) {
		struct num part;
		size_t len = 0;
		double unit;

		if (!num_scan(s, NUM_COMMA, &part))
			return false;
		s = num_skip(part.end);
		while (num_is_alpha(s[len]) || (unsigned char)s[len] >= 0x80)
			len++;
		unit = unit_of(s, len);
		if (unit == 0 || unit >= below)
			return false;
		below = unit;
		s += len;
		total += part.value * unit;
		if (*s == '.' && !num_is_digit(s[1]))
			s++;
		if (unit == 1) {
			*n = part;
			n->value = total;
			n->end = s;
			return true;
		}
		s = num_skip(s);
	}
}
