/*
 * join: metrics of an experiment that was put together from files or sessions, made one where they
 * are the same work.
 */
#ifndef LAMPDUEL_CMD_JOIN_H
#define LAMPDUEL_CMD_JOIN_H

#include "store/experiment.h"

/*
 * Values of one metric and unit become one metric, with all that is known of it,
 *   where their conditions differ only in how much work a sample is (its count, requests, seconds),
 *   and where they differ only in what one side does not state.
 * A note says so. Where conditions contradict each other, or more than one match is possible,
 * nothing is joined.
 */
void join_same_work(struct experiment *e);

/* Without "key=..."; new string. */
char *conditions_without(const char *conditions, const char *key);

#endif
