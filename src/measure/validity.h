/*
 * validity: what else went on while a sample was taken. A look before and a
 * look after; the difference is stored with the execution.
 */
#ifndef LAMPDUEL_MEASURE_VALIDITY_H
#define LAMPDUEL_MEASURE_VALIDITY_H

#include <stdbool.h>
#include <stdint.h>

struct validity {
	int64_t mono_ns, boot_ns;    /* their difference grows while the machine sleeps */
	uint64_t steal, busy, total; /* ticks of all CPUs, /proc/stat */
	uint64_t swap_in, swap_out;  /* pages, /proc/vmstat */
	double mhz;                  /* mean of scaling_cur_freq, 0 unknown */
	double celsius;              /* hottest thermal zone, 0 unknown */
	bool known;                  /* false: nothing could be read */
};

void validity_look(struct validity *v);
/* Pure: fills v's counters from the text of /proc/stat and /proc/vmstat. */
void validity_read_stat(const char *stat, struct validity *v);
void validity_read_vmstat(const char *vmstat, struct validity *v);
/*
 * JSON object of what changed: {"steal":0.01,"busy":0.5,"swap_pages":0,...}; new string.
 * *disturbed: the sample must not count: the machine slept, or was swapping.
 */
char *validity_difference(const struct validity *before, const struct validity *after,
			  bool *disturbed);

#endif
