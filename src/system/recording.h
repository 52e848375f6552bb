/*
 * recording: what systems answered in a run, as a text file that answers again
 * (doc/recording.md describes the format). system/recorder.h fills one from a
 * real run, the target recorded:FILE replays it.
 *
 * Calls are found by what was asked for: kind of call, step, round and attempt;
 * the nth call of equal key is answered by the nth line of it.
 */
#ifndef LAMPDUEL_SYSTEM_RECORDING_H
#define LAMPDUEL_SYSTEM_RECORDING_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/outcome.h"
#include "base/vec.h"
#include "facts/fact.h"
#include "system/bytes.h"
#include "system/system.h"

enum recorded_action {
	RECORDED_EXEC,
	RECORDED_SPAWN,
	RECORDED_ALIVE, /* only the answer that a service ended */
	RECORDED_STOP,
	RECORDED_FETCH,
	RECORDED_PUT,
	RECORDED_GET,
	RECORDED_OBSERVE,
	RECORDED_PLACE,
	RECORDED_FREE_PORT,
	RECORDED_ACTIONS
};

struct recorded_call {
	enum recorded_action action;
	char *step; /* place: "all" or "measured"; alive: "" */
	int round, attempt;
	int64_t at_ns;            /* the run's clock when the call returned */
	int code;                 /* 0, or the negative code of its error */
	char *text;               /* message of the error; alive: how it ended; NULL: none */
	struct outcome outcome;   /* exec and fetch; its bytes are below */
	size_t out, err, headers; /* index of bytes; out is also what get and observe returned */
	int64_t number;           /* spawn, alive, stop: the service; free_port: the port */
	int64_t asked;            /* alive: how often it was asked until it had ended */
	bool used;                /* while replaying */
};

struct recorded_system {
	char *name, *target;
	char *run_dir_inside;
	char *arch, *emulator, *emulated_cpu; /* NULL: as in struct system */
	bool is_rootfs, emulated;
	char *placement_text[2];
	char *share_asked[SYSTEM_SHARES_MAX], *share_inside[SYSTEM_SHARES_MAX];
	struct factset facts;
	VEC(struct recorded_call) calls;
};

struct recording {
	char *made_by, *command;   /* for the reader of the file */
	int64_t start_ns, unix_ns; /* the run's clock at its start; calendar time at clock 0 */
	VEC(struct recorded_system *) systems;
	struct bytes_pool bytes;
	pthread_mutex_t lock; /* of bytes, while recorders fill them */
};

/* An empty recording that starts now. command: the command line, for the record. */
struct recording *recording_new(const struct clock *c, const char *command);
void recording_free(struct recording *r); /* NULL is allowed */

/* Written at once, beside its name first, then renamed. */
int recording_save(struct recording *r, const char *path, struct err *err);
/* NULL and an error that names file and line. */
struct recording *recording_load(const char *path, struct err *err);

/* "exec", "free_port" */
const char *recorded_action_name(enum recorded_action a);

#endif
