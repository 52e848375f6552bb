#include <math.h>
#include <string.h>

#include "base/text.h"
#include "compare/internal.h"

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = {"faster", "slower", "same", "unclear", "none"};

	return names[v];
}

const char *compare_method_name(enum compare_method m)
{
	static const char *const names[] = {"nothing",     "rounding", "student",
					    "signed-rank", "welch",    "mann-whitney"};

	return names[m];
}

const char *compare_method_words(enum compare_method m)
{
	static const char *const words[] = {
		"no figures",
		"The ratio with the rounding of its readings",
		"Student's t on pairs",
		"Wilcoxon's signed-rank test with the Hodges-Lehmann estimate",
		"Welch's t interval",
		"Mann and Whitney's test with the Hodges-Lehmann estimate",
	};

	return words[m];
}

const char *gate_result_name(enum gate_result g)
{
	static const char *const names[] = {"pass", "fail", "undecided"};

	return names[g];
}

static bool is_size(const struct comparison *c)
{
	return text_equal(c->unit, "B");
}

const char *comparison_word(const struct comparison *c)
{
	static const char *const emulated[] = {"less time under emulation",
					       "more time under emulation",
					       "same time under emulation"};
	static const char *const sizes[] = {"smaller", "larger", "same"};

	if (c->verdict > VERDICT_SAME)
		return verdict_name(c->verdict);
	if (is_size(c))
		return sizes[c->verdict];
	return c->emulated ? emulated[c->verdict] : verdict_name(c->verdict);
}

const char *comparison_units(const struct comparison *c)
{
	if (!c->paired)
		return "sessions";
	for (size_t i = 0; i < c->units.n; i++) {
		if (c->units.v[i].rounds > 1)
			return "starts";
	}
	return "rounds";
}

/* What more of would help, where the unit is not the round. */
static const char *more_of(const struct comparison *c)
{
	return text_equal(comparison_units(c), "starts")
		       ? " (more starts of the services, --lives, not more rounds in each)"
		       : "";
}

static void add_percent(struct buf *b, double log_ratio)
{
	double percent = compare_percent(log_ratio), size = fabs(percent);

	buf_addf(b, "%.*f %%", size < 10 ? 2 : 1, size);
}

/* "25.5 % less" */
static void add_change(struct buf *b, double log_ratio)
{
	add_percent(b, log_ratio);
	buf_addstr(b, log_ratio < 0 ? " less" : " more");
}

/* As printed, it is no difference at all. */
static bool is_nothing(double log_ratio)
{
	return fabs(compare_percent(log_ratio)) < 0.005;
}

static const char *thing(const struct comparison *c)
{
	return is_size(c) ? "space" : "time";
}

/* "hard takes 25.5 % less time than soft" */
static void add_takes(const struct comparison *c, const char *takes, struct buf *b)
{
	buf_addf(b, "%s %s ", c->candidate.name, takes);
	if (is_nothing(c->estimate.log)) {
		buf_addf(b, "as much %s as %s", thing(c), c->baseline.name);
		return;
	}
	add_change(b, c->estimate.log);
	buf_addf(b, " %s than %s", thing(c), c->baseline.name);
}

static void add_interval(const struct comparison *c, struct buf *b)
{
	if (isnan(c->estimate.lo) || isnan(c->estimate.hi))
		return;
	buf_addstr(b, "between ");
	add_change(b, c->estimate.lo);
	buf_addstr(b, " and ");
	add_change(b, c->estimate.hi);
}

/* "15 rounds" */
static void add_count(const struct comparison *c, size_t n, struct buf *b)
{
	buf_addf(b, "%zu %s", n, comparison_units(c));
}

/* The table's own figure, so that nobody takes it and the estimate for one. */
static void add_means(const struct comparison *c, struct buf *b)
{
	if (isnan(c->means_log))
		return;
	buf_addstr(b, "; the means say ");
	if (is_nothing(c->means_log))
		buf_addstr(b, "the same");
	else
		add_change(b, c->means_log);
}

static void add_luck(double p, struct buf *b)
{
	/* always rounded up, so that the claim holds */
	if (p < 0.0001)
		buf_addstr(b, "luck alone would do that less than once in 10,000 tables like this");
	else
		buf_addf(b,
			 "luck alone would do that at most %.0f times in 10,000 tables like this",
			 ceil(p * 10000 - 1e-6));
}

/* Which figure the sentence speaks of. */
static const char *estimate_words(const struct comparison *c)
{
	if (c->method == METHOD_SIGNED_RANK || c->method == METHOD_MANN_WHITNEY)
		return "the robust estimate";
	return c->method == METHOD_ROUNDING ? "the ratio" : "the mean ratio";
}

static void add_source(const struct comparison *c, struct buf *b)
{
	buf_addf(b, "by %s from ", estimate_words(c));
	add_count(c, c->n, b);
}

static void explain_difference(const struct comparison *c, struct buf *b)
{
	add_takes(c, "takes", b);
	buf_addstr(b, " (");
	text_add_significant(
		b, is_size(c) ? compare_times(-c->estimate.log) : compare_times(c->estimate.log),
		3);
	buf_addf(b, " times as %s) ",
		 is_size(c)    ? "large"
		 : c->emulated ? "fast under emulation"
			       : "fast");
	add_source(c, b);
	buf_addstr(b, ", ");
	add_interval(c, b);
	buf_addstr(b, " with 95 % confidence; ");
	add_luck(c->p_adjusted, b);
	add_means(c, b);
}

static void explain_same(const struct comparison *c, double margin, struct buf *b)
{
	buf_addf(b, "%s and %s take the same %s to within %.3g %%: ", c->candidate.name,
		 c->baseline.name, thing(c), 100 * margin);
	add_source(c, b);
	buf_addstr(b, " the difference is ");
	add_change(b, c->estimate.log);
	buf_addstr(b, ", ");
	add_interval(c, b);
	if (c->within_margin)
		buf_addstr(b, "; a difference is there, but smaller than what was asked for");
	add_means(c, b);
}

static void explain_unclear(const struct comparison *c, double margin, struct buf *b)
{
	add_count(c, c->n, b);
	buf_addstr(b, " do not settle it");
	if (!isnan(c->estimate.lo)) {
		buf_addf(b, ": by %s ", estimate_words(c));
		add_takes(c, "takes", b);
		buf_addstr(b, ", but it may be anywhere ");
		add_interval(c, b);
		buf_addf(b, ", which shows neither a difference nor sameness to within %.3g %%",
			 100 * margin);
	}
	if (c->method == METHOD_SIGNED_RANK && c->n < c->pairs_fewest) {
		buf_addstr(b, "; with so many metrics at least ");
		add_count(c, c->pairs_fewest, b);
		buf_addf(b, " are needed to show anything%s", more_of(c));
	} else if (c->pairs_needed > 0) {
		buf_addstr(b, "; about ");
		add_count(c, c->pairs_needed, b);
		buf_addf(b, " in all would%s", more_of(c));
	} else {
		buf_addf(b, "; more %s would hardly help, less noise or longer samples would",
			 comparison_units(c));
	}
	add_means(c, b);
}

static void explain_none(const struct comparison *c, struct buf *b)
{
	buf_addf(b, "no verdict: %s", c->reason);
	if (isnan(c->estimate.log))
		return;
	buf_addf(b, "; the figures alone say, by %s, that ", estimate_words(c));
	add_takes(c, "took", b);
	if (!isnan(c->estimate.lo)) {
		buf_addstr(b, ", ");
		add_interval(c, b);
	}
	add_means(c, b);
}

static void add_p(struct buf *b, const char *what, double p)
{
	if (!isnan(p))
		buf_addf(b, "%s p %.2g", what, p);
}

static void add_slope(struct buf *b, const char *what, const struct stats_trend *t)
{
	if (isnan(t->slope))
		return;
	buf_addf(b, "; %s %+.3f %% a pair", what, compare_percent(t->slope));
	add_p(b, ",", t->p);
}

void comparison_details(const struct comparison *c, struct buf *b)
{
	if (c->method == METHOD_NOTHING)
		return;
	buf_addf(b, "%s, n %zu", compare_method_words(c->method), c->n);
	if (c->looks > 0)
		buf_addf(b, ", look %zu of %zu", c->look, c->looks);
	if (c->n > 1 && !isnan(c->level))
		buf_addf(b, ", interval at %.4g %%", 100 * c->level);
	add_p(b, "; no difference:", c->p);
	add_p(b, ", adjusted", c->p_adjusted);
	add_p(b, "; beyond the margin:", c->p_same);
	add_p(b, ", adjusted", c->p_same_adjusted);
	if (!isnan(c->detectable)) {
		buf_addstr(b, "; smallest detectable difference ");
		text_add_significant(b, compare_percent(c->detectable), 2);
		buf_addstr(b, " %");
	}
	if (!isnan(c->position.log)) {
		buf_addf(b, "; position effect %+.2f %%", compare_percent(c->position.log));
		add_p(b, ",", c->position.p);
	}
	add_slope(b, "trend", &c->trend);
	add_slope(b, "drift", &c->drift);
	if (!isnan(c->lag1))
		buf_addf(b, "; lag-1 autocorrelation %+.2f", c->lag1);
	buf_addch(b, '.');
}

void comparison_explain(const struct comparison *c, const struct comparison_set *s, struct buf *b)
{
	struct buf text = BUF_INIT;

	switch (c->verdict) {
	case VERDICT_FASTER:
	case VERDICT_SLOWER:
		explain_difference(c, &text);
		break;
	case VERDICT_SAME:
		explain_same(c, s->margin, &text);
		break;
	case VERDICT_UNCLEAR:
		explain_unclear(c, s->margin, &text);
		break;
	case VERDICT_NONE:
		explain_none(c, &text);
		break;
	}
	if (c->emulated)
		buf_addstr(&text, "; emulated, so it says nothing about hardware");
	buf_addf(b, "%s: %s.", c->metric, buf_str(&text));
	buf_release(&text);
}
