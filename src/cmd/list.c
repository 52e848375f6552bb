/* lampduel list: what the store holds. */
#include "base/text.h"
#include "cmd/commands.h"
#include "report/table.h"

static void add_row(struct table *t, const struct store_row *r)
{
	char when[32];
	char *title = text_escaped(r->title);
	char *state = text_escaped(r->state);
	char *kind = text_escaped(r->kind);

	clock_format_utc(r->created_unix_ns, when, sizeof(when));
	/* to the minute: "2026-11-30 21:45" */
	table_addf(t, "%lld", (long long)r->id);
	table_addf(t, "%.10s" TABLE_GLUE "%.5s", when, when + 11);
	table_add(t, kind);
	table_add(t, state);
	table_addf(t, "%d of %d", r->rounds_done, r->rounds_planned);
	table_addf(t, "%lld", (long long)r->executions);
	table_add(t, title);
	free(title);
	free(state);
	free(kind);
}

static int run(struct cmd_context *c, void *options, struct strvec *argv, struct err *err)
{
	struct store_rows rows = {{0}};
	struct table t;
	struct buf b = BUF_INIT;

	(void)options;
	if (argv->n > 0)
		return err_code(err, ERR_USAGE, "list takes no arguments");
	int rc = store_list(c->store, &rows, err);
	if (rc == 0 && rows.rows.n == 0)
		(void)fprintf(c->out, "There is no experiment in the store %s yet.\n",
			      store_path(c->store));
	if (rc == 0 && rows.rows.n > 0) {
		static const char *const heads[] = {"Number", "Begun, UTC", "Kind", "State",
						    "Rounds", "Executions", "Title"};
		table_init(&t, sizeof(heads) / sizeof(heads[0]), !c->utf8, true);
		for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
			table_add(&t, heads[i]);
		for (size_t i = 0; i < rows.rows.n; i++)
			add_row(&t, &rows.rows.v[i]);
		table_render(&t, (size_t)c->columns, &b);
		(void)fwrite(b.data, 1, b.len, c->out);
		table_release(&t);
		buf_release(&b);
	}
	store_rows_release(&rows);
	return rc;
}

const struct command cmd_list = {
	.name = "list",
	.arguments = "[options]",
	.summary = "list the stored experiments, the newest first",
	.flags = CMD_STORE,
	.run = run,
};
