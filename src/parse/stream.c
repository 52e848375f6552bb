/* A text is cut into lines, which are cleaned; what is left is piece.c's. */
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "parse/clean.h"
#include "parse/stream.h"

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
	piece_index(s);
	return s;
}

/* Characters of a line as it is laid out: its bytes but those that continue one, eight at once. */
static int columns_of(const char *s, size_t len)
{
	static const uint64_t ones = UINT64_C(0x0101010101010101);
	size_t n = len, i = 0;

	for (; i + 8 <= len; i += 8) {
		uint64_t x;

		memcpy(&x, s + i, 8);
		x = x >> 7 & ~(x >> 6) & ones;
		n -= (size_t)(x * ones >> 56);
	}
	for (; i < len; i++)
		n -= ((unsigned char)s[i] & 0xc0) == 0x80;
	return (int)n;
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
	/* no more columns than bytes, and no fewer than a quarter of them */
	int columns = len >= 72 && len <= 4 * 80 ? columns_of(text, len) : 0;
	struct clean_line c;

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
			piece_end(s, false);
		s->pending.blank = true;
		labels_blank(&s->ctx.labels, c.hashes);
		return;
	}
	if (columns >= 72 && columns != 72 && columns != 80) /* without quote marks */
		columns = columns_of(c.s, c.len);
	piece_line_read(s, &c, line, columns == 72 || columns == 80, end);
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
			piece_end(s, false);
			piece_boundaries(s);
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

static void feed(struct parse_stream *s, const char *bytes, size_t len)
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

void parse_stream_feed(struct parse_stream *s, const char *bytes, size_t len)
{
	if (s->utf16.order == UTF16_UNKNOWN) {
		size_t n = utf16_mark(&s->utf16, bytes, len);

		bytes += n;
		len -= n;
	}
	if (s->utf16.order == UTF16_LITTLE || s->utf16.order == UTF16_BIG) {
		utf16_decode(&s->utf16, bytes, len, &s->wide);
		bytes = buf_str(&s->wide);
		len = s->wide.len;
	}
	feed(s, bytes, len);
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
	piece_end(s, true);
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
	buf_release(&s->wide);
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
