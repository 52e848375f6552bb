#include "launcher/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DRAIN_MAX = 1 << 20 }; /* after the end: a pipe holds at most this much */

struct capture {
	int fd; /* read end, -1: closed */
	unsigned char *data;
	size_t len, cap, max;
	bool truncated;
};

struct run {
	struct program program;
	struct capture out, err;
	int64_t start, end, deadline;
	const unsigned char *enough; /* in stderr: nothing more is wanted */
	size_t enough_len;
	pid_t pid;
	int status;
	uint32_t flags;
	struct rusage usage;
};

static bool capture_open(struct capture *c, int *write_end, size_t max)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) != 0)
		return false;
	(void)fcntl(fds[0], F_SETFL, O_NONBLOCK);
	c->fd = fds[0];
	c->max = max;
	*write_end = fds[1];
	return true;
}

static void capture_close(struct capture *c)
{
	if (c->fd >= 0)
		(void)close(c->fd);
	c->fd = -1;
}

static void capture_keep(struct capture *c, const unsigned char *p, size_t n)
{
	size_t keep = n < c->max - c->len ? n : c->max - c->len;

	if (keep < n)
		c->truncated = true;
	if (keep == 0)
		return;
	if (c->cap < c->len + keep) {
		size_t cap = c->cap == 0 ? 65536 : c->cap * 2;
		while (cap < c->len + keep)
			cap *= 2;
		unsigned char *data = realloc(c->data, cap);

		if (data == NULL) {
			c->truncated = true;
			c->max = c->len;
			return;
		}
		c->data = data;
		c->cap = cap;
	}
	memcpy(c->data + c->len, p, keep);
	c->len += keep;
}

/* One read; how much there was, 0 when nothing is left for now. */
static size_t capture_read(struct capture *c)
{
	static unsigned char block[65536];
	ssize_t n = c->fd < 0 ? 0 : read(c->fd, block, sizeof(block));

	if (n > 0) {
		capture_keep(c, block, (size_t)n);
		return (size_t)n;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		capture_close(c);
	return 0;
}

/* Standard input as a file in memory: nothing has to be fed while the child is timed. */
static int input_open(const unsigned char *data, size_t len)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	while (fd >= 0 && len > 0) {
		ssize_t n = write(fd, data, len);

		if (n <= 0) {
			(void)close(fd);
			return -1;
		}
		data += n;
		len -= (size_t)n;
	}
	if (fd >= 0)
		(void)lseek(fd, 0, SEEK_SET);
	return fd;
}

/* A large input is in the file now: gives its pages in the request back before the child starts. */
static void input_forget(const struct launcher *l, const unsigned char *data, size_t len)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = ((uintptr_t)data + page - 1) / page * page;
	uintptr_t to = ((uintptr_t)data + len) / page * page;

	if (len < 262144 || from >= to)
		return;
	(void)madvise((void *)from, to - from, MADV_DONTNEED);
	peak_reset(l);
}

/* The child ended: notes when, then ends its group while the group's number is still ours. */
static bool run_ended(struct launcher *l, struct run *run)
{
	siginfo_t info = {.si_pid = 0};

	if (waitid(P_PID, (id_t)run->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	    info.si_pid == 0)
		return false;
	run->end = now_ns();
	(void)kill(-run->pid, SIGKILL);
	while (wait4(run->pid, &run->status, 0, &run->usage) < 0 && errno == EINTR)
		;
	run->pid = 0;
	children_reap(l, 0);
	return true;
}

static void run_kill(struct launcher *l, struct run *run, uint32_t why)
{
	run->flags |= why;
	(void)tree_kill(l, run->pid);
	(void)kill(-run->pid, SIGKILL);
	(void)kill(run->pid, SIGKILL);
	run->deadline = INT64_MAX;
}

/* Has stderr what nothing more is wanted after? Looks at what came since it had `from` bytes. */
static bool has_enough(const struct run *run, size_t from)
{
	size_t back = run->enough_len < from ? run->enough_len : from;

	return run->enough_len > 0 && run->err.len > from &&
	       memmem(run->err.data + from - back, run->err.len - from + back, run->enough,
		      run->enough_len) != NULL;
}

/* Poll timeout until the deadline, none when there is none any more. */
static const struct timespec *until(int64_t deadline, struct timespec *ts)
{
	if (deadline == INT64_MAX)
		return NULL;
	int64_t left = deadline - now_ns();
	if (left < 0)
		left = 0;
	ts->tv_sec = left / 1000000000;
	ts->tv_nsec = left % 1000000000;
	return ts;
}

static void run_wait(struct launcher *l, struct run *run)
{
	struct pollfd p[4] = {{.fd = l->signals, .events = POLLIN},
			      {.fd = l->in, .events = POLLIN},
			      {.fd = run->out.fd, .events = POLLIN},
			      {.fd = run->err.fd, .events = POLLIN}};

	for (;;) {
		struct timespec ts;
		int n = ppoll(p, 4, until(run->deadline, &ts), NULL);

		if (n > 0 && p[0].revents != 0) {
			if (run_ended(l, run))
				return;
			signals_read(l);
			children_reap(l, run->pid);
			/* it may have ended between the look and the reading */
			if (run_ended(l, run))
				return;
		}
		if (n > 0 && p[1].revents != 0)
			channel_interrupt(l);
		if (n > 0 && p[2].revents != 0)
			(void)capture_read(&run->out);
		size_t had = run->err.len;
		if (n > 0 && p[3].revents != 0)
			(void)capture_read(&run->err);
		p[2].fd = run->out.fd;
		p[3].fd = run->err.fd;
		if (l->cancelled && run->deadline != INT64_MAX)
			run_kill(l, run, LP_CANCELLED);
		else if (run->deadline != INT64_MAX && has_enough(run, had))
			run_kill(l, run, LP_ENOUGH);
		else if (run->deadline != INT64_MAX && now_ns() >= run->deadline)
			run_kill(l, run, LP_TIMED_OUT);
	}
}

static bool is_among(const pid_t *v, size_t n, pid_t pid)
{
	for (size_t i = 0; i < n; i++) {
		if (v[i] == pid)
			return true;
	}
	return false;
}

/*
 * A run that left processes of another group behind has made them our children. They would disturb
 * what is measured next. Those we had before belong to services.
 */
static void run_sweep(struct launcher *l, const pid_t *before, size_t n_before)
{
	pid_t now[CHILDREN_MAX];
	size_t n = n_before == CHILDREN_MAX ? 0 : tree_children(l, now, CHILDREN_MAX);

	for (size_t i = 0; i < n; i++) {
		if (!is_among(before, n_before, now[i])) {
			(void)tree_kill(l, now[i]);
			(void)kill(now[i], SIGKILL);
		}
	}
	children_reap(l, 0);
}

/* What the child wrote before it ended is in the pipes; whoever still holds them is not waited for.
 */
static void run_drain(struct run *run)
{
	struct capture *both[2] = {&run->out, &run->err};

	for (int i = 0; i < 2; i++) {
		size_t n = 0;
		size_t total = 0;

		while (total < DRAIN_MAX && (n = capture_read(both[i])) > 0)
			total += n;
		capture_close(both[i]);
	}
}

static void run_reply(struct launcher *l, const struct run *run)
{
	struct reply *r = &l->reply;
	const struct rusage *u = &run->usage;

	reply_begin(r, LP_DONE, 0);
	reply_u32(r, (uint32_t)run->status);
	reply_u32(r, run->flags | (run->out.truncated ? LP_OUT_TRUNCATED : 0) |
			     (run->err.truncated ? LP_ERR_TRUNCATED : 0));
	reply_u64(r, (uint64_t)run->start);
	reply_u64(r, (uint64_t)run->end);
	reply_u64(r,
		  (uint64_t)u->ru_utime.tv_sec * 1000000000 + (uint64_t)u->ru_utime.tv_usec * 1000);
	reply_u64(r,
		  (uint64_t)u->ru_stime.tv_sec * 1000000000 + (uint64_t)u->ru_stime.tv_usec * 1000);
	reply_u64(r, (uint64_t)u->ru_maxrss * 1024);
	reply_bytes(r, run->out.data, run->out.len);
	reply_bytes(r, run->err.data, run->err.len);
}

static bool run_open(struct launcher *l, struct run *run, uint32_t flags, size_t max)
{
	struct program *p = &run->program;

	if (!capture_open(&run->err, &p->err, max))
		return false;
	if ((flags & LP_DISCARD_OUTPUT) != 0)
		p->out = l->null_fd;
	else if (!capture_open(&run->out, &p->out, max))
		return false;
	return p->in >= 0;
}

static void run_close_child_ends(const struct launcher *l, struct program *p)
{
	int *fds[3] = {&p->in, &p->out, &p->err};

	for (int i = 0; i < 3; i++) {
		if (*fds[i] >= 0 && *fds[i] != l->null_fd)
			(void)close(*fds[i]);
		*fds[i] = -1;
	}
}

void run_request(struct launcher *l, struct lp_reader *r)
{
	struct run run = {.out.fd = -1, .err.fd = -1};
	enum lp_stage stage = LP_SETUP;
	int errnum = 0;
	size_t input_len = 0;
	size_t n_before = 0;
	bool good = program_read(r, &run.program);
	pid_t before[CHILDREN_MAX];
	uint32_t flags = lp_u32(r);
	uint64_t timeout = lp_u64(r);
	uint64_t max = lp_u64(r);
	const unsigned char *input = lp_bytes(r, &input_len);
	run.enough = lp_bytes(r, &run.enough_len);

	if (!good || r->bad || max > LP_OUTPUT_MAX || timeout > INT64_MAX / 2) {
		program_release(&run.program);
		reply_begin(&l->reply, LP_BAD_REQUEST, EINVAL);
		return;
	}
	run.program.in = (flags & LP_HAS_INPUT) != 0 ? input_open(input, input_len) : l->null_fd;
	input_forget(l, input, input_len);
	l->cancelled = false;
	if (!run_open(l, &run, flags, (size_t)max)) {
		errnum = errno;
	} else {
		n_before = tree_children(l, before, CHILDREN_MAX);
		place_start(l);
		run.start = now_ns();
		run.pid = child_start(&run.program, &stage, &errnum);
		place_started(l);
		run.deadline = run.start + (int64_t)timeout;
	}
	run_close_child_ends(l, &run.program);
	if (run.pid > 0) {
		run_wait(l, &run);
		run_sweep(l, before, n_before);
		run_drain(&run);
		run_reply(l, &run);
	} else {
		reply_begin(&l->reply, stage, errnum);
	}
	capture_close(&run.out);
	capture_close(&run.err);
	free(run.out.data);
	free(run.err.data);
	program_release(&run.program);
}
