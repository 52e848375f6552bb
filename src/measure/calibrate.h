/*
 * calibrate: before the rounds, every task once on every system: is it the same
 * work, and with which count does a sample last long enough on all of them?
 */
#ifndef LAMPDUEL_MEASURE_CALIBRATE_H
#define LAMPDUEL_MEASURE_CALIBRATE_H

#include "measure/session.h"
#include "store/store.h"

/*
 * Counts that are set already (given by the user, or stored by the session that is resumed) stay.
 * A count is the greatest that any system needs, and equal on all.
 */
int calibrate_all(struct session *s, struct experiment *e, struct store *store, bool resumed,
		  struct err *err);
/* Pure: the first line in which two texts differ, as "line 7: "..." and "..."; NULL: equal. New
 * string. */
char *calibrate_first_difference(const char *a, const char *b);

#endif
