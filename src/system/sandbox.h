/*
 * sandbox: an unpacked installation (a root folder) run beside this machine's
 * own: bubblewrap shows the root read-only, with its own /dev, /proc, /tmp, /run
 * and processes, the run folder at /run/lampduel, and this machine's network
 * (loopback servers). Nothing in it outlives the launcher, which is process 1
 * there.
 *
 * Where bubblewrap is refused, root falls back to a plain chroot: the run folder
 * and copies of the shares then lie in a folder of the root, which is removed at
 * close, and what the programs miss (/proc, /dev) they miss. The fact "sandbox"
 * says which it is. An installation of the user's own is never written, so it
 * has no fallback.
 *
 * A kind of system checks the root, fills s->arch and s->emulator, calls
 * sandbox_open() from its open and uses SANDBOX_FUNCTIONS for the rest.
 */
#ifndef LAMPDUEL_SYSTEM_SANDBOX_H
#define LAMPDUEL_SYSTEM_SANDBOX_H

#include <stdbool.h>

#include "system/launched.h"
#include "system/system.h"

struct sandbox_options {
	const char *root;         /* folder of this machine */
	const char *emulator;     /* a static program of this machine; NULL: native */
	const char *emulator_cpu; /* for its -cpu; NULL: its own choice */
	void *kind_data;          /* what the kind keeps for its lifetime (a lock); may be NULL */
	void (*kind_release)(void *kind_data); /* called at close, also when the opening fails */
	bool users_own;     /* the root is not ours to write in, which the fallback has to */
	bool no_bubblewrap; /* go to the fallback at once (for tests) */
};

/*
 * Sets s->impl, run_dir_inside, root_host, is_rootfs, emulated, emulated_cpu, the places of the
 * shares and the fact "sandbox", and starts the sandbox with everything placed on all CPUs.
 */
int sandbox_open(struct system *s, const struct system_options *o, const struct sandbox_options *so,
		 struct err *err);
void sandbox_close(struct system *s);
void *sandbox_kind_data(const struct system *s);

/* All table entries but scheme, summary, check and open. */
#define SANDBOX_FUNCTIONS LAUNCHED_FUNCTIONS, .close = sandbox_close

struct sandbox_probe {
	bool bubblewrap; /* works here */
	bool chroot;     /* the fallback would: we are root */
	char *version;   /* "bubblewrap 0.8.0"; NULL: not installed */
	char *why_not;   /* one line, with what to do; NULL when bubblewrap works */
};

/* Tries it on this machine's own root; takes a few milliseconds. */
void sandbox_probe(struct sandbox_probe *p);
void sandbox_probe_release(struct sandbox_probe *p);

#endif
