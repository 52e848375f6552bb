/*
 * example: experiments made in memory, for the tests of what stores and shows
 * them. All is released by experiment_release().
 */
#ifndef LAMPDUEL_TEST_EXAMPLE_H
#define LAMPDUEL_TEST_EXAMPLE_H

#include "store/experiment.h"
#include "store/store.h"

void example_head(struct experiment *e, const char *kind, const char *title, int rounds);
/* Each returns its index. The first system is the baseline. */
size_t example_system(struct experiment *e, const char *name, const char *target, bool emulated);
size_t example_task(struct experiment *e, const char *workload, const char *name,
		    const char *params);
size_t example_metric(struct experiment *e, const char *name, const char *unit,
		      const char *conditions, bool primary);
/* The pointers are good until the next call for the same experiment. */
struct exp_execution *example_execution(struct experiment *e, int round, size_t task, size_t system,
					int attempt);
struct exp_value *example_value(struct exp_execution *x, size_t metric, double value, double step);
/*
 * A reference case of so many rounds: two emulated systems with facts, every task of it, small
 * deterministic noise around the published figures.
 */
void example_reference(struct experiment *e, int rounds);
/* Opens a store or ends the program. */
struct store *example_open(const char *path);
/* Creates e's head, then stores each of its executions, the Nth (from 0) with output "output N". */
void example_store(struct store *st, struct experiment *e);

#endif
