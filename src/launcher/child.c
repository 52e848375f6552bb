#include "launcher/launcher.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static char **read_strings(struct lp_reader *r)
{
	uint32_t n = lp_u32(r);

	if (r->bad || n > LP_STRINGS_MAX)
		return NULL;
	char **v = calloc(n + 1, sizeof(*v));
	for (uint32_t i = 0; v != NULL && i < n; i++)
		v[i] = (char *)(uintptr_t)lp_string(r);
	return v;
}

bool program_read(struct lp_reader *r, struct program *p)
{
	*p = (struct program){.in = -1, .out = -1, .err = -1};
	p->path = lp_string(r);
	p->argv = read_strings(r);
	p->env = read_strings(r);
	p->cwd = lp_string(r);
	return !r->bad && p->argv != NULL && p->env != NULL && p->argv[0] != NULL;
}

void program_release(struct program *p)
{
	free(p->argv);
	free(p->env);
}

struct failure {
	volatile int stage, errnum;
};

/*
 * The child shares our memory until it executes, so what failed comes back
 * through f without a pipe. Its own function, so that nothing of the caller's
 * lives in registers across vfork().
 */
static __attribute__((noinline)) pid_t start(const struct program *p, struct failure *f)
{
	pid_t parent = getpid();
	pid_t pid = vfork();

	if (pid != 0)
		return pid;
	sigset_t none;
	(void)sigemptyset(&none);
	(void)setsid();
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127); /* it died before it could be asked for */
	f->stage = LP_SETUP;
	if (dup2(p->in, 0) >= 0 && dup2(p->out, 1) >= 0 && dup2(p->err, 2) >= 0 &&
	    sigprocmask(SIG_SETMASK, &none, NULL) == 0) {
		f->stage = LP_CHDIR;
		if (chdir(p->cwd) == 0) {
			f->stage = LP_EXEC;
			(void)execve(p->path, p->argv, p->env);
		}
	}
	f->errnum = errno;
	_exit(127);
}

pid_t child_start(const struct program *p, enum lp_stage *stage, int *errnum)
{
	struct failure f = {LP_SETUP, 0};
	pid_t pid = start(p, &f);

	if (pid > 0 && f.errnum == 0)
		return pid;
	*errnum = pid < 0 ? errno : f.errnum;
	*stage = (enum lp_stage)f.stage;
	if (pid > 0) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return -1;
}

void signals_read(struct launcher *l)
{
	struct signalfd_siginfo info;

	while (read(l->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo != SIGCHLD && info.ssi_signo != SIGPIPE)
			launcher_end(l, 128 + (int)info.ssi_signo);
	}
}

static void reap_one(struct launcher *l, pid_t pid)
{
	struct service *s = NULL;
	int status = 0;

	for (int i = 0; i < SERVICES_MAX; i++) {
		if (l->services[i].used && l->services[i].pid == pid)
			s = &l->services[i];
	}
	if (s != NULL)
		(void)kill(-pid, SIGKILL); /* before the reaping frees the group's number */
	if (waitpid(pid, &status, 0) == pid && s != NULL) {
		s->status = status;
		s->pid = 0;
	}
}

void children_reap(struct launcher *l, pid_t but)
{
	for (;;) {
		siginfo_t info = {.si_pid = 0};

		/* look first: the kernel shows the same one until it is reaped */
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0 ||
		    info.si_pid == but)
			return;
		reap_one(l, info.si_pid);
	}
}
