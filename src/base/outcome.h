/*
 * outcome: what came of one action on a system. Anything but OUTCOME_OK has a
 * reason and must not be read as a measurement. Times are CLOCK_MONOTONIC
 * nanoseconds of the machine that did the timing.
 */
#ifndef LAMPDUEL_BASE_OUTCOME_H
#define LAMPDUEL_BASE_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum outcome_status {
	OUTCOME_OK,
	OUTCOME_FAILED,  /* it ran and failed: exit status, signal, HTTP error */
	OUTCOME_TIMEOUT, /* its time limit ended it */
	OUTCOME_INVALID, /* it ran, but what came out cannot be used, or it was disturbed */
	OUTCOME_SKIPPED, /* it was not tried */
};

struct outcome {
	enum outcome_status status;
	char *reason; /* NULL when ok; else one line, safe to print */
	int exit_code, signal;
	int64_t start_ns, end_ns;
	int64_t user_ns, sys_ns, maxrss_bytes; /* of the process, by wait4; 0 for a fetch */
	/* resolution of start_ns..end_ns and of user_ns and sys_ns; 0: as fine as the kernel's own
	 * (another machine may have no better clock than a shell's, and no maxrss_bytes) */
	int64_t wall_step_ns, cpu_step_ns;
	struct buf out, err; /* raw bytes, cut at the limit asked for */
	bool truncated;      /* out or err was cut */
	/* a fetch only: */
	int http_status;
	int64_t ttfb_ns;    /* request sent to first byte of the answer */
	int64_t whole_ns;   /* with name, connection and TLS, which start_ns..end_ns are without */
	struct buf headers; /* of the answer, as received */
};

void outcome_release(struct outcome *o); /* leaves an empty, ok outcome */
const char *
outcome_status_name(enum outcome_status s); /* "ok" "failed" "timeout" "invalid" "skipped" */
bool outcome_status_from_name(const char *name, enum outcome_status *s);
/* Sets status and reason (copied from the format) when the outcome is still ok. */
void outcome_fail(struct outcome *o, enum outcome_status s, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
