/*
 * report: the formats a model can be rendered in. A format is one file and one
 * row in report.c; it computes nothing, and prints nothing: it appends to a
 * buffer.
 */
#ifndef LAMPDUEL_REPORT_REPORT_H
#define LAMPDUEL_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "report/model.h"

struct report_options {
	int columns;  /* of the terminal; text only */
	bool utf8;    /* else ASCII; text only */
	bool explain; /* with the terms of statistics */
};

struct report_format {
	const char *name;    /* "text": the word of --format */
	const char *summary; /* for --help */
	void (*render)(const struct report_model *m, const struct report_options *o,
		       struct buf *out);
};

/* NULL and an error that lists the formats when there is none of this name. */
const struct report_format *report_format_named(const char *name, struct err *err);
size_t report_format_count(void);
const struct report_format *report_format_at(size_t i);

extern const struct report_format report_text;

#endif
