#include "system/kinds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/text.h"
#include "system/launched.h"

static int local_check(const char *target, struct err *err)
{
	if (strcmp(target, "local") == 0)
		return 0;
	return err_code(err, ERR_USAGE, "local stands alone: write local, not local:...");
}

/* Without a mount of its own a share is where it lies. */
static void show_shares(struct system *s, const struct system_options *o)
{
	for (size_t i = 0; i < o->n_shares; i++)
		s->share_inside[i] = mem_strdup(o->shares[i].host_path);
}

static void local_close(struct system *s)
{
	struct launched *d = s->impl;

	launched_release(d);
	free(d);
}

static int local_open(struct system *s, const struct system_options *o, struct err *err)
{
	const char *path = getenv("PATH");
	char *search = mem_printf("%s%s/usr/sbin:/sbin:/usr/bin:/bin", path == NULL ? "" : path,
				  path == NULL || path[0] == '\0' ? "" : ":");
	struct launched *d = mem_alloc(sizeof(*d));
	char *launcher = fs_helper_program("lampduel-launcher");
	struct strvec argv = STRVEC_INIT;
	int rc = 0;

	s->impl = d;
	s->root_host = mem_strdup("/");
	s->run_dir_inside = realpath(o->run_dir, NULL);
	if (s->run_dir_inside == NULL)
		rc = err_errno(err, errno, "no run folder %s", o->run_dir);
	else if (launcher == NULL)
		rc = err_set(err, "lampduel-launcher is missing beside lampduel; install it again");
	if (rc == 0) {
		launched_init(d, s, o, "", search, s->run_dir_inside);
		show_shares(s, o);
		strvec_push(&argv, launcher);
		d->launch = launch_start(&(struct launch_options){.argv = &argv,
								  .run_id = o->run_id,
								  .what = "the launcher",
								  .stop = o->stop},
					 err);
		rc = d->launch == NULL ? ERR_FAIL : launched_begin(s, err);
	}
	strvec_release(&argv);
	free(launcher);
	free(search);
	if (rc != 0)
		local_close(s);
	return rc;
}

const struct system_kind local_kind = {
	.scheme = "local",
	.form = "local",
	.summary = "this machine, as it is",
	.check = local_check,
	.open = local_open,
	.close = local_close,
	LAUNCHED_FUNCTIONS,
};
