#include "system/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/rng.h"

enum { PATHS_MAX = 1 << 20, LINE_MAX_LEN = 4096 };

struct guard {
	char *cache_dir, *run_id, *run_dir;
	int lock_fd;
	pid_t supervisor;
	int channel; /* to the supervisor; its end means that we are dead */
};

char *guard_new_run_id(void)
{
	struct clock c;
	char date[32];
	struct tm tm;

	clock_init_real(&c);
	time_t now = (time_t)(clock_unix_ns(&c) / NS_PER_S);
	if (gmtime_r(&now, &tm) == NULL || strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &tm) == 0)
		date[0] = '\0';
	return mem_printf("%s-%06x", date, (unsigned)(rng_fresh_seed() & 0xffffff));
}

static char *run_root(const char *cache_dir)
{
	return fs_join(cache_dir, "run");
}

static char *run_dir_of(const char *cache_dir, const char *run_id)
{
	return mem_printf("%s/run/%s", cache_dir, run_id);
}

/* While it is held no run folder is half made and none is swept. -1 on failure. */
static int lock_all_runs(const char *cache_dir, struct err *err)
{
	char *root = run_root(cache_dir);
	char *path = fs_join(root, ".lock");
	int fd = -1;

	if (fs_mkdirs(root, 0711, err) == 0) {
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0)
			(void)err_errno(err, errno, "cannot create %s", path);
		while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR)
			;
	}
	free(root);
	free(path);
	return fd;
}

/* What the run left elsewhere: one path a line. */
static void remove_listed(const char *run_dir, struct err *err)
{
	struct buf b = BUF_INIT;
	char *list = fs_join(run_dir, "paths");
	char *save = NULL;

	if (fs_read(list, PATHS_MAX, &b, NULL) == 0 && b.len > 0) {
		for (char *path = strtok_r(b.data, "\n", &save); path != NULL;
		     path = strtok_r(NULL, "\n", &save)) {
			if (path[0] == '/' && path[1] != '\0')
				(void)fs_remove_tree(path, err);
		}
	}
	buf_release(&b);
	free(list);
}

static int clean_up(const char *run_dir, const char *run_id, struct err *err)
{
	struct err first = ERR_INIT;

	(void)guard_kill_marked(run_id);
	remove_listed(run_dir, &first);
	if (first.code == 0)
		(void)fs_remove_tree(run_dir, &first);
	return first.code == 0 ? 0 : err_set(err, "%s", first.msg);
}

static void close_all_but(int keep)
{
	struct strvec names = STRVEC_INIT;

	if (fs_list("/proc/self/fd", &names, NULL) != 0) {
		for (int fd = 3; fd < 1024; fd++) {
			if (fd != keep)
				(void)close(fd);
		}
	}
	for (size_t i = 0; i < names.n; i++) {
		int fd = atoi(names.v[i]);

		if (fd > STDERR_FILENO && fd != keep)
			(void)close(fd);
	}
	strvec_release(&names);
}

/* A terminal or pipe that is held open would keep whoever reads it waiting. */
static void detach(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < 3; fd++) {
		if (null < 0)
			(void)close(fd);
		else
			(void)dup2(null, fd);
	}
	for (int s = 1; s < NSIG; s++)
		(void)signal(s, s == SIGHUP || s == SIGPIPE ? SIG_IGN : SIG_DFL);
	sigset_t none;
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)chdir("/");
}

/*
 * The supervisor's whole life. One byte from lampduel: it cleaned up itself. End of file without
 * it: lampduel died.
 */
static _Noreturn void supervise(const char *run_dir, const char *run_id, int channel)
{
	char byte = 0;
	ssize_t n = 0;

	(void)setsid();
	(void)prctl(PR_SET_NAME, "lampduel-guard");
	detach();
	close_all_but(channel);
	(void)send(channel, "r", 1, MSG_NOSIGNAL);
	do {
		n = read(channel, &byte, 1);
	} while (n < 0 && errno == EINTR);
	/* twice: a launcher that was just being started may have made files once more */
	for (int turn = 0; n <= 0 && turn < 2; turn++) {
		(void)clean_up(run_dir, run_id, NULL);
		(void)usleep(100000);
	}
	_exit(0);
}

static int start_supervisor(struct guard *g, struct err *err)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return err_errno(err, errno, "cannot start the supervisor");
	/* an absolute path: the supervisor leaves the current folder */
	char *run_dir = realpath(g->run_dir, NULL);
	if (run_dir == NULL)
		mem_exhausted();
	g->supervisor = fork();
	if (g->supervisor == 0)
		supervise(run_dir, g->run_id, pair[1]);
	free(run_dir);
	(void)close(pair[1]);
	g->channel = pair[0];
	if (g->supervisor < 0)
		return err_errno(err, errno, "cannot start the supervisor");
	/* from then on it holds nothing of ours, such as a lock */
	char byte = 0;
	ssize_t n = 0;
	do {
		n = read(g->channel, &byte, 1);
	} while (n < 0 && errno == EINTR);
	return n == 1 ? 0 : err_set(err, "the supervisor ended at once");
}

static int make_run_dir(struct guard *g, struct err *err)
{
	char *lock = fs_join(g->run_dir, "lock");
	int all = lock_all_runs(g->cache_dir, err);
	int rc = all < 0 ? ERR_FAIL : 0;

	if (rc == 0 && mkdir(g->run_dir, 0711) != 0)
		rc = err_errno(err, errno, "cannot create folder %s", g->run_dir);
	if (rc == 0) {
		g->lock_fd = open(lock, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (g->lock_fd < 0 || flock(g->lock_fd, LOCK_EX | LOCK_NB) != 0)
			rc = err_errno(err, errno, "cannot lock %s", lock);
	}
	if (all >= 0)
		(void)close(all);
	free(lock);
	return rc;
}

struct guard *guard_new_run_dir(const char *cache_dir, const char *run_id, struct err *err)
{
	struct guard *g = mem_alloc(sizeof(*g));

	g->lock_fd = g->channel = -1;
	g->cache_dir = mem_strdup(cache_dir);
	g->run_id = mem_strdup(run_id);
	g->run_dir = run_dir_of(cache_dir, run_id);
	if (make_run_dir(g, err) != 0 || start_supervisor(g, err) != 0) {
		guard_end(g);
		return NULL;
	}
	return g;
}

const char *guard_run_dir(const struct guard *g)
{
	return g->run_dir;
}

const char *guard_run_id(const struct guard *g)
{
	return g->run_id;
}

pid_t guard_supervisor(const struct guard *g)
{
	return g->supervisor;
}

char *guard_system_dir(struct guard *g, const char *name, struct err *err)
{
	char *path = mem_printf("%s/system-%s", g->run_dir, name);

	if (strchr(name, '/') != NULL || mkdir(path, 0755) != 0) {
		(void)err_errno(err, errno, "cannot create folder %s", path);
		mem_replace(&path, NULL);
	}
	return path;
}

void guard_end(struct guard *g)
{
	if (g == NULL)
		return;
	if (g->lock_fd >= 0)
		(void)clean_up(g->run_dir, g->run_id, NULL);
	if (g->supervisor > 0) {
		(void)send(g->channel, "q", 1, MSG_NOSIGNAL);
		(void)close(g->channel);
		while (waitpid(g->supervisor, NULL, 0) < 0 && errno == EINTR)
			;
	} else if (g->channel >= 0) {
		(void)close(g->channel);
	}
	if (g->lock_fd >= 0)
		(void)close(g->lock_fd);
	free(g->cache_dir);
	free(g->run_id);
	free(g->run_dir);
	free(g);
}

int guard_add_path(const char *cache_dir, const char *run_id, const char *path, struct err *err)
{
	char *dir = cache_dir == NULL ? NULL : run_dir_of(cache_dir, run_id);
	char *list = dir == NULL ? NULL : fs_join(dir, "paths");
	char *line = mem_printf("%s\n", path);
	int rc = 0;

	if (dir != NULL && fs_is_dir(dir)) {
		int fd = open(list, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

		if (strchr(path, '\n') != NULL)
			rc = err_set(err, "a folder's name with a line break is not supported");
		else if (fd < 0 || write(fd, line, strlen(line)) != (ssize_t)strlen(line))
			rc = err_errno(err, errno, "cannot write %s", list);
		if (fd >= 0)
			(void)close(fd);
	}
	free(dir);
	free(list);
	free(line);
	return rc;
}

/* Is the run of this folder dead? Then its lock is ours: *lock_fd. */
static bool run_is_dead(const char *run_dir, int *lock_fd)
{
	char *lock = fs_join(run_dir, "lock");

	*lock_fd = open(lock, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	bool dead = *lock_fd < 0 ? errno == ENOENT : flock(*lock_fd, LOCK_EX | LOCK_NB) == 0;
	free(lock);
	if (!dead && *lock_fd >= 0)
		(void)close(*lock_fd);
	return dead;
}

int guard_sweep(const char *cache_dir, int *swept, struct err *err)
{
	char *root = run_root(cache_dir);
	struct strvec names = STRVEC_INIT;
	int n = 0;
	int rc = 0;

	if (fs_is_dir(root)) {
		int all = lock_all_runs(cache_dir, err);

		rc = all < 0 ? ERR_FAIL : fs_list(root, &names, err);
		for (size_t i = 0; all >= 0 && i < names.n; i++) {
			char *dir = fs_join(root, names.v[i]);
			int lock = -1;

			if (names.v[i][0] != '.' && fs_is_dir(dir) && run_is_dead(dir, &lock)) {
				if (clean_up(dir, names.v[i], rc == 0 ? err : NULL) != 0)
					rc = ERR_FAIL;
				else
					n++;
				if (lock >= 0)
					(void)close(lock);
			}
			free(dir);
		}
		if (all >= 0)
			(void)close(all);
	}
	if (swept != NULL)
		*swept = n;
	strvec_release(&names);
	free(root);
	return rc;
}
