#include "launcher/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct service *service_find(struct launcher *l, uint32_t id)
{
	if (id == 0 || id > SERVICES_MAX || !l->services[id - 1].used)
		return NULL;
	return &l->services[id - 1];
}

void service_spawn(struct launcher *l, struct lp_reader *r)
{
	struct program p;
	enum lp_stage stage = LP_LOG;
	int errnum = 0;
	uint32_t id = 0;
	bool good = program_read(r, &p);
	const char *log = lp_string(r);

	for (uint32_t i = 0; i < SERVICES_MAX && id == 0; i++) {
		if (!l->services[i].used)
			id = i + 1;
	}
	if (!good || r->bad || id == 0) {
		program_release(&p);
		reply_begin(&l->reply, LP_BAD_REQUEST, id == 0 ? EMFILE : EINVAL);
		return;
	}
	pid_t pid = -1;
	p.in = l->null_fd;
	p.out = p.err = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (p.out >= 0) {
		place_start(l);
		pid = child_start(&p, &stage, &errnum);
		place_started(l);
		(void)close(p.out);
	} else {
		errnum = errno;
	}
	program_release(&p);
	if (pid < 0) {
		reply_begin(&l->reply, stage, errnum);
		return;
	}
	l->services[id - 1] = (struct service){.used = true, .pid = pid};
	reply_begin(&l->reply, LP_DONE, 0);
	reply_u32(&l->reply, id);
}

void service_status(struct launcher *l, struct lp_reader *r)
{
	const struct service *s = service_find(l, lp_u32(r));

	if (s == NULL) {
		reply_begin(&l->reply, LP_BAD_REQUEST, ESRCH);
		return;
	}
	children_reap(l, 0);
	reply_begin(&l->reply, LP_DONE, 0);
	reply_u32(&l->reply, s->pid > 0);
	reply_u32(&l->reply, (uint32_t)s->status);
}

/* Until the service is gone, the time is over or lampduel loses patience. */
static void wait_gone(struct launcher *l, const struct service *s, int64_t deadline)
{
	struct pollfd p[2] = {{.fd = l->signals, .events = POLLIN},
			      {.fd = l->in, .events = POLLIN}};

	for (;;) {
		int64_t left = deadline - now_ns();

		children_reap(l, 0);
		if (s->pid == 0 || left <= 0 || l->cancelled)
			return;
		int ms = left > 1000000000 ? 1000 : (int)(left / 1000000) + 1;
		if (poll(p, 2, ms) <= 0)
			continue;
		if (p[0].revents != 0)
			signals_read(l);
		if (p[1].revents != 0)
			channel_interrupt(l);
	}
}

void service_stop(struct launcher *l, struct lp_reader *r)
{
	struct service *s = service_find(l, lp_u32(r));
	uint64_t grace = lp_u64(r);
	bool killed = false;

	if (s == NULL || r->bad || grace > INT64_MAX / 2) {
		reply_begin(&l->reply, LP_BAD_REQUEST, s == NULL ? ESRCH : EINVAL);
		return;
	}
	l->cancelled = false;
	children_reap(l, 0);
	if (s->pid > 0) {
		(void)kill(s->pid, SIGTERM);
		(void)kill(s->pid, SIGCONT);
		wait_gone(l, s, now_ns() + (int64_t)grace);
	}
	if (s->pid > 0) {
		killed = true;
		(void)tree_kill(l, s->pid);
		(void)kill(-s->pid, SIGKILL);
		(void)kill(s->pid, SIGKILL);
		while (waitpid(s->pid, &s->status, 0) < 0 && errno == EINTR)
			;
	}
	s->used = false;
	s->pid = 0;
	reply_begin(&l->reply, LP_DONE, 0);
	reply_u32(&l->reply, killed);
	reply_u32(&l->reply, (uint32_t)s->status);
}
