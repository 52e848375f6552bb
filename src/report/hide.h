/*
 * hide: takes out of an experiment what tells where and by whom it was
 * measured: the hosts, users and folders of its targets wherever they stand,
 * and what private.h finds. What a published report must not show unless asked.
 */
#ifndef LAMPDUEL_REPORT_HIDE_H
#define LAMPDUEL_REPORT_HIDE_H

#include "store/experiment.h"

/* In place; what is hidden already stays as it is. Names of systems are the user's choice. */
void report_hide(struct experiment *e);

#endif
