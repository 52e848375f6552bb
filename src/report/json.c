/*
 * The report as JSON: every value and execution, facts and plan (store/exchange.h), and what was
 * concluded from them. doc/json.md and doc/lampduel.schema.json describe it.
 */
#include <stdlib.h>

#include "base/jsonx.h"
#include "base/mem.h"
#include "base/text.h"
#include "report/report.h"
#include "store/exchange.h"

static json_t *texts(char *const *v, size_t n)
{
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++)
		jsonx_append(all, jsonx_text(v[i]));
	return all;
}

static json_t *count(size_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *estimate(const struct compare_estimate *e)
{
	json_t *o = json_object();

	jsonx_put(o, "log", exchange_number(e->log));
	jsonx_put(o, "low", exchange_number(e->lo));
	jsonx_put(o, "high", exchange_number(e->hi));
	return o;
}

static json_t *figure(const struct report_figure *f, const char *system)
{
	json_t *o = json_object();
	bool any = f->figure.n > 0;

	jsonx_put(o, "system", jsonx_text(system));
	jsonx_put(o, "n", count(f->figure.n));
	jsonx_put(o, "mean", any ? exchange_number(f->figure.mean) : json_null());
	jsonx_put(o, "sd", any ? exchange_number(f->figure.sd) : json_null());
	jsonx_put(o, "step", any ? exchange_number(f->figure.step) : json_null());
	jsonx_put(o, "shown", jsonx_text(f->text));
	jsonx_put(o, "shown_rate", jsonx_text(f->second));
	jsonx_put(o, "shown_sd", jsonx_text(f->spread));
	return o;
}

/* What the statistics say, in their terms. */
static void put_judgement(json_t *o, const struct comparison *c)
{
	jsonx_put(o, "verdict", jsonx_text(verdict_name(c->verdict)));
	jsonx_put(o, "reason", jsonx_text(c->reason));
	jsonx_put(o, "paired", json_boolean(c->paired));
	jsonx_put(o, "sessions_only", json_boolean(c->sessions_only));
	jsonx_put(o, "pairs", count(c->n));
	jsonx_put(o, "rounds", count(c->rounds));
	jsonx_put(o, "excluded", count(c->excluded));
	jsonx_put(o, "method", jsonx_text(compare_method_name(c->method)));
	jsonx_put(o, "exact", json_boolean(c->exact));
	jsonx_put(o, "estimate", estimate(&c->estimate));
	jsonx_put(o, "level", exchange_number(c->level));
	jsonx_put(o, "p", exchange_number(c->p));
	jsonx_put(o, "p_adjusted", exchange_number(c->p_adjusted));
	jsonx_put(o, "p_same", exchange_number(c->p_same));
	jsonx_put(o, "p_same_adjusted", exchange_number(c->p_same_adjusted));
	jsonx_put(o, "step_share", exchange_number(c->step_share));
	jsonx_put(o, "detectable", exchange_number(c->detectable));
	jsonx_put(o, "pairs_needed", count(c->pairs_needed));
	jsonx_put(o, "outliers", count(c->outliers));
	jsonx_put(o, "gate", jsonx_text(gate_result_name(c->gate)));
	jsonx_put(o, "notes", texts(c->notes.v, c->notes.n));
}

static json_t *change(const struct report_change *c, const struct report_system *s,
		      const struct comparison *k)
{
	json_t *o = json_object();
	bool known = c->change.known;

	jsonx_put(o, "system", jsonx_text(s->name));
	jsonx_put(o, "n", count(c->change.n));
	jsonx_put(o, "percent", known ? exchange_number(c->change.percent) : json_null());
	jsonx_put(o, "times", known ? exchange_number(c->change.times) : json_null());
	jsonx_put(o, "emulated", json_boolean(c->emulated));
	jsonx_put(o, "shown_percent", jsonx_text(c->percent));
	jsonx_put(o, "shown_times", jsonx_text(c->times));
	jsonx_put(o, "shown_words", jsonx_text(c->words));
	jsonx_put(o, "shown_verdict", jsonx_text(c->verdict));
	if (k != NULL)
		put_judgement(o, k);
	return o;
}

/* The comparison behind a row and a candidate; NULL when there is none. */
static const struct comparison *behind(const struct report_input *in, const struct report_row *r,
				       size_t system)
{
	const struct experiment *e = in->experiment;
	const struct exp_metric *m = &e->metrics.v[r->metric];

	for (size_t i = 0; in->comparisons != NULL && i < in->comparisons->v.n; i++) {
		const struct comparison *c = &in->comparisons->v.v[i];
		if (text_equal(c->metric, m->name) && text_equal(c->unit, m->unit) &&
		    text_equal(c->conditions, m->conditions) &&
		    text_equal(c->candidate.name, e->systems.v[system].name) &&
		    (c->task[0] == '\0' || text_equal(c->task, e->tasks.v[r->task].name)))
			return c;
	}
	return NULL;
}

static json_t *row(const struct report_input *in, const struct report_row *r)
{
	const struct report_model *m = in->model;
	json_t *o = json_object();
	json_t *figures = json_array();
	json_t *changes = json_array();

	jsonx_put(o, "title", jsonx_text(r->title));
	jsonx_put(o, "task", jsonx_text(m->tasks.v[r->task]));
	jsonx_put(o, "metric", count(r->metric));
	jsonx_put(o, "primary", json_boolean(r->primary));
	for (size_t i = 0; i < r->figures.n; i++)
		jsonx_append(figures, figure(&r->figures.v[i], m->systems.v[i].name));
	for (size_t i = 0; i < r->changes.n; i++) {
		if (i != m->baseline)
			jsonx_append(changes,
				     change(&r->changes.v[i], &m->systems.v[i], behind(in, r, i)));
	}
	jsonx_put(o, "figures", figures);
	jsonx_put(o, "changes", changes);
	if (r->published != NULL)
		jsonx_put(o, "published",
			  json_pack("{s:s, s:s, s:s, s:s}", "soft", r->published_soft, "hard",
				    r->published_hard, "percent", r->published_percent, "times",
				    r->published_times));
	return o;
}

static json_t *configuration(const struct report_model *m)
{
	json_t *all = json_array();

	for (size_t i = 0; i < m->facts.n; i++) {
		json_t *o = json_object();

		jsonx_put(o, "label", jsonx_text(m->facts.v[i].label));
		jsonx_put(o, "differs", json_boolean(m->facts.v[i].differs));
		jsonx_put(o, "values", texts(m->facts.v[i].values, m->systems.n));
		jsonx_append(all, o);
	}
	return all;
}

static json_t *overall(const struct report_input *in)
{
	const struct report_model *m = in->model;
	json_t *all = json_array();

	for (size_t i = 0; i < m->overall.n; i++) {
		const struct compare_overall *x = &in->comparisons->overall.v[i];
		json_t *o = json_object();

		jsonx_put(o, "system", jsonx_text(x->candidate));
		jsonx_put(o, "estimate", estimate(&x->estimate));
		jsonx_put(o, "workloads", count(x->workloads));
		jsonx_put(o, "metrics", count(x->metrics));
		jsonx_put(o, "emulated", json_boolean(x->emulated));
		jsonx_put(o, "shown", jsonx_text(m->overall.v[i]));
		jsonx_append(all, o);
	}
	return all;
}

static json_t *problems(const struct report_model *m)
{
	json_t *all = json_array();

	for (size_t i = 0; i < m->problems.n; i++) {
		const struct report_problem *p = &m->problems.v[i];
		json_t *o = json_object();

		jsonx_put(o, "system", jsonx_text(m->systems.v[p->system].name));
		jsonx_put(o, "task", jsonx_text(m->tasks.v[p->task]));
		jsonx_put(o, "count", count(p->count));
		jsonx_put(o, "what", jsonx_text(p->what));
		jsonx_put(o, "reason", jsonx_text(p->reason));
		jsonx_append(all, o);
	}
	return all;
}

static json_t *report_of(const struct report_input *in)
{
	const struct report_model *m = in->model;
	const struct comparison_set *s = in->comparisons;
	json_t *o = json_object();
	json_t *rows = json_array();

	for (size_t i = 0; i < m->rows.n; i++)
		jsonx_append(rows, row(in, &m->rows.v[i]));
	jsonx_put(o, "baseline",
		  m->systems.n > 0 ? jsonx_text(m->systems.v[m->baseline].name) : json_null());
	jsonx_put(o, "emulated", json_boolean(m->emulated));
	jsonx_put(o, "rounds_done", json_integer(m->rounds_done));
	jsonx_put(o, "executions", count(m->executions));
	jsonx_put(o, "counted", count(m->counted));
	jsonx_put(o, "margin", s != NULL ? exchange_number(s->margin) : json_null());
	jsonx_put(o, "family", s != NULL ? count(s->family) : json_null());
	jsonx_put(o, "gate", s != NULL ? jsonx_text(gate_result_name(s->gate)) : json_null());
	jsonx_put(o, "configuration", configuration(m));
	jsonx_put(o, "rows", rows);
	jsonx_put(o, "overall", overall(in));
	jsonx_put(o, "problems", problems(m));
	jsonx_put(o, "notes", texts(m->notes.v, m->notes.n));
	jsonx_put(o, "explanations", texts(m->explanations.v, m->explanations.n));
	return o;
}

static int add_bytes(const char *bytes, size_t n, void *out)
{
	buf_add(out, bytes, n);
	return 0;
}

static void render(const struct report_input *in, const struct report_options *o, struct buf *out)
{
	json_t *root = exchange_write(in->experiment, in->identify);

	(void)o;
	jsonx_put(root, "report", report_of(in));
	/* ASCII: what a terminal would act on, or show in another order, is escaped */
	if (json_dump_callback(root, add_bytes, out, JSON_INDENT(1) | JSON_ENSURE_ASCII) != 0)
		mem_exhausted();
	buf_addch(out, '\n');
	json_decref(root);
}

const struct report_format report_json = {
	.name = "json",
	.suffixes = ".json.",
	.summary = "every value and execution, for programs and lampduel import",
	.render = render,
};
