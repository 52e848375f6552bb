/* openssl speed's tables: split on blanks, never on columns; told apart by header and shape. */
#include <string.h>

#include "parse/openssl_int.h"

void openssl_no_header(struct openssl *o)
{
	o->kind = ALG_NONE;
	o->columns = 0;
	o->blocks_n = 0;
	o->header_open = false;
}

/* Headers ----------------------------------------------------------------- */

/*
 * "16 bytes 64 bytes": sizes from s on. *state: 1 whole, READER_MORE where the end of the text
 * breaks a size, READER_NONE where sizes do not stand as they are printed.
 */
static const char *scan_blocks(const char *s, double *blocks, int *n, long *state)
{
	*state = 1;
	for (;;) {
		struct word w[2];
		size_t k = num_words(s, w, 2, NULL);
		double size;

		if (k == 0 || !word_count(&w[0], &size) || size > 1e9)
			return s;
		if (k == 1 || (w[1].s[w[1].len] == '\0' && w[1].len < 5 &&
			       strncmp(w[1].s, "bytes", w[1].len) == 0)) {
			*state = READER_MORE;
			return s;
		}
		if (!word_is(&w[1], "bytes")) {
			*state = READER_NONE;
			return s;
		}
		if (*n < BLOCKS_MAX)
			blocks[(*n)++] = size;
		s = w[1].s + w[1].len;
	}
}

static long bulk_header(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	const char *s = num_after(p->s, "type "), *e;
	bool goes_on = s == NULL && o->header_open && o->blocks_n > 0 && num_is_digit(p->s[0]);
	double blocks[BLOCKS_MAX];
	int n = 0;
	long state;

	if (goes_on) {
		/* the header's end in a line of its own */
		n = o->blocks_n;
		memcpy(blocks, o->blocks, sizeof(blocks));
		s = p->s;
	}
	if (s == NULL)
		return READER_NONE;
	e = scan_blocks(s, blocks, &n, &state);
	if (state == READER_MORE && !p->last)
		return READER_MORE;
	if (state == READER_NONE || n == 0)
		return READER_NONE;
	if (goes_on && (n == o->blocks_n || *num_skip(e) != '\0'))
		return READER_NONE;
	if (!goes_on && o->any && o->serial != ctx_label_serial(ctx))
		openssl_new_block(o, ctx);
	openssl_touch(o, ctx);
	memcpy(o->blocks, blocks, sizeof(blocks));
	o->blocks_n = n;
	o->kind = ALG_BULK;
	o->columns = n;
	o->header_open = true;
	return e - p->s;
}

static bool header_word(const struct word *w)
{
	static const char *const words[] = {
		"sign",     "signs",   "verify",    "encrypt",  "decrypt",  "sign/s",
		"verify/s", "encr./s", "decr./s",   "op",       "op/s",     "keygen",
		"encaps",   "decaps",  "keygens/s", "encaps/s", "decaps/s",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (word_is(w, words[i]))
			return true;
	}
	return false;
}

static long key_header(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	const char *s = p->s, *e = s;
	struct word w;
	int times = 0, rates = 0;
	enum algorithm kind = ALG_NONE;
	bool goes_on = false;

	while (num_words(e, &w, 1, NULL) == 1 && header_word(&w)) {
		bool rate = memchr(w.s, '/', w.len) != NULL;

		/* a second header glued to the first */
		if (rates > 0 && !rate)
			break;
		if (times == 0 && rates == 0)
			goes_on = o->header_open && o->blocks_n == 0 &&
				  (rate || word_is(&w, "encrypt") || word_is(&w, "decrypt") ||
				   word_is(&w, "decaps") || word_is(&w, "encaps"));
		if (word_is(&w, "encaps"))
			kind = ALG_KEM;
		else if (word_is(&w, "signs"))
			kind = ALG_SIG;
		times += !rate;
		rates += rate;
		e = w.s + w.len;
	}
	if (times + rates == 0 || (!goes_on && (times == 0 || times + rates < 2)))
		return READER_NONE;
	if (goes_on) {
		o->columns += times;
	} else {
		if (o->any && o->serial != ctx_label_serial(ctx))
			openssl_new_block(o, ctx);
		openssl_touch(o, ctx);
		openssl_no_header(o);
		o->columns = times;
		o->kind = kind;
	}
	if (kind != ALG_NONE)
		o->kind = kind;
	o->header_open = true;
	return e - s;
}

long openssl_header(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	long r = bulk_header(o, ctx, p);

	return r != READER_NONE ? r : key_header(o, ctx, p);
}

long openssl_row(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	long r = openssl_key_row(o, ctx, p);

	return r != READER_NONE ? r : openssl_bulk_row(o, ctx, p);
}
