/* Finds the processes of a run by the mark in their environment. */
#include "system/guard.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"

enum { ENVIRON_MAX = 4 << 20, TURNS = 200, TURN_US = 10000 };

static bool has_mark(const char *pid_name, const char *mark)
{
	char *path = mem_printf("/proc/%s/environ", pid_name);
	struct buf b = BUF_INIT;
	bool found = false;

	if (fs_read(path, ENVIRON_MAX, &b, NULL) == 0) {
		for (size_t at = 0; at < b.len && !found; at += strlen(b.data + at) + 1)
			found = strcmp(b.data + at, mark) == 0;
	}
	buf_release(&b);
	free(path);
	return found;
}

/* Through a handle where the kernel has them: the number cannot become another process's meanwhile.
 */
static bool kill_if_marked(const char *pid_name, const char *mark)
{
	pid_t pid = (pid_t)strtol(pid_name, NULL, 10);
	bool killed = false;

	if (pid <= 1 || pid == getpid())
		return false;
#ifdef SYS_pidfd_open
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd >= 0) {
		killed = has_mark(pid_name, mark) &&
			 syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0;
		(void)close(fd);
		return killed;
	}
#endif
	killed = has_mark(pid_name, mark) && kill(pid, SIGKILL) == 0;
	return killed;
}

int guard_kill_marked(const char *run_id)
{
	char *mark = mem_printf("LAMPDUEL_RUN=%s", run_id);
	int n = 0;
	int last = 1;

	for (int turn = 0; turn < TURNS && last > 0; turn++) {
		DIR *d = opendir("/proc");
		const struct dirent *e = NULL;

		last = 0;
		while (d != NULL && (e = readdir(d)) != NULL) {
			if (e->d_name[0] >= '1' && e->d_name[0] <= '9' &&
			    kill_if_marked(e->d_name, mark))
				last++;
		}
		if (d != NULL)
			(void)closedir(d);
		n += turn == 0 ? last : 0;
		if (last > 0)
			(void)usleep(TURN_US); /* it takes them a moment to be gone */
	}
	free(mark);
	return n;
}
