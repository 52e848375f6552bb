/* A text is cut into pieces, which are cleaned, joined where they were broken, and offered. */
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "parse/clean.h"
#include "parse/stream.h"

/* Text that a reader wants more of. */
struct pending {
	const struct reader *reader;
	void *state;
	struct buf text;
	size_t part[PIECE_PARTS]; /* offsets in text */
	long line[PIECE_PARTS];
	size_t parts;
	bool rest;
	bool blank;              /* a blank line came behind it */
	struct clean_line first; /* the line it begins with; s is not valid */
};

/* A text that a line of a reader may begin with. */
struct start {
	const char *text;
	uint32_t reader; /* its bit */
};

struct parse_stream {
	struct parse_ctx ctx;
	char *file;
	struct parse_sink sink;
	void *state[READERS_MAX];
	size_t readers;   /* how many there are */
	size_t favourite; /* read the line before */
	struct buf raw;   /* an unfinished line */
	struct buf clean;
	struct buf joined, spare;
	struct pending pending;
	long line;
	bool printable;    /* quoted-printable was seen */
	struct buf broken; /* lines of it that go on */
	struct buf soft;   /* the line being read, decoded */
	long broken_line;
	long numbered;            /* the number that stood before the line above; 0: none */
	uint32_t readers_of[256]; /* a bit for each reader: may a piece begin with this byte? */
	uint8_t pairs[65536 / 8]; /* a bit for each two bytes that a start begins with */
	VEC(struct start) starts;
	size_t starts_of[257]; /* those that begin with a byte */
};

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

struct parse_stream *parse_stream_new(const char *file, const struct parse_sink *sink)
{
	struct parse_stream *s = mem_alloc(sizeof(*s));

	s->file = mem_strdup(file != NULL ? file : "");
	s->sink = *sink;
	s->ctx.file = s->file;
	s->ctx.sink = &s->sink;
	labels_reset(&s->ctx.labels);
	while (parse_readers[s->readers] != NULL && s->readers < READERS_MAX) {
		s->state[s->readers] = mem_alloc(parse_readers[s->readers]->state_size);
		s->readers++;
	}
	index_readers(s);
	index_starts(s);
	return s;
}

void parse_stream_only(struct parse_stream *s, const struct reader *r)
{
	for (size_t i = 0; i < s->readers; i++) {
		if (parse_readers[i] != r)
			continue;
		s->favourite = i;
		for (int byte = 0; byte < 256; byte++)
			s->readers_of[byte] = UINT32_C(1) << i;
	}
}

static void boundaries(struct parse_stream *s)
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

/* Characters of a line as it is laid out. */
static int columns_of(const char *s, size_t len)
{
	int n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

/* "  12: text", "12  text": copies with line numbers, which grow by one. Behind the number, or s.
 */
static char *skip_number(struct parse_stream *s, char *text)
{
	char *p = text + strspn(text, " \t"), *e = p;
	long number = 0;
	bool next;

	while (num_is_digit(*e) && e - p < 6)
		number = number * 10 + (*e++ - '0');
	if (e == p ||
	    !(*e == ':' || *e == '|' || *e == '\t' || (e[0] == ' ' && e[1] == ' ') || *e == '\0')) {
		s->numbered = 0;
		return text;
	}
	next = number == s->numbered + 1 && (s->numbered > 0 || s->line == 1);
	s->numbered = number;
	if (!next)
		return text;
	return *e == ':' || *e == '|' ? e + 1 : e;
}

static void plain_line(struct parse_stream *s, char *text, size_t len, long line, bool end)
{
	int columns = len >= 72 ? columns_of(text, len) : 0;
	struct clean_line c;
	struct piece p;

	{
		char *behind = skip_number(s, text);

		len -= (size_t)(behind - text);
		text = behind;
	}
	clean_prefix(text, len, &c);
	if (c.len == 0) {
		/* one blank line may stand between the parts: some copies have one behind each line
		 */
		if (s->pending.blank)
			pending_end(s, false);
		s->pending.blank = true;
		labels_blank(&s->ctx.labels, c.hashes);
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
	if (columns >= 72 && columns != 72 && columns != 80) /* without quote marks */
		columns = columns_of(c.s, c.len);
	p.full = columns == 72 || columns == 80;
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

	if (s->printable) {
		clean_printable(raw, len, &s->soft);
		raw = buf_str(&s->soft);
		len = s->soft.len;
	}
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

/*
 * Mail may be quoted-printable: a line that ends with = goes on in the next one, =3D is a byte.
 * Known by its header, by =3D, or by such a line end; lines of = or base64 do not look like it.
 */
static bool is_soft_break(struct parse_stream *s, const char *raw, size_t len)
{
	if (len > 0 && raw[len - 1] == '\r')
		len--;
	if (!s->printable && len > 0)
		s->printable =
			(memchr(raw, '=', len) != NULL && memmem(raw, len, "=3D", 3) != NULL) ||
			((raw[0] == 'C' || raw[0] == 'c') &&
			 memmem(raw, len, ": quoted-printable", 18) != NULL);
	if (len < 2 || len > 76 || raw[len - 1] != '=' || raw[len - 2] == '=')
		return false;
	return s->printable || (len > 60 && memchr(raw, ' ', len) != NULL);
}

static void raw_parts(struct parse_stream *s, const char *raw, size_t len, bool end)
{
	s->line++;
	if (is_soft_break(s, raw, len) && !end) {
		s->printable = true;
		if (s->broken.len == 0)
			s->broken_line = s->line;
		buf_add(&s->broken, raw, len - (raw[len - 1] == '\r' ? 2 : 1));
		if (s->broken.len < PIECE_MAX)
			return;
		raw = "";
		len = 0;
	}
	if (s->broken.len > 0) {
		long line = s->line;

		buf_add(&s->broken, raw, len);
		s->line = s->broken_line;
		raw_line(s, s->broken.data, cut(s->broken.data, s->broken.len), end);
		s->line = line;
		buf_clear(&s->broken);
		return;
	}
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

	for (size_t i = 0; i < s->readers; i++)
		buf_addf(&b, "%s%s",
			 i == 0                ? ""
			 : i + 1 == s->readers ? " and "
					       : ", ",
			 parse_readers[i]->name);
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
	if (s->broken.len > 0)
		raw_line(s, s->broken.data, cut(s->broken.data, s->broken.len), true);
	pending_end(s, true);
	for (size_t i = 0; i < s->readers; i++)
		parse_readers[i]->finish(s->state[i], &s->ctx);
	return s->ctx.values > 0 ? 0 : nothing_found(s, err);
}

void parse_stream_free(struct parse_stream *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->readers; i++)
		free(s->state[i]);
	buf_release(&s->raw);
	buf_release(&s->clean);
	buf_release(&s->joined);
	buf_release(&s->spare);
	buf_release(&s->broken);
	buf_release(&s->soft);
	vec_release(&s->starts);
	buf_release(&s->pending.text);
	buf_release(&s->ctx.scratch);
	free(s->ctx.hint);
	free(s->file);
	free(s);
}
