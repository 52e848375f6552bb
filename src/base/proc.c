#include "base/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

enum { OUTPUT_MAX = 4 << 20 };

void proc_result_release(struct proc_result *r)
{
	buf_release(&r->out);
	buf_release(&r->err);
}

/* Runs in the child between fork and exec. */
static _Noreturn void child(char *const *argv, int out, int err_fd, pid_t parent)
{
	int null = open("/dev/null", O_RDONLY);

	(void)setpgid(0, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(err_fd, STDERR_FILENO) < 0)
		_exit(127);
	(void)signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], argv);
	_exit(errno == ENOENT ? 127 : 126);
}

/* Reads what is there; false at the end of file. */
static bool drain(int fd, struct buf *b)
{
	char block[16384];
	ssize_t n = read(fd, block, sizeof(block));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (n > 0 && b->len < OUTPUT_MAX)
		buf_add(b, block, (size_t)n);
	return n > 0;
}

static int collect(pid_t pid, int fds[2], int64_t deadline, const volatile int *stop,
		   struct proc_result *r, const char *name, struct err *err)
{
	struct pollfd p[2] = {{.fd = fds[0], .events = POLLIN}, {.fd = fds[1], .events = POLLIN}};

	while (p[0].fd >= 0 || p[1].fd >= 0) {
		if (stop != NULL && *stop != 0) {
			(void)kill(-pid, SIGKILL);
			return err_code(err, ERR_INTERRUPTED, "interrupted while %s was running",
					name);
		}
		if (deadline != 0 && clock_mono_ns() > deadline) {
			(void)kill(-pid, SIGKILL);
			return err_code(err, ERR_TIMEOUT, "%s took too long and was ended", name);
		}
		if (poll(p, 2, 100) <= 0)
			continue;
		if (p[0].revents != 0 && !drain(p[0].fd, &r->out))
			p[0].fd = -1;
		if (p[1].revents != 0 && !drain(p[1].fd, &r->err))
			p[1].fd = -1;
	}
	return 0;
}

int proc_run(char *const *argv, int64_t timeout_ns, const volatile int *stop, struct proc_result *r,
	     struct err *err)
{
	int out[2] = {-1, -1};
	int er[2] = {-1, -1};

	*r = (struct proc_result){0};
	if (pipe2(out, O_CLOEXEC) != 0 || pipe2(er, O_CLOEXEC) != 0) {
		int rc = err_errno(err, errno, "cannot start %s", argv[0]);
		if (out[0] >= 0) {
			(void)close(out[0]);
			(void)close(out[1]);
		}
		return rc;
	}
	pid_t parent = getpid();
	pid_t pid = fork();
	if (pid == 0)
		child(argv, out[1], er[1], parent);
	(void)close(out[1]);
	(void)close(er[1]);
	int rc = 0;
	if (pid < 0) {
		rc = err_errno(err, errno, "cannot start %s", argv[0]);
	} else {
		int fds[2] = {out[0], er[0]};
		int64_t deadline = timeout_ns == 0 ? 0 : clock_mono_ns() + timeout_ns;
		rc = collect(pid, fds, deadline, stop, r, argv[0], err);
		int status = 0;
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		r->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		r->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	}
	(void)close(out[0]);
	(void)close(er[0]);
	if (rc == 0 && r->exit_code == 127 && r->out.len == 0)
		rc = err_set(err, "cannot start %s: no such program", argv[0]);
	return rc;
}

void proc_close_inherited_on_exec(void)
{
	DIR *d = opendir("/proc/self/fd");
	const struct dirent *e = NULL;

	while (d != NULL && (e = readdir(d)) != NULL) {
		int fd = atoi(e->d_name);
		if (fd > 2)
			(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	if (d != NULL)
		(void)closedir(d);
}

char *proc_find_in(const char *folders, const char *name)
{
	char *all = mem_strdup(folders);
	char *save = NULL;
	char *found = NULL;

	for (char *dir = strtok_r(all, ":", &save); dir != NULL && found == NULL;
	     dir = strtok_r(NULL, ":", &save)) {
		found = mem_printf("%s/%s", dir, name);
		if (access(found, X_OK) != 0)
			mem_replace(&found, NULL);
	}
	free(all);
	return found;
}

char *proc_find(const char *name)
{
	const char *path = getenv("PATH");
	char *all = mem_printf("%s:/usr/sbin:/sbin:/usr/bin:/bin", path == NULL ? "" : path);
	char *found = proc_find_in(all, name);

	free(all);
	return found;
}
