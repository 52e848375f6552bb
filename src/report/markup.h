/* markup: text inside HTML and SVG. */
#ifndef LAMPDUEL_REPORT_MARKUP_H
#define LAMPDUEL_REPORT_MARKUP_H

#include <stddef.h>

#include "base/buf.h"

/* Appends text of the model so that nothing in it acts, cut to about most bytes. */
void markup_add(struct buf *b, const char *text, size_t most);

#endif
