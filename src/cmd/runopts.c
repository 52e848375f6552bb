#include "cmd/runopts.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fs.h"
#include "base/rng.h"
#include "base/text.h"
#include "cmd/duelfile.h"
#include "cmd/live.h"
#include "cmd/render.h"
#include "measure/runner.h"
#include "report/report.h"
#include "system/mirror.h"

#define AT(member) offsetof(struct run_options, member)

const struct option_row run_option_rows[] = {
	{.name = "baseline",
	 .letter = 'b',
	 .type = OPT_TEXT,
	 .offset = AT(baseline),
	 .once = true,
	 .arg = "[NAME=]TARGET",
	 .help = "the system that others are compared with"},
	{.name = "candidate",
	 .letter = 'c',
	 .type = OPT_LIST,
	 .offset = AT(candidates),
	 .arg = "[NAME=]TARGET",
	 .help = "a system to compare with the baseline; may be repeated"},
	{.name = "system",
	 .type = OPT_LIST,
	 .offset = AT(systems),
	 .arg = "NAME=TARGET",
	 .help = "a system; the first is the baseline unless -b names one"},
	{.name = "workload",
	 .letter = 'w',
	 .type = OPT_LIST,
	 .offset = AT(workloads),
	 .arg = "NAME",
	 .help = "one of those below; may be repeated (otherwise all of the stack that every "
		 "system "
		 "can do)"},
	{.name = "command",
	 .type = OPT_TEXT,
	 .offset = AT(command),
	 .arg = "NAME",
	 .help = "measure the command line that follows --, under this name"},
	{.name = "set",
	 .type = OPT_LIST,
	 .offset = AT(sets),
	 .arg = "W.KEY=VALUE",
	 .help = "a parameter of workload W, as in lampduel.ini(5)"},
	{.name = "rounds",
	 .letter = 'n',
	 .type = OPT_COUNT,
	 .offset = AT(rounds),
	 .arg = "N",
	 .fallback = "15",
	 .help = "rounds to measure, at most (see --end-early)",
	 .ini = true,
	 .min = 1,
	 .max = ROUNDS_MAX},
	{.name = "warmup",
	 .type = OPT_COUNT,
	 .offset = AT(warmup),
	 .arg = "N",
	 .fallback = "0",
	 .help = "warm-up rounds before, stored and left out of the statistics",
	 .ini = true,
	 .min = 0,
	 .max = 100},
	{.name = "lives",
	 .type = OPT_COUNT,
	 .offset = AT(lives),
	 .arg = "N",
	 .help = "spread the rounds over N starts of the services (otherwise one start a round)",
	 .ini = true,
	 .min = 1,
	 .max = ROUNDS_MAX},
	{.name = "max-time",
	 .type = OPT_DURATION,
	 .offset = AT(max_time),
	 .arg = "TIME",
	 .help = "begin no round that would end later than this: 90s, 15m, 2h, or a number of "
		 "seconds",
	 .ini = true},
	{.name = "aa",
	 .type = OPT_FLAG,
	 .offset = AT(aa),
	 .help = "a check: measure two instances of the one system named; a metric in which they "
		 "differ gets no verdict here until the check is repeated",
	 .ini = true},
	{.name = "end-early",
	 .type = OPT_CHOICE,
	 .offset = AT(end_early),
	 .arg = "yes|no",
	 .help = "end at a planned look when every verdict is settled there (otherwise: run yes, "
		 "reference no)",
	 .ini = true},
	{.name = "sample",
	 .type = OPT_DURATION,
	 .offset = AT(sample),
	 .arg = "TIME",
	 .fallback = "0.5s",
	 .help = "a sample lasts at least this long on every system",
	 .ini = true},
	{.name = "step",
	 .type = OPT_SHARE,
	 .offset = AT(step),
	 .arg = "SHARE",
	 .fallback = "0.25%",
	 .help = "the resolution of a reading is at most this share of it",
	 .ini = true},
	{.name = "quick",
	 .type = OPT_FLAG,
	 .offset = AT(quick),
	 .help = "9 rounds of shorter, coarser samples",
	 .ini = true},
	{.name = "as-published",
	 .type = OPT_FLAG,
	 .offset = AT(as_published),
	 .help = "the published comparison's own counts: 1,000,000 evaluations, 10 s of openssl "
		 "speed, one page",
	 .ini = true},
	{.name = "wordpress",
	 .type = OPT_CHOICE,
	 .offset = AT(wordpress),
	 .arg = "shared|own",
	 .fallback = "shared",
	 .help = "one WordPress for all systems, or each its own (then the work differs)",
	 .ini = true},
	{.name = "accept-load",
	 .type = OPT_FLAG,
	 .offset = AT(accept_load),
	 .help = "do not wait for a quiet machine, nor repeat samples because other programs or "
		 "the hypervisor had its CPUs: it is noted only",
	 .ini = true},
	{.name = "seed",
	 .type = OPT_SEED,
	 .offset = AT(seed),
	 .arg = "N",
	 .help = "seed of every random choice (otherwise a new one, which the report names)",
	 .ini = true},
	{.name = "resume",
	 .type = OPT_TEXT,
	 .offset = AT(resume),
	 .arg = "ID",
	 .help = "complete an experiment that was interrupted"},
	{.name = "continue",
	 .type = OPT_FLAG,
	 .offset = AT(go_on),
	 .help = "complete the newest experiment of the same request if it was interrupted; else "
		 "begin a new one"},
	{.name = "keep",
	 .type = OPT_FLAG,
	 .offset = AT(keep),
	 .help = "leave the run folder (logs, data, site) and say where it is",
	 .ini = true},
	{.name = "file",
	 .letter = 'f',
	 .type = OPT_TEXT,
	 .offset = AT(file),
	 .arg = "FILE",
	 .help = "read systems, workloads and options from FILE, see lampduel.ini(5)"},
	{.name = "output",
	 .letter = 'o',
	 .type = OPT_TEXT,
	 .offset = AT(output),
	 .arg = "FILE",
	 .help = "write the report to FILE as well",
	 .ini = true},
	{.name = "format",
	 .type = OPT_CHOICE,
	 .offset = AT(format),
	 .arg = REPORT_FORMATS,
	 .help = "FILE's format (otherwise that of its suffix, or text)",
	 .ini = true},
	{.name = "record",
	 .type = OPT_TEXT,
	 .offset = AT(record),
	 .arg = "FILE",
	 .help = "write all that the systems answer to FILE, for recorded:FILE"},
	{.name = "mirror",
	 .type = OPT_TEXT,
	 .offset = AT(mirror),
	 .arg = "URL",
	 .help = "Debian archive to prepare installations from (otherwise that of this machine's "
		 "apt)",
	 .ini = true},
	{.name = NULL},
};

static bool was_given(uint64_t given, const char *name)
{
	const struct option_row *row = options_find(run_option_rows, name);

	return row != NULL && (given >> (row - run_option_rows) & 1) != 0;
}

enum { QUICK_ROUNDS = 9 };

/* What --quick changes, unless it was given by itself. */
static void set_quick(struct run_options *o, uint64_t given)
{
	if (!o->quick)
		return;
	if (!was_given(given, "rounds"))
		o->rounds = QUICK_ROUNDS;
	if (!was_given(given, "sample"))
		o->sample = NS_PER_S / 4;
	if (!was_given(given, "step"))
		o->step = 0.01; /* one second of openssl speed */
}

int run_add_workload(struct plan *p, const char *name, struct err *err)
{
	const struct workload_kind *k = workload_kind_named(name, err);

	if (k == NULL)
		return err->code;
	if (strcmp(name, "command") == 0)
		return err_code(err, ERR_USAGE,
				"-w command: a command is measured with --command NAME -- PROGRAM "
				"[ARG]...");
	for (size_t i = 0; i < p->workloads.n; i++) {
		if (strcmp(p->workloads.v[i].name, name) == 0)
			return 0;
	}
	struct workload_request q = {.kind = k, .name = mem_strdup(name)};
	vec_push(&p->workloads, q);
	return 0;
}

static int apply_sets(struct plan *p, const struct strvec *sets, struct err *err)
{
	for (size_t i = 0; i < sets->n; i++) {
		const char *text = sets->v[i];
		const char *dot = strchr(text, '.');
		const char *equal = strchr(text, '=');
		if (dot == NULL || equal == NULL || dot > equal)
			return err_code(err, ERR_USAGE,
					"--set %s: the form is WORKLOAD.KEY=VALUE, as in "
					"openssl.algorithms=rsa2048",
					text);
		char *name = mem_strndup(text, (size_t)(dot - text));
		char *key = mem_strndup(dot + 1, (size_t)(equal - dot - 1));
		struct workload_request *q = NULL;
		for (size_t k = 0; k < p->workloads.n; k++) {
			if (strcmp(p->workloads.v[k].name, name) == 0)
				q = &p->workloads.v[k];
		}
		int rc = q == NULL ? err_code(err, ERR_USAGE,
					      "--set %s: workload %s is not measured here", text,
					      name)
				   : workload_request_set(q, key, equal + 1, err);
		free(name);
		free(key);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int add_systems(struct plan *p, const struct run_options *o, struct err *err)
{
	int rc = 0;

	/* the baseline of the command line comes before those of the file */
	if (o->baseline != NULL) {
		if (p->systems.n > 0)
			return err_code(err, ERR_USAGE, "-b %s: the file names the systems already",
					o->baseline);
		rc = plan_add_system_text(p, o->baseline, err);
	}
	for (size_t i = 0; rc == 0 && i < o->systems.n; i++)
		rc = plan_add_system_text(p, o->systems.v[i], err);
	for (size_t i = 0; rc == 0 && i < o->candidates.n; i++)
		rc = plan_add_system_text(p, o->candidates.v[i], err);
	return rc;
}

/* A check of one system against itself. */
static int add_twin(struct plan *p, struct err *err)
{
	if (p->systems.n != 1)
		return err_code(err, ERR_USAGE,
				"--aa compares one system with itself: name one, with -b TARGET");
	mem_replace(&p->kind, mem_strdup("aa"));
	return plan_add_twin(p, err);
}

static int add_command(struct plan *p, const struct run_options *o, struct strvec *argv,
		       struct err *err)
{
	if (o->command == NULL && argv->n > 0)
		return err_code(err, ERR_USAGE,
				"\"%s\" is not understood here; a command to measure "
				"needs --command NAME -- PROGRAM ...",
				argv->v[0]);
	if (o->command == NULL)
		return 0;
	char *clean = text_metric_part(o->command);
	bool same = clean[0] != '\0' && strcasecmp(clean, o->command) == 0;
	free(clean);
	if (!same)
		return err_code(err, ERR_USAGE,
				"--command %s: the name is of letters, digits and . _ + - alone",
				o->command);
	if (argv->n == 0)
		return err_code(err, ERR_USAGE, "--command %s: write the command line behind --",
				o->command);
	struct workload_request q = {.kind = workload_kind_named("command", err),
				     .name = mem_strdup(o->command)};
	strvec_push_all(&q.argv, argv->v);
	vec_push(&p->workloads, q);
	return 0;
}

/* The published comparison's own counts, where the user set no other. */
static int set_as_published(struct plan *p, struct err *err)
{
	static const struct {
		const char *workload, *key, *value;
	} rows[] = {{"mariadb", "count", "1000000"},
		    {"openssl", "seconds", "10"},
		    {"wordpress", "requests", "1"}};

	for (size_t i = 0; i < p->workloads.n; i++) {
		struct workload_request *q = &p->workloads.v[i];
		for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
			if (strcmp(q->kind->name, rows[k].workload) != 0 ||
			    factset_get(&q->params, rows[k].key) != NULL)
				continue;
			if (workload_request_set(q, rows[k].key, rows[k].value, err) != 0)
				return err->code;
		}
	}
	return 0;
}

int run_check_mirror(const char *url, struct err *err)
{
	if (mirror_is_well_formed(url))
		return 0;
	return err_code(err, ERR_USAGE,
			"--mirror: \"%s\" is no address of an archive, as http://HOST/debian is",
			url);
}

static int use_mirror(const struct run_options *o, struct err *err)
{
	if (o->mirror == NULL)
		return 0;
	if (run_check_mirror(o->mirror, err) != 0)
		return ERR_USAGE;
	/* where the kinds of systems that fetch something look for it */
	(void)setenv("LAMPDUEL_MIRROR", o->mirror, 1);
	return 0;
}

int run_plan(struct cmd_context *c, struct run_options *o, struct strvec *argv, struct plan *p,
	     struct err *err)
{
	int rc = 0;

	if (o->file != NULL)
		rc = duelfile_read(o->file, run_option_rows, o, c->given, p, err);
	if (rc == 0)
		rc = add_systems(p, o, err);
	if (rc == 0 && o->aa)
		rc = add_twin(p, err);
	for (size_t i = 0; rc == 0 && i < o->workloads.n; i++)
		rc = run_add_workload(p, o->workloads.v[i], err);
	if (rc == 0)
		rc = add_command(p, o, argv, err);
	if (rc != 0)
		return rc;
	set_quick(o, c->given);
	p->command_line = mem_strdup(c->command_line);
	p->rounds = (int)o->rounds;
	p->warmup = (int)o->warmup;
	p->lives = (int)o->lives;
	if (was_given(c->given, "max-time") && o->max_time <= 0)
		return err_code(err, ERR_USAGE, "--max-time: nothing can be measured in no time");
	p->max_time_ns = o->max_time;
	p->sample_ns = o->sample;
	p->step_share = o->step;
	p->keep = o->keep;
	p->accept_load = o->accept_load;
	p->own_wordpress = text_equal(o->wordpress, "own");
	p->record = mem_strdup(o->record);
	if (o->seed == NULL || !text_to_u64(o->seed, &p->seed))
		p->seed = rng_fresh_seed();
	/*
	 * The reference case promises its rounds; and where rounds share starts of the services,
	 * the looks, which are planned by rounds, do not fit.
	 */
	p->looks = o->end_early != NULL ? text_equal(o->end_early, "yes")
					: text_equal(p->kind, "run") && !plan_lives_are_shared(p);
	return use_mirror(o, err);
}

/* Called when all workloads are known. */
static int finish_plan(const struct run_options *o, struct plan *p, struct err *err)
{
	int rc = apply_sets(p, &o->sets, err);

	if (rc == 0 && o->as_published)
		rc = set_as_published(p, err);
	return rc == 0 ? plan_check(p, err) : rc;
}

/* What an experiment is does not change halfway: only how it is shown may be said anew. */
static int check_resume_alone(const struct cmd_context *c, const struct strvec *argv,
			      struct err *err)
{
	static const char *const fine[] = {"resume", "output", "format", "mirror"};
	uint64_t others = c->given;

	for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++) {
		if (was_given(c->given, fine[i]))
			others &= ~(UINT64_C(1)
				    << (options_find(run_option_rows, fine[i]) - run_option_rows));
	}
	for (const struct option_row *row = run_option_rows; row->name != NULL; row++) {
		if (was_given(others, row->name))
			return err_code(err, ERR_USAGE,
					"--resume goes on as the experiment was begun: leave out "
					"--%s",
					row->name);
	}
	return argv->n == 0 ? 0
			    : err_code(err, ERR_USAGE,
				       "--resume goes on as the experiment was begun: leave out "
				       "\"%s\"",
				       argv->v[0]);
}

int run_load_resumed(struct cmd_context *c, const struct run_options *o, const struct strvec *argv,
		     struct plan *p, int64_t *id, struct err *err)
{
	struct experiment e = {0};
	int rc = check_resume_alone(c, argv, err);

	if (rc == 0)
		rc = use_mirror(o, err);
	if (rc != 0)
		return rc;
	if (!text_to_i64(o->resume, id) || *id <= 0)
		return err_code(err, ERR_USAGE, "--resume: \"%s\" is no number of an experiment",
				o->resume);
	rc = cmd_open_store(c, err);
	if (rc == 0)
		rc = store_load(c->store, *id, &e, err);
	if (rc == 0 && strcmp(e.state, "complete") == 0)
		rc = err_set(err, "experiment %lld is complete: nothing is missing",
			     (long long)*id);
	if (rc == 0 && strcmp(e.state, "running") == 0)
		rc = err_set(err, "experiment %lld is being measured just now", (long long)*id);
	if (rc == 0)
		rc = plan_from_json(e.plan, p, err);
	experiment_release(&e);
	return rc;
}

/* Do two plans ask for the same? What was drawn or typed differently does not matter. */
static bool is_same_request(const char *a, const char *b, bool seed_matters)
{
	json_t *x = json_loads(a, 0, NULL);
	json_t *y = json_loads(b, 0, NULL);

	for (int i = 0; i < 2; i++) {
		json_t *v = i == 0 ? x : y;
		(void)json_object_del(v, "command_line");
		if (!seed_matters)
			(void)json_object_del(v, "seed");
	}
	bool same = x != NULL && y != NULL && json_equal(x, y) != 0;
	json_decref(x);
	json_decref(y);
	return same;
}

/*
 * --continue: the newest experiment of this request and this version, when it was interrupted; its
 * plan takes the place of p. *id stays 0 when there is none.
 */
static int find_interrupted(struct cmd_context *c, struct plan *p, int64_t *id, struct err *err)
{
	struct store_rows rows = {{0}};
	char *wanted = plan_to_json(p);
	int rc = store_list(c->store, &rows, err);
	bool done = false;

	for (size_t i = 0; rc == 0 && !done && i < rows.rows.n; i++) {
		const struct store_row *r = &rows.rows.v[i];
		struct experiment e = {0};

		if (!text_equal(r->kind, p->kind))
			continue;
		rc = store_load(c->store, r->id, &e, err);
		done = rc == 0 && strcmp(e.version, LAMPDUEL_VERSION) == 0 &&
		       is_same_request(e.plan, wanted, was_given(c->given, "seed"));
		if (done && strcmp(e.state, "interrupted") == 0) {
			rc = plan_from_json(e.plan, p, err);
			*id = r->id;
		}
		experiment_release(&e);
	}
	if (rc == 0 && *id != 0)
		(void)fprintf(stderr, "going on with experiment %lld, which was interrupted\n",
			      (long long)*id);
	store_rows_release(&rows);
	free(wanted);
	return rc;
}

/* Files and folders that were named: better said now than after an hour of measuring. */
static int check_places(const struct run_options *o, const struct plan *p, struct err *err)
{
	if (o->output != NULL && strcmp(o->output, "-") != 0 &&
	    fs_check_output(o->output, err) != 0)
		return err_wrap(err, "--output");
	if (p->record != NULL && fs_check_output(p->record, err) != 0)
		return err_wrap(err, "--record");
	for (size_t i = 0; i < p->systems.n; i++) {
		const char *target = p->systems.v[i].target;

		if (text_starts(target, "dir:") && !fs_is_dir(target + strlen("dir:")))
			return err_set(err, "%s: there is no such folder", target);
	}
	return 0;
}

int run_and_report(struct cmd_context *c, const struct run_options *o, struct plan *p,
		   int64_t resume_id, struct err *err)
{
	struct live live;
	int64_t id = 0;
	int rc = resume_id != 0 ? 0 : finish_plan(o, p, err);

	if (rc == 0)
		rc = check_places(o, p, err);
	if (rc == 0 && resume_id == 0 && o->go_on)
		rc = find_interrupted(c, p, &resume_id, err);
	if (rc != 0)
		return rc;
	live_init(&live, c);
	struct run_request q = {
		.plan = p,
		.store = c->store,
		.clock = &c->clock,
		.stop = c->stop,
		.sink = {live_event, &live},
		.judge = {.decided = render_decided,
			  .fewest = compare_fewest_rounds,
			  .arg = c->store},
		.resume_id = resume_id,
	};
	rc = runner_run(&q, &id, err);
	live_end(&live);
	if (rc == ERR_HOPELESS && id != 0)
		return err_wrap(err, "experiment %lld failed", (long long)id);
	if (rc != 0 && id != 0)
		return err_wrap(
			err, "experiment %lld stopped (lampduel %s --resume %lld%s%s completes it)",
			(long long)id, strcmp(p->kind, "aa") == 0 ? "run" : p->kind, (long long)id,
			c->db_path == NULL ? "" : " --db ", c->db_path == NULL ? "" : c->db_path);
	if (rc != 0)
		return rc;
	return render_experiment(
		c, id,
		&(struct render_options){.format = o->format, .output = o->output, .also = true},
		err);
}
