#include "report/words.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/text.h"
#include "report/model_parts.h"

static void add_duration(struct buf *b, int64_t s)
{
	if (s >= 3600)
		buf_addf(b, "%lld h %lld min", (long long)(s / 3600), (long long)(s % 3600 / 60));
	else if (s >= 60)
		buf_addf(b, "%lld min %lld s", (long long)(s / 60), (long long)(s % 60));
	else
		buf_addf(b, "%lld s", (long long)s);
}

void words_title(const struct report_model *m, struct buf *b)
{
	/* what compare put together is no experiment of the store, and was not measured by it */
	if (m->id == 0) {
		buf_addf(b, "Comparison: %s (lampduel %s)", m->title, m->version);
		return;
	}
	buf_addf(b, "Experiment %lld", (long long)m->id);
	if (text_equal(m->kind, "reference"))
		buf_addstr(b, ", the reference case");
	else if (text_equal(m->kind, "aa"))
		buf_addstr(b, ", a check of one system against itself");
	if (m->title[0] != '\0')
		buf_addf(b, ": %s", m->title);
}

void words_circumstances(const struct report_model *m, struct buf *b)
{
	if (m->id == 0)
		return;
	if (text_equal(m->kind, "import")) {
		buf_addf(b, "imported %s, lampduel %s", m->created, m->version);
		return;
	}
	buf_addf(b, "%s, ", m->created);
	if (m->seconds >= 0) {
		add_duration(b, m->seconds);
		buf_addstr(b, ", ");
	}
	buf_addf(b, "%d of %d rounds, ", m->rounds_done, m->rounds_planned);
	if (m->warmup_rounds > 0)
		buf_addf(b, "%d to warm up, ", m->warmup_rounds);
	buf_addf(b, "seed %llu, lampduel %s", (unsigned long long)m->seed, m->version);
}

const char *words_emulation(void)
{
	return "Measured under emulation: the times are the emulator's, and nothing is claimed "
	       "about any hardware.";
}

bool words_pair_emulated(const struct report_model *m, size_t candidate)
{
	return m->systems.v[candidate].emulated || m->systems.v[m->baseline].emulated;
}

void words_problem(const struct report_model *m, const struct report_problem *p, struct buf *b)
{
	buf_addf(b, "%s, %s: %zu %s", m->systems.v[p->system].name, m->tasks.v[p->task], p->count,
		 p->what);
	if (p->reason[0] != '\0')
		buf_addf(b, " (%s)", p->reason);
}

void words_method(const struct report_model *m, struct buf *b)
{
	if (m->id == 0 || text_equal(m->kind, "import")) {
		buf_addstr(
			b,
			"The values were read from outputs that were made apart from each other. "
			"Such a comparison holds within these sessions only: what differs "
			"between one session and the next is not in its intervals.");
		return;
	}
	buf_addf(b, "%d rounds were measured. ", m->rounds_done);
	if (m->systems.n > 1)
		buf_addstr(b, "In each, every task ran on every system, the systems directly one "
			      "after the other and in an order drawn anew each time, so that what "
			      "drifts or comes and goes meets all of them alike. Each pair of "
			      "neighbours is compared with itself; the estimate is the "
			      "Hodges-Lehmann median of the pairs, its interval and test the "
			      "signed-rank's (Student's t below six pairs), and the verdicts are "
			      "adjusted for their number by Holm's method.");
	else
		buf_addstr(b,
			   "One system was measured alone: there is nothing to compare it with.");
	if (m->lives > 0 && m->lives < m->rounds_done)
		buf_addf(b, " The services were started %d times; a start is the unit.", m->lives);
}

const char *words_no_verdict(void)
{
	return "no verdict yet";
}

const char *words_time_heading(bool emulated)
{
	return emulated ? "time, emulated" : "time";
}

const char *words_times_heading(bool emulated)
{
	return emulated ? "as fast, emulated" : "as fast";
}

const char *words_direction(double ratio, bool emulated)
{
	if (ratio < 1)
		return emulated ? "less time under emulation" : "less time";
	if (ratio > 1)
		return emulated ? "more time under emulation" : "more time";
	return emulated ? "as much time under emulation" : "as much time";
}

/* An interval that is wide needs few decimals. */
static int decimals_of(double width)
{
	return width >= 1 ? 1 : width >= 0.1 ? 2 : 3;
}

/* "1.342x (1.335x to 1.350x)": an estimate and the interval that is its own. */
static void add_estimate(const struct compare_estimate *e, struct buf *b)
{
	double times = compare_times(e->log);
	/* more cost is less speed: the ends change places */
	double from = compare_times(e->hi);
	double to = compare_times(e->lo);

	if (isnan(from) || isnan(to)) {
		buf_addf(b, "%.3fx", times);
		return;
	}
	/* a reading no larger than half its step leaves an end open */
	int decimals = decimals_of(isfinite(to) ? to - from : times);
	buf_addf(b, "%.*fx (", decimals, times);
	if (isfinite(to) && from > 0)
		buf_addf(b, "%.*fx to %.*fx)", decimals, from, decimals, to);
	else if (isfinite(to))
		buf_addf(b, "up to %.*fx)", decimals, to);
	else
		buf_addf(b, "%.*fx or more)", decimals, from);
}

void words_verdict(const struct comparison *c, double margin, struct buf *b)
{
	if (c->verdict == VERDICT_NONE) {
		buf_addstr(b, "no verdict");
		buf_addstr(b, c->withheld     ? " (a check of one system against itself differs)"
			      : c->unreliable ? " (too many rounds were lost)"
			      : c->mixed      ? " (one side is emulated)"
					      : "");
	} else {
		buf_addstr(b, comparison_word(c));
		if (c->verdict == VERDICT_SAME)
			buf_addf(b, " within %g %%", 100 * margin);
	}
	/* one life of each side: its rounding is no measure of how sure anything is */
	bool rounding = c->method == METHOD_ROUNDING;
	if (!isnan(c->estimate.lo) && !isnan(c->estimate.hi) && !(rounding && c->paired)) {
		buf_addstr(b, ", ");
		add_estimate(&c->estimate, b);
		buf_addstr(b, rounding ? " by rounding" : "");
	}
	if (c->verdict == VERDICT_UNCLEAR && c->n < c->pairs_fewest)
		buf_addf(b, ", at least %zu %s are needed", c->pairs_fewest, comparison_units(c));
	else if (c->verdict == VERDICT_UNCLEAR && c->pairs_needed > c->n)
		buf_addf(b, ", about %zu %s would settle it", c->pairs_needed, comparison_units(c));
}

static bool has_estimate(const struct report_model *m)
{
	return m->explanations.n > 0;
}

/* Is there an interval of more than single values, which only rounding can give one? */
static bool has_interval(const struct report_model *m)
{
	for (size_t i = 0; i < m->primary_rows; i++) {
		for (size_t s = 0; s < m->rows.v[i].changes.n; s++) {
			if (m->rows.v[i].changes.v[s].has_interval)
				return true;
		}
	}
	return false;
}

bool words_has_rates(const struct report_model *m, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		for (size_t s = 0; s < m->rows.v[i].figures.n; s++) {
			if (m->rows.v[i].figures.v[s].second[0] != '\0')
				return true;
		}
	}
	return false;
}

bool words_has_verdicts(const struct report_model *m, size_t candidate, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (m->rows.v[i].changes.v[candidate].verdict[0] != '\0')
			return true;
	}
	return false;
}

void words_legend(const struct report_model *m, struct buf *b)
{
	buf_addstr(b, "Figures are means of n rounds; sd: standard deviation as a share of the "
		      "mean.");
	if (words_has_rates(m, 0, m->rows.n))
		buf_addstr(b, " Where a rate is shown, it is what was measured: the mean is the "
			      "rate's, and the time is its inverse.");
	if (m->systems.n > 1)
		buf_addstr(b, " Time and as fast are two views of one figure, the change of the "
			      "means.");
	if (has_estimate(m) && !has_interval(m))
		buf_addstr(b, " How sure: the verdict; single values have no interval but what the "
			      "rounding of the readings leaves open.");
	else if (has_estimate(m))
		buf_addstr(b, " How sure: the verdict, and what it rests on: the robust estimate "
			      "of as fast, which a few wild values hardly move, with its 95 % "
			      "interval.");
}

/* A mean of figures says that there is a difference only where its interval leaves out none. */
static bool shows_difference(const struct compare_estimate *e)
{
	return e->lo > 0 || e->hi < 0; /* false where there is no interval */
}

void words_overall(const struct compare_overall *o, const char *baseline, struct buf *b)
{
	double percent = compare_percent(o->estimate.log);
	char *candidate = text_escaped(o->candidate);
	char *no_verdict = o->single ? mem_printf("single values allow no verdict on %s against %s",
						  candidate, baseline)
				     : mem_printf("no verdict on %s against %s is possible%s",
						  candidate, baseline, o->judgeable ? " yet" : "");

	buf_addf(b, "%zu workloads together, each with the same weight: ", o->workloads);
	/* what no row of the table can say, their mean does not say either */
	if (o->judged == 0)
		buf_addf(b, "%s; the figure is ", no_verdict);
	else if (shows_difference(&o->estimate))
		buf_addf(b, "%s takes %.1f %% %s%s than %s: ", candidate, fabs(percent),
			 percent < 0 ? "less time" : "more time",
			 o->emulated ? " under emulation" : "", baseline);
	else
		buf_addf(b, "no difference between %s and %s is shown: ", candidate, baseline);
	add_estimate(&o->estimate, b);
	if (o->judged == 0)
		buf_addf(b, " as fast%s", o->emulated ? " under emulation" : "");
	buf_addf(b, ", geometric mean of %zu %s", o->metrics,
		 o->single ? "ratios" : "robust estimates");
	if (o->left_out > 0)
		buf_addf(b, ", %zu left out", o->left_out);
	buf_addch(b, '.');
	free(no_verdict);
	free(candidate);
}

/* "soft", "soft and hard", "a, b and c": the names for which wanted is true; NULL: none. */
static char *names(const struct report_model *m, const bool *wanted)
{
	struct buf b = BUF_INIT;
	size_t left = 0;

	for (size_t i = 0; i < m->systems.n; i++)
		left += wanted[i];
	if (left == 0)
		return NULL;
	for (size_t i = 0; i < m->systems.n; i++) {
		if (!wanted[i])
			continue;
		left--;
		buf_addf(&b, "%s%s", m->systems.v[i].name,
			 left == 0   ? ""
			 : left == 1 ? " and "
				     : ", ");
	}
	return buf_detach(&b);
}

static void state_note(struct report_model *m)
{
	static const char *const said[][2] = {
		{"running", "is not at its end"},
		{"interrupted", "was interrupted"},
		{"failed", "failed"},
	};

	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		if (text_equal(m->state, said[i][0]))
			model_note(m, "The run %s: %d of %d rounds are done.", said[i][1],
				   m->rounds_done, m->rounds_planned);
	}
}

static void emulation_note(struct report_model *m, const bool *emulated, const bool *native)
{
	char *under = names(m, emulated);
	char *real = names(m, native);

	if (under != NULL && real == NULL)
		model_note(
			m,
			"%s ran under emulation. The times are the emulator's on its host: nothing "
			"is claimed about any hardware.",
			under);
	else if (under != NULL)
		model_note(
			m,
			"%s ran under emulation, %s did not. Emulation costs time of its own, so "
			"the two do not compare, and nothing is claimed about any hardware.",
			under, real);
	free(under);
	free(real);
}

static void system_notes(const struct experiment *e, struct report_model *m)
{
	size_t n = e->systems.n;
	bool *emulated = mem_array(n, sizeof(bool));
	bool *native = mem_array(n, sizeof(bool));
	bool *shared = mem_array(n, sizeof(bool));
	bool *recorded = mem_array(n, sizeof(bool));

	for (size_t i = 0; i < n; i++) {
		const struct exp_system *s = &e->systems.v[i];
		emulated[i] = s->emulated;
		native[i] = !s->emulated;
		shared[i] = text_equal(factset_get(&s->facts, "kernel.shared"), "yes");
		recorded[i] = text_starts(s->target, "recorded:");
	}
	emulation_note(m, emulated, native);
	char *who = names(m, shared);
	if (who != NULL)
		model_note(
			m,
			"%s ran on the kernel of the host: what another kernel would change is not "
			"part of the figures.",
			who);
	free(who);
	who = names(m, recorded);
	if (who != NULL)
		model_note(m, "%s: replayed from a recording of an earlier run, not measured now.",
			   who);
	free(who);
	free(emulated);
	free(native);
	free(shared);
	free(recorded);
}

static bool has_published(const struct report_model *m)
{
	for (size_t i = 0; i < m->rows.n; i++) {
		if (m->rows.v[i].published != NULL)
			return true;
	}
	return false;
}

static bool has_row_of(const struct report_model *m, size_t task)
{
	for (size_t i = 0; i < m->rows.n; i++) {
		if (m->rows.v[i].task == task)
			return true;
	}
	return false;
}

/* Rounds that a change could not use because a side is missing. */
static void pair_notes(struct report_model *m)
{
	for (size_t i = 0; i < m->rows.n; i++) {
		const struct report_row *r = &m->rows.v[i];
		size_t base = r->figures.v[m->baseline].figure.n;

		for (size_t s = 0; s < m->systems.n; s++) {
			size_t n = r->changes.v[s].change.n;
			if (s != m->baseline && m->systems.n > 2 && r->changes.v[s].change.known &&
			    n != base)
				model_note(m,
					   "%s: the change of %s is of the %zu rounds that both it "
					   "and %s have.",
					   r->title, m->systems.v[s].name, n,
					   m->systems.v[m->baseline].name);
		}
	}
}

/*
 * Pasted figures come with claims like "25 % to 44 %" that take less time for one end and more
 * operations for the other: both ranges, so that a reader sees which is which.
 */
static void mixed_views_note(struct report_model *m, size_t system)
{
	double least = INFINITY, most = -INFINITY;
	size_t n = 0;

	for (size_t i = 0; i < m->rows.n; i++) {
		const struct change *c = &m->rows.v[i].changes.v[system].change;
		if (!m->rows.v[i].view.inverse || !c->known)
			continue;
		least = fmin(least, c->ratio);
		most = fmax(most, c->ratio);
		n++;
	}
	if (n < 2 || !(most < 1))
		return;
	double less = 100 * (1 - most), more = 100 * (1 / least - 1);
	model_note(m,
		   "%s: %.1f %% to %.1f %% less time an operation is %.1f %% to %.1f %% more "
		   "operations per second. A range from the one to the other, \"%.0f %% to "
		   "%.0f %%\", would mix the two.",
		   m->systems.v[system].name, less, 100 * (1 - least), 100 * (1 / most - 1), more,
		   floor(less), more);
}

void words_notes(const struct experiment *e, struct report_model *m)
{
	state_note(m);
	system_notes(e, m);
	for (size_t i = 0; i < m->tasks.n; i++) {
		if (m->executions > 0 && !has_row_of(m, i))
			model_note(m, "%s gave no value on any system.", m->tasks.v[i]);
	}
	pair_notes(m);
	for (size_t i = 0; text_equal(e->kind, "import") && i < m->systems.n; i++) {
		if (i != m->baseline)
			mixed_views_note(m, i);
	}
	if (has_published(m)) {
		for (size_t i = 0; published_notes[i] != NULL; i++)
			model_note(m, "%s", published_notes[i]);
	}
}
