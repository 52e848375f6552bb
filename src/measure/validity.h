/*
 * validity: what else went on while a sample was taken, from what the machine
 * under the system said of itself before and after (system/observe.h). Pure.
 *
 * A sample is disturbed, and its pair is repeated, when in its time
 *   - other programs used more than a tenth of the CPUs it may run on, or the
 *     hypervisor took more than a tenth of them (steal), and 50 ms at least;
 *   - the CPU was throttled, its voltage was low, or its frequency was capped
 *     (where its firmware or its driver says so), or, under the governor
 *     "performance", it ran below its highest frequency for more than a tenth;
 *   - the machine swapped 256 pages, slept, or had its calendar clock set.
 */
#ifndef LAMPDUEL_MEASURE_VALIDITY_H
#define LAMPDUEL_MEASURE_VALIDITY_H

#include <stdbool.h>
#include <stdint.h>

enum validity_known {
	VALIDITY_CLOCKS = 1 << 0,
	VALIDITY_CPU = 1 << 1,
	VALIDITY_OWN = 1 << 2,
	VALIDITY_SWAP = 1 << 3,
	VALIDITY_THROTTLED = 1 << 4,
	VALIDITY_STATES = 1 << 5,
	VALIDITY_CORE_THROTTLE = 1 << 6,
	VALIDITY_VOLTAGE = 1 << 7,
	VALIDITY_BTIME = 1 << 8,
};

/* One look. What is not in `known` is 0. */
struct validity {
	unsigned known;                    /* of enum validity_known */
	int64_t mono_ns, real_ns, boot_ns; /* monotonic, calendar, and with the time asleep */
	int64_t btime_s;                   /* calendar time of the boot, in whole seconds */
	double hz;                         /* ticks in a second */
	int cpus;                          /* those that measured processes may use */
	uint64_t busy, steal, total;       /* their ticks, /proc/stat */
	uint64_t own;                      /* ticks of the measured processes among busy */
	uint64_t swap_in, swap_out;        /* pages, /proc/vmstat */
	unsigned long throttled;           /* bits of vcgencmd get_throttled */
	bool undervoltage;                 /* now */
	bool performance;                  /* every governor is "performance" */
	uint64_t in_states, below_max;     /* units of 10 ms, cpufreq/stats/time_in_state */
	double in_states_mhz;              /* the same, each times its frequency in MHz */
	uint64_t core_throttle_ms;         /* of all cores, x86 */
	double mhz;                        /* mean of scaling_cur_freq, 0 unknown */
	double celsius;                    /* hottest thermal zone, 0 unknown */
};

void validity_read(const char *text, struct validity *v);

/* What belongs to the sample besides the two looks. */
struct validity_sample {
	int64_t own_ns; /* CPU time of what was measured, where looks do not tell; -1: unknown */
	bool serves_others; /* a server that runs anyway was measured: its load is not foreign */
	bool accept_load;   /* other programs' load and steal are written down and no more */
};

/*
 * JSON object of what changed: {"steal":0.01,"foreign":0.02,"swap_pages":0,...}; new string.
 * *disturbed: the sample must not count; "reason" tells why.
 */
char *validity_difference(const struct validity *before, const struct validity *after,
			  const struct validity_sample *sample, bool *disturbed);

/* Shares of the measured CPUs' time between two looks that others used, and the hypervisor took.
 * -1: not known. */
double validity_foreign(const struct validity *before, const struct validity *after,
			const struct validity_sample *sample);
double validity_steal(const struct validity *before, const struct validity *after);

#endif
