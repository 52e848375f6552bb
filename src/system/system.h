/*
 * system: one installation under test and how it is reached. A kind of system
 * is a table of functions (struct system_kind) and one row in the registry
 * (system/kinds.h); nothing above this module knows which kind it talks to.
 *
 * Paths given to exec, spawn, put and get are paths as the system itself sees
 * them ("inside"). Every system has a run folder of its own, which is removed
 * with all that is in it by system_close().
 *
 * Every action has a step: a name that is unique within (system, round,
 * attempt), under which a recording stores and replays its outcome.
 */
#ifndef LAMPDUEL_SYSTEM_SYSTEM_H
#define LAMPDUEL_SYSTEM_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/outcome.h"
#include "base/vec.h"
#include "facts/fact.h"

struct system;

struct step {
	const char *name; /* "openssl/rsa2048", "facts/php" */
	int round;        /* 0: outside of the rounds */
	int attempt;      /* 1.. */
};

/* A step with "/what" behind the name of the other one; release it with step_release(). */
struct step step_below(const struct step *step, const char *what);
void step_release(struct step *s);

struct exec_request {
	const struct strvec
		*argv; /* argv[0]: absolute path inside, or a name looked up in the system's PATH */
	const struct strvec *env; /* NAME=VALUE, added to a small fixed environment; NULL: none */
	const char *cwd;          /* inside; NULL: the run folder */
	const void *input;        /* standard input; NULL: /dev/null */
	size_t input_len;
	int64_t timeout_ns;  /* > 0 */
	size_t output_max;   /* bytes kept of each of stdout and stderr; 0: 1 MiB */
	bool discard_output; /* stdout to /dev/null (stderr is kept) */
	/* Ended, and ok, as soon as its stderr holds this text: what comes after is not wanted.
	 * NULL: it ends by itself. */
	const char *enough;
};

struct fetch_request {
	const char *method; /* "GET", "PURGE" */
	/* A whole address, http: or https:, which the system itself asks in place of its loopback;
	 * NULL: port, host and path. Rooted kinds do not know it. */
	const char *url;
	int port;                     /* on the system's loopback */
	const char *host;             /* Host header */
	const char *path;             /* "/?p=1" */
	const struct strvec *headers; /* "Name: value"; NULL: none */
	int64_t timeout_ns;
	size_t body_max; /* a longer body ends the fetch: OUTCOME_INVALID */
};

/* Where processes may run. */
enum placement {
	PLACE_ALL,      /* anywhere: preparation, warm-up */
	PLACE_MEASURED, /* all but the first CPU, which the client has, when there are two or more
			 */
};

/*
 * A file or folder of this machine shown inside, read-only. inside_path is what is asked for (below
 * /run); a kind without mounts of its own shows it elsewhere: ask system_share_inside().
 */
struct system_share {
	const char *host_path;
	const char *inside_path;
};
enum { SYSTEM_SHARES_MAX = 4 };

struct system_options {
	const char *name;      /* "soft" */
	const char *target;    /* "debian:bookworm/armel" */
	const char *cpu;       /* emulated CPU model, NULL: the kind's choice */
	const char *run_id;    /* marks processes and folders of this run: [A-Za-z0-9-]+ */
	const char *run_dir;   /* existing folder of this machine, this system's alone */
	const char *cache_dir; /* prepared installations */
	struct clock *clock;
	const volatile int *stop; /* non-zero: interrupted, give up soon (ERR_INTERRUPTED) */
	bool measures; /* nobody else is to measure there meanwhile: another machine is locked */
	struct system_share shares[SYSTEM_SHARES_MAX];
	size_t n_shares;
	/* One printable line about a long preparation (an installation is made); may be NULL. */
	void (*progress)(void *arg, const char *line);
	void *progress_arg;
};

struct system_kind {
	const char *scheme;  /* "debian" for debian:..., "local" for the bare word */
	const char *form;    /* for --help: "debian:SUITE/ARCH" */
	const char *summary; /* the same: "an unpacked Debian" */
	bool in_sandbox;     /* what it needs of this machine is what the sandbox needs */
	bool no_services;    /* spawn is not possible: only what runs there already is measured */
	/* Looks at the text alone: is the part after the colon well formed? */
	int (*check)(const char *target, struct err *err);
	/*
	 * Brings what open() needs and takes time (a download); may run in a thread, for several
	 * systems at once. NULL: nothing.
	 */
	int (*prepare)(const struct system_options *o, struct err *err);
	/*
	 * A kind that replays: sets the clock to where its recording begins. NULL: it lives in real
	 * time. Systems of both sorts are not measured together.
	 */
	int (*start_clock)(const char *target, struct clock *c, struct err *err);
	/* In the main thread: what it starts dies with the thread that started it. */
	int (*open)(struct system *s, const struct system_options *o, struct err *err);
	/*
	 * 0: it was tried, *out says what came of it. Negative: the system itself cannot be used
	 * (ERR_GONE, ERR_INTERRUPTED). *out is initialised by the callee. What the program
	 * leaves running is ended with it: services are for spawn.
	 */
	int (*exec)(struct system *s, const struct step *step, const struct exec_request *q,
		    struct outcome *out, struct err *err);
	/* Starts a service; its stdout and stderr go to the file log (inside, created). *id > 0
	 * names it. */
	int (*spawn)(struct system *s, const struct step *step, const struct exec_request *q,
		     const char *log, int *id, struct err *err);
	/* Is it still running? When not, *how becomes "exit status 1" or "signal 9" (static or
	 * system-owned). */
	bool (*alive)(struct system *s, int id, const char **how);
	/* SIGTERM, up to grace_ns, then SIGKILL; always gone afterwards. */
	int (*stop)(struct system *s, const struct step *step, int id, int64_t grace_ns,
		    struct err *err);
	int (*fetch)(struct system *s, const struct step *step, const struct fetch_request *q,
		     struct outcome *out, struct err *err);
	int (*put)(struct system *s, const struct step *step, const char *path, const void *data,
		   size_t len, struct err *err);
	int (*get)(struct system *s, const struct step *step, const char *path, size_t max,
		   struct buf *out, struct err *err);
	/* A piece of a file; NULL: system_get_part() asks dd for it. */
	int (*get_part)(struct system *s, const struct step *step, const char *path, uint64_t at,
			size_t size, struct buf *out, struct err *err);
	/* Adds what the machine under it says of its state (system/observe.h); nothing when that
	 * cannot be known. Must be cheap, and is not part of any sample. */
	int (*observe)(struct system *s, const struct step *step, struct buf *out, struct err *err);
	/* Applies to every process of this system that runs or will be started. */
	int (*place)(struct system *s, enum placement p, struct err *err);
	/* A TCP port on loopback that is free at this moment. */
	int (*free_port)(struct system *s, const struct step *step, int *port, struct err *err);
	/* Ends every process, removes the run folder's content. Never fails halfway: it does all it
	 * can. */
	void (*close)(struct system *s);
};

struct system {
	const struct system_kind *kind;
	char *name, *target;
	char *run_dir_inside; /* "/run/lampduel" */
	/* by share: what was asked for, and where it is (NULL: as asked) */
	char *share_asked[SYSTEM_SHARES_MAX], *share_inside[SYSTEM_SHARES_MAX];
	bool is_rootfs; /* shares this machine's kernel */
	bool is_recorded;
	bool emulated;
	char *emulator;     /* "qemu-arm 7.2.22"; NULL when native */
	char *emulated_cpu; /* "cortex-a7"; NULL when native or the emulator's default */
	char *arch;         /* Debian's name of the programs' architecture; NULL: not known */
	char *root_host;    /* its root folder on this machine; NULL: it is elsewhere */
	const char *placement_text[2]; /* by enum placement, for the record: "CPUs 0-1", "CPU 1" */
	struct factset facts; /* what the kind itself knows (release date, main alone, ...) */
	struct clock *clock;
	const volatile int *stop;
	void *impl;
};

/* "qemu-arm 7.2.22, -cpu cortex-a7" as a new string; NULL when native. */
char *system_emulated_by(const struct system *s);
/* NULL and an error that lists the kinds when the target is none. */
const struct system_kind *system_kind_of(const char *target, struct err *err);
size_t system_kind_count(void);
const struct system_kind *system_kind_at(size_t i);

/* What the kind's prepare() does; system_open() does it too when it was not done. */
int system_prepare(const struct system_options *o, struct err *err);
/* New system, or NULL. Free with system_close(). */
struct system *system_open(const struct system_options *o, struct err *err);
void system_close(struct system *s); /* NULL is allowed */

/* Where the share that was asked for at inside_path is inside; NULL: there is none. */
const char *system_share_inside(const struct system *s, const char *inside_path);

/* The part of a target after "scheme:", or "" */
const char *system_target_rest(const char *target);

/* Wrappers of the table's functions. */
int system_exec(struct system *s, const struct step *step, const struct exec_request *q,
		struct outcome *out, struct err *err);
int system_spawn(struct system *s, const struct step *step, const struct exec_request *q,
		 const char *log, int *id, struct err *err);
bool system_alive(struct system *s, int id, const char **how);
int system_stop(struct system *s, const struct step *step, int id, int64_t grace_ns,
		struct err *err);
int system_fetch(struct system *s, const struct step *step, const struct fetch_request *q,
		 struct outcome *out, struct err *err);
int system_put(struct system *s, const struct step *step, const char *path, const void *data,
	       size_t len, struct err *err);
int system_get(struct system *s, const struct step *step, const char *path, size_t max,
	       struct buf *out, struct err *err);
/* At most size bytes from offset at; fewer, or none, where the file ends before that. */
int system_get_part(struct system *s, const struct step *step, const char *path, uint64_t at,
		    size_t size, struct buf *out, struct err *err);
/* Adds nothing for a kind that cannot tell. */
int system_observe(struct system *s, const struct step *step, struct buf *out, struct err *err);
int system_place(struct system *s, enum placement p, struct err *err);
int system_free_port(struct system *s, const struct step *step, int *port, struct err *err);

#endif
