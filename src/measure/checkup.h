/*
 * checkup: what of a machine makes measuring on it noisy or impossible, and
 * what to do about it, from its facts and two looks at its state. Pure.
 */
#ifndef LAMPDUEL_MEASURE_CHECKUP_H
#define LAMPDUEL_MEASURE_CHECKUP_H

#include "base/vec.h"
#include "facts/fact.h"
#include "measure/validity.h"

enum checkup_finding {
	CHECKUP_FINE,
	CHECKUP_NOTE,    /* measured figures will be worse for it */
	CHECKUP_BAD,     /* nothing can be measured like this */
	CHECKUP_UNKNOWN, /* the machine does not say */
};

struct checkup_line {
	enum checkup_finding finding;
	char *what, *text; /* "governor"; what is so and, unless it is fine, what to do */
};

struct checkup {
	VEC(struct checkup_line) lines;
};

enum checkup_answer { CHECKUP_NO, CHECKUP_YES, CHECKUP_NOT_SAID };

/* What neither facts nor looks say. */
struct checkup_more {
	enum checkup_answer clock_kept; /* the calendar's clock is kept right by a time server */
	enum checkup_answer on_mains;   /* no battery drives it */
	int64_t memory_free;            /* bytes that programs can have; -1: unknown */
	int64_t swap_used;              /* bytes; -1: unknown */
	int64_t disk_free;              /* bytes, where lampduel's files are; -1: unknown */
	const char *busiest; /* programs that use its CPUs now, "a (pid 12)"; NULL; not owned */
};

/*
 * A POSIX shell's script that says the rest on a machine, in lines for checkup_read(). It runs in
 * the folder whose disk is meant; the text lives for ever.
 */
const char *checkup_script(void);
/* What is not in the text is unknown. */
void checkup_read(const char *text, struct checkup_more *more);

/* before and after: a second or more apart, with nothing of lampduel's running meanwhile. */
void checkup_machine(const struct factset *f, const struct validity *before,
		     const struct validity *after, const struct checkup_more *more,
		     struct checkup *out);
/* Takes text over. */
void checkup_add(struct checkup *c, enum checkup_finding f, const char *what, char *text);
void checkup_release(struct checkup *c);

#endif
