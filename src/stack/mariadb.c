#include "stack/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { LOG_MAX = 8 << 20 };

/* Generous: a first start writes files in full, on a card that others use too. */
#define START_LIMIT_NS (300 * NS_PER_S)

/* put makes the folders on the way */
static int make_folder(struct stack *st, const struct step *step, const char *name, struct err *err)
{
	char *path = mem_printf("%s/%s/.lampduel", st->system->run_dir_inside, name);
	struct step sub = step_below(step, name);
	int rc = system_put(st->system, &sub, path, "", 0, err);

	step_release(&sub);
	free(path);
	return rc;
}

int mariadb_configure(struct stack *st, const struct step *step, struct err *err)
{
	struct setting_vars vars = stack_vars(st);
	struct buf b = BUF_INIT;
	char *path = mem_printf("%s/my.cnf", vars.run);
	struct step sub = step_below(step, "my.cnf");

	buf_addstr(&b, "[mysqld]\n");
	settings_write(&b, SETTING_MARIADB, &vars);
	int rc = system_put(st->system, &sub, path, b.data, b.len, err);
	if (rc == 0)
		rc = make_folder(st, step, "data", err);
	if (rc == 0)
		rc = make_folder(st, step, "db-tmp", err);
	step_release(&sub);
	free(path);
	buf_release(&b);
	return rc;
}

int mariadb_start(struct stack *st, const struct step *step, struct err *err)
{
	struct strvec argv = STRVEC_INIT;
	char *log = mem_printf("%s/mariadb-%s.log", st->system->run_dir_inside, st->life_text);

	strvec_push(&argv, st->programs->mariadbd);
	strvec_pushf(&argv, "--defaults-file=%s/my.cnf", st->system->run_dir_inside);
	int rc = service_start(st->system, step, &st->mariadb, &argv, NULL, log, err);
	strvec_release(&argv);
	free(log);
	return rc;
}

/* Its log says so; a client that asks costs a process, and an emulated one a tenth of a second. */
static int is_ready(struct stack *st, const struct step *step, struct err *err)
{
	static const char mark[] = "ready for connections";
	struct buf log = BUF_INIT;
	int rc = system_get(st->system, step, st->mariadb.log, LOG_MAX, &log, err);

	if (rc == 0)
		rc = log.len > 0 && memmem(log.data, log.len, mark, sizeof(mark) - 1) != NULL;
	buf_release(&log);
	return rc;
}

int mariadb_wait(struct stack *st, const struct step *step, struct err *err)
{
	return service_wait(st, step, &st->mariadb, is_ready, START_LIMIT_NS, err);
}
