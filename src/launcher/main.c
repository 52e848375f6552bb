#include "launcher/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int64_t now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* Orphans come to us (we are their subreaper), so after some turns nothing is left. */
_Noreturn void launcher_end(struct launcher *l, int status)
{
	for (int turn = 0; turn < 2000; turn++) {
		for (int i = 0; i < SERVICES_MAX; i++) {
			if (l->services[i].used && l->services[i].pid > 0)
				(void)kill(-l->services[i].pid, SIGKILL);
		}
		(void)tree_kill(l, getpid());
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
			break;
		(void)usleep(2000);
	}
	_exit(status);
}

static _Noreturn void refuse(const char *what, const char *name)
{
	(void)dprintf(STDERR_FILENO, "lampduel-launcher: %s%s: %s\n", what, name, strerror(errno));
	_exit(1);
}

static void signals_open(struct launcher *l)
{
	sigset_t set;

	/* what our parent ignored must not be ignored in what is measured */
	static const unsigned char
		by_default[64]; /* the kernel's struct: all zero, whatever its layout */
	for (int s = 1; s < NSIG; s++) {
		/* not signal(): the C library keeps some numbers to itself */
		if (s != SIGKILL && s != SIGSTOP)
			(void)syscall(SYS_rt_sigaction, s, by_default, NULL, NSIG / 8);
	}
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGCHLD);
	(void)sigaddset(&set, SIGPIPE); /* blocked, so that a write fails instead */
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_SETMASK, &set, NULL) != 0)
		refuse("cannot block signals", "");
	l->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (l->signals < 0)
		refuse("cannot watch signals", "");
}

/* Takes the channel away from 0 and 1, which become /dev/null. */
static void channel_open(struct launcher *l)
{
	l->in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
	l->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
	l->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (l->in < 0 || l->out < 0)
		refuse("no control channel", "");
	if (l->null_fd < 0)
		refuse("cannot open ", "/dev/null");
	l->null_fd = fcntl(l->null_fd, F_DUPFD_CLOEXEC, 10);
	if (l->null_fd < 0 || dup2(l->null_fd, STDIN_FILENO) < 0 ||
	    dup2(l->null_fd, STDOUT_FILENO) < 0)
		refuse("cannot set up standard input", "");
	l->proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	if (l->proc_fd >= 0 && fstatat(l->proc_fd, "self/task", &st, 0) != 0) {
		(void)close(l->proc_fd);
		l->proc_fd = -1;
	}
	l->refs_fd =
		l->proc_fd < 0 ? -1 : openat(l->proc_fd, "self/clear_refs", O_WRONLY | O_CLOEXEC);
}

static void process_set_up(void)
{
	struct rlimit none = {0, 0};
	int sig = 0;

	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* a sandbox asks for SIGKILL already */
	if (prctl(PR_GET_PDEATHSIG, &sig) == 0 && sig == 0)
		(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	(void)setrlimit(RLIMIT_CORE, &none); /* a crash must leave no file */
	(void)umask(022);
	(void)mallopt(M_MMAP_THRESHOLD, 65536); /* large blocks go back to the kernel at once */
}

static void arguments(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (value != NULL && strcmp(argv[i], "--chroot") == 0) {
			if (chroot(value) != 0 || chdir("/") != 0)
				refuse("cannot enter ", value);
			i++;
		} else if (value != NULL && strcmp(argv[i], "--shared-dir") == 0) {
			if (chmod(value, 01777) != 0 && errno != ENOENT)
				refuse("cannot open to all ", value);
			i++;
		} else {
			errno = EINVAL;
			refuse("unknown argument ", argv[i]);
		}
	}
}

static void place_request(struct launcher *l, struct lp_reader *r)
{
	size_t len = 0;
	const unsigned char *mask = lp_bytes(r, &len);

	if (r->bad) {
		reply_begin(&l->reply, LP_BAD_REQUEST, EINVAL);
		return;
	}
	int n = tree_place(l, getpid(), mask, len);
	reply_begin(&l->reply, n < 0 ? LP_AFFINITY : LP_DONE, n < 0 ? -n : 0);
	reply_u32(&l->reply, n < 0 ? 0 : (uint32_t)n);
}

void peak_reset(const struct launcher *l)
{
	if (l->refs_fd >= 0 && write(l->refs_fd, "5", 1) != 1)
		return; /* the child's peak may then begin at ours: a few MB more */
}

static void serve(struct launcher *l)
{
	static void (*const requests[])(struct launcher *, struct lp_reader *) = {
		[LP_RUN] = run_request,   [LP_SPAWN] = service_spawn, [LP_STATUS] = service_status,
		[LP_STOP] = service_stop, [LP_PLACE] = place_request, [LP_PUT] = file_put,
		[LP_GET] = file_get,
	};
	uint32_t type = 0;
	size_t len = 0;
	unsigned char *payload = channel_read(l, &type, &len);
	struct lp_reader r = {payload, payload + len, false};

	if (type == LP_CANCEL) { /* its request was over before it came */
		free(payload);
		return;
	}
	if (type == 0 || type >= sizeof(requests) / sizeof(requests[0]) || requests[type] == NULL)
		reply_begin(&l->reply, LP_BAD_REQUEST, ENOSYS);
	else
		requests[type](l, &r);
	free(payload);
	bool large = len + l->reply.len > 262144;
	channel_write(l, type | LP_REPLY);
	if (large)
		peak_reset(l);
}

int main(int argc, char **argv)
{
	static struct launcher l = {.in = -1, .out = -1, .proc_fd = -1, .refs_fd = -1};

	signals_open(&l);
	channel_open(&l);
	process_set_up();
	if (sched_getaffinity(0, sizeof(l.own), &l.own) != 0)
		CPU_ZERO(&l.own); /* then nothing is placed back, which is as good as can be */
	l.children = l.own;
	arguments(argc, argv);
	reply_begin(&l.reply, LP_DONE, 0);
	reply_u32(&l.reply, LP_VERSION);
	reply_u32(&l.reply, (uint32_t)getpid());
	reply_u32(&l.reply, (l.proc_fd >= 0 ? LP_SEES_PROC : 0) | (getpid() == 1 ? LP_IS_INIT : 0));
	channel_write(&l, LP_HELLO | LP_REPLY);

	struct pollfd p[2] = {{.fd = l.signals, .events = POLLIN}, {.fd = l.in, .events = POLLIN}};
	for (;;) {
		if (poll(p, 2, -1) < 0)
			continue;
		if (p[0].revents != 0) {
			signals_read(&l);
			children_reap(&l, 0);
		}
		if (p[1].revents != 0)
			serve(&l);
	}
}
