/* lampduel import: puts figures that were not measured into this store. */
#include <string.h>

#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/pasted.h"
#include "cmd/sides.h"

static const char imported[] =
	"This experiment was imported from a file: lampduel did not measure it into this store.";

static void add_note(struct experiment *e)
{
	for (size_t i = 0; i < e->notes.n; i++) {
		if (text_equal(e->notes.v[i], imported))
			return;
	}
	vec_push(&e->notes, mem_strdup(imported));
}

static int put(struct cmd_context *c, struct experiment *e, const char *what, struct err *err)
{
	int rc = store_import(c->store, e, err);

	if (rc != 0)
		return err_wrap(err, "%s", what);
	char *shown = text_escaped(what);
	(void)fprintf(c->out, "%s is experiment %lld\n", shown, (long long)e->id);
	free(shown);
	return 0;
}

/* An experiment of ours is stored at once, pasted figures become sides of one for all files. */
static int take(struct cmd_context *c, struct sides *s, const char *path, bool alone,
		struct err *err)
{
	struct experiment e = {.id = 0};
	bool own = false;
	int rc = pasted_read_any(path, alone, &e, &own, err);

	if (rc == 0 && own) {
		add_note(&e);
		rc = put(c, &e, path, err);
	} else if (rc == 0) {
		rc = sides_add_every(s, &e, pasted_file_name(path), err);
	}
	experiment_release(&e);
	return rc;
}

static int run(struct cmd_context *c, void *options, struct strvec *argv, struct err *err)
{
	struct sides s;
	int rc = 0;

	(void)options;
	if (argv->n == 0)
		return err_code(err, ERR_USAGE,
				"import: name the files to store, or - for standard input");
	sides_init(&s, c->command_line);
	for (size_t i = 0; rc == 0 && i < argv->n; i++)
		rc = take(c, &s, argv->v[i], argv->n == 1, err);
	if (rc == 0 && s.e.systems.n > 0) {
		sides_finish(&s);
		add_note(&s.e);
		s.e.created_unix_ns = s.e.ended_unix_ns = clock_unix_ns(&c->clock);
		rc = put(c, &s.e, s.e.title, err);
	}
	sides_release(&s);
	return rc;
}

const struct command cmd_import = {
	.name = "import",
	.arguments = "FILE...",
	.summary = "store figures of files: pasted output, or lampduel's own JSON",
	.details = "A file that lampduel report --format json wrote becomes an equal experiment. "
		   "What is "
		   "read in\npasted output becomes one experiment, the files (or the labels of a "
		   "single "
		   "file) its systems;\nthey are compared within their sessions only. FILE may be "
		   "- for "
		   "standard input.\n",
	.flags = CMD_STORE,
	.run = run,
};
