/*
 * label: headings that tell the runs in a text apart. What no reader knows may be one:
 * Markdown and HTML headings, underlined lines, === X ===, "Soft float:", a line of its
 * own before a tool's output. Headings that only name a tool ("## openssl") are none.
 * Where prose may lead over to another system ("and on the old one I get"), there is doubt.
 */
#ifndef LAMPDUEL_PARSE_LABEL_H
#define LAMPDUEL_PARSE_LABEL_H

#include <stdbool.h>

#include "parse/clean.h"

enum { LABEL_LEVELS = 9, LABEL_MAX = 96, LABEL_LINES = 64 };

struct labels {
	char level[LABEL_LEVELS][LABEL_MAX];
	char text[2 * LABEL_MAX];         /* what labels_text() returns */
	unsigned serial;                  /* grows with every change */
	char above[LABEL_MAX];            /* the line before, if it could be underlined */
	bool fresh;                       /* the line before was blank, or there was none */
	bool commented;                   /* a bare # was read: # is a comment mark here */
	bool hashes_above;                /* the line before began with # and said something */
	unsigned doubts;                  /* lines that may lead over to another system, so far */
	char doubt[LABEL_MAX];            /* the last of them */
	unsigned long lines[LABEL_LINES]; /* hashes of such lines: what comes again is a tool's */
	size_t lines_n;
};

void labels_reset(struct labels *l);
/* A line no reader knows. True when it is a heading that ends what came before. */
bool labels_line(struct labels *l, const struct clean_line *c);
/* A blank line; hashes: those of a line that says nothing else. */
void labels_blank(struct labels *l, int hashes);
/* A line a reader knows. */
void labels_known(struct labels *l, const struct clean_line *c);
const char *labels_text(const struct labels *l);
/* No heading holds any longer. */
void labels_end(struct labels *l);

#endif
