/*
 * chart: drawings of a report as SVG, to stand in a page. Colours come from the
 * page's style sheet (classes s0 to s3 and others, see html_style.c); systems
 * are told apart by the shape of their marks as well. Every drawing has a title
 * and a description for those who cannot see it. Geometry alone is computed
 * here: all figures are the model's.
 */
#ifndef LAMPDUEL_REPORT_CHART_H
#define LAMPDUEL_REPORT_CHART_H

#include <stdbool.h>

#include "base/buf.h"
#include "report/model.h"

enum { CHART_SHAPES = 8, CHART_COLORS = 8 };

/* The changes of all rows, as times as fast, with their intervals and the margin. */
bool chart_has_forest(const struct report_model *m);
void chart_forest(const struct report_model *m, struct buf *b);
/* Every sample of a row over the rounds, and beside that as distributions. */
bool chart_has_samples(const struct report_row *r, size_t systems);
void chart_samples(const struct report_model *m, const struct report_row *r, struct buf *b);
/*
 * A drawing as a file of its own, in light colours: the changes, or with row that row's samples.
 * Appends nothing when there is nothing to draw.
 */
void chart_alone(const struct report_model *m, const struct report_row *row, struct buf *b);
/* A system's mark alone, for a legend; decoration. */
void chart_mark(size_t system, struct buf *b);

#endif
