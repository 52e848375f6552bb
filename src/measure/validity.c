#include "measure/validity.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/jsonx.h"
#include "base/mem.h"
#include "base/text.h"

enum {
	/* Pages swapped during one sample: a few are read back by anybody, this many is pressure.
	 */
	SWAP_PAGES_MAX = 256,
	/* vcgencmd get_throttled: bits 0-3 now, the same 16 higher since the boot */
	THROTTLED_NOW = 0xf,
	THROTTLED_SINCE_BOOT = 16,
	BTIME_MAX_S = 2, /* it is rounded anew at every look */
};

/* A share of the sample's time, and in seconds: the clocks count in ticks of 10 ms. */
#define SHARE_MAX 0.10
#define SECONDS_MIN 0.05
#define SLEEP_MAX_NS (10 * NS_PER_MS)
#define CLOCK_SET_MAX_NS (10 * NS_PER_MS)

/* cpuN user nice system idle iowait irq softirq steal (proc(5)); guest is within user */
static void read_cpu(const char *line, struct validity *v)
{
	uint64_t t[8] = {0};

	if (sscanf(line,
		   "cpu%*u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64,
		   &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) < 4)
		return;
	uint64_t busy = t[0] + t[1] + t[2] + t[5] + t[6];
	v->known |= VALIDITY_CPU;
	v->cpus++;
	v->steal += t[7];
	v->busy += busy;
	v->total += busy + t[3] + t[4] + t[7];
}

/* A frequency's line follows those of its governor and its highest frequency. */
static void read_state(const char *line, double max_khz, struct validity *v)
{
	double khz = 0;
	uint64_t units = 0;

	if (sscanf(line, "in_state %lf %" SCNu64, &khz, &units) != 2)
		return;
	v->known |= VALIDITY_STATES;
	v->in_states += units;
	v->in_states_mhz += khz / 1000 * (double)units;
	if (khz < max_khz)
		v->below_max += units;
}

static bool read_count(const char *line, const char *key, uint64_t *value)
{
	size_t n = strlen(key);

	if (!text_starts(line, key) || line[n] != ' ')
		return false;
	*value += strtoull(line + n, NULL, 10);
	return true;
}

struct reading {
	struct validity *v;
	double max_khz; /* of the policy whose lines come */
	double mhz_sum;
	int n_mhz;
};

static void read_clock_line(const char *line, struct validity *v)
{
	if (sscanf(line, "clocks %" SCNd64 " %" SCNd64 " %" SCNd64, &v->mono_ns, &v->real_ns,
		   &v->boot_ns) == 3)
		v->known |= VALIDITY_CLOCKS;
	if (sscanf(line, "btime %" SCNd64, &v->btime_s) == 1)
		v->known |= VALIDITY_BTIME;
	(void)sscanf(line, "hz %lf", &v->hz);
}

static void read_hardware_line(const char *line, struct reading *r)
{
	struct validity *v = r->v;
	double x = 0;
	uint64_t alarm = 0;

	if (text_starts(line, "governor "))
		v->performance = v->performance && strcmp(line + 9, "performance") == 0;
	else if (sscanf(line, "max_freq %lf", &x) == 1)
		r->max_khz = x;
	else if (text_starts(line, "in_state "))
		read_state(line, r->max_khz, v);
	else if (sscanf(line, "freq %lf", &x) == 1) {
		r->mhz_sum += x / 1000;
		r->n_mhz++;
	} else if (sscanf(line, "temp %lf", &x) == 1)
		v->celsius = fmax(v->celsius, x / 1000);
	else if (sscanf(line, "throttled %lx", &v->throttled) == 1)
		v->known |= VALIDITY_THROTTLED;
	else if (read_count(line, "undervoltage", &alarm)) {
		v->known |= VALIDITY_VOLTAGE;
		v->undervoltage = v->undervoltage || alarm != 0;
	} else if (read_count(line, "core_throttle_ms", &v->core_throttle_ms))
		v->known |= VALIDITY_CORE_THROTTLE;
}

static void read_line(const char *line, struct reading *r)
{
	struct validity *v = r->v;

	if (text_starts(line, "cpu"))
		read_cpu(line, v);
	else if (read_count(line, "own", &v->own))
		v->known |= VALIDITY_OWN;
	else if (read_count(line, "pswpin", &v->swap_in) ||
		 read_count(line, "pswpout", &v->swap_out))
		v->known |= VALIDITY_SWAP;
	else {
		read_clock_line(line, v);
		read_hardware_line(line, r);
	}
}

void validity_read(const char *text, struct validity *v)
{
	struct reading r = {.v = v};
	char *copy = mem_strdup(text);
	char *save = NULL;

	*v = (struct validity){.hz = 100, .performance = true};
	for (char *line = strtok_r(copy, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save))
		read_line(line, &r);
	v->mhz = r.n_mhz == 0 ? 0 : r.mhz_sum / r.n_mhz;
	if (!(v->hz >= 1))
		v->hz = 100;
	free(copy);
}

/* Both looks know it. */
static bool both(const struct validity *a, const struct validity *b, unsigned what)
{
	return (a->known & b->known & what) == what;
}

/* Counters only grow; one that did not was set anew, and tells nothing. */
static double grown(uint64_t a, uint64_t b)
{
	return b > a ? (double)(b - a) : 0;
}

static double cpu_seconds(const struct validity *a, const struct validity *b)
{
	return grown(a->total, b->total) / a->hz;
}

double validity_steal(const struct validity *a, const struct validity *b)
{
	double all = cpu_seconds(a, b);

	if (!both(a, b, VALIDITY_CPU) || !(all > 0) || a->cpus != b->cpus)
		return -1;
	return grown(a->steal, b->steal) / a->hz / all;
}

double validity_foreign(const struct validity *a, const struct validity *b,
			const struct validity_sample *sample)
{
	double all = cpu_seconds(a, b);
	double own = 0;

	if (!both(a, b, VALIDITY_CPU) || !(all > 0) || a->cpus != b->cpus || sample->serves_others)
		return -1;
	if (both(a, b, VALIDITY_OWN))
		own = grown(a->own, b->own) / a->hz;
	else if (sample->own_ns >= 0)
		own = (double)sample->own_ns / 1e9;
	else
		return -1;
	return fmax(0, grown(a->busy, b->busy) / a->hz - own) / all;
}

/* What is said of a share when it is too much: of the CPUs' time together. */
static bool too_much(double share, double seconds)
{
	return share > SHARE_MAX && share * seconds >= SECONDS_MIN;
}

struct finding {
	json_t *j;
	struct buf reasons; /* joined by "; " */
};

static void because(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void because(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	if (f->reasons.len > 0)
		buf_addstr(&f->reasons, "; ");
	va_start(ap, fmt);
	buf_vaddf(&f->reasons, fmt, ap);
	va_end(ap);
}

static void put(struct finding *f, const char *key, double v)
{
	jsonx_put(f->j, key, json_real(v));
}

static void find_load(struct finding *f, const struct validity *a, const struct validity *b,
		      const struct validity_sample *sample)
{
	double seconds = cpu_seconds(a, b);
	double steal = validity_steal(a, b);
	double foreign = validity_foreign(a, b, sample);

	if (steal >= 0)
		put(f, "steal", steal);
	if (foreign >= 0)
		put(f, "foreign", foreign);
	if (sample->accept_load)
		return;
	if (too_much(foreign, seconds))
		because(f, "other programs used %.0f %% of the CPU%s", 100 * foreign,
			a->cpus == 1 ? "" : "s");
	if (too_much(steal, seconds))
		because(f, "the hypervisor took %.0f %% of the CPU%s (steal)", 100 * steal,
			a->cpus == 1 ? "" : "s");
}

static void find_clocks(struct finding *f, const struct validity *a, const struct validity *b)
{
	if (both(a, b, VALIDITY_CLOCKS)) {
		int64_t slept = (b->boot_ns - b->mono_ns) - (a->boot_ns - a->mono_ns);
		int64_t set = (b->real_ns - b->boot_ns) - (a->real_ns - a->boot_ns);
		if (slept > SLEEP_MAX_NS)
			because(f, "the machine slept");
		if (set > CLOCK_SET_MAX_NS || set < -CLOCK_SET_MAX_NS) {
			put(f, "clock_set", (double)set / 1e9);
			because(f, "the clock was set by %+.3g s", (double)set / 1e9);
		}
	} else if (both(a, b, VALIDITY_BTIME)) {
		int64_t set = b->btime_s - a->btime_s;
		if (set >= BTIME_MAX_S || set <= -BTIME_MAX_S) {
			put(f, "clock_set", (double)set);
			because(f, "the clock was set by %+" PRId64 " s", set);
		}
	}
}

static void find_swap(struct finding *f, const struct validity *a, const struct validity *b)
{
	double pages = grown(a->swap_in, b->swap_in) + grown(a->swap_out, b->swap_out);

	if (!both(a, b, VALIDITY_SWAP))
		return;
	jsonx_put(f->j, "swap_pages", json_integer((json_int_t)pages));
	if (pages > SWAP_PAGES_MAX)
		because(f, "the machine was swapping");
}

/* Bits of the firmware: what is so now, at either look, or came to be since the first. */
static void find_firmware(struct finding *f, const struct validity *a, const struct validity *b)
{
	static const char *const words[] = {"under-voltage", "the frequency was capped",
					    "the CPU was throttled",
					    "the soft temperature limit was reached"};
	unsigned long since = (b->throttled & ~a->throttled) >> THROTTLED_SINCE_BOOT;
	unsigned long bits = (a->throttled | b->throttled | since) & THROTTLED_NOW;
	char text[32];

	if (both(a, b, VALIDITY_THROTTLED)) {
		(void)snprintf(text, sizeof(text), "0x%lx", b->throttled);
		jsonx_put(f->j, "throttled", jsonx_text(text));
		for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			if ((bits >> i & 1) != 0)
				because(f, "%s", words[i]);
		}
	} else if (both(a, b, VALIDITY_VOLTAGE) && (a->undervoltage || b->undervoltage)) {
		because(f, "%s", words[0]);
	}
}

static void find_frequency(struct finding *f, const struct validity *a, const struct validity *b)
{
	double units = grown(a->in_states, b->in_states);

	if (both(a, b, VALIDITY_STATES) && units > 0) {
		double below = grown(a->below_max, b->below_max) / units;
		put(f, "mhz", (b->in_states_mhz - a->in_states_mhz) / units);
		put(f, "below_max", below);
		if (a->performance && b->performance && too_much(below, units / 100))
			because(f,
				"the CPU ran below its highest frequency for %.0f %% of the "
				"time",
				100 * below);
	} else if (b->mhz > 0) {
		put(f, "mhz", b->mhz);
	}
	if (b->celsius > 0)
		put(f, "celsius", b->celsius);
}

static void find_core_throttle(struct finding *f, const struct validity *a,
			       const struct validity *b)
{
	double cpu_s = cpu_seconds(a, b);
	double held = grown(a->core_throttle_ms, b->core_throttle_ms) / 1000;

	if (!both(a, b, VALIDITY_CORE_THROTTLE | VALIDITY_CPU) || !(cpu_s > 0) || !(held > 0))
		return;
	double share = held * a->cpus / cpu_s;
	put(f, "core_throttle", share);
	if (too_much(share, cpu_s / a->cpus))
		because(f, "the CPU was throttled for %.3g s", held);
}

char *validity_difference(const struct validity *a, const struct validity *b,
			  const struct validity_sample *sample, bool *disturbed)
{
	struct finding f = {.j = json_object()};

	find_load(&f, a, b, sample);
	find_swap(&f, a, b);
	find_clocks(&f, a, b);
	find_firmware(&f, a, b);
	find_frequency(&f, a, b);
	find_core_throttle(&f, a, b);
	*disturbed = f.reasons.len > 0;
	if (*disturbed)
		jsonx_put(f.j, "reason", jsonx_text(buf_str(&f.reasons)));
	buf_release(&f.reasons);
	return jsonx_take_text(f.j, JSON_COMPACT | JSON_REAL_PRECISION(6));
}
