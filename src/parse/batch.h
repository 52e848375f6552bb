/*
 * batch: the values of one run of a tool, held until the run ends, because what its values
 * mean (errors, version, threads) may be printed behind them.
 */
#ifndef LAMPDUEL_PARSE_BATCH_H
#define LAMPDUEL_PARSE_BATCH_H

#include "parse/label.h"
#include "parse/reader.h"

enum { BATCH_VALUES = 64, BATCH_METRIC = 200, BATCH_NOTE = 160 };

struct batch_value {
	char metric[BATCH_METRIC];
	const char *unit; /* static */
	double value, step;
	bool has_value, derived;
	long line;
	char note[BATCH_NOTE];
};

struct batch {
	int runs; /* runs given so far */
	bool any; /* something of this run was read */
	char label[2 * LABEL_MAX];
	char conditions[160];
	char software[96];
	int n;
	struct batch_value v[BATCH_VALUES];
};

/* Something of a run begins: from here on it stands under the present heading. */
void batch_touch(struct batch *b, struct parse_ctx *ctx);
/*
 * Adds a value; one that is there already means that another run began. The result can be
 * changed until the batch ends; it is a spare one when there is no room.
 */
struct batch_value *batch_add(struct batch *b, struct parse_ctx *ctx, const char *metric,
			      const char *unit, double value, double step, long line);
/* A cell that cannot be used. */
struct batch_value *batch_refuse(struct batch *b, struct parse_ctx *ctx, const char *metric,
				 const char *unit, long line, const char *reason);
struct batch_value *batch_find(struct batch *b, const char *metric);
/* Adds "key=value"; keys must come in alphabetic order. */
void batch_condition(struct batch *b, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Gives the values with the next run's number, and forgets all of the run. */
void batch_end(struct batch *b, struct parse_ctx *ctx);

/*
 * A rate that is made of errors is no speed: says so in a warning and in v's note.
 * good, bad: answers of each kind.
 */
void batch_errors(struct parse_ctx *ctx, struct batch_value *v, double good, double bad);

#endif
