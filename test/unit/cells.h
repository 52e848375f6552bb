/*
 * cells: what is simulated. A cell is one model of noise under one design; a trial draws an
 * experiment, compares it as a report does and counts what came out. Used by the simulation (make
 * simulate) and, with fewer trials, by the unit tests.
 */
#ifndef LAMPDUEL_TEST_CELLS_H
#define LAMPDUEL_TEST_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "duel.h"

enum { CELL_SEED = 20260117 };

struct cell {
	enum noise_model model;
	int rounds, metrics, rounds_per_life;
	double effect; /* true log ratio of metric 0, or of all with all_effect */
	bool all_effect;
	bool looks; /* stop at the first look at which every metric is decided */
};

struct cell_counts {
	long trials;
	long wrong;   /* trials with a faster or slower that is not true, in any metric */
	long same;    /* trials with "same", in any metric */
	long right;   /* metric 0 got the verdict that its effect deserves */
	long covered; /* intervals of metric 0 that hold the true effect */
	long rounds;  /* in all */
};

/* Adds trials to counts. stream: of the seed; equal streams give equal trials. */
void cell_run(const struct cell *c, long trials, uint64_t stream, struct cell_counts *counts);

#endif
