/* lampduel list: what the store holds. */
#include <stdlib.h>

#include "base/text.h"
#include "cmd/commands.h"
#include "report/table.h"

/* Below this the columns leave no room for a title beside them. */
enum { TABLE_MIN = 76, ALL_MIN = 96 };

/* Blanks that no line is broken at: only the title may be. */
static void add_whole(struct table *t, const char *text)
{
	char *safe = text_escaped(text);

	for (char *p = safe; *p != '\0'; p++) {
		if (*p == ' ')
			*p = TABLE_GLUE[0];
	}
	table_add(t, safe);
	free(safe);
}

static void add_row(struct table *t, const struct store_row *r, bool all)
{
	char when[32];
	char *title = text_escaped(r->title);
	char *rounds = mem_printf("%d of %d", r->rounds_done, r->rounds_planned);

	clock_format_utc(r->created_unix_ns, when, sizeof(when));
	table_addf(t, "%lld", (long long)r->id);
	/* to the minute: "2026-11-30 21:45" */
	when[16] = '\0';
	add_whole(t, when);
	if (all)
		add_whole(t, r->kind);
	add_whole(t, r->state);
	add_whole(t, rounds);
	if (all)
		table_addf(t, "%lld", (long long)r->executions);
	table_add(t, title);
	free(title);
	free(rounds);
}

static void put_table(const struct cmd_context *c, const struct store_rows *rows, struct buf *b)
{
	static const char *const heads[] = {"Number", "Begun, UTC", "Kind", "State",
					    "Rounds", "Executions", "Title"};
	bool all = c->columns >= ALL_MIN;
	struct table t;

	table_init(&t, all ? 7 : 5, !c->utf8, true);
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		if (all || (i != 2 && i != 5))
			add_whole(&t, heads[i]);
	}
	for (size_t i = 0; i < rows->rows.n; i++)
		add_row(&t, &rows->rows.v[i], all);
	table_render(&t, (size_t)c->columns, b);
	table_release(&t);
}

/* For a narrow terminal: a paragraph each. */
static void put_paragraphs(const struct cmd_context *c, const struct store_rows *rows,
			   struct buf *b)
{
	for (size_t i = 0; i < rows->rows.n; i++) {
		const struct store_row *r = &rows->rows.v[i];
		char when[32];
		char *title = text_escaped(r->title);
		char *number = mem_printf("%-5lld ", (long long)r->id);

		clock_format_utc(r->created_unix_ns, when, sizeof(when));
		char *text = mem_printf("%.16s, %s, %d of %d rounds", when, r->state,
					r->rounds_done, r->rounds_planned);
		table_paragraph(b, number, text, (size_t)c->columns, !c->utf8);
		table_paragraph(b, "      ", title, (size_t)c->columns, !c->utf8);
		free(text);
		free(number);
		free(title);
	}
}

static int run(struct cmd_context *c, void *options, struct strvec *argv, struct err *err)
{
	struct store_rows rows = {{0}};
	struct buf b = BUF_INIT;

	(void)options;
	if (argv->n > 0)
		return err_code(err, ERR_USAGE, "list takes no arguments");
	int rc = store_list(c->store, &rows, err);
	if (rc == 0 && rows.rows.n == 0)
		(void)fprintf(c->out, "There is no experiment in the store %s yet.\n",
			      store_path(c->store));
	if (rc == 0 && rows.rows.n > 0) {
		if (c->columns >= TABLE_MIN)
			put_table(c, &rows, &b);
		else
			put_paragraphs(c, &rows, &b);
		(void)fwrite(b.data, 1, b.len, c->out);
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
