#include "cmd/opened.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/fs.h"
#include "base/text.h"

static void say_progress(void *arg, const char *line)
{
	char *safe = text_escaped(line);

	(void)arg;
	(void)fprintf(stderr, "%s\n", safe);
	free(safe);
}

int opened_open(struct opened *o, const struct cmd_context *c, const char *target, struct err *err)
{
	const struct system_kind *kind = system_kind_of(target, err);

	*o = (struct opened){.clock = c->clock};
	if (kind == NULL || (kind->check != NULL && kind->check(target, err) != 0))
		return ERR_USAGE;
	if (kind->start_clock != NULL && kind->start_clock(target, &o->clock, err) != 0)
		return err->code;
	o->cache = fs_cache_dir();
	o->run_id = guard_new_run_id();
	o->guard = guard_new_run_dir(o->cache, o->run_id, err);
	o->dir = o->guard == NULL ? NULL : guard_system_dir(o->guard, "0", err);
	if (o->dir != NULL) {
		const struct system_options options = {.name = target,
						       .target = target,
						       .run_id = o->run_id,
						       .run_dir = o->dir,
						       .cache_dir = o->cache,
						       .clock = &o->clock,
						       .stop = c->stop,
						       .progress = say_progress};
		o->system = system_open(&options, err);
	}
	if (o->system != NULL)
		return 0;
	opened_close(o);
	return err->code;
}

void opened_close(struct opened *o)
{
	system_close(o->system);
	guard_end(o->guard);
	free(o->dir);
	free(o->cache);
	free(o->run_id);
	*o = (struct opened){.system = NULL};
}
