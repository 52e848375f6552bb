/* openssl speed of every generation: what a block is, progress lines, versions, commands. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "parse/openssl_int.h"
#include "parse/put.h"

/* The block --------------------------------------------------------------- */

void openssl_touch(struct openssl *o, struct parse_ctx *ctx)
{
	if (o->any)
		return;
	o->any = true;
	o->serial = ctx_label_serial(ctx);
	put_copy(o->label, sizeof(o->label), ctx_label(ctx), strlen(ctx_label(ctx)));
}

static void flush_measured(struct openssl *o, struct parse_ctx *ctx)
{
	for (int i = 0; i < o->m_n; i++) {
		if (!o->m[i].used)
			openssl_emit_measured(o, ctx, &o->m[i], 0, NULL);
	}
	o->m_n = 0;
}

void openssl_new_block(struct openssl *o, struct parse_ctx *ctx)
{
	openssl_mr_end(o, ctx);
	flush_measured(o, ctx);
	runs_boundary(&o->runs);
	o->any = o->table = o->closing = false;
	o->label[0] = o->software[0] = '\0';
	o->processes = 0;
	o->clock = NULL;
}

void openssl_after_table(struct openssl *o, struct parse_ctx *ctx)
{
	if (o->any && (o->table || o->closing || o->serial != ctx_label_serial(ctx)))
		openssl_new_block(o, ctx);
	openssl_touch(o, ctx);
}

static const char *const op_names[] = {
	[OP_NONE] = "",           [OP_SIGN] = "sign",       [OP_VERIFY] = "verify",
	[OP_ENCRYPT] = "encrypt", [OP_DECRYPT] = "decrypt", [OP_OP] = "op",
	[OP_KEYGEN] = "keygen",   [OP_ENCAPS] = "encaps",   [OP_DECAPS] = "decaps",
};

const char *openssl_op_name(enum operation op)
{
	return op_names[op];
}

void openssl_item(char *out, size_t size, enum algorithm alg, unsigned bits, const char *name)
{
	static const char *const prefix[] = {
		[ALG_NONE] = "",        [ALG_BULK] = "bulk.",   [ALG_RSA] = "rsa",
		[ALG_DSA] = "dsa",      [ALG_ECDSA] = "ecdsa.", [ALG_ECDH] = "ecdh.",
		[ALG_EDDSA] = "eddsa.", [ALG_SM2] = "sm2.",     [ALG_FFDH] = "ffdh",
		[ALG_KEM] = "kem.",     [ALG_SIG] = "sig.",
	};
	struct put p = put_begin(out, size);

	put_str(&p, prefix[alg]);
	if (alg == ALG_RSA || alg == ALG_DSA || alg == ALG_FFDH)
		put_count(&p, bits);
	else
		metric_part(out + p.n, size - p.n, name, strlen(name));
}

const char *openssl_curve(enum algorithm alg, unsigned bits)
{
	static const struct {
		unsigned bits;
		const char *name;
	} curves[] = {
		{160, "secp160r1"}, {192, "nistp192"}, {224, "nistp224"}, {256, "nistp256"},
		{384, "nistp384"},  {521, "nistp521"}, {253, "X25519"},   {448, "X448"},
	};

	if (alg != ALG_ECDSA && alg != ALG_ECDH)
		return NULL;
	for (size_t i = 0; i < sizeof(curves) / sizeof(curves[0]); i++) {
		if (curves[i].bits == bits)
			return curves[i].name;
	}
	return NULL;
}

static void remember_kind(struct openssl *o)
{
	o->seen.one |= o->processes == 1;
	o->seen.several |= o->processes > 1;
	if (o->clock != NULL) {
		o->seen.user |= o->clock[0] == 'u';
		o->seen.elapsed |= o->clock[0] == 'e';
	}
	if (o->software[0] == '\0' || strcmp(o->software, o->seen.software) == 0)
		return;
	if (o->seen.software[0] == '\0')
		memcpy(o->seen.software, o->software, sizeof(o->software));
	else if (o->seen.second[0] == '\0')
		memcpy(o->seen.second, o->software, sizeof(o->software));
}

/* Runs of one text that must not be compared with each other. */
static void warn_of_kinds(const struct openssl *o, struct parse_ctx *ctx)
{
	if (o->seen.one && o->seen.several)
		ctx_warn(ctx, 0,
			 "some runs are of one process, others of several (-multi): their rates do "
			 "not compare");
	if (o->seen.user && o->seen.elapsed && !o->seen.several)
		ctx_warn(ctx, 0,
			 "some runs count CPU time, others elapsed time: they compare only on an "
			 "idle machine");
	if (o->seen.second[0] != '\0')
		ctx_warn(ctx, 0, "runs of %s and of %s: a difference may be the software's",
			 o->seen.software, o->seen.second);
}

void openssl_emit(struct openssl *o, struct parse_ctx *ctx, const char *row, const char *item,
		  const char *aspect, struct parse_value *v)
{
	char metric[2 * ITEM_MAX + 32], conditions[64];
	struct put m = put_begin(metric, sizeof(metric));
	struct put c = put_begin(conditions, sizeof(conditions));

	put_str(&m, "openssl/");
	put_str(&m, item);
	put_mem(&m, "/", 1);
	put_str(&m, aspect);
	if (o->clock != NULL) {
		put_str(&c, "clock=");
		put_str(&c, o->clock);
	}
	if (o->processes > 0) {
		put_str(&c, c.n > 0 ? ";processes=" : "processes=");
		put_count(&c, (unsigned long)o->processes);
	}
	remember_kind(o);
	v->software = o->software;
	if (v->label == NULL)
		v->label = o->label;
	if (v->run == 0)
		v->run = runs_row(&o->runs, row);
	struct parse_value whole = *v;
	whole.metric = metric;
	whole.conditions = conditions;
	ctx_value(ctx, &whole);
}

/* Measured seconds against those the test was to take: they stand on the same line. */
static void check_seconds(struct openssl *o, struct parse_ctx *ctx, const struct measured *m,
			  char *note, size_t size)
{
	note[0] = '\0';
	if (m->nominal <= 0)
		return;
	/* a test never ends early: less than its time can only be the processor's */
	if (o->clock == NULL && m->seconds < 0.97 * m->nominal)
		o->clock = "user";
	/* the last operation may run beyond the end */
	if (m->count > 0 && m->seconds > 1.25 * m->nominal + 1.5 * m->seconds / m->count) {
		snprintf(note, size, "measured %g s in a test of %g s", m->seconds, m->nominal);
		ctx_warn(ctx, m->line,
			 "measured seconds (%g) do not match the test's %g s: the rate is doubtful",
			 m->seconds, m->nominal);
	} else if (m->seconds < 0.5 * m->nominal) {
		snprintf(note, size, "%g s of user time in a test of %g s: no throughput",
			 m->seconds, m->nominal);
		ctx_warn(ctx, m->line,
			 "user time (%g s) is far below the run time of %g s: rates from it are no "
			 "throughput; measure with -elapsed",
			 m->seconds, m->nominal);
	} else if (m->seconds < 0.8 * m->nominal) {
		snprintf(note, size, "measured %g s in a test of %g s", m->seconds, m->nominal);
	}
}

void openssl_emit_measured(struct openssl *o, struct parse_ctx *ctx, const struct measured *m,
			   int run, const char *label)
{
	struct parse_value v = {.line = m->line, .derived = true, .run = run};
	char item[ITEM_MAX + 16], row[ITEM_MAX + 48], aspect[32], note[160];
	const char *name = m->name;

	v.label = label != NULL ? (char *)(uintptr_t)label : NULL;
	check_seconds(o, ctx, m, note, sizeof(note));
	if (name[0] == '\0' && openssl_curve(m->alg, m->bits) != NULL)
		name = openssl_curve(m->alg, m->bits);
	openssl_item(item, sizeof(item), m->alg, m->bits, name);
	struct put a = put_begin(aspect, sizeof(aspect));
	if (m->alg == ALG_BULK)
		put_count(&a, (unsigned long)m->size);
	else
		put_str(&a, openssl_op_name(m->op));
	if (item[strlen(item) - 1] == '.') /* a curve that the size does not tell */
		snprintf(item + strlen(item), sizeof(item) - strlen(item), "%u", m->bits);
	struct put r = put_begin(row, sizeof(row));
	put_str(&r, item);
	put_mem(&r, "/", 1);
	put_str(&r, aspect);
	v.unit = m->alg == ALG_BULK ? "B/s" : "op/s";
	if (m->seconds > 0 && m->count > 0) {
		double per = m->alg == ALG_BULK ? m->size : 1;

		v.has_value = true;
		v.value = m->count * per / m->seconds;
		/* the count is whole, and so are the operations in the seconds: it has no step */
		v.step = v.value * m->step / m->seconds;
	} else {
		snprintf(note, sizeof(note), "%.0f operations in %g s: no rate", m->count,
			 m->seconds);
	}
	v.note = note;
	openssl_emit(o, ctx, row, item, aspect, &v);
}

struct measured *openssl_add(struct openssl *o, struct parse_ctx *ctx, const struct measured *m)
{
	if (o->m_n == MEASURED_MAX)
		flush_measured(o, ctx);
	o->m[o->m_n] = *m;
	return &o->m[o->m_n++];
}

/* Version, build, command ------------------------------------------------- */

/* "OpenSSL 1.0.1t" at s: its end, or NULL. */
static const char *product(const char *s)
{
	static const char *const names[] = {"OpenSSL ", "LibreSSL ",  "SSLeay ", "Tongsuo ",
					    "BabaSSL ", "BoringSSL ", "GmSSL ",  "AWS-LC "};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *e = num_after(s, names[i]);

		if (e == NULL || !num_is_digit(*e) || memchr(e, '.', strcspn(e, " \t")) == NULL)
			continue;
		e += strcspn(e, " \t,;)");
		return e;
	}
	return NULL;
}

static long version_line(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	const char *s = p->s, *e, *lib, *using = num_after(s, "Using ");
	char text[sizeof(o->software)];

	e = num_after(s, "version: ");
	if (e != NULL && num_is_digit(*e)) {
		s = e;
		e += strcspn(e, " \t");
		snprintf(text, sizeof(text), "OpenSSL %.*s", (int)(e - s), s);
	} else {
		if (using != NULL)
			s = using;
		e = product(s);
		if (e == NULL)
			return READER_NONE;
		snprintf(text, sizeof(text), "%.*s", (int)(e - s), s);
		lib = num_find(e, "(Library: ", 80);
		if (lib != NULL && lib - e < 60 && product(lib + 10) != NULL) {
			const char *le = product(lib + 10);
			size_t n = strlen(text);

			if ((size_t)(le - lib - 10) != n || strncmp(text, lib + 10, n) != 0)
				snprintf(text + n, sizeof(text) - n, " (library %.*s)",
					 (int)(le - lib - 10), lib + 10);
			e = le + strcspn(le, ")");
			if (*e == ')')
				e++;
		}
	}
	openssl_after_table(o, ctx);
	openssl_no_header(o);
	o->complete = o->sum_n > 0;
	o->closing = o->m_n > 0 || o->mr_lines > 0;
	snprintf(o->software, sizeof(o->software), "%s", text);
	return e - p->s;
}

/* Lines that say nothing about speed, so that they are taken for no heading. */
static long info_line(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	static const char *const texts[] = {
		"built on",
		"options:",
		"compiler:",
		"CPUINFO:",
		"C flags:",
		"The 'numbers' are in",
		"Engine \"",
		"engine \"",
		"available timing options:",
		"timing function used:",
	};

	if (num_after(p->s, "You have chosen to measure elapsed time") != NULL) {
		if (o->any && (o->table || o->m_n > 0))
			openssl_new_block(o, ctx);
		openssl_touch(o, ctx);
		o->clock = "elapsed";
		return (long)strlen("You have chosen to measure elapsed time");
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *e = num_after(p->s, texts[i]);

		if (e == NULL)
			continue;
		o->flags = *p->s == 'o' || *p->s == 'c' || *p->s == 'C';
		/* another text may be glued to its end, so the rest is read too */
		return e - p->s;
	}
	return READER_NONE;
}

/* "-O2 -Wall", "idea(int) blowfish(idx)": the end of such a line in a line of its own. */
static long more_flags(const struct piece *p)
{
	const char *s = p->s;
	struct word w;

	if (p->rest)
		return READER_NONE;
	while (num_words(s, &w, 1, NULL) == 1) {
		bool option = w.s[0] == '-' && w.len > 1 && num_is_alpha(w.s[1]);

		if (!option && (w.s[0] == '(' || w.s[w.len - 1] != ')'))
			break;
		s = w.s + w.len;
	}
	return s > p->s ? s - p->s : READER_NONE;
}

static void command_options(struct openssl *o, const char *s)
{
	struct word w[32];
	size_t n = num_words(s, w, 32, NULL);
	double v = 0;

	o->clock = "user";
	for (size_t i = 0; i < n; i++) {
		if (word_is(&w[i], "-elapsed"))
			o->clock = "elapsed";
		if (word_is(&w[i], "-multi") && i + 1 < n && word_count(&w[i + 1], &v) && v > 0 &&
		    v < 10000) {
			o->clock = "elapsed";
			o->processes = (int)v;
		}
	}
	if (o->processes == 0)
		o->processes = 1;
}

/* Where the command's words end: in collapsed text its output follows. */
static const char *command_end(const char *s)
{
	static const char *const stops[] = {"Doing", "You",    "Forked",   "type",    "sign",
					    "op",    "keygen", "version:", "OpenSSL", "LibreSSL",
					    "The",   "Engine", "SSLeay",   "rsa",     "Tongsuo"};

	for (;;) {
		struct word w;

		s = num_skip(s);
		if (num_words(s, &w, 1, NULL) == 0)
			return s;
		for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
			if (!word_is(&w, stops[i]))
				continue;
			/* "rsa" may be an argument; before a number it is a row */
			if (!word_is(&w, "rsa") || num_is_digit(*num_skip(w.s + w.len)))
				return s;
		}
		if (*s == '+' && num_is_alpha(s[1]))
			return s;
		s = w.s + w.len;
	}
}

static long command_line(struct openssl *o, struct parse_ctx *ctx, const struct piece *p)
{
	static const char *const before[] = {"time", "sudo", "nice",   "taskset",
					     "env",  "chrt", "numactl"};
	const char *at, *e;
	struct word first;
	bool command;

	/* most lines cannot be one */
	if (!p->prompt && p->hashes == 0 && strchr("tsenco./$", p->s[0]) == NULL &&
	    memchr(p->s, '/', p->len < 240 ? p->len : 240) == NULL &&
	    memchr(p->s, '>', p->len < 240 ? p->len : 240) == NULL)
		return READER_NONE;
	at = num_find(p->s, "openssl", 240);
	if (at == NULL || at - p->s > 200)
		return READER_NONE;
	e = num_after(at, "openssl speed");
	if (e == NULL || (*e != '\0' && !num_is_blank(*e)) || num_words(p->s, &first, 1, NULL) == 0)
		return READER_NONE;
	command = p->prompt || p->hashes > 0 || first.s + first.len > at || *p->s == '.' ||
		  *p->s == '/' || *p->s == '$' || at[-1] == '>';
	for (size_t i = 0; !command && i < sizeof(before) / sizeof(before[0]); i++)
		command = word_is(&first, before[i]);
	if (!command)
		return READER_NONE;
	if (o->any)
		openssl_new_block(o, ctx);
	openssl_touch(o, ctx);
	openssl_no_header(o);
	at = command_end(e);
	command_options(o, e);
	return at - p->s;
}

static long openssl_read(void *state, struct parse_ctx *ctx, const struct piece *p)
{
	struct openssl *o = state;
	long r = READER_NONE;

	switch (p->s[0]) {
	case 'D':
		r = openssl_progress(o, ctx, p);
		break;
	case '+':
	case 'G':
	case 'F':
		r = openssl_mr(o, ctx, p);
		break;
	}
	if (r == READER_NONE && strchr("OLSTBGAUv", p->s[0]) != NULL)
		r = version_line(o, ctx, p);
	if (r > 0)
		o->flags = false;
	else if (r == READER_NONE && strchr("atbocCTEeY", p->s[0]) != NULL)
		r = info_line(o, ctx, p);
	if (r == READER_NONE && o->flags)
		r = more_flags(p);
	if (r == READER_NONE && (strchr("tsoekvd", p->s[0]) != NULL || o->header_open))
		r = openssl_header(o, ctx, p);
	if (r == READER_NONE)
		r = openssl_row(o, ctx, p);
	if (r == READER_NONE)
		r = command_line(o, ctx, p);
	if (r > 0 && (size_t)r > p->len)
		r = (long)p->len;
	return r;
}

static void openssl_boundary(void *state, struct parse_ctx *ctx)
{
	struct openssl *o = state;

	if (o->any)
		openssl_new_block(o, ctx);
}

static void openssl_finish(void *state, struct parse_ctx *ctx)
{
	openssl_boundary(state, ctx);
	warn_of_kinds(state, ctx);
}

static const char *const openssl_starts[] = {
	"Doing ",        "version: ",
	"OpenSSL ",      "LibreSSL ",
	"SSLeay ",       "type ",
	"built on",      "options:",
	"compiler:",     "CPUINFO:",
	"sign verify ",  "op op/s",
	"keygen ",       "rsa ",
	"dsa ",          "+R",
	"+DT",           "+F",
	"+H:",           "Got: ",
	"Forked ",       "You have chosen",
	"The 'numbers'", NULL,
};

const struct reader openssl_reader = {
	.name = "openssl speed",
	.starts = openssl_starts,
	.state_size = sizeof(struct openssl),
	.read = openssl_read,
	.boundary = openssl_boundary,
	.finish = openssl_finish,
};
