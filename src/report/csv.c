/*
 * Every value as CSV (RFC 4180: CRLF, quotes doubled), one row each, for spreadsheets and
 * statistics programs. A spreadsheet takes a cell for a formula by its first character; text that
 * begins with one gets an apostrophe before it, which spreadsheets do not show.
 */
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "report/report.h"

struct line {
	struct buf *out;
	size_t cells;
};

static void begin_cell(struct line *l)
{
	if (l->cells++ > 0)
		buf_addch(l->out, ',');
}

static void end_line(struct line *l)
{
	buf_addstr(l->out, "\r\n");
	l->cells = 0;
}

/* The full-width forms are taken for the plain ones in some places. */
static bool begins_formula(const char *s)
{
	static const char *const wide[] = {"\uff1d", "\uff0b", "\uff0d", "\uff20"};

	s += strspn(s, " '\"");
	if (s[0] != '\0' && strchr("=+-@|%", s[0]) != NULL)
		return true;
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
		if (text_starts(s, wide[i]))
			return true;
	}
	return false;
}

static void add_text(struct line *l, const char *text)
{
	struct buf safe = BUF_INIT;

	begin_cell(l);
	if (begins_formula(text))
		buf_addch(&safe, '\'');
	text_escape(&safe, text, strlen(text));
	const char *s = buf_str(&safe);
	bool quoted = strpbrk(s, ",\"") != NULL || s[0] == ' ' || text_ends(s, " ");
	if (quoted)
		buf_addch(l->out, '"');
	for (; *s != '\0'; s++) {
		if (*s == '"')
			buf_addch(l->out, '"');
		buf_addch(l->out, *s);
	}
	if (quoted)
		buf_addch(l->out, '"');
	buf_release(&safe);
}

static void add_int(struct line *l, int64_t v)
{
	begin_cell(l);
	buf_addf(l->out, "%lld", (long long)v);
}

static void add_number(struct line *l, double v)
{
	begin_cell(l);
	text_add_shortest(l->out, v);
}

static void add_time(struct line *l, int64_t unix_ns)
{
	char when[32];

	clock_format_utc(unix_ns, when, sizeof(when));
	add_text(l, when);
}

static void add_value(struct line *l, const struct experiment *e, const struct exp_execution *x,
		      const struct exp_value *v, bool counted)
{
	const struct exp_system *s = &e->systems.v[x->system];
	const struct exp_metric *m = &e->metrics.v[v->metric];

	add_int(l, e->id);
	add_text(l, s->name);
	add_text(l, e->tasks.v[x->task].name);
	add_text(l, m->name);
	add_text(l, m->conditions);
	add_number(l, v->value);
	add_text(l, m->unit);
	add_number(l, v->step);
	add_int(l, v->derived);
	add_int(l, v->n);
	add_number(l, v->sd);
	add_text(l, metric_direction_name(m->direction));
	add_int(l, m->primary);
	add_int(l, x->round);
	add_int(l, x->warmup);
	add_int(l, x->life);
	add_int(l, x->position);
	add_int(l, x->attempt);
	add_int(l, counted);
	add_int(l, x->disturbed);
	add_int(l, s->emulated);
	add_time(l, x->unix_ns);
	add_int(l, x->start_ns);
	add_int(l, x->end_ns);
	end_line(l);
}

static void render(const struct report_input *in, const struct report_options *o, struct buf *out)
{
	static const char *const columns[] = {
		"experiment", "system",    "task",     "metric",  "conditions", "value",
		"unit",       "step",      "derived",  "n",       "sd",         "better",
		"primary",    "round",     "warmup",   "life",    "position",   "attempt",
		"counted",    "disturbed", "emulated", "started", "start_ns",   "end_ns",
	};
	const struct experiment *e = in->experiment;
	struct line l = {.out = out};
	struct counted_index index;

	(void)o;
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		add_text(&l, columns[i]);
	end_line(&l);
	counted_index_make(&index, e);
	for (size_t i = 0; i < e->executions.n; i++) {
		const struct exp_execution *x = &e->executions.v[i];
		bool counted =
			!x->warmup && counted_index_get(&index, x->round, x->task, x->system) == x;

		for (size_t k = 0; k < x->values.n; k++)
			add_value(&l, e, x, &x->values.v[k], counted);
	}
	counted_index_release(&index);
}

const struct report_format report_csv = {
	.name = "csv",
	.suffixes = ".csv.",
	.summary = "one row for each value, for spreadsheets",
	.render = render,
};
