/* internal: what the files of compare share. Not for others. */
#ifndef LAMPDUEL_COMPARE_INTERNAL_H
#define LAMPDUEL_COMPARE_INTERNAL_H

#include <float.h>

#include "compare/compare.h"

/*
 * Log ratios are computed from rounded values: closer than this they count as equal, so that a
 * change of scale cannot break ties.
 */
#define COMPARE_TIE (64 * DBL_EPSILON)

/* Columns of a comparison's units, for the functions of stats/. Free with columns_release(). */
struct columns {
	double *log, *lo, *hi; /* n each */
	size_t n;
};

void comparison_note(struct comparison *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Emulation costs time of its own: across its border nothing is compared. Sets emulated, mixed. */
void comparison_set_emulated(struct comparison *c, bool baseline, bool candidate);
/* Sets VERDICT_NONE with its reason; the first reason given stays. */
void comparison_none(struct comparison *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void comparison_init(struct comparison *c);
void comparison_release(struct comparison *c);

/* pairs.c: fills sides, units and exclusions of every comparison of an experiment. */
void pairs_collect(const struct experiment *e, struct comparison_set *s);

/* What the tests of one set have in common: its options, resolved. */
struct testing {
	double margin; /* log */
	double alpha;  /* two-sided, of the interval: smaller than COMPARE_ALPHA at a look; 0: none
			*/
	size_t look;   /* index into looks.at */
	struct stats_looks looks;
	bool verdicts_only;
};

/* estimate.c: estimate, interval and p-values of one comparison. */
void estimate_paired(struct comparison *c, const struct testing *t);
/* Unit means of both sides of an unpaired comparison, as log cost with rounding bounds. */
void estimate_unpaired(struct comparison *c, const struct columns *baseline,
		       const struct columns *candidate, const struct testing *t);
/* Means of both sides, their change, the share of the step (steps must be there). */
void estimate_sides(struct comparison *c, const double *baseline, size_t m, const double *candidate,
		    size_t n);
/* Hodges-Lehmann with its interval from 6 pairs on, mean with Student's for 2 to 5; else NaN. */
void estimate_interval(const struct columns *d, double alpha, struct compare_estimate *out);
void columns_make(struct columns *c, size_t n);
void columns_release(struct columns *c);

/* diagnose.c: position effect, trend, autocorrelation, outliers of a paired comparison. */
void diagnose_paired(struct comparison *c);

/* family.c */
void testing_init(struct testing *t, const struct compare_options *o, int rounds);
/* Looks, Holm, verdicts, gate and what is needed, once every estimate is there. */
void family_judge(struct comparison_set *s, const struct testing *t,
		  const struct compare_options *o);

/* notes.c: the lines that go with a judged comparison. */
void notes_add(struct comparison *c, const struct comparison_set *s);

/* aa.c: what counts for this comparison of what checks found; NULL: there was none. */
const struct compare_finding *aa_finding(const struct compare_findings *aa,
					 const struct comparison *c);
/* The set's line about checks of one system against itself, its own or others. */
void aa_note(const struct experiment *e, const struct compare_options *o, struct comparison_set *s);

/* overall.c: the geometric means. */
void overall_collect(struct comparison_set *s, double alpha);

#endif
