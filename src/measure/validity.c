#include "measure/validity.h"

#include <dirent.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/jsonx.h"
#include "base/text.h"

enum {
	FILE_MAX = 1 << 20,
	/* Pages swapped during one sample: a few are read back by anybody, this many is pressure.
	 */
	SWAP_PAGES_MAX = 256,
};

/* A sleep of the machine shows as this much between CLOCK_BOOTTIME and CLOCK_MONOTONIC. */
#define SLEEP_MAX_NS (10 * NS_PER_MS)

void validity_read_stat(const char *stat, struct validity *v)
{
	/* cpu user nice system idle iowait irq softirq steal (proc(5)); guest is within user */
	uint64_t t[8] = {0};

	if (sscanf(stat,
		   "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64,
		   &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) < 4)
		return;
	v->known = true;
	v->steal = t[7];
	v->busy = t[0] + t[1] + t[2] + t[5] + t[6];
	v->total = v->busy + t[3] + t[4] + t[7];
}

static uint64_t vmstat_value(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at == NULL ? 0 : strtoull(at + strlen(key), NULL, 10);
}

void validity_read_vmstat(const char *vmstat, struct validity *v)
{
	v->swap_in = vmstat_value(vmstat, "pswpin ");
	v->swap_out = vmstat_value(vmstat, "pswpout ");
}

static double number_in(const char *path)
{
	struct buf b = BUF_INIT;
	double v = 0;

	if (fs_read(path, 4096, &b, NULL) != 0 || !text_to_double(text_trim(b.data), &v))
		v = 0;
	buf_release(&b);
	return v;
}

/* Mean (or the greatest) of the number in dir/PREFIX<n>/file over all n; 0 when there is none. */
static double over_entries(const char *dir, const char *prefix, const char *file, bool greatest)
{
	struct strvec names = STRVEC_INIT;
	double sum = 0;
	double max = 0;
	int n = 0;

	if (fs_is_dir(dir) && fs_list(dir, &names, NULL) == 0) {
		for (size_t i = 0; i < names.n; i++) {
			char *path = mem_printf("%s/%s/%s", dir, names.v[i], file);
			if (text_starts(names.v[i], prefix) && fs_exists(path)) {
				double x = number_in(path);
				sum += x;
				max = fmax(max, x);
				n++;
			}
			free(path);
		}
	}
	strvec_release(&names);
	return greatest ? max : n == 0 ? 0 : sum / n;
}

static int64_t boot_ns(void)
{
	struct timespec ts = {0};

	(void)clock_gettime(CLOCK_BOOTTIME, &ts);
	return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

void validity_look(struct validity *v)
{
	struct buf b = BUF_INIT;

	*v = (struct validity){.mono_ns = clock_mono_ns(), .boot_ns = boot_ns()};
	if (fs_read("/proc/stat", FILE_MAX, &b, NULL) == 0)
		validity_read_stat(b.data, v);
	buf_clear(&b);
	if (fs_read("/proc/vmstat", FILE_MAX, &b, NULL) == 0)
		validity_read_vmstat(b.data, v);
	buf_release(&b);
	v->mhz = over_entries("/sys/devices/system/cpu", "cpu", "cpufreq/scaling_cur_freq", false) /
		 1000;
	v->celsius = over_entries("/sys/class/thermal", "thermal_zone", "temp", true) / 1000;
}

char *validity_difference(const struct validity *a, const struct validity *b, bool *disturbed)
{
	json_t *j = json_object();
	int64_t slept = (b->boot_ns - b->mono_ns) - (a->boot_ns - a->mono_ns);
	uint64_t swapped = (b->swap_in - a->swap_in) + (b->swap_out - a->swap_out);

	*disturbed = false;
	if (a->known && b->known && b->total > a->total) {
		double ticks = (double)(b->total - a->total);
		(void)json_object_set_new(j, "steal",
					  json_real((double)(b->steal - a->steal) / ticks));
		(void)json_object_set_new(j, "busy",
					  json_real((double)(b->busy - a->busy) / ticks));
	}
	(void)json_object_set_new(j, "swap_pages", json_integer((json_int_t)swapped));
	if (b->mhz > 0)
		(void)json_object_set_new(j, "mhz", json_real(b->mhz));
	if (b->celsius > 0)
		(void)json_object_set_new(j, "celsius", json_real(b->celsius));
	if (slept > SLEEP_MAX_NS) {
		(void)json_object_set_new(j, "reason", json_string("the machine slept"));
		*disturbed = true;
	} else if (swapped > SWAP_PAGES_MAX) {
		(void)json_object_set_new(j, "reason", json_string("the machine was swapping"));
		*disturbed = true;
	}
	return jsonx_take_text(j, JSON_COMPACT | JSON_REAL_PRECISION(6));
}
