/*
 * The report as a page: one file without script, that needs no network. It says the same as the
 * other formats, with drawings; nothing that was measured or named acts in it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/chart.h"
#include "report/html_repeat.h"
#include "report/html_style.h"
#include "report/markup.h"
#include "report/report.h"
#include "report/words.h"

enum {
	LONGEST = 400, /* bytes of a cell or sentence */
	ANSWERS = 12,  /* sentences at the top of the page */
};

struct page {
	const struct report_model *m;
	struct buf *out;
};

static void add(struct page *p, const char *text)
{
	markup_add(p->out, text, LONGEST);
}

static void add_element(struct page *p, const char *tag, const char *attributes, const char *text)
{
	buf_addf(p->out, "<%s%s>", tag, attributes);
	add(p, text);
	buf_addf(p->out, "</%s>\n", tag);
}

/* Wide things scroll by themselves, also by keyboard; then they need a name. */
static void begin_wide(struct page *p, const char *name)
{
	buf_addstr(p->out, "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"");
	add(p, name);
	buf_addstr(p->out, "\">\n");
}

static void add_system(struct page *p, size_t s)
{
	if (p->m->systems.n > 1)
		chart_mark(s, p->out);
	add(p, p->m->systems.v[s].name);
}

static void add_system_heading(struct page *p, size_t s)
{
	buf_addstr(p->out, "<th scope=\"col\">");
	add_system(p, s);
	buf_addstr(p->out, "</th>");
}

static void put_head(struct page *p)
{
	struct buf title = BUF_INIT, when = BUF_INIT;

	words_title(p->m, &title);
	words_circumstances(p->m, &when);
	buf_addstr(p->out,
		   "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		   "<meta name=\"viewport\" content=\"width=device-width, "
		   "initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n");
	add_element(p, "title", "", buf_str(&title));
	buf_addf(p->out, "<style>\n%s</style>\n</head>\n<body>\n<main>\n", html_style);
	add_element(p, "h1", "", buf_str(&title));
	if (when.len > 0)
		add_element(p, "p", " class=\"when\"", buf_str(&when));
	buf_release(&title);
	buf_release(&when);
}

/* A sentence in large letters: a number and its % stay on one line. */
static void add_answer(struct page *p, const char *text)
{
	struct buf b = BUF_INIT;

	for (; *text != '\0'; text++) {
		if (text[0] == ' ' && text[1] == '%')
			buf_addstr(&b, "\xc2\xa0");
		else
			buf_addch(&b, *text);
	}
	add_element(p, "p", " class=\"answer\"", buf_str(&b));
	buf_release(&b);
}

/* Each task's answer, as far as there is room for them at the top. */
static void put_answers(struct page *p)
{
	const struct report_model *m = p->m;
	size_t n = 0;

	for (size_t i = 0; i < m->primary_rows; i++) {
		for (size_t s = 0; s < m->systems.n; s++) {
			const struct report_change *c = &m->rows.v[i].changes.v[s];
			if (s == m->baseline || c->verdict[0] == '\0' || ++n > ANSWERS)
				continue;
			char *text = mem_printf("%s: %s against %s: %s.", m->rows.v[i].title,
						m->systems.v[s].name,
						m->systems.v[m->baseline].name, c->verdict);
			add_answer(p, text);
			free(text);
		}
	}
	if (n > ANSWERS) {
		char *text = mem_printf("And %zu more below.", n - ANSWERS);
		add_answer(p, text);
		free(text);
	}
}

/* The answer in a sentence: over all workloads, or that of each task. */
static void put_answer(struct page *p)
{
	const struct report_model *m = p->m;

	for (size_t i = 0; i < m->overall.n; i++)
		add_answer(p, m->overall.v[i]);
	if (m->overall.n == 0)
		put_answers(p);
	if (m->emulated)
		add_element(p, "p", " class=\"warn\"", words_emulation());
}

/* label: the column's heading once more; on a phone each cell has a line of its own. */
static void begin_cell(struct page *p, const char *class, const char *label)
{
	buf_addf(p->out, "<td class=\"%s\" data-label=\"", class);
	add(p, label);
	buf_addstr(p->out, "\">");
}

static void add_cell(struct page *p, const char *class, const char *label, const char *text)
{
	begin_cell(p, class, label);
	add(p, text);
	buf_addstr(p->out, "</td>\n");
}

static void add_figure(struct page *p, const char *label, const struct report_figure *f)
{
	begin_cell(p, "n", label);
	add(p, f->text[0] == '\0' ? "no value" : f->text);
	if (f->second[0] != '\0')
		add_element(p, "small", "", f->second);
	buf_addstr(p->out, "<small>");
	if (f->spread[0] != '\0') {
		buf_addstr(p->out, "sd ");
		add(p, f->spread);
		buf_addstr(p->out, ", ");
	}
	buf_addf(p->out, "n %zu</small></td>\n", f->figure.n);
}

static void put_row(struct page *p, const struct report_row *r, size_t candidate, bool verdicts)
{
	const struct report_change *c = &r->changes.v[candidate];
	const char *base = p->m->systems.v[p->m->baseline].name;
	const char *other = p->m->systems.v[candidate].name;
	const char *time = words_time_heading(c->emulated);
	const char *times = words_times_heading(c->emulated);

	buf_addstr(p->out, "<tr>");
	add_element(p, "th", " scope=\"row\"", r->title);
	add_figure(p, base, &r->figures.v[p->m->baseline]);
	add_figure(p, other, &r->figures.v[candidate]);
	add_cell(p, "n", time, c->percent);
	add_cell(p, "n", times, c->times);
	if (verdicts)
		add_cell(p, "v", "how sure", c->verdict);
	buf_addstr(p->out, "</tr>\n");
	if (r->published == NULL)
		return;
	buf_addstr(p->out, "<tr class=\"published\">");
	add_element(p, "th", " scope=\"row\"", "published, Raspberry Pi 3");
	add_cell(p, "n", base, r->published_soft);
	add_cell(p, "n", other, r->published_hard);
	add_cell(p, "n", "time", r->published_percent);
	add_cell(p, "n", "as fast", r->published_times);
	buf_addstr(p->out, verdicts ? "<td></td></tr>\n" : "</tr>\n");
}

static void put_pair(struct page *p, const char *what, size_t s, size_t from, size_t to)
{
	const struct report_model *m = p->m;
	bool emulated = words_pair_emulated(m, s);
	bool verdicts = words_has_verdicts(m, s, from, to);
	char *title =
		mem_printf("%s: %s against %s%s", what, m->systems.v[s].name,
			   m->systems.v[m->baseline].name, emulated ? ", under emulation" : "");

	begin_wide(p, title);
	buf_addstr(p->out, "<table class=\"results\">\n");
	add_element(p, "caption", "", title);
	buf_addstr(p->out, "<thead><tr><th scope=\"col\">Task</th>");
	add_system_heading(p, m->baseline);
	add_system_heading(p, s);
	add_element(p, "th", " scope=\"col\"", words_time_heading(emulated));
	add_element(p, "th", " scope=\"col\"", words_times_heading(emulated));
	if (verdicts)
		add_element(p, "th", " scope=\"col\"", "how sure");
	buf_addstr(p->out, "</tr></thead>\n<tbody>\n");
	for (size_t i = from; i < to; i++)
		put_row(p, &m->rows.v[i], s, verdicts);
	buf_addstr(p->out, "</tbody></table></div>\n");
	free(title);
}

static void put_alone(struct page *p, const char *what, size_t from, size_t to)
{
	const struct report_model *m = p->m;
	char *title = mem_printf("%s: %s%s", what, m->systems.v[0].name,
				 m->systems.v[0].emulated ? ", under emulation" : "");

	begin_wide(p, title);
	buf_addstr(p->out, "<table class=\"results\">\n");
	add_element(p, "caption", "", title);
	buf_addstr(p->out, "<thead><tr><th scope=\"col\">Task</th><th scope=\"col\">mean</th>"
			   "</tr></thead>\n<tbody>\n");
	for (size_t i = from; i < to; i++) {
		buf_addstr(p->out, "<tr>");
		add_element(p, "th", " scope=\"row\"", m->rows.v[i].title);
		add_figure(p, "mean", &m->rows.v[i].figures.v[0]);
		buf_addstr(p->out, "</tr>\n");
	}
	buf_addstr(p->out, "</tbody></table></div>\n");
	free(title);
}

static void put_tables(struct page *p, const char *what, size_t from, size_t to)
{
	if (from == to)
		return;
	if (p->m->systems.n == 1)
		put_alone(p, what, from, to);
	for (size_t s = 0; p->m->systems.n > 1 && s < p->m->systems.n; s++) {
		if (s != p->m->baseline)
			put_pair(p, what, s, from, to);
	}
}

static void put_forest(struct page *p)
{
	struct buf text = BUF_INIT;

	if (!chart_has_forest(p->m))
		return;
	buf_addf(&text,
		 "Each mark is the robust estimate of as fast, its line the interval of 95 %%. "
		 "Right "
		 "of 1x the candidate takes less time than %s.",
		 p->m->systems.v[p->m->baseline].name);
	if (p->m->margin > 0)
		buf_addf(&text,
			 " The band is the margin of %g %%, within which two are called the same.",
			 100 * p->m->margin);
	buf_addstr(p->out, "<figure>\n");
	begin_wide(p, "The changes at a glance");
	chart_forest(p->m, p->out);
	buf_addstr(p->out, "\n</div>\n");
	add_element(p, "figcaption", "", buf_str(&text));
	buf_addstr(p->out, "</figure>\n");
	buf_release(&text);
}

static void put_results(struct page *p)
{
	const struct report_model *m = p->m;
	struct buf legend = BUF_INIT;

	add_element(p, "h2", "", "Results");
	if (m->rows.n == 0) {
		add_element(p, "p", "", "None: nothing was measured.");
		return;
	}
	put_tables(p, "Results", 0, m->primary_rows);
	words_legend(m, &legend);
	buf_addstr(p->out, "<p class=\"small\">");
	markup_add(p->out, buf_str(&legend), 4 * LONGEST);
	buf_addstr(p->out, "</p>\n");
	put_forest(p);
	put_tables(p, "Also measured", m->primary_rows, m->rows.n);
	buf_release(&legend);
}

/* What the charts below show. */
static void put_samples_key(struct page *p)
{
	const struct report_model *m = p->m;
	size_t left_out = 0;

	for (size_t i = 0; i < m->rows.n; i++)
		left_out += m->rows.v[i].left_out.n;
	add_element(p, "h2", "", "Every sample");
	buf_addstr(p->out, "<p class=\"key\">");
	for (size_t s = 0; s < m->systems.n; s++) {
		buf_addstr(p->out, "<span>");
		add_system(p, s);
		buf_addstr(p->out, "</span>\n");
	}
	buf_addstr(p->out, "</p>\n");
	add_element(p, "p", " class=\"small\"",
		    "Left over the rounds, right together; a bar is the mean of what counts. The "
		    "scale does not begin at 0.");
	if (left_out > 0)
		add_element(p, "p", " class=\"small\"",
			    "Hollow and struck out is what does not count: it was disturbed or "
			    "failed, or it was set aside because another system's was. What lies "
			    "beyond the scale stands at its edge, what gave no value on the axis.");
}

static void put_samples(struct page *p)
{
	const struct report_model *m = p->m;
	bool any = false;

	for (size_t i = 0; i < m->rows.n; i++) {
		const struct report_row *r = &m->rows.v[i];
		if (!chart_has_samples(r, m->systems.n))
			continue;
		if (!any)
			put_samples_key(p);
		any = true;
		buf_addstr(p->out, "<figure>\n");
		add_element(p, "h3", "", r->title);
		begin_wide(p, r->title);
		chart_samples(m, r, p->out);
		buf_addstr(p->out, "\n</div></figure>\n");
	}
}

static void put_config(struct page *p)
{
	const struct report_model *m = p->m;

	add_element(p, "h2", "", "Configuration");
	begin_wide(p, "Configuration");
	buf_addstr(p->out, "<table>\n<caption>What differs is marked and says so.</caption>\n"
			   "<thead><tr><td></td>");
	for (size_t s = 0; s < m->systems.n; s++)
		add_system_heading(p, s);
	buf_addstr(p->out, "</tr></thead>\n<tbody>\n<tr><th scope=\"row\">Target</th>");
	for (size_t s = 0; s < m->systems.n; s++)
		add_element(p, "td", "", m->systems.v[s].target);
	buf_addstr(p->out, "</tr>\n");
	for (size_t f = 0; f < m->facts.n; f++) {
		const struct report_fact *fact = &m->facts.v[f];
		buf_addf(p->out, "<tr%s><th scope=\"row\">",
			 fact->differs ? " class=\"differs\"" : "");
		add(p, fact->label);
		buf_addf(p->out, "%s</th>", fact->differs ? " <small>(differs)</small>" : "");
		for (size_t s = 0; s < m->systems.n; s++)
			add_element(p, "td", "",
				    fact->values[s][0] == '\0' ? "not known" : fact->values[s]);
		buf_addstr(p->out, "</tr>\n");
	}
	buf_addstr(p->out, "</tbody></table></div>\n");
}

static void put_list(struct page *p, const char *what, char *const *v, size_t n)
{
	if (n == 0)
		return;
	add_element(p, "h2", "", what);
	buf_addstr(p->out, "<ul>\n");
	for (size_t i = 0; i < n; i++) {
		buf_addstr(p->out, "<li>");
		markup_add(p->out, v[i], 4 * LONGEST);
		buf_addstr(p->out, "</li>\n");
	}
	buf_addstr(p->out, "</ul>\n");
}

static void put_problems(struct page *p)
{
	const struct report_model *m = p->m;

	add_element(p, "h2", "", "What counts");
	buf_addf(p->out, "<p>%zu execution%s, %zu counted.</p>\n", m->executions,
		 m->executions == 1 ? "" : "s", m->counted);
	if (m->problems.n == 0)
		return;
	buf_addstr(p->out, "<ul>\n");
	for (size_t i = 0; i < m->problems.n; i++) {
		struct buf line = BUF_INIT;

		words_problem(m, &m->problems.v[i], &line);
		add_element(p, "li", "", buf_str(&line));
		buf_release(&line);
	}
	buf_addstr(p->out, "</ul>\n");
}

static void put_settings(struct page *p)
{
	const struct report_model *m = p->m;

	if (m->settings.n == 0)
		return;
	buf_addstr(p->out,
		   "<details>\n<summary>Settings that are not the release's own</summary>\n");
	begin_wide(p, "Settings that are not the release's own");
	buf_addstr(p->out, "<table>\n<thead><tr><th scope=\"col\">Setting</th>");
	for (size_t s = 0; s < m->systems.n; s++)
		add_system_heading(p, s);
	buf_addstr(p->out, "<th scope=\"col\">why</th></tr></thead>\n<tbody>\n");
	for (size_t k = 0; k < m->settings.n; k++) {
		const struct report_setting *x = &m->settings.v[k];
		buf_addf(p->out, "<tr%s>", x->differs ? " class=\"differs\"" : "");
		add_element(p, "th", " scope=\"row\"", x->name);
		for (size_t s = 0; s < m->systems.n; s++)
			add_element(p, "td", "",
				    x->values[s][0] == '\0' ? "as the release has it"
							    : x->values[s]);
		add_element(p, "td", "", x->reason);
		buf_addstr(p->out, "</tr>\n");
	}
	buf_addstr(p->out, "</tbody></table></div>\n</details>\n");
}

static void put_origins(struct page *p)
{
	const struct report_model *m = p->m;

	if (m->rows.n == 0)
		return;
	buf_addstr(p->out, "<details>\n<summary>Measured as</summary>\n<ul>\n");
	for (size_t i = 0; i < m->rows.n; i++) {
		buf_addstr(p->out, "<li><code>");
		add(p, m->rows.v[i].metric_name);
		buf_addstr(p->out, "</code>");
		if (m->rows.v[i].conditions[0] != '\0') {
			buf_addstr(p->out, " <code>");
			add(p, m->rows.v[i].conditions);
			buf_addstr(p->out, "</code>");
		}
		buf_addstr(p->out, "</li>\n");
	}
	buf_addstr(p->out, "</ul>\n</details>\n");
}

static void put_method(struct page *p)
{
	const struct report_model *m = p->m;
	struct buf text = BUF_INIT;

	add_element(p, "h2", "", "Method");
	words_method(m, &text);
	buf_addstr(p->out, "<p>");
	markup_add(p->out, buf_str(&text), 8 * LONGEST);
	buf_addstr(p->out, "</p>\n");
	put_origins(p);
	put_settings(p);
	buf_release(&text);
}

static void render(const struct report_input *in, const struct report_options *o, struct buf *out)
{
	const struct report_model *m = in->model;
	struct page p = {m, out};

	(void)o; /* a page has room for all of it */
	put_head(&p);
	put_answer(&p);
	put_results(&p);
	put_list(&p, "Notes", m->notes.v, m->notes.n);
	put_config(&p);
	put_list(&p, "How sure", m->explanations.v, m->explanations.n);
	put_samples(&p);
	put_problems(&p);
	put_method(&p);
	html_repeat(m, in->experiment, out);
	buf_addstr(out, "</main>\n</body>\n</html>\n");
}

const struct report_format report_html = {
	.name = "html",
	.suffixes = ".html.htm.",
	.summary = "a page of its own, with charts",
	.render = render,
};
