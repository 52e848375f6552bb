#include "system/launch_channel.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"

/* A signal ends poll() at once; this is for a signal that another thread got. */
enum { LOOK_MS = 250, SEND_SECONDS = 60, CANCEL_SECONDS = 10 };

bool launch_interrupted(const struct launch *l)
{
	return l->stop != NULL && *l->stop != 0;
}

/* Waits for its end up to 2 s, then ends it. The wait status. */
static int reap(struct launch *l)
{
	int status = 0;

	for (int i = 0; i < 400; i++) {
		pid_t pid = waitpid(l->pid, &status, WNOHANG);

		if (pid == l->pid || (pid < 0 && errno != EINTR))
			return status;
		(void)usleep(5000);
	}
	(void)kill(l->pid, SIGKILL);
	while (waitpid(l->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* The last line of what it said on stderr, safe to print. */
static void add_last_words(const struct launch *l, struct buf *b)
{
	char text[2048];
	off_t end = lseek(l->errors, 0, SEEK_END);
	off_t start = end > (off_t)sizeof(text) - 1 ? end - (off_t)sizeof(text) + 1 : 0;
	ssize_t n = pread(l->errors, text, sizeof(text) - 1, start);

	if (n <= 0)
		return;
	text[n] = '\0';
	(void)text_trim(text);
	const char *line = strrchr(text, '\n');
	line = line == NULL ? text : line + 1;
	if (line[0] == '\0')
		return;
	buf_addstr(b, ": ");
	text_escape(b, line, strnlen(line, 300));
}

int launch_gone(struct launch *l, const char *why, struct err *err)
{
	if (l->gone == NULL) {
		struct buf b = BUF_INIT;

		buf_addf(&b, "%s ", l->what);
		(void)close(l->fd);
		l->fd = -1;
		if (why != NULL)
			(void)kill(l->pid, SIGKILL);
		int status = reap(l);
		l->pid = 0;
		if (why != NULL)
			buf_addstr(&b, why);
		else if (WIFSIGNALED(status))
			buf_addf(&b, "ended unexpectedly, killed by signal %d", WTERMSIG(status));
		else
			buf_addf(&b, "ended unexpectedly with exit status %d", WEXITSTATUS(status));
		add_last_words(l, &b);
		l->gone = buf_detach(&b);
	}
	return err_code(err, ERR_GONE, "%s", l->gone);
}

/*
 * Readiness for events, until the deadline: 1 ready, 0 look at the stop flag, -1 too late. Looks
 * once even after the deadline: it may be lampduel that was stopped meanwhile.
 */
static int ready(const struct launch *l, short events, int64_t deadline)
{
	struct pollfd p = {.fd = l->fd, .events = events};
	int64_t left = deadline - clock_mono_ns();

	if (left <= 0)
		return poll(&p, 1, 0) > 0 ? 1 : -1;
	int ms = left < LOOK_MS * NS_PER_MS ? (int)(left / NS_PER_MS) + 1 : LOOK_MS;
	return poll(&p, 1, ms) > 0 ? 1 : 0;
}

static int send_all(struct launch *l, const void *data, size_t len, struct err *err)
{
	const char *p = data;
	int64_t deadline = clock_mono_ns() + SEND_SECONDS * NS_PER_S;

	while (len > 0) {
		ssize_t n = send(l->fd, p, len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0) {
			p += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN || errno == EINTR) {
			if (ready(l, POLLOUT, deadline) < 0)
				return launch_gone(l, "does not read its requests", err);
		} else {
			return launch_gone(l, NULL, err);
		}
	}
	return 0;
}

int launch_send(struct launch *l, uint32_t type, const struct buf *payload, struct err *err)
{
	unsigned char header[LP_HEADER];

	if (l->gone != NULL)
		return launch_gone(l, NULL, err);
	if (payload->len > LP_FRAME_MAX)
		return err_set(err, "too much data for one request: %zu bytes, at most %u",
			       payload->len, LP_FRAME_MAX);
	lp_store32(header, (uint32_t)payload->len);
	lp_store32(header + 4, type);
	int rc = send_all(l, header, sizeof(header), err);
	return rc != 0 ? rc : send_all(l, payload->data, payload->len, err);
}

struct receiving {
	int64_t deadline;
	enum channel_on_stop on_stop;
	bool cancelled;
};

static int look_at_stop(struct launch *l, struct receiving *w, struct err *err)
{
	if (!launch_interrupted(l) || w->on_stop == CHANNEL_IGNORE_STOP || w->cancelled)
		return 0;
	if (w->on_stop == CHANNEL_GIVE_UP_ON_STOP)
		return err_code(err, ERR_INTERRUPTED, "interrupted");
	struct buf nothing = BUF_INIT;
	w->cancelled = true;
	w->deadline = clock_mono_ns() + CANCEL_SECONDS * NS_PER_S;
	return launch_send(l, LP_CANCEL, &nothing, err);
}

static int receive_all(struct launch *l, void *data, size_t len, struct receiving *w,
		       struct err *err)
{
	char *p = data;

	while (len > 0) {
		int rc = look_at_stop(l, w, err);

		if (rc != 0)
			return rc;
		int is_ready = ready(l, POLLIN, w->deadline);
		if (is_ready < 0)
			return launch_gone(l, "does not answer", err);
		if (is_ready == 0)
			continue;
		ssize_t n = recv(l->fd, p, len, MSG_DONTWAIT);
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
			return launch_gone(l, NULL, err);
		}
	}
	return 0;
}

int launch_receive(struct launch *l, uint32_t type, size_t max, int64_t timeout_ns,
		   enum channel_on_stop on_stop, struct buf *payload, bool *cancelled,
		   struct err *err)
{
	struct receiving w = {.deadline = clock_mono_ns() + timeout_ns, .on_stop = on_stop};
	unsigned char header[LP_HEADER];
	struct lp_reader r = {header, header + sizeof(header), false};
	int rc = receive_all(l, header, sizeof(header), &w, err);

	if (rc != 0)
		return rc;
	size_t len = lp_u32(&r);
	if (lp_u32(&r) != (type | LP_REPLY) || len < 8 || len > max)
		return launch_gone(l, "sent an answer that makes no sense", err);
	buf_clear(payload);
	rc = receive_all(l, buf_reserve(payload, len), len, &w, err);
	payload->len = rc == 0 ? len : 0;
	if (cancelled != NULL)
		*cancelled = w.cancelled;
	return rc;
}
