/* lampduel show: everything that is stored of an experiment but its figures. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/pick.h"
#include "report/table.h"

struct show_options {
	bool executions;
	int64_t raw;
};

static void put_line(struct cmd_context *c, const char *label, const char *text)
{
	struct buf b = BUF_INIT;
	struct buf first = BUF_INIT;
	char *safe = text_escaped(text);

	text_pad(&first, label, 12, false);
	table_paragraph(&b, buf_str(&first), safe, (size_t)c->columns, !c->utf8);
	(void)fwrite(b.data, 1, b.len, c->out);
	buf_release(&first);
	buf_release(&b);
	free(safe);
}

static void add_json(struct buf *b, const json_t *v);

/* What says nothing (null, no, "", []), or stands elsewhere in what is shown, is left out. */
static bool says_something(const char *key, const json_t *v)
{
	static const char *const elsewhere[] = {"command_line", "kind", "rounds",  "warmup",
						"lives",        "seed", "systems", "name"};

	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++) {
		if (strcmp(key, elsewhere[i]) == 0)
			return false;
	}
	if (json_is_string(v))
		return json_string_length(v) > 0;
	return !json_is_null(v) && !json_is_false(v) &&
	       !((json_is_array(v) || json_is_object(v)) && json_array_size(v) == 0 &&
		 json_object_size(v) == 0);
}

/* "sample 0.5 s; step_share 0.0025; keep"; times of the plan are in ns. */
static void add_object(struct buf *b, const json_t *object)
{
	const char *name = json_string_value(json_object_get(object, "name"));
	const char *key = NULL;
	json_t *v = NULL;
	size_t begin = b->len;

	buf_addstr(b, name == NULL ? "" : name);
	/* jansson iterates over what may be changed; here nothing is */
	json_object_foreach((json_t *)(uintptr_t)object, key, v)
	{
		size_t len = strlen(key);
		bool ns = len > 3 && strcmp(key + len - 3, "_ns") == 0 && json_is_integer(v);

		if (!says_something(key, v) || (ns && json_integer_value(v) == 0))
			continue;
		buf_addf(b, "%s%.*s", b->len == begin ? "" : "; ", (int)(ns ? len - 3 : len), key);
		if (json_is_true(v))
			continue;
		buf_addch(b, ' ');
		if (ns)
			buf_addf(b, "%g s", (double)json_integer_value(v) / (double)NS_PER_S);
		else
			add_json(b, v);
	}
}

static void add_json(struct buf *b, const json_t *v)
{
	if (json_is_string(v)) {
		buf_addstr(b, json_string_value(v));
	} else if (json_is_integer(v)) {
		buf_addf(b, "%lld", (long long)json_integer_value(v));
	} else if (json_is_real(v)) {
		buf_addf(b, "%.12g", json_real_value(v));
	} else if (json_is_array(v)) {
		for (size_t i = 0; i < json_array_size(v); i++) {
			buf_addstr(b, i == 0 ? "" : ", ");
			add_json(b, json_array_get(v, i));
		}
	} else if (json_is_object(v)) {
		struct buf inner = BUF_INIT;

		add_object(&inner, v);
		buf_addf(b, strchr(buf_str(&inner), ' ') == NULL ? "%s" : "(%s)", buf_str(&inner));
		buf_release(&inner);
	}
}

/* A stored JSON object as a line to read; as it is stored when it is none. New string. */
static char *readable(const char *text)
{
	struct buf b = BUF_INIT;
	json_t *v = json_loads(text, 0, NULL);

	if (json_is_object(v))
		add_object(&b, v);
	else
		buf_addstr(&b, text);
	json_decref(v);
	return buf_detach(&b);
}

static void put_head(struct cmd_context *c, const struct experiment *e)
{
	char when[32];
	char *text = mem_printf("%lld, %s, %s", (long long)e->id, e->kind, e->state);

	put_line(c, "Experiment", text);
	put_line(c, "Title", e->title);
	clock_format_utc(e->created_unix_ns, when, sizeof(when));
	bool imported = text_equal(e->kind, "import");
	put_line(c, imported ? "Imported" : "Begun", when);
	if (e->ended_unix_ns > 0 && !imported) {
		clock_format_utc(e->ended_unix_ns, when, sizeof(when));
		put_line(c, "Ended", when);
	}
	put_line(c, "Command", e->command);
	put_line(c, "Lampduel", e->version);
	if (!imported) {
		mem_replace(&text, mem_printf("%d, %d to warm up, lives %d", e->rounds_planned,
					      e->warmup_rounds, e->lives));
		put_line(c, "Rounds", text);
		mem_replace(&text, mem_printf("%llu", (unsigned long long)e->seed));
		put_line(c, "Seed", text);
		mem_replace(&text, readable(e->plan));
		put_line(c, "Plan", text);
	}
	for (size_t i = 0; i < e->notes.n; i++)
		put_line(c, i == 0 ? "Notes" : "", e->notes.v[i]);
	free(text);
}

/* "key   value [where from]"; what is longer goes on below the value. */
static void put_fact(struct cmd_context *c, const struct fact *f)
{
	enum { KEY_COLUMNS = 28, NARROW = 70 };
	size_t columns = c->columns < NARROW ? 4 : KEY_COLUMNS;
	struct buf b = BUF_INIT;
	struct buf first = BUF_INIT;
	char *text = mem_printf(f->origin[0] == '\0' ? "%s%s" : "%s [%s]", f->value, f->origin);
	char *safe = text_escaped(text);
	char *key = text_escaped(f->key);

	if (text_width(key) + 2 > columns) {
		buf_addf(&b, "%s\n", key);
		key[0] = '\0';
	}
	text_pad(&first, key, columns, false);
	table_paragraph(&b, buf_str(&first), safe, (size_t)c->columns, !c->utf8);
	(void)fwrite(b.data, 1, b.len, c->out);
	buf_release(&b);
	buf_release(&first);
	free(text);
	free(safe);
	free(key);
}

static void put_system(struct cmd_context *c, const struct exp_system *s)
{
	(void)fputc('\n', c->out);
	put_line(c, s->baseline ? "Baseline" : "Candidate", s->name);
	put_line(c, "Target", s->target);
	if (s->emulated)
		put_line(c, "Execution", s->emulator[0] == '\0' ? "emulated" : s->emulator);
	else if (!text_equal(s->target, "file")) /* of pasted figures nobody knows */
		put_line(c, "Execution", "native");
	for (size_t i = 0; i < s->facts.n; i++)
		put_fact(c, &s->facts.v[i]);
}

static void put_tasks(struct cmd_context *c, const struct experiment *e)
{
	struct table t;

	table_init(&t, 2, !c->utf8, true);
	table_add(&t, "Task");
	table_add(&t, "Parameters");
	for (size_t i = 0; i < e->tasks.n; i++) {
		table_add_safe(&t, e->tasks.v[i].name);
		char *params = readable(e->tasks.v[i].params);
		table_add_safe(&t, params);
		free(params);
	}
	(void)fputc('\n', c->out);
	cmd_put_table(c, &t);
}

/* "openssl/rsa2048/sign=39.7 op/s; ..." */
static void add_values(struct buf *b, const struct experiment *e, const struct exp_execution *x)
{
	for (size_t i = 0; i < x->values.n; i++) {
		const struct exp_metric *m = &e->metrics.v[x->values.v[i].metric];

		buf_addstr(b, i == 0 ? "" : "; ");
		text_escape(b, m->name, strlen(m->name));
		buf_addf(b, "=%.12g ", x->values.v[i].value);
		text_escape(b, m->unit, strlen(m->unit));
	}
}

/* Tab-separated, for other programs; times in seconds from the first execution's start. */
static void put_executions(struct cmd_context *c, const struct experiment *e)
{
	struct buf b = BUF_INIT;
	int64_t begin = e->executions.n > 0 ? e->executions.v[0].start_ns : 0;

	(void)fputs(
		"execution\tround\twarmup\tattempt\ttask\tsystem\tlife\tposition\tstart\tseconds\t"
		"status\tdisturbed\treason\tdisturbance\tvalues\n",
		c->out);
	for (size_t i = 0; i < e->executions.n; i++) {
		const struct exp_execution *x = &e->executions.v[i];
		const char *task = e->tasks.v[x->task].name;
		const char *system = e->systems.v[x->system].name;

		buf_clear(&b);
		buf_addf(&b, "%lld\t%d\t%d\t%d\t", (long long)x->id, x->round, x->warmup,
			 x->attempt);
		text_escape(&b, task, strlen(task));
		buf_addch(&b, '\t');
		text_escape(&b, system, strlen(system));
		buf_addf(&b, "\t%d\t%d\t%.9f\t%.9f\t%s\t%d\t", x->life, x->position,
			 (double)(x->start_ns - begin) / (double)NS_PER_S,
			 (double)(x->end_ns - x->start_ns) / (double)NS_PER_S,
			 outcome_status_name(x->status), x->disturbed);
		text_escape(&b, x->reason, strlen(x->reason));
		buf_addch(&b, '\t');
		text_escape(&b, x->disturbance, strlen(x->disturbance));
		buf_addch(&b, '\t');
		add_values(&b, e, x);
		buf_addch(&b, '\n');
		(void)fwrite(b.data, 1, b.len, c->out);
	}
	buf_release(&b);
}

/* As it was printed; on a terminal made safe, line by line. */
static int put_raw(struct cmd_context *c, const struct experiment *e, int64_t id, struct err *err)
{
	struct buf raw = BUF_INIT;
	struct buf safe = BUF_INIT;
	bool known = false;

	for (size_t i = 0; i < e->executions.n; i++)
		known = known || e->executions.v[i].id == id;
	if (!known)
		return err_set(
			err, "experiment %lld has no execution %lld; show --executions lists them",
			(long long)e->id, (long long)id);
	int rc = store_raw(c->store, id, &raw, err);
	for (size_t at = 0; rc == 0 && c->tty_out && at < raw.len;) {
		const char *line = raw.data + at;
		const char *end = memchr(line, '\n', raw.len - at);
		size_t len = end == NULL ? raw.len - at : (size_t)(end - line);

		text_escape(&safe, line, len);
		buf_addch(&safe, '\n');
		at += len + 1;
	}
	const struct buf *shown = c->tty_out ? &safe : &raw;
	if (rc == 0)
		(void)fwrite(buf_str(shown), 1, shown->len, c->out);
	buf_release(&raw);
	buf_release(&safe);
	return rc;
}

static int run(struct cmd_context *c, void *options, struct strvec *argv, struct err *err)
{
	const struct show_options *o = options;
	struct experiment e = {.id = 0};
	int64_t id = 0;

	int rc = pick_experiment(c, argv, &id, err);
	if (rc == 0)
		rc = store_load(c->store, id, &e, err);
	if (rc != 0)
		return rc;
	if (o->raw > 0) {
		rc = put_raw(c, &e, o->raw, err);
	} else if (o->executions) {
		put_executions(c, &e);
	} else {
		put_head(c, &e);
		for (size_t i = 0; i < e.systems.n; i++)
			put_system(c, &e.systems.v[i]);
		put_tasks(c, &e);
	}
	experiment_release(&e);
	return rc;
}

static const struct option_row rows[] = {
	{.name = "executions",
	 .letter = 'e',
	 .type = OPT_FLAG,
	 .offset = offsetof(struct show_options, executions),
	 .help = "list every execution, tab-separated"},
	{.name = "raw",
	 .type = OPT_COUNT,
	 .offset = offsetof(struct show_options, raw),
	 .arg = "N",
	 .min = 1,
	 .max = INT64_MAX,
	 .help = "print what was printed in execution N"},
	{.name = NULL},
};

const struct command cmd_show = {
	.name = "show",
	.arguments = "[options] [EXPERIMENT]",
	.summary =
		"show what is stored of an experiment: plan, systems, facts, executions, outputs",
	.details =
		"Without EXPERIMENT the newest. Its figures are shown by lampduel report. What is "
		"shown is not\nmade fit for publishing: it may hold host names and folders.\n",
	.options = rows,
	.options_size = sizeof(struct show_options),
	.flags = CMD_STORE,
	.run = run,
};
