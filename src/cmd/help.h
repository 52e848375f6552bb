/*
 * help: what stands in tables of other modules and belongs into --help: kinds
 * of systems, workloads and their parameters.
 */
#ifndef LAMPDUEL_CMD_HELP_H
#define LAMPDUEL_CMD_HELP_H

#include <stdio.h>

void help_targets(FILE *out);
void help_run(FILE *out); /* targets, workloads and parameters */

#endif
