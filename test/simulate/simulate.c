/*
 * simulate: how often are the verdicts right? Prints the table of doc/statistics.md:
 *
 *   make simulate            20,000 trials a cell, some minutes on two cores
 *   build/simulate 1000      fewer
 *
 * Every cell draws from a stream of its own of one fixed seed, so the figures are the same on every
 * run, whatever the number of processes. Exit status 1 when a promise is not kept.
 */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cells.h"

#define EFFECT log(1.03)
#define AT_MARGIN log(1.02)

/* What a cell is for; the columns of the big table, then single lines. */
enum design {
	AA15,
	AA7,
	EFFECT15,
	LOOKS,
	LOOKS_EFFECT,
	FAMILY,
	FAMILY_LOOKS,
	MARGIN,
	MARGIN_LOOKS,
	DESIGNS,
};

static const struct cell designs[DESIGNS] = {
	[AA15] = {.rounds = 15, .metrics = 1},
	[AA7] = {.rounds = 7, .metrics = 1},
	[EFFECT15] = {.rounds = 15, .metrics = 1},
	[LOOKS] = {.rounds = 15, .metrics = 1, .looks = true},
	[LOOKS_EFFECT] = {.rounds = 15, .metrics = 1, .looks = true},
	[FAMILY] = {.rounds = 15, .metrics = 10},
	[FAMILY_LOOKS] = {.rounds = 15, .metrics = 10, .looks = true},
	[MARGIN] = {.rounds = 15, .metrics = 10, .all_effect = true},
	[MARGIN_LOOKS] = {.rounds = 15, .metrics = 10, .all_effect = true, .looks = true},
};

struct line {
	const char *name;
	struct cell cell;
};

enum { LINES = 12, MODELS = NOISE_MODELS, CELLS = MODELS * DESIGNS + LINES };

static struct line lines[LINES] = {
	{"3 rounds a life, 8 lives a side, own level and spread",
	 {NOISE_LIVES, 24, 1, 3, 0, false, false}},
	{"30 rounds, AR(1) rho 0.95", {NOISE_AR095, 30, 1, 1, 0, false, false}},
	{"30 rounds with looks, AR(1) rho 0.5", {NOISE_AR05, 30, 1, 1, 0, false, true}},
	{"60 rounds (normal approximation), independent",
	 {NOISE_INDEPENDENT, 60, 1, 1, 0, false, false}},
	{"60 rounds (normal approximation), steps of 1 %",
	 {NOISE_STEP1, 60, 1, 1, 0, false, false}},
	{"60 rounds with looks, independent", {NOISE_INDEPENDENT, 60, 1, 1, 0, false, true}},
	{"5 rounds (Student's t), independent", {NOISE_INDEPENDENT, 5, 1, 1, 0, false, false}},
	{"5 rounds (Student's t), AR(1) rho 0.95", {NOISE_AR095, 5, 1, 1, 0, false, false}},
	{"5 rounds (Student's t), heavy tails", {NOISE_HEAVY, 5, 1, 1, 0, false, false}},
	{"5 rounds (Student's t), steps of 2 %", {NOISE_STEP2, 5, 1, 1, 0, false, false}},
	{"2 rounds (Student's t), steps of 2 %", {NOISE_STEP2, 2, 1, 1, 0, false, false}},
	{"3 % in one of 8 metrics, AR(1) rho 0.95, 15 rounds",
	 {NOISE_AR095, 15, 8, 1, 0, false, false}},
};

struct shared {
	atomic_int next;
	struct cell_counts counts[CELLS];
};

static struct cell cell_at(int i)
{
	if (i >= MODELS * DESIGNS)
		return lines[i - MODELS * DESIGNS].cell;

	int design = i % DESIGNS;
	struct cell c = designs[design];
	c.model = (enum noise_model)(i / DESIGNS);
	c.rounds_per_life = 1;
	if (design == EFFECT15 || design == LOOKS_EFFECT)
		c.effect = EFFECT;
	if (design == MARGIN || design == MARGIN_LOOKS)
		c.effect = AT_MARGIN;
	return c;
}

static void work(struct shared *s, long trials)
{
	for (int i; (i = atomic_fetch_add(&s->next, 1)) < CELLS;) {
		struct cell c = cell_at(i);
		cell_run(&c, trials, (uint64_t)i, &s->counts[i]);
		if (isatty(STDERR_FILENO))
			fprintf(stderr, "\r%d of %d", i + 1, CELLS);
	}
}

static void run_all(struct shared *s, long trials)
{
	long processes = sysconf(_SC_NPROCESSORS_ONLN);

	for (long p = 0; p < processes; p++) {
		pid_t pid = fork();
		if (pid == 0) {
			(void)nice(10);
			work(s, trials);
			_exit(0);
		}
		if (pid < 0) {
			work(s, trials);
			break;
		}
	}
	while (wait(NULL) > 0)
		;
	if (isatty(STDERR_FILENO))
		fputs("\r              \r", stderr);
}

static double percent(long count, long of)
{
	return 100 * (double)count / (double)of;
}

static bool kept = true;

static void broken(const char *what, const char *where, double got)
{
	fprintf(stderr, "simulate: %s: %s (%.2f %%)\n", where, what, got);
	kept = false;
}

/* The lower 99.9 % bound (Clopper and Pearson, Biometrika 26, 1934) of a rate is at most 5 %. */
static void promise_rate(long count, long trials, const char *what, const char *where)
{
	if (count > 0 &&
	    gsl_cdf_beta_Pinv(0.001, (double)count, (double)(trials - count + 1)) > 0.05)
		broken(what, where, percent(count, trials));
}

static bool continuous(enum noise_model m)
{
	return m != NOISE_STEP05 && m != NOISE_STEP1 && m != NOISE_STEP2;
}

static void promise(const struct cell *c, const struct cell_counts *n, const char *where)
{
	/* with fewer than a thousand trials chance alone breaks the promises on coverage */
	double covered = percent(n->covered, n->trials);
	double slack = n->trials < 20000 ? 300 / sqrt((double)n->trials) : 0;
	bool at_margin = c->effect > 0 && c->all_effect;

	promise_rate(n->wrong, n->trials, "too many wrong verdicts", where);
	if (at_margin)
		promise_rate(n->same, n->trials, "\"same\" too often", where);
	if (covered < 94.5 - slack)
		broken("intervals cover too little", where, covered);
	if (continuous(c->model) && !c->looks && c->rounds / c->rounds_per_life >= 7 &&
	    covered > 96.5 + slack)
		broken("intervals cover too much", where, covered);
}

static void print_models(const struct shared *s)
{
	puts("| noise | n = 15: wrong / covered | n = 7: wrong / covered "
	     "| true 3 %, n = 15: covered / found | looks to 15: wrong / covered / mean n "
	     "| true 3 %, looks: covered / found / mean n "
	     "| 10 metrics: wrong | with looks | truth at the margin, 10 metrics: \"same\" "
	     "| with looks |");
	puts("|---|---|---|---|---|---|---|---|---|---|");
	for (int m = 0; m < MODELS; m++) {
		const struct cell_counts *n = &s->counts[m * DESIGNS];
		double t = (double)n->trials;
		printf("| %s | %.2f / %.1f | %.2f / %.1f | %.1f / %.1f | %.2f / %.1f / %.1f "
		       "| %.1f / %.1f / %.1f | %.2f | %.2f | %.2f | %.2f |\n",
		       noise_names[m], percent(n[AA15].wrong, n->trials),
		       percent(n[AA15].covered, n->trials), percent(n[AA7].wrong, n->trials),
		       percent(n[AA7].covered, n->trials), percent(n[EFFECT15].covered, n->trials),
		       percent(n[EFFECT15].right, n->trials), percent(n[LOOKS].wrong, n->trials),
		       percent(n[LOOKS].covered, n->trials), (double)n[LOOKS].rounds / t,
		       percent(n[LOOKS_EFFECT].covered, n->trials),
		       percent(n[LOOKS_EFFECT].right, n->trials),
		       (double)n[LOOKS_EFFECT].rounds / t, percent(n[FAMILY].wrong, n->trials),
		       percent(n[FAMILY_LOOKS].wrong, n->trials),
		       percent(n[MARGIN].same, n->trials),
		       percent(n[MARGIN_LOOKS].same, n->trials));
	}
}

static void print_lines(const struct shared *s)
{
	puts("\n| design | wrong | covered | found |\n|---|---|---|---|");
	for (int i = 0; i < LINES; i++) {
		const struct cell_counts *n = &s->counts[MODELS * DESIGNS + i];
		printf("| %s | %.2f | %.1f | ", lines[i].name, percent(n->wrong, n->trials),
		       percent(n->covered, n->trials));
		if (lines[i].cell.effect > 0)
			printf("%.1f |\n", percent(n->right, n->trials));
		else
			puts("|");
	}
}

int main(int argc, char **argv)
{
	long trials = argc > 1 ? atol(argv[1]) : 20000;
	struct shared *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (s == MAP_FAILED || trials < 1) {
		fputs("simulate: no memory, or no number of trials\n", stderr);
		return 2;
	}
	lines[LINES - 1].cell.effect = EFFECT;
	run_all(s, trials);
	printf("%ld trials a cell, seed %d; percent.\n\n", trials, CELL_SEED);
	print_models(s);
	print_lines(s);
	for (int i = 0; i < CELLS; i++) {
		struct cell c = cell_at(i);
		char where[200];
		(void)snprintf(where, sizeof(where), "%s, %d rounds, %d metrics%s, effect %.3f",
			       noise_names[c.model], c.rounds, c.metrics, c.looks ? ", looks" : "",
			       c.effect);
		promise(&c, &s->counts[i], where);
	}
	const struct cell_counts *power = &s->counts[CELLS - 1];
	if (percent(power->right, power->trials) < 95)
		broken("too little power", lines[LINES - 1].name,
		       percent(power->right, power->trials));
	return kept ? 0 : 1;
}
