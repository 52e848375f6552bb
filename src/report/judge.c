/* Verdicts of src/compare, put into a model. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "report/model_parts.h"
#include "report/words.h"

static bool same_text(const char *shown, const char *raw)
{
	char *escaped = text_escaped(raw);
	bool same = text_equal(shown, escaped);

	free(escaped);
	return same;
}

static struct report_row *find_row(struct report_model *m, const struct comparison *c)
{
	for (size_t i = 0; i < m->rows.n; i++) {
		struct report_row *r = &m->rows.v[i];

		/* values that were not measured in pairs belong to no task */
		if (same_text(r->metric_name, c->metric) &&
		    same_text(r->conditions, c->conditions) &&
		    (c->task[0] == '\0' || same_text(m->tasks.v[r->task], c->task)))
			return r;
	}
	return NULL;
}

static size_t find_system(const struct report_model *m, const char *name)
{
	size_t i = 0;

	while (i < m->systems.n && !same_text(m->systems.v[i].name, name))
		i++;
	return i;
}

/* One line for all comparisons that have no verdict for one reason; the first of them says it. */
static void note_reason(struct report_model *m, const struct comparison_set *s, size_t first)
{
	const char *reason = s->v.v[first].reason;
	size_t n = 0;

	for (size_t i = 0; i < s->v.n; i++) {
		const struct comparison *c = &s->v.v[i];
		if (c->verdict != VERDICT_NONE || !c->primary || !text_equal(c->reason, reason))
			continue;
		if (i < first)
			return;
		n++;
	}
	char *shown = text_escaped(reason);
	const struct report_row *row = find_row(m, &s->v.v[first]);
	if (n == s->family || n == m->primary_rows || row == NULL)
		model_note(m, "No verdict: %s.", shown);
	else if (n == 1)
		model_note(m, "No verdict on %s: %s.", row->title, shown);
	else
		model_note(m, "No verdict on %s and %zu more: %s.", row->title, n - 1, shown);
	free(shown);
}

/* What comparisons have to say; those that say the same share a line. */
struct remark {
	const char *text;
	const char *title; /* of the first */
	const char *second;
	size_t system, n;
};

struct remarks {
	VEC(struct remark) v;
};

static void add_remark(struct remarks *all, const char *text, const char *title, size_t system)
{
	for (size_t i = 0; i < all->v.n; i++) {
		struct remark *r = &all->v.v[i];
		if (r->system == system && text_equal(r->text, text)) {
			if (++r->n == 2)
				r->second = title;
			return;
		}
	}
	const struct remark r = {.text = text, .title = title, .system = system, .n = 1};
	vec_push(&all->v, r);
}

static void note_remarks(struct report_model *m, const struct remarks *all)
{
	for (size_t i = 0; i < all->v.n; i++) {
		const struct remark *r = &all->v.v[i];
		char *text = text_escaped(r->text);
		struct buf b = BUF_INIT;

		buf_addstr(&b, r->title);
		if (r->n == 2)
			buf_addf(&b, "; %s", r->second);
		else if (r->n > 2)
			buf_addf(&b, " and %zu more", r->n - 1);
		if (m->systems.n > 2)
			buf_addf(&b, "; %s", m->systems.v[r->system].name);
		model_note(m, "%s: %s.", buf_str(&b), text);
		buf_release(&b);
		free(text);
	}
}

static void judge_row(struct report_model *m, const struct comparison_set *s, size_t at,
		      struct remarks *remarks)
{
	const struct comparison *c = &s->v.v[at];
	struct report_row *row = find_row(m, c);
	size_t system = find_system(m, c->candidate.name);
	struct buf b = BUF_INIT;

	if (row == NULL || system == m->systems.n)
		return;
	struct report_change *change = &row->changes.v[system];
	change->has_interval = change->change.known && c->method > METHOD_ROUNDING &&
			       isfinite(c->estimate.log) && !isnan(c->estimate.lo) &&
			       !isnan(c->estimate.hi);
	change->estimate = c->estimate;
	/* what is measured beside the tasks is shown, not judged */
	if (!c->primary) {
		mem_replace(&change->verdict, mem_strdup(""));
		return;
	}
	change->judged = c->verdict;
	words_verdict(c, s->margin, &b);
	mem_replace(&change->verdict, buf_detach(&b));
	if (c->verdict == VERDICT_NONE)
		note_reason(m, s, at);
	for (size_t i = 0; i < c->notes.n; i++)
		add_remark(remarks, c->notes.v[i], row->title, system);
	comparison_explain(c, s, &b);
	if (c->method != METHOD_NOTHING) {
		buf_addch(&b, ' ');
		comparison_details(c, &b);
	}
	vec_push(&m->explanations, text_escaped(buf_str(&b)));
	buf_release(&b);
}

/* A run that could have ended earlier has wider intervals, and that is why. */
static void note_looks(struct report_model *m, const struct comparison_set *s)
{
	const struct stats_looks *l = &s->looks;
	struct buf b = BUF_INIT;

	if (l->n < 2 || s->v.n == 0)
		return;
	for (size_t i = 0; i < l->n; i++)
		buf_addf(&b, "%s%d", i == 0 ? "" : i + 1 < l->n ? ", " : " and ", l->at[i]);
	model_note(m,
		   "Looked at after %s rounds, this is look %zu of %zu: levels and intervals allow "
		   "for all of them.",
		   buf_str(&b), s->v.v[0].look, s->v.v[0].looks);
	buf_release(&b);
}

void report_model_judge(struct report_model *m, const struct comparison_set *s)
{
	struct remarks remarks = {{0}};

	m->margin = s->margin;
	for (size_t i = 0; i < s->v.n; i++)
		judge_row(m, s, i, &remarks);
	note_remarks(m, &remarks);
	vec_release(&remarks.v);
	for (size_t i = 0; i < s->overall.n; i++) {
		struct buf b = BUF_INIT;
		words_overall(&s->overall.v[i], m->systems.v[m->baseline].name, &b);
		vec_push(&m->overall, buf_detach(&b));
	}
	note_looks(m, s);
	for (size_t i = 0; i < s->notes.n; i++)
		vec_push(&m->notes, text_escaped(s->notes.v[i]));
}
