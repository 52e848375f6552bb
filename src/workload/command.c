/* command: wall time, CPU time and peak memory of one process, started without a shell. */
#include "workload/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static const struct workload_param params[] = {
	{"timeout", "1h", "an execution that lasts longer is ended and counts as failed"},
	{NULL, NULL, NULL},
};

static int expand(const struct workload_request *q, struct task_list *out, struct err *err)
{
	char *part = text_metric_part(q->name == NULL ? "" : q->name);
	int64_t timeout = 0;
	int rc = 0;

	if (*part == '\0')
		rc = err_code(err, ERR_USAGE,
			      "a command needs a name of letters and digits: --command NAME -- "
			      "PROGRAM ...");
	else if (q->argv.n == 0)
		rc = err_code(err, ERR_USAGE, "command %s: nothing to run", part);
	else if (!text_to_duration(request_text(q, "timeout"), &timeout) || timeout <= 0)
		rc = err_code(err, ERR_USAGE, "command %s: timeout is not a time like 90s or 15m",
			      part);
	if (rc == 0) {
		char *name = mem_printf("command/%s", part);
		struct task *t = task_add(out, q->kind, name);
		json_t *argv = json_array();
		free(name);
		for (size_t i = 0; rc == 0 && i < q->argv.n; i++) {
			if (json_array_append_new(argv, json_string(q->argv.v[i])) != 0)
				rc = err_code(err, ERR_USAGE,
					      "command %s: an argument is no UTF-8 text", part);
		}
		task_set_text(t, "name", part);
		task_set_int(t, "timeout_ns", timeout);
		if (json_object_set_new(t->params, "argv", argv) != 0)
			mem_exhausted();
	}
	free(part);
	return rc;
}

/* Whether it runs shows when it runs: what is no path is looked up there, at each start. */
static bool supported(const struct task *t, struct system *s, char **reason)
{
	(void)t;
	(void)s;
	(void)reason;
	return true;
}

static int run_once(const struct task *t, struct system *s, struct stack *st,
		    const struct step *step, struct outcome *out, struct buf *raw, struct err *err)
{
	struct strvec argv = STRVEC_INIT;
	const json_t *arg = NULL;
	size_t i = 0;

	(void)st;
	json_array_foreach(json_object_get(t->params, "argv"), i, arg)
		strvec_push(&argv, json_string_value(arg));
	struct exec_request q = {
		.argv = &argv, .timeout_ns = task_int(t, "timeout_ns"), .discard_output = true};
	int rc = system_exec(s, step, &q, out, err);
	if (rc == 0)
		buf_addf(raw, "wall_ns %lld\nuser_ns %lld\nsys_ns %lld\nmaxrss_bytes %lld\n",
			 (long long)(out->end_ns - out->start_ns), (long long)out->user_ns,
			 (long long)out->sys_ns, (long long)out->maxrss_bytes);
	if (rc == 0 && out->wall_step_ns > 0)
		buf_addf(raw, "wall_step_ns %lld\ncpu_step_ns %lld\n", (long long)out->wall_step_ns,
			 (long long)out->cpu_step_ns);
	strvec_release(&argv);
	return rc;
}

/* The number behind "KEY " at the start of a line. */
static bool number_of(const char *text, const char *key, int64_t *v)
{
	size_t n = strlen(key);

	for (const char *line = text; line != NULL && *line != '\0';) {
		const char *end = strchr(line, '\n');
		if (end == NULL)
			return false;
		if (strncmp(line, key, n) == 0 && line[n] == ' ') {
			char *value = mem_strndup(line + n + 1, (size_t)(end - line) - n - 1);
			bool ok = text_to_i64(value, v) && *v >= 0;
			free(value);
			return ok;
		}
		line = end + 1;
	}
	return false;
}

/* Commands of one name and other arguments never compare; a hash, for arguments may be private. */
static uint64_t hash_of_argv(const struct task *t)
{
	uint64_t h = HASH_START;
	const json_t *arg = NULL;
	size_t i = 0;

	json_array_foreach(json_object_get(t->params, "argv"), i, arg)
	{
		const char *s = json_string_value(arg);
		if (s != NULL)
			h = hash_more(h, s, strlen(s) + 1);
	}
	return h;
}

static int read_sample(const struct task *t, const char *raw, size_t len, struct sample *out,
		       struct err *err)
{
	const char *name = task_text(t, "name");
	/* getrusage counts microseconds and kilobytes; another machine's shell has its own steps */
	int64_t wall = 0, user = 0, sys = 0, peak = 0, wall_step = 1, cpu_step = 1000;

	if (strlen(raw) != len || !number_of(raw, "wall_ns", &wall) ||
	    !number_of(raw, "user_ns", &user) || !number_of(raw, "sys_ns", &sys) ||
	    !number_of(raw, "maxrss_bytes", &peak))
		return err_set(err, "the times of the process are not complete");
	if (wall == 0)
		return err_set(err, "the process took no time at all");
	(void)number_of(raw, "wall_step_ns", &wall_step);
	bool has_cpu = !number_of(raw, "cpu_step_ns", &cpu_step) || cpu_step > 0;
	const struct {
		const char *aspect, *unit, *clock;
		double value, step;
		bool known;
	} rows[] = {
		{"wall", "s", ";clock=wall", (double)wall / 1e9, (double)wall_step / 1e9, true},
		{"user", "s", ";clock=user", (double)user / 1e9, (double)cpu_step / 1e9, has_cpu},
		{"sys", "s", ";clock=system", (double)sys / 1e9, (double)cpu_step / 1e9, has_cpu},
		/* of a process that has no memory nothing was said */
		{"peak", "B", "", (double)peak, 1024, peak > 0},
	};
	uint64_t argv = hash_of_argv(t);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!rows[i].known)
			continue;
		char *metric = mem_printf("command/%s/%s", name, rows[i].aspect);
		char *conditions =
			mem_printf("argv=%016llx%s", (unsigned long long)argv, rows[i].clock);
		sample_add(out, metric, rows[i].unit, rows[i].value, rows[i].step, i == 0,
			   conditions);
		free(metric);
		free(conditions);
	}
	return 0;
}

const struct workload_kind workload_command = {
	.name = "command",
	.summary = "wall time, CPU time and peak memory of a program",
	.params = params,
	.need = NEED_NOTHING,
	.expand = expand,
	.supported = supported,
	.run_once = run_once,
	.read = read_sample,
};
