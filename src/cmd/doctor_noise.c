/* One short task of a system against itself: how small a difference can be shown there? */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/rng.h"
#include "base/text.h"
#include "cmd/doctor.h"
#include "cmd/opened.h"
#include "cmd/render.h"
#include "measure/runner.h"
#include "report/screen.h"
#include "stats/power.h"

enum { PAIRS_MAX = 300, PAIRS_LEAST = 6, ROUNDS_OF_A_RUN = 15, FAMILY = 8 };

#define WORK_NS (3 * NS_PER_S / 10)
#define TRIAL_LIMIT_NS (120 * NS_PER_S)
#define ALPHA 0.05
#define POWER 0.8
/* the margin within which two systems are called the same, unless another is asked for */
#define FINE_SHARE 0.02

/* Arithmetic of a known length: a key from a password. */
static void work(int64_t iterations, struct strvec *argv)
{
	static const char *const words[] = {"-S",  "0102030405060708", "-k",   "x",
					    "-in", "/dev/null",        "-out", "/dev/null"};

	strvec_push(argv, "openssl");
	strvec_push(argv, "enc");
	strvec_push(argv, "-aes-256-cbc");
	strvec_push(argv, "-pbkdf2");
	strvec_push(argv, "-iter");
	strvec_pushf(argv, "%lld", (long long)iterations);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		strvec_push(argv, words[i]);
}

static int time_work(struct system *s, int64_t iterations, int64_t *ns, struct err *err)
{
	const struct step step = {"doctor/noise", 0, 1};
	struct strvec argv = STRVEC_INIT;
	const struct exec_request q = {.argv = &argv, .timeout_ns = TRIAL_LIMIT_NS};
	struct outcome out = {0};

	work(iterations, &argv);
	int rc = system_exec(s, &step, &q, &out, err);
	if (rc == 0 && out.status != OUTCOME_OK)
		rc = err_set(err,
			     "%s: %s; the noise test needs OpenSSL 1.1.1 or newer there, run --aa "
			     "checks any other task",
			     s->target, out.reason == NULL ? "openssl failed" : out.reason);
	*ns = out.end_ns - out.start_ns;
	outcome_release(&out);
	strvec_release(&argv);
	return rc;
}

/* How many iterations last WORK_NS there, without what a start takes. */
static int choose_iterations(const struct cmd_context *c, const char *target, int64_t *iterations,
			     struct err *err)
{
	enum { FEW = 1000, MANY = 20000 };
	struct opened o;
	int64_t few = 0;
	int64_t many = 0;
	int rc = opened_open(&o, c, target, err);

	if (rc != 0)
		return rc;
	rc = time_work(o.system, FEW, &few, err);
	if (rc == 0)
		rc = time_work(o.system, MANY, &many, err);
	opened_close(&o);
	int64_t spent = many - few > NS_PER_MS ? many - few : NS_PER_MS;
	*iterations = WORK_NS * (MANY - FEW) / spent;
	return rc;
}

static int make_plan(struct plan *p, const struct cmd_context *c, const char *target,
		     int64_t iterations, int64_t ns, struct err *err)
{
	struct workload_request q = {.kind = workload_kind_named("command", err),
				     .name = mem_strdup("noise")};

	*p = (struct plan){.kind = mem_strdup("aa"),
			   .command_line = mem_strdup(c->command_line),
			   .rounds = PAIRS_MAX,
			   .max_time_ns = ns,
			   .sample_ns = NS_PER_S / 10,
			   .step_share = 0.01,
			   .accept_load = true, /* it is what is asked for */
			   .seed = rng_fresh_seed()};
	work(iterations, &q.argv);
	vec_push(&p->workloads, q);
	int rc = plan_add_system(p, "one", target, NULL, err);
	return rc != 0 ? rc : plan_add_twin(p, err);
}

/* Means over all executions of a share that stands beside each; -1: it was never known. */
static double mean_share(const struct experiment *e, const char *key)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < e->executions.n; i++) {
		json_t *j = json_loads(e->executions.v[i].disturbance, 0, NULL);
		const json_t *v = json_object_get(j, key);
		if (json_is_number(v)) {
			sum += json_number_value(v);
			n++;
		}
		json_decref(j);
	}
	return n == 0 ? -1 : sum / (double)n;
}

static void tell_load(struct doctor *d, const struct experiment *e)
{
	double foreign = mean_share(e, "foreign");
	double steal = mean_share(e, "steal");

	if (foreign >= 0)
		doctor_tell(d, foreign > 0.05 ? CHECKUP_NOTE : CHECKUP_FINE, "load",
			    "other programs used %.1f %% of the CPUs meanwhile%s", 100 * foreign,
			    foreign > 0.05 ? ": stop them (lampduel doctor names them)" : "");
	if (steal >= 0)
		doctor_tell(d, steal > 0.01 ? CHECKUP_NOTE : CHECKUP_FINE, "steal",
			    "the hypervisor took %.1f %%%s", 100 * steal,
			    steal > 0.01 ? ": other machines on the host are busy" : "");
}

static double in_percent(double log_ratio)
{
	return 100 * expm1(log_ratio);
}

static void tell_noise(struct doctor *d, const struct comparison *c)
{
	double one = in_percent(stats_detectable(c->sd, ROUNDS_OF_A_RUN, ALPHA, POWER));
	double many = in_percent(stats_detectable(c->sd, ROUNDS_OF_A_RUN, ALPHA / FAMILY, POWER));
	bool fine = one <= 100 * FINE_SHARE;

	doctor_tell(d, CHECKUP_FINE, "scatter",
		    "%zu pairs of one task of arithmetic, against itself: standard deviation of a "
		    "pair's ratio %.2g %%",
		    c->n, in_percent(c->sd));
	doctor_tell(d, fine ? CHECKUP_FINE : CHECKUP_NOTE, "noise",
		    "%d rounds show a difference of %.2g %% in such a task four times out of five "
		    "(%.2g %% where %d tasks are judged together)%s",
		    ROUNDS_OF_A_RUN, one, many, FAMILY,
		    fine ? ""
			 : ": stop other programs, keep the clock still (lampduel doctor says "
			   "how), take more rounds");
	if (c->verdict == VERDICT_FASTER || c->verdict == VERDICT_SLOWER)
		doctor_tell(d, CHECKUP_NOTE, "check",
			    "a difference of %.2g %% was found where there is none: once in twenty "
			    "that is chance; try again, and do not trust verdicts here if it comes "
			    "again",
			    fabs(in_percent(c->estimate.log)));
	else
		doctor_tell(d, CHECKUP_FINE, "check",
			    "no difference was found where there is none");
}

static const struct comparison *of_wall(const struct comparison_set *s)
{
	for (size_t i = 0; i < s->v.n; i++) {
		if (text_ends(s->v.v[i].metric, "/wall"))
			return &s->v.v[i];
	}
	return NULL;
}

static int tell_all(struct doctor *d, struct store *st, int64_t id, struct err *err)
{
	struct comparison_set set = {.family = 0};
	struct experiment e = {.id = 0};
	int rc = store_load(st, id, &e, err);

	if (rc == 0)
		rc = render_compare(st, &e, 0, &set, err);
	const struct comparison *c = rc == 0 ? of_wall(&set) : NULL;
	if (rc == 0 && (c == NULL || c->n < PAIRS_LEAST || isnan(c->sd)))
		rc = err_set(err,
			     "too few pairs were measured in this time to say anything: a longer "
			     "--time");
	if (rc == 0) {
		tell_noise(d, c);
		tell_load(d, &e);
	}
	comparison_set_release(&set);
	experiment_release(&e);
	return rc;
}

/* It ends by the clock: rounds would say nothing of the time left. */
static void say_phases(void *arg, const struct event *e)
{
	(void)arg;
	if (e->type == EVENT_PHASE)
		(void)fprintf(stderr, "%s\n", e->text);
}

static int measure(struct doctor *d, const struct plan *p, const char *db, struct err *err)
{
	struct store *st = store_open(db, err);
	struct buf span = BUF_INIT;
	int64_t id = 0;

	if (st == NULL)
		return err->code;
	screen_duration(p->max_time_ns, &span);
	(void)fprintf(stderr, "measuring for %s\n", buf_str(&span));
	buf_release(&span);
	const struct run_request q = {.plan = p,
				      .store = st,
				      .clock = &d->c->clock,
				      .stop = d->c->stop,
				      .sink = {say_phases, NULL}};
	int rc = runner_run(&q, &id, err);
	if (rc == 0)
		rc = tell_all(d, st, id, err);
	store_close(st);
	return rc;
}

int doctor_noise(struct doctor *d, const char *target, int64_t ns, struct err *err)
{
	struct plan p = {.kind = NULL};
	char *dir = NULL;
	int64_t iterations = 0;
	int rc = choose_iterations(d->c, target, &iterations, err);

	if (rc == 0)
		rc = make_plan(&p, d->c, target, iterations, ns, err);
	if (rc == 0)
		rc = plan_check(&p, err);
	/* figures of a check that nobody asked to keep have no place among the user's */
	if (rc == 0) {
		const char *tmp = getenv("TMPDIR");
		dir = mem_printf("%s/lampduel-noise.XXXXXX",
				 tmp == NULL || tmp[0] == '\0' ? "/tmp" : tmp);
		if (mkdtemp(dir) == NULL)
			rc = err_errno(err, errno, "cannot make a folder %s", dir);
	}
	if (rc == 0) {
		char *db = fs_join(dir, "noise.db");
		rc = measure(d, &p, db, err);
		free(db);
		(void)fs_remove_tree(dir, NULL);
	}
	free(dir);
	plan_release(&p);
	return rc;
}
