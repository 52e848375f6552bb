/*
 * report: the formats a model can be rendered in. A format is one file, one row
 * in report.c and one word in REPORT_FORMATS; it computes nothing, and prints
 * nothing: it appends to a buffer.
 */
#ifndef LAMPDUEL_REPORT_REPORT_H
#define LAMPDUEL_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "report/model.h"

/* The words of --format, for tables of options. */
#define REPORT_FORMATS "text|markdown|html|json|csv"

struct report_options {
	int columns;  /* of the terminal; text only */
	bool utf8;    /* else ASCII; text only */
	bool explain; /* with the terms of statistics */
	bool strips;  /* with the samples as strips; text only */
	bool color;   /* text only */
};

/*
 * What a format is given. Figures and sentences come from the model. The others are for formats
 * that carry every value or draw intervals: their text is as it was measured, not escaped; hosts,
 * users and folders are out of it already unless identify is set (report/hide.h).
 */
struct report_input {
	const struct report_model *model;
	const struct experiment *experiment;
	const struct comparison_set *comparisons; /* NULL: nothing was compared */
	bool identify;
};

struct report_format {
	const char *name;     /* "text": the word of --format */
	const char *suffixes; /* of files in it, each between points: ".txt.text." */
	const char *summary;  /* for --help */
	void (*render)(const struct report_input *in, const struct report_options *o,
		       struct buf *out);
};

/*
 * The format called name, or when name is NULL the one that the file's suffix asks for, or text.
 * NULL and an error that lists the formats when there is none of this name.
 */
const struct report_format *report_format_for(const char *name, const char *file, struct err *err);
size_t report_format_count(void);
const struct report_format *report_format_at(size_t i);

extern const struct report_format report_text;
extern const struct report_format report_markdown;
extern const struct report_format report_html;
extern const struct report_format report_json;
extern const struct report_format report_csv;

#endif
