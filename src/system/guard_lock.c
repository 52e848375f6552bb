/*
 * The measuring lock. Whoever waits is connected to the holder's socket: when
 * the holder goes, the kernel ends the connection, so nothing has to be polled,
 * and the connection tells whose process it is.
 *
 * An abstract socket is known within one network namespace only. Those that
 * share a file system but not the network meet at a second lock, flock() on a
 * folder that every system has: it leaves no file, needs no right to write and
 * ends with its process.
 */
#include "system/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/text.h"

enum { WAITERS_MAX = 128, LOOK_MS = 250, COMMAND_MAX = 200, LOCKS_MAX = 1 << 20 };

struct measuring_lock {
	int fd;
	int folder; /* -1: this file system knows no such lock */
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
static char *describe(pid_t pid, uid_t uid)
{
	struct buf b = BUF_INIT;
	struct buf line = BUF_INIT;
	char *path = mem_printf("/proc/%d/cmdline", (int)pid);
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
	(void)getpwuid_r(uid, &pw, strings, sizeof(strings), &found);
	if (pid <= 0)
		buf_addstr(&b, " of another container");
	else if (found != NULL)
		buf_addf(&b, " (process %d, user %s)", (int)pid, pw.pw_name);
	else
		buf_addf(&b, " (process %d, user number %u)", (int)pid, (unsigned)uid);
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
	*whom = describe(c.pid, c.uid);
	return fd;
}

/*
 * /run/lock where there is one, so that a test can have one of its own; whoever sees the same root
 * chooses the same.
 */
static int open_folder(void)
{
	int fd = open("/run/lock", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd >= 0 ? fd : open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Does a line of /proc/locks speak of a flock of this file? Then *pid is whose; 0: not of this
 * pid namespace. */
static bool is_flock_of(const char *line, const struct stat *st, int *pid)
{
	unsigned major = 0;
	unsigned minor = 0;
	unsigned long long inode = 0;

	/* "3: FLOCK  ADVISORY  WRITE 4711 00:19:2 0 EOF" */
	return sscanf(line, "%*s FLOCK %*s WRITE %d %x:%x:%llu", pid, &major, &minor, &inode) ==
		       4 &&
	       major == major(st->st_dev) && minor == minor(st->st_dev) && inode == st->st_ino;
}

/* Who has the folder's lock. New string. */
static char *folder_holder(int folder)
{
	struct buf locks = BUF_INIT;
	struct stat st;
	int pid = 0;

	if (fstat(folder, &st) == 0 && fs_read("/proc/locks", LOCKS_MAX, &locks, NULL) == 0) {
		char *rest = NULL;
		char *line = strtok_r(locks.data, "\n", &rest);

		while (line != NULL && !is_flock_of(line, &st, &pid))
			line = strtok_r(NULL, "\n", &rest);
		if (line == NULL)
			pid = 0;
	}
	buf_release(&locks);
	char *process = mem_printf("/proc/%d", pid);
	bool known = pid > 0 && stat(process, &st) == 0;
	free(process);
	return known ? describe(pid, st.st_uid)
		     : mem_strdup("a process of another container or namespace");
}

/* true: ours, or there is no such lock here (folder is closed then, and -1). */
static bool take_folder(int *folder)
{
	if (*folder < 0 || flock(*folder, LOCK_EX | LOCK_NB) == 0)
		return true;
	if (errno == EWOULDBLOCK || errno == EINTR)
		return false;
	(void)close(*folder);
	*folder = -1;
	return true;
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

static struct measuring_lock *new_lock(int fd, int folder)
{
	struct measuring_lock *l = mem_alloc(sizeof(*l));

	*l = (struct measuring_lock){.fd = fd, .folder = folder};
	return l;
}

static void interrupted(struct err *err)
{
	(void)err_code(err, ERR_INTERRUPTED, "interrupted while waiting for another measurement");
}

/* Waits for the folder with the socket in hand; NULL when interrupted (fd is closed then). */
static struct measuring_lock *add_folder(int fd, measuring_lock_waiting *waiting, void *context,
					 const volatile int *stop, struct err *err)
{
	int folder = open_folder();

	for (bool said = false; !take_folder(&folder); said = true) {
		if (!said && waiting != NULL) {
			char *whom = folder_holder(folder);

			waiting(context, whom);
			free(whom);
		}
		if (is_stopped(stop)) {
			(void)close(folder);
			(void)close(fd);
			interrupted(err);
			return NULL;
		}
		(void)poll(NULL, 0, LOOK_MS);
	}
	return new_lock(fd, folder);
}

struct measuring_lock *measuring_lock_take(measuring_lock_waiting *waiting, void *context,
					   const volatile int *stop, struct err *err)
{
	for (;;) {
		int fd = take(err);

		if (fd >= 0)
			return add_folder(fd, waiting, context, stop, err);
		if (fd == -2)
			return NULL;
		if (is_stopped(stop)) {
			interrupted(err);
			return NULL;
		}
		wait_for_holder(waiting, context, stop);
	}
}

static void is_measuring(struct err *err, char *whom)
{
	(void)err_set(err, "this machine is measuring already: %s",
		      whom == NULL ? "another program" : whom);
	free(whom);
}

struct measuring_lock *measuring_lock_try(struct err *err)
{
	int fd = take(err);

	if (fd >= 0) {
		int folder = open_folder();

		if (take_folder(&folder))
			return new_lock(fd, folder);
		is_measuring(err, folder_holder(folder));
		(void)close(folder);
		(void)close(fd);
	} else if (fd == -1) {
		char *whom = NULL;
		int holder = ask_holder(&whom);

		is_measuring(err, whom);
		if (holder >= 0)
			(void)close(holder);
	}
	return NULL;
}

void measuring_lock_release(struct measuring_lock *l)
{
	if (l == NULL)
		return;
	if (l->folder >= 0)
		(void)close(l->folder);
	(void)close(l->fd);
	free(l);
}
