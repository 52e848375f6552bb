/*
 * model: a report before it has a format. Made once from an experiment; pure.
 * The renderers put it on paper and compute nothing. Text that came from
 * measured systems or from the user is escaped for a terminal here
 * (base/text.h); HTML needs its own escape on top. All of it belongs to the
 * model.
 *
 * In a row, figures and changes have one element for each system, in the
 * experiment's order; a change is against the baseline and so unknown for the
 * baseline itself.
 */
#ifndef LAMPDUEL_REPORT_MODEL_H
#define LAMPDUEL_REPORT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "compare/compare.h"
#include "report/figure.h"
#include "report/published.h"
#include "report/view.h"
#include "store/experiment.h"

struct report_system {
	char *name, *target;
	bool emulated;
	char *emulator;
};

/* A line of the table of configurations. */
struct report_fact {
	char *label;
	char **values; /* one a system; "" when not known */
	bool differs;
};

/* A setting that is not the release's own, with the reason for it. */
struct report_setting {
	char *name;   /* "MariaDB innodb_buffer_pool_size" */
	char *reason; /* "" when none is known */
	char **values;
	bool differs;
};

struct report_figure {
	struct figure figure; /* in the metric's unit */
	char *text;           /* in the row's view: "0.025189 s/op"; "" when n is 0 */
	char *second;         /* "39.70 op/s"; "" when there is no second view */
	char *spread; /* standard deviation as a share of the mean: "0.96 %"; "" with n < 2 */
};

struct report_change {
	struct change change;
	bool emulated;     /* either side */
	char *percent;     /* "-12.47 %"; "" when not known */
	char *times;       /* "1.142x" */
	const char *words; /* "less time under emulation" */
	char *verdict;     /* what stands in the column "how sure" */
	enum verdict
		judged; /* the same without its figures; VERDICT_NONE where nothing is judged */
	/* for charts; set by report_model_judge() */
	bool has_interval;
	struct compare_estimate estimate; /* log of the cost ratio; the ends may be infinite */
};

/* A sample that does not count: disturbed, without a value, or another system's was. */
struct report_left_out {
	size_t system, round; /* from 0 */
	double value;         /* in the view; NaN: it gave none */
	char *text;           /* "round 3: 9.1 s, disturbed" */
};

struct report_row {
	size_t task, metric;
	char *title;
	char *metric_name, *conditions;
	bool primary;
	struct view view;
	VEC(struct report_figure) figures;
	VEC(struct report_change) changes;
	/* every sample that counts, in the view: [system][round - 1]; NaN where there is none */
	double **samples;
	size_t rounds;
	double low, high; /* of all systems' samples; NaN when there are none */
	char *low_text, *high_text;
	VEC(struct report_left_out) left_out;     /* in the order they were made */
	const struct published_figure *published; /* reference case only; else NULL */
	char *published_soft, *published_hard, *published_percent, *published_times;
};

/* Executions that do not count, for one reason. */
struct report_problem {
	size_t system, task;
	char *what; /* "failed", "disturbed", "set aside" */
	char *reason;
	size_t count;
};

struct report_model {
	int64_t id;
	char *title, *state, *kind, *command, *version;
	uint64_t seed;
	char created[32]; /* UTC */
	int64_t seconds;  /* from start to end; -1: not known */
	int rounds_planned, rounds_done, warmup_rounds, lives;
	bool emulated; /* any system */
	size_t baseline;
	VEC(struct report_system) systems;
	VEC(char *) tasks; /* names */
	VEC(struct report_fact) facts;
	VEC(struct report_setting) settings;
	VEC(struct report_row) rows; /* primary ones first */
	size_t primary_rows;
	size_t executions, counted; /* warm-ups included; of them counted */
	VEC(struct report_problem) problems;
	VEC(char *) notes;
	/* empty until report_model_judge(): */
	double margin;            /* of "same" */
	VEC(char *) overall;      /* one sentence for each candidate, all workloads together */
	VEC(char *) explanations; /* one sentence for each verdict, for --explain */
};

struct report_model_options {
	bool identify; /* else no host of an address is shown; targets are report/hide.h's */
};

void report_model_make(struct report_model *m, const struct experiment *e,
		       const struct report_model_options *o);
/* Puts what compare found into the column of verdicts, the notes and the explanations. */
void report_model_judge(struct report_model *m, const struct comparison_set *s);
void report_model_release(struct report_model *m);

#endif
