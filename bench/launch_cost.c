/*
 * What does it cost to time a process through lampduel's launcher? Blocks of
 * samples of /bin/true are taken in turn by a bare vfork, execve and wait4, by
 * the launcher, and by hyperfine -N when it is installed; outside and inside a
 * sandbox. Prints medians, the ratio to the bare start and the difference.
 *
 * launch_cost [BLOCKS]; launch_cost --bare N PROGRAM prints N bare times in ns (used inside).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/proc.h"
#include "base/text.h"
#include "system/guard.h"
#include "system/sandbox.h"

enum { BLOCK = 25, BLOCKS = 16, WARM_UP = 5 /* starts before each block, not counted */ };

struct times {
	VEC(int64_t) v;
};

enum way { BARE, LAUNCHER, LAUNCHER_DISCARD, HYPERFINE, WAYS };

static const char *const way_names[WAYS] = {"vfork, execve, wait4", "launcher",
					    "launcher, output discarded", "hyperfine -N"};

static const struct system_kind sandbox_kind = {.scheme = "sandbox", SANDBOX_FUNCTIONS};

struct place {
	const char *name;
	struct system *s;
	bool inside; /* bare starts and hyperfine have to be run in it */
	struct times times[WAYS];
};

static const char *program = "/bin/true";
static char *hyperfine;

static __attribute__((noinline)) int64_t bare_once(const char *path)
{
	char *argv[] = {(char *)(uintptr_t)path, NULL};
	char *env[] = {NULL};
	struct rusage u;
	int64_t start = clock_mono_ns();
	pid_t pid = vfork();

	if (pid == 0) {
		(void)execve(path, argv, env);
		_exit(127);
	}
	if (pid < 0)
		return 0;
	while (wait4(pid, NULL, 0, &u) < 0 && errno == EINTR)
		;
	return clock_mono_ns() - start;
}

/* Numbers of text after start, separated by anything, times factor. */
static void read_numbers(const char *text, double factor, struct times *t)
{
	while (text[0] != '\0' && text[0] != ']') {
		char *end = NULL;
		double v = strtod(text, &end);

		if (end == text) {
			text++;
			continue;
		}
		vec_push(&t->v, (int64_t)(v * factor));
		text = end;
	}
}

static void exec_inside(struct system *s, const struct strvec *argv, bool discard,
			struct outcome *out)
{
	const struct step step = {.name = "bench", .attempt = 1};
	struct exec_request q = {
		.argv = argv, .timeout_ns = 60 * NS_PER_S, .discard_output = discard};
	struct err err = ERR_INIT;

	if (system_exec(s, &step, &q, out, &err) != 0 || out->status != OUTCOME_OK) {
		(void)fprintf(stderr, "launch_cost: %s%s\n", err.msg,
			      out->reason == NULL ? "" : out->reason);
		exit(1);
	}
}

static void block_launcher(struct place *p, bool discard, struct times *t)
{
	struct strvec argv = STRVEC_INIT;

	strvec_push(&argv, program);
	for (int i = -WARM_UP; i < BLOCK; i++) {
		struct outcome out;

		exec_inside(p->s, &argv, discard, &out);
		if (i >= 0)
			vec_push(&t->v, out.end_ns - out.start_ns);
		outcome_release(&out);
	}
	strvec_release(&argv);
}

/* Another program takes the block; its answer's numbers begin after mark. */
static void block_program(struct place *p, const struct strvec *argv, const char *mark,
			  double factor, struct times *t)
{
	const char *text = NULL;
	struct outcome out = {0};
	struct proc_result r = {0};

	if (p->inside) {
		exec_inside(p->s, argv, false, &out);
		text = buf_str(&out.out);
	} else if (proc_run(argv->v, 60 * NS_PER_S, NULL, &r, NULL) == 0) {
		text = buf_str(&r.out);
	}
	text = text == NULL ? NULL : strstr(text, mark);
	if (text != NULL)
		read_numbers(text + strlen(mark), factor, t);
	outcome_release(&out);
	proc_result_release(&r);
}

static void block(struct place *p, enum way w)
{
	struct strvec argv = STRVEC_INIT;
	struct times *t = &p->times[w];
	char *self = realpath("/proc/self/exe", NULL);

	if (w == LAUNCHER || w == LAUNCHER_DISCARD) {
		block_launcher(p, w == LAUNCHER_DISCARD, t);
	} else if (w == BARE) {
		strvec_push(&argv, self);
		strvec_push(&argv, "--bare");
		strvec_pushf(&argv, "%d", (int)BLOCK);
		strvec_push(&argv, program);
		block_program(p, &argv, "times:", 1, t);
	} else if (hyperfine != NULL) {
		strvec_push(&argv, hyperfine);
		strvec_push(&argv, "-N");
		strvec_push(&argv, "--style=none");
		strvec_pushf(&argv, "--warmup=%d", (int)WARM_UP);
		strvec_pushf(&argv, "--runs=%d", (int)BLOCK);
		strvec_push(&argv, "--export-json=/dev/stdout");
		strvec_push(&argv, program);
		block_program(p, &argv, "\"times\": [", 1e9, t);
	}
	strvec_release(&argv);
	free(self);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static double median_ms(struct times *t)
{
	if (t->v.n == 0)
		return 0;
	qsort(t->v.v, t->v.n, sizeof(*t->v.v), by_value);
	return (double)(t->v.v[(t->v.n - 1) / 2] + t->v.v[t->v.n / 2]) / 2e6;
}

static void print(struct place *p)
{
	double bare = median_ms(&p->times[BARE]);

	(void)printf("%-9s %-27s %6s %10s %7s %11s\n", p->name, "", "n", "median ms", "ratio",
		     "more ms");
	for (int w = 0; w < WAYS; w++) {
		double m = median_ms(&p->times[w]);

		if (p->times[w].v.n > 0)
			(void)printf("%-9s %-27s %6zu %10.4f %7.3f %+11.4f\n", "", way_names[w],
				     p->times[w].v.n, m, m / bare, m - bare);
		vec_release(&p->times[w].v);
	}
}

static struct system *open_system(bool sandboxed, const struct system_options *o, struct err *err)
{
	struct sandbox_options so = {.root = "/"};

	if (!sandboxed)
		return system_open(o, err);
	struct system *s = mem_alloc(sizeof(*s));
	s->kind = &sandbox_kind;
	if (sandbox_open(s, o, &so, err) == 0)
		return s;
	free(s);
	return NULL;
}

int main(int argc, char **argv)
{
	char dir[] = "/tmp/lampduel-bench.XXXXXX";
	struct err err = ERR_INIT;
	struct clock clock;
	struct place places[2] = {{.name = "outside"}, {.name = "sandbox", .inside = true}};
	int blocks = argc == 2 ? atoi(argv[1]) : BLOCKS;

	if (argc == 4 && strcmp(argv[1], "--bare") == 0) {
		(void)puts("times:");
		for (int i = 0; i < WARM_UP; i++)
			(void)bare_once(argv[3]);
		for (int i = atoi(argv[2]); i > 0; i--)
			(void)printf("%lld\n", (long long)bare_once(argv[3]));
		return 0;
	}
	clock_init_real(&clock);
	hyperfine = proc_find("hyperfine");
	if (mkdtemp(dir) == NULL)
		return 1;
	for (int i = 0; i < 2; i++) {
		struct system_options o = {.name = places[i].name,
					   .target = "local",
					   .run_id = "bench",
					   .run_dir = dir,
					   .cache_dir = dir,
					   .clock = &clock};

		places[i].s = open_system(places[i].inside, &o, &err);
		if (places[i].s == NULL)
			(void)fprintf(stderr, "launch_cost: without %s: %s\n", places[i].name,
				      err.msg);
	}
	for (int b = 0; b < blocks; b++) {
		for (int i = 0; i < 2 * WAYS; i++) { /* another one begins each time */
			int k = (i + b) % (2 * WAYS);

			if (places[k / WAYS].s != NULL)
				block(&places[k / WAYS], (enum way)(k % WAYS));
		}
	}
	for (int i = 0; i < 2; i++) {
		if (places[i].s != NULL)
			print(&places[i]);
		system_close(places[i].s);
	}
	free(hyperfine);
	(void)rmdir(dir);
	return 0;
}
