#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "compare/internal.h"
#include "stats/describe.h"

/* A comparison that takes part, with its weight: 1 / (workloads * metrics of its workload). */
struct part {
	struct comparison *c;
	double weight;
	size_t next; /* unit to look at */
};

struct parts {
	VEC(struct part) v;
};

static bool takes_part(const struct comparison *c)
{
	return c->primary && !c->unreliable && !c->mixed && isfinite(c->estimate.log);
}

static size_t weigh(struct parts *p)
{
	size_t workloads = 0;

	for (size_t i = 0; i < p->v.n; i++) {
		size_t same = 0, first = i;
		for (size_t j = 0; j < p->v.n; j++) {
			if (!text_equal(p->v.v[i].c->workload, p->v.v[j].c->workload))
				continue;
			same++;
			if (j < first)
				first = j;
		}
		p->v.v[i].weight = 1 / (double)same;
		workloads += first == i;
	}
	for (size_t i = 0; i < p->v.n; i++)
		p->v.v[i].weight /= (double)workloads;
	return workloads;
}

static const struct compare_unit *unit_of_round(struct part *p, const struct compare_unit *like)
{
	/* tasks of one experiment meet the rounds in the same order, so look on from the last */
	size_t n = p->c->units.n;

	for (size_t k = 0; k < n; k++) {
		size_t i = (p->next + k) % n;
		const struct compare_unit *u = &p->c->units.v[i];
		if (u->round == like->round && u->rounds == like->rounds) {
			p->next = i + 1;
			return u;
		}
	}
	return NULL;
}

/* The weighted log ratios of each round (or life) that every part has. */
static void common_units(struct parts *p, struct columns *d)
{
	const struct comparison *first = p->v.v[0].c;

	columns_make(d, first->units.n);
	d->n = 0;
	for (size_t i = 0; i < first->units.n; i++) {
		double log = 0, lo = 0, hi = 0;
		bool all = true;
		for (size_t j = 0; j < p->v.n && all; j++) {
			struct part *part = &p->v.v[j];
			const struct compare_unit *u = unit_of_round(part, &first->units.v[i]);
			all = u != NULL;
			if (all) {
				log += part->weight * u->log;
				lo += part->weight * u->log_lo;
				hi += part->weight * u->log_hi;
			}
		}
		if (all) {
			d->log[d->n] = log;
			d->lo[d->n] = lo;
			d->hi[d->n] = hi;
			d->n++;
		}
	}
}

static void estimate_overall(struct parts *p, double alpha, struct compare_overall *o)
{
	double *terms = mem_array(p->v.n, sizeof(*terms));
	struct compare_estimate rounds;
	struct columns d;

	for (size_t i = 0; i < p->v.n; i++)
		terms[i] = p->v.v[i].weight * p->v.v[i].c->estimate.log;
	o->estimate = (struct compare_estimate){stats_sum(terms, p->v.n), NAN, NAN};
	free(terms);
	common_units(p, &d);
	o->n = d.n;
	if (d.n > 1) {
		/* the interval of the rounds' own means, around the mean of the estimates shown */
		estimate_interval(&d, alpha, &rounds);
		o->estimate.lo = o->estimate.log + (rounds.lo - rounds.log);
		o->estimate.hi = o->estimate.log + (rounds.hi - rounds.log);
	}
	columns_release(&d);
}

static void add_candidate(struct comparison_set *s, const struct comparison *like, double alpha)
{
	struct compare_overall o = {.candidate_system = like->candidate_system};
	struct parts p = {0};

	o.single = true;
	for (size_t i = 0; i < s->v.n; i++) {
		struct comparison *c = &s->v.v[i];
		if (!c->primary || !text_equal(c->candidate.name, like->candidate.name))
			continue;
		if (takes_part(c))
			vec_push(&p.v, ((struct part){.c = c}));
		else
			o.left_out++;
		o.emulated |= c->emulated;
		o.judged += c->verdict <= VERDICT_SAME;
		o.judgeable |= c->verdict == VERDICT_UNCLEAR;
		o.single &= c->method <= METHOD_ROUNDING;
	}
	o.metrics = p.v.n;
	o.workloads = weigh(&p);
	if (o.workloads > 1) {
		estimate_overall(&p, alpha, &o);
		o.candidate = mem_strdup(like->candidate.name);
		vec_push(&s->overall, o);
	}
	vec_release(&p.v);
}

void overall_collect(struct comparison_set *s, double alpha)
{
	for (size_t i = 0; i < s->v.n; i++) {
		bool new = true;
		for (size_t j = 0; j < i; j++)
			new &= !text_equal(s->v.v[i].candidate.name, s->v.v[j].candidate.name);
		if (new)
			add_candidate(s, &s->v.v[i], alpha);
	}
}
