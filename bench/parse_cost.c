/*
 * What reading costs: a log of 100 MB, made of the tests' fixtures one behind the other, is read
 * as a stream. Memory must not grow with it.
 *	parse_cost FOLDER [MEGABYTES]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/fs.h"
#include "parse/parse.h"

static void count_value(void *arg, const struct parse_value *v)
{
	(void)v;
	++*(long *)arg;
}

/* What 100 MB may take. */
#define BOUND 2.0

static long peak_kib(void)
{
	struct rusage u;

	return getrusage(RUSAGE_SELF, &u) == 0 ? u.ru_maxrss : 0;
}

/* Of the processor, which other programs do not slow down as much as they do the clock. */
static double cpu_seconds(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u) != 0)
		return 0;
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static int load(const char *dir, struct buf *all, struct err *err)
{
	struct strvec names = STRVEC_INIT;
	int rc = fs_list(dir, &names, err);

	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		char *path = fs_join(dir, names.v[i]);
		struct buf one = BUF_INIT;

		if (!fs_is_dir(path))
			rc = fs_read(path, 1 << 24, &one, err);
		buf_add(all, buf_str(&one), one.len);
		buf_addch(all, '\n');
		buf_release(&one);
		free(path);
	}
	strvec_release(&names);
	return rc;
}

int main(int argc, char **argv)
{
	double megabytes = argc > 2 ? atof(argv[2]) : 100, fed = 0;
	long values = 0, before;
	struct parse_sink sink = {.value = count_value, .arg = &values};
	struct buf all = BUF_INIT;
	struct err err = ERR_INIT;

	if (argc < 2 || load(argv[1], &all, &err) != 0 || all.len == 0) {
		(void)fprintf(stderr, "parse_cost: %s\n", argc < 2 ? "name a folder" : err.msg);
		return 1;
	}
	struct parse_stream *s = parse_stream_new("log", &sink);
	parse_stream_feed(s, all.data, all.len);
	before = peak_kib();
	int64_t start = clock_mono_ns();
	double cpu = cpu_seconds();
	for (; fed < megabytes * 1e6; fed += (double)all.len)
		parse_stream_feed(s, all.data, all.len);
	int rc = parse_stream_finish(s, &err);
	double seconds = (double)(clock_mono_ns() - start) / 1e9;
	cpu = cpu_seconds() - cpu;
	parse_stream_free(s);
	buf_release(&all);
	(void)printf(
		"parse: %.0f MB of joined outputs in %.2f s of CPU (%.2f s elapsed, %ld values): "
		"%.2f of the %.0f s that 100 MB may take; memory grew by %ld KiB\n",
		fed / 1e6, cpu, seconds, values, cpu / (BOUND * fed / 1e8), BOUND,
		peak_kib() - before);
	return rc == 0 ? 0 : 1;
}
