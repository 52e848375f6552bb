/*
 * compare: from measured values to verdicts. Pure: reads an experiment or plain
 * values, fills a struct comparison_set, which owns everything in it
 * (comparison_set_release()). Formulas and sources: doc/statistics.md.
 *
 * Every figure is about cost: time, or the inverse of a rate. A "log ratio" is
 * ln(cost of the candidate / cost of the baseline): below 0 the candidate is
 * faster. compare_percent() and compare_times() turn it into the two views that
 * are printed. What is not known is NaN.
 *
 * The unit of the statistics is the pair of lives: values of executions that
 * share a life are averaged first, in their own unit. Values that were not
 * measured in pairs (compare_pools) are compared by life "within these sessions
 * only" and get no verdict, unless each side has at least COMPARE_SESSIONS
 * sessions: then the session is the unit.
 */
#ifndef LAMPDUEL_COMPARE_COMPARE_H
#define LAMPDUEL_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "stats/looks.h"
#include "stats/trend.h"
#include "store/experiment.h"

#define COMPARE_ALPHA 0.05 /* level of every test, after Holm's adjustment */
#define COMPARE_MARGIN 0.02
#define COMPARE_POWER 0.8 /* for "how many" and "how small" */

#define COMPARE_ANY_SYSTEM SIZE_MAX

enum {
	COMPARE_SESSIONS = 6,   /* sessions a side for a verdict on unpaired values */
	COMPARE_RANK_PAIRS = 6, /* fewer pairs: Student's t */
};

enum verdict {
	VERDICT_FASTER,
	VERDICT_SLOWER,
	VERDICT_SAME,    /* within the margin */
	VERDICT_UNCLEAR, /* neither a difference nor sameness is shown yet */
	VERDICT_NONE,    /* these values cannot give one; reason says why */
};

enum compare_method {
	METHOD_NOTHING,      /* no figures at all */
	METHOD_ROUNDING,     /* a value alone on one side: only its rounding is known */
	METHOD_STUDENT,      /* 2..5 pairs */
	METHOD_SIGNED_RANK,  /* 6 pairs and more */
	METHOD_WELCH,        /* unpaired, too few for ranks */
	METHOD_MANN_WHITNEY, /* unpaired */
};

/* A log ratio with its 95 % interval (or the repeated one of a look). */
struct compare_estimate {
	double log, lo, hi;
};

double compare_percent(double log_ratio); /* -25.5: 25.5 % less time */
double compare_times(double log_ratio);   /* 1.34: 1.34 times as fast */

struct compare_side {
	char *name; /* of the system */
	size_t values, lives, sessions;
	double mean, sd; /* of the units' values, in the metric's unit; sd NaN below two units */
	double step;     /* mean resolution of the readings, metric's unit */
	size_t excluded; /* rounds lost by this side alone */
};

/* One life pair. Unpaired comparisons have none. */
struct compare_unit {
	double baseline, candidate; /* means, in the metric's unit */
	double step_baseline, step_candidate;
	double log;            /* of candidate over baseline, cost */
	double log_lo, log_hi; /* its bounds by rounding */
	int order;             /* +1 the baseline ran first, -1 the candidate did, 0 mixed */
	size_t rounds;         /* averaged in it */
	int round;             /* number of the first of them */
	bool outlier;          /* log is far from the others'; nothing is dropped for it */
};

struct compare_exclusion {
	char *reason; /* "baseline: disturbed" */
	size_t rounds;
};

/* Does the second place in a pair cost more? Half the shift between the two orders. */
struct compare_position {
	double log, p; /* NaN with fewer than three pairs in one of the orders */
	size_t baseline_first, candidate_first;
};

enum gate_result {
	GATE_PASS,      /* shown: the cost grows by less than the margin */
	GATE_FAIL,      /* shown: it grows by more */
	GATE_UNDECIDED, /* neither */
};

struct comparison {
	char *metric, *unit, *conditions;
	char *workload; /* "openssl": the metric's first part */
	char *task;     /* "" for unpaired values */
	enum metric_direction direction;
	bool primary; /* belongs to the family */
	bool paired;
	bool emulated; /* either side: use comparison_word(), never "faster" */
	size_t baseline_system, candidate_system; /* indexes in the experiment; 0 when unpaired */
	struct compare_side baseline, candidate;

	size_t rounds;   /* that were to be counted */
	size_t excluded; /* of them */
	VEC(struct compare_exclusion) exclusions;
	VEC(struct compare_unit) units; /* in the order they were measured */
	size_t n;                       /* pairs of lives; unpaired: units of the smaller side */

	/* the reference's way: change of the means of both sides, as a log ratio of cost */
	double means_log;
	bool means_disagree; /* with the estimate: in sign, or by more than half the interval */

	enum compare_method method;
	bool exact;         /* false: normal approximation */
	bool sessions_only; /* the interval speaks of these sessions and no others */
	struct compare_estimate estimate;
	double level;      /* the interval's nominal level: 0.95, higher at a look */
	double step_share; /* the larger step / mean of the two sides */
	bool step_coarse;  /* above a quarter of the margin: "same" cannot be said */

	/* each p: as it is, and after looks and Holm over the family */
	double p, p_adjusted;               /* there is no difference */
	double p_same, p_same_adjusted;     /* it is as large as the margin (TOST) */
	double p_worse, p_worse_adjusted;   /* gate: cost grows by at most the margin */
	double p_better, p_better_adjusted; /* gate: cost grows by at least the margin */

	enum verdict verdict;
	char *reason;       /* of VERDICT_NONE; else "" */
	bool mixed;         /* one side is emulated, the other not: NONE, and part of no mean */
	bool unreliable;    /* too many rounds were lost, or unevenly: NONE */
	bool withheld;      /* a check of one system against itself found a difference: NONE */
	bool within_margin; /* SAME, and the difference is real all the same */
	enum gate_result gate;
	size_t look, looks; /* 1-based look and how many were planned; 0, 0 without looks */

	double sd;           /* of one pair's log ratio, from the width of its 95 % interval */
	double detectable;   /* smallest log ratio these n show with 80 % power in this family */
	size_t pairs_needed; /* UNCLEAR: pairs in all that would settle it; 0: no number would */
	size_t pairs_fewest; /* the rank test cannot show a difference in this family with fewer */
	struct compare_position position;
	struct stats_trend trend; /* of the log ratio, per pair */
	struct stats_trend drift; /* of both sides' cost together, per pair */
	double lag1;              /* of the log ratios */
	size_t outliers;
	VEC(char *) notes; /* one line each, what a reader must know */
};

/* Geometric mean over workloads for one candidate, each workload with equal weight. */
struct compare_overall {
	char *candidate;
	size_t candidate_system;
	struct compare_estimate estimate;    /* interval NaN when it cannot be given */
	size_t workloads, metrics, left_out; /* left_out: primary metrics without an estimate */
	size_t n;                            /* rounds common to all of them */
	size_t judged;                       /* primary metrics with faster, slower or same */
	bool single; /* no metric has more than one value on both sides: no verdict is possible */
	bool judgeable; /* a metric is unclear: more rounds may settle it */
	bool emulated;
};

struct comparison_set {
	VEC(struct comparison) v;
	VEC(struct compare_overall) overall; /* candidates with two workloads or more */
	size_t family;                       /* primary comparisons with a test */
	double margin;
	enum gate_result gate; /* over the family; UNDECIDED when it is empty */
	struct stats_looks looks;
	VEC(char *) notes;
};

/* What an A/A run said about a metric. */
struct compare_finding {
	char *metric, *conditions;
	size_t system;   /* of the experiment compared, that the check was of; COMPARE_ANY_SYSTEM */
	bool difference; /* it found one where there is none */
	struct compare_estimate estimate;
	int64_t experiment, unix_ns;
};

struct compare_findings {
	VEC(struct compare_finding) v; /* of one metric and system the last counts */
};

/*
 * What the levels of looks cost to find, remembered between comparisons with equal looks: for
 * whoever makes thousands of them. Zeroed at first; free with compare_memo_release().
 */
struct compare_memo_plan {
	int looks_max, rounds;
	bool ended;
	struct stats_looks looks;
	size_t look;
	double alpha; /* two-sided, of this look's interval */
};

struct compare_memo_scales {
	struct stats_looks looks;
	size_t look, family;
	struct stats_looks_scale two, one;
};

struct compare_memo {
	VEC(struct compare_memo_plan) plans;
	VEC(struct compare_memo_scales) scales;
};

void compare_memo_release(struct compare_memo *m);

struct compare_options {
	double margin; /* share; 0: COMPARE_MARGIN */
	/*
	 * A run that was tested on its way: its largest number of rounds, which fixes the looks
	 * (stats_looks_plan); 0: the number of rounds was fixed, one test.
	 */
	int looks_max;
	bool looks_ended; /* it ended by a time limit or by hand: the last look is now */
	const struct compare_findings *aa; /* of all checks there are; NULL: nobody looked */
	struct compare_memo *memo;         /* may be NULL */
	bool verdicts_only; /* no diagnosis, needs, overall means or notes: for looks */
};

/*
 * Every candidate of an experiment against its baseline. Experiments of kind "import" are compared
 * unpaired. Fails (ERR_USAGE) with fewer than two systems. *out is initialised by the callee.
 */
int compare_experiment(const struct experiment *e, const struct compare_options *o,
		       struct comparison_set *out, struct err *err);
void comparison_set_release(struct comparison_set *s);

/*
 * For the runner: every primary metric has faster, slower or same, so the rounds that are left
 * could change nothing.
 */
bool compare_decided(const struct comparison_set *s);
/* Rounds below which a family of this size cannot give any verdict. */
size_t compare_fewest_rounds(size_t family);

/* Values of one side that were not measured in pairs: by metric, in any order. */
struct compare_value {
	double value, step;
	int life;    /* values of one life are averaged */
	int session; /* 1..: measured together, at one time; one experiment is one session */
};

struct compare_metric {
	char *metric, *unit, *conditions;
	enum metric_direction direction;
	bool primary;
	VEC(struct compare_value) values;
};

struct compare_pool {
	char *name;
	bool emulated;
	VEC(struct compare_metric) metrics;
};

void compare_pool_init(struct compare_pool *p, const char *name, bool emulated);
void compare_pool_release(struct compare_pool *p);
void compare_pool_add(struct compare_pool *p, const char *metric, const char *unit,
		      const char *conditions, bool primary, const struct compare_value *v);
/*
 * All counted executions of one system. session: of each execution of e; NULL: all are of session
 * 1. Lives are numbered by (session, life).
 */
void compare_pool_add_experiment(struct compare_pool *p, const struct experiment *e, size_t system,
				 const int *session);
/*
 * Each candidate against the baseline. A metric that only one side has gets no comparison but a
 * note of the set. Fails only when no metric is on both sides.
 */
int compare_pools(const struct compare_pool *baseline, const struct compare_pool *candidates,
		  size_t n, const struct compare_options *o, struct comparison_set *out,
		  struct err *err);

/*
 * What a comparison set of an A/A experiment found, for any system; appended. The strings are
 * copies. A metric whose rounds are too few to show a difference leaves no finding.
 */
void compare_findings_add(struct compare_findings *f, const struct comparison_set *s,
			  int64_t experiment, int64_t unix_ns);
void compare_findings_release(struct compare_findings *f);

/* Words. */
const char *verdict_name(enum verdict v);                /* "faster": for machines */
const char *compare_method_name(enum compare_method m);  /* "signed-rank": for machines */
const char *compare_method_words(enum compare_method m); /* "Wilcoxon's signed-rank test" */
const char *gate_result_name(enum gate_result g);        /* "pass" "fail" "undecided" */
/* What a table shows: "faster", "less time under emulation", "smaller" (bytes), "unclear". */
const char *comparison_word(const struct comparison *c);
/* What n counts, in the plural: "rounds", "starts" (lives of several rounds), "sessions". */
const char *comparison_units(const struct comparison *c);
/*
 * Appends the figures behind it, in the terms of statistics: method, p, position effect, trend,
 * autocorrelation, smallest detectable difference. Nothing when there are none; no line end.
 */
void comparison_details(const struct comparison *c, struct buf *b);
/* Appends one plain English sentence that says the verdict and why; no line end. */
void comparison_explain(const struct comparison *c, const struct comparison_set *s, struct buf *b);

#endif
