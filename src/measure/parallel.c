#include "measure/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/mem.h"

struct job {
	pthread_t thread;
	bool started;
	parallel_fn fn;
	void *arg;
	size_t i;
	int rc;
	struct err err;
};

static void *work(void *p)
{
	struct job *j = p;

	j->rc = j->fn(j->arg, j->i, &j->err);
	return NULL;
}

static void start(struct job *j)
{
	sigset_t all;
	sigset_t old;

	/* signals are the main thread's: its waiting calls must be the ones that end */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	j->started = pthread_create(&j->thread, NULL, work, j) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!j->started)
		(void)work(j);
}

int parallel_each(size_t n, bool serial, parallel_fn fn, void *arg, struct err *err)
{
	struct job *jobs = mem_array(n, sizeof(*jobs));
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		jobs[i] = (struct job){.fn = fn, .arg = arg, .i = i};
		if (serial || n == 1)
			(void)work(&jobs[i]);
		else
			start(&jobs[i]);
		if (serial && jobs[i].rc != 0) {
			n = i + 1;
			break;
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (jobs[i].started)
			(void)pthread_join(jobs[i].thread, NULL);
		if (rc == 0 && jobs[i].rc != 0) {
			rc = jobs[i].rc;
			if (err != NULL)
				*err = jobs[i].err;
		}
	}
	free(jobs);
	return rc;
}
