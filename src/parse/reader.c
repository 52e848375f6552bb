/* What readers call: values, warnings, labels, names of metrics. */
#include "parse/reader.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "parse/put.h"
#include "parse/stream.h"

long piece_line(const struct piece *p, const char *at)
{
	long line = p->parts[0].line;

	for (size_t i = 1; i < p->parts_n && p->parts[i].s <= at; i++)
		line = p->parts[i].line;
	return line;
}

static uint64_t hash(const char *text)
{
	uint64_t h = UINT64_C(1469598103934665603);

	for (; *text != '\0'; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return h;
}

/* Is this metric given again, under the same heading, after prose that may lead to another system?
 */
static bool is_doubtful(struct parse_ctx *ctx, const struct parse_value *v)
{
	const struct labels *l = &ctx->labels;
	uint64_t metric = hash(v->metric);

	if (v->label == NULL || *v->label == '\0' || strcmp(v->label, labels_text(l)) != 0)
		return false;
	if (ctx->given_serial != l->serial) {
		ctx->given_serial = l->serial;
		ctx->given_n = 0;
	}
	for (size_t i = 0; i < ctx->given_n; i++) {
		if (ctx->given[i].metric == metric)
			return ctx->given[i].doubts != l->doubts;
	}
	if (ctx->given_n < GIVEN) {
		ctx->given[ctx->given_n].metric = metric;
		ctx->given[ctx->given_n++].doubts = l->doubts;
	}
	return false;
}

void ctx_value(struct parse_ctx *ctx, const struct parse_value *v)
{
	static char empty[] = "";
	struct parse_value out = *v;

	if (is_doubtful(ctx, v)) {
		ctx_warn(ctx, v->line,
			 "\"%s\" may lead over to another system: from here on the figures are "
			 "not taken for those of \"%s\"; put a heading with a name before them",
			 ctx->labels.doubt, v->label);
		labels_end(&ctx->labels);
		out.label = empty;
	}

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
	uint64_t h = hash(text);

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

	/* a log of a thousand runs says the same a thousand times */
	if (ctx->warned_n == WARNINGS)
		return;
	buf_clear(&ctx->scratch);
	if (line > 0)
		buf_addf(&ctx->scratch, "%s:%ld: ", ctx->file, line);
	else
		buf_addf(&ctx->scratch, "%s: ", ctx->file);
	va_start(ap, fmt);
	buf_vaddf(&ctx->scratch, fmt, ap);
	va_end(ap);
	if (seen_before(ctx, buf_str(&ctx->scratch)) || ctx->sink->warning == NULL)
		return;
	if (ctx->warned_n == WARNINGS) {
		buf_clear(&ctx->scratch);
		buf_addf(&ctx->scratch, "%s: further warnings are left out", ctx->file);
	}
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
		put_copy(part, sizeof(part), name, n);
	if (n < len) {
		while (n > 0 && ((unsigned char)name[n] & 0xc0) == 0x80)
			n--;
		for (size_t i = n; i < len; i++)
			h = (h ^ (unsigned char)name[i]) * 16777619U;
		snprintf(part + n, sizeof(part) - n, "..%08x", (unsigned)h);
	}
	struct put p = put_begin(out, size);
	put_str(&p, head);
	put_str(&p, part);
	put_str(&p, tail);
}
