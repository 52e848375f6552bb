/*
 * exchange: an experiment as JSON and back, all of it but the raw outputs. The
 * format is described in doc/json.md and doc/lampduel.schema.json; what is
 * written and read again is equal but for the experiment's number. Pure.
 */
#ifndef LAMPDUEL_STORE_EXCHANGE_H
#define LAMPDUEL_STORE_EXCHANGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "store/experiment.h"

#define EXCHANGE_FORMAT "lampduel-experiment"

enum {
	EXCHANGE_VERSION = 1,
	/* what a file may hold: more than any run has, little enough to be read in a moment */
	EXCHANGE_BYTES = 64 << 20,
	EXCHANGE_SYSTEMS = 64,
	EXCHANGE_TASKS = 1000,
	EXCHANGE_METRICS = 5000,
	EXCHANGE_EXECUTIONS = 1000000,
	EXCHANGE_ROUNDS = 100000,
	EXCHANGE_PLACES = 20000000, /* rounds * tasks * systems */
};

/* The file's head (format, version, who wrote it) with the experiment as "measured". */
json_t *exchange_write(const struct experiment *e, bool identified);
/* A number, or null when it is not finite. */
json_t *exchange_number(double v);

/* Does the text begin as such a file does? */
bool exchange_is(const char *text, size_t len);
/*
 * Reads one; *e is initialised by the callee and to be released, on failure too. Whatever text
 * holds, the experiment is sound (indexes, counts, finite figures, no place twice) or an error
 * names the first thing that is wrong. name: of the file, for the error.
 */
int exchange_read(const char *text, size_t len, const char *name, struct experiment *e,
		  struct err *err);

#endif
