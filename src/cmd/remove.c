/* lampduel remove: takes experiments out of the store. */
#include <string.h>

#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/pick.h"

struct remove_options {
	bool force;
};

/* All must be there and may go before the first one goes. */
static int check(struct cmd_context *c, int64_t id, bool force, struct err *err)
{
	struct store_rows rows = {{0}};
	int rc = store_list(c->store, &rows, err);
	const struct store_row *found = NULL;

	for (size_t i = 0; rc == 0 && i < rows.rows.n; i++) {
		if (rows.rows.v[i].id == id)
			found = &rows.rows.v[i];
	}
	if (rc == 0 && found == NULL)
		rc = err_set(err,
			     "no experiment %lld in the store %s; lampduel list shows those there "
			     "are",
			     (long long)id, store_path(c->store));
	else if (rc == 0 && !force && text_equal(found->state, "running"))
		rc = err_set(
			err,
			"experiment %lld is being measured just now; remove --force removes it all "
			"the same",
			(long long)id);
	store_rows_release(&rows);
	return rc;
}

static int run(struct cmd_context *c, void *options, struct strvec *argv, struct err *err)
{
	const struct remove_options *o = options;
	int64_t *ids = mem_array(argv->n, sizeof(*ids));
	int rc = 0;

	if (argv->n == 0)
		rc = err_code(err, ERR_USAGE,
			      "remove: name the experiments; lampduel list shows them");
	for (size_t i = 0; rc == 0 && i < argv->n; i++) {
		rc = pick_id(argv->v[i], &ids[i], err);
		if (rc == 0)
			rc = check(c, ids[i], o->force, err);
		for (size_t k = 0; rc == 0 && k < i; k++) {
			if (ids[k] == ids[i])
				rc = err_code(err, ERR_USAGE, "remove: %lld is named twice",
					      (long long)ids[i]);
		}
	}
	for (size_t i = 0; rc == 0 && i < argv->n; i++) {
		rc = store_remove(c->store, ids[i], err);
		if (rc == 0)
			(void)fprintf(c->out, "removed experiment %lld\n", (long long)ids[i]);
	}
	free(ids);
	return rc;
}

static const struct option_row rows[] = {
	{.name = "force",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct remove_options, force),
	 .help = "also one that is being measured; its run then ends with an error"},
	{.name = NULL},
};

const struct command cmd_remove = {
	.name = "remove",
	.arguments = "[options] EXPERIMENT...",
	.summary = "remove stored experiments for good",
	.options = rows,
	.options_size = sizeof(struct remove_options),
	.flags = CMD_STORE,
	.run = run,
};
