/*
 * mariadb: one statement that times itself on the server's own clock,
 * SELECT SYSDATE(6), BENCHMARK(n, expression), SYSDATE(6), through the system's
 * own client.
 *
 * Raw: "wall_ns N", the time of the client's process, then what it printed.
 */
#include "workload/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "facts/effective.h"

enum { FIRST_COUNT = 1000, OUTPUT_MAX = 512 << 10 };

/* resolution of SYSDATE(6) in seconds */
#define MICROSECOND 1e-6
/* what a client's clock and the server's may disagree by */
#define CLOCK_SLACK 0.005

#define QUERY_LIMIT_NS (3600 * NS_PER_S)

static const struct expression {
	const char *name, *sql;
} expressions[] = {
	{"encode", "ENCODE('praise','bob')"},
	{"sha2", "SHA2('praise',256)"},
	{"aes", "AES_ENCRYPT('praise','bob')"},
	{"md5", "MD5('praise')"},
	{"sqrt", "SQRT(2)"},
};

enum { EXPRESSIONS = sizeof(expressions) / sizeof(expressions[0]) };

static const struct workload_param params[] = {
	{"benchmarks", "encode", "of encode, sha2, aes, md5, sqrt; one task each"},
	{"count", "auto", "evaluations of the expression in one sample"},
	{"server", "own", "own: a throwaway server is started; running: the system's, as it runs"},
	{"defaults-file", "", "running: the file that tells the client user, password and socket"},
	{"socket", "", "running: the server's socket, where the client would look elsewhere"},
	{NULL, NULL, NULL},
};

static const char *sql_of(const char *name)
{
	for (size_t i = 0; i < EXPRESSIONS; i++) {
		if (strcmp(expressions[i].name, name) == 0)
			return expressions[i].sql;
	}
	return NULL;
}

/* own or running, and what belongs to running alone. */
static int check_server(const struct workload_request *q, bool *running, struct err *err)
{
	static const char *const paths[] = {"defaults-file", "socket"};
	const char *server = request_text(q, "server");

	*running = strcmp(server, "running") == 0;
	if (!*running && strcmp(server, "own") != 0)
		return err_code(err, ERR_USAGE, "server is either own or running");
	for (size_t i = 0; i < 2; i++) {
		const char *path = request_text(q, paths[i]);
		if (path[0] != '\0' && !*running)
			return err_code(err, ERR_USAGE, "%s is of server=running alone", paths[i]);
		if (path[0] != '\0' && path[0] != '/')
			return err_code(err, ERR_USAGE, "%s is no full path, /... is", paths[i]);
	}
	return 0;
}

static int expand(const struct workload_request *q, struct task_list *out, struct err *err)
{
	struct strvec names = STRVEC_INIT;
	int64_t count = 0;
	bool running = false;
	int rc = request_count(q, &count, err);

	if (rc == 0)
		rc = check_server(q, &running, err);
	if (rc == 0)
		rc = request_list(q, "benchmarks", &names, err);
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		if (sql_of(names.v[i]) == NULL) {
			rc = err_code(err, ERR_USAGE,
				      "no such benchmark: %s (there are: encode, sha2, aes, md5, "
				      "sqrt)",
				      names.v[i]);
			break;
		}
		char *name = mem_printf("mariadb/%s", names.v[i]);
		struct task *t = task_add(out, q->kind, name);
		free(name);
		task_set_text(t, "benchmark", names.v[i]);
		task_set_text(t, "expression", sql_of(names.v[i]));
		task_set_int(t, "count", count);
		if (running) {
			task_set_text(t, "running", "yes");
			task_set_text(t, "defaults-file", request_text(q, "defaults-file"));
			task_set_text(t, "socket", request_text(q, "socket"));
		}
	}
	strvec_release(&names);
	return rc;
}

/*
 * The client of a server that runs already reads its password from a file that is there, so that it
 * stands in no command line and we never have it. What the file says of logging is undone.
 */
static void running_argv(const struct task *t, const char *client, struct strvec *argv)
{
	strvec_push(argv, client);
	if (task_text(t, "defaults-file")[0] != '\0')
		strvec_pushf(argv, "--defaults-file=%s", task_text(t, "defaults-file"));
	if (task_text(t, "socket")[0] != '\0')
		strvec_pushf(argv, "--socket=%s", task_text(t, "socket"));
	strvec_push(argv, "--disable-tee");
	strvec_push(argv, "--default-character-set=utf8");
}

static void own_argv(struct stack *st, struct strvec *argv)
{
	strvec_push(argv, stack_get_programs(st)->mariadb);
	strvec_push(argv, "--no-defaults");
	strvec_push(argv, "--default-character-set=utf8mb4");
	strvec_pushf(argv, "--socket=%s", stack_socket(st));
	strvec_push(argv, "--user=root");
	strvec_push(argv, "--loose-ssl=0"); /* newer clients insist on it otherwise */
}

static int ask(const struct task *t, struct system *s, struct stack *st, const struct step *step,
	       const char *sql, struct outcome *out, struct err *err)
{
	/* the client's name changed with MariaDB 10.4 */
	static const char *const clients[] = {"mariadb", "mysql"};
	bool running = task_need(t) == NEED_NOTHING;
	int rc = 0;

	for (size_t i = 0; i < 2; i++) {
		struct strvec argv = STRVEC_INIT;
		struct exec_request q = {
			.argv = &argv, .timeout_ns = QUERY_LIMIT_NS, .output_max = OUTPUT_MAX};

		if (running)
			running_argv(t, clients[i], &argv);
		else
			own_argv(st, &argv);
		strvec_push(&argv, "-N");
		strvec_push(&argv, "-B");
		strvec_push(&argv, "--show-warnings");
		strvec_push(&argv, "-e");
		strvec_push(&argv, sql);
		if (i > 0)
			outcome_release(out);
		rc = system_exec(s, step, &q, out, err);
		strvec_release(&argv);
		if (rc != 0 || !running || out->exit_code != 127)
			break;
	}
	return rc;
}

/* Does the running server let us in, and can it do this? */
static bool running_supported(const struct task *t, struct system *s, char **reason)
{
	struct step top = {.name = t->name, .round = 0, .attempt = 1};
	struct step step = step_below(&top, "server");
	struct outcome out = {0};
	struct err err = ERR_INIT;
	unsigned major = 0;
	char *why = NULL;

	if (ask(t, s, NULL, &step, "SELECT VERSION(), SYSDATE(6)", &out, &err) != 0)
		why = mem_strdup(err.msg);
	else if (out.exit_code == 127)
		why = mem_strdup("the client, mariadb or mysql, is missing");
	else if (out.status != OUTCOME_OK)
		why = mem_printf("the running server cannot be asked (%s); name the file with its "
				 "user and password: --set mariadb.defaults-file=FILE",
				 out.reason);
	else if (strstr(buf_str(&out.out), "MariaDB") == NULL &&
		 sscanf(buf_str(&out.out), "%3u", &major) == 1 && major >= 8 &&
		 strcmp(task_text(t, "benchmark"), "encode") == 0)
		why = mem_printf("MySQL %u has no ENCODE any more; name another benchmark", major);
	outcome_release(&out);
	step_release(&step);
	if (why != NULL && reason != NULL)
		*reason = why;
	else
		free(why);
	return why == NULL;
}

static int running_facts(const struct task *t, struct system *s, struct factset *f, struct err *err)
{
	static const char sql[] = "SHOW GLOBAL VARIABLES";
	struct step top = {.name = t->name, .round = 0, .attempt = 1};
	struct step step = step_below(&top, "variables");
	struct outcome out = {0};
	int rc = ask(t, s, NULL, &step, sql, &out, err);

	if (rc == 0 && out.status == OUTCOME_OK) {
		factset_remove(f, "effective.mariadb.");
		effective_mariadb_variables(buf_str(&out.out), sql, f);
		const char *version = factset_get(f, "effective.mariadb.version");
		/* "10.11.18-MariaDB-0+deb12u1": as the program says it, "10.11.18" */
		char *number = version == NULL ? NULL : mem_strndup(version, strcspn(version, "-"));
		if (number != NULL)
			factset_set(f, "mariadb.version", number, "the running server");
		free(number);
	}
	outcome_release(&out);
	step_release(&step);
	return rc;
}

/* The stack finds the programs; here only what MySQL 8 took away. */
static bool supported(const struct task *t, struct system *s, char **reason)
{
	static const char *const names[] = {"mariadbd", "mysqld", NULL};
	bool yes = true, known = strcmp(task_text(t, "benchmark"), "encode") != 0;

	if (task_need(t) == NEED_NOTHING)
		return running_supported(t, s, reason);
	for (const char *const *n = names; *n != NULL && !known; n++) {
		struct strvec argv = STRVEC_INIT;
		struct outcome out = {0};
		struct err err = ERR_INIT;
		struct step top = {.name = t->name, .round = 0, .attempt = 1};
		struct step step = step_below(&top, *n);
		struct exec_request q = {.argv = &argv, .timeout_ns = 60 * NS_PER_S};
		unsigned major = 0;

		strvec_push(&argv, *n);
		strvec_push(&argv, "--version");
		known = system_exec(s, &step, &q, &out, &err) == 0 && out.status == OUTCOME_OK;
		const char *ver = known ? strstr(buf_str(&out.out), "Ver ") : NULL;
		if (ver != NULL && strstr(ver, "MariaDB") == NULL &&
		    sscanf(ver, "Ver %3u", &major) == 1 && major >= 8) {
			yes = false;
			if (reason != NULL)
				*reason =
					mem_printf("MySQL %u has no ENCODE any more; name another "
						   "benchmark",
						   major);
		}
		outcome_release(&out);
		strvec_release(&argv);
		step_release(&step);
	}
	return yes;
}

static int ask_benchmark(const struct task *t, struct system *s, struct stack *st,
			 const struct step *step, int64_t count, struct outcome *out,
			 struct buf *raw, struct err *err)
{
	/* a zone of its own: no summer time begins between the two readings */
	char *sql = mem_printf("SET time_zone='+00:00'; "
			       "SELECT SYSDATE(6), BENCHMARK(%lld,%s), SYSDATE(6)",
			       (long long)count, task_text(t, "expression"));
	int rc = ask(t, s, st, step, sql, out, err);

	if (rc == 0) {
		buf_addf(raw, "wall_ns %lld\n", (long long)(out->end_ns - out->start_ns));
		buf_add(raw, buf_str(&out->out), out->out.len);
	}
	free(sql);
	return rc;
}

static int run_once(const struct task *t, struct system *s, struct stack *st,
		    const struct step *step, struct outcome *out, struct buf *raw, struct err *err)
{
	return ask_benchmark(t, s, st, step, task_int(t, "count"), out, raw, err);
}

static int fingerprint(const struct task *t, struct system *s, struct stack *st,
		       const struct step *step, struct buf *text, struct err *err)
{
	char *sql = mem_printf("SELECT HEX(CAST(%s AS BINARY))", task_text(t, "expression"));
	struct step sub = step_below(step, "result");
	struct outcome out = {0};
	int rc = ask(t, s, st, &sub, sql, &out, err);

	if (rc == 0 && out.status != OUTCOME_OK)
		rc = err_set(err, "%s: %s", task_text(t, "expression"), out.reason);
	if (rc == 0 && (out.out.len == 0 || strcmp(buf_str(&out.out), "NULL\n") == 0))
		rc = err_set(err, "%s has no result", task_text(t, "expression"));
	if (rc == 0)
		buf_addf(text, "%s = %s", task_text(t, "expression"), buf_str(&out.out));
	outcome_release(&out);
	step_release(&sub);
	free(sql);
	return rc;
}

/* Days since 1970-01-01 in the Gregorian calendar. */
static int64_t days_of(int year, int month, int day)
{
	int64_t y = month > 2 ? year : year - 1; /* years begin in March: the leap day is last */
	int64_t m = month > 2 ? month - 3 : month + 9;

	return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

/* "2026-11-30 22:01:34.353614" to microseconds since 1970; all of the n bytes. */
static bool read_date(const char *s, size_t n, int64_t *us)
{
	static const char shape[] = "dddd-dd-dd dd:dd:dd.dddddd";
	int v[7] = {0};
	int part = 0;

	if (n != sizeof(shape) - 1)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (shape[i] != 'd' && s[i] != shape[i])
			return false;
		if (shape[i] != 'd') {
			part++;
			continue;
		}
		if (s[i] < '0' || s[i] > '9')
			return false;
		v[part] = v[part] * 10 + (s[i] - '0');
	}
	if (v[0] < 1970 || v[1] < 1 || v[1] > 12 || v[2] < 1 || v[2] > 31 || v[3] > 23 ||
	    v[4] > 59 || v[5] > 59)
		return false;
	int64_t seconds = days_of(v[0], v[1], v[2]) * 86400 + v[3] * 3600 + v[4] * 60 + v[5];
	*us = seconds * 1000000 + v[6];
	return true;
}

/* The one row "date TAB 0 TAB date" and nothing else: its seconds. */
static int read_row(const char *row, size_t len, double *seconds, struct err *err)
{
	const char *end = len > 0 ? memchr(row, '\n', len) : NULL;
	const char *tab1 = len > 0 ? memchr(row, '\t', len) : NULL;
	int64_t from = 0, to = 0;

	if (end != NULL && (size_t)(end - row) + 1 < len) {
		char *more = mem_strndup(end + 1, strcspn(end + 1, "\n"));
		char *shown = text_escaped(more);
		int rc = err_set(err, "the server added to its answer: %.200s", shown);
		free(more);
		free(shown);
		return rc;
	}
	if (end == NULL || tab1 == NULL)
		return err_set(err, "the answer of the server is not complete");
	const char *tab2 = memchr(tab1 + 1, '\t', (size_t)(end - tab1) - 1);
	if (tab2 == NULL)
		return err_set(err, "the answer of the server does not have three columns");
	if (tab2 - tab1 != 2 || tab1[1] != '0')
		return err_set(err, "BENCHMARK did not return 0: the expression failed");
	if (!read_date(row, (size_t)(tab1 - row), &from) ||
	    !read_date(tab2 + 1, (size_t)(end - tab2) - 1, &to))
		return err_set(err, "the server's times cannot be read: no fractions of a second?");
	if (to <= from)
		return err_set(err, "the server's clock did not go forwards during the statement");
	*seconds = (double)(to - from) * MICROSECOND;
	return 0;
}

/* Seconds by the server's clock, checked against the client's. */
static int read_seconds(const char *raw, size_t len, double *seconds, struct err *err)
{
	const char *end = len > 0 ? memchr(raw, '\n', len) : NULL;
	int64_t wall = 0;

	if (end == NULL || !text_starts(raw, "wall_ns "))
		return err_set(err, "the time of the client is missing");
	char *number = mem_strndup(raw + 8, (size_t)(end - raw) - 8);
	bool ok = text_to_i64(number, &wall) && wall >= 0;
	free(number);
	if (!ok)
		return err_set(err, "the time of the client cannot be read");
	int rc = read_row(end + 1, len - (size_t)(end + 1 - raw), seconds, err);
	if (rc == 0 && *seconds > (double)wall / 1e9 + CLOCK_SLACK)
		rc = err_set(
			err,
			"the statement took %.6f s by the server's clock and its client %.6f s: "
			"the clock was set meanwhile",
			*seconds, (double)wall / 1e9);
	return rc;
}

static int read_sample(const struct task *t, const char *raw, size_t len, struct sample *out,
		       struct err *err)
{
	double count = (double)task_int(t, "count"), seconds = 0;
	int rc = count >= 1 ? read_seconds(raw, len, &seconds, err)
			    : err_set(err, "no count of evaluations is set");

	if (rc != 0)
		return rc;
	char *metric = mem_printf("mariadb/benchmark.%s/time", task_text(t, "benchmark"));
	char *n = mem_printf("%lld", (long long)task_int(t, "count"));
	/* the throwaway server is what is meant when nothing is said */
	const struct condition c[] = {{"api", "sysdate"},
				      {"count", n},
				      {"expression", task_text(t, "expression")},
				      {"server", "running"}};
	char *conditions = conditions_text(c, task_need(t) == NEED_NOTHING ? 4 : 3);
	sample_add(out, metric, "s/op", seconds / count, MICROSECOND / count, true, conditions);
	free(conditions);
	free(n);
	free(metric);
	return 0;
}

static int calibrate(const struct task *t, struct system *s, struct stack *st,
		     const struct step *step, int64_t target_ns, double step_share, int64_t *count,
		     struct err *err)
{
	double target = (double)target_ns / 1e9, fine = MICROSECOND / step_share;
	double want = target > fine ? target : fine, took = 0;

	*count = FIRST_COUNT;
	for (int tried = 1;; tried++) {
		char what[32];
		struct outcome out = {0};
		struct buf raw = BUF_INIT;

		(void)snprintf(what, sizeof(what), "count-%d", tried);
		struct step sub = step_below(step, what);
		int rc = ask_benchmark(t, s, st, &sub, *count, &out, &raw, err);
		if (rc == 0 && out.status != OUTCOME_OK)
			rc = err_set(err, "%s", out.reason);
		/* too few evaluations for the clock to move are no failure here */
		if (rc == 0 && read_seconds(buf_str(&raw), raw.len, &took, err) != 0) {
			took = 0;
			if (*count >= FIRST_COUNT * 100)
				rc = err->code;
			else
				err_clear(err);
		}
		outcome_release(&out);
		buf_release(&raw);
		step_release(&sub);
		if (rc != 0)
			return rc;
		if (took >= want || *count >= t->kind->count_max)
			return 0;
		*count = count_grow(*count, took, want * 1.1, t->kind->count_max);
	}
}

const struct workload_kind workload_mariadb = {
	.name = "mariadb",
	.by_default = true,
	.summary = "an SQL function evaluated many times, by the server's own clock",
	.params = params,
	.need = NEED_MARIADB,
	.count_key = "count",
	.count_min = 1,
	.count_max = 1000000000,
	.count_unit = "evaluations",
	.expand = expand,
	.supported = supported,
	.fingerprint = fingerprint,
	.calibrate = calibrate,
	.run_once = run_once,
	.facts = running_facts,
	.read = read_sample,
};
