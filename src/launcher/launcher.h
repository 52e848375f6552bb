/*
 * launcher: the small static process that starts, times, places and reaps
 * everything that lampduel runs in a system. It is small so that a child's peak
 * memory does not start at lampduel's size, single-threaded so that nothing of
 * it runs while a child is measured, and it takes every descendant with it when
 * its control channel closes.
 *
 * One struct launcher lives in main(). Functions of a request fill l->reply and
 * never fail themselves; what cannot go on (a broken channel) ends the process
 * through launcher_end().
 */
#ifndef LAMPDUEL_LAUNCHER_LAUNCHER_H
#define LAMPDUEL_LAUNCHER_LAUNCHER_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "launcher/protocol.h"

enum { SERVICES_MAX = 32, CHILDREN_MAX = 512 };

struct reply {
	unsigned char *data;
	size_t len, cap;
};

struct service {
	bool used;
	pid_t pid; /* 0 once it was reaped */
	int status;
};

struct launcher {
	int in, out; /* control channel */
	int signals; /* signalfd: SIGCHLD and what asks us to end */
	int null_fd; /* /dev/null, opened before the chroot */
	int proc_fd; /* /proc, opened before the chroot; -1: none */
	int refs_fd; /* /proc/self/clear_refs; -1: none */
	struct service services[SERVICES_MAX];
	struct reply reply;
	cpu_set_t own;      /* CPUs of this process: those it was started with */
	cpu_set_t children; /* CPUs of what it starts; LP_PLACE sets them */
	bool cancelled;     /* LP_CANCEL came while a request was open */
};

/* A program as a request describes it; pointers lead into the request. */
struct program {
	const char *path, *cwd;
	char **argv, **env; /* arrays of our own: program_release() */
	int in, out, err;   /* file descriptors it gets */
};

int64_t now_ns(void);
/* Forgets our own peak memory: a child's begins at it. */
void peak_reset(const struct launcher *l);
_Noreturn void launcher_end(struct launcher *l, int status); /* ends every descendant first */

/* channel.c */
/* Reads one frame; ends the launcher at the end of the channel. Payload: free() it. */
unsigned char *channel_read(struct launcher *l, uint32_t *type, size_t *len);
void channel_write(struct launcher *l, uint32_t type);
/* The other end spoke while a request was open: notes LP_CANCEL. */
void channel_interrupt(struct launcher *l);
void reply_begin(struct reply *r, enum lp_stage stage, int errnum);
void reply_u32(struct reply *r, uint32_t v);
void reply_u64(struct reply *r, uint64_t v);
void reply_bytes(struct reply *r, const void *data, size_t n);

/* child.c */
bool program_read(struct lp_reader *r, struct program *p);
void program_release(struct program *p);
/* Starts p in its own session. The process, or -1 with the stage and errno of what failed. */
pid_t child_start(const struct program *p, enum lp_stage *stage, int *errnum);
/* Reads pending signals; ends the launcher when one of them asks for it. */
void signals_read(struct launcher *l);
/* Reaps what ended; but is left to its owner. A service's group ends with the service. */
void children_reap(struct launcher *l, pid_t but);

/* tree.c */
/* SIGKILL to all descendants of pid, not to pid itself. How many there were, -1: not known. */
int tree_kill(const struct launcher *l, pid_t pid);
/* Our own children, orphans that came to us too. How many, at most max; 0 when the kernel does not
 * say. */
size_t tree_children(const struct launcher *l, pid_t *v, size_t max);
/*
 * Sets the CPU mask of all descendants of pid, each thread, and of what is started from now on.
 * Threads set, or -errno.
 */
int tree_place(struct launcher *l, pid_t pid, const unsigned char *mask, size_t len);

/*
 * Around the start of a child, which inherits its CPUs from us. In between this process is where
 * children are; else it may be on any CPU, so that it need not wait for one that is busy when a
 * child has ended and its end is to be timed. A launcher that waited for its turn would time its
 * own luck with the scheduler, which is another for each system.
 */
void place_start(const struct launcher *l);
void place_started(const struct launcher *l);

/* run.c, service.c, file.c: one function per request */
void run_request(struct launcher *l, struct lp_reader *r);
void service_spawn(struct launcher *l, struct lp_reader *r);
void service_status(struct launcher *l, struct lp_reader *r);
void service_stop(struct launcher *l, struct lp_reader *r);
void file_put(struct launcher *l, struct lp_reader *r);
void file_get(struct launcher *l, struct lp_reader *r);

#endif
