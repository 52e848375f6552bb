/* doctor: what its files share. Nothing else includes this. */
#ifndef LAMPDUEL_CMD_DOCTOR_H
#define LAMPDUEL_CMD_DOCTOR_H

#include "cmd/cmd.h"
#include "measure/checkup.h"

struct system;

struct doctor {
	struct cmd_context *c;
	int bad;
};

/* A line: fine, note, bad or unknown, about what. */
void doctor_tell(struct doctor *d, enum checkup_finding f, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/*
 * Two seconds of a look at the machine under s; the lines of one that is not this one begin with
 * the target. Fails when the system is lost.
 */
int doctor_look(struct doctor *d, struct system *s, struct err *err);
/* Measures one short task of a system against itself for so long, and says what it shows. */
int doctor_noise(struct doctor *d, const char *target, int64_t ns, struct err *err);

#endif
