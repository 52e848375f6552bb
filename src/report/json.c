/*
 * The report as JSON: every value and execution, facts and plan (store/exchange.h), and what was
 * concluded from them. doc/json.md and doc/lampduel.schema.json describe it.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/report.h"
#include "store/exchange.h"

static void put(json_t *o, const char *key, json_t *value)
{
	if (json_object_set_new_nocheck(o, key, value) != 0)
		mem_exhausted();
}

static void append(json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) != 0)
		mem_exhausted();
}

static json_t *texts(char *const *v, size_t n)
{
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++)
		append(all, exchange_text(v[i]));
	return all;
}

static json_t *count(size_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *estimate(const struct compare_estimate *e)
{
	json_t *o = json_object();

	put(o, "log", exchange_number(e->log));
	put(o, "low", exchange_number(e->lo));
	put(o, "high", exchange_number(e->hi));
	return o;
}

static json_t *figure(const struct report_figure *f, const char *system)
{
	json_t *o = json_object();
	bool any = f->figure.n > 0;

	put(o, "system", exchange_text(system));
	put(o, "n", count(f->figure.n));
	put(o, "mean", any ? exchange_number(f->figure.mean) : json_null());
	put(o, "sd", any ? exchange_number(f->figure.sd) : json_null());
	put(o, "step", any ? exchange_number(f->figure.step) : json_null());
	put(o, "shown", exchange_text(f->text));
	put(o, "shown_rate", exchange_text(f->second));
	put(o, "shown_sd", exchange_text(f->spread));
	return o;
}

/* What the statistics say, in their terms. */
static void put_judgement(json_t *o, const struct comparison *c)
{
	put(o, "verdict", exchange_text(verdict_name(c->verdict)));
	put(o, "reason", exchange_text(c->reason));
	put(o, "paired", json_boolean(c->paired));
	put(o, "sessions_only", json_boolean(c->sessions_only));
	put(o, "pairs", count(c->n));
	put(o, "rounds", count(c->rounds));
	put(o, "excluded", count(c->excluded));
	put(o, "method", exchange_text(compare_method_name(c->method)));
	put(o, "exact", json_boolean(c->exact));
	put(o, "estimate", estimate(&c->estimate));
	put(o, "level", exchange_number(c->level));
	put(o, "p", exchange_number(c->p));
	put(o, "p_adjusted", exchange_number(c->p_adjusted));
	put(o, "p_same", exchange_number(c->p_same));
	put(o, "p_same_adjusted", exchange_number(c->p_same_adjusted));
	put(o, "step_share", exchange_number(c->step_share));
	put(o, "detectable", exchange_number(c->detectable));
	put(o, "pairs_needed", count(c->pairs_needed));
	put(o, "outliers", count(c->outliers));
	put(o, "gate", exchange_text(gate_result_name(c->gate)));
	put(o, "notes", texts(c->notes.v, c->notes.n));
}

static json_t *change(const struct report_change *c, const struct report_system *s,
		      const struct comparison *k)
{
	json_t *o = json_object();
	bool known = c->change.known;

	put(o, "system", exchange_text(s->name));
	put(o, "n", count(c->change.n));
	put(o, "percent", known ? exchange_number(c->change.percent) : json_null());
	put(o, "times", known ? exchange_number(c->change.times) : json_null());
	put(o, "emulated", json_boolean(c->emulated));
	put(o, "shown_percent", exchange_text(c->percent));
	put(o, "shown_times", exchange_text(c->times));
	put(o, "shown_words", exchange_text(c->words));
	put(o, "shown_verdict", exchange_text(c->verdict));
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

	put(o, "title", exchange_text(r->title));
	put(o, "task", exchange_text(m->tasks.v[r->task]));
	put(o, "metric", count(r->metric));
	put(o, "primary", json_boolean(r->primary));
	for (size_t i = 0; i < r->figures.n; i++)
		append(figures, figure(&r->figures.v[i], m->systems.v[i].name));
	for (size_t i = 0; i < r->changes.n; i++) {
		if (i != m->baseline)
			append(changes,
			       change(&r->changes.v[i], &m->systems.v[i], behind(in, r, i)));
	}
	put(o, "figures", figures);
	put(o, "changes", changes);
	if (r->published != NULL)
		put(o, "published",
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

		put(o, "label", exchange_text(m->facts.v[i].label));
		put(o, "differs", json_boolean(m->facts.v[i].differs));
		put(o, "values", texts(m->facts.v[i].values, m->systems.n));
		append(all, o);
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

		put(o, "system", exchange_text(x->candidate));
		put(o, "estimate", estimate(&x->estimate));
		put(o, "workloads", count(x->workloads));
		put(o, "metrics", count(x->metrics));
		put(o, "emulated", json_boolean(x->emulated));
		put(o, "shown", exchange_text(m->overall.v[i]));
		append(all, o);
	}
	return all;
}

static json_t *problems(const struct report_model *m)
{
	json_t *all = json_array();

	for (size_t i = 0; i < m->problems.n; i++) {
		const struct report_problem *p = &m->problems.v[i];
		json_t *o = json_object();

		put(o, "system", exchange_text(m->systems.v[p->system].name));
		put(o, "task", exchange_text(m->tasks.v[p->task]));
		put(o, "count", count(p->count));
		put(o, "what", exchange_text(p->what));
		put(o, "reason", exchange_text(p->reason));
		append(all, o);
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
		append(rows, row(in, &m->rows.v[i]));
	put(o, "baseline",
	    m->systems.n > 0 ? exchange_text(m->systems.v[m->baseline].name) : json_null());
	put(o, "emulated", json_boolean(m->emulated));
	put(o, "rounds_done", json_integer(m->rounds_done));
	put(o, "executions", count(m->executions));
	put(o, "counted", count(m->counted));
	put(o, "margin", s != NULL ? exchange_number(s->margin) : json_null());
	put(o, "family", s != NULL ? count(s->family) : json_null());
	put(o, "gate", s != NULL ? exchange_text(gate_result_name(s->gate)) : json_null());
	put(o, "configuration", configuration(m));
	put(o, "rows", rows);
	put(o, "overall", overall(in));
	put(o, "problems", problems(m));
	put(o, "notes", texts(m->notes.v, m->notes.n));
	put(o, "explanations", texts(m->explanations.v, m->explanations.n));
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
	put(root, "report", report_of(in));
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
