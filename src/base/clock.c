#include "base/clock.h"

#include <time.h>

int64_t clock_mono_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

void clock_init_real(struct clock *c)
{
	*c = (struct clock){.is_virtual = false};
}

void clock_init_virtual(struct clock *c, int64_t start_ns, int64_t unix_ns)
{
	*c = (struct clock){.is_virtual = true, .now_ns = start_ns, .epoch_offset = unix_ns};
}

int64_t clock_now_ns(const struct clock *c)
{
	return c->is_virtual ? c->now_ns : clock_mono_ns();
}

int64_t clock_unix_ns(const struct clock *c)
{
	struct timespec ts;

	if (c->is_virtual)
		return c->epoch_offset + c->now_ns;
	(void)clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

void clock_advance_to(struct clock *c, int64_t now_ns)
{
	if (c->is_virtual && now_ns > c->now_ns)
		c->now_ns = now_ns;
}

void clock_sleep_ns(struct clock *c, int64_t ns)
{
	if (ns <= 0)
		return;
	if (c->is_virtual) {
		c->now_ns += ns;
		return;
	}
	struct timespec ts = {.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
	(void)nanosleep(&ts, NULL);
}

void clock_format_utc(int64_t unix_ns, char *buf, unsigned size)
{
	time_t t = (time_t)(unix_ns / NS_PER_S);
	struct tm tm;

	if (gmtime_r(&t, &tm) == NULL || strftime(buf, size, "%Y-%m-%d %H:%M:%S UTC", &tm) == 0)
		buf[0] = '\0';
}
