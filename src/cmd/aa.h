/*
 * aa: checks of one system against itself (run --aa), found again in the store for an experiment
 * that they are about.
 *
 * A check is about a metric of an experiment when it is complete and
 *   machine and configuration: its system has the target of one of the experiment's systems, is
 *     emulated alike, and no fact that names the machine (CPU model, storage), the kernel, the
 *     architecture or a version differs from that system's;
 *   parameters: the metric's name and conditions are the same. A count that was calibrated on both
 *     occasions may differ (calibration never gives the same twice) when both aimed at samples of
 *     equal length and resolution.
 */
#ifndef LAMPDUEL_CMD_AA_H
#define LAMPDUEL_CMD_AA_H

#include "compare/compare.h"
#include "store/store.h"

/*
 * Appends what those checks found, in the experiment's own terms (conditions, index of the system),
 * the oldest first. Nothing for imported figures, for a check itself, and without a store (NULL).
 */
int aa_find(struct store *st, const struct experiment *e, struct compare_findings *out,
	    struct err *err);

#endif
