/* Walks /proc for the descendants of a process: those that left their group are found too. */
#include "launcher/launcher.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct entry {
	pid_t pid, parent;
	bool below;
};

struct table {
	struct entry *v;
	size_t n, cap;
};

static bool read_parent(int proc_fd, const char *name, pid_t *parent)
{
	char path[64];
	char text[512];

	(void)snprintf(path, sizeof(path), "%.20s/stat", name);
	int fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	/* the name in brackets may hold anything, so look for its end from behind */
	const char *p = strrchr(text, ')');
	if (p == NULL || strlen(p) < 5)
		return false;
	*parent = (pid_t)strtol(p + 4, NULL, 10);
	return true;
}

static bool table_add(struct table *t, pid_t pid, pid_t parent)
{
	if (t->n == t->cap) {
		size_t cap = t->cap == 0 ? 256 : t->cap * 2;
		struct entry *v = realloc(t->v, cap * sizeof(*v));

		if (v == NULL)
			return false;
		t->v = v;
		t->cap = cap;
	}
	t->v[t->n++] = (struct entry){pid, parent, false};
	return true;
}

static DIR *open_dir_at(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (d == NULL && fd >= 0)
		(void)close(fd);
	return d;
}

/* All descendants of pid are marked below. */
static bool table_read(const struct launcher *l, pid_t pid, struct table *t)
{
	DIR *d = l->proc_fd < 0 ? NULL : open_dir_at(l->proc_fd, ".");
	const struct dirent *e = NULL;

	if (d == NULL)
		return false;
	while ((e = readdir(d)) != NULL) {
		pid_t parent = 0;

		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' &&
		    read_parent(l->proc_fd, e->d_name, &parent) &&
		    !table_add(t, (pid_t)strtol(e->d_name, NULL, 10), parent))
			break;
	}
	(void)closedir(d);
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < t->n; i++) {
			for (size_t j = 0; !t->v[i].below && j < t->n; j++) {
				if (t->v[i].parent == pid ||
				    (t->v[j].below && t->v[j].pid == t->v[i].parent)) {
					t->v[i].below = true;
					more = true;
				}
			}
		}
	}
	return true;
}

size_t tree_children(const struct launcher *l, pid_t *v, size_t max)
{
	char path[64];
	char text[8192];
	size_t n = 0;

	(void)snprintf(path, sizeof(path), "self/task/%d/children", (int)getpid());
	int fd = l->proc_fd < 0 ? -1 : openat(l->proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t len = read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	text[len > 0 ? len : 0] = '\0';
	/* the last number may be cut, and a blank follows each whole one */
	for (char *p = text, *end = strchr(p, ' '); end != NULL && n < max; end = strchr(p, ' ')) {
		v[n++] = (pid_t)strtol(p, NULL, 10);
		p = end + 1;
	}
	return n;
}

int tree_kill(const struct launcher *l, pid_t pid)
{
	struct table t = {0};
	int n = 0;

	if (!table_read(l, pid, &t))
		n = -1;
	for (size_t i = 0; n >= 0 && i < t.n; i++) {
		if (t.v[i].below && t.v[i].pid != getpid()) {
			(void)kill(t.v[i].pid, SIGKILL);
			n++;
		}
	}
	free(t.v);
	return n;
}

/* Every thread of one process; threads may start meanwhile, so look until none is new. */
static int place_threads(const struct launcher *l, pid_t pid, const cpu_set_t *set)
{
	char path[64];
	int last = -1;
	int n = 0;

	(void)snprintf(path, sizeof(path), "%d/task", (int)pid);
	for (int turn = 0; turn < 8 && n != last; turn++) {
		DIR *d = open_dir_at(l->proc_fd, path);
		const struct dirent *e = NULL;

		if (d == NULL)
			return 0; /* it ended */
		last = n;
		n = 0;
		while ((e = readdir(d)) != NULL) {
			if (e->d_name[0] >= '1' && e->d_name[0] <= '9' &&
			    sched_setaffinity((pid_t)strtol(e->d_name, NULL, 10), sizeof(*set),
					      set) == 0)
				n++;
		}
		(void)closedir(d);
	}
	return n;
}

void place_start(const struct launcher *l)
{
	(void)sched_setaffinity(0, sizeof(l->children), &l->children);
}

void place_started(const struct launcher *l)
{
	(void)sched_setaffinity(0, sizeof(l->own), &l->own);
}

int tree_place(struct launcher *l, pid_t pid, const unsigned char *mask, size_t len)
{
	cpu_set_t set;
	struct table t = {0};
	int n = 1;

	CPU_ZERO(&set);
	for (size_t i = 0; i < len * 8 && i < CPU_SETSIZE; i++) {
		if ((mask[i / 8] >> (i % 8) & 1) != 0)
			CPU_SET(i, &set);
	}
	/* can it be had at all? */
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		return -errno;
	l->children = set;
	place_started(l);
	if (table_read(l, pid, &t)) {
		for (size_t i = 0; i < t.n; i++) {
			if (t.v[i].below)
				n += place_threads(l, t.v[i].pid, &set);
		}
		free(t.v);
		return n;
	}
	for (int i = 0; i < SERVICES_MAX; i++) {
		if (l->services[i].used && l->services[i].pid > 0 &&
		    sched_setaffinity(l->services[i].pid, sizeof(set), &set) == 0)
			n++;
	}
	return n;
}
