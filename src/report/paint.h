/*
 * paint: what a terminal may show in colour or bold. It is never the only sign of anything: the
 * words beside it say the same. Without colour nothing is appended.
 */
#ifndef LAMPDUEL_REPORT_PAINT_H
#define LAMPDUEL_REPORT_PAINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum paint {
	PAINT_NONE,
	PAINT_HEAD,   /* headings */
	PAINT_LESS,   /* less time: green */
	PAINT_MORE,   /* more time: red */
	PAINT_SYSTEM, /* and the four from here on: one for each system, then again */
};

enum { PAINT_SYSTEMS = 4 };

/* Appends text in its paint; whatever is begun is ended again. */
void paint_text(struct buf *b, enum paint p, const char *text);
enum paint paint_of_system(size_t system);

#endif
