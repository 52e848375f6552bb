#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare/internal.h"
#include "stats/describe.h"

void compare_pool_init(struct compare_pool *p, const char *name, bool emulated)
{
	*p = (struct compare_pool){.name = mem_strdup(name), .emulated = emulated};
}

void compare_pool_release(struct compare_pool *p)
{
	for (size_t i = 0; i < p->metrics.n; i++) {
		free(p->metrics.v[i].metric);
		free(p->metrics.v[i].unit);
		free(p->metrics.v[i].conditions);
		vec_release(&p->metrics.v[i].values);
	}
	vec_release(&p->metrics);
	free(p->name);
	*p = (struct compare_pool){.name = NULL};
}

static struct compare_metric *find_metric(const struct compare_pool *p, const char *metric,
					  const char *unit, const char *conditions)
{
	for (size_t i = 0; i < p->metrics.n; i++) {
		struct compare_metric *m = &p->metrics.v[i];
		if (text_equal(m->metric, metric) && text_equal(m->unit, unit) &&
		    text_equal(m->conditions, conditions))
			return m;
	}
	return NULL;
}

void compare_pool_add(struct compare_pool *p, const char *metric, const char *unit,
		      const char *conditions, bool primary, const struct compare_value *v)
{
	struct compare_metric *m = find_metric(p, metric, unit, conditions);

	if (m == NULL) {
		m = vec_add(&p->metrics);
		m->metric = mem_strdup(metric);
		m->unit = mem_strdup(unit);
		m->conditions = mem_strdup(conditions);
		m->direction = metric_direction_of_unit(unit);
	}
	m->primary |= primary;
	vec_push(&m->values, *v);
}

static int by_attempt(const void *a, const void *b)
{
	const struct exp_execution *x = *(const struct exp_execution *const *)a;
	const struct exp_execution *y = *(const struct exp_execution *const *)b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->round != y->round)
		return x->round < y->round ? -1 : 1;
	return (x->attempt > y->attempt) - (x->attempt < y->attempt);
}

static void add_execution(struct compare_pool *p, const struct experiment *e,
			  const struct exp_execution *x, int session)
{
	for (size_t j = 0; j < x->values.n; j++) {
		const struct exp_value *v = &x->values.v[j];
		const struct exp_metric *m = &e->metrics.v[v->metric];
		struct compare_value value = {v->value, v->step, x->life, session};
		compare_pool_add(p, m->name, m->unit, m->conditions, m->primary, &value);
	}
}

void compare_pool_add_experiment(struct compare_pool *p, const struct experiment *e, size_t system,
				 const int *session)
{
	const struct exp_execution **x = mem_array(e->executions.n, sizeof(const void *));
	size_t n = 0;

	for (size_t i = 0; i < e->executions.n; i++) {
		if (!e->executions.v[i].warmup && e->executions.v[i].system == system)
			x[n++] = &e->executions.v[i];
	}
	if (n > 0)
		qsort(x, n, sizeof(const void *), by_attempt);
	for (size_t first = 0, last; first < n; first = last) {
		for (last = first; last < n && x[last]->task == x[first]->task &&
				   x[last]->round == x[first]->round;)
			last++;
		/* the highest attempt of each (round, task) counts, as for pairs */
		for (size_t i = first; i < last; i++) {
			size_t at = (size_t)(x[i] - e->executions.v);
			if (x[i]->attempt == x[last - 1]->attempt && x[i]->status == OUTCOME_OK &&
			    !x[i]->disturbed)
				add_execution(p, e, x[i], session != NULL ? session[at] : 1);
		}
	}
	free(x);
}

static int by_session_and_life(const void *a, const void *b)
{
	const struct compare_value *x = a, *y = b;

	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	return (x->life > y->life) - (x->life < y->life);
}

/* Values that can be compared, sorted by session and life; *n of them. */
static struct compare_value *usable(const struct compare_metric *m, size_t *n)
{
	struct compare_value *v = mem_array(m->values.n, sizeof(*v));

	*n = 0;
	for (size_t i = 0; i < m->values.n; i++) {
		const struct compare_value *x = &m->values.v[i];
		if (!(x->value > 0) || !isfinite(x->value))
			continue;
		v[*n] = *x;
		if (!(x->step > 0) || !isfinite(x->step))
			v[*n].step = 0;
		(*n)++;
	}
	if (*n > 0)
		qsort(v, *n, sizeof(*v), by_session_and_life);
	return v;
}

static void count_side(const struct compare_value *v, size_t n, struct compare_side *side)
{
	side->values = n;
	side->lives = side->sessions = n > 0;
	for (size_t i = 1; i < n; i++) {
		side->sessions += v[i].session != v[i - 1].session;
		side->lives += by_session_and_life(&v[i], &v[i - 1]) != 0;
	}
}

/* Means of lives, or of sessions, as units; v is overwritten with them. Returns how many. */
static size_t average(struct compare_value *v, size_t n, bool sessions)
{
	double *value = mem_array(n, sizeof(*value)), *step = mem_array(n, sizeof(*step));
	size_t units = 0;

	for (size_t first = 0, last; first < n; first = last) {
		size_t k = 0;
		for (last = first; last < n && v[last].session == v[first].session &&
				   (sessions || v[last].life == v[first].life);
		     last++, k++) {
			value[k] = v[last].value;
			step[k] = v[last].step;
		}
		v[units].value = stats_mean(value, k);
		v[units].step = stats_mean(step, k);
		units++;
	}
	free(value);
	free(step);
	return units;
}

/* Log cost of each unit, and its bounds by rounding. */
static void costs(const struct compare_value *v, size_t n, enum metric_direction direction,
		  struct columns *out)
{
	columns_make(out, n);
	for (size_t i = 0; i < n; i++) {
		double least = v[i].value - v[i].step / 2, most = v[i].value + v[i].step / 2;
		double lo = least > 0 ? log(least) : -INFINITY, hi = log(most);
		bool less = direction == LESS_IS_BETTER;
		out->log[i] = less ? log(v[i].value) : -log(v[i].value);
		out->lo[i] = less ? lo : -hi;
		out->hi[i] = less ? hi : -lo;
	}
}

static double mean_step(const struct compare_value *v, size_t n, double *values)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		values[i] = v[i].value;
		sum += v[i].step;
	}
	return n > 0 ? sum / (double)n : NAN;
}

static void estimate_metric(struct comparison *c, const struct compare_metric *b,
			    const struct compare_metric *k, const struct testing *t)
{
	size_t m, n;
	struct compare_value *x = usable(b, &m), *y = usable(k, &n);
	double *xs = mem_array(m, sizeof(*xs)), *ys = mem_array(n, sizeof(*ys));
	struct columns base, cand;

	count_side(x, m, &c->baseline);
	count_side(y, n, &c->candidate);
	bool sessions = c->baseline.sessions >= COMPARE_SESSIONS &&
			c->candidate.sessions >= COMPARE_SESSIONS;
	c->sessions_only = !sessions;
	m = average(x, m, sessions);
	n = average(y, n, sessions);
	costs(x, m, c->direction, &base);
	costs(y, n, c->direction, &cand);
	c->baseline.step = mean_step(x, m, xs);
	c->candidate.step = mean_step(y, n, ys);
	estimate_sides(c, xs, m, ys, n);
	estimate_unpaired(c, &base, &cand, t);
	if (!sessions)
		comparison_none(c,
				"not measured in pairs: the figures hold within these sessions "
				"only; a verdict takes %d sessions a side (here %zu and %zu), or a "
				"run that measures both in turn",
				COMPARE_SESSIONS, c->baseline.sessions, c->candidate.sessions);
	columns_release(&base);
	columns_release(&cand);
	free(x);
	free(y);
	free(xs);
	free(ys);
}

/* The same metric under other conditions or in another unit, or NULL. */
static const struct compare_metric *namesake(const struct compare_pool *p,
					     const struct compare_metric *m)
{
	for (size_t i = 0; i < p->metrics.n; i++) {
		if (text_equal(p->metrics.v[i].metric, m->metric))
			return &p->metrics.v[i];
	}
	return NULL;
}

static void compare_metrics(const struct compare_pool *baseline, const struct compare_pool *k,
			    const struct compare_metric *m, const struct testing *t,
			    struct comparison_set *s)
{
	const struct compare_metric *other = find_metric(k, m->metric, m->unit, m->conditions);
	const struct compare_metric *near = namesake(k, m);

	if (other == NULL && near == NULL) {
		vec_push(&s->notes, mem_printf("%s has no %s to compare with %s.", k->name,
					       m->metric, baseline->name));
		return;
	}
	struct comparison *c = vec_add(&s->v);
	comparison_init(c);
	c->metric = mem_strdup(m->metric);
	c->unit = mem_strdup(m->unit);
	c->conditions = mem_strdup(m->conditions);
	c->workload = mem_strndup(m->metric, strcspn(m->metric, "/"));
	c->task = mem_strdup("");
	c->direction = m->direction;
	c->primary = m->primary || (other != NULL && other->primary);
	comparison_set_emulated(c, baseline->emulated, k->emulated);
	c->baseline.name = mem_strdup(baseline->name);
	c->candidate.name = mem_strdup(k->name);
	if (other != NULL)
		estimate_metric(c, m, other, t);
	else if (!text_equal(near->unit, m->unit))
		comparison_none(c, "the units differ: %s on %s, %s on %s", m->unit, baseline->name,
				near->unit, k->name);
	else
		comparison_none(
			c, "the conditions differ: %s on %s, %s on %s",
			*m->conditions != '\0' ? m->conditions : "none stated", baseline->name,
			*near->conditions != '\0' ? near->conditions : "none stated", k->name);
}

/* "soft.txt (mariadb/benchmark.md5(1)/time, ...)" */
static void add_metrics(struct buf *b, const struct compare_pool *p)
{
	enum { MOST = 3 };

	buf_addf(b, "%s (", p->name);
	for (size_t i = 0; i < p->metrics.n && i < MOST; i++)
		buf_addf(b, "%s%s", i > 0 ? ", " : "", p->metrics.v[i].metric);
	buf_addf(b, "%s)", p->metrics.n > MOST ? ", ..." : "");
}

static int nothing_in_common(const struct compare_pool *baseline,
			     const struct compare_pool *candidates, size_t n, struct err *err)
{
	struct buf b = BUF_INIT;

	add_metrics(&b, baseline);
	for (size_t i = 0; i < n; i++) {
		buf_addstr(&b, " and ");
		add_metrics(&b, &candidates[i]);
	}
	char *text = text_escaped(buf_str(&b));
	int rc = err_set(err, "%s have no metric in common: different work does not compare", text);
	free(text);
	buf_release(&b);
	return rc;
}

static void note_rounding(struct comparison_set *s)
{
	for (size_t i = 0; i < s->v.n; i++) {
		if (s->v.v[i].method != METHOD_ROUNDING)
			continue;
		vec_push(&s->notes,
			 mem_strdup("Where a side has one value, the interval is what the "
				    "resolution of the readings allows, no more."));
		return;
	}
}

int compare_pools(const struct compare_pool *baseline, const struct compare_pool *candidates,
		  size_t n, const struct compare_options *o, struct comparison_set *out,
		  struct err *err)
{
	struct compare_options fixed = {.margin = o->margin};
	struct testing t;

	*out = (struct comparison_set){.gate = GATE_UNDECIDED};
	testing_init(&t, &fixed, 0);
	for (size_t i = 0; i < n; i++) {
		const struct compare_pool *k = &candidates[i];
		for (size_t j = 0; j < baseline->metrics.n; j++)
			compare_metrics(baseline, k, &baseline->metrics.v[j], &t, out);
		for (size_t j = 0; j < k->metrics.n; j++) {
			if (namesake(baseline, &k->metrics.v[j]) == NULL)
				vec_push(&out->notes, mem_printf("%s has no %s to compare with %s.",
								 baseline->name,
								 k->metrics.v[j].metric, k->name));
		}
	}
	if (out->v.n == 0) {
		comparison_set_release(out);
		return nothing_in_common(baseline, candidates, n, err);
	}
	note_rounding(out);
	family_judge(out, &t, o);
	overall_collect(out, t.alpha);
	for (size_t i = 0; i < out->v.n; i++)
		notes_add(&out->v.v[i], out);
	return 0;
}
