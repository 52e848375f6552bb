/*
 * duel: experiments made of numbers, for tests and for the simulation. Two systems ("old" is the
 * baseline, "new" the candidate), one task per metric, rounds in the order of time; values come
 * from the caller or from a model of noise.
 */
#ifndef LAMPDUEL_TEST_DUEL_H
#define LAMPDUEL_TEST_DUEL_H

#include "base/rng.h"
#include "store/experiment.h"

enum noise_model {
	NOISE_INDEPENDENT, /* CV 3 % */
	NOISE_DRIFT,       /* CV 1 % and 3 % in a line over the run */
	NOISE_AR05,        /* AR(1), rho 0.5, CV 3 %, and 1 % */
	NOISE_AR095,       /* the same with rho 0.95 */
	NOISE_PERIODIC,    /* a neighbour that costs 5 % in two of every four samples, and 1 % */
	NOISE_BUMP,        /* 10 % more during 8 samples somewhere (per metric), and 1 % */
	NOISE_HEAVY,       /* Student's t with 2 degrees of freedom, times 1 % */
	NOISE_STEP05,      /* CV 1 %, read in steps of 0.5 % */
	NOISE_STEP1,
	NOISE_STEP2,
	NOISE_LIVES, /* each life its own level (1 %) and its own spread (about 1 %) */
	NOISE_MODELS,
};

extern const char *const noise_names[NOISE_MODELS];

struct duel_plan {
	int rounds, metrics;
	int rounds_per_life; /* 1: every execution is a life of its own */
	enum noise_model model;
	double effect; /* true log ratio, candidate over baseline */
};

struct duel {
	struct experiment e;
	struct duel_plan plan;
};

/* All values 1; metrics "loadN/item/time" in s, each a workload of its own; all primary. */
void duel_init(struct duel *d, const struct duel_plan *plan);
void duel_release(struct duel *d);

/* The execution of (round, metric, system), rounds and metrics from 0, system 0 or 1. */
struct exp_execution *duel_execution(struct duel *d, int round, int metric, int system);
void duel_set(struct duel *d, int round, int metric, int system, double value, double step);

/* New values for every execution, from the model; the order in each pair is a fair coin. */
void duel_draw(struct duel *d, struct rng *r);
/* The experiment as it was after that many rounds. */
void duel_cut(struct duel *d, int rounds);

#endif
