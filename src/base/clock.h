/*
 * clock: the only source of time. Spans are CLOCK_MONOTONIC in 64-bit
 * nanoseconds; the calendar is used for dates alone. A virtual clock (for
 * recorded runs) stands still but for what clock_advance_to() says, so that
 * a replay is exact and instant.
 */
#ifndef LAMPDUEL_BASE_CLOCK_H
#define LAMPDUEL_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define NS_PER_S INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

struct clock {
	bool is_virtual;
	int64_t now_ns;       /* virtual only */
	int64_t epoch_offset; /* virtual only: unix ns at now_ns = 0 */
};

void clock_init_real(struct clock *c);
/* unix_ns: the calendar time at monotonic 0. */
void clock_init_virtual(struct clock *c, int64_t start_ns, int64_t unix_ns);

int64_t clock_now_ns(const struct clock *c);            /* monotonic */
int64_t clock_unix_ns(const struct clock *c);           /* calendar, UTC */
void clock_advance_to(struct clock *c, int64_t now_ns); /* virtual: never backwards */
void clock_sleep_ns(struct clock *c,
		    int64_t ns); /* virtual: advances; real: may end early on a signal */
int64_t clock_mono_ns(void); /* the machine's CLOCK_MONOTONIC, for code without a struct clock */

/* "2026-11-30 21:45:07 UTC" of unix nanoseconds; buf holds at least 32 bytes. */
void clock_format_utc(int64_t unix_ns, char *buf, unsigned size);

#endif
