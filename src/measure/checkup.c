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
		ADD(c, CHECKUP_NOTE, "governor",
		    "not known: the machine does not say who sets its clock%s",
		    factset_get(f, "virtual.machine") != NULL ? " (its host does)" : "");
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
		ADD(c, CHECKUP_NOTE, "load", "not known: /proc/stat cannot be read there");
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
}

static void check_firmware(struct checkup *c, const struct validity *b)
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
			ADD(c, b->undervoltage ? CHECKUP_BAD : CHECKUP_FINE, "power",
			    b->undervoltage ? "the voltage is too low: a stronger power supply, a "
					      "shorter cable"
					    : "the voltage is as it should be");
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

static void check_state(struct checkup *c, const struct validity *a, const struct validity *b)
{
	if (b->celsius >= HOT_CELSIUS)
		ADD(c, CHECKUP_NOTE, "temperature",
		    "%.0f degrees Celsius: let it cool down, most CPUs slow down a little further "
		    "up",
		    b->celsius);
	else if (b->celsius > 0)
		ADD(c, CHECKUP_FINE, "temperature", "%.0f degrees Celsius", b->celsius);
	if ((a->known & b->known & VALIDITY_SWAP) == 0)
		return;
	if (b->swap_in + b->swap_out > a->swap_in + a->swap_out)
		ADD(c, CHECKUP_NOTE, "swap",
		    "the machine is swapping: end programs that need memory");
	else
		ADD(c, CHECKUP_FINE, "swap", "nothing is swapped in or out");
}

static void check_machine(struct checkup *c, const struct factset *f,
			  const struct checkup_more *more)
{
	const char *virtual = factset_get(f, "virtual.machine");
	const char *container = factset_get(f, "virtual.container");
	const char *storage = factset_get(f, "storage.model");

	if (virtual != NULL && strcmp(virtual, "none") != 0)
		ADD(c, CHECKUP_NOTE, "machine",
		    "%s: what else its host does is seen as steal at best", virtual);
	if (container != NULL)
		ADD(c, CHECKUP_NOTE, "container",
		    "%s: its limits, and its neighbours, are part of what is measured", container);
	if (storage != NULL)
		ADD(c, CHECKUP_FINE, "storage", "%s", storage);
	if (more->memory_free >= 0 && more->memory_free < MEMORY_LEAST)
		ADD(c, CHECKUP_NOTE, "memory",
		    "%" PRId64 " MB are free: servers of two systems need some 300",
		    more->memory_free / 1000000);
	else if (more->memory_free >= 0)
		ADD(c, CHECKUP_FINE, "memory", "%" PRId64 " MB are free",
		    more->memory_free / 1000000);
	if (more->on_mains == CHECKUP_NO)
		ADD(c, CHECKUP_NOTE, "power",
		    "the machine runs on its battery, which slows most of them down: plug it in");
	if (more->clock_kept == CHECKUP_NO)
		ADD(c, CHECKUP_NOTE, "clock",
		    "no time server keeps it right: dates may be wrong, and a clock that is set "
		    "meanwhile costs a sample");
	else if (more->clock_kept == CHECKUP_YES)
		ADD(c, CHECKUP_FINE, "clock", "kept right by a time server");
}

void checkup_machine(const struct factset *f, const struct validity *before,
		     const struct validity *after, const struct checkup_more *more,
		     struct checkup *out)
{
	check_cpus(out, f);
	check_load(out, before, after, more);
	check_firmware(out, after);
	check_state(out, before, after);
	check_machine(out, f, more);
}
