#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/text.h"
#include "report/model_parts.h"
#include "report/words.h"

/* The values of one metric, a column for each system; NaN where a round gave none that counts. */
struct columns {
	double **value, **step; /* [system][round - 1] */
	size_t systems, rounds;
};

static void columns_init(struct columns *c, size_t systems, size_t rounds)
{
	*c = (struct columns){.systems = systems, .rounds = rounds};
	c->value = mem_array(systems, sizeof(*c->value));
	c->step = mem_array(systems, sizeof(*c->step));
	for (size_t i = 0; i < systems; i++) {
		c->value[i] = mem_array(rounds, sizeof(double));
		c->step[i] = mem_array(rounds, sizeof(double));
	}
}

static void columns_release(struct columns *c)
{
	for (size_t i = 0; i < c->systems; i++) {
		free(c->value[i]);
		free(c->step[i]);
	}
	free(c->value);
	free(c->step);
}

static void columns_fill(struct columns *c, const struct counted_index *index, size_t task,
			 size_t metric)
{
	for (size_t s = 0; s < c->systems; s++) {
		for (size_t r = 0; r < c->rounds; r++) {
			const struct exp_execution *x =
				counted_index_get(index, (int)r + 1, task, s);
			const struct exp_value *v =
				x == NULL ? NULL : exp_execution_value(x, metric);

			c->value[s][r] = v == NULL ? NAN : v->value;
			c->step[s][r] = v == NULL ? 0 : v->step;
		}
	}
}

static bool has_any(const struct columns *c, size_t s)
{
	for (size_t r = 0; r < c->rounds; r++) {
		if (!isnan(c->value[s][r]))
			return true;
	}
	return false;
}

/* Does this round's value of s belong to a pair? A side that has no partner at all is shown alone.
 */
static bool in_pair(const struct columns *c, size_t s, size_t baseline, size_t r)
{
	bool partner_exists = false;

	for (size_t k = 0; k < c->systems; k++) {
		if (k == s || (s != baseline && k != baseline) || !has_any(c, k))
			continue;
		if (!isnan(c->value[k][r]))
			return true;
		partner_exists = true;
	}
	return !partner_exists;
}

static struct figure figure_for(const struct columns *c, size_t s, size_t baseline, bool paired)
{
	double *value = mem_array(c->rounds, sizeof(*value));
	double *step = mem_array(c->rounds, sizeof(*step));
	size_t n = 0;

	for (size_t r = 0; r < c->rounds; r++) {
		if (isnan(c->value[s][r]) || (paired && !in_pair(c, s, baseline, r)))
			continue;
		value[n] = c->value[s][r];
		step[n++] = c->step[s][r];
	}
	struct figure f = figure_of(value, step, n);
	free(value);
	free(step);
	return f;
}

static struct change pairs_change(const struct columns *c, size_t s, size_t baseline,
				  enum metric_direction d)
{
	double *a = mem_array(c->rounds, sizeof(*a));
	double *b = mem_array(c->rounds, sizeof(*b));
	size_t n = 0;

	for (size_t r = 0; r < c->rounds; r++) {
		if (isnan(c->value[s][r]) || isnan(c->value[baseline][r]))
			continue;
		a[n] = c->value[baseline][r];
		b[n++] = c->value[s][r];
	}
	struct change change = change_of_pairs(a, b, n, d);
	free(a);
	free(b);
	return change;
}

/*
 * Every system's figure has as many decimals as the least certain of them, but so many that none
 * that is not 0 is shown as 0.
 */
static int row_decimals(const struct view *v, const struct figure *figures, size_t n)
{
	int decimals = INT_MAX, fewest = INT_MIN;

	for (size_t i = 0; i < n; i++) {
		const struct figure *f = &figures[i];
		if (f->n == 0 || (v->inverse && f->mean == 0))
			continue;
		int own = figure_decimals(view_value(v, f->mean), view_error(v, f->mean, f->error),
					  view_error(v, f->mean, f->step), f->n);
		int least = figure_decimals_least(view_value(v, f->mean));

		decimals = own < decimals ? own : decimals;
		fewest = least > fewest ? least : fewest;
	}
	return decimals > fewest ? decimals : fewest;
}

/* value: in the view already. */
static char *shown_value(const struct view *v, double value, int decimals)
{
	struct buf b = BUF_INIT;

	figure_add(&b, value, decimals);
	if (v->unit[0] != '\0')
		buf_addf(&b, " %s", v->unit);
	return buf_detach(&b);
}

static char *in_view(const struct view *v, const struct figure *f, int decimals)
{
	return shown_value(v, view_value(v, f->mean), decimals);
}

static char *spread_text(const struct figure *f)
{
	struct buf b = BUF_INIT;

	if (f->n >= 2 && f->mean != 0) {
		text_add_significant(&b, 100 * f->sd / fabs(f->mean), 2);
		buf_addstr(&b, " %");
	}
	return buf_detach(&b);
}

static void add_figures(struct report_row *row, const struct exp_metric *m,
			const struct figure *figures, size_t n)
{
	struct view second;
	bool has_second = view_second(m, &second);
	int decimals = row_decimals(&row->view, figures, n);
	int second_decimals = has_second ? row_decimals(&second, figures, n) : 0;

	for (size_t i = 0; i < n; i++) {
		const struct figure *f = &figures[i];
		struct report_figure *to = vec_add(&row->figures);
		bool usable = f->n > 0 && !(row->view.inverse && f->mean == 0);

		to->figure = *f;
		to->text = usable ? in_view(&row->view, f, decimals) : mem_strdup("");
		to->second = usable && has_second ? in_view(&second, f, second_decimals)
						  : mem_strdup("");
		to->spread = usable ? spread_text(f) : mem_strdup("");
	}
}

static double step_share(const struct figure *a, const struct figure *b)
{
	double share_a = a->mean > 0 ? a->step / a->mean : 0;
	double share_b = b->mean > 0 ? b->step / b->mean : 0;

	return share_a > share_b ? share_a : share_b;
}

static void add_change(struct report_row *row, const struct report_model *m, size_t s,
		       const struct change *change)
{
	struct report_change *to = vec_add(&row->changes);
	struct buf percent = BUF_INIT;
	struct buf times = BUF_INIT;

	to->change = *change;
	to->emulated = words_pair_emulated(m, s);
	to->words = "";
	to->judged = VERDICT_NONE;
	/* emulation costs time of its own: across its border no figure is a comparison */
	bool mixed = m->systems.v[s].emulated != m->systems.v[m->baseline].emulated;
	to->change.known = change->known && !mixed;
	if (to->change.known) {
		double share =
			step_share(&row->figures.v[m->baseline].figure, &row->figures.v[s].figure);
		change_add_percent(&percent, change, share);
		change_add_times(&times, change, share);
		to->words = words_direction(change->ratio, to->emulated);
	}
	to->percent = buf_detach(&percent);
	to->times = buf_detach(&times);
	to->verdict = mem_strdup(to->change.known ? words_no_verdict() : mixed ? "no verdict" : "");
}

static void add_published(struct report_row *row)
{
	const struct published_figure *p = row->published;
	const struct change c = {.known = true,
				 .ratio = p->hard / p->soft,
				 .percent = (p->hard / p->soft - 1) * 100,
				 .times = p->soft / p->hard};
	struct buf percent = BUF_INIT;

	figure_add(&percent, c.percent, p->change_decimals);
	row->published_soft = mem_printf("%.*f %s", p->decimals, p->soft, p->unit);
	row->published_hard = mem_printf("%.*f %s", p->decimals, p->hard, p->unit);
	row->published_percent = mem_printf("%s %%", buf_str(&percent));
	row->published_times = mem_printf("%.3fx", c.times);
	buf_release(&percent);
}

/* With the decimals of the row's figures. */
static void add_range(struct report_row *row, const struct columns *c, const struct figure *figures)
{
	int decimals = row_decimals(&row->view, figures, c->systems);

	row->low = NAN;
	row->high = NAN;
	for (size_t s = 0; s < c->systems; s++) {
		for (size_t r = 0; r < c->rounds; r++) {
			/* what is infinite as a view (no operation in a second) has no place */
			if (!isfinite(row->samples[s][r]))
				continue;
			row->low = fmin(row->low, row->samples[s][r]);
			row->high = fmax(row->high, row->samples[s][r]);
		}
	}
	bool known = !isnan(row->low) && decimals != INT_MAX;
	row->low_text = known ? shown_value(&row->view, row->low, decimals) : mem_strdup("");
	row->high_text = known ? shown_value(&row->view, row->high, decimals) : mem_strdup("");
}

static void add_samples(struct report_row *row, const struct columns *c)
{
	row->rounds = c->rounds;
	row->samples = mem_array(c->systems, sizeof(*row->samples));
	for (size_t s = 0; s < c->systems; s++) {
		row->samples[s] = mem_array(c->rounds, sizeof(double));
		for (size_t r = 0; r < c->rounds; r++)
			row->samples[s][r] = isnan(c->value[s][r])
						     ? NAN
						     : view_value(&row->view, c->value[s][r]);
	}
}

static void add_row(struct report_model *m, const struct experiment *e,
		    const struct counted_index *index, size_t task, size_t metric)
{
	const struct exp_metric *k = &e->metrics.v[metric];
	struct report_row *row = vec_add(&m->rows);
	struct columns c;
	bool paired = !text_equal(e->kind, "import");
	struct figure *figures = mem_array(e->systems.n, sizeof(*figures));

	row->task = task;
	row->metric = metric;
	char *title = view_title(k, &e->tasks.v[task]);
	row->title = text_escaped(title);
	free(title);
	row->metric_name = text_escaped(k->name);
	row->conditions = text_escaped(k->conditions);
	row->primary = k->primary;
	columns_init(&c, e->systems.n, (size_t)index->rounds);
	columns_fill(&c, index, task, metric);
	double typical = 0;
	for (size_t s = 0; s < e->systems.n; s++) {
		figures[s] = figure_for(&c, s, m->baseline, paired);
		typical = fmax(typical, figures[s].mean);
	}
	row->view = view_main(k, typical);
	add_figures(row, k, figures, e->systems.n);
	add_samples(row, &c);
	add_range(row, &c, figures);
	model_left_out(row, e, index);
	for (size_t s = 0; s < e->systems.n; s++) {
		struct change change = {.error = NAN};
		if (s != m->baseline && paired)
			change = pairs_change(&c, s, m->baseline, k->direction);
		else if (s != m->baseline)
			change =
				change_of_figures(&figures[m->baseline], &figures[s], k->direction);
		add_change(row, m, s, &change);
	}
	if (text_equal(e->kind, "reference") && e->systems.n == 2)
		row->published = published_find(k->name);
	if (row->published != NULL)
		add_published(row);
	columns_release(&c);
	free(figures);
}

static bool has_row(const struct report_model *m, size_t task, size_t metric)
{
	for (size_t i = 0; i < m->rows.n; i++) {
		if (m->rows.v[i].task == task && m->rows.v[i].metric == metric)
			return true;
	}
	return false;
}

/* Tasks in the plan's order (they are run in a random one), metrics as the task gives them. */
static void add_rows(struct report_model *m, const struct experiment *e,
		     const struct counted_index *index, bool primary)
{
	for (size_t task = 0; task < e->tasks.n; task++) {
		for (size_t i = 0; i < e->executions.n; i++) {
			const struct exp_execution *x = &e->executions.v[i];
			if (x->task != task || x->warmup)
				continue;
			for (size_t v = 0; v < x->values.n; v++) {
				size_t metric = x->values.v[v].metric;
				if (e->metrics.v[metric].primary == primary &&
				    !has_row(m, task, metric))
					add_row(m, e, index, task, metric);
			}
		}
	}
}

/* Rows that would be called the same are told apart by their conditions. */
static void tell_apart(struct report_model *m)
{
	bool *twin = mem_array(m->rows.n, sizeof(*twin));

	for (size_t i = 0; i < m->rows.n; i++) {
		for (size_t k = 0; k < m->rows.n; k++)
			twin[i] = twin[i] ||
				  (i != k && text_equal(m->rows.v[i].title, m->rows.v[k].title));
	}
	for (size_t i = 0; i < m->rows.n; i++) {
		struct report_row *r = &m->rows.v[i];
		if (twin[i] && r->conditions[0] != '\0')
			mem_replace(&r->title, mem_printf("%s (%s)", r->title, r->conditions));
	}
	free(twin);
}

void model_rows(struct report_model *m, const struct experiment *e,
		const struct counted_index *index)
{
	add_rows(m, e, index, true);
	m->primary_rows = m->rows.n;
	add_rows(m, e, index, false);
	tell_apart(m);
}

void model_row_release(struct report_row *r)
{
	for (size_t i = 0; i < r->figures.n; i++) {
		free(r->figures.v[i].text);
		free(r->figures.v[i].second);
		free(r->figures.v[i].spread);
	}
	for (size_t i = 0; i < r->changes.n; i++) {
		free(r->changes.v[i].percent);
		free(r->changes.v[i].times);
		free(r->changes.v[i].verdict);
	}
	for (size_t i = 0; r->samples != NULL && i < r->figures.n; i++)
		free(r->samples[i]);
	free(r->samples);
	for (size_t i = 0; i < r->left_out.n; i++)
		free(r->left_out.v[i].text);
	vec_release(&r->left_out);
	vec_release(&r->figures);
	vec_release(&r->changes);
	free(r->title);
	free(r->metric_name);
	free(r->conditions);
	free(r->low_text);
	free(r->high_text);
	free(r->published_soft);
	free(r->published_hard);
	free(r->published_percent);
	free(r->published_times);
}
