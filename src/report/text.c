/* The report as text for a terminal, or for a mail. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/report.h"
#include "report/strip.h"
#include "report/table.h"
#include "report/words.h"

enum {
	NARROW = 76,       /* below: no table of six columns */
	ROOMY = 110,       /* from here on how sure it is has a column of its own */
	SYSTEM_WIDTH = 20, /* of a system's column in the table of configurations, about */
};

struct paper {
	const struct report_model *m;
	struct buf *out;
	size_t width;
	bool ascii, color;
};

static void put_title(struct paper *p, const char *text)
{
	struct buf b = BUF_INIT;

	table_paragraph(&b, "", text, p->width, p->ascii);
	for (char *line = b.data; line != NULL && *line != '\0';) {
		size_t n = strcspn(line, "\n");
		char *one = mem_strndup(line, n);
		paint_text(p->out, p->color ? PAINT_HEAD : PAINT_NONE, one);
		buf_addch(p->out, '\n');
		free(one);
		line += n + (line[n] == '\n');
	}
	buf_release(&b);
}

static void heading(struct paper *p, const char *text)
{
	buf_addch(p->out, '\n');
	put_title(p, text);
}

static void begin_table(struct paper *p, struct table *t, size_t columns, bool header)
{
	table_init(t, columns, p->ascii, header);
	t->color = p->color;
}

static void put_head(struct paper *p)
{
	struct buf b = BUF_INIT;

	words_title(p->m, &b);
	put_title(p, buf_str(&b));
	buf_clear(&b);
	words_circumstances(p->m, &b);
	if (b.len > 0)
		table_paragraph(p->out, "", buf_str(&b), p->width, p->ascii);
	buf_release(&b);
}

/* The configurations of the systems [from, to). */
static void put_configs(struct paper *p, size_t from, size_t to)
{
	const struct report_model *m = p->m;
	struct table t;

	begin_table(p, &t, 1 + to - from, true);
	table_add(&t, "");
	for (size_t i = from; i < to; i++)
		table_add(&t, m->systems.v[i].name);
	table_add(&t, "Target");
	for (size_t i = from; i < to; i++)
		table_add(&t, m->systems.v[i].target);
	for (size_t f = 0; f < m->facts.n; f++) {
		table_add(&t, m->facts.v[f].label);
		for (size_t i = from; i < to; i++) {
			const char *value = m->facts.v[f].values[i];
			table_add(&t, value[0] == '\0' ? "not known" : value);
		}
	}
	table_render(&t, p->width, p->out);
	table_release(&t);
}

/* As many systems beside each other as are still read, the tables about equally wide. */
static void put_config(struct paper *p)
{
	size_t systems = p->m->systems.n;
	size_t room = p->width < 3 * SYSTEM_WIDTH ? 2 : p->width / SYSTEM_WIDTH - 1;
	size_t tables = (systems + room - 1) / room;

	heading(p, "Configuration");
	for (size_t i = 0; i < tables; i++) {
		if (i > 0)
			buf_addch(p->out, '\n');
		put_configs(p, systems * i / tables, systems * (i + 1) / tables);
	}
}

/* The program is named where it is another than that of the setting before. */
static void add_setting(struct paper *p, const struct report_setting *s,
			const struct report_setting *before, struct buf *b)
{
	const struct report_model *m = p->m;

	const char *blank = strchr(s->name, ' ');
	size_t program = blank == NULL ? 0 : (size_t)(blank - s->name) + 1;
	bool same = before != NULL && program > 0 && strncmp(before->name, s->name, program) == 0;

	buf_addf(b, "%s%s", before != NULL ? "; " : "", s->name + (same ? program : 0));
	if (!s->differs) {
		buf_addf(b, " = %s", s->values[0]);
		return;
	}
	buf_addch(b, ':');
	for (size_t k = 0; k < m->systems.n; k++)
		buf_addf(b, "%s %s = %s", k == 0 ? "" : ",", m->systems.v[k].name,
			 s->values[k][0] == '\0' ? "as the release has it" : s->values[k]);
}

/* Settings that have one reason stand together beside it. */
static void put_settings(struct paper *p)
{
	const struct report_model *m = p->m;
	bool *done = mem_array(m->settings.n, sizeof(*done));
	struct table t;

	if (m->settings.n > 0)
		heading(p, "Settings that are not the release's own, equal on every system unless "
			   "named");
	begin_table(p, &t, 2, false);
	for (size_t i = 0; i < m->settings.n; i++) {
		const char *reason = m->settings.v[i].reason;
		const struct report_setting *before = NULL;
		struct buf b = BUF_INIT;

		for (size_t k = i; k < m->settings.n; k++) {
			if (done[k] || !text_equal(m->settings.v[k].reason, reason))
				continue;
			add_setting(p, &m->settings.v[k], before, &b);
			before = &m->settings.v[k];
			done[k] = true;
		}
		if (b.len > 0) {
			table_add(&t, buf_str(&b));
			table_add(&t, reason);
		}
		buf_release(&b);
	}
	table_render(&t, p->width, p->out);
	table_release(&t);
	free(done);
}

/* Figures and their units stay on one line. */
static void add_glued(struct buf *b, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == ' ')
			buf_addstr(b, TABLE_GLUE);
		else
			buf_addch(b, *text);
	}
}

static void add_number(struct table *t, const char *text)
{
	struct buf b = BUF_INIT;

	add_glued(&b, text);
	table_add(t, buf_str(&b));
	buf_release(&b);
}

/* between: what stands between the figure's parts, "\n" or ", " */
static void add_figure(struct table *t, const struct report_figure *f, const char *between)
{
	struct buf b = BUF_INIT;

	if (f->text[0] == '\0') {
		table_add(t, "no value");
		return;
	}
	add_glued(&b, f->text);
	if (f->second[0] != '\0') {
		buf_addstr(&b, between);
		add_glued(&b, f->second);
	}
	buf_addstr(&b, between);
	if (f->spread[0] != '\0') {
		buf_addstr(&b, "sd" TABLE_GLUE);
		add_glued(&b, f->spread);
		buf_addstr(&b, ", ");
	}
	buf_addf(&b, "n" TABLE_GLUE "%zu", f->figure.n);
	table_add(t, buf_str(&b));
	buf_release(&b);
}

static enum paint verdict_paint(const struct report_change *c)
{
	return c->judged == VERDICT_FASTER   ? PAINT_LESS
	       : c->judged == VERDICT_SLOWER ? PAINT_MORE
					     : PAINT_NONE;
}

static void add_verdict(struct table *t, const struct report_change *c)
{
	table_add(t, c->verdict);
	table_paint(t, verdict_paint(c));
}

static void add_verdict_line(struct table *t, const struct report_change *c)
{
	char *line = mem_printf("  how sure: %s", c->verdict);

	table_add_line(t, line, verdict_paint(c));
	free(line);
}

static void add_published(struct table *t, const struct report_row *r)
{
	table_add(t, "  published (Pi 3)");
	add_number(t, r->published_soft);
	add_number(t, r->published_hard);
	add_number(t, r->published_percent);
	table_add(t, r->published_times);
	if (t->cells.n % t->columns != 0) /* a column of how sure */
		table_end_row(t);
}

/* Rows [from, to) of one candidate against the baseline. */
static void put_pair(struct paper *p, size_t candidate, size_t from, size_t to)
{
	const struct report_model *m = p->m;
	bool emulated = words_pair_emulated(m, candidate);
	bool roomy = p->width >= ROOMY;
	bool sure_column = roomy && words_has_verdicts(m, candidate, from, to);
	struct table t;

	begin_table(p, &t, sure_column ? 6 : 5, true);
	table_add(&t, "Task");
	table_add(&t, m->systems.v[m->baseline].name);
	table_add(&t, m->systems.v[candidate].name);
	table_add(&t, words_time_heading(emulated));
	table_add(&t, words_times_heading(emulated));
	if (sure_column)
		table_add(&t, "how sure");
	for (size_t i = from; i < to; i++) {
		const struct report_row *r = &m->rows.v[i];
		const struct report_change *c = &r->changes.v[candidate];

		if (i > from && !roomy) /* many lines a row: a blank one between */
			table_end_row(&t);
		table_add(&t, r->title);
		add_figure(&t, &r->figures.v[m->baseline], "\n");
		add_figure(&t, &r->figures.v[candidate], "\n");
		add_number(&t, c->percent);
		table_add(&t, c->times);
		if (sure_column)
			add_verdict(&t, c);
		else if (c->verdict[0] != '\0')
			add_verdict_line(&t, c);
		if (r->published != NULL)
			add_published(&t, r);
	}
	table_render(&t, p->width, p->out);
	table_release(&t);
}

static void put_line(struct table *t, const char *label, const char *text)
{
	if (text[0] == '\0')
		return;
	table_addf(t, "  %s", label);
	add_number(t, text);
}

static void add_published_line(struct table *t, const struct report_row *r)
{
	const char *const parts[] = {r->published_soft, r->published_hard, r->published_percent,
				     r->published_times};
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		buf_addstr(&b, i == 0 ? "" : ", ");
		add_glued(&b, parts[i]);
	}
	table_add(t, buf_str(&b));
	buf_release(&b);
}

/* The same where a table of six columns has no room. */
static void put_pair_narrow(struct paper *p, size_t candidate, size_t from, size_t to)
{
	const struct report_model *m = p->m;
	bool emulated = words_pair_emulated(m, candidate);

	for (size_t i = from; i < to; i++) {
		const struct report_row *r = &m->rows.v[i];
		const struct report_change *c = &r->changes.v[candidate];
		struct table t;

		table_paragraph(p->out, "", r->title, p->width, p->ascii);
		begin_table(p, &t, 2, false);
		table_addf(&t, "  %s", m->systems.v[m->baseline].name);
		add_figure(&t, &r->figures.v[m->baseline], ", ");
		table_addf(&t, "  %s", m->systems.v[candidate].name);
		add_figure(&t, &r->figures.v[candidate], ", ");
		put_line(&t, words_time_heading(emulated), c->percent);
		put_line(&t, words_times_heading(emulated), c->times);
		if (c->verdict[0] != '\0') {
			table_add(&t, "  how sure");
			add_verdict(&t, c);
		}
		if (r->published != NULL) {
			table_add(&t, "  published (Pi 3)");
			add_published_line(&t, r);
		}
		table_render(&t, p->width, p->out);
		table_release(&t);
	}
}

static void put_pairs(struct paper *p, const char *what, size_t from, size_t to)
{
	const struct report_model *m = p->m;

	for (size_t s = 0; from < to && s < m->systems.n; s++) {
		if (s == m->baseline)
			continue;
		char *text = mem_printf("%s: %s against %s%s", what, m->systems.v[s].name,
					m->systems.v[m->baseline].name,
					words_pair_emulated(m, s) ? ", under emulation" : "");
		heading(p, text);
		free(text);
		if (p->width < NARROW)
			put_pair_narrow(p, s, from, to);
		else
			put_pair(p, s, from, to);
	}
}

/* One system: its figures, each kind in a column of its own. */
static void put_alone(struct paper *p, const char *what, size_t from, size_t to)
{
	const struct report_model *m = p->m;
	struct table t;

	if (from == to)
		return;
	char *text = mem_printf("%s: %s%s", what, m->systems.v[0].name,
				m->systems.v[0].emulated ? ", under emulation" : "");
	heading(p, text);
	free(text);
	bool rates = words_has_rates(m, from, to);
	begin_table(p, &t, rates ? 5 : 4, true);
	table_add(&t, "Task");
	table_add(&t, "mean");
	if (rates)
		table_add(&t, "rate");
	table_add(&t, "sd");
	table_add(&t, "n");
	for (size_t i = from; i < to; i++) {
		const struct report_figure *f = &m->rows.v[i].figures.v[0];

		table_add(&t, m->rows.v[i].title);
		add_number(&t, f->text[0] == '\0' ? "no value" : f->text);
		if (rates)
			add_number(&t, f->second);
		add_number(&t, f->spread);
		table_addf(&t, "%zu", f->figure.n);
	}
	table_render(&t, p->width, p->out);
	table_release(&t);
}

static void put_results(struct paper *p)
{
	const struct report_model *m = p->m;

	if (m->rows.n == 0) {
		heading(p, "Results: none, nothing was measured");
		return;
	}
	void (*put)(struct paper *, const char *, size_t, size_t) =
		m->systems.n == 1 ? put_alone : put_pairs;
	put(p, "Results", 0, m->primary_rows);
	put(p, "Also measured", m->primary_rows, m->rows.n);
	buf_addch(p->out, '\n');
	struct buf legend = BUF_INIT;
	words_legend(m, &legend);
	table_paragraph(p->out, "", buf_str(&legend), p->width, p->ascii);
	buf_release(&legend);
	for (size_t i = 0; i < m->overall.n; i++)
		table_paragraph(p->out, "", m->overall.v[i], p->width, p->ascii);
}

static void put_strips(struct paper *p)
{
	const struct report_model *m = p->m;
	const struct strip_paper strip = {p->width, p->ascii, p->color};
	bool any = false;

	for (size_t i = 0; i < m->rows.n; i++) {
		if (!strip_has(m, &m->rows.v[i]))
			continue;
		if (!any) {
			heading(p, "Samples");
			table_paragraph(p->out, "", strip_legend(p->ascii), p->width, p->ascii);
		}
		any = true;
		strip_add(m, &m->rows.v[i], &strip, p->out);
	}
}

static void put_explanations(struct paper *p)
{
	if (p->m->explanations.n == 0)
		return;
	heading(p, "How sure");
	for (size_t i = 0; i < p->m->explanations.n; i++)
		table_paragraph(p->out, "- ", p->m->explanations.v[i], p->width, p->ascii);
}

static void put_notes(struct paper *p)
{
	if (p->m->notes.n == 0)
		return;
	heading(p, "Notes");
	for (size_t i = 0; i < p->m->notes.n; i++)
		table_paragraph(p->out, "- ", p->m->notes.v[i], p->width, p->ascii);
}

static void put_problems(struct paper *p)
{
	const struct report_model *m = p->m;
	struct buf b = BUF_INIT;

	buf_addf(&b, "%zu execution%s, %zu counted", m->executions, m->executions == 1 ? "" : "s",
		 m->counted);
	size_t lost = 0;
	for (size_t i = 0; i < m->problems.n; i++)
		lost += m->problems.v[i].count;
	if (lost > 0)
		buf_addf(&b, ", %zu not", lost);
	if (m->executions - m->counted - lost > 0)
		buf_addf(&b, ", %zu to warm up", m->executions - m->counted - lost);
	heading(p, buf_str(&b));
	for (size_t i = 0; i < m->problems.n; i++) {
		buf_clear(&b);
		words_problem(m, &m->problems.v[i], &b);
		table_paragraph(p->out, "- ", buf_str(&b), p->width, p->ascii);
	}
	buf_release(&b);
}

static void put_origins(struct paper *p)
{
	const struct report_model *m = p->m;
	struct table t;

	if (m->rows.n == 0)
		return;
	heading(p, "Measured as");
	begin_table(p, &t, 2, false);
	for (size_t i = 0; i < m->rows.n; i++) {
		const struct report_row *r = &m->rows.v[i];

		table_add(&t, r->metric_name);
		struct buf b = BUF_INIT;
		for (const char *c = r->conditions; *c != '\0'; c++) {
			buf_addch(&b, *c);
			if (*c == ';')
				buf_addch(&b, ' '); /* where a long line can be wrapped */
		}
		table_add(&t, buf_str(&b));
		buf_release(&b);
	}
	table_render(&t, p->width, p->out);
	table_release(&t);
}

static void render(const struct report_input *in, const struct report_options *o, struct buf *out)
{
	struct paper p = {.m = in->model,
			  .out = out,
			  .width = o->columns < 40 ? 40 : (size_t)o->columns,
			  .ascii = !o->utf8,
			  .color = o->color};

	put_head(&p);
	put_config(&p);
	put_results(&p);
	if (o->strips)
		put_strips(&p);
	if (o->explain)
		put_explanations(&p);
	put_notes(&p);
	put_problems(&p);
	put_origins(&p);
	put_settings(&p);
}

const struct report_format report_text = {
	.name = "text",
	.suffixes = ".txt.text.",
	.summary = "for a terminal",
	.render = render,
};
