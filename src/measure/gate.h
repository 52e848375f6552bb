/*
 * gate: waits, before anything is measured, until the machines are quiet.
 */
#ifndef LAMPDUEL_MEASURE_GATE_H
#define LAMPDUEL_MEASURE_GATE_H

#include "measure/session.h"

/*
 * Until other programs and the hypervisor leave every machine under a system at least 95 % of its
 * CPUs for two seconds; at most a minute, after which the session's notes say what was still so.
 * Returns at once in a replay, and when load is accepted. ERR_INTERRUPTED is its only error.
 */
int gate_wait(struct session *s, struct err *err);

#endif
