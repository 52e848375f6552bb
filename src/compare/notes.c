#include <math.h>

#include "base/text.h"
#include "compare/internal.h"
#include "stats/ranks.h"

/* A diagnosis is worth a line when chance gives one like it once in a hundred comparisons. */
#define NOTE_ALPHA 0.01

static void note_losses(struct comparison *c)
{
	for (size_t i = 0; i < c->exclusions.n; i++)
		comparison_note(c, "%zu of %zu rounds excluded, %s", c->exclusions.v[i].rounds,
				c->rounds, c->exclusions.v[i].reason);
}

static void note_method(struct comparison *c)
{
	if (c->method == METHOD_STUDENT)
		comparison_note(c,
				"fewer than %d pairs: Student's t, which takes the differences "
				"to be normal",
				COMPARE_RANK_PAIRS);
	if (c->method == METHOD_WELCH)
		comparison_note(c,
				"so few values that the interval takes them to be normal (Welch)");
	if (c->method == METHOD_ROUNDING && c->paired)
		comparison_note(c, "the interval is what the resolution of the readings allows, no "
				   "more");
	if ((c->method == METHOD_SIGNED_RANK || c->method == METHOD_MANN_WHITNEY) && !c->exact)
		comparison_note(c, "more than %d values: p by the normal approximation",
				STATS_EXACT_MAX);
}

/* "+120 %", "0.031 %": never with an exponent. */
static void add_share(struct buf *b, double percent, bool sign)
{
	if (sign && percent >= 0)
		buf_addch(b, '+');
	text_add_significant(b, percent, 2);
	buf_addstr(b, " %");
}

/* One value a side: does what rounding allows leave the difference standing? */
static void note_rounding(struct comparison *c)
{
	const struct compare_estimate *e = &c->estimate;

	if (c->method != METHOD_ROUNDING || e->log == 0 || !(e->hi - e->lo > fabs(e->log)))
		return;
	struct buf b = BUF_INIT;
	buf_addstr(&b, "the readings are rounded too coarsely for a difference of ");
	add_share(&b, compare_percent(e->log), true);
	buf_addstr(&b, ": their resolution allows ");
	add_share(&b, compare_percent(e->lo), true);
	buf_addstr(&b, " to ");
	add_share(&b, compare_percent(e->hi), true);
	comparison_note(c, "%s", buf_str(&b));
	buf_release(&b);
}

static void note_step(struct comparison *c, double margin)
{
	struct buf b = BUF_INIT;

	if (!c->step_coarse || c->verdict == VERDICT_NONE)
		return;
	buf_addstr(&b, "one step of the reading is ");
	add_share(&b, 100 * c->step_share, false);
	buf_addf(&b, " of it, more than a quarter of the margin of %.3g %%", 100 * margin);
	comparison_note(c, "%s: \"same\" cannot be said, longer samples would help", buf_str(&b));
	buf_release(&b);
}

static void note_diagnosis(struct comparison *c)
{
	if (c->means_disagree)
		comparison_note(
			c,
			"the means say %+.2f %%, the robust estimate %+.2f %%: a few values "
			"pull the means",
			compare_percent(c->means_log), compare_percent(c->estimate.log));
	if (c->outliers > 0)
		comparison_note(c, "%zu of %zu pairs lie far from the others; they are kept",
				c->outliers, c->units.n);
	if (c->position.p < NOTE_ALPHA)
		comparison_note(
			c,
			"the second place in a pair costs %+.2f %%; the order is random, so "
			"both sides bear it alike",
			compare_percent(c->position.log));
	if (c->trend.p < NOTE_ALPHA)
		comparison_note(c,
				"the difference itself moved during the run, by %+.2f %% a pair: "
				"one figure for all of it says little",
				compare_percent(c->trend.slope));
	if (c->drift.p < NOTE_ALPHA)
		comparison_note(c,
				"both sides drifted together, by %+.3f %% a pair; pairs cancel it",
				compare_percent(c->drift.slope));
	/* under independence lag-1 autocorrelation is about normal with sd 1 / sqrt(n) */
	if (fabs(c->lag1) > 2.576 / sqrt((double)c->n))
		comparison_note(c,
				"neighbouring pairs are not independent (lag-1 autocorrelation "
				"%+.2f)",
				c->lag1);
}

void notes_add(struct comparison *c, const struct comparison_set *s)
{
	if (c->primary)
		note_losses(c);
	if (c->method == METHOD_NOTHING)
		return;
	note_method(c);
	note_rounding(c);
	note_step(c, s->margin);
	note_diagnosis(c);
}
