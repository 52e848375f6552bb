#include "parse/batch.h"
#include "parse/put.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void batch_touch(struct batch *b, struct parse_ctx *ctx)
{
	if (b->any)
		return;
	b->any = true;
	put_copy(b->label, sizeof(b->label), ctx_label(ctx), strlen(ctx_label(ctx)));
}

struct batch_value *batch_find(struct batch *b, const char *metric)
{
	for (int i = 0; i < b->n; i++) {
		if (strcmp(b->v[i].metric, metric) == 0)
			return &b->v[i];
	}
	return NULL;
}

struct batch_value *batch_add(struct batch *b, struct parse_ctx *ctx, const char *metric,
			      const char *unit, double value, double step, long line)
{
	struct batch_value *v;

	if (batch_find(b, metric) != NULL)
		batch_end(b, ctx);
	batch_touch(b, ctx);
	v = &b->v[b->n < BATCH_VALUES - 1 ? b->n++ : BATCH_VALUES - 1];
	v->derived = false;
	v->note[0] = '\0';
	put_copy(v->metric, sizeof(v->metric), metric, strlen(metric));
	v->unit = unit;
	v->value = value;
	v->step = step;
	v->has_value = true;
	v->line = line;
	return v;
}

struct batch_value *batch_refuse(struct batch *b, struct parse_ctx *ctx, const char *metric,
				 const char *unit, long line, const char *reason)
{
	struct batch_value *v = batch_add(b, ctx, metric, unit, 0, 0, line);

	v->has_value = false;
	snprintf(v->note, sizeof(v->note), "%s", reason);
	return v;
}

void batch_condition(struct batch *b, const char *key, const char *fmt, ...)
{
	size_t n = strlen(b->conditions);
	va_list ap;
	int k;

	k = snprintf(b->conditions + n, sizeof(b->conditions) - n, "%s%s=", n > 0 ? ";" : "", key);
	if (k < 0 || (size_t)k >= sizeof(b->conditions) - n)
		return;
	n += (size_t)k;
	va_start(ap, fmt);
	vsnprintf(b->conditions + n, sizeof(b->conditions) - n, fmt, ap);
	va_end(ap);
}

void batch_end(struct batch *b, struct parse_ctx *ctx)
{
	int runs = b->runs + (b->n > 0 ? 1 : 0);

	for (int i = 0; i < b->n; i++) {
		struct batch_value *v = &b->v[i];
		struct parse_value out = {
			.run = runs,
			.label = b->label,
			.metric = v->metric,
			.has_value = v->has_value,
			.value = v->value,
			.unit = (char *)(uintptr_t)v->unit,
			.step = v->step,
			.derived = v->derived,
			.line = v->line,
			.note = v->note,
			.conditions = b->conditions,
			.software = b->software,
		};

		ctx_value(ctx, &out);
	}
	b->runs = runs;
	b->any = false;
	b->n = 0;
	b->label[0] = b->conditions[0] = b->software[0] = '\0';
}

void batch_errors(struct parse_ctx *ctx, struct batch_value *v, double good, double bad)
{
	char text[BATCH_NOTE];

	if (bad <= 0)
		return;
	if (good <= 0)
		snprintf(text, sizeof(text),
			 "every response is an error: a rate of errors is no speed");
	else
		snprintf(text, sizeof(text), "%.3g %% of the responses are errors (%.0f of %.0f)",
			 100 * bad / (good + bad), bad, good + bad);
	if (v != NULL)
		snprintf(v->note, sizeof(v->note), "%s", text);
	/* one in a hundred is worth a note, not a warning */
	if (bad / (good + bad) >= 0.01)
		ctx_warn(ctx, v != NULL ? v->line : 0, "%s", text);
}
