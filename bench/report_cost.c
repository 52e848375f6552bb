/*
 * What does a report cost? Time and peak memory of `lampduel report` over a
 * stored reference case of 10 metrics and 15 rounds, with outputs as long as real ones, and of
 * ten times as many rounds; and of a page with charts over 3 systems, 12 metrics and 200 rounds,
 * which must be made in a second and be smaller than 2 MB: a share above 1 is too much.
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

enum { RUNS = 21, PAGE_RUNS = 7, OUTPUT_BYTES = 40000 };
enum { LARGE_SYSTEMS = 3, LARGE_METRICS = 12, LARGE_ROUNDS = 200 };
enum { PAGE_BYTES = 2000000 };

#define PAGE_NS NS_PER_S

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

static int fill(const char *db, struct experiment *e, size_t output, struct err *err)
{
	struct store *st = store_open(db, err);
	struct buf raw = BUF_INIT;

	if (st == NULL)
		return ERR_FAIL;
	while (raw.len < output)
		buf_addf(&raw, "<p>line %zu of a page</p>\n", raw.len);
	int rc = store_create(st, e, err);
	for (size_t i = 0; rc == 0 && i < e->executions.n; i++)
		rc = store_add_execution(st, e, &e->executions.v[i], &raw, err);
	buf_release(&raw);
	store_close(st);
	return rc;
}

/* A fixed sequence that looks like chance. */
static uint32_t scrambled(uint32_t h)
{
	h = (h ^ h >> 15) * 2246822519U;
	h = (h ^ h >> 13) * 3266489917U;
	return h ^ h >> 16;
}

/* Many systems, metrics and rounds; some samples disturbed, some failed. */
static void make_large(struct experiment *e)
{
	static const char *const names[LARGE_SYSTEMS] = {"bookworm", "trixie", "sid"};

	example_head(e, "run", "three releases", LARGE_ROUNDS);
	for (size_t s = 0; s < LARGE_SYSTEMS; s++)
		(void)example_system(e, names[s], "local", false);
	for (size_t m = 0; m < LARGE_METRICS; m++) {
		char *task = mem_printf("command/task%zu", m + 1);
		char *metric = mem_printf("%s/wall", task);
		(void)example_task(e, "command", task, "{}");
		(void)example_metric(e, metric, "s", "", true);
		free(task);
		free(metric);
	}
	for (int round = 1; round <= LARGE_ROUNDS; round++) {
		for (size_t m = 0; m < LARGE_METRICS; m++) {
			for (size_t s = 0; s < LARGE_SYSTEMS; s++) {
				struct exp_execution *x = example_execution(e, round, m, s, 1);
				uint32_t draw =
					scrambled((uint32_t)round << 12 | (uint32_t)(m << 4 | s)) %
					1000;
				x->disturbed = draw < 10;
				if (draw > 994)
					x->status = OUTCOME_FAILED;
				else
					(void)example_value(x, m, 1 + 0.03 * (double)s + draw / 2e4,
							    1e-6);
			}
		}
	}
}

/* page: file of an HTML report, or NULL: a text report to nowhere. */
static int report_once(const char *program, const char *db, const char *page, int64_t *ns,
		       long *kib)
{
	char *argv[] = {mem_strdup(program),
			mem_strdup("report"),
			mem_strdup("--db"),
			mem_strdup(db),
			page == NULL ? NULL : mem_strdup("-o"),
			mem_strdup(page),
			NULL};
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
	for (size_t i = 0; i < sizeof(argv) / sizeof(argv[0]); i++)
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
	struct experiment e;

	example_reference(&e, rounds);
	make_ten(&e, rounds);
	int rc = fill(db, &e, OUTPUT_BYTES, err);
	experiment_release(&e);
	for (size_t i = 0; rc == 0 && i < runs; i++) {
		long kib = 0;
		if (report_once(program, db, NULL, &ns[i], &kib) != 0)
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

static int measure_page(const char *program, const char *dir, size_t runs, struct err *err)
{
	char *db = mem_printf("%s/large.db", dir);
	char *page = mem_printf("%s/large.html", dir);
	int64_t *ns = mem_array(runs, sizeof(*ns));
	long kib = 0;
	struct stat sb = {0};
	struct experiment e;

	make_large(&e);
	int rc = fill(db, &e, 0, err);
	experiment_release(&e);
	for (size_t i = 0; rc == 0 && i < runs; i++) {
		if (report_once(program, db, page, &ns[i], &kib) != 0 || stat(page, &sb) != 0)
			rc = err_set(err, "%s report -o %s does not work", program, page);
	}
	if (rc == 0) {
		qsort(ns, runs, sizeof(*ns), by_size);
		(void)printf("page over %d systems, %d metrics and %d rounds: median %.1f ms (%.2f "
			     "of the bound), %.2f MB (%.2f of the bound)\n",
			     LARGE_SYSTEMS, LARGE_METRICS, LARGE_ROUNDS,
			     (double)ns[runs / 2] / NS_PER_MS,
			     (double)ns[runs / 2] / (double)PAGE_NS, (double)sb.st_size / 1e6,
			     (double)sb.st_size / PAGE_BYTES);
	}
	free(ns);
	free(page);
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
	if (rc == 0)
		rc = measure_page(argv[1], dir, runs < PAGE_RUNS ? runs : PAGE_RUNS, &err);
	if (rc != 0)
		(void)fprintf(stderr, "report_cost: %s\n", err.msg);
	(void)fs_remove_tree(dir, NULL);
	return rc == 0 ? 0 : 1;
}
