/* The table of readers, and the stream that cuts a text into pieces and offers them. */
#include "parse/parse.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "parse/clean.h"
#include "parse/label.h"
#include "parse/reader.h"

/* The order is that of trust: what is hardest to take for something else comes first. */
static const struct reader *const readers[] = {
	&openssl_reader,    &bssl_reader,      &sysbench_reader, &mysqlslap_reader,
	&hyperfine_reader,  &gobench_reader,   &ab_reader,       &wrk_reader,
	&hey_reader,        &h2load_reader,    &siege_reader,    &phpbench_reader,
	&php_simple_reader, &php_bench_reader, &mariadb_reader,  &wordpress_reader,
};

enum { READERS = sizeof(readers) / sizeof(readers[0]), WARNINGS = 256 };

struct parse_ctx {
	const char *file;
	const struct parse_sink *sink;
	struct labels labels;
	char *hint;
	size_t values;
	uint64_t warned[WARNINGS]; /* hashes: each warning is given once */
	size_t warned_n;
	struct buf scratch;
};

/* Text that a reader wants more of. */
struct pending {
	const struct reader *reader;
	void *state;
	struct buf text;
	size_t part[PIECE_PARTS]; /* offsets in text */
	long line[PIECE_PARTS];
	size_t parts;
	bool rest;
	struct clean_line first; /* the line it begins with; s is not valid */
};

struct parse_stream {
	struct parse_ctx ctx;
	char *file;
	struct parse_sink sink;
	void *state[READERS];
	size_t favourite; /* read the line before */
	struct buf raw;   /* an unfinished line */
	struct buf clean;
	struct buf joined, spare;
	struct pending pending;
	long line;
	bool started[256]; /* bytes that a reader's start begins with */
};

/* For readers ------------------------------------------------------------- */

long piece_line(const struct piece *p, const char *at)
{
	long line = p->parts[0].line;

	for (size_t i = 1; i < p->parts_n && p->parts[i].s <= at; i++)
		line = p->parts[i].line;
	return line;
}

void ctx_value(struct parse_ctx *ctx, const struct parse_value *v)
{
	static char empty[] = "";
	struct parse_value out = *v;

	out.file = (char *)(uintptr_t)ctx->file;
	out.label = out.label != NULL ? out.label : empty;
	out.note = out.note != NULL ? out.note : empty;
	out.unit = out.unit != NULL ? out.unit : empty;
	out.conditions = out.conditions != NULL ? out.conditions : empty;
	out.software = out.software != NULL ? out.software : empty;
	ctx->values++;
	if (ctx->sink->value != NULL)
		ctx->sink->value(ctx->sink->arg, &out);
}

static bool seen_before(struct parse_ctx *ctx, const char *text)
{
	uint64_t h = UINT64_C(1469598103934665603);

	for (; *text != '\0'; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(1099511628211);
	for (size_t i = 0; i < ctx->warned_n; i++) {
		if (ctx->warned[i] == h)
			return true;
	}
	if (ctx->warned_n < WARNINGS)
		ctx->warned[ctx->warned_n++] = h;
	return false;
}

void ctx_warn(struct parse_ctx *ctx, long line, const char *fmt, ...)
{
	va_list ap;
	size_t at;

	buf_clear(&ctx->scratch);
	if (line > 0)
		buf_addf(&ctx->scratch, "%s:%ld: ", ctx->file, line);
	else
		buf_addf(&ctx->scratch, "%s: ", ctx->file);
	at = line > 0 ? strlen(ctx->file) : 0;
	va_start(ap, fmt);
	buf_vaddf(&ctx->scratch, fmt, ap);
	va_end(ap);
	(void)at;
	if (!seen_before(ctx, buf_str(&ctx->scratch)) && ctx->sink->warning != NULL)
		ctx->sink->warning(ctx->sink->arg, buf_str(&ctx->scratch));
}

const char *ctx_label(struct parse_ctx *ctx)
{
	return labels_text(&ctx->labels);
}

unsigned ctx_label_serial(const struct parse_ctx *ctx)
{
	return ctx->labels.serial;
}

void ctx_hint(struct parse_ctx *ctx, const char *hint)
{
	if (ctx->hint == NULL)
		ctx->hint = mem_strdup(hint);
}

void metric_part(char *out, size_t size, const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < size; i++) {
		char c = s[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c + 32);
		out[n++] = num_is_blank(c) ? '_' : c;
	}
	out[n] = '\0';
}

void metric_join(char *out, size_t size, const char *head, const char *name, size_t len,
		 const char *tail, bool plain)
{
	char part[METRIC_NAME + 32];
	size_t n = len < METRIC_NAME ? len : METRIC_NAME;
	uint32_t h = 2166136261U;

	if (plain)
		metric_part(part, sizeof(part), name, n);
	else
		snprintf(part, sizeof(part), "%.*s", (int)n, name);
	if (n < len) {
		while (n > 0 && ((unsigned char)name[n] & 0xc0) == 0x80)
			n--;
		for (size_t i = n; i < len; i++)
			h = (h ^ (unsigned char)name[i]) * 16777619U;
		snprintf(part + n, sizeof(part) - n, "..%08x", (unsigned)h);
	}
	snprintf(out, size, "%s%s%s", head, part, tail);
}

/* The stream -------------------------------------------------------------- */

struct parse_stream *parse_stream_new(const char *file, const struct parse_sink *sink)
{
	struct parse_stream *s = mem_alloc(sizeof(*s));

	s->file = mem_strdup(file != NULL ? file : "");
	s->sink = *sink;
	s->ctx.file = s->file;
	s->ctx.sink = &s->sink;
	labels_reset(&s->ctx.labels);
	for (size_t i = 0; i < READERS; i++) {
		s->state[i] = mem_alloc(readers[i]->state_size);
		for (const char *const *a = readers[i]->starts; *a != NULL; a++)
			s->started[(unsigned char)**a] = true;
	}
	return s;
}

static void boundaries(struct parse_stream *s)
{
	for (size_t i = 0; i < READERS; i++)
		readers[i]->boundary(s->state[i], &s->ctx);
}

/* Is text that begins here, behind another letter, sure enough to be another's beginning? */
static bool is_distinct(const char *p, const char *start, const char *end)
{
	return strlen(start) >= 8 || num_is_digit(*end) ||
	       (*p >= 'A' && *p <= 'Z' && p[-1] >= 'a' && p[-1] <= 'z');
}

/* inner: p is not the first byte of its text. */
static bool is_start(const char *p, bool inner)
{
	for (size_t i = 0; i < READERS; i++) {
		for (const char *const *a = readers[i]->starts; *a != NULL; a++) {
			const char *e = **a == *p ? num_after(p, *a) : NULL;

			if (e != NULL && (!inner || !num_is_alpha(*p) || !num_is_alpha(p[-1]) ||
					  is_distinct(p, *a, e)))
				return true;
		}
	}
	return false;
}

/*
 * Offers p to all readers, the last successful one first; in the middle of a line to that one
 * alone, unless a start of another stands there.
 */
static long offer(struct parse_stream *s, const struct piece *p, size_t *who)
{
	bool all = !p->rest || (s->started[(unsigned char)p->s[0]] && is_start(p->s, false));
	long more = READER_NONE;

	for (size_t i = 0; i <= (all ? READERS : 0); i++) {
		size_t k = i == 0 ? s->favourite : i - 1;
		long n;

		if (i > 0 && k == s->favourite)
			continue;
		n = readers[k]->read(s->state[k], &s->ctx, p);
		if (n > 0) {
			*who = s->favourite = k;
			return n;
		}
		if (n == READER_MORE && more == READER_NONE && !p->last) {
			*who = k;
			more = READER_MORE;
		}
	}
	return more;
}

/* Where in s some reader's line may begin, from s + 1 on; NULL: nowhere. */
static const char *next_start(const struct parse_stream *st, const char *s)
{
	for (const char *p = s + 1; *p != '\0'; p++) {
		if (st->started[(unsigned char)*p] && is_start(p, true))
			return p;
	}
	return NULL;
}

/* The next word of a line that was read in part; texts may be glued to its words. */
static const char *next_word(const struct parse_stream *st, const char *s)
{
	while (*s != '\0' && !num_is_blank(*s)) {
		s++;
		if (st->started[(unsigned char)*s] && is_start(s, true))
			return s;
	}
	s = num_skip(s);
	/* quote marks of lines that were joined */
	while (*s == '>' && s[1] != '\0')
		s = num_skip(s + 1);
	return s;
}

static void hold(struct parse_stream *s, const struct piece *p, size_t who,
		 const struct clean_line *first)
{
	struct pending *w = &s->pending;

	w->reader = readers[who];
	w->state = s->state[who];
	if (p->s != w->text.data) { /* else it is there already */
		buf_clear(&w->text);
		buf_add(&w->text, p->s, p->len);
	}
	w->parts = 0;
	for (size_t i = 0; i < p->parts_n; i++) {
		/* parts that were read already fall together at the beginning */
		size_t at = p->parts[i].s > p->s ? (size_t)(p->parts[i].s - p->s) : 0;

		if (at == 0 && w->parts > 0)
			w->parts = 0;
		w->part[w->parts] = at;
		w->line[w->parts++] = p->parts[i].line;
	}
	w->rest = p->rest;
	w->first = *first;
}

/* Reads all of p; false when nobody knew any of it. Holds its end back where a reader asks. */
static bool dispatch(struct parse_stream *s, struct piece *p, const struct clean_line *c)
{
	bool known = false;

	while (p->len > 0) {
		size_t who = 0;
		long n = offer(s, p, &who);
		const char *next;

		if (n == READER_MORE) {
			hold(s, p, who, c);
			return true;
		}
		if (n > 0) {
			known = true;
			next = num_skip(p->s + (n < (long)p->len ? (size_t)n : p->len));
		} else {
			next = known ? next_word(s, p->s) : next_start(s, p->s);
			if (next == NULL)
				break;
		}
		p->len -= (size_t)(next - p->s);
		p->s = next;
		p->rest = true;
	}
	return known;
}

static void unknown(struct parse_stream *s, const struct clean_line *c)
{
	if (labels_line(&s->ctx.labels, c))
		boundaries(s);
}

static void pending_piece(struct pending *w, struct buf *text, struct piece *p)
{
	memset(p, 0, sizeof(*p));
	p->s = buf_str(text);
	p->len = text->len;
	p->rest = w->rest;
	p->hashes = w->first.hashes;
	p->prompt = w->first.prompt;
	for (size_t i = 0; i < w->parts; i++) {
		p->parts[i].s = p->s + w->part[i];
		p->parts[i].line = w->line[i];
	}
	p->parts_n = w->parts;
}

/* Nothing more comes for what is held back. */
static void pending_end(struct parse_stream *s, bool end)
{
	struct pending *w = &s->pending;
	struct clean_line first = w->first;
	struct piece p;

	if (w->reader == NULL)
		return;
	w->reader = NULL;
	/* the text moves: a reader may ask to hold back its rest */
	buf_clear(&s->joined);
	buf_add(&s->joined, buf_str(&w->text), w->text.len);
	pending_piece(w, &s->joined, &p);
	p.last = true;
	p.end = end;
	first.s = s->joined.data;
	first.len = s->joined.len;
	if (dispatch(s, &p, &first))
		labels_known(&s->ctx.labels, &first);
	else if (!p.rest)
		unknown(s, &first);
}

/* Text of which n bytes were read; what is left before the line c is read on its own. */
static void read_rest(struct parse_stream *s, size_t n, const struct clean_line *first)
{
	struct pending *w = &s->pending;
	struct piece p;

	if (n >= w->text.len)
		return;
	buf_clear(&s->spare);
	buf_add(&s->spare, w->text.data, w->text.len);
	pending_piece(w, &s->spare, &p);
	p.s = num_skip(s->spare.data + n);
	p.len = s->spare.len - (size_t)(p.s - s->spare.data);
	p.rest = true;
	dispatch(s, &p, first);
}

/* Tries to join c to what is held back; false when it (or what is left of it) is not used. */
static bool pending_join(struct parse_stream *s, const struct clean_line *c, long line, bool end)
{
	struct pending *w = &s->pending;

	if (w->parts == PIECE_PARTS || w->text.len + c->len + 1 > 2 * PIECE_MAX)
		return false;
	/* lines break at blanks, or anywhere when a terminal broke them */
	for (int glue = 0; glue < 2; glue++) {
		size_t used = w->text.len;
		struct piece p;
		long n;

		buf_clear(&s->joined);
		buf_add(&s->joined, buf_str(&w->text), w->text.len);
		if (glue == 0)
			buf_addch(&s->joined, ' ');
		w->part[w->parts] = s->joined.len;
		w->line[w->parts] = line;
		buf_add(&s->joined, c->s, c->len);
		w->parts++;
		pending_piece(w, &s->joined, &p);
		w->parts--;
		p.end = end;
		n = w->reader->read(w->state, &s->ctx, &p);
		if (n == READER_NONE)
			continue;
		if (n == READER_MORE) {
			buf_clear(&w->text);
			buf_add(&w->text, p.s, p.len);
			w->parts++;
			return true;
		}
		w->reader = NULL;
		if ((size_t)n <= used + (glue == 0 ? 1 : 0)) {
			/* the line was not needed to read what stood before it */
			read_rest(s, (size_t)n, c);
			return false;
		}
		p.s = num_skip(p.s + ((size_t)n < p.len ? (size_t)n : p.len));
		p.len = s->joined.len - (size_t)(p.s - s->joined.data);
		p.rest = true;
		dispatch(s, &p, c);
		labels_known(&s->ctx.labels, c);
		return true;
	}
	return false;
}

/* Characters of a line as it is laid out. */
static int columns_of(const char *s, size_t len)
{
	int n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

static void plain_line(struct parse_stream *s, char *text, size_t len, long line, bool end)
{
	int columns = columns_of(text, len);
	struct clean_line c;
	struct piece p;

	clean_prefix(text, len, &c);
	if (c.len == 0) {
		pending_end(s, false);
		labels_blank(&s->ctx.labels);
		return;
	}
	while (s->pending.reader != NULL) {
		const struct reader *before = s->pending.reader;
		size_t held = s->pending.text.len;

		if (pending_join(s, &c, line, end))
			return;
		if (s->pending.reader == before && s->pending.text.len == held)
			pending_end(s, false);
	}
	memset(&p, 0, sizeof(p));
	p.s = c.s;
	p.len = c.len;
	p.end = end;
	p.hashes = c.hashes;
	p.prompt = c.prompt;
	p.full = columns == 72 || columns == 80 || columns_of(c.s, c.len) == 72 ||
		 columns_of(c.s, c.len) == 80;
	p.parts[0].s = c.s;
	p.parts[0].line = line;
	p.parts_n = 1;
	if (dispatch(s, &p, &c))
		labels_known(&s->ctx.labels, &c);
	else
		unknown(s, &c);
}

/* One line of the original, or a part of one that is too long. */
static void raw_line(struct parse_stream *s, const char *raw, size_t len, bool end)
{
	char *text, *stop;

	clean_bytes(raw, len, &s->clean);
	buf_addch(&s->clean, '\n');
	text = s->clean.data;
	stop = text + s->clean.len;
	while (text < stop) {
		char *nl = memchr(text, '\n', (size_t)(stop - text));

		if (*text == CLEAN_FILE) {
			pending_end(s, false);
			boundaries(s);
			labels_reset(&s->ctx.labels);
			text++;
		}
		/* the line break a tag asked for at either end is no blank line */
		if (nl > text || nl + 1 == stop)
			plain_line(s, text, (size_t)(nl - text), s->line, end && nl + 1 == stop);
		text = nl + 1;
	}
}

/* A line longer than PIECE_MAX is read in parts, cut at a blank where there is one. */
static size_t cut(const char *s, size_t len)
{
	size_t n = PIECE_MAX;

	if (len <= PIECE_MAX)
		return len;
	while (n > PIECE_MAX - 1024 && !num_is_blank(s[n - 1]))
		n--;
	return n > PIECE_MAX - 1024 ? n : PIECE_MAX;
}

static void raw_parts(struct parse_stream *s, const char *raw, size_t len, bool end)
{
	s->line++;
	for (;;) {
		size_t n = cut(raw, len);

		raw_line(s, raw, n, end && n == len);
		raw += n;
		len -= n;
		if (len == 0)
			break;
	}
}

void parse_stream_feed(struct parse_stream *s, const char *bytes, size_t len)
{
	while (len > 0) {
		const char *nl = memchr(bytes, '\n', len);
		size_t n = nl != NULL ? (size_t)(nl - bytes) : len;

		if (nl == NULL) {
			buf_add(&s->raw, bytes, n);
			/* the beginning of an endless line is read without its end */
			while (s->raw.len > 4 * PIECE_MAX) {
				size_t k = cut(s->raw.data, s->raw.len);

				s->line++;
				raw_line(s, s->raw.data, k, false);
				s->line--;
				s->raw.len -= k;
				memmove(s->raw.data, s->raw.data + k, s->raw.len + 1);
			}
			return;
		}
		if (s->raw.len > 0) {
			buf_add(&s->raw, bytes, n);
			raw_parts(s, s->raw.data, s->raw.len, false);
			buf_clear(&s->raw);
		} else {
			raw_parts(s, bytes, n, false);
		}
		bytes += n + 1;
		len -= n + 1;
	}
}

static int nothing_found(struct parse_stream *s, struct err *err)
{
	struct buf b = BUF_INIT;
	int code;

	for (size_t i = 0; i < READERS; i++)
		buf_addf(&b, "%s%s",
			 i == 0             ? ""
			 : i + 1 == READERS ? " and "
					    : ", ",
			 readers[i]->name);
	code = err_set(err, "%s: no result found%s%s; looked for the output of %s", s->file,
		       s->ctx.hint != NULL ? ": " : "", s->ctx.hint != NULL ? s->ctx.hint : "",
		       buf_str(&b));
	buf_release(&b);
	return code;
}

int parse_stream_finish(struct parse_stream *s, struct err *err)
{
	if (s->raw.len > 0)
		raw_parts(s, s->raw.data, s->raw.len, true);
	buf_clear(&s->raw);
	pending_end(s, true);
	for (size_t i = 0; i < READERS; i++)
		readers[i]->finish(s->state[i], &s->ctx);
	return s->ctx.values > 0 ? 0 : nothing_found(s, err);
}

void parse_stream_free(struct parse_stream *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < READERS; i++)
		free(s->state[i]);
	buf_release(&s->raw);
	buf_release(&s->clean);
	buf_release(&s->joined);
	buf_release(&s->spare);
	buf_release(&s->pending.text);
	buf_release(&s->ctx.scratch);
	free(s->ctx.hint);
	free(s->file);
	free(s);
}

/* The whole text at once -------------------------------------------------- */

static void keep_value(void *arg, const struct parse_value *v)
{
	struct parse_result *r = arg;
	struct parse_value copy = *v;

	copy.label = mem_strdup(v->label);
	copy.metric = mem_strdup(v->metric);
	copy.unit = mem_strdup(v->unit);
	copy.file = mem_strdup(v->file);
	copy.note = mem_strdup(v->note);
	copy.conditions = mem_strdup(v->conditions);
	copy.software = mem_strdup(v->software);
	vec_push(&r->values, copy);
}

static void keep_warning(void *arg, const char *text)
{
	struct parse_result *r = arg;

	vec_push(&r->warnings, mem_strdup(text));
}

int parse_text(const char *text, size_t len, const char *file, struct parse_result *r,
	       struct err *err)
{
	struct parse_sink sink = {.value = keep_value, .warning = keep_warning, .arg = r};
	struct parse_stream *s = parse_stream_new(file, &sink);
	int code;

	parse_stream_feed(s, text, len);
	code = parse_stream_finish(s, err);
	parse_stream_free(s);
	return code;
}

void parse_value_release(struct parse_value *v)
{
	free(v->label);
	free(v->metric);
	free(v->unit);
	free(v->file);
	free(v->note);
	free(v->conditions);
	free(v->software);
	memset(v, 0, sizeof(*v));
}

void parse_result_release(struct parse_result *r)
{
	for (size_t i = 0; i < r->values.n; i++)
		parse_value_release(&r->values.v[i]);
	for (size_t i = 0; i < r->warnings.n; i++)
		free(r->warnings.v[i]);
	vec_release(&r->values);
	vec_release(&r->warnings);
}
