/* lampduel facts, lampduel differences: what is known of systems, and in what two of them differ.
 */
#include <jansson.h>
#include <string.h>

#include "base/jsonx.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/help.h"
#include "cmd/opened.h"
#include "cmd/sides.h"
#include "collect/collect.h"
#include "facts/difference.h"
#include "report/config.h"
#include "report/table.h"

struct facts_options {
	char *format;
	bool all;
};

static bool is_json(const struct facts_options *o)
{
	return text_equal(o->format, "json");
}

static int collect_from(struct system *s, struct factset *f, struct err *err)
{
	struct stack_programs p = {0};
	int rc = stack_find_programs(s, &p, err);

	if (rc == 0)
		rc = collect_facts(s, &p, COLLECT_ALL, f, err);
	if (rc == 0 && p.wordpress_version != NULL)
		factset_set(f, "wordpress.version", p.wordpress_version, p.wordpress);
	stack_programs_release(&p);
	return rc;
}

static int facts_of_target(struct cmd_context *c, const char *target, struct factset *f,
			   struct err *err)
{
	struct opened o;
	int rc = opened_open(&o, c, target, err);

	if (rc != 0)
		return rc;
	rc = collect_from(o.system, f, err);
	opened_close(&o);
	return rc;
}

/* The facts that were stored; position: which system where none is named. */
static int facts_of_stored(struct cmd_context *c, const struct side_name *n, size_t position,
			   struct factset *f, char **name, struct err *err)
{
	struct experiment e = {.id = 0};
	const struct exp_system *found = NULL;

	if (n->ids.n != 1)
		return err_code(err, ERR_USAGE, "%s: one experiment at a time", n->text);
	int rc = cmd_open_store(c, err);

	if (rc == 0)
		rc = store_load(c->store, n->ids.v[0], &e, err);
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < e.systems.n; i++) {
		if (n->part != NULL ? text_equal(e.systems.v[i].name, n->part) : i == position)
			found = &e.systems.v[i];
	}
	if (found == NULL) {
		rc = err_set(err, "experiment %lld has no %s; show %lld lists its systems",
			     (long long)e.id, n->part == NULL ? "second system" : n->part,
			     (long long)e.id);
	} else {
		factset_copy(f, &found->facts);
		mem_replace(name, mem_printf("exp:%lld/%s", (long long)e.id, found->name));
	}
	experiment_release(&e);
	return rc;
}

static int facts_of(struct cmd_context *c, const char *text, size_t position, struct factset *f,
		    char **name, struct err *err)
{
	struct side_name n;

	*name = mem_strdup(text);
	if (!text_starts(text, "exp:"))
		return facts_of_target(c, text, f, err);
	int rc = side_name_parse(text, &n, err);
	if (rc == 0)
		rc = facts_of_stored(c, &n, position, f, name, err);
	side_name_release(&n);
	return rc;
}

static void put_json(struct cmd_context *c, json_t *j)
{
	char *text = jsonx_take_text(j, JSON_INDENT(2) | JSON_PRESERVE_ORDER);

	(void)fprintf(c->out, "%s\n", text);
	free(text);
}

static const char *group_name(const char *key)
{
	const char *group = fact_class_of(key)->group;

	return group == NULL ? "Not compared" : group;
}

static void put_facts(struct cmd_context *c, const struct factset *f, bool all)
{
	VEC(const char *) groups = {0};

	for (size_t i = 0; i < f->n; i++) {
		const char *g = group_name(f->v[i].key);
		bool known = false;

		for (size_t k = 0; k < groups.n; k++)
			known = known || strcmp(groups.v[k], g) == 0;
		if (!known)
			vec_push(&groups, g);
	}
	for (size_t k = 0; k < groups.n; k++) {
		struct table t;
		size_t left_out = 0;

		(void)fprintf(c->out, "%s%s\n", k == 0 ? "" : "\n", groups.v[k]);
		table_init(&t, 2, !c->utf8, false);
		for (size_t i = 0; i < f->n; i++) {
			if (strcmp(group_name(f->v[i].key), groups.v[k]) != 0)
				continue;
			/* a thousand settings are for other programs, or for --all */
			if (!all && text_starts(f->v[i].key, "effective.") &&
			    fact_class_of(f->v[i].key)->suspicion <= 30) {
				left_out++;
				continue;
			}
			table_add_safe(&t, f->v[i].key);
			table_add_safe(&t, f->v[i].value);
		}
		cmd_put_table(c, &t);
		if (left_out > 0)
			(void)fprintf(c->out, "... and %zu more (--all)\n", left_out);
	}
	vec_release(&groups);
}

static void put_facts_json(struct cmd_context *c, const struct factset *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->n; i++) {
		json_t *o = json_object();

		jsonx_put(o, "key", jsonx_text(f->v[i].key));
		jsonx_put(o, "group", json_string(group_name(f->v[i].key)));
		jsonx_put(o, "value", jsonx_text(f->v[i].value));
		jsonx_put(o, "origin", jsonx_text(f->v[i].origin));
		jsonx_append(list, o);
	}
	put_json(c, json_pack("{s:i, s:o}", "lampduel_facts", 1, "facts", list));
}

static int run_facts(struct cmd_context *c, void *options, struct strvec *argv, struct err *err)
{
	const struct facts_options *o = options;
	struct factset f = {0};
	char *name = NULL;

	if (argv->n != 1)
		return err_code(err, ERR_USAGE, "facts needs one TARGET, or exp:ID/SYSTEM");
	int rc = facts_of(c, argv->v[0], 0, &f, &name, err);
	if (rc == 0 && is_json(o))
		put_facts_json(c, &f);
	else if (rc == 0)
		put_facts(c, &f, o->all);
	free(name);
	factset_release(&f);
	return rc;
}

static void add_value(struct table *t, const char *mine, const char *other)
{
	char *text = differences_shown(mine, other);

	table_add_safe(t, text);
	free(text);
}

/* The rows that a report has first; what it knows of a system beyond its facts, they say here. */
static void put_reference_rows(struct table *t, const struct factset *a, const struct factset *b)
{
	const struct factset *sets[2] = {a, b};
	struct exp_system s[2] = {{.name = NULL}, {.name = NULL}};

	for (size_t i = 0; i < 2; i++) {
		const char *by = factset_get(sets[i], "cpu.emulator");

		s[i].facts = *sets[i];
		s[i].emulated = text_equal(factset_get(sets[i], "cpu.emulated"), "yes");
		s[i].emulator = mem_strdup(by == NULL ? "" : by);
	}
	for (const struct config_row *r = config_rows; r->label != NULL; r++) {
		char *x = r->value(&s[0], r->key);
		char *y = r->value(&s[1], r->key);

		if (x[0] != '\0' || y[0] != '\0') {
			table_add(t, r->label);
			table_add(t, x);
			table_add(t, y);
		}
		free(x);
		free(y);
	}
	free(s[0].emulator);
	free(s[1].emulator);
}

static void put_differences(struct cmd_context *c, const struct differences *d,
			    const struct factset *a, const struct factset *b,
			    const char *const names[2], bool all)
{
	enum { ROWS_MAX = 40 };
	struct table t;
	size_t shown = all || d->rows.n < ROWS_MAX ? d->rows.n : ROWS_MAX;

	table_init(&t, 3, !c->utf8, true);
	table_add(&t, "");
	table_add_safe(&t, names[0]);
	table_add_safe(&t, names[1]);
	put_reference_rows(&t, a, b);
	table_end_row(&t);
	for (size_t i = 0; i < shown; i++) {
		table_add_safe(&t, d->rows.v[i].key);
		add_value(&t, d->rows.v[i].a, d->rows.v[i].b);
		add_value(&t, d->rows.v[i].b, d->rows.v[i].a);
	}
	cmd_put_table(c, &t);
	if (shown < d->rows.n)
		(void)fprintf(c->out, "... and %zu more that are less likely to matter (--all)\n",
			      d->rows.n - shown);
	(void)fputc('\n', c->out);
	for (size_t i = 0; i < d->groups.n; i++)
		(void)fprintf(c->out, "%s: %zu equal, %zu differ\n", d->groups.v[i].group,
			      d->groups.v[i].equal, d->groups.v[i].differ);
	if (d->advice.n > 0)
		(void)fputs("\nTo make them as alike as can be, most important first:\n", c->out);
	for (size_t i = 0; i < d->advice.n; i++)
		(void)fprintf(c->out, "- %s\n", d->advice.v[i]);
}

static void put_differences_json(struct cmd_context *c, const struct differences *d,
				 const char *const names[2])
{
	json_t *rows = json_array();
	json_t *groups = json_array();
	json_t *advice = json_array();

	for (size_t i = 0; i < d->rows.n; i++) {
		const struct difference *r = &d->rows.v[i];
		json_t *o = json_object();

		jsonx_put(o, "key", jsonx_text(r->key));
		jsonx_put(o, "group", json_string(r->kind->group));
		jsonx_put(o, "suspicion", json_integer(r->suspicion));
		jsonx_put(o, "a", jsonx_text(r->a));
		jsonx_put(o, "b", jsonx_text(r->b));
		jsonx_append(rows, o);
	}
	for (size_t i = 0; i < d->groups.n; i++)
		jsonx_append(groups, json_pack("{s:s, s:I, s:I}", "group", d->groups.v[i].group,
					       "equal", (json_int_t)d->groups.v[i].equal, "differ",
					       (json_int_t)d->groups.v[i].differ));
	for (size_t i = 0; i < d->advice.n; i++)
		jsonx_append(advice, json_string(d->advice.v[i]));
	put_json(c, json_pack("{s:i, s:[o,o], s:o, s:o, s:o}", "lampduel_differences", 1, "systems",
			      jsonx_text(names[0]), jsonx_text(names[1]), "differences", rows,
			      "groups", groups, "advice", advice));
}

static int run_differences(struct cmd_context *c, void *options, struct strvec *argv,
			   struct err *err)
{
	const struct facts_options *o = options;
	struct factset a = {0};
	struct factset b = {0};
	char *names[2] = {NULL, NULL};
	bool one = argv->n == 1 && text_starts(argv->v[0], "exp:");

	if (argv->n != 2 && !one)
		return err_code(err, ERR_USAGE,
				"differences needs two of TARGET and exp:ID/SYSTEM, or one exp:ID");
	int rc = facts_of(c, argv->v[0], 0, &a, &names[0], err);
	if (rc == 0)
		rc = facts_of(c, argv->v[one ? 0 : 1], one ? 1 : 0, &b, &names[1], err);
	if (rc == 0) {
		struct differences d;
		const char *const shown[2] = {names[0], names[1]};

		differences_make(&a, &b, &d);
		if (is_json(o))
			put_differences_json(c, &d, shown);
		else
			put_differences(c, &d, &a, &b, shown, o->all);
		differences_release(&d);
	}
	free(names[0]);
	free(names[1]);
	factset_release(&a);
	factset_release(&b);
	return rc;
}

static const struct option_row rows[] = {
	{.name = "format",
	 .type = OPT_CHOICE,
	 .offset = offsetof(struct facts_options, format),
	 .arg = "text|json",
	 .fallback = "text",
	 .help = "the format"},
	{.name = "all",
	 .letter = 'a',
	 .type = OPT_FLAG,
	 .offset = offsetof(struct facts_options, all),
	 .help = "show every setting"},
	{.name = NULL},
};

const struct command cmd_facts = {
	.name = "facts",
	.arguments = "[options] TARGET",
	.summary = "show what is known of a system: machine, packages, settings, builds, ABI",
	.details =
		"TARGET may also be exp:ID or exp:ID/SYSTEM: what was stored. Nothing is changed "
		"on the system;\nsecrets in settings are masked.\n",
	.more_help = help_targets,
	.options = rows,
	.options_size = sizeof(struct facts_options),
	.run = run_facts,
};

const struct command cmd_differences = {
	.name = "differences",
	.arguments = "[options] A B",
	.summary = "show in what two systems differ, what is most likely to matter first",
	.details = "A and B are targets, or exp:ID/SYSTEM for what was stored; exp:ID alone means "
		   "its first two\nsystems. At the end stands what would make them as alike as can "
		   "be.\n",
	.more_help = help_targets,
	.options = rows,
	.options_size = sizeof(struct facts_options),
	.run = run_differences,
};
