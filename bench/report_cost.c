/*
 * What does a report cost? Time and peak memory of `lampduel report` over a
 * stored reference case of 10 metrics and 15 rounds, with outputs as long as real ones, and of
 * ten times as many rounds.
 *
 * report_cost LAMPDUEL [RUNS]
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../test/unit/example.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "store/store.h"

enum { RUNS = 21, OUTPUT_BYTES = 40000 };

/* Three metrics more than the reference case has, and looks: ten in all. */
static void make_ten(struct experiment *e, int rounds)
{
	static const char *const names[] = {"command/x/wall", "command/x/user", "command/x/sys"};
	size_t task = example_task(e, "command", "command/x", "{}");
	size_t first = e->metrics.n;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		(void)example_metric(e, names[i], "s", "", true);
	for (int round = 1; round <= rounds; round++) {
		for (size_t s = 0; s < e->systems.n; s++) {
			struct exp_execution *x = example_execution(e, round, task, s, 1);
			for (size_t m = first; m < e->metrics.n; m++)
				(void)example_value(
					x, m,
					1 + (double)((round * 37 + (int)(s * 53)) % 101) / 1e4,
					1e-6);
		}
	}
	mem_replace(&e->plan, mem_strdup("{\"looks\": true}"));
}

static int fill(const char *db, int rounds, struct err *err)
{
	struct store *st = store_open(db, err);
	struct experiment e;
	struct buf raw = BUF_INIT;

	if (st == NULL)
		return ERR_FAIL;
	while (raw.len < OUTPUT_BYTES)
		buf_addf(&raw, "<p>line %zu of a page</p>\n", raw.len);
	example_reference(&e, rounds);
	make_ten(&e, rounds);
	int rc = store_create(st, &e, err);
	for (size_t i = 0; rc == 0 && i < e.executions.n; i++)
		rc = store_add_execution(st, &e, &e.executions.v[i], &raw, err);
	experiment_release(&e);
	buf_release(&raw);
	store_close(st);
	return rc;
}

static int report_once(const char *program, const char *db, int64_t *ns, long *kib)
{
	char *argv[] = {mem_strdup(program), mem_strdup("report"), mem_strdup("--db"),
			mem_strdup(db), NULL};
	struct rusage u = {0};
	int status = 0;
	int64_t start = clock_mono_ns();
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);
		if (null >= 0)
			(void)dup2(null, STDOUT_FILENO);
		(void)execv(program, argv);
		_exit(127);
	}
	while (pid > 0 && wait4(pid, &status, 0, &u) < 0 && errno == EINTR)
		;
	*ns = clock_mono_ns() - start;
	*kib = u.ru_maxrss;
	for (size_t i = 0; argv[i] != NULL; i++)
		free(argv[i]);
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static int measure(const char *program, const char *dir, int rounds, size_t runs, struct err *err)
{
	char *db = mem_printf("%s/%d.db", dir, rounds);
	int64_t *ns = mem_array(runs, sizeof(*ns));
	long peak = 0;
	struct stat sb = {0};

	int rc = fill(db, rounds, err);
	for (size_t i = 0; rc == 0 && i < runs; i++) {
		long kib = 0;
		if (report_once(program, db, &ns[i], &kib) != 0)
			rc = err_set(err, "%s report does not work", program);
		peak = kib > peak ? kib : peak;
	}
	if (rc == 0) {
		qsort(ns, runs, sizeof(*ns), by_size);
		(void)stat(db, &sb);
		(void)printf("report over 10 metrics and %4d rounds: median %.1f ms, longest %.1f "
			     "ms, peak %.1f "
			     "MiB; store %.1f MiB\n",
			     rounds, (double)ns[runs / 2] / NS_PER_MS,
			     (double)ns[runs - 1] / NS_PER_MS, (double)peak / 1024,
			     (double)sb.st_size / (1 << 20));
	}
	free(ns);
	free(db);
	return rc;
}

int main(int argc, char **argv)
{
	char dir[] = "/tmp/lampduel-report-cost-XXXXXX";
	size_t runs = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : RUNS;
	struct err err = ERR_INIT;

	if (argc < 2 || runs == 0) {
		(void)fprintf(stderr, "usage: report_cost LAMPDUEL [RUNS]\n");
		return 2;
	}
	if (mkdtemp(dir) == NULL) {
		(void)fprintf(stderr, "report_cost: no folder for temporary files\n");
		return 1;
	}
	int rc = measure(argv[1], dir, 15, runs, &err);
	if (rc == 0)
		rc = measure(argv[1], dir, 150, runs, &err);
	if (rc != 0)
		(void)fprintf(stderr, "report_cost: %s\n", err.msg);
	(void)fs_remove_tree(dir, NULL);
	return rc == 0 ? 0 : 1;
}
