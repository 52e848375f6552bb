/*
 * hide: takes out of an experiment what tells where and by whom it was
 * measured: hosts, addresses and users of targets and of URLs, folders of
 * targets, home folders. What a published report must not show unless asked.
 */
#ifndef LAMPDUEL_REPORT_HIDE_H
#define LAMPDUEL_REPORT_HIDE_H

#include "store/experiment.h"

/* In place; what is hidden already stays as it is. Names of systems are the user's choice. */
void report_hide(struct experiment *e);

#endif
