/*
 * What cache plugins and themes write into WordPress pages, and the headers around them. Only
 * a generation time is one: dates, versions, epochs and the database's seconds stand in the same
 * comments.
 */
#include <stdio.h>
#include <string.h>

#include "parse/batch.h"

struct wordpress {
	struct batch b;
	bool comment;    /* inside <!-- --> */
	bool goes_on;    /* the line may hold another time */
	bool from_cache; /* a header says that the page was served from a cache */
};

enum { LOOK_AHEAD = 256 }; /* bytes of the middle of a line */

enum kind { GENERATED, CACHED, DATABASE, IN_COMMENT, BUILT_FOR, WITHOUT_PLUGIN, WITH_PLUGIN };

static const char *const metrics[] = {
	[GENERATED] = "wordpress/page/generate",  [CACHED] = "wordpress/cached/serve",
	[DATABASE] = "wordpress/db/time",         [IN_COMMENT] = "wordpress/page/generate",
	[BUILT_FOR] = "wordpress/page/generate",  [WITHOUT_PLUGIN] = "wordpress/page/generate",
	[WITH_PLUGIN] = "wordpress/cached/serve",
};

/* What stands before the time, lower case; the first that is found counts. */
static const struct {
	const char *text;
	enum kind kind;
} phrases[] = {
	{"dynamic page generated in", GENERATED},
	{"dynamic page served (once) in", GENERATED},
	{"served from batcache in", CACHED},
	{"loaded via cache in", CACHED},
	{"loaded from cache in", CACHED},
	{"served from cache in", CACHED},
	{"cached page served in", CACHED},
	{"cache file generated in", GENERATED},
	/* "Quick Cache file was built for ( example.com/ ) in 0.45678 seconds" */
	{"cache file was built for", BUILT_FOR},
	{"cache file built for", BUILT_FOR},
	{"zencache file built for", BUILT_FOR},
	{"file was created in", GENERATED},
	{"file created in", GENERATED},
	{"page was generated in", GENERATED},
	{"page generated in", GENERATED},
	{"page rendered in", GENERATED},
	{"page was created in", GENERATED},
	{"page created in", GENERATED},
	{"page built in", GENERATED},
	{"page loaded in", GENERATED},
	{"page generation time", GENERATED},
	{"without plugin", WITHOUT_PLUGIN},
	{"ohne plugin", WITHOUT_PLUGIN},
	{"without cache", WITHOUT_PLUGIN},
	{"with plugin", WITH_PLUGIN},
	{"mit plugin", WITH_PLUGIN},
	{"with cache", WITH_PLUGIN},
	{"queries in", GENERATED},
	{"queries.", GENERATED},
	{"queries,", GENERATED},
	{"queries /", GENERATED},
	{"requ\xc3\xaates en", GENERATED},
	{"abfragen in", GENERATED},
	{"anfragen in", GENERATED},
	{"consultas en", GENERATED},
	{"consultas em", GENERATED},
	{"query in", GENERATED},
	{"query's in", GENERATED},
	{"zapyta\xc5\x84 w", GENERATED},
	{"\xd0\xb7\xd0\xb0\xd0\xbf\xd1\x80\xd0\xbe\xd1\x81\xd0\xbe\xd0\xb2 \xd0\xb7\xd0\xb0",
	 GENERATED},
	{"generated in", IN_COMMENT},
	{"rendered in", IN_COMMENT},
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static const char *find(const char *s, const char *text, size_t within)
{
	for (size_t i = 0; i < within && s[i] != '\0'; i++) {
		const char *e;

		if (lower(s[i]) == *text && (e = num_after_nocase(s + i, text)) != NULL)
			return e;
	}
	return NULL;
}

/* "1.7012 seconds" at s, with a decimal comma where the theme's language has one. */
static bool seconds_at(const char *s, struct num *n)
{
	static const char *const units[] = {
		"seconds",  "second", "secondes", "seconde", "sekunden", "segundos", "secondi",
		"seconden", "sekund", "sek",      "secs",    "sec",      "s"};
	size_t len = 0;
	const char *u;

	if (!num_scan(s, NUM_COMMA, n) || n->decimals == 0)
		return false;
	u = num_skip(n->end);
	while (num_is_alpha(u[len]) || (unsigned char)u[len] >= 0x80)
		len++;
	if (len == 2 && strncmp(u, "ms", 2) == 0) {
		n->value = num_scaled(n, 1e-3);
		n->step *= 1e-3;
		n->end = u + len;
		return true;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		struct word w = {u, len};

		if (word_is_nocase(&w, units[i])) {
			n->end = u + len;
			return true;
		}
	}
	if (strncmp(u, "\xd1\x81\xd0\xb5\xd0\xba", 6) == 0 || strncmp(u, "\xe7\xa7\x92", 3) == 0) {
		n->end = u + len;
		return true;
	}
	return false;
}

/* Is text the whole of what may follow "5.123 seconds": not "ago", which makes it no duration? */
static bool is_age(const char *s)
{
	return num_after(s, " ago") != NULL || num_after_nocase(s, " old") != NULL;
}

/* From behind a phrase to its time: blanks, a colon, a few words at most. */
static bool time_behind(const char *s, enum kind kind, struct num *n, const char **at)
{
	int words = kind == WITHOUT_PLUGIN || kind == WITH_PLUGIN ? 8 : 2;

	if (kind == BUILT_FOR) {
		for (s = num_find(s, ") in ", 400); s != NULL; s = num_find(s + 1, ") in ", 400)) {
			*at = num_skip(s + strlen(") in "));
			if (seconds_at(*at, n))
				return true;
		}
		return false;
	}

	while (words-- > 0) {
		while (num_is_blank(*s) || *s == ':' || *s == '(' || *s == '~' || *s == '=' ||
		       *s == '-')
			s++;
		*at = s;
		if (seconds_at(s, n))
			return !is_age(n->end);
		if (*s == '\0' || (num_is_digit(*s) && kind < WITHOUT_PLUGIN))
			return false;
		while (*s != '\0' && !num_is_blank(*s))
			s++;
	}
	return false;
}

static void add(struct wordpress *w, struct parse_ctx *ctx, enum kind kind, const struct num *n,
		const char *note, long line)
{
	struct batch_value *v;

	if (n->value <= 0)
		v = batch_refuse(&w->b, ctx, metrics[kind], "s", line, "no time");
	else
		v = batch_add(&w->b, ctx, metrics[kind], "s", n->value, n->step, line);
	if (note[0] != '\0')
		snprintf(v->note, sizeof(v->note), "%s", note);
}

static void page_end(struct wordpress *w, struct parse_ctx *ctx)
{
	struct batch_value *v = batch_find(&w->b, "wordpress/page/generate");

	if (v != NULL && (w->from_cache || batch_find(&w->b, "wordpress/cached/serve") != NULL)) {
		if (v->note[0] == '\0')
			snprintf(v->note, sizeof(v->note),
				 "of when the page was stored; this one came from the cache");
		ctx_warn(ctx, v->line,
			 "the page was served from a cache: its generation time is that of the "
			 "stored page");
	}
	batch_end(&w->b, ctx);
	w->from_cache = false;
}

/* Does a unit of time stand in the line at all? One pass: most lines have none. */
static bool is_time_line(const char *s, size_t within)
{
	static const bool begins[256] = {
		['s'] = true, ['S'] = true, ['m'] = true, [0xd1] = true, [0xe7] = true,
	};

	for (const char *end = s + within; s < end && *s != '\0'; s++) {
		if (!begins[(unsigned char)*s])
			continue;
		switch (*s) {
		case 's':
		case 'S':
			if (s[1] == 'e' && (s[2] == 'c' || s[2] == 'k' || s[2] == 'g'))
				return true;
			break;
		case 'm':
			if (s[1] == 's')
				return true;
			break;
		case '\xd1':
			if (strncmp(s, "\xd1\x81\xd0\xb5\xd0\xba", 6) == 0)
				return true;
			break;
		case '\xe7':
			if (strncmp(s, "\xe7\xa7\x92", 3) == 0)
				return true;
			break;
		default:
			break;
		}
	}
	return false;
}

/* Is there a phrase at s with a time behind it? */
static bool phrase_at(const struct wordpress *w, const struct piece *p, const char *s,
		      struct num *n, const char **at, enum kind *kind)
{
	for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++) {
		const char *e;

		*kind = phrases[i].kind;
		if (phrases[i].text[0] != lower(*s) ||
		    (e = num_after_nocase(s, phrases[i].text)) == NULL)
			continue;
		/* words of prose, unless they stand in a comment */
		if ((*kind == IN_COMMENT || *kind >= WITHOUT_PLUGIN) && !w->comment &&
		    num_find(p->s, "<!--", (size_t)(s - p->s)) == NULL)
			continue;
		/* "queries in" without their number is the end of something longer */
		if (*kind == GENERATED && strncmp(phrases[i].text, "queries", 7) == 0 &&
		    !(s > p->s + 1 && num_is_blank(s[-1]) && num_is_digit(s[-2])))
			continue;
		if (time_behind(e, *kind, n, at))
			return true;
	}
	return false;
}

/* A long line of an open comment: its sentence may end in the next one. */
static bool may_go_on(const struct wordpress *w, const struct piece *p)
{
	const char *open;

	if (p->last || p->rest || p->parts_n > 1 || p->len < 50 || p->len > 100)
		return false;
	open = num_find(p->s, "<!--", p->len);
	return open != NULL ? strstr(open, "-->") == NULL : w->comment;
}

/* "0.234 seconds, 34 queries": the time stands before what tells what it is. */
static bool time_before(const struct wordpress *w, const struct piece *p, const char *s,
			struct num *n)
{
	const char *e;
	struct num count;

	if (!num_is_digit(*s) || (s > p->s && (num_is_digit(s[-1]) || s[-1] == '.')) ||
	    !seconds_at(s, n) || is_age(n->end))
		return false;
	e = n->end + strspn(n->end, " \t,/|.-(");
	if (!num_is_digit(*e)) /* "with", "and", "using" */
		e = num_skip(e + strcspn(e, " \t"));
	if (!num_scan(e, 0, &count) || count.decimals > 0 ||
	    num_after_nocase(count.end, " quer") == NULL)
		return false;
	return w->comment || (s == p->s && p->len < 80) ||
	       num_find(p->s, "<!--", (size_t)(s - p->s)) != NULL;
}

static long time_line(struct wordpress *w, struct parse_ctx *ctx, const struct piece *p)
{
	/* of a line that was read in part the rest was looked through already */
	size_t most = p->rest && !w->goes_on && p->len > LOOK_AHEAD ? LOOK_AHEAD : p->len;
	enum kind kind = GENERATED;
	const char *at = NULL;
	struct num n;

	if (!is_time_line(p->s, most))
		return may_go_on(w, p) ? READER_MORE : READER_NONE;
	for (const char *s = p->s; s < p->s + most; s++) {
		if (time_before(w, p, s, &n)) {
			at = s;
			kind = GENERATED;
		} else if ((s > p->s && num_is_alpha(s[-1])) ||
			   !phrase_at(w, p, s, &n, &at, &kind)) {
			continue;
		}
		/* the time of the database's part, not of the page */
		if (find(p->s, "database caching", 200) != NULL ||
		    find(p->s, "db caching", 200) != NULL || find(p->s, "query time", 200) != NULL)
			kind = DATABASE;
		add(w, ctx, kind, &n, "", piece_line(p, at));
		w->goes_on = true;
		return n.end - p->s;
	}
	w->goes_on = false;
	return may_go_on(w, p) ? READER_MORE : READER_NONE;
}

/* "Server-Timing: wp-total;dur=180.1, db;dur=53" in milliseconds. */
static long server_timing(struct wordpress *w, struct parse_ctx *ctx, const struct piece *p)
{
	const char *s = num_after_nocase(p->s, "server-timing:"), *end = p->s + p->len;
	bool any = false;

	if (s == NULL)
		return READER_NONE;
	if (p->s[p->len - 1] == ',' && !p->last)
		return READER_MORE;
	while (s < end) {
		size_t len = strcspn(s = num_skip(s), ";, \t"), all = strcspn(s, ",");
		const char *dur = find(s, "dur=", all);
		struct word name = {s, len};
		struct num n;

		if (dur != NULL && dur < s + all && num_scan(dur, 0, &n) &&
		    (*n.end != '\0' || !p->end)) {
			bool total =
				word_is_nocase(&name, "wp-total") || word_is_nocase(&name, "total");
			bool db =
				word_is_nocase(&name, "db") || num_after_nocase(s, "wp-db") != NULL;

			n.value = num_scaled(&n, 1e-3);
			n.step *= 1e-3;
			if (total || db)
				add(w, ctx, total ? GENERATED : DATABASE, &n,
				    total ? "from the Server-Timing header" : "",
				    piece_line(p, dur));
			any |= total || db;
		}
		s += all;
		if (*s == ',')
			s++;
	}
	(void)any;
	return (long)p->len;
}

/* Headers that tell where a page came from. */
static long header_line(struct wordpress *w, struct parse_ctx *ctx, const struct piece *p)
{
	static const char *const hits[] = {
		"x-cache: hit",
		"cf-cache-status: hit",
		"x-cache-status: hit",
		"x-litespeed-cache: hit",
		"x-proxy-cache: hit",
		"x-fastcgi-cache: hit",
		"x-varnish-cache: hit",
		"x-wp-cf-super-cache-cache: hit",
		"x-ac: hit",
		"wp-super-cache: served",
	};

	if (strncmp(p->s, "HTTP/", 5) == 0 && num_is_digit(p->s[5]) && strchr(p->s, ' ') != NULL &&
	    num_is_digit(*num_skip(strchr(p->s, ' ')))) {
		page_end(w, ctx);
		return (long)p->len;
	}
	for (size_t i = 0; i < sizeof(hits) / sizeof(hits[0]); i++) {
		if (num_after_nocase(p->s, hits[i]) == NULL)
			continue;
		w->from_cache = true;
		ctx_hint(ctx, "a page from a cache, without a generation time");
		return (long)p->len;
	}
	return READER_NONE;
}

/* Plugins that give no time: so that an error can say what was seen. */
static void see_plugin(struct parse_ctx *ctx, const char *s)
{
	static const char *const plugins[] = {"LiteSpeed Cache", "W3 Total Cache",   "WP Rocket",
					      "WP-Super-Cache",  "WP Fastest Cache", "WP-Optimize"};
	char text[96];

	for (size_t i = 0; i < sizeof(plugins) / sizeof(plugins[0]); i++) {
		if (strstr(s, plugins[i]) == NULL)
			continue;
		snprintf(text, sizeof(text), "the comment of %s gives no generation time",
			 plugins[i]);
		ctx_hint(ctx, text);
	}
}

static void follow_comment(struct wordpress *w, const char *s)
{
	const char *open = strstr(s, "<!--"), *close = strstr(s, "-->");

	if (open != NULL && (close == NULL || strstr(open, "-->") == NULL))
		w->comment = true;
	else if (close != NULL)
		w->comment = false;
}

static long wordpress_read(void *state, struct parse_ctx *ctx, const struct piece *p)
{
	struct wordpress *w = state;
	char c = lower(p->s[0]);
	long r = READER_NONE;

	if (c == 'h' || c == 'x' || c == 'c' || c == 'w')
		r = header_line(w, ctx, p);
	if (r == READER_NONE && c == 's')
		r = server_timing(w, ctx, p);
	if (r == READER_NONE)
		r = time_line(w, ctx, p);
	if (!p->rest && r != READER_MORE && strstr(p->s, "--") != NULL)
		follow_comment(w, p->s);
	if (r == READER_NONE && !p->rest && (w->comment || c == '<'))
		see_plugin(ctx, p->s);
	return r;
}

static void wordpress_finish(void *state, struct parse_ctx *ctx)
{
	struct wordpress *w = state;

	page_end(w, ctx);
	w->comment = false;
}

static const char *const wordpress_starts[] = {
	"<!--",         "Server-Timing:",          "server-timing:",
	"Dynamic page", "Cache File Generated In", NULL};

const struct reader wordpress_reader = {
	.name = "WordPress cache plugins and footers",
	.starts = wordpress_starts,
	.state_size = sizeof(struct wordpress),
	.read = wordpress_read,
	.boundary = wordpress_finish,
	.finish = wordpress_finish,
};
