/*
 * The measuring lock. Whoever waits is connected to the holder's socket: when
 * the holder goes, the kernel ends the connection, so nothing has to be polled,
 * and the connection tells whose process it is.
 */
#include "system/guard.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/text.h"

enum { WAITERS_MAX = 128, LOOK_MS = 250, COMMAND_MAX = 200 };

struct measuring_lock {
	int fd;
};

static const char name[] = "lampduel-measuring";

static socklen_t address(struct sockaddr_un *a)
{
	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	/* an abstract name begins with a NUL and has no file */
	memcpy(a->sun_path + 1, name, sizeof(name) - 1);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof(name));
}

static int new_socket(struct err *err)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		(void)err_errno(err, errno, "cannot create a socket for the measuring lock");
	return fd;
}

/* The lock's socket; -1: another process has it (err untouched), -2: an error. */
static int take(struct err *err)
{
	struct sockaddr_un a;
	socklen_t len = address(&a);
	int fd = new_socket(err);

	if (fd < 0)
		return -2;
	if (bind(fd, (struct sockaddr *)&a, len) == 0 && listen(fd, WAITERS_MAX) == 0)
		return fd;
	int errnum = errno;
	(void)close(fd);
	if (errnum == EADDRINUSE)
		return -1;
	(void)err_errno(err, errnum, "cannot take the measuring lock");
	return -2;
}

/* "lampduel run -b a (process 4711, user root)" */
static char *describe(const struct ucred *c)
{
	struct buf b = BUF_INIT;
	struct buf line = BUF_INIT;
	char *path = mem_printf("/proc/%d/cmdline", (int)c->pid);
	struct passwd pw;
	struct passwd *found = NULL;
	char strings[4096];

	if (fs_read(path, 1 << 20, &line, NULL) != 0 || line.len == 0) {
		buf_addstr(&b, "another program");
	} else {
		for (size_t i = 0; i + 1 < line.len; i++) {
			if (line.data[i] == '\0')
				line.data[i] = ' ';
		}
		size_t n = strlen(line.data);
		text_escape(&b, line.data, n > COMMAND_MAX ? COMMAND_MAX : n);
		if (n > COMMAND_MAX)
			buf_addstr(&b, "...");
	}
	(void)getpwuid_r(c->uid, &pw, strings, sizeof(strings), &found);
	if (found != NULL)
		buf_addf(&b, " (process %d, user %s)", (int)c->pid, pw.pw_name);
	else
		buf_addf(&b, " (process %d, user number %u)", (int)c->pid, (unsigned)c->uid);
	buf_release(&line);
	free(path);
	return buf_detach(&b);
}

/* A connection to the holder and who it is; -1 when there is none any more. */
static int ask_holder(char **whom)
{
	struct sockaddr_un a;
	socklen_t len = address(&a);
	struct ucred c = {0};
	socklen_t size = sizeof(c);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&a, len) != 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &c, &size) != 0) {
		(void)close(fd);
		return -1;
	}
	*whom = describe(&c);
	return fd;
}

static bool is_stopped(const volatile int *stop)
{
	return stop != NULL && *stop != 0;
}

static void wait_for_holder(measuring_lock_waiting *waiting, void *context,
			    const volatile int *stop)
{
	char *whom = NULL;
	int fd = ask_holder(&whom);

	if (fd >= 0 && waiting != NULL)
		waiting(context, whom);
	free(whom);
	if (fd < 0) { /* between two holders, or too many wait already */
		(void)poll(NULL, 0, LOOK_MS);
		return;
	}
	struct pollfd p = {.fd = fd, .events = POLLIN};
	while (!is_stopped(stop) && poll(&p, 1, LOOK_MS) <= 0)
		;
	(void)close(fd);
}

struct measuring_lock *measuring_lock_take(measuring_lock_waiting *waiting, void *context,
					   const volatile int *stop, struct err *err)
{
	for (;;) {
		int fd = take(err);

		if (fd >= 0) {
			struct measuring_lock *l = mem_alloc(sizeof(*l));

			l->fd = fd;
			return l;
		}
		if (fd == -2)
			return NULL;
		if (is_stopped(stop)) {
			(void)err_code(err, ERR_INTERRUPTED,
				       "interrupted while waiting for another measurement");
			return NULL;
		}
		wait_for_holder(waiting, context, stop);
	}
}

struct measuring_lock *measuring_lock_try(struct err *err)
{
	struct measuring_lock *l = NULL;
	int fd = take(err);

	if (fd >= 0) {
		l = mem_alloc(sizeof(*l));
		l->fd = fd;
	} else if (fd == -1) {
		char *whom = NULL;
		int holder = ask_holder(&whom);

		(void)err_set(err, "this machine is measuring already: %s",
			      whom == NULL ? "another program" : whom);
		if (holder >= 0)
			(void)close(holder);
		free(whom);
	}
	return l;
}

void measuring_lock_release(struct measuring_lock *l)
{
	if (l == NULL)
		return;
	(void)close(l->fd);
	free(l);
}
