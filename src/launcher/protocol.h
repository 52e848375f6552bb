/*
 * protocol: what lampduel and lampduel-launcher say to each other, over one
 * stream socket (the launcher's standard input and output).
 *
 * A frame is 8 bytes of header (payload length, type) and the payload; all
 * integers are little-endian whatever the machine. lampduel asks one thing at a
 * time and waits for the reply; only LP_CANCEL may follow a request that is
 * still open. A string is a length that counts its NUL, then the bytes.
 *
 * Every reply has the request's type with LP_REPLY added and begins with
 * u32 stage (enum lp_stage; LP_DONE is 0) and u32 errno of the machine; the
 * rest is there only with LP_DONE.
 *
 *   LP_HELLO   unasked, first: u32 LP_VERSION, u32 pid as seen inside, u32 features
 *   LP_RUN     program (below), u32 flags, u64 timeout ns, u64 output limit, bytes input,
 *                 bytes enough (ended as soon as stderr has them; empty: never)
 *              -> u32 wait status, u32 run flags, u64 start, end, user, sys (ns),
 *                 u64 maxrss (bytes), bytes out, bytes err
 *   LP_SPAWN   program, string log -> u32 id
 *   LP_STATUS  u32 id -> u32 running (1 or 0), u32 wait status
 *   LP_STOP    u32 id, u64 grace ns -> u32 killed (1: SIGTERM was not enough), u32 wait status
 *   LP_PLACE   bytes mask (CPU n is bit n % 8 of byte n / 8) -> u32 threads that were moved
 *   LP_PUT     string path, bytes data -> nothing more; folders on the way are made
 *   LP_GET     string path, u64 max -> bytes; EFBIG when the file is longer
 *   LP_CANCEL  nothing; ends an open LP_RUN or LP_STOP early, has no reply of its own
 *
 * program: string path of the file to execute, strings argv, strings env,
 * string cwd; "strings" is a count and that many strings. "bytes" is a length
 * and the bytes.
 */
#ifndef LAMPDUEL_LAUNCHER_PROTOCOL_H
#define LAMPDUEL_LAUNCHER_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LP_VERSION 2u
#define LP_HEADER 8u
#define LP_FRAME_MAX (256u << 20) /* of a payload */
#define LP_OUTPUT_MAX (64u << 20) /* of one output */
#define LP_STRINGS_MAX 65536u     /* of a list */

enum lp_type {
	LP_HELLO = 1,
	LP_RUN,
	LP_SPAWN,
	LP_STATUS,
	LP_STOP,
	LP_PLACE,
	LP_PUT,
	LP_GET,
	LP_CANCEL,
	LP_REPLY = 0x100,
};

/* Where a request failed. */
enum lp_stage {
	LP_DONE,
	LP_BAD_REQUEST, /* malformed, or an unknown id */
	LP_SETUP,       /* pipes, process */
	LP_CHDIR,
	LP_LOG, /* the service's log file */
	LP_EXEC,
	LP_FILE, /* put, get */
	LP_AFFINITY,
};

enum lp_flags {
	LP_DISCARD_OUTPUT = 1, /* stdout to /dev/null */
	LP_HAS_INPUT = 2,      /* else stdin is /dev/null */
};

enum lp_run_flags {
	LP_OUT_TRUNCATED = 1,
	LP_ERR_TRUNCATED = 2,
	LP_TIMED_OUT = 4,
	LP_CANCELLED = 8,
	LP_ENOUGH = 16, /* ended because it had said enough */
};

enum lp_features {
	LP_SEES_PROC = 1, /* descendants that changed their group are found too */
	LP_IS_INIT = 2,   /* process 1 of its own process namespace */
};

static inline void lp_store32(unsigned char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (unsigned char)(v >> (8 * i));
}

static inline void lp_store64(unsigned char *p, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		p[i] = (unsigned char)(v >> (8 * i));
}

/* Reads a payload; after anything that does not fit, bad is set and all further values are 0. */
struct lp_reader {
	const unsigned char *p, *end;
	bool bad;
};

static inline const unsigned char *lp_take(struct lp_reader *r, size_t n)
{
	if (r->bad || (size_t)(r->end - r->p) < n) {
		r->bad = true;
		return NULL;
	}
	r->p += n;
	return r->p - n;
}

static inline uint32_t lp_u32(struct lp_reader *r)
{
	const unsigned char *p = lp_take(r, 4);

	return p == NULL ? 0
			 : (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
				   (uint32_t)p[3] << 24;
}

static inline uint64_t lp_u64(struct lp_reader *r)
{
	uint64_t low = lp_u32(r);

	return low | (uint64_t)lp_u32(r) << 32;
}

/* Points into the payload. */
static inline const unsigned char *lp_bytes(struct lp_reader *r, size_t *n)
{
	*n = lp_u32(r);
	const unsigned char *p = lp_take(r, *n);
	if (p == NULL)
		*n = 0;
	return p;
}

static inline const char *lp_string(struct lp_reader *r)
{
	size_t n = 0;
	const unsigned char *p = lp_bytes(r, &n);

	if (p == NULL || n == 0 || p[n - 1] != '\0') {
		r->bad = true;
		return NULL;
	}
	return (const char *)p;
}

#endif
