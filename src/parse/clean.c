#include "parse/clean.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "parse/num.h"
#include "parse/utf16.h"

/* Bytes that clean_bytes() looks at twice: control characters but tab, & * < \ ^ DEL and all
 * that is no ASCII. */
static const bool is_special[256] = {
	[0 ... '\t' - 1] = true,
	['\t' + 1 ... 31] = true,
	['&'] = true,
	['*'] = true,
	['<'] = true,
	['\\'] = true,
	['^'] = true,
	[0x7f ... 0xff] = true,
};

static size_t plain_length(const char *s, size_t len)
{
	const unsigned char *c = (const unsigned char *)s, *end = c + len;

	while (c < end && !is_special[*c])
		c++;
	return (size_t)(c - (const unsigned char *)s);
}

/* Terminal control: ESC [ ... letter, ESC ] ... BEL; also as caret notation shows it: ^[[A. */
static size_t escape_length(const char *s, size_t len)
{
	size_t n;

	if (s[0] == 0x1b)
		n = 1;
	else if (len >= 3 && s[0] == '^' && s[1] == '[' && s[2] == '[')
		n = 2;
	else
		return 0;
	if (n < len && s[n] == '[') {
		for (n++; n < len && (unsigned char)s[n] >= 0x20 && (unsigned char)s[n] < 0x40; n++)
			;
		return n < len ? n + 1 : n;
	}
	if (n < len && s[n] == ']') {
		for (n++; n < len && s[n] != 0x07; n++) {
			if (s[n] == 0x1b)
				return n + 1 < len && s[n + 1] == '\\' ? n + 2 : n;
		}
		return n < len ? n + 1 : n;
	}
	return n < len && (unsigned char)s[n] >= 0x20 ? n + 1 : n;
}

/* Typographic characters become what the tool printed. Returns bytes used, 0: not one of them. */
static size_t fold_utf8(const char *s, size_t len, struct buf *out)
{
	static const struct {
		const char *from, *to;
	} folds[] = {
		{"\xc2\xa0", " "},      {"\xc2\xad", ""},       {"\xe2\x80\xaf", " "},
		{"\xe2\x80\x87", " "},  {"\xe2\x80\x89", " "},  {"\xe2\x80\x8b", ""},
		{"\xe2\x81\xa0", ""},   {"\xe2\x80\x98", "'"},  {"\xe2\x80\x99", "'"},
		{"\xe2\x80\x9c", "\""}, {"\xe2\x80\x9d", "\""}, {"\xe2\x88\x92", "-"},
		{"\xe2\x80\x8e", ""},   {"\xe2\x80\x8f", ""},   {"\xef\xbb\xbf", "\n\f"},
	};

	for (size_t i = 0; i < sizeof(folds) / sizeof(folds[0]); i++) {
		size_t n = strlen(folds[i].from);

		if (n <= len && memcmp(s, folds[i].from, n) == 0) {
			buf_addstr(out, folds[i].to);
			return n;
		}
	}
	return 0;
}

static unsigned long numeric_entity(const char *s, size_t len)
{
	unsigned long v = 0;
	bool hex = len > 0 && (s[0] == 'x' || s[0] == 'X');

	for (size_t i = hex ? 1 : 0; i < len; i++) {
		int d = num_is_digit(s[i])                  ? s[i] - '0'
			: hex && s[i] >= 'a' && s[i] <= 'f' ? s[i] - 'a' + 10
			: hex && s[i] >= 'A' && s[i] <= 'F' ? s[i] - 'A' + 10
							    : -1;

		if (d < 0 || v > 0x10ffff)
			return 0;
		v = v * (hex ? 16 : 10) + (unsigned long)d;
	}
	return v;
}

/* &gt; and the like; &amp;gt; too, which is what escaping twice gives. 0: no entity. */
static size_t entity(const char *s, size_t len, struct buf *out)
{
	static const struct {
		const char *name;
		unsigned long c;
	} names[] = {
		{"gt", '>'},      {"lt", '<'},      {"amp", '&'},       {"quot", '"'},
		{"apos", '\''},   {"nbsp", ' '},    {"micro", 0xb5},    {"mu", 0x3bc},
		{"sigma", 0x3c3}, {"plusmn", 0xb1}, {"hellip", 0x2026}, {"ndash", 0x2013},
		{"lsquo", '\''},  {"rsquo", '\''},  {"ldquo", '"'},     {"rdquo", '"'},
		{"num", '#'},     {"ast", '*'},     {"lpar", '('},      {"rpar", ')'},
	};
	size_t n = 1;

	while (n < len && n < 10 && s[n] != ';')
		n++;
	if (n >= len || s[n] != ';')
		return 0;
	if (n == 4 && memcmp(s, "&amp;", 5) == 0 && n + 1 < len) {
		/* a second & that begins an entity of its own */
		char again[12] = "&";
		size_t m = len - n - 1 < 9 ? len - n - 1 : 9;
		size_t used;

		memcpy(again + 1, s + n + 1, m);
		used = entity(again, m + 1, out);
		if (used > 0)
			return n + used;
	}
	if (s[1] == '#') {
		unsigned long c = numeric_entity(s + 2, n - 2);

		if (c == 0xa0)
			c = ' ';
		if (c < 0x20 || (c >= 0x7f && c < 0xa0))
			return 0;
		utf16_add_utf8(out, c);
		return n + 1;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i].name) == n - 1 && memcmp(s + 1, names[i].name, n - 1) == 0) {
			utf16_add_utf8(out, names[i].c);
			return n + 1;
		}
	}
	return 0;
}

/* What a tag of HTML stands for in plain text: a line break, a blank, nothing. */
static const struct {
	const char *name, *text;
} tags[] = {
	{"br", "\n"},      {"p", "\n"},    {"div", "\n"},   {"pre", "\n"},
	{"tr", "\n"},      {"li", "\n"},   {"ul", "\n"},    {"ol", "\n"},
	{"table", "\n"},   {"hr", "\n"},   {"tbody", "\n"}, {"blockquote", "\n"},
	{"td", " "},       {"th", " "},    {"span", ""},    {"b", ""},
	{"i", ""},         {"strong", ""}, {"em", ""},      {"code", ""},
	{"a", ""},         {"font", ""},   {"tt", ""},      {"samp", ""},
	{"kbd", ""},       {"u", ""},      {"small", ""},   {"mark", ""},
	{"section", "\n"}, {"dd", "\n"},
};

static size_t tag(const char *s, size_t len, struct buf *out)
{
	bool closing = len > 1 && s[1] == '/';
	size_t begin = closing ? 2 : 1, n = begin, end;

	while (n < len && (num_is_alpha(s[n]) || num_is_digit(s[n])))
		n++;
	if (n == begin || n - begin > 10 || n >= len ||
	    (s[n] != '>' && s[n] != '/' && !num_is_blank(s[n])))
		return 0;
	end = n;
	while (end < len && end < 400 && s[end] != '>' && s[end] != '<')
		end++;
	if (end >= len || s[end] != '>')
		return 0;
	if (n - begin == 2 && (s[begin] == 'h' || s[begin] == 'H') && s[begin + 1] >= '1' &&
	    s[begin + 1] <= '6') {
		buf_addch(out, '\n');
		for (int i = 0; !closing && i < s[begin + 1] - '0'; i++)
			buf_addch(out, '#');
		if (!closing)
			buf_addch(out, ' ');
		return end + 1;
	}
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		if (strlen(tags[i].name) == n - begin &&
		    strncasecmp(tags[i].name, s + begin, n - begin) == 0) {
			buf_addstr(out, tags[i].text);
			return end + 1;
		}
	}
	return 0;
}

/* One special byte, or the sequence it begins; returns the bytes used, at least 1. */
static size_t special(const char *s, size_t len, struct buf *out)
{
	unsigned char c = (unsigned char)s[0];
	size_t n = 0;

	switch (c) {
	case '<':
		n = tag(s, len, out);
		break;
	case '&':
		n = entity(s, len, out);
		break;
	case '*': /* Markdown's bold; a multiplication has blanks around it or stands alone */
		if (len > 1 && s[1] == '*' && !(len > 2 && s[2] == '*'))
			return 2;
		break;
	case '\\':
		if (len > 1 && strchr("_*#>|~", s[1]) != NULL && s[1] != '\0') {
			buf_addch(out, s[1]);
			return 2;
		}
		break;
	case '^':
		n = escape_length(s, len);
		break;
	case '\r':
		buf_addch(out, '\n');
		return 1;
	case '\b':
		if (out->len > 0 && out->data[out->len - 1] != '\n')
			out->data[--out->len] = '\0';
		return 1;
	default:
		if (c == 0x1b)
			n = escape_length(s, len);
		else if (c >= 0x80)
			n = fold_utf8(s, len, out);
		/* control characters go, and so does what UTF-16 leaves around ASCII */
		if (n == 0 && (c < 0x20 || c == 0x7f || c >= 0xfe))
			return 1;
	}
	if (n > 0)
		return n;
	buf_addch(out, s[0]);
	return 1;
}

static int hex(char c)
{
	return num_is_digit(c) ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void clean_printable(const char *raw, size_t len, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < len; i++) {
		if (raw[i] == '=' && i + 2 < len && hex(raw[i + 1]) >= 0 && hex(raw[i + 2]) >= 0) {
			buf_addch(out, (char)(hex(raw[i + 1]) * 16 + hex(raw[i + 2])));
			i += 2;
		} else {
			buf_addch(out, raw[i]);
		}
	}
}

void clean_bytes(const char *raw, size_t len, struct buf *out)
{
	struct buf plain = BUF_INIT;

	buf_clear(out);
	/* of UTF-16 the ASCII part is what counts here */
	if (memchr(raw, '\0', len) != NULL) {
		for (size_t i = 0; i < len; i++) {
			if (raw[i] != '\0')
				buf_addch(&plain, raw[i]);
		}
		raw = buf_str(&plain);
		len = plain.len;
	}
	while (len > 0 && raw[len - 1] == '\r')
		len--;
	while (len > 0) {
		size_t n = plain_length(raw, len);

		buf_add(out, raw, n);
		raw += n;
		len -= n;
		if (len > 0) {
			n = special(raw, len, out);
			raw += n;
			len -= n;
		}
	}
	buf_release(&plain);
}

/* Prefixes ---------------------------------------------------------------- */

static bool digits(const char *s, const char *pattern)
{
	for (; *pattern != '\0'; pattern++, s++) {
		if (*pattern == '0' ? !num_is_digit(*s) : *pattern != *s)
			return false;
	}
	return true;
}

/* "[   12.345678] ": seconds since the machine's start, as its log has them. */
static const char *since_start(const char *s)
{
	const char *p = num_skip(s + 1);

	while (num_is_digit(*p))
		p++;
	if (*p != '.' || !digits(p + 1, "000000") || p[7] != ']')
		return s;
	return num_is_blank(p[8]) ? num_skip(p + 8) : s;
}

/* "2024-05-03T22:11:19.123Z ", "[22:11:19] " before a line, as log collectors put it. */
static const char *time_stamp(const char *s)
{
	const char *p = *s == '[' ? s + 1 : s;

	if (digits(p, "00:00:00"))
		p += 8;
	else if (digits(p, "0000-00-00") && (p[10] == 'T' || p[10] == ' ') &&
		 digits(p + 11, "00:00:00"))
		p += 19;
	else
		return *s == '[' ? since_start(s) : s;
	if (*p == '.' || *p == ',') {
		for (p++; num_is_digit(*p); p++)
			;
	}
	if (*p == 'Z')
		p++;
	else if ((*p == '+' || *p == '-') && digits(p + 1, "00:00"))
		p += 6;
	if (*s == '[') {
		if (*p != ']')
			return s;
		p++;
	}
	return num_is_blank(*p) || *p == '\0' ? num_skip(p) : s;
}

/* "puffy$ openssl": a host's name alone, and a command behind it. */
static const char *host_prompt(const char *s, size_t len)
{
	size_t n = 0;

	len = len < 31 ? len : 31;
	if (!num_is_alpha(*s) || (memchr(s, '$', len) == NULL && memchr(s, '#', len) == NULL))
		return NULL;
	while (num_is_alpha(s[n]) || num_is_digit(s[n]) || s[n] == '-' || s[n] == '.')
		n++;
	if (n < 3 || n > 30 || (s[n] != '$' && s[n] != '#') || s[n + 1] != ' ')
		return NULL;
	s = num_skip(s + n + 1);
	return (*s >= 'a' && *s <= 'z') || *s == '.' || *s == '/' ? s : NULL;
}

/* "user@host:~$ ", "[root@host]# ", "~ # ": a prompt with the place in it. */
static const char *long_prompt(const char *s, size_t len)
{
	bool place = s[0] == '~' || (s[0] == 'b' && strncmp(s, "bash-", 5) == 0) ||
		     (s[0] == 's' && strncmp(s, "sh-", 3) == 0);
	bool at = false;
	const char *next;

	if ((next = host_prompt(s, len)) != NULL)
		return next;
	/* most lines have neither a user nor a place to show */
	if (!place && memchr(s, '@', len < 80 ? len : 80) == NULL)
		return NULL;
	for (size_t i = 0; i < 80 && s[i] != '\0'; i++) {
		if (s[i] == '@')
			at = true;
		if (s[i] == '(' || s[i] == ';' || s[i] == '"' || s[i] == ',')
			return NULL;
		if ((s[i] == '$' || s[i] == '#' || s[i] == '%') && i > 0 &&
		    (s[i + 1] == ' ' || s[i + 1] == '\0') && (at || place))
			return num_skip(s + i + 1);
	}
	return NULL;
}

/* A mark of more than one character: arrows of fancy prompts, bullets, comments. */
static const char *mark(const char *s, bool *prompt)
{

	static const struct {
		const char *text;
		bool prompt;
	} marks[] = {
		{"\xe2\x96\xb6 ", true},
		{"\xe2\x9d\xaf ", true},
		{"\xe2\x9e\x9c ", true},
		{"$ ", true},
		{"% ", true},
		{"\xce\xbb ", true},
		{"// ", false},
		{"* ", false},
		{"- ", false},
		{"+ ", false},
		{"\xe2\x80\xa2 ", false},
		{"-- ", false},
		{";; ", false},
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		size_t n;

		if (marks[i].text[0] != *s)
			continue;
		n = strlen(marks[i].text);
		/* alone in its line it has lost its blank */
		if (strncmp(s, marks[i].text, n) == 0 ||
		    (strncmp(s, marks[i].text, n - 1) == 0 && s[n - 1] == '\0')) {
			*prompt |= marks[i].prompt;
			return num_skip(s + n - 1);
		}
	}
	return NULL;
}

/* "JD> ": initials of who is quoted; a client's prompt ("sql>") is lower case or longer. */
static const char *initials(const char *s)
{
	size_t n = 0;

	while (n < 3 && s[n] >= 'A' && s[n] <= 'Z')
		n++;
	return n >= 2 && s[n] == '>' && (num_is_blank(s[n + 1]) || s[n + 1] == '>') ? s + n : NULL;
}

/* "+text", as a change that adds a file shows it; +R: and the like are openssl speed's own. */
static const char *added(const char *s)
{
	size_t n = 1;

	if (s[1] == '+')
		return num_is_alpha(s[2]) ? s + 1 : NULL;
	if (!num_is_alpha(s[1]))
		return NULL;
	while (n < 6 && ((s[n] >= 'A' && s[n] <= 'Z') || num_is_digit(s[n])))
		n++;
	return s[n] == ':' && n > 1 ? NULL : s + 1;
}

static bool is_fence(const char *s)
{
	const char *p = s;

	while (*p == '`' || *p == '~')
		p++;
	if (p - s < 3)
		return false;
	while (num_is_alpha(*p) || *p == '-')
		p++;
	return *p == '\0';
}

static const char *strip(const char *s, const char *end, struct clean_line *out)
{
	for (int i = 0; i < 32; i++) {
		const char *next = NULL;

		s = num_skip(s);
		if (*s == '>') {
			next = s + 1;
		} else if (*s == '#') {
			out->hashes++;
			next = s + 1;
		} else if (*s == '|' && strchr(s + 1, '|') == NULL) {
			next = s + 1;
		} else {
			next = *s >= 'A' && *s <= 'Z' ? initials(s) : NULL;
			if (next == NULL && !num_is_alpha(*s) && !num_is_digit(*s))
				next = mark(s, &out->prompt);
			if (next == NULL && *s == '+' && i == 0)
				next = added(s);
			if (next == NULL && (next = long_prompt(s, (size_t)(end - s))) != NULL)
				out->prompt = true;
			if (next == NULL && (num_is_digit(*s) || *s == '['))
				next = time_stamp(s);
			if (next == s)
				next = NULL;
		}
		if (next == NULL)
			return s;
		s = next;
	}
	return s;
}

void clean_prefix(char *s, size_t len, struct clean_line *out)
{
	char *end = s + len;
	const char *begin;
	bool something;

	memset(out, 0, sizeof(*out));
	while (end > s && num_is_blank(end[-1]))
		end--;
	something = end > s;
	*end = '\0';
	begin = strip(s, end, out);
	out->s = s + (begin - s);
	if (out->s > end)
		out->s = end;
	if (is_fence(out->s))
		out->s = end;
	if (*out->s == '`') {
		out->s++;
		if (end > out->s && end[-1] == '`')
			*--end = '\0';
	}
	out->len = (size_t)(end - out->s);
	out->fence = something && out->len == 0;
}
