#include "measure/checkup.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum { THROTTLED_NOW = 0xf, THROTTLED_SINCE_BOOT = 16, HOT_CELSIUS = 70 };

/* Shares of the CPUs: the gate waits above the first, samples are repeated above the second. */
#define BUSY_SHARE 0.05
#define DISTURBING_SHARE 0.10
#define STEAL_SHARE 0.01
#define MEMORY_LEAST INT64_C(300000000)
#define DISK_LEAST INT64_C(500000000)
/* what a machine swaps out in good time, and never needs again, says nothing */
#define SWAP_MOST INT64_C(64000000)

#define ADD(c, f, what, ...) checkup_add(c, f, what, mem_printf(__VA_ARGS__))

void checkup_add(struct checkup *c, enum checkup_finding f, const char *what, char *text)
{
	struct checkup_line line = {f, mem_strdup(what), text};

	vec_push(&c->lines, line);
}

void checkup_release(struct checkup *c)
{
	for (size_t i = 0; i < c->lines.n; i++) {
		free(c->lines.v[i].what);
		free(c->lines.v[i].text);
	}
	vec_release(&c->lines);
}

/* The hypervisor's name; NULL: there is none, or nobody says. */
static const char *hypervisor(const struct factset *f)
{
	const char *name = factset_get(f, "virtual.machine");

	return text_equal(name, "none") ? NULL : name;
}

static void check_cpus(struct checkup *c, const struct factset *f)
{
	const char *governor = factset_get(f, "cpu.governor");
	const char *cores = factset_get(f, "cpu.cores");
	const char *smt = factset_get(f, "cpu.smt");

	if (text_equal(cores, "1"))
		ADD(c, CHECKUP_NOTE, "CPUs",
		    "there is one, which client and servers share: times hold some of the "
		    "client's");
	if (text_equal(governor, "performance"))
		ADD(c, CHECKUP_FINE, "governor", "performance: the clock stays where it is");
	else if (governor != NULL)
		ADD(c, CHECKUP_NOTE, "governor",
		    "%s: the clock changes while measuring; keep it still, as root: echo "
		    "performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
		    governor);
	else
		ADD(c, CHECKUP_UNKNOWN, "governor", "the machine does not say who sets its clock%s",
		    hypervisor(f) != NULL ? " (its host does)" : "");
	if (text_equal(smt, "on"))
		ADD(c, CHECKUP_NOTE, "SMT",
		    "two CPUs share a core: what runs on one slows the other; as root: echo off | "
		    "tee /sys/devices/system/cpu/smt/control");
}

static void check_load(struct checkup *c, const struct validity *a, const struct validity *b,
		       const struct checkup_more *more)
{
	const struct validity_sample nothing = {.own_ns = 0};
	double foreign = validity_foreign(a, b, &nothing);
	double steal = validity_steal(a, b);

	if (foreign < 0)
		ADD(c, CHECKUP_UNKNOWN, "load", "/proc/stat cannot be read there");
	else if (foreign <= BUSY_SHARE)
		ADD(c, CHECKUP_FINE, "load", "other programs use %.0f %% of the CPUs",
		    100 * foreign);
	else
		ADD(c, CHECKUP_NOTE, "load",
		    "other programs use %.0f %% of the CPUs%s%s: stop them, or wait%s",
		    100 * foreign, more->busiest == NULL ? "" : ", most of all ",
		    more->busiest == NULL ? "" : more->busiest,
		    foreign > DISTURBING_SHARE ? "; samples are repeated while that is so" : "");
	if (steal > STEAL_SHARE)
		ADD(c, CHECKUP_NOTE, "steal",
		    "the hypervisor takes %.0f %% of the CPUs: other machines on the host are "
		    "busy, measure at another time",
		    100 * steal);
	else if (steal >= 0)
		ADD(c, CHECKUP_FINE, "steal", "the hypervisor takes %.1f %% of the CPUs",
		    100 * steal);
	else
		ADD(c, CHECKUP_UNKNOWN, "steal", "/proc/stat does not say what a hypervisor takes");
}

/* Where no firmware tells more. */
static void check_cores(struct checkup *c, const struct factset *f, const struct validity *a,
			const struct validity *b)
{
	if ((a->known & b->known & VALIDITY_CORE_THROTTLE) == 0)
		ADD(c, CHECKUP_UNKNOWN, "throttling", "neither firmware nor driver tells of it%s",
		    hypervisor(f) != NULL ? " (its host knows)"
					  : ": watch for samples that take longer one after "
					    "another");
	else if (b->core_throttle_ms > a->core_throttle_ms)
		ADD(c, CHECKUP_BAD, "throttling",
		    "the CPU is throttled: samples would be repeated; cooling, and power");
	else if (b->core_throttle_ms > 0)
		ADD(c, CHECKUP_NOTE, "throttling",
		    "the CPU was throttled for %" PRIu64
		    " ms since the machine was started, not now; cooling",
		    b->core_throttle_ms);
	else
		ADD(c, CHECKUP_FINE, "throttling", "none since the machine was started");
}

static void check_firmware(struct checkup *c, const struct factset *f, const struct validity *a,
			   const struct validity *b)
{
	static const struct {
		const char *now, *since, *advice;
	} rows[] = {
		{"the voltage is too low", "the voltage was too low",
		 "a stronger power supply, a shorter cable"},
		{"the frequency is capped", "the frequency was capped", "cooling, and power"},
		{"the CPU is throttled", "the CPU was throttled", "cooling, and power"},
		{"the soft temperature limit is reached", "the soft temperature limit was reached",
		 "cooling"},
	};

	if ((b->known & VALIDITY_THROTTLED) == 0) {
		if ((b->known & VALIDITY_VOLTAGE) != 0)
			ADD(c, b->undervoltage ? CHECKUP_BAD : CHECKUP_FINE, "voltage",
			    b->undervoltage ? "the voltage is too low: a stronger power supply, a "
					      "shorter cable"
					    : "the voltage is as it should be");
		check_cores(c, f, a, b);
		return;
	}
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if ((b->throttled >> i & 1) != 0)
			ADD(c, CHECKUP_BAD, "throttling", "%s: every sample would be repeated; %s",
			    rows[i].now, rows[i].advice);
		else if ((b->throttled >> (i + THROTTLED_SINCE_BOOT) & 1) != 0)
			ADD(c, CHECKUP_NOTE, "throttling",
			    "%s at some time since the machine was started, not now; %s",
			    rows[i].since, rows[i].advice);
	}
	if (b->throttled == 0)
		ADD(c, CHECKUP_FINE, "throttling", "none since the machine was started");
}

static void check_state(struct checkup *c, const struct validity *a, const struct validity *b,
			const struct checkup_more *more)
{
	if (b->celsius >= HOT_CELSIUS)
		ADD(c, CHECKUP_NOTE, "temperature",
		    "%.0f degrees Celsius: let it cool down, most CPUs slow down a little further "
		    "up",
		    b->celsius);
	else if (b->celsius > 0)
		ADD(c, CHECKUP_FINE, "temperature", "%.0f degrees Celsius", b->celsius);
	if ((a->known & b->known & VALIDITY_SWAP) != 0 &&
	    b->swap_in + b->swap_out > a->swap_in + a->swap_out)
		ADD(c, CHECKUP_NOTE, "swap",
		    "the machine is swapping: end programs that need memory");
	else if (more->swap_used > SWAP_MOST)
		ADD(c, CHECKUP_NOTE, "swap",
		    "%" PRId64 " MB are swapped out, and slow what needs them again: end programs "
		    "that need memory",
		    more->swap_used / 1000000);
	else if (more->swap_used == 0)
		ADD(c, CHECKUP_FINE, "swap", "nothing is swapped out");
	else if (more->swap_used > 0)
		ADD(c, CHECKUP_FINE, "swap", "%" PRId64 " MB are swapped out, nothing moves",
		    more->swap_used / 1000000);
	else if ((a->known & b->known & VALIDITY_SWAP) != 0)
		ADD(c, CHECKUP_FINE, "swap", "nothing is swapped in or out");
	else
		ADD(c, CHECKUP_UNKNOWN, "swap", "/proc/vmstat cannot be read there");
}

static void check_kind(struct checkup *c, const struct factset *f)
{
	const char *virtual = factset_get(f, "virtual.machine");
	const char *container = factset_get(f, "virtual.container");

	if (hypervisor(f) != NULL)
		ADD(c, CHECKUP_NOTE, "machine",
		    "%s: what else its host does is seen as steal at best", virtual);
	else if (virtual != NULL)
		ADD(c, CHECKUP_FINE, "machine", "no hypervisor is seen");
	else
		ADD(c, CHECKUP_UNKNOWN, "machine", "it does not say whether it is a virtual one");
	if (container != NULL)
		ADD(c, CHECKUP_NOTE, "container",
		    "%s: its limits, and its neighbours, are part of what is measured", container);
}

static void check_storage(struct checkup *c, const struct factset *f)
{
	const char *model = factset_get(f, "storage.model");
	const char *kind = factset_get(f, "storage.kind");
	const char *system = factset_get(f, "storage.filesystem");
	const char *device = factset_get(f, "storage.device");
	const char *what = model != NULL ? model : device;

	if (what == NULL)
		ADD(c, CHECKUP_UNKNOWN, "storage", "what the files lie on is not said there");
	else
		ADD(c, CHECKUP_FINE, "storage", "%s%s%s%s%s", what, system == NULL ? "" : ", ",
		    system == NULL ? "" : system, kind == NULL || model != NULL ? "" : ", ",
		    kind == NULL || model != NULL ? "" : kind);
}

static void check_room(struct checkup *c, const struct checkup_more *more)
{
	const struct {
		const char *what, *need;
		int64_t bytes, least;
	} rows[] = {
		{"memory", "servers of two systems need some 300", more->memory_free, MEMORY_LEAST},
		{"disk", "servers of two systems need some 400", more->disk_free, DISK_LEAST},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].bytes < 0)
			ADD(c, CHECKUP_UNKNOWN, rows[i].what, "how much is free is not said there");
		else if (rows[i].bytes < rows[i].least)
			ADD(c, CHECKUP_NOTE, rows[i].what, "%" PRId64 " MB are free: %s",
			    rows[i].bytes / 1000000, rows[i].need);
		else
			ADD(c, CHECKUP_FINE, rows[i].what, "%" PRId64 " MB are free",
			    rows[i].bytes / 1000000);
	}
}

static void check_answers(struct checkup *c, const struct checkup_more *more)
{
	if (more->on_mains == CHECKUP_NO)
		ADD(c, CHECKUP_NOTE, "power",
		    "the machine runs on its battery, which slows most of them down: plug it in");
	else if (more->on_mains == CHECKUP_YES)
		ADD(c, CHECKUP_FINE, "power", "no battery drives the machine");
	else
		ADD(c, CHECKUP_UNKNOWN, "power", "it does not say whether a battery drives it");
	if (more->clock_kept == CHECKUP_NO)
		ADD(c, CHECKUP_NOTE, "clock",
		    "no time server keeps it right: dates may be wrong, and a clock that is set "
		    "meanwhile costs a sample");
	else if (more->clock_kept == CHECKUP_YES)
		ADD(c, CHECKUP_FINE, "clock", "kept right by a time server");
	else
		ADD(c, CHECKUP_UNKNOWN, "clock",
		    "nothing there tells whether a time server keeps it right: compare its date "
		    "with another machine's");
}

/* "clock yes", "power mains", "memory KIB"; numbers are KiB. */
void checkup_read(const char *text, struct checkup_more *more)
{
	struct checkup_more m = {CHECKUP_NOT_SAID, CHECKUP_NOT_SAID, -1, -1, -1, more->busiest};
	char *copy = mem_strdup(text);
	char *save = NULL;

	for (char *line = strtok_r(copy, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		char *value = strchr(line, ' ');
		int64_t kib = 0;

		if (value == NULL)
			continue;
		*value++ = '\0';
		bool number = text_to_i64(value, &kib) && kib >= 0 && kib <= INT64_MAX / 1024;
		if (strcmp(line, "clock") == 0)
			m.clock_kept = strcmp(value, "yes") == 0 ? CHECKUP_YES : CHECKUP_NO;
		else if (strcmp(line, "power") == 0)
			m.on_mains = strcmp(value, "battery") == 0 ? CHECKUP_NO : CHECKUP_YES;
		else if (strcmp(line, "memory") == 0 && number)
			m.memory_free = kib * 1024;
		else if (strcmp(line, "swap") == 0 && number)
			m.swap_used = kib * 1024;
		else if (strcmp(line, "disk") == 0 && number)
			m.disk_free = kib * 1024;
	}
	free(copy);
	*more = m;
}

const char *checkup_script(void)
{
	/*
	 * A power supply's type and state: sysfs-class-power of the kernel's documentation. A mouse
	 * has a battery too, whose scope is "Device".
	 */
	return "while read -r k v _; do case $k in\n"
	       "MemAvailable:) echo \"memory $v\" ;;\n"
	       "SwapTotal:) t=$v ;;\n"
	       "SwapFree:) [ -z \"$t\" ] || echo \"swap $((t - v))\" ;;\n"
	       "esac; done </proc/meminfo\n"
	       "df -Pk . 2>/dev/null | while read -r _ _ _ v _; do\n"
	       "case $v in *[!0-9]*|'') ;; *) echo \"disk $v\" ;; esac; done\n"
	       "p=mains\n"
	       "for d in /sys/class/power_supply/*; do\n"
	       "t= s= c=\n"
	       "{ read -r t <\"$d/type\"; read -r s <\"$d/status\"; read -r c <\"$d/scope\"; } "
	       "2>/dev/null\n"
	       "[ \"$t,$s\" != Battery,Discharging ] || [ \"$c\" = Device ] || p=battery\n"
	       "done\n"
	       "[ ! -d /sys/class ] || echo \"power $p\"\n"
	       "c=$(timedatectl show --property=NTPSynchronized 2>/dev/null)\n"
	       "case $c in\n"
	       "*=yes) echo 'clock yes' ;;\n"
	       "*=no) echo 'clock no' ;;\n"
	       "*) if c=$(chronyc tracking 2>/dev/null); then\n"
	       "case $c in *'Not synchronised'*) echo 'clock no' ;; *) echo 'clock yes' ;; esac\n"
	       "elif c=$(ntpq -c rv 2>/dev/null); then\n"
	       "case $c in *leap_alarm*) echo 'clock no' ;; *stratum=*) echo 'clock yes' ;; esac\n"
	       "fi ;;\n"
	       "esac\n"
	       "true\n";
}

void checkup_machine(const struct factset *f, const struct validity *before,
		     const struct validity *after, const struct checkup_more *more,
		     struct checkup *out)
{
	check_cpus(out, f);
	check_load(out, before, after, more);
	check_firmware(out, f, before, after);
	check_state(out, before, after, more);
	check_kind(out, f);
	check_storage(out, f);
	check_room(out, more);
	check_answers(out, more);
}
