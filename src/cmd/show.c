/* lampduel show: everything that is stored of an experiment but its figures. */
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

static void put_head(struct cmd_context *c, const struct experiment *e)
{
	char when[32];
	char *text = mem_printf("%lld, %s, %s", (long long)e->id, e->kind, e->state);

	put_line(c, "Experiment", text);
	put_line(c, "Title", e->title);
	clock_format_utc(e->created_unix_ns, when, sizeof(when));
	put_line(c, "Begun", when);
	if (e->ended_unix_ns > 0) {
		clock_format_utc(e->ended_unix_ns, when, sizeof(when));
		put_line(c, "Ended", when);
	}
	put_line(c, "Command", e->command);
	put_line(c, "Lampduel", e->version);
	mem_replace(&text, mem_printf("%d, %d to warm up, lives %d", e->rounds_planned,
				      e->warmup_rounds, e->lives));
	put_line(c, "Rounds", text);
	mem_replace(&text, mem_printf("%llu", (unsigned long long)e->seed));
	put_line(c, "Seed", text);
	put_line(c, "Plan", e->plan);
	for (size_t i = 0; i < e->notes.n; i++)
		put_line(c, i == 0 ? "Notes" : "", e->notes.v[i]);
	free(text);
}

static void add_safe(struct table *t, const char *text)
{
	char *safe = text_escaped(text);

	table_add(t, safe);
	free(safe);
}

static void put_table(struct cmd_context *c, struct table *t)
{
	struct buf b = BUF_INIT;

	table_render(t, (size_t)c->columns, &b);
	(void)fwrite(buf_str(&b), 1, b.len, c->out);
	table_release(t);
	buf_release(&b);
}

static void put_system(struct cmd_context *c, const struct exp_system *s)
{
	struct table t;

	(void)fputc('\n', c->out);
	put_line(c, s->baseline ? "Baseline" : "Candidate", s->name);
	put_line(c, "Target", s->target);
	put_line(c, "Execution",
		 !s->emulated             ? "native"
		 : s->emulator[0] == '\0' ? "emulated"
					  : s->emulator);
	if (s->facts.n == 0)
		return;
	table_init(&t, 3, !c->utf8, false);
	for (size_t i = 0; i < s->facts.n; i++) {
		add_safe(&t, s->facts.v[i].key);
		add_safe(&t, s->facts.v[i].value);
		add_safe(&t, s->facts.v[i].origin);
	}
	put_table(c, &t);
}

static void put_tasks(struct cmd_context *c, const struct experiment *e)
{
	struct table t;

	table_init(&t, 2, !c->utf8, true);
	table_add(&t, "Task");
	table_add(&t, "Parameters");
	for (size_t i = 0; i < e->tasks.n; i++) {
		add_safe(&t, e->tasks.v[i].name);
		add_safe(&t, e->tasks.v[i].params);
	}
	(void)fputc('\n', c->out);
	put_table(c, &t);
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
