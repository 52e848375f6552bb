/*
 * pasted: what parse reads in a file, as an experiment in memory of kind
 * "import". A label (or the Nth run of a tool) can be a system of its own. A
 * file of lampduel's own JSON is the experiment that is in it.
 */
#ifndef LAMPDUEL_CMD_PASTED_H
#define LAMPDUEL_CMD_PASTED_H

#include "base/err.h"
#include "store/experiment.h"

/*
 * path: "-" for standard input. by_label: one system for each label in the order they come, or
 * for each run when the text has no labels; else one system, named after the file. *e is
 * initialised by the callee; free with experiment_release(), on failure too.
 */
int pasted_read(const char *path, bool by_label, struct experiment *e, struct err *err);
/* What messages and systems call the file. */
const char *pasted_file_name(const char *path);
/* *own: it was lampduel's own JSON. */
int pasted_read_any(const char *path, bool by_label, struct experiment *e, bool *own,
		    struct err *err);

/* Notes where a candidate's programs have other versions than the baseline's. */
void pasted_note_versions(struct experiment *e);

#endif
