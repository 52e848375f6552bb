/*
 * view: how a metric is called and in which unit it is shown to people. The
 * shape is the reference's: a page in seconds, BENCHMARK per 1,000,000
 * evaluations, RSA in seconds per operation with the rate beside it.
 */
#ifndef LAMPDUEL_REPORT_VIEW_H
#define LAMPDUEL_REPORT_VIEW_H

#include <stdbool.h>

#include "store/experiment.h"

/* shown = value * scale, or scale / value when inverse. */
struct view {
	const char *unit; /* "" for a plain number */
	double scale;
	bool inverse;
};

/* Human title of a metric; new string, not escaped. */
char *view_title(const struct exp_metric *m, const struct exp_task *t);
/* The view a table shows; typical: a mean, by which big units are chosen. */
struct view view_main(const struct exp_metric *m, double typical);
/* A second view beside it; false when there is none. */
bool view_second(const struct exp_metric *m, struct view *v);
double view_value(const struct view *v, double value);
/* A small error of value, as it is in the view. */
double view_error(const struct view *v, double value, double error);

/* "MariaDB" for "mariadb": how a program is called in prose; NULL when not known. */
const char *view_program(const char *key);
/* Value of a key in "a=1;b=2"; new string or NULL. */
char *view_condition(const char *conditions, const char *key);

#endif
