#include "system/ssh_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

/* Runs in the child between fork and exec. */
static _Noreturn void child(const struct strvec *argv, const int fds[3])
{
	sigset_t none;

	(void)setpgid(0, 0); /* Ctrl-C is for lampduel, which ends things in order */
	if (dup2(fds[0], 0) < 0 || dup2(fds[1], 1) < 0 || dup2(fds[2], 2) < 0)
		_exit(127);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(argv->v[0], argv->v);
	_exit(127);
}

int ssh_process_start(const struct strvec *argv, const char *run_id, struct ssh_process *p,
		      struct err *err)
{
	int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
	int rc = 0;

	*p = (struct ssh_process){0, -1, -1, -1};
	for (int i = 0; i < 3 && rc == 0; i++) {
		if (pipe2(pipes[i], O_CLOEXEC) != 0)
			rc = err_errno(err, errno, "cannot start ssh");
	}
	if (rc == 0) {
		const int fds[3] = {pipes[0][0], pipes[1][1], pipes[2][1]};
		p->pid = fork();
		if (p->pid == 0) {
			(void)setenv("LAMPDUEL_RUN", run_id, 1);
			child(argv, fds);
		}
		if (p->pid < 0) {
			rc = err_errno(err, errno, "cannot start ssh");
			p->pid = 0;
		}
	}
	close_fd(&pipes[0][0]);
	close_fd(&pipes[1][1]);
	close_fd(&pipes[2][1]);
	p->in = pipes[0][1];
	p->out = pipes[1][0];
	p->err = pipes[2][0];
	for (int i = 0; i < 3 && rc == 0; i++) {
		int fd = i == 0 ? p->in : i == 1 ? p->out : p->err;
		(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	}
	if (rc != 0)
		ssh_process_end(p, 0);
	return rc;
}

bool ssh_process_ended(struct ssh_process *p)
{
	int status = 0;

	if (p->pid > 0 && waitpid(p->pid, &status, WNOHANG) != 0)
		p->pid = 0;
	return p->pid == 0;
}

void ssh_process_end(struct ssh_process *p, int64_t grace_ns)
{
	int64_t until = clock_mono_ns() + grace_ns;

	close_fd(&p->in);
	while (grace_ns > 0 && !ssh_process_ended(p) && clock_mono_ns() < until)
		(void)usleep(5000);
	close_fd(&p->out);
	close_fd(&p->err);
	if (p->pid > 0) {
		(void)kill(p->pid, SIGKILL);
		while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
			;
		p->pid = 0;
	}
}
