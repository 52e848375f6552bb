/*
 * session: everything that is alive while a run goes on: the lock, the run
 * folder, open systems, their programs, stacks and the WordPress tree. What
 * session_open() made, session_close() removes, in whatever state it is.
 */
#ifndef LAMPDUEL_MEASURE_SESSION_H
#define LAMPDUEL_MEASURE_SESSION_H

#include "measure/event.h"
#include "measure/plan.h"
#include "system/guard.h"
#include "system/recorder.h"

struct session {
	const struct plan *plan;
	struct clock *clock;
	const volatile int *stop;
	const struct event_sink *sink;
	char *cache_dir, *run_id;
	struct measuring_lock *lock;
	struct guard *guard;
	char **run_dirs;             /* of each system, on this machine; NULL in a replay */
	struct recording *recording; /* --record */
	size_t n;                    /* systems, in the plan's order */
	struct system **systems;
	struct stack_programs *programs;
	struct stack **stacks;
	struct wordpress_tree *trees; /* n of them when each has its own, else one */
	size_t n_trees;
	struct task_list tasks; /* those that every system can do */
	VEC(char *) notes;      /* for the experiment */
	bool recorded;          /* a replay: serial, no lock, no look at this machine */
};

/* Up to systems that are open and known; prepares no stack yet. */
int session_open(struct session *s, const struct plan *plan, struct clock *clock,
		 const volatile int *stop, const struct event_sink *sink, struct err *err);
/* Data folders and the site, on all systems at once. */
int session_prepare(struct session *s, struct err *err);
void session_close(struct session *s);
bool session_needs(const struct session *s, enum stack_need need); /* does any task? */
void session_note(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Starts a life of task's stack on all systems, warms up, and places the processes for measuring.
 */
int session_begin_life(struct session *s, const struct task *t, int round, int attempt,
		       struct err *err);
void session_end_life(struct session *s, const struct task *t, int round, int attempt);
/* The services of the life still run on all systems. */
int session_check_life(struct session *s, const struct task *t, struct err *err);

#endif
