/*
 * Progress lines of openssl speed: "Doing WHAT for 3s: COUNT WHAT in 2.98s". Their wording moved
 * with the versions; the count, the seconds and what is repeated did not.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "parse/openssl_int.h"
#include "parse/put.h"

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool has_word(const char *s, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= len; i++) {
		if (lower(s[i]) == word[0] && (i == 0 || !num_is_alpha(s[i - 1])) &&
		    strncasecmp(s + i, word, n) == 0)
			return true;
	}
	return false;
}

enum algorithm openssl_algorithm(const char *s, size_t len, enum operation *op)
{
	static const struct {
		const char *word;
		enum algorithm alg;
	} words[] = {
		{"rsa", ALG_RSA},       {"ecdsa", ALG_ECDSA}, {"dsa", ALG_DSA},
		{"ecdh", ALG_ECDH},     {"ffdh", ALG_FFDH},   {"dh", ALG_FFDH},
		{"ed25519", ALG_EDDSA}, {"ed448", ALG_EDDSA}, {"eddsa", ALG_EDDSA},
		{"curvesm2", ALG_SM2},  {"sm2", ALG_SM2},
	};
	enum algorithm alg = ALG_NONE;

	for (size_t i = 0; alg == ALG_NONE && i < sizeof(words) / sizeof(words[0]); i++) {
		if (has_word(s, len, words[i].word))
			alg = words[i].alg;
	}
	*op = OP_NONE;
	if (alg == ALG_ECDH || alg == ALG_FFDH)
		*op = OP_OP;
	else if (has_word(s, len, "decrypt"))
		*op = OP_DECRYPT;
	else if (has_word(s, len, "encrypt"))
		*op = OP_ENCRYPT;
	else if (has_word(s, len, "verify") || has_word(s, len, "verification"))
		*op = OP_VERIFY;
	else if (has_word(s, len, "sign") || has_word(s, len, "private"))
		*op = OP_SIGN;
	else if (has_word(s, len, "public"))
		*op = OP_VERIFY;
	return alg;
}

/* The words of a progress line: where its parts are. */
struct progress {
	struct word w[40];
	size_t n;
	size_t what_end; /* words 1 to here: what is done */
	size_t count;    /* index of the count */
	size_t in;       /* index of "in" */
	bool bulk;
	struct measured m;
	const char *end;
};

/* "10s:" or "10s": whole seconds. */
static bool nominal(const struct word *w, double *seconds)
{
	struct num n;

	if (!num_scan(w->s, 0, &n) || *n.end != 's')
		return false;
	*seconds = n.value;
	return (size_t)(n.end + 1 - w->s) == w->len ||
	       ((size_t)(n.end + 2 - w->s) == w->len && n.end[1] == ':');
}

/* "2048", "256-bits": the size that begins a word. */
static bool leading_bits(const struct word *w, unsigned *bits)
{
	struct num n;

	if (!num_scan(w->s, 0, &n) || n.decimals > 0 || n.value > 1e6)
		return false;
	*bits = (unsigned)n.value;
	return n.end == w->s + w->len || *n.end == '-';
}

static void join_words(char *out, size_t size, const struct word *w, size_t n)
{
	struct put p = put_begin(out, size);

	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			put_mem(&p, " ", 1);
		put_mem(&p, w[i].s, w[i].len);
	}
}

/* "Doing WHAT for 3s [on 16 size blocks]:" up to the count. */
static long progress_head(struct progress *g)
{
	size_t i = 1;
	double times;

	while (i < g->n && !word_is(&g->w[i], "for") &&
	       !(i + 1 < g->n && word_is(&g->w[i + 1], "times") && word_count(&g->w[i], &times)))
		i++;
	if (i > 8)
		return READER_NONE;
	g->what_end = i;
	if (i + 1 >= g->n)
		return READER_MORE;
	if (word_is(&g->w[i], "for") && !nominal(&g->w[i + 1], &g->m.nominal))
		return READER_NONE;
	i += 2;
	if (i >= g->n)
		return READER_MORE;
	if (word_is(&g->w[i], "on")) {
		if (i + 3 >= g->n)
			return READER_MORE;
		if (!word_count(&g->w[i + 1], &g->m.size) || !word_is(&g->w[i + 2], "size") ||
		    strncmp(g->w[i + 3].s, "blocks:", 7) != 0)
			return READER_NONE;
		g->bulk = true;
		i += 4;
	}
	g->count = i;
	return i < g->n ? 1 : READER_MORE;
}

/* The word behind the count repeats what was announced; the last word may be broken. */
static bool describes(const struct progress *g)
{
	const struct word *w = &g->w[g->count + 1], *what = &g->w[1];
	size_t n;

	if (g->count + 1 >= g->n)
		return true;
	n = w->len < what->len ? w->len : what->len;
	if (strncmp(w->s, what->s, n) != 0)
		return false;
	/* shorter than what was announced only at the end of the text */
	if (w->len < what->len && w->s[w->len] != '\0')
		return false;
	return w->len <= what->len || strchr("'-", w->s[what->len]) != NULL;
}

/* "COUNT WHAT in 10.01s". */
static long progress_result(struct progress *g)
{
	struct num n;
	size_t i = g->count + 1;

	if (!word_count(&g->w[g->count], &g->m.count))
		return READER_NONE;
	if (!describes(g))
		return READER_NONE;
	while (i < g->n && !word_is(&g->w[i], "in"))
		i++;
	if (i - g->count > 8)
		return READER_NONE;
	if (i + 1 >= g->n)
		return READER_MORE;
	g->in = i;
	if (!num_scan(g->w[i + 1].s, 0, &n)) {
		const char *bad = num_scan_bad(g->w[i + 1].s);

		if (bad == NULL || *bad != 's')
			return READER_NONE;
		g->m.seconds = 0;
		g->end = bad + 1;
		return 1;
	}
	if (*n.end == '\0' || (*n.end == '.' && n.end[1] == '\0'))
		return READER_MORE; /* the s is missing: so may digits */
	if (*n.end != 's')
		return READER_NONE;
	g->m.seconds = n.value;
	g->m.step = n.step;
	g->end = n.end + 1;
	return 1;
}

/* What the two halves of the line name must be the same. */
static bool progress_bulk(struct progress *g)
{
	size_t n = g->what_end - 1;
	const struct word *what = g->w + 1, *again = g->w + g->count + 1;
	size_t again_n = g->in - g->count - 1;

	if (n > 1 && word_is(&what[n - 1], "ops"))
		n--;
	if (n == 0 || again_n < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (strncmp(what[i].s, again[i].s, what[i].len) != 0)
			return false;
	}
	g->m.alg = ALG_BULK;
	join_words(g->m.name, sizeof(g->m.name), what, n);
	return true;
}

/* "ML-KEM-768 keygen ops ... : 390 ML-KEM-768 KEM keygen ops" */
static bool progress_named(struct progress *g)
{
	static const struct {
		const char *word;
		enum operation op;
	} ops[] = {
		{"keygen", OP_KEYGEN}, {"encaps", OP_ENCAPS}, {"decaps", OP_DECAPS},
		{"sign", OP_SIGN},     {"signs", OP_SIGN},    {"verify", OP_VERIFY},
	};
	const struct word *again = g->w + g->count + 1;

	if (g->in - g->count < 4 || g->what_end < 3)
		return false;
	if (g->w[1].len != again[0].len || strncmp(g->w[1].s, again[0].s, again[0].len) != 0)
		return false;
	if (word_is(&again[1], "KEM"))
		g->m.alg = ALG_KEM;
	else if (word_is(&again[1], "signature"))
		g->m.alg = ALG_SIG;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (word_is(&again[2], ops[i].word))
			g->m.op = ops[i].op;
	}
	join_words(g->m.name, sizeof(g->m.name), again, 1);
	return g->m.alg != ALG_NONE && g->m.op != OP_NONE;
}

static bool progress_sized(struct progress *g)
{
	const struct word *again = g->w + g->count + 1;
	const char *from = g->w[1].s, *to = g->w[g->in].s;
	unsigned bits = 0;

	if (g->what_end < 3 || strncmp(g->w[2].s, "bit", 3) != 0 ||
	    !leading_bits(&g->w[1], &g->m.bits) || g->in - g->count < 2 ||
	    !leading_bits(&again[0], &bits) || bits != g->m.bits)
		return false;
	g->m.alg = openssl_algorithm(from, (size_t)(to - from), &g->m.op);
	if (g->m.alg == ALG_EDDSA || g->m.alg == ALG_SM2) {
		/* "253 bits Ed25519 signs": the name behind the size */
		const struct word *name =
			&again[num_is_digit(again[0].s[0]) && memchr(again[0].s, '-', again[0].len)
				       ? 1
				       : 2];

		if (name < g->w + g->in)
			join_words(g->m.name, sizeof(g->m.name), name, 1);
	}
	return g->m.alg != ALG_NONE && g->m.op != OP_NONE;
}

long openssl_progress(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	struct progress g = {.n = 0};
	long r;

	g.n = num_words(p->s, g.w, sizeof(g.w) / sizeof(g.w[0]), NULL);
	if (g.n == 0 || !word_is(&g.w[0], "Doing"))
		return READER_NONE;
	r = progress_head(&g);
	if (r > 0)
		r = progress_result(&g);
	if (r <= 0)
		return r;
	if (g.bulk ? !progress_bulk(&g) : !progress_sized(&g) && !progress_named(&g))
		return READER_NONE;
	if (o->mr_lines > 0)
		openssl_new_block(o, ctx);
	openssl_after_table(o, ctx);
	openssl_no_header(o);
	if (o->processes == 0)
		o->processes = 1;
	g.m.line = piece_line(p, g.w[g.count].s);
	openssl_add(o, ctx, &g.m);
	return g.end - p->s;
}
