/* bssl speed of BoringSSL and AWS-LC: "Did 1353 RSA 2048 signing operations in 1007351us (...)". */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "parse/reader.h"

struct bssl {
	struct runs runs;
};

struct did {
	const char *what; /* "RSA 2048 signing", "AES-128-GCM (16 bytes) seal" */
	size_t len;
	double count, seconds;
	struct num rate; /* as printed; end NULL: not printed */
	const char *end;
};

static const char *find_words(const char *s, const char *text, size_t within)
{
	return num_find(s, text, within);
}

static long scan(const struct piece *p, struct did *d)
{
	const char *s = num_after(p->s, "Did "), *ops;
	struct num n;

	/* people leave the count out: "Did ... RSA 2048 signing operations in ... (152.7 ops/sec)"
	 */
	if (s != NULL && strncmp(s, "...", 3) == 0) {
		n.value = 0;
		n.end = s + strspn(s, ".");
	} else if (s == NULL || !num_scan(s, 0, &n) || n.decimals > 0) {
		return READER_NONE;
	}
	if (!num_is_blank(*n.end))
		return READER_NONE;
	d->count = n.value;
	d->what = num_skip(n.end);
	ops = find_words(d->what, " operations in ", 120);
	if (ops == NULL)
		return p->last || p->len > 120 ? READER_NONE : READER_MORE;
	d->len = (size_t)(ops - d->what);
	s = ops + strlen(" operations in ");
	if (d->count == 0 && *s == '.') {
		n.value = 0;
		n.end = s + strspn(s, ".");
	} else if (!num_scan_time(s, &n)) {
		return p->last || strlen(s) > 20 ? READER_NONE : READER_MORE;
	}
	d->seconds = n.value;
	d->end = n.end;
	s = num_skip(n.end);
	if (*s == '(') {
		s = strchr(s, ')');
		if (s == NULL)
			return p->last ? 1 : READER_MORE;
		if (num_scan(num_skip(n.end) + 1, 0, &n) && num_after(n.end, " ops/sec") != NULL)
			d->rate = n;
		d->end = s + 1;
		if (num_after(s, "): ") != NULL && num_scan(num_skip(s + 2), 0, &n) &&
		    num_after(n.end, " MB/s") != NULL)
			d->end = num_after(n.end, " MB/s");
	}
	return 1;
}

static bool ends_with(const struct did *d, const char *text, size_t *cut)
{
	size_t n = strlen(text);

	if (d->len < n || strncmp(d->what + d->len - n, text, n) != 0)
		return false;
	*cut = d->len - n;
	return true;
}

/* "openssl/rsa2048/sign" and the like, where it has the meaning of openssl's own. */
static void name_of(const struct did *d, char *metric, size_t size)
{
	static const struct {
		const char *text, *aspect;
	} ends[] = {
		{" signing", "/sign"},
		{" verify (same key)", "/verify"},
		{" verify (fresh key)", "/verify_fresh_key"},
		{" verify", "/verify"},
		{" key generation", "/keygen"},
		{" key-gen", "/keygen"},
	};
	size_t n = d->len;
	const char *aspect = "/op", *name = d->what, *kind = "";

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (ends_with(d, ends[i].text, &n)) {
			aspect = ends[i].aspect;
			break;
		}
	}
	if (strncmp(name, "RSA ", 4) == 0 && num_is_digit(name[4])) {
		kind = "rsa";
		name += 4;
		n -= 4;
	} else if (strncmp(name, "ECDSA ", 6) == 0) {
		kind = "ecdsa.";
		name += 6;
		n -= 6;
	} else if (strncmp(name, "ECDH ", 5) == 0) {
		kind = "ecdh.";
		name += 5;
		n -= 5;
	} else if (strncmp(name, "Ed25519", 7) == 0) {
		kind = "eddsa.";
	}
	{
		char head[32];

		snprintf(head, sizeof(head), "openssl/%s", kind);
		metric_join(metric, size, head, name, n, aspect, true);
	}
}

/* "AES-128-GCM (16 bytes) seal": its bytes, and the name without them. */
static double bytes_of(const struct did *d, char *name, size_t size)
{
	const char *open = memchr(d->what, '(', d->len), *close;
	struct num n;

	while (open != NULL && !(num_scan(open + 1, 0, &n) && num_after(n.end, " byte") != NULL))
		open = memchr(open + 1, '(', d->len - (size_t)(open + 1 - d->what));
	if (open == NULL)
		return 0;
	close = memchr(open, ')', d->len - (size_t)(open - d->what));
	if (close == NULL)
		return 0;
	snprintf(name, size, "%.*s%.*s", (int)(open > d->what ? open - d->what - 1 : 0), d->what,
		 (int)(d->len - (size_t)(close + 1 - d->what)), close + 1);
	return n.value;
}

static long bssl_read(void *state, struct parse_ctx *ctx, const struct piece *p)
{
	struct bssl *b = state;
	struct parse_value v = {.derived = true, .conditions = "tool=bssl"};
	struct did d = {.what = NULL};
	char metric[METRIC_NAME + 64], name[160], tail[32], note[96];
	double bytes;
	long r = p->s[0] == 'D' ? scan(p, &d) : READER_NONE;

	if (r <= 0)
		return r;
	bytes = bytes_of(&d, name, sizeof(name));
	if (bytes > 0) {
		snprintf(tail, sizeof(tail), "/%.0f", bytes);
		metric_join(metric, sizeof(metric), "openssl/bulk.", name, strlen(name), tail,
			    true);
	} else {
		name_of(&d, metric, sizeof(metric));
		bytes = 1;
	}
	v.metric = metric;
	v.unit = bytes > 1 || strncmp(metric, "openssl/bulk.", 13) == 0 ? "B/s" : "op/s";
	v.line = piece_line(p, p->s);
	v.label = (char *)(uintptr_t)ctx_label(ctx);
	if (d.seconds > 0 && d.count > 0) {
		v.has_value = true;
		v.value = d.count * bytes / d.seconds;
		v.step = bytes / d.seconds;
	} else if (d.rate.end != NULL && d.rate.value > 0) {
		v.has_value = true;
		v.value = d.rate.value * bytes;
		v.step = d.rate.step * bytes;
		v.derived = bytes > 1;
	} else {
		snprintf(note, sizeof(note), "%.0f operations in %g s: no rate", d.count,
			 d.seconds);
		v.note = note;
	}
	v.run = runs_row(&b->runs, metric);
	ctx_value(ctx, &v);
	return d.end - p->s;
}

static void bssl_boundary(void *state, struct parse_ctx *ctx)
{
	struct bssl *b = state;

	(void)ctx;
	runs_boundary(&b->runs);
}

static const char *const bssl_starts[] = {"Did ", NULL};

const struct reader bssl_reader = {
	.name = "bssl speed",
	.starts = bssl_starts,
	.first = "D",
	.state_size = sizeof(struct bssl),
	.read = bssl_read,
	.boundary = bssl_boundary,
	.finish = bssl_boundary,
};
