/*
 * parallel: one thread for each system, for preparation only. Samples are never
 * taken in parallel.
 */
#ifndef LAMPDUEL_MEASURE_PARALLEL_H
#define LAMPDUEL_MEASURE_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

typedef int (*parallel_fn)(void *arg, size_t i, struct err *err);

/*
 * Calls fn(arg, i) for i = 0..n-1 and waits for all. serial: one after the other, in this thread
 * (a replay must not depend on timing). Returns the error of the lowest i that failed.
 */
int parallel_each(size_t n, bool serial, parallel_fn fn, void *arg, struct err *err);

#endif
