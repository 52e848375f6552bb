/*
 * fetch: one HTTP/1.1 request to a server on this machine's loopback, or to a
 * whole address, by libcurl: a new connection each, no proxy, no redirect followed, nothing kept.
 *
 * Times are our own CLOCK_MONOTONIC readings taken in libcurl's callbacks:
 * start_ns when the connection stands and the request is about to be sent (so
 * the TCP handshake is not part of it), ttfb_ns from there to the first line of
 * the answer, end_ns when the last bytes of header or body were read.
 */
#ifndef LAMPDUEL_SYSTEM_FETCH_H
#define LAMPDUEL_SYSTEM_FETCH_H

#include "base/outcome.h"
#include "system/system.h"

/*
 * 0: it was tried. OUTCOME_OK is a complete 2xx answer alone; a redirect or an HTTP error is
 * OUTCOME_FAILED with status, headers and body kept; a body longer than body_max is
 * OUTCOME_INVALID. ERR_INTERRUPTED when *stop (may be NULL) became non-zero.
 */
int fetch_page(const struct fetch_request *q, const volatile int *stop, struct outcome *out,
	       struct err *err);

#endif
