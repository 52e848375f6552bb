/*
 * Pieces of cleaned text: offered to the readers, cut where lines were joined, held back and joined
 * where a line was broken.
 */
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "parse/stream.h"

static void index_readers(struct parse_stream *s)
{
	for (int byte = 0; byte < 256; byte++) {
		for (size_t i = 0; i < s->readers; i++) {
			const char *first = parse_readers[i]->first;

			if (first == NULL || (byte != 0 && strchr(first, byte) != NULL))
				s->readers_of[byte] |= UINT32_C(1) << i;
		}
	}
}

static size_t pair_of(char a, char b)
{
	return (size_t)(unsigned char)a << 8 | (unsigned char)b;
}

/* Can a start stand at p at all? */
static bool has_starts(const struct parse_stream *s, const char *p)
{
	size_t pair;

	if (p[0] == '\0')
		return false;
	pair = pair_of(p[0], p[1]);
	return (s->pairs[pair >> 3] >> (pair & 7) & 1) != 0;
}

static void add_pair(struct parse_stream *s, char a, char b)
{
	size_t pair = pair_of(a, b);

	s->pairs[pair >> 3] |= (uint8_t)(1U << (pair & 7));
}

/* All readers' starts, grouped by their first byte. */
static void index_starts(struct parse_stream *s)
{
	for (int byte = 0; byte < 256; byte++) {
		s->starts_of[byte] = s->starts.n;
		for (size_t i = 0; i < s->readers; i++) {
			for (const char *const *a = parse_readers[i]->starts; *a != NULL; a++) {
				if ((unsigned char)**a != byte)
					continue;
				struct start start = {*a, UINT32_C(1) << i};

				vec_push(&s->starts, start);
				add_pair(s, (*a)[0], (*a)[1]);
				if ((*a)[1] == ' ')
					add_pair(s, (*a)[0], '\t');
			}
		}
	}
	s->starts_of[256] = s->starts.n;
}

void piece_index(struct parse_stream *s)
{
	s->allowed = UINT32_MAX;
	index_readers(s);
	index_starts(s);
}

void parse_stream_only(struct parse_stream *s, const struct reader *r)
{
	for (size_t i = 0; i < s->readers; i++) {
		if (parse_readers[i] != r)
			continue;
		s->favourite = i;
		s->allowed = UINT32_C(1) << i;
	}
}

void piece_boundaries(struct parse_stream *s)
{
	for (size_t i = 0; i < s->readers; i++)
		parse_readers[i]->boundary(s->state[i], &s->ctx);
}

/* Is text that begins here, behind another letter, sure enough to be another's beginning? */
static bool is_distinct(const char *p, const char *start, const char *end)
{
	return strlen(start) >= 8 || num_is_digit(*end) ||
	       (*p >= 'A' && *p <= 'Z' && p[-1] >= 'a' && p[-1] <= 'z');
}

/* The readers of which a start stands at p. inner: p is not the first byte of its text. */
static uint32_t starters(const struct parse_stream *s, const char *p, bool inner)
{
	size_t last = s->starts_of[(unsigned char)*p + 1];
	uint32_t found = 0;

	for (size_t i = s->starts_of[(unsigned char)*p]; i < last; i++) {
		const char *start = s->starts.v[i].text, *e = num_after(p, start);

		if (e != NULL && (!inner || !num_is_alpha(*p) || !num_is_alpha(p[-1]) ||
				  is_distinct(p, start, e)))
			found |= s->starts.v[i].reader;
	}
	return found;
}

/*
 * Offers p to all readers, the last successful one first; in the middle of a line to that one
 * and to those of which a start stands there.
 */
static long offer(struct parse_stream *s, const struct piece *p, size_t *who)
{
	uint32_t left = UINT32_C(1) << s->favourite;
	long more = READER_NONE;

	if (!p->rest)
		left |= s->readers_of[(unsigned char)p->s[0]];
	else if (has_starts(s, p->s))
		left |= starters(s, p->s, false);
	left &= s->allowed;
	for (size_t k = s->favourite; left != 0; k = (size_t)__builtin_ctz(left)) {
		long n;

		left &= ~(UINT32_C(1) << k);
		n = parse_readers[k]->read(s->state[k], &s->ctx, p);
		if (n > 0) {
			*who = s->favourite = k;
			return n;
		}
		if (n == READER_MORE && more == READER_NONE && !p->last) {
			*who = k;
			more = READER_MORE;
		}
		if (left == 0)
			break;
	}
	return more;
}

/* Where in s some reader's line may begin, from s + 1 on; NULL: nowhere. */
static const char *next_start(const struct parse_stream *st, const char *s)
{
	for (const char *p = s + 1; *p != '\0'; p++) {
		if (has_starts(st, p) && starters(st, p, true) != 0)
			return p;
	}
	return NULL;
}

/* The next word of a line that was read in part; texts may be glued to its words. */
static const char *next_word(const struct parse_stream *st, const char *s)
{
	while (*s != '\0' && !num_is_blank(*s)) {
		s++;
		if (has_starts(st, s) && starters(st, s, true) != 0)
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

	w->reader = parse_readers[who];
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
	w->blank = false;
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
			p->before_len = 0;
			next = num_skip(p->s + (n < (long)p->len ? (size_t)n : p->len));
		} else {
			next = known ? next_word(s, p->s) : next_start(s, p->s);
			if (next == NULL)
				break;
			if (!known) {
				p->before = p->s;
				p->before_len = (size_t)(next - p->s);
			}
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
		piece_boundaries(s);
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

void piece_end(struct parse_stream *s, bool end)
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
			w->blank = false;
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

void piece_line_read(struct parse_stream *s, const struct clean_line *c, long line, bool full,
		     bool end)
{
	struct piece p;

	while (s->pending.reader != NULL) {
		const struct reader *before = s->pending.reader;
		size_t held = s->pending.text.len;

		if (pending_join(s, c, line, end))
			return;
		if (s->pending.reader == before && s->pending.text.len == held)
			piece_end(s, false);
	}
	memset(&p, 0, sizeof(p));
	p.s = c->s;
	p.len = c->len;
	p.end = end;
	p.hashes = c->hashes;
	p.prompt = c->prompt;
	p.full = full;
	p.parts[0].s = c->s;
	p.parts[0].line = line;
	p.parts_n = 1;
	if (dispatch(s, &p, c))
		labels_known(&s->ctx.labels, c);
	else
		unknown(s, c);
}
