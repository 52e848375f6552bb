/*
 * The report as Markdown (with GitHub's tables), for posts and pull requests: the table and the
 * sentences of the text. Nothing of what was measured or named acts in it: no markup, no HTML, no
 * mention of an account, no link.
 */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "report/report.h"
#include "report/words.h"

enum { LONGEST = 400 }; /* bytes of a cell or sentence; a name of pages helps nobody */

struct page {
	const struct report_model *m;
	struct buf *out;
};

static void add_char(struct buf *b, const char *s, size_t i)
{
	static const char marks[] = "\\`*_{}[]()|!~$^";
	char c = s[i];

	if (c == '<')
		buf_addstr(b, "&lt;");
	else if (c == '>')
		buf_addstr(b, "&gt;");
	else if (c == '&')
		buf_addstr(b, "&amp;");
	else if (c == '@' || (c == '#' && isdigit((unsigned char)s[i + 1])))
		buf_addf(b, "%c<!-- -->", c); /* else a mention of an account, or of an issue */
	else if (c == ':' && s[i + 1] == '/' && s[i + 2] == '/')
		buf_addstr(b, "&#58;"); /* else a link */
	else if (c == '.' && i >= 3 && strncasecmp(s + i - 3, "www", 3) == 0)
		buf_addstr(b, "&#46;");
	else if (c == '\n')
		buf_addstr(b, "<br>");
	else if (c == '#' || strchr(marks, c) != NULL)
		buf_addf(b, "\\%c", c);
	else
		buf_addch(b, c);
}

static void add(struct page *p, const char *s)
{
	size_t n = text_cut(s, LONGEST);

	for (size_t i = 0; i < n; i++)
		add_char(p->out, s, i);
	if (s[n] != '\0')
		buf_addstr(p->out, "...");
}

/* As code, when nothing in it could end that. */
static void add_code(struct page *p, const char *s)
{
	size_t n = text_cut(s, LONGEST);

	if (s[n] != '\0' || s[0] == '\0' || strpbrk(s, "`<>[\n") != NULL)
		add(p, s);
	else
		buf_addf(p->out, "`%s`", s);
}

static void add_cell(struct page *p, const char *s)
{
	buf_addstr(p->out, " ");
	add(p, s);
	buf_addstr(p->out, " |");
}

/* columns: a letter each, l or r for where the text stands. */
static void end_header(struct page *p, const char *columns)
{
	buf_addstr(p->out, "\n|");
	for (; *columns != '\0'; columns++)
		buf_addstr(p->out, *columns == 'r' ? "---:|" : "---|");
	buf_addch(p->out, '\n');
}

static void add_heading(struct page *p, const char *what)
{
	buf_addf(p->out, "\n### %s\n\n", what);
}

/* The text of a line of its own, where some characters begin a list or underline a heading. */
static void add_line(struct page *p, const char *s)
{
	if (s[0] != '\0' && strchr("-+=", s[0]) != NULL)
		buf_addch(p->out, '\\');
	add(p, s);
	buf_addch(p->out, '\n');
}

static void add_item(struct page *p, const char *s)
{
	buf_addstr(p->out, "- ");
	add_line(p, s);
}

static void put_head(struct page *p)
{
	struct buf b = BUF_INIT;

	buf_addstr(p->out, "## ");
	words_title(p->m, &b);
	add(p, buf_str(&b));
	buf_addstr(p->out, "\n\n");
	buf_clear(&b);
	words_circumstances(p->m, &b);
	add(p, buf_str(&b));
	buf_addstr(p->out, b.len > 0 ? "\n" : "");
	buf_release(&b);
}

static void put_config(struct page *p)
{
	const struct report_model *m = p->m;

	add_heading(p, "Configuration");
	buf_addstr(p->out, "| |");
	for (size_t i = 0; i < m->systems.n; i++)
		add_cell(p, m->systems.v[i].name);
	buf_addstr(p->out, "\n|---|");
	for (size_t i = 0; i < m->systems.n; i++)
		buf_addstr(p->out, "---|");
	buf_addstr(p->out, "\n| Target |");
	for (size_t i = 0; i < m->systems.n; i++)
		add_cell(p, m->systems.v[i].target);
	for (size_t f = 0; f < m->facts.n; f++) {
		buf_addstr(p->out, "\n|");
		add_cell(p, m->facts.v[f].label);
		for (size_t i = 0; i < m->systems.n; i++) {
			const char *value = m->facts.v[f].values[i];
			add_cell(p, value[0] == '\0' ? "not known" : value);
		}
	}
	buf_addch(p->out, '\n');
}

static void add_figure(struct page *p, const struct report_figure *f)
{
	buf_addch(p->out, ' ');
	if (f->text[0] == '\0')
		buf_addstr(p->out, "no value");
	else
		add(p, f->text);
	if (f->second[0] != '\0') {
		buf_addstr(p->out, "<br>");
		add(p, f->second);
	}
	if (f->spread[0] != '\0') {
		buf_addstr(p->out, "<br>sd ");
		add(p, f->spread);
	}
	buf_addf(p->out, "<br>n %zu |", f->figure.n);
}

static void put_row(struct page *p, const struct report_row *r, size_t candidate)
{
	const struct report_change *c = &r->changes.v[candidate];

	buf_addch(p->out, '|');
	add_cell(p, r->title);
	add_figure(p, &r->figures.v[p->m->baseline]);
	add_figure(p, &r->figures.v[candidate]);
	add_cell(p, c->percent);
	add_cell(p, c->times);
	add_cell(p, c->verdict);
	buf_addch(p->out, '\n');
	if (r->published == NULL)
		return;
	buf_addstr(p->out, "| published, Raspberry Pi 3 |");
	add_cell(p, r->published_soft);
	add_cell(p, r->published_hard);
	add_cell(p, r->published_percent);
	add_cell(p, r->published_times);
	buf_addstr(p->out, " |\n");
}

static void put_pairs(struct page *p, const char *what, size_t from, size_t to)
{
	const struct report_model *m = p->m;

	for (size_t s = 0; from < to && s < m->systems.n; s++) {
		bool emulated = words_pair_emulated(m, s);
		if (s == m->baseline)
			continue;
		buf_addf(p->out, "\n### %s: ", what);
		add(p, m->systems.v[s].name);
		buf_addstr(p->out, " against ");
		add(p, m->systems.v[m->baseline].name);
		buf_addf(p->out, "%s\n\n|", emulated ? ", under emulation" : "");
		add_cell(p, "Task");
		add_cell(p, m->systems.v[m->baseline].name);
		add_cell(p, m->systems.v[s].name);
		add_cell(p, words_time_heading(emulated));
		add_cell(p, words_times_heading(emulated));
		add_cell(p, "how sure");
		end_header(p, "lrrrrl");
		for (size_t i = from; i < to; i++)
			put_row(p, &m->rows.v[i], s);
	}
}

static void put_alone(struct page *p, const char *what, size_t from, size_t to)
{
	const struct report_model *m = p->m;

	if (from == to)
		return;
	buf_addf(p->out, "\n### %s: ", what);
	add(p, m->systems.v[0].name);
	buf_addf(p->out, "%s\n\n|", m->systems.v[0].emulated ? ", under emulation" : "");
	add_cell(p, "Task");
	add_cell(p, "mean");
	bool rates = words_has_rates(m, from, to);
	if (rates)
		add_cell(p, "rate");
	add_cell(p, "sd");
	add_cell(p, "n");
	end_header(p, rates ? "lrrrr" : "lrrr");
	for (size_t i = from; i < to; i++) {
		const struct report_figure *f = &m->rows.v[i].figures.v[0];

		buf_addch(p->out, '|');
		add_cell(p, m->rows.v[i].title);
		add_cell(p, f->text[0] == '\0' ? "no value" : f->text);
		if (rates)
			add_cell(p, f->second);
		add_cell(p, f->spread);
		buf_addf(p->out, " %zu |\n", f->figure.n);
	}
}

static void put_results(struct page *p)
{
	const struct report_model *m = p->m;
	struct buf legend = BUF_INIT;

	if (m->rows.n == 0) {
		buf_addstr(p->out, "\nResults: none, nothing was measured.\n");
		return;
	}
	void (*put)(struct page *, const char *, size_t, size_t) =
		m->systems.n == 1 ? put_alone : put_pairs;
	put(p, "Results", 0, m->primary_rows);
	put(p, "Also measured", m->primary_rows, m->rows.n);
	words_legend(m, &legend);
	buf_addf(p->out, "\n%s\n", buf_str(&legend));
	for (size_t i = 0; i < m->overall.n; i++) {
		buf_addch(p->out, '\n');
		add_line(p, m->overall.v[i]);
	}
	buf_release(&legend);
}

static void put_list(struct page *p, const char *what, char *const *v, size_t n)
{
	if (n == 0)
		return;
	add_heading(p, what);
	for (size_t i = 0; i < n; i++)
		add_item(p, v[i]);
}

static void put_problems(struct page *p)
{
	const struct report_model *m = p->m;

	buf_addf(p->out, "\n%zu executions, %zu counted.\n", m->executions, m->counted);
	if (m->problems.n > 0)
		add_heading(p, "Not counted");
	for (size_t i = 0; i < m->problems.n; i++) {
		struct buf line = BUF_INIT;

		words_problem(m, &m->problems.v[i], &line);
		add_item(p, buf_str(&line));
		buf_release(&line);
	}
}

static void put_settings(struct page *p)
{
	const struct report_model *m = p->m;

	if (m->settings.n == 0)
		return;
	add_heading(p, "Settings that are not the release's own");
	buf_addstr(p->out, "| |");
	for (size_t i = 0; i < m->systems.n; i++)
		add_cell(p, m->systems.v[i].name);
	buf_addstr(p->out, " why |\n|---|---|");
	for (size_t i = 0; i < m->systems.n; i++)
		buf_addstr(p->out, "---|");
	buf_addch(p->out, '\n');
	for (size_t k = 0; k < m->settings.n; k++) {
		const struct report_setting *s = &m->settings.v[k];

		buf_addch(p->out, '|');
		add_cell(p, s->name);
		for (size_t i = 0; i < m->systems.n; i++)
			add_cell(p,
				 s->values[i][0] == '\0' ? "as the release has it" : s->values[i]);
		add_cell(p, s->reason);
		buf_addch(p->out, '\n');
	}
}

static void put_origins(struct page *p)
{
	const struct report_model *m = p->m;

	if (m->rows.n > 0)
		add_heading(p, "Measured as");
	for (size_t i = 0; i < m->rows.n; i++) {
		buf_addstr(p->out, "- ");
		add_code(p, m->rows.v[i].metric_name);
		if (m->rows.v[i].conditions[0] != '\0') {
			buf_addstr(p->out, ": ");
			add_code(p, m->rows.v[i].conditions);
		}
		buf_addch(p->out, '\n');
	}
	if (m->command[0] != '\0') {
		buf_addstr(p->out, "\nMade with ");
		add_code(p, m->command);
		buf_addch(p->out, '\n');
	}
}

static void render(const struct report_input *in, const struct report_options *o, struct buf *out)
{
	const struct report_model *m = in->model;
	struct page p = {m, out};

	put_head(&p);
	put_config(&p);
	put_results(&p);
	if (o->explain)
		put_list(&p, "How sure", m->explanations.v, m->explanations.n);
	put_list(&p, "Notes", m->notes.v, m->notes.n);
	put_problems(&p);
	put_origins(&p);
	put_settings(&p);
}

const struct report_format report_markdown = {
	.name = "markdown",
	.suffixes = ".md.markdown.",
	.summary = "for posts and pull requests",
	.render = render,
};
