/*
 * strip: the samples of a row as lines for a terminal, one a system, over one scale: how they
 * spread, and how far apart the systems are. In UTF-8 by dots of braille characters, else in ASCII.
 */
#ifndef LAMPDUEL_REPORT_STRIP_H
#define LAMPDUEL_REPORT_STRIP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "report/model.h"

struct strip_paper {
	size_t width; /* columns */
	bool ascii, color;
};

/* Is there a system with more than one sample, so that there is something to see? */
bool strip_has(const struct report_model *m, const struct report_row *r);
/* Title, scale and lines. */
void strip_add(const struct report_model *m, const struct report_row *r,
	       const struct strip_paper *p, struct buf *out);
/* What the strips show, in a sentence. */
const char *strip_legend(bool ascii);

#endif
