/*
 * plan: what a run is to do, before any of it is done. Built from options and
 * the ini file, stored as JSON with the experiment, read back to resume it.
 * A plan owns all it points to.
 */
#ifndef LAMPDUEL_MEASURE_PLAN_H
#define LAMPDUEL_MEASURE_PLAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "store/experiment.h"
#include "workload/workload.h"

struct system_spec {
	char *name, *target;
	char *cpu; /* CPU model to emulate; NULL: the kind's choice */
};

enum { SYSTEMS_MAX = 16, ROUNDS_MAX = 1000 };

struct plan {
	VEC(struct system_spec) systems; /* the baseline first */
	VEC(struct workload_request) workloads;
	bool default_workloads; /* the user named none: what a system cannot do is left out, and
				   said */
	char *kind;             /* of the experiment: "run", "reference", "aa" */
	char *command_line;
	int rounds, warmup, lives; /* lives 0: one a round */
	bool looks; /* test on the way, and end when every verdict is settled (stats/looks.h) */
	uint64_t seed;
	int64_t max_time_ns; /* 0: none */
	int64_t sample_ns;   /* a sample lasts at least this long on every system */
	double step_share;   /* the step is at most this share of a sample */
	bool own_wordpress;  /* each system its own WordPress: the work differs */
	bool equal_versions; /* different program versions end the run: the reference case */
	bool accept_load;    /* other programs' load disturbs no sample and is not waited for */
	bool keep;           /* leave the run folder for a look */
	char *record;        /* file that gets a recording; NULL: none */
};

void plan_release(struct plan *p);
/* Adds a system; a name is made from the target when name is NULL. Names are unique, one line,
 * short. */
int plan_add_system(struct plan *p, const char *name, const char *target, const char *cpu,
		    struct err *err);
/* "NAME=TARGET" or "TARGET". */
int plan_add_system_text(struct plan *p, const char *text, struct err *err);
/* The plan's one system a second time, under a name of its own. */
int plan_add_twin(struct plan *p, struct err *err);
/* What must hold before anything is started: systems, targets, workloads, counts. */
int plan_check(const struct plan *p, struct err *err);
/* Every request expanded; the names of the tasks are unique. */
int plan_tasks(const struct plan *p, struct task_list *tasks, struct err *err);

char *plan_to_json(const struct plan *p); /* new string */
/* What a stored plan says of looks, without reading all of it. False when it cannot be read. */
bool plan_json_looks(const char *text);
/* Replaces what p holds. */
int plan_from_json(const char *text, struct plan *p, struct err *err);
char *plan_title(const struct plan *p); /* "debian:a against debian:b"; new string */
/* Rounds share starts of the services: the life is the unit, and looks are not planned by it. */
bool plan_lives_are_shared(const struct plan *p);

/*
 * The order of things, drawn from (seed, place) alone so that a resumed run draws the same again.
 * Each fills v with a permutation of 0..n-1.
 */
void plan_task_order(uint64_t seed, int block, bool warmup, size_t *v, size_t n);
/* Two systems: a fair coin for each (round, task, attempt). */
void plan_system_order(uint64_t seed, int round, bool warmup, size_t task, int attempt, size_t *v,
		       size_t n);
/* Rounds are spread over lives as evenly as can be: the life (1..lives) of round 1..rounds. */
int plan_life_of_round(int round, int rounds, int lives);

#endif
