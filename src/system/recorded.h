/*
 * recorded: the target recorded:FILE or recorded:FILE#NAME, a system that
 * answers from a recording (system/recording.h) with the bytes, times and
 * reasons of the run it was made of. Without #NAME the system's own name
 * selects among several.
 */
#ifndef LAMPDUEL_SYSTEM_RECORDED_H
#define LAMPDUEL_SYSTEM_RECORDED_H

#include "base/clock.h"
#include "base/err.h"
#include "system/system.h"

/*
 * Makes c the virtual clock of the recording that target names, standing at its start, so that a
 * replay has the times of the run. Each answer then moves it to when the answer was there.
 */
int recorded_start_clock(const char *target, struct clock *c, struct err *err);

#endif
