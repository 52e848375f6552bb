#include "system/placement.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* CPU affinity belongs to the process, so what it was at first is the process's too. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static cpu_set_t sets[2]; /* by enum placement */
static char texts[2][256];

static void describe(const cpu_set_t *set, char *text, size_t size)
{
	struct buf b = BUF_INIT;

	buf_addstr(&b, CPU_COUNT(set) == 1 ? "CPU " : "CPUs ");
	for (int cpu = 0, first = 1; cpu < CPU_SETSIZE; cpu++) {
		int last = cpu;

		if (!CPU_ISSET(cpu, set))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
			last++;
		buf_addf(&b, last == cpu ? "%s%d" : "%s%d-%d", first ? "" : ",", cpu, last);
		first = 0;
		cpu = last;
	}
	strncpy(text, buf_str(&b), size - 1);
	buf_release(&b);
}

static void look(void)
{
	CPU_ZERO(&sets[PLACE_ALL]);
	if (sched_getaffinity(0, sizeof(sets[0]), &sets[PLACE_ALL]) != 0)
		CPU_SET(0, &sets[PLACE_ALL]);
	sets[PLACE_MEASURED] = sets[PLACE_ALL];
	if (CPU_COUNT(&sets[PLACE_ALL]) >= 2) {
		int first = 0;

		while (!CPU_ISSET(first, &sets[PLACE_ALL]))
			first++;
		CPU_CLR(first, &sets[PLACE_MEASURED]);
	}
	for (int i = 0; i < 2; i++)
		describe(&sets[i], texts[i], sizeof(texts[i]));
}

static const cpu_set_t *set_of(enum placement p)
{
	(void)pthread_once(&once, look);
	return &sets[p];
}

void placement_mask(enum placement p, unsigned char mask[PLACEMENT_MASK_MAX])
{
	const cpu_set_t *set = set_of(p);

	memset(mask, 0, PLACEMENT_MASK_MAX);
	for (int cpu = 0; cpu < CPU_SETSIZE && cpu < PLACEMENT_MASK_MAX * 8; cpu++) {
		if (CPU_ISSET(cpu, set))
			mask[cpu / 8] |= (unsigned char)(1 << (cpu % 8));
	}
}

const char *placement_text(enum placement p)
{
	(void)set_of(p);
	return texts[p];
}

static int pin_threads(const cpu_set_t *set)
{
	DIR *d = opendir("/proc/self/task");
	const struct dirent *e = NULL;
	int errnum = 0;

	if (d == NULL)
		return sched_setaffinity(0, sizeof(*set), set) == 0 ? 0 : errno;
	while ((e = readdir(d)) != NULL) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);

		if (tid > 0 && sched_setaffinity(tid, sizeof(*set), set) != 0 && errno != ESRCH)
			errnum = errno;
	}
	(void)closedir(d);
	return errnum;
}

bool placement_client_is_apart(void)
{
	return !CPU_EQUAL(set_of(PLACE_ALL), set_of(PLACE_MEASURED));
}

int placement_client(struct err *err)
{
	cpu_set_t client = *set_of(PLACE_ALL);

	for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&client) > 1; cpu++) {
		if (CPU_ISSET(cpu, set_of(PLACE_MEASURED)))
			CPU_CLR(cpu, &client);
	}
	int errnum = pin_threads(&client);
	return errnum == 0 ? 0 : err_errno(err, errnum, "cannot place lampduel itself on one CPU");
}

void placement_client_undo(void)
{
	(void)pin_threads(set_of(PLACE_ALL));
}
