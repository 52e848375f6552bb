#include <math.h>
#include <stdlib.h>

#include "compare/internal.h"
#include "stats/describe.h"
#include "stats/mann_whitney.h"
#include "stats/pairwise.h"
#include "stats/power.h"
#include "stats/signed_rank.h"
#include "stats/student.h"

void columns_make(struct columns *c, size_t n)
{
	c->log = mem_array(n, sizeof(*c->log));
	c->lo = mem_array(n, sizeof(*c->lo));
	c->hi = mem_array(n, sizeof(*c->hi));
	c->n = n;
}

void columns_release(struct columns *c)
{
	free(c->log);
	free(c->lo);
	free(c->hi);
	*c = (struct columns){0};
}

/* A copy of x with every value moved by `by`. */
static double *moved(const double *x, size_t n, double by)
{
	double *v = mem_array(n, sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = x[i] + by;
	return v;
}

void estimate_sides(struct comparison *c, const double *baseline, size_t m, const double *candidate,
		    size_t n)
{
	struct compare_side *b = &c->baseline, *k = &c->candidate;

	b->mean = stats_mean(baseline, m);
	b->sd = stats_sd(baseline, m);
	k->mean = stats_mean(candidate, n);
	k->sd = stats_sd(candidate, n);
	c->means_log = c->direction == LESS_IS_BETTER ? stats_log_ratio(b->mean, k->mean)
						      : stats_log_ratio(k->mean, b->mean);
	c->step_share = fmax(b->step / b->mean, k->step / k->mean);
}

/*
 * The five p-values that signed ranks give: no difference; at most the margin up (its upper bounds
 * lie below it) and down; more than the margin up.
 */
static void p_signed_rank(struct comparison *c, const struct columns *d, double margin)
{
	double *up = moved(d->hi, d->n, -margin), *down = moved(d->lo, d->n, margin);
	double *worse = moved(d->lo, d->n, -margin);
	struct stats_test t;

	stats_signed_rank(d->log, d->n, COMPARE_TIE, &t);
	c->p = t.p_two;
	c->exact = t.exact;
	stats_signed_rank(up, d->n, COMPARE_TIE, &t);
	c->p_better = t.p_less;
	stats_signed_rank(down, d->n, COMPARE_TIE, &t);
	c->p_same = fmax(c->p_better, t.p_greater);
	stats_signed_rank(worse, d->n, COMPARE_TIE, &t);
	c->p_worse = t.p_greater;
	free(up);
	free(down);
	free(worse);
}

/*
 * Rounding that equal readings hide: both sides uniform within half a step, so variances h^2 / 3,
 * the two h about equal.
 */
static double rounding_variance(const struct columns *d)
{
	double width = (stats_mean(d->hi, d->n) - stats_mean(d->lo, d->n)) / 2;

	return width * width / 6;
}

void estimate_interval(const struct columns *d, double alpha, struct compare_estimate *out)
{
	struct stats_student s;

	*out = (struct compare_estimate){NAN, NAN, NAN};
	if (d->n >= COMPARE_RANK_PAIRS) {
		double *sorted = stats_sorted(d->log, d->n);
		out->log = stats_walsh_median(sorted, d->n);
		free(sorted);
		stats_signed_rank_interval(d->lo, d->hi, d->n, alpha, &out->lo, &out->hi);
		return;
	}
	out->log = stats_mean(d->log, d->n);
	if (!stats_student_one(d->log, d->n, rounding_variance(d), &s))
		return;
	double half = stats_student_half(&s, alpha);
	out->lo = stats_mean(d->lo, d->n) - half;
	out->hi = stats_mean(d->hi, d->n) + half;
}

static void by_signed_rank(struct comparison *c, const struct columns *d, const struct testing *t)
{
	double lo = c->estimate.lo, hi = c->estimate.hi;

	c->method = METHOD_SIGNED_RANK;
	p_signed_rank(c, d, t->margin);
	if (t->verdicts_only)
		return;
	/* what noise does, without the rounding and whatever the look: from the plain interval */
	if (c->step_share > 0 || t->looks.n > 1)
		stats_signed_rank_interval(d->log, d->log, d->n, COMPARE_ALPHA, &lo, &hi);
	c->sd = stats_sd_from_half((hi - lo) / 2, d->n, COMPARE_ALPHA);
}

static void by_student(struct comparison *c, const struct columns *d, const struct testing *t)
{
	struct stats_student s;

	c->method = METHOD_STUDENT;
	c->exact = true;
	if (!isfinite(rounding_variance(d))) {
		comparison_none(c, "readings are no larger than half a step of theirs");
		return;
	}
	if (!stats_student_one(d->log, d->n, rounding_variance(d), &s)) {
		comparison_none(c,
				"the %zu pairs do not vary at all and the step of the reading is "
				"not known",
				d->n);
		return;
	}
	c->sd = s.error * sqrt((double)d->n);
	c->p = fmin(1, 2 * fmin(stats_student_less(&s, 0), stats_student_greater(&s, 0)));
	s.estimate = stats_mean(d->hi, d->n);
	c->p_better = stats_student_less(&s, t->margin);
	s.estimate = stats_mean(d->lo, d->n);
	c->p_same = fmax(c->p_better, stats_student_greater(&s, -t->margin));
	c->p_worse = stats_student_greater(&s, t->margin);
}

/*
 * The change of means as a table shows it: of all rounds, also where lives have different numbers
 * of them.
 */
static void means_of_rounds(struct comparison *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->units.n; i++)
		n += c->units.v[i].rounds;
	double *baseline = mem_array(n, sizeof(*baseline));
	double *candidate = mem_array(n, sizeof(*candidate));
	n = 0;
	for (size_t i = 0; i < c->units.n; i++) {
		for (size_t k = 0; k < c->units.v[i].rounds; k++, n++) {
			baseline[n] = c->units.v[i].baseline;
			candidate[n] = c->units.v[i].candidate;
		}
	}
	double b = stats_mean(baseline, n), k = stats_mean(candidate, n);
	c->means_log =
		c->direction == LESS_IS_BETTER ? stats_log_ratio(b, k) : stats_log_ratio(k, b);
	free(baseline);
	free(candidate);
}

void estimate_paired(struct comparison *c, const struct testing *t)
{
	struct columns d;
	size_t n = c->units.n;

	if (n == 0) {
		comparison_none(c, c->rounds == 0 ? "it was not measured on both sides"
						  : "no pair of values can be used");
		return;
	}
	columns_make(&d, n);
	double *baseline = mem_array(n, sizeof(*baseline));
	double *candidate = mem_array(n, sizeof(*candidate));
	double step_b = 0, step_c = 0;
	for (size_t i = 0; i < n; i++) {
		const struct compare_unit *u = &c->units.v[i];
		d.log[i] = u->log;
		d.lo[i] = u->log_lo;
		d.hi[i] = u->log_hi;
		baseline[i] = u->baseline;
		candidate[i] = u->candidate;
		step_b += u->step_baseline;
		step_c += u->step_candidate;
	}
	c->baseline.step = step_b / (double)n;
	c->candidate.step = step_c / (double)n;
	estimate_sides(c, baseline, n, candidate, n);
	if (c->rounds - c->excluded > n)
		means_of_rounds(c);
	estimate_interval(&d, t->alpha, &c->estimate);
	if (n >= COMPARE_RANK_PAIRS) {
		by_signed_rank(c, &d, t);
	} else if (n > 1) {
		by_student(c, &d, t);
	} else {
		c->method = METHOD_ROUNDING;
		c->estimate = (struct compare_estimate){d.log[0], d.lo[0], d.hi[0]};
		comparison_none(c, "all values come from one life of the service: they cannot show "
				   "how lives differ");
	}
	free(baseline);
	free(candidate);
	columns_release(&d);
}

static void by_mann_whitney(struct comparison *c, const struct columns *x, const struct columns *y,
			    const struct testing *t)
{
	double *sx = stats_sorted(x->log, x->n), *sy = stats_sorted(y->log, y->n), lo, hi;
	struct stats_test r;

	c->method = METHOD_MANN_WHITNEY;
	c->estimate.log = stats_differences_median(sx, x->n, sy, y->n);
	free(sx);
	free(sy);
	stats_mann_whitney_interval(x->lo, x->hi, x->n, y->lo, y->hi, y->n, t->alpha,
				    &c->estimate.lo, &c->estimate.hi);
	stats_mann_whitney(x->log, x->n, y->log, y->n, COMPARE_TIE, &r);
	c->exact = r.exact;
	if (c->sessions_only)
		return;
	c->p = r.p_two;
	double *up = moved(y->hi, y->n, -t->margin), *down = moved(y->lo, y->n, t->margin);
	double *worse = moved(y->lo, y->n, -t->margin);
	stats_mann_whitney(x->lo, x->n, up, y->n, COMPARE_TIE, &r);
	c->p_better = r.p_less;
	stats_mann_whitney(x->hi, x->n, down, y->n, COMPARE_TIE, &r);
	c->p_same = fmax(c->p_better, r.p_greater);
	stats_mann_whitney(x->hi, x->n, worse, y->n, COMPARE_TIE, &r);
	c->p_worse = r.p_greater;
	free(up);
	free(down);
	free(worse);
	stats_mann_whitney_interval(x->log, x->log, x->n, y->log, y->log, y->n, COMPARE_ALPHA, &lo,
				    &hi);
	c->sd = stats_sd_from_half((hi - lo) / 2, c->n, COMPARE_ALPHA);
}

static void by_welch(struct comparison *c, const struct columns *x, const struct columns *y,
		     const struct testing *t)
{
	double lo = stats_mean(y->lo, y->n) - stats_mean(x->hi, x->n);
	double hi = stats_mean(y->hi, y->n) - stats_mean(x->lo, x->n);
	struct stats_student s;

	c->method = METHOD_WELCH;
	c->exact = true;
	c->estimate.log = stats_mean(y->log, y->n) - stats_mean(x->log, x->n);
	/* values that do not vary say nothing beyond their rounding */
	double half = 0;
	if (stats_student_welch(x->log, x->n, y->log, y->n, &s))
		half = stats_student_half(&s, t->alpha);
	c->estimate.lo = lo - half;
	c->estimate.hi = hi + half;
}

/* With one value on a side there is no spread to judge by: the range that the readings allow. */
static void by_rounding(struct comparison *c, const struct columns *x, const struct columns *y)
{
	double *sx = stats_sorted(x->log, x->n), *sy = stats_sorted(y->log, y->n);

	c->method = METHOD_ROUNDING;
	c->estimate = (struct compare_estimate){stats_differences_median(sx, x->n, sy, y->n),
						INFINITY, -INFINITY};
	for (size_t i = 0; i < x->n; i++) {
		for (size_t j = 0; j < y->n; j++) {
			c->estimate.lo = fmin(c->estimate.lo, y->lo[j] - x->hi[i]);
			c->estimate.hi = fmax(c->estimate.hi, y->hi[j] - x->lo[i]);
		}
	}
	free(sx);
	free(sy);
}

void estimate_unpaired(struct comparison *c, const struct columns *x, const struct columns *y,
		       const struct testing *t)
{
	if (x->n == 0 || y->n == 0) {
		comparison_none(c, "one side has no value that can be used");
		return;
	}
	c->n = x->n < y->n ? x->n : y->n;
	if (stats_mann_whitney_k(x->n, y->n, t->alpha, NULL) > 0)
		by_mann_whitney(c, x, y, t);
	else if (c->n > 1)
		by_welch(c, x, y, t);
	else
		by_rounding(c, x, y);
}
