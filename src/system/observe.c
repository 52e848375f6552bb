#include "system/observe.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/text.h"
#include "base/vec.h"
#include "system/placement.h"

enum { FILE_MAX = 1 << 20, PASSES_MAX = 64 };

#define VCGENCMD_LIMIT_NS (2 * NS_PER_S)
#define CPU_DIR "/sys/devices/system/cpu/"
#define RPI_FIRMWARE "/sys/devices/platform/soc/soc:firmware/"

/* One number of a small file as "KEY VALUE". */
static void add_file(struct buf *out, const char *key, const char *path)
{
	struct buf b = BUF_INIT;

	if (fs_read(path, FILE_MAX, &b, NULL) == 0 && b.len > 0)
		buf_addf(out, "%s %s\n", key, text_trim(b.data));
	buf_release(&b);
}

/* add(out, path) for each file that fits, in the order of their names. */
static void each_file(const char *pattern, void (*add)(struct buf *out, const char *path),
		      struct buf *out)
{
	glob_t g = {0};

	if (glob(pattern, 0, NULL, &g) == 0) {
		for (size_t i = 0; i < g.gl_pathc; i++)
			add(out, g.gl_pathv[i]);
	}
	globfree(&g);
}

static void add_clocks(struct buf *out)
{
	struct timespec real = {0};
	struct timespec boot = {0};

	/* the two that are compared, directly after one another */
	int64_t mono = clock_mono_ns();
	(void)clock_gettime(CLOCK_REALTIME, &real);
	(void)clock_gettime(CLOCK_BOOTTIME, &boot);
	buf_addf(out, "clocks %" PRId64 " %" PRId64 " %" PRId64 "\n", mono,
		 (int64_t)real.tv_sec * NS_PER_S + real.tv_nsec,
		 (int64_t)boot.tv_sec * NS_PER_S + boot.tv_nsec);
}

static bool is_measured_cpu(const char *line)
{
	unsigned char mask[PLACEMENT_MASK_MAX];
	char *end = NULL;
	unsigned long cpu = strtoul(line + 3, &end, 10);

	placement_mask(PLACE_MEASURED, mask);
	return end != line + 3 && cpu < PLACEMENT_MASK_MAX * 8UL &&
	       (mask[cpu / 8] >> (cpu % 8) & 1) != 0;
}

/* The lines of a file of "NAME VALUE..." lines that are wanted. */
static void add_lines(struct buf *out, const char *path, bool (*wanted)(const char *line))
{
	struct buf b = BUF_INIT;
	char *save = NULL;

	if (fs_read(path, FILE_MAX, &b, NULL) == 0 && b.len > 0) {
		for (char *line = strtok_r(b.data, "\n", &save); line != NULL;
		     line = strtok_r(NULL, "\n", &save)) {
			if (wanted(line))
				buf_addf(out, "%s\n", line);
		}
	}
	buf_release(&b);
}

static bool wanted_of_stat(const char *line)
{
	return text_starts(line, "btime ") || (text_starts(line, "cpu") && is_measured_cpu(line));
}

static bool wanted_of_vmstat(const char *line)
{
	return text_starts(line, "pswpin ") || text_starts(line, "pswpout ");
}

bool observe_read_process(const char *stat, struct observed_process *p)
{
	/* a program may have any name, brackets too */
	const char *open = strchr(stat, '(');
	const char *close = strrchr(stat, ')');
	uint64_t t[4];

	/* state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt, then utime stime
	 * cutime cstime (proc(5)) */
	if (open == NULL || close == NULL || close < open ||
	    sscanf(close + 1,
		   " %*c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64,
		   &p->parent, &t[0], &t[1], &t[2], &t[3]) != 5)
		return false;
	size_t n = (size_t)(close - open) - 1;
	p->pid = strtol(stat, NULL, 10);
	p->ticks = t[0] + t[1] + t[2] + t[3];
	(void)snprintf(p->name, sizeof(p->name), "%.*s", (int)(n < sizeof(p->name) ? n : 15),
		       open + 1);
	return p->pid > 0;
}

static int by_pid(const void *a, const void *b)
{
	long x = ((const struct observed_process *)a)->pid;
	long y = ((const struct observed_process *)b)->pid;

	return (x > y) - (x < y);
}

static const struct observed_process *find_process(const struct observed_processes *l, long pid)
{
	const struct observed_process key = {.pid = pid};

	return l->v.n == 0 ? NULL : bsearch(&key, l->v.v, l->v.n, sizeof(key), by_pid);
}

static void mark_ours(struct observed_processes *l)
{
	bool more = true;

	for (size_t i = 0; i < l->v.n; i++)
		l->v.v[i].ours = l->v.v[i].pid == (long)getpid();
	for (int pass = 0; more && pass < PASSES_MAX; pass++) {
		more = false;
		for (size_t i = 0; i < l->v.n; i++) {
			struct observed_process *p = &l->v.v[i];
			const struct observed_process *parent = find_process(l, p->parent);

			if (!p->ours && parent != NULL && parent->ours)
				p->ours = more = true;
		}
	}
}

void observe_processes(struct observed_processes *l)
{
	struct strvec names = STRVEC_INIT;
	struct buf b = BUF_INIT;

	*l = (struct observed_processes){{0}};
	(void)fs_list("/proc", &names, NULL);
	for (size_t i = 0; i < names.n; i++) {
		struct observed_process p = {.pid = 0};
		char *path = NULL;

		if (names.v[i][0] < '1' || names.v[i][0] > '9')
			continue;
		path = mem_printf("/proc/%s/stat", names.v[i]);
		buf_clear(&b);
		/* one that ended meanwhile is in its parent's count */
		if (fs_read(path, FILE_MAX, &b, NULL) == 0 && observe_read_process(buf_str(&b), &p))
			vec_push(&l->v, p);
		free(path);
	}
	if (l->v.n > 0)
		qsort(l->v.v, l->v.n, sizeof(*l->v.v), by_pid);
	mark_ours(l);
	buf_release(&b);
	strvec_release(&names);
}

static uint64_t used_since(const struct observed_processes *before,
			   const struct observed_process *p)
{
	const struct observed_process *then = find_process(before, p->pid);

	return then != NULL && then->ticks <= p->ticks ? p->ticks - then->ticks : p->ticks;
}

/* Does a come before b among the busiest? Those that used the same go by their pids. */
static bool is_busier(uint64_t a_used, long a_pid, uint64_t b_used, long b_pid)
{
	return a_used != b_used ? a_used > b_used : a_pid < b_pid;
}

char *observe_busiest(const struct observed_processes *before,
		      const struct observed_processes *after)
{
	enum { MOST = 3 };
	const uint64_t least = (uint64_t)sysconf(_SC_CLK_TCK) / 10;
	struct buf b = BUF_INIT;
	uint64_t last_used = UINT64_MAX;
	long last_pid = 0;

	for (int i = 0; i < MOST; i++) {
		const struct observed_process *top = NULL;
		uint64_t most = 0;

		for (size_t k = 0; k < after->v.n; k++) {
			const struct observed_process *p = &after->v.v[k];
			uint64_t used = used_since(before, p);
			if (!p->ours && used >= least &&
			    is_busier(last_used, last_pid, used, p->pid) &&
			    (top == NULL || is_busier(used, p->pid, most, top->pid))) {
				most = used;
				top = p;
			}
		}
		if (top == NULL)
			break;
		buf_addf(&b, "%s%s (pid %ld)", i == 0 ? "" : ", ", top->name, top->pid);
		last_used = most;
		last_pid = top->pid;
	}
	return b.len == 0 ? NULL : buf_detach(&b);
}

/*
 * Services are children's children, so what measured processes use is the sum over all that descend
 * from this one; with a CPU of its own this process itself is not on those that are looked at.
 */
static void add_own(struct buf *out)
{
	struct observed_processes l;
	uint64_t own = 0;
	bool apart = placement_client_is_apart();

	observe_processes(&l);
	for (size_t i = 0; i < l.v.n; i++) {
		if (l.v.v[i].ours && !(apart && l.v.v[i].pid == (long)getpid()))
			own += l.v.v[i].ticks;
	}
	if (l.v.n > 0)
		buf_addf(out, "own %" PRIu64 "\n", own);
	vec_release(&l.v);
}

/* ".../policy0/stats/time_in_state" or ".../cpu0/cpufreq/stats/...": the folder above stats. */
static void add_time_in_state(struct buf *out, const char *path)
{
	char *dir = mem_strndup(path, strlen(path) - strlen("/stats/time_in_state"));
	char *file = fs_join(dir, "scaling_governor");
	struct buf b = BUF_INIT;
	char *save = NULL;

	add_file(out, "governor", file);
	free(file);
	file = fs_join(dir, "scaling_max_freq");
	add_file(out, "max_freq", file);
	if (fs_read(path, FILE_MAX, &b, NULL) == 0 && b.len > 0) {
		for (char *line = strtok_r(b.data, "\n", &save); line != NULL;
		     line = strtok_r(NULL, "\n", &save))
			buf_addf(out, "in_state %s\n", line);
	}
	buf_release(&b);
	free(file);
	free(dir);
}

static void add_frequency(struct buf *out, const char *path)
{
	add_file(out, "freq", path);
}

static void add_core_throttle(struct buf *out, const char *path)
{
	add_file(out, "core_throttle_ms", path);
}

static void add_temperature(struct buf *out, const char *path)
{
	add_file(out, "temp", path);
}

static void add_undervoltage(struct buf *out, const char *path)
{
	add_file(out, "undervoltage", path);
}

/* The Raspberry Pi's firmware, by its own program where it is there, else by its older file. */
static void add_firmware(struct buf *out)
{
	static char *argv[] = {(char *)"vcgencmd", (char *)"get_throttled", NULL};
	struct proc_result r = {0};
	char *program = NULL;

	if (!fs_exists("/dev/vcio") && !fs_exists("/dev/vchiq"))
		return;
	program = proc_find(argv[0]);
	if (program != NULL && proc_run(argv, VCGENCMD_LIMIT_NS, NULL, &r, NULL) == 0 &&
	    r.exit_code == 0 && text_starts(buf_str(&r.out), "throttled="))
		buf_addf(out, "throttled %s\n", text_trim(r.out.data + strlen("throttled=")));
	else
		add_file(out, "throttled", RPI_FIRMWARE "get_throttled");
	proc_result_release(&r);
	free(program);
}

void observe_machine(struct buf *out)
{
	add_clocks(out);
	buf_addf(out, "hz %ld\n", sysconf(_SC_CLK_TCK));
	add_lines(out, "/proc/stat", wanted_of_stat);
	add_own(out);
	add_lines(out, "/proc/vmstat", wanted_of_vmstat);
	each_file(CPU_DIR "cpufreq/policy*/stats/time_in_state", add_time_in_state, out);
	each_file(CPU_DIR "cpu[0-9]*/cpufreq/scaling_cur_freq", add_frequency, out);
	each_file(CPU_DIR "cpu[0-9]*/thermal_throttle/core_throttle_total_time_ms",
		  add_core_throttle, out);
	each_file("/sys/class/thermal/thermal_zone*/temp", add_temperature, out);
	each_file("/sys/class/hwmon/hwmon*/in0_lcrit_alarm", add_undervoltage, out);
	add_firmware(out);
}

const char *observe_script(void)
{
	/* `read` rather than cat: a process for every file would be load of our own */
	return "say() { [ -r \"$2\" ] && IFS= read -r v 2>/dev/null <\"$2\" && echo \"$1 $v\"; }\n"
	       "echo \"hz $(getconf CLK_TCK 2>/dev/null || echo 100)\"\n"
	       "grep -E '^(cpu[0-9]|btime )' /proc/stat\n"
	       "grep -E '^pswp(in|out) ' /proc/vmstat\n"
	       "cd " CPU_DIR " && {\n"
	       "for d in cpufreq/policy*; do\n"
	       "[ -r \"$d/stats/time_in_state\" ] || continue\n"
	       "say governor \"$d/scaling_governor\"\n"
	       "say max_freq \"$d/scaling_max_freq\"\n"
	       "while read -r f t; do echo \"in_state $f $t\"; done"
	       " <\"$d/stats/time_in_state\"\n"
	       "done\n"
	       "for d in cpu[0-9]*; do\n"
	       "say freq \"$d/cpufreq/scaling_cur_freq\"\n"
	       "say core_throttle_ms \"$d/thermal_throttle/core_throttle_total_time_ms\"\n"
	       "done\n"
	       "}\n"
	       "for f in /sys/class/thermal/thermal_zone*/temp; do say temp \"$f\"; done\n"
	       "for f in /sys/class/hwmon/hwmon*/in0_lcrit_alarm; do say undervoltage \"$f\"; "
	       "done\n"
	       "if [ -e /dev/vcio ] || [ -e /dev/vchiq ]; then\n"
	       "v=$(vcgencmd get_throttled 2>/dev/null)\n"
	       "case $v in\n"
	       "throttled=*) echo \"throttled ${v#throttled=}\" ;;\n"
	       "*) say throttled " RPI_FIRMWARE "get_throttled ;;\n"
	       "esac\n"
	       "fi\n"
	       "true\n";
}
