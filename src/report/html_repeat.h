/*
 * html_repeat: the end of the page, what it takes to measure the same again: the command, the plan
 * that was made of it, and the packages with their hashes.
 */
#ifndef LAMPDUEL_REPORT_HTML_REPEAT_H
#define LAMPDUEL_REPORT_HTML_REPEAT_H

#include "base/buf.h"
#include "report/model.h"
#include "store/experiment.h"

/* Appends; nothing when no command is known. */
void html_repeat(const struct report_model *m, const struct experiment *e, struct buf *out);

#endif
