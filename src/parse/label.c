#include "parse/label.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "parse/num.h"

/* Levels 1 to 6 are Markdown's; below them what is less sure to be a heading. */
enum { LEVEL_FRAMED = 6, LEVEL_COLON = 7, LEVEL_LINE = 8 };

void labels_reset(struct labels *l)
{
	unsigned serial = l->serial;

	memset(l, 0, sizeof(*l));
	l->serial = serial + 1;
	l->fresh = true;
}

static bool is_frame(char c)
{
	return c == '=' || c == '-' || c == '*' || c == '#' || c == '~' || c == '_' || c == '+';
}

static struct word without_colon(struct word w)
{
	while (w.len > 1 &&
	       (w.s[w.len - 1] == ':' || w.s[w.len - 1] == ',' || w.s[w.len - 1] == '.'))
		w.len--;
	return w;
}

static bool is_one_of(struct word w, const char *const *words, size_t n)
{
	w = without_colon(w);
	for (size_t i = 0; i < n; i++) {
		if (word_is_nocase(&w, words[i]))
			return true;
	}
	return false;
}

static bool has_one_of(const struct word *w, size_t n, const char *const *words, size_t most)
{
	for (size_t i = 0; i < n; i++) {
		if (is_one_of(w[i], words, most))
			return true;
	}
	return false;
}

/* heading: it begins with #, and a bar in it need not be a pipe. */
static bool is_shell(const char *s, bool heading)
{
	static const char *const words[] = {
		"cat",       "cd",    "ls",   "sudo",   "time",  "for",    "while",   "echo",
		"uname",     "lscpu", "apt",  "export", "perf",  "make",   "gcc",     "taskset",
		"ssh",       "curl",  "wget", "date",   "nproc", "uptime", "free",    "openssl",
		"php",       "ab",    "wrk",  "hey",    "siege", "mysql",  "mariadb", "sysbench",
		"hyperfine", "go",    "if",   "set",
	};
	struct word w[2];
	size_t n = num_words(s, w, 2, NULL);

	if (n < 2) /* one word is a name, unless it is a path */
		return *s == '/' || strncmp(s, "./", 2) == 0;
	if (*s == '/' || *s == '.' ||
	    (!heading && (strstr(s, " | ") != NULL || strstr(s, " && ") != NULL)))
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (word_is(&w[0], words[i])) /* "time" runs something; "Time" is a word */
			return true;
	}
	return false;
}

/* "openssl", "RSA results": says what was measured, not on what. */
static bool names_only_tools(const char *s)
{
	static const char *const words[] = {
		"openssl",   "speed",     "mysql",      "mariadb", "wordpress",   "php",
		"bench",     "benchmark", "benchmarks", "result",  "results",     "output",
		"test",      "tests",     "ab",         "apache",  "apachebench", "wrk",
		"wrk2",      "hey",       "oha",        "siege",   "h2load",      "sysbench",
		"hyperfine", "rsa",       "rsa2048",    "rsa4096", "aes",         "the",
		"of",        "for",       "and",        "a",       "summary",     "cpu",
		"query",     "queries",   "page",       "site",    "performance", "benchmarking",
		"encode",    "database",  "web",        "server",  "crypto",      "tls",
		"ssl",       "raw",       "data",       "log",     "example",     "details",
		"usage",     "notes",
	};
	struct word w[8];
	const char *rest = NULL;
	size_t n = num_words(s, w, 8, &rest);

	if (n == 0 || *rest != '\0')
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!is_one_of(w[i], words, sizeof(words) / sizeof(words[0])))
			return false;
	}
	return true;
}

/* "run 2", "3": tells nothing without the heading above it. */
static bool is_counter(const char *s)
{
	static const char *const words[] = {"run",       "test", "round",  "pass",
					    "iteration", "try",  "attempt"};
	struct word w[3];
	size_t n = num_words(s, w, 3, NULL), at = 0;

	for (size_t i = 0; n > 1 && at == 0 && i < sizeof(words) / sizeof(words[0]); i++)
		at = word_is_nocase(&w[0], words[i]);
	if (n != at + 1)
		return false;
	s = w[at].s + (*w[at].s == '#');
	return strspn(s, "0123456789.)") == strlen(s);
}

/* The lowest heading that is more than a tool's name. */
static void compose(struct labels *l)
{
	char text[sizeof(l->text)] = "";
	const char *low = NULL;

	for (int i = LABEL_LEVELS - 1; i >= 0; i--) {
		if (l->level[i][0] == '\0' || names_only_tools(l->level[i]))
			continue;
		if (low == NULL) {
			low = l->level[i];
			snprintf(text, sizeof(text), "%s", low);
			if (!is_counter(low))
				break;
			continue;
		}
		snprintf(text, sizeof(text), "%s / %s", l->level[i], low);
		break;
	}
	memcpy(l->text, text, sizeof(text));
	l->serial++;
}

/* "Hard | *v7*": does the last byte close an emphasis that began before? */
static bool closes_emphasis(const char *s, size_t len)
{
	char c = s[len - 1];

	return (c == '*' || c == '_') && len > 2 && !num_is_blank(s[len - 2]) && s[len - 2] != c &&
	       memchr(s, c, len - 1) != NULL;
}

/* Copies as much as there is room for, in whole characters. */
static void keep(char *out, const char *s, size_t len)
{
	if (len >= LABEL_MAX) {
		len = LABEL_MAX - 1;
		while (len > 0 && ((unsigned char)s[len] & 0xc0) == 0x80)
			len--;
	}
	memcpy(out, s, len);
	out[len] = '\0';
}

/* Sets a level and empties those below it. */
static void set(struct labels *l, int level, const char *s, size_t len)
{
	if (len > 2 && s[0] == s[len - 1] && closes_emphasis(s, len) && !num_is_blank(s[1])) {
		s++; /* all of it is emphasised */
		len -= 2;
	}
	while (len > 0 && (is_frame(s[len - 1]) || s[len - 1] == '<' || s[len - 1] == ':' ||
			   s[len - 1] == '.' || num_is_blank(s[len - 1]))) {
		if (s[len - 1] == '+' && len > 1 && !num_is_blank(s[len - 2])) /* a name: C++ */
			break;
		if (closes_emphasis(s, len))
			break;
		len--;
	}
	for (int i = level; i < LABEL_LEVELS; i++)
		l->level[i][0] = '\0';
	keep(l->level[level], s, len);
	compose(l);
}

static bool has_letter(const char *s)
{
	for (; *s != '\0'; s++) {
		if (num_is_alpha(*s) || (unsigned char)*s >= 0x80)
			return true;
	}
	return false;
}

/* A line of nothing but = or -; dashes must fit what they underline, or they are a rule. */
static bool is_underline(const char *s, const char *above)
{
	size_t n = strspn(s, s[0] == '=' ? "=" : "-");

	if (n < 3 || s[n] != '\0')
		return false;
	return s[0] == '=' ? n <= 2 * strlen(above) + 4
			   : n <= strlen(above) + 2 && strchr(above, ':') == NULL;
}

/* "And now on the old box:" */
static bool names_machine(const struct word *w, size_t n)
{
	static const char *const words[] = {
		"box",         "machine", "computer", "server",    "host",       "laptop",
		"desktop",     "board",   "vm",       "vps",       "pi",         "raspberry",
		"rpi",         "pentium", "celeron",  "atom",      "xeon",       "opteron",
		"athlon",      "ryzen",   "epyc",     "core2",     "arm",        "mac",
		"workstation", "node",    "droplet",  "processor", "pc",         "other",
		"old",         "new",     "older",    "newer",     "odroid",     "notebook",
		"beaglebone",  "mips",    "alpha",    "sparc",     "ultrasparc",
	};

	return has_one_of(w, n, words, sizeof(words) / sizeof(words[0]));
}

/* "the same again:": more of what is being read. */
static bool says_again(const struct word *w, size_t n)
{
	static const char *const words[] = {
		"again", "repeat", "repeated", "repeating", "rerun", "re-run", "run",  "runs",
		"once",  "twice",  "same",     "attempt",   "try",   "round",  "pass", "iteration",
	};

	return has_one_of(w, n, words, sizeof(words) / sizeof(words[0]));
}

/* "The same again:" is no name. */
static bool says_only_again(const char *s)
{
	static const char *const words[] = {"the",  "and",   "once",     "more",
					    "same", "again", "repeated", "repeat"};
	struct word w[6];
	const char *rest = NULL;
	size_t n = num_words(s, w, 6, &rest);

	for (size_t i = 0; i < n; i++) {
		if (!is_one_of(w[i], words, sizeof(words) / sizeof(words[0])))
			return false;
	}
	return *rest == '\0';
}

enum { DOUBT_WORDS = 24 };

/* Does the line lead over from one system to another? It ends in a colon. */
static bool leads_over(const struct labels *l, const char *s)
{
	struct word w[DOUBT_WORDS];
	size_t n = num_words(s, w, DOUBT_WORDS, NULL);

	return l->text[0] != '\0' && names_machine(w, n) && !says_again(w, n);
}

/* "Here is the output:" introduces, "Soft float:" names. */
static bool introduces(const char *s, size_t most)
{
	static const char *const words[] = {
		"here",  "this",   "that",  "these",     "i",       "we",    "it",     "then",
		"now",   "and",    "so",    "but",       "output",  "below", "above",  "following",
		"after", "before", "first", "next",      "finally", "if",    "when",   "as",
		"you",   "there",  "to",    "for",       "in",      "also",  "note",   "what",
		"let",   "lets",   "let's", "according", "see",     "edit",  "update", "hi",
		"hello", "thanks", "sent",  "from",      "subject", "date",  "re",
	};
	struct word w[16];
	size_t n = num_words(s, w, 16, NULL);

	if (n == 0 || n > most)
		return true;
	/* "Bob wrote:" */
	if (n > 1 &&
	    (num_after(w[n - 1].s, "wrote") != NULL || num_after(w[n - 1].s, "writes") != NULL ||
	     num_after(w[n - 1].s, "said") != NULL || num_after(w[n - 1].s, "schrieb") != NULL))
		return true;
	return is_one_of(w[0], words, sizeof(words) / sizeof(words[0]));
}

static bool framed(const char *s, size_t len)
{
	size_t n = 0;

	if (s[0] == '[' && len > 2 && s[len - 1] == ']')
		return true;
	/* "==> soft.txt <==", as tail and head separate files */
	if (len > 8 && strncmp(s, "==> ", 4) == 0 && strcmp(s + len - 4, " <==") == 0)
		return true;
	while (n < len && s[n] == s[0])
		n++;
	return n >= 2 && n < len && is_frame(s[0]) && num_is_blank(s[n]);
}

static const char *inside_frame(const char *s)
{
	if (*s == '[')
		return s + 1;
	while (is_frame(*s) || *s == '>')
		s++;
	return num_skip(s);
}

/* "-O2 -Wall", "<!-- page", "(snip)", "perf stat \\": options, markup, a command that goes on. */
static bool is_no_text(const char *s, size_t len)
{
	return *s == '<' || *s == '(' || (*s == '-' && num_is_alpha(s[1])) || s[len - 1] == '\\';
}

/* What a line looks like, before it is looked at closely. */
static int shape_of(const struct labels *l, const struct clean_line *c)
{
	size_t len = c->len;

	if (c->prompt || len > 100 || is_no_text(c->s, len))
		return -1;
	/* among lines that all begin with # it is a comment; alone it is a heading */
	if (c->hashes > 0 && !l->commented)
		return c->hashes <= 6 && !l->hashes_above ? c->hashes - 1 : -1;
	if (framed(c->s, len))
		return LEVEL_FRAMED;
	if (len > 72)
		return -1;
	if (c->s[len - 1] == ':' || (len > 3 && strcmp(c->s + len - 3, "...") == 0))
		return LEVEL_COLON;
	return l->fresh && !num_is_digit(c->s[0]) && strpbrk(c->s, ";{}<>=|") == NULL ? LEVEL_LINE
										      : -1;
}

static int level_of(const struct labels *l, const struct clean_line *c)
{
	int level = shape_of(l, c);

	if (level < 0 || !has_letter(c->s) || is_shell(c->s, c->hashes > 0 && !l->commented))
		return -1;
	if (level >= LEVEL_COLON && says_only_again(c->s))
		return -1;
	if ((level == LEVEL_COLON && introduces(c->s, 6) && !leads_over(l, c->s)) ||
	    (level == LEVEL_LINE && introduces(c->s, 10)))
		return -1;
	return level;
}

static bool seen_before(struct labels *l, const char *s)
{
	unsigned long h = 5381;

	for (; *s != '\0'; s++)
		h = h * 33 ^ (unsigned char)*s;
	for (size_t i = 0; i < l->lines_n; i++) {
		if (l->lines[i] == h)
			return true;
	}
	if (l->lines_n < LABEL_LINES)
		l->lines[l->lines_n++] = h;
	return false;
}

/* Prose that may say whose figures come next. */
static void look_for_doubt(struct labels *l, const struct clean_line *c)
{
	static const char *const words[] = {"and", "now",  "then", "next", "after", "on",   "the",
					    "my",  "here", "this", "that", "but",   "while"};
	struct word w[DOUBT_WORDS];
	size_t n;

	if (l->text[0] == '\0' || c->prompt || is_no_text(c->s, c->len) || !has_letter(c->s) ||
	    is_shell(c->s, false))
		return;
	n = num_words(c->s, w, DOUBT_WORDS, NULL);
	if (n < 3 || !is_one_of(w[0], words, sizeof(words) / sizeof(words[0])) ||
	    !names_machine(w, n) || says_again(w, n) || seen_before(l, c->s))
		return;
	l->doubts++;
	keep(l->doubt, c->s, c->len);
}

void labels_end(struct labels *l)
{
	memset(l->level, 0, sizeof(l->level));
	compose(l);
}

bool labels_line(struct labels *l, const struct clean_line *c)
{
	int level;

	if (l->above[0] != '\0' && is_underline(c->s, l->above)) {
		set(l, c->s[0] == '=' ? 0 : 1, l->above, strlen(l->above));
		l->above[0] = '\0';
		l->fresh = true;
		return true;
	}
	level = level_of(l, c);
	l->hashes_above = c->hashes > 0;
	l->above[0] = '\0';
	if (level < 0)
		look_for_doubt(l, c);
	if (level == LEVEL_LINE ||
	    (level < 0 && l->level[LEVEL_LINE][0] != '\0' && !is_no_text(c->s, c->len))) {
		/* a line of text holds for what follows at once, prose does not */
		set(l, LEVEL_LINE, level < 0 ? "" : c->s, level < 0 ? 0 : c->len);
	} else if (level == LEVEL_FRAMED) {
		const char *s = inside_frame(c->s);

		set(l, level, s, c->len - (size_t)(s - c->s) - (c->s[0] == '[' ? 1 : 0));
	} else if (level >= 0) {
		set(l, level, c->s, c->len);
	}
	if (c->len < LABEL_MAX && (c->hashes == 0 || l->commented) && has_letter(c->s))
		memcpy(l->above, c->s, c->len + 1);
	l->fresh = false;
	return level >= 0 && level != LEVEL_LINE;
}

void labels_blank(struct labels *l, int hashes)
{
	l->commented = hashes == 1;
	l->fresh = true;
	l->hashes_above = false;
	l->above[0] = '\0';
}

void labels_known(struct labels *l, const struct clean_line *c)
{
	l->fresh = false;
	l->hashes_above = c->hashes > 0;
	l->above[0] = '\0';
}

const char *labels_text(const struct labels *l)
{
	return l->text;
}
