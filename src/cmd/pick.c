#include "cmd/pick.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int pick_id(const char *text, int64_t *id, struct err *err)
{
	const char *number = text_starts(text, "exp:") ? text + strlen("exp:") : text;

	if (text_to_i64(number, id) && *id > 0)
		return 0;
	char *shown = text_escaped(text);
	(void)err_code(err, ERR_USAGE,
		       "\"%s\" is not the number of an experiment; lampduel list shows "
		       "them",
		       shown);
	free(shown);
	return ERR_USAGE;
}

int pick_experiment(struct cmd_context *c, const struct strvec *argv, int64_t *id, struct err *err)
{
	if (argv->n > 1)
		return err_code(err, ERR_USAGE, "one experiment at a time");
	if (argv->n == 1)
		return pick_id(argv->v[0], id, err);
	*id = store_newest(c->store, err);
	if (*id == 0)
		return err_set(err,
			       "there is no experiment in the store %s yet; lampduel run makes one",
			       store_path(c->store));
	return *id < 0 ? ERR_FAIL : 0;
}
