/* openssl: what `openssl speed` of the system says about one algorithm. */
#include "workload/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "parse/parse.h"

enum {
	DEFAULT_SECONDS = 10, /* of public-key algorithms, in every version */
	SAID_MAX = 80,        /* bytes of an output that is quoted */
	OPERATIONS_MAX = 12,  /* timed one after the other in one execution; 3.5 has ten of RSA */
};

/* openssl speed reads its clock in ticks of this many seconds, and prints as many digits */
#define TICK 0.01

static const struct workload_param params[] = {
	{"algorithms", "rsa2048,rsa4096", "names that openssl speed takes; one task each"},
	{"evp", "", "ciphers and digests by their EVP names; one task each"},
	{"block", "16384", "bytes of a block, for ciphers and digests"},
	{"seconds", "auto", "time for each operation; auto: so long that a tick is small"},
	{"clock", "user", "user: CPU time of the process, as openssl speed does; elapsed"},
	{NULL, NULL, NULL},
};

static bool starts_with_any(const char *s, const char *const *prefixes)
{
	for (; *prefixes != NULL; prefixes++) {
		if (text_starts(s, *prefixes))
			return true;
	}
	return false;
}

/* Public-key algorithms run DEFAULT_SECONDS when nothing is said. */
static bool is_public_key(const struct task *t)
{
	static const char *const prefixes[] = {"rsa",   "dsa",   "ecdsa", "ecdh", "ed25519",
					       "ed448", "eddsa", "ffdh",  "sm2",  NULL};

	return task_text(t, "evp")[0] == '\0' &&
	       starts_with_any(task_text(t, "algorithm"), prefixes);
}

static int add_tasks(const struct workload_request *q, const char *key, bool evp, int64_t seconds,
		     int64_t block, struct task_list *out, struct err *err)
{
	struct strvec names = STRVEC_INIT;
	int rc = request_list(q, key, &names, err);

	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		char *name = mem_printf("openssl/%s%s", evp ? "evp." : "", names.v[i]);
		struct task *t = task_add(out, q->kind, name);
		free(name);
		task_set_text(t, "algorithm", evp ? "" : names.v[i]);
		task_set_text(t, "evp", evp ? names.v[i] : "");
		task_set_text(t, "clock", request_text(q, "clock"));
		task_set_int(t, "seconds", seconds);
		task_set_int(t, "block", block);
	}
	strvec_release(&names);
	return rc;
}

static int expand(const struct workload_request *q, struct task_list *out, struct err *err)
{
	const char *clock = request_text(q, "clock");
	bool evp = request_text(q, "evp")[0] != '\0';
	/* who names ciphers alone does not ask for RSA */
	bool algorithms = !evp || factset_get(&q->params, "algorithms") != NULL;
	int64_t seconds = 0, block = 0;
	int rc = request_count(q, &seconds, err);

	if (rc == 0)
		rc = request_int(q, "block", 1, 1 << 24, &block, err);
	if (rc == 0 && strcmp(clock, "user") != 0 && strcmp(clock, "elapsed") != 0)
		rc = err_code(err, ERR_USAGE, "clock is either user or elapsed");
	if (rc == 0 && algorithms)
		rc = add_tasks(q, "algorithms", false, seconds, block, out, err);
	if (rc == 0 && evp)
		rc = add_tasks(q, "evp", true, seconds, block, out, err);
	return rc;
}

/* "OpenSSL 1.0.2k  26 Jan 2017": before 1.1.1, when speed learnt -seconds? Pure. */
static bool is_old(const char *version_line)
{
	unsigned major = 0, minor = 0, fix = 0;

	if (sscanf(version_line, "OpenSSL %3u.%3u.%3u", &major, &minor, &fix) != 3)
		return false;
	return major < 1 || (major == 1 && (minor < 1 || (minor == 1 && fix < 1)));
}

static bool supported(const struct task *t, struct system *s, char **reason)
{
	struct strvec argv = STRVEC_INIT;
	struct outcome out = {0};
	struct err err = ERR_INIT;
	struct step top = {.name = t->name, .round = 0, .attempt = 1};
	struct step step = step_below(&top, "version");
	struct exec_request q = {.argv = &argv, .timeout_ns = 60 * NS_PER_S};
	int64_t seconds = task_int(t, "seconds");
	char *why = NULL;

	strvec_push(&argv, "openssl");
	strvec_push(&argv, "version");
	if (system_exec(s, &step, &q, &out, &err) != 0)
		why = mem_strdup(err.msg);
	else if (out.status != OUTCOME_OK)
		why = mem_printf("no openssl program that runs (package openssl): %s",
				 out.reason == NULL ? "" : out.reason);
	else if (is_old(buf_str(&out.out)) &&
		 (!is_public_key(t) || (seconds != 0 && seconds != DEFAULT_SECONDS)))
		why = mem_printf("openssl speed before 1.1.1 has no -seconds: only public-key "
				 "algorithms with seconds=%d can be measured",
				 DEFAULT_SECONDS);
	outcome_release(&out);
	strvec_release(&argv);
	step_release(&step);
	if (why != NULL && reason != NULL)
		*reason = why;
	else
		free(why);
	return why == NULL;
}

static void make_argv(const struct task *t, struct strvec *argv)
{
	int64_t seconds = task_int(t, "seconds");

	strvec_push(argv, "openssl");
	strvec_push(argv, "speed");
	/* versions before 1.1.1 know no other time, and no option for it */
	if (seconds != DEFAULT_SECONDS || !is_public_key(t)) {
		strvec_push(argv, "-seconds");
		strvec_pushf(argv, "%lld", (long long)seconds);
	}
	if (strcmp(task_text(t, "clock"), "elapsed") == 0)
		strvec_push(argv, "-elapsed");
	if (!is_public_key(t)) {
		strvec_push(argv, "-bytes");
		strvec_pushf(argv, "%lld", (long long)task_int(t, "block"));
	}
	if (task_text(t, "evp")[0] != '\0') {
		strvec_push(argv, "-evp");
		strvec_push(argv, task_text(t, "evp"));
	} else {
		strvec_push(argv, task_text(t, "algorithm"));
	}
}

/* Nothing to try: how long it runs is what it is asked for. An old system knows 10 s alone. */
static int calibrate(const struct task *t, struct system *s, struct stack *st,
		     const struct step *step, int64_t target_ns, double step_share, int64_t *count,
		     struct err *err)
{
	struct strvec argv = STRVEC_INIT;
	struct outcome out = {0};
	struct step sub = step_below(step, "version");
	struct exec_request q = {.argv = &argv, .timeout_ns = 60 * NS_PER_S};
	double want = fmax((double)target_ns / 1e9, TICK / step_share);

	(void)st;
	*count = (int64_t)ceil(want - 1e-9);
	strvec_push(&argv, "openssl");
	strvec_push(&argv, "version");
	int rc = system_exec(s, &sub, &q, &out, err);
	if (rc == 0 && is_old(buf_str(&out.out)) && *count < DEFAULT_SECONDS)
		*count = DEFAULT_SECONDS;
	if (*count < t->kind->count_min)
		*count = t->kind->count_min;
	if (*count > t->kind->count_max)
		*count = t->kind->count_max;
	outcome_release(&out);
	strvec_release(&argv);
	step_release(&sub);
	return rc;
}

static bool is_rsa(const struct task *t)
{
	return text_starts(task_text(t, "algorithm"), "rsa");
}

/*
 * After signing and verifying, newer versions go on with encryption, key encapsulation and a second
 * kind of signature, eight more measurements of the same key. This is where the next one begins.
 */
#define RSA_NEXT "rsa encrypt ops for"

static int run_once(const struct task *t, struct system *s, struct stack *st,
		    const struct step *step, struct outcome *out, struct buf *raw, struct err *err)
{
	struct strvec argv = STRVEC_INIT;
	int64_t seconds = task_int(t, "seconds");
	/* a busy machine gives less CPU time a second, and -user counts that alone */
	struct exec_request q = {.argv = &argv,
				 .timeout_ns = (120 + 20 * OPERATIONS_MAX * seconds) * NS_PER_S};

	(void)st;
	make_argv(t, &argv);
	if (is_rsa(t))
		q.enough = RSA_NEXT;
	int rc = system_exec(s, step, &q, out, err);
	if (rc == 0) {
		/* progress is on stderr, the table on stdout */
		buf_add(raw, buf_str(&out->err), out->err.len);
		buf_add(raw, buf_str(&out->out), out->out.len);
		if (out->truncated)
			outcome_fail(out, OUTCOME_INVALID, "openssl speed said more than expected");
	}
	strvec_release(&argv);
	return rc;
}

/*
 * Only one algorithm ran, but its name in the output is not always the one it was called by. Of RSA
 * the question is signatures; what newer versions time after them is cut off in the middle.
 */
static bool is_own_metric(const struct task *t, const char *metric)
{
	if (!is_rsa(t))
		return text_starts(metric, "openssl/");
	char *prefix = mem_printf("openssl/%s/", task_text(t, "algorithm"));
	bool own = text_starts(metric, prefix) &&
		   (text_ends(metric, "/sign") || text_ends(metric, "/verify"));

	free(prefix);
	return own;
}

static char *conditions_of(const struct task *t, bool bulk)
{
	char *seconds = mem_printf("%lld", (long long)task_int(t, "seconds"));
	char *block = mem_printf("%lld", (long long)task_int(t, "block"));
	const struct condition c[] = {{"clock", task_text(t, "clock")},
				      {"seconds", seconds},
				      {"threads", "1"},
				      {"block", block}};
	char *text = conditions_text(c, bulk ? 4 : 3);

	free(seconds);
	free(block);
	return text;
}

static int add_value(const struct task *t, const struct parse_value *v, struct sample *out,
		     struct err *err)
{
	bool bulk = strcmp(v->unit, "B/s") == 0;

	if (v->run != 1)
		return err_set(err, "the output holds more than one run of openssl speed");
	if (!v->has_value || !(v->value > 0))
		return err_set(err, "%s cannot be used: %s", v->metric,
			       v->note[0] != '\0' ? v->note : "no value");
	if (!bulk && strcmp(v->unit, "op/s") != 0)
		return err_set(err, "%s is in %s, not in operations or bytes per second", v->metric,
			       v->unit);
	char *metric = bulk && task_text(t, "evp")[0] != '\0'
			       ? mem_printf("openssl/evp.%s/%lld", task_text(t, "evp"),
					    (long long)task_int(t, "block"))
			       : mem_strdup(v->metric);
	int rc = 0;
	for (size_t k = 0; rc == 0 && k < out->values.n; k++) {
		if (strcmp(out->values.v[k].metric, metric) == 0)
			rc = err_set(err, "%s stands twice in the output", metric);
	}
	if (rc == 0) {
		char *conditions = conditions_of(t, bulk);
		/* a tick of the clock, seen in the rate */
		double tick = v->value * TICK / (double)task_int(t, "seconds");
		sample_add(out, metric, bulk ? "B/s" : "op/s", v->value, fmax(tick, v->step), true,
			   conditions);
		vec_last(&out->values)->derived = v->derived;
		free(conditions);
	}
	free(metric);
	return rc;
}

/* parse_text() speaks of every tool it knows; here one was asked. */
static int read_output(const struct task *t, const char *raw, size_t len, struct parse_result *r,
		       struct err *err)
{
	if (task_int(t, "seconds") <= 0)
		return err_set(err, "no seconds are set");
	if (parse_text(raw, len, t->name, r, err) == 0)
		return 0;
	struct buf said = BUF_INIT;
	const char *end = memchr(raw, '\n', len);
	size_t line = end == NULL ? len : (size_t)(end - raw);

	text_escape(&said, raw, line < SAID_MAX ? line : SAID_MAX);
	int rc = err_set(err, "no result of openssl speed in what it printed, which begins: \"%s\"",
			 buf_str(&said));
	buf_release(&said);
	return rc;
}

static int read_sample(const struct task *t, const char *raw, size_t len, struct sample *out,
		       struct err *err)
{
	struct parse_result r = {0};
	size_t primary = 0;
	int rc = read_output(t, raw, len, &r, err);

	for (size_t i = 0; rc == 0 && i < r.values.n; i++) {
		if (is_own_metric(t, r.values.v[i].metric))
			rc = add_value(t, &r.values.v[i], out, err);
	}
	for (size_t i = 0; i < out->values.n; i++)
		primary += out->values.v[i].primary;
	if (rc == 0 && primary == 0)
		rc = err_set(err, "openssl speed gave no figure for %s", t->name);
	if (rc == 0 && is_rsa(t) && primary < 2)
		rc = err_set(err, "openssl speed gave not both sign and verify of %s", t->name);
	parse_result_release(&r);
	return rc;
}

const struct workload_kind workload_openssl = {
	.name = "openssl",
	.by_default = true,
	.summary = "openssl speed: RSA signatures, or any algorithm it knows",
	.params = params,
	.need = NEED_NOTHING,
	.count_key = "seconds",
	.count_min = 1,
	.count_max = 600,
	.count_unit = "s",
	.expand = expand,
	.supported = supported,
	.calibrate = calibrate,
	.run_once = run_once,
	.read = read_sample,
};
