/*
 * experiment: a stored run in memory. The store loads it; compare and report
 * read it. Everything in it belongs to it and is freed by experiment_release().
 *
 *   experiment > round > execution (system, task, life, position, attempt) > value
 */
#ifndef LAMPDUEL_STORE_EXPERIMENT_H
#define LAMPDUEL_STORE_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/outcome.h"
#include "base/vec.h"
#include "facts/fact.h"

struct exp_system {
	char *name, *target;
	bool baseline; /* the first system, or what -b named */
	bool emulated;
	char *emulator; /* "qemu-arm 7.2.22, -cpu cortex-a7"; "" when native */
	struct factset facts;
};

/* A task is one workload with one set of parameters: what one execution does. */
struct exp_task {
	char *workload; /* "openssl" */
	char *name;     /* "openssl/rsa2048": unique in the experiment */
	char *params;   /* JSON object: all parameters, calibrated counts included */
};

/* What "better" means. Comparison is on cost: ln(value) or -ln(value). */
enum metric_direction { LESS_IS_BETTER, MORE_IS_BETTER };

struct exp_metric {
	char *name; /* "wordpress/page/generate" */
	char *unit;
	enum metric_direction direction;
	char *conditions; /* "cache=purged;opcache=on;requests=1", sorted by key */
	bool primary;     /* belongs to the family that verdicts are given for */
};

struct exp_value {
	size_t metric; /* index into metrics */
	double value;  /* in the metric's unit; a mean when n > 1 */
	double step;   /* resolution of the reading, same unit */
	bool derived;
	int n;        /* readings it summarises (requests of a sample); 1 otherwise */
	double sd;    /* their standard deviation; 0 when n = 1 */
	char *origin; /* of pasted output: its file and line, "soft.txt:12"; NULL: measured */
};

struct exp_execution {
	int64_t id;
	int round; /* number of the round, 1..; warm-up rounds count 1.. apart */
	bool warmup;
	size_t task, system; /* indexes */
	int life;     /* 1.. per (task, system): executions of equal life share a service's life */
	int position; /* 1..: place among the systems of this (round, task, attempt) */
	int attempt;  /* 1..; the highest attempt of a (round, task) counts */
	int64_t start_ns, end_ns; /* monotonic */
	int64_t unix_ns;          /* calendar time of the start */
	enum outcome_status status;
	char *reason;                 /* "" when ok */
	bool disturbed;               /* see disturbance */
	char *disturbance;            /* JSON object, see measure/validity.h */
	VEC(struct exp_value) values; /* empty unless status is ok */
};

struct experiment {
	int64_t id;
	char *title;  /* "debian:bookworm/armel against debian:bookworm/armhf" */
	char *state;  /* "running" "complete" "interrupted" "failed" */
	char *ending; /* why before the last planned round: "decided" "time" "disturbed"; else "" or
			 NULL */
	char *kind;   /* "run" "reference" "aa" "import" */
	char *command; /* the command line that made it */
	char *version; /* of lampduel */
	char *plan;    /* JSON object: every option and default that was in force */
	uint64_t seed;
	int rounds_planned, warmup_rounds, lives;
	int64_t created_unix_ns, ended_unix_ns; /* ended 0: not yet */
	VEC(struct exp_system) systems;
	VEC(struct exp_task) tasks;
	VEC(struct exp_metric) metrics;
	VEC(struct exp_execution) executions; /* in the order they were made */
	VEC(char *) notes;                    /* lines every report must show */
};

void experiment_release(struct experiment *e);              /* leaves an empty experiment */
const char *metric_direction_name(enum metric_direction d); /* "less" "more" */
/* "s" and "s/op" and "B": less; rates: more. */
enum metric_direction metric_direction_of_unit(const char *unit);

/*
 * The execution that counts for (round, task, system): not a warm-up, of the highest attempt of
 * (round, task), status ok, not disturbed; none when that is not so. A pair counts only when both
 * sides have one. The experiment must not change while the index is used; free it with
 * counted_index_release().
 */
struct counted_index {
	const struct exp_execution **at; /* [round - 1][task][system] */
	int rounds;                      /* the highest round that has an execution */
	size_t tasks, systems;
};

void counted_index_make(struct counted_index *x, const struct experiment *e);
/* NULL when none counts, or when there is no such place. */
const struct exp_execution *counted_index_get(const struct counted_index *x, int round, size_t task,
					      size_t system);
void counted_index_release(struct counted_index *x);
/* Why an execution was disturbed, "" when it was not; new string. */
char *exp_disturbance_reason(const struct exp_execution *x);
/* The value of a metric in an execution, or NULL. */
const struct exp_value *exp_execution_value(const struct exp_execution *x, size_t metric);
size_t experiment_baseline(const struct experiment *e);

#endif
