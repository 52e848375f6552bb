/* A statement's time as a value; BENCHMARK() is divided by its count. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "parse/mariadb_int.h"
#include "parse/put.h"

/* The expression of the published comparison has a short name. */
#define REFERENCE_EXPR "encode('praise','bob')"

static void remember_expr(struct mariadb *m, const char *expr)
{
	for (int i = 0; i < m->exprs_n; i++) {
		if (strcmp(m->exprs[i], expr) == 0)
			return;
	}
	if (m->exprs_n < EXPRS_MAX)
		snprintf(m->exprs[m->exprs_n++], SQL_EXPR_MAX, "%s", expr);
}

/* Conditions are split at ; by who compares them. */
static void condition_text(char *out, size_t size, const char *key, const char *s)
{
	struct put p = put_begin(out, size);

	put_str(&p, key);
	put_mem(&p, "=", 1);
	put_str(&p, s);
	for (char *c = out; *c != '\0'; c++) {
		if (*c == ';' && strncmp(c, ";statement=", 11) != 0)
			*c = ',';
	}
}

static void emit_benchmark(struct mariadb *m, struct parse_ctx *ctx, const struct sql_benchmark *b,
			   const struct num *t, const struct parse_value *common, char *note,
			   size_t note_size)
{
	char metric[SQL_EXPR_MAX + 40], part[SQL_EXPR_MAX], conditions[SQL_EXPR_MAX + 40];
	char row[sizeof(metric) + 200];
	struct parse_value v = *common;

	metric_part(part, sizeof(part), b->expr, strlen(b->expr));
	remember_expr(m, part);
	struct put p = put_begin(metric, sizeof(metric));
	put_str(&p, "mariadb/benchmark.");
	put_str(&p, strcmp(part, REFERENCE_EXPR) == 0 ? "encode" : part);
	put_str(&p, "/time");
	size_t count = 0;
	if (b->count > 0)
		count = (size_t)snprintf(conditions, sizeof(conditions), "count=%.0f;", b->count);
	condition_text(conditions + count, sizeof(conditions) - count, "expr", b->expr);
	if (m->again)
		snprintf(conditions + strlen(conditions), sizeof(conditions) - strlen(conditions),
			 ";profile=yes");
	v.metric = metric;
	v.unit = "s/op";
	v.conditions = conditions;
	if (b->count > 0) {
		v.has_value = true;
		v.derived = true;
		v.value = t->value / b->count;
		v.step = t->step / b->count;
		if (t->value < t->step)
			snprintf(note, note_size, "below the resolution of %g s", t->step);
	} else {
		snprintf(note, note_size, "%g s for a count that is no number", t->value);
	}
	const char *which = metric;
	if (v.label != NULL && v.label[0] != '\0') {
		p = put_begin(row, sizeof(row));
		put_str(&p, metric);
		put_mem(&p, "|", 1);
		put_str(&p, v.label);
		which = row;
	}
	v.run = runs_row(&m->runs, which);
	ctx_value(ctx, &v);
}

static void emit_query(struct mariadb *m, struct parse_ctx *ctx, const struct num *t,
		       const struct parse_value *common)
{
	char metric[64], conditions[200], text[160];
	struct parse_value v = *common;

	struct put p = put_begin(metric, sizeof(metric));
	put_str(&p, "mariadb/query.");
	put_count(&p, (unsigned long)m->query);
	put_str(&p, "/time");
	sql_squeeze(m->statement, m->statement_len, text, sizeof(text));
	condition_text(conditions, sizeof(conditions),
		       m->again ? "profile=yes;statement" : "statement", text);
	v.metric = metric;
	v.unit = "s";
	v.has_value = true;
	v.value = t->value;
	v.step = t->step;
	if (m->statement_len > 0)
		v.conditions = conditions;
	v.run = runs_row(&m->runs, metric);
	ctx_value(ctx, &v);
}

/* A heading and the same statement as at the beginning of the part above: another system. */
static void count_query(struct mariadb *m)
{
	char text[SQL_EXPR_MAX];

	sql_normalise(m->statement, m->statement_len, text, sizeof(text));
	if (m->query == 0 || (m->fresh && strcmp(text, m->first) == 0)) {
		m->query = 0;
		snprintf(m->first, sizeof(m->first), "%s", text);
	}
	m->fresh = false;
	m->query++;
}

static uint32_t hash_of(const struct mariadb *m)
{
	char text[SQL_EXPR_MAX];
	uint32_t h = 2166136261U;

	sql_normalise(m->statement, m->statement_len, text, sizeof(text));
	for (const char *c = text; *c != '\0'; c++)
		h = (h ^ (unsigned char)*c) * 16777619U;
	return h;
}

bool mariadb_was_timed(const struct mariadb *m, const struct num *t)
{
	uint32_t h = hash_of(m);

	for (unsigned i = 0; i < m->timed_n && i < TIMED_MAX; i++) {
		if (m->timed[i].statement == h && m->timed[i].step > t->step &&
		    fabs(m->timed[i].value - t->value) <= m->timed[i].step)
			return true;
	}
	return false;
}

static void remember_time(struct mariadb *m, const struct num *t)
{
	unsigned i = m->timed_n++ % TIMED_MAX;

	m->timed[i].statement = hash_of(m);
	m->timed[i].value = t->value;
	m->timed[i].step = t->step;
}

void mariadb_emit(struct mariadb *m, struct parse_ctx *ctx, const struct num *t, const char *label,
		  const char *said, long line)
{
	struct parse_value v = {.line = line, .software = m->software};
	struct sql_benchmark b;
	char note[160];
	bool found;

	snprintf(note, sizeof(note), "%s", said);
	v.label = (char *)(uintptr_t)(label != NULL ? label : ctx_label(ctx));
	v.note = note;
	count_query(m);
	if (m->statement_len > 0)
		remember_time(m, t);
	found = sql_benchmark(m->statement, &b) && b.whole;
	/* where several statements stood in one line the table says whose result it is */
	if (m->queued && m->column[0] != '\0')
		found = false;
	if (!found && (m->statement_len == 0 || m->open || m->queued))
		found = m->column[0] != '\0' && sql_benchmark(m->column, &b) && b.whole;
	if (found) {
		emit_benchmark(m, ctx, &b, t, &v, note, sizeof(note));
	} else {
		if (m->statement_len == 0 && note[0] == '\0')
			snprintf(note, sizeof(note), "the statement is not in the text");
		emit_query(m, ctx, t, &v);
	}
}
