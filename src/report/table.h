/*
 * table: columns of text for a terminal of a given width. Cells are wrapped at
 * blanks to make the table fit; a cell may have several lines ('\n'). Widths
 * are those of a terminal (text_width). Text must be safe to print already.
 */
#ifndef LAMPDUEL_REPORT_TABLE_H
#define LAMPDUEL_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/vec.h"
#include "report/paint.h"

/* A blank that no line is broken at, for cells: "1.49" TABLE_GLUE "s". */
#define TABLE_GLUE "\x1f"

struct table {
	size_t columns;
	bool ascii;  /* characters beyond ASCII are shown as '?' */
	bool header; /* the first row is one: a line is drawn below it */
	bool color;  /* else paint is left out */
	VEC(char *) cells;
	VEC(enum paint) paints; /* one a cell */
};

void table_init(struct table *t, size_t columns, bool ascii, bool header);
void table_release(struct table *t);
void table_add(struct table *t, const char *cell);      /* row by row; copies */
void table_add_safe(struct table *t, const char *text); /* untrusted text, escaped */
void table_addf(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_paint(struct table *t, enum paint p); /* the cell that was added last */
/* A row of one cell over all columns; ends a row that was begun. */
void table_add_line(struct table *t, const char *text, enum paint p);
/* Fills the row that was begun with empty cells; a row that was not begun is a blank line. */
void table_end_row(struct table *t);
void table_render(struct table *t, size_t width, struct buf *out);

/*
 * Appends text wrapped at width. first begins the first line, the others are indented as far as
 * that is wide.
 */
void table_paragraph(struct buf *out, const char *first, const char *text, size_t width,
		     bool ascii);

#endif
