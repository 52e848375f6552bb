#include "stack/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define GRACE_APACHE_NS (10 * NS_PER_S)
#define GRACE_MARIADB_NS (60 * NS_PER_S)

struct stack *stack_new(struct system *s, const struct stack_programs *p,
			const struct wordpress_tree *tree)
{
	struct stack *st = mem_alloc(sizeof(*st));

	st->system = s;
	st->programs = p;
	st->tree = tree;
	st->php.uid = -1;
	st->opcache = true;
	st->mariadb.name = "MariaDB";
	st->apache.name = "Apache";
	st->socket = mem_printf("%s/mariadb.sock", s->run_dir_inside);
	st->port_text = mem_strdup("0");
	st->life_text = mem_strdup("0");
	return st;
}

struct setting_vars stack_vars(const struct stack *st)
{
	return (struct setting_vars){
		.run = st->system->run_dir_inside,
		.port = st->port_text,
		.life = st->life_text,
		.tree = st->tree_inside,
		.opcache = st->opcache ? "on" : "off",
		.user = st->php.web_user,
		.gid = st->gid_text,
		/* not known without PHP; whoever is not root gets a warning in the log and no more
		 */
		.root = st->php.uid <= 0,
		.switch_user = st->php.uid == 0 && st->php.web_user != NULL,
	};
}

/* How PHP and Apache are laid out; also who we are inside, so with any PHP at hand. */
static int look_around(struct stack *st, const struct step *step, struct err *err)
{
	if (st->programs->php_cli == NULL)
		return 0;
	struct step sub = step_below(step, "php");
	int rc = php_probe(st->system, &sub, st->programs->php_cli, &st->php, err);
	step_release(&sub);
	mem_replace(&st->gid_text, mem_printf("%ld", st->php.web_gid));
	if (rc != 0 || st->tree == NULL)
		return rc;
	if (st->php.module == NULL)
		return err_set(err, "%s: Apache has no module of PHP %s", st->system->name,
			       st->php.version);
	if (st->php.uid == 0 && st->php.web_user == NULL)
		return err_set(err,
			       "%s: Apache serves nothing as root, and none of the users www-data, "
			       "apache, http, nobody, daemon can be used there",
			       st->system->name);
	return site_show_tree(st, step, err);
}

static int stop_all(struct stack *st, const struct step *step, struct err *err)
{
	struct err second = ERR_INIT;
	struct step sub = step_below(step, "stop");
	int rc = service_stop(st->system, &sub, &st->apache, GRACE_APACHE_NS, err);
	int rc2 = service_stop(st->system, &sub, &st->mariadb, GRACE_MARIADB_NS,
			       rc == 0 ? err : &second);

	step_release(&sub);
	return rc != 0 ? rc : rc2;
}

int stack_prepare(struct stack *st, const struct step *step, struct err *err)
{
	int rc = look_around(st, step, err);

	if (rc == 0)
		rc = mariadb_configure(st, step, err);
	if (rc == 0 && st->tree != NULL)
		rc = apache_configure(st, step, err);
	if (rc == 0)
		rc = mariadb_start(st, step, err);
	if (rc == 0)
		rc = mariadb_wait(st, step, err);
	if (rc == 0 && st->tree != NULL)
		rc = site_install(st, step, err);
	struct err second = ERR_INIT;
	int stopped = stop_all(st, step, rc == 0 ? err : &second);
	if (rc == 0)
		rc = stopped;
	st->prepared = rc == 0;
	return rc;
}

static int start_all(struct stack *st, bool web, const struct step *step, struct err *err)
{
	/* both at once: neither needs the other to start */
	int rc = mariadb_start(st, step, err);

	if (rc == 0 && web)
		rc = apache_start(st, step, err);
	if (rc == 0)
		rc = mariadb_wait(st, step, err);
	if (rc == 0 && web)
		rc = apache_wait(st, step, err);
	return rc;
}

int stack_begin_life(struct stack *st, const struct stack_life *life, const struct step *step,
		     struct err *err)
{
	if (!st->prepared)
		return err_set(err, "the services of %s were not prepared", st->system->name);
	if (st->mariadb.id != 0 || st->apache.id != 0)
		return err_set(err, "the services of %s run already", st->system->name);
	if (life->web && st->tree == NULL)
		return err_set(err, "%s was prepared without a site", st->system->name);
	st->lives++;
	mem_replace(&st->life_text, mem_printf("%d", st->lives));
	st->opcache = life->opcache;
	int rc = start_all(st, life->web, step, err);
	if (rc != 0) {
		struct err second = ERR_INIT;
		(void)stop_all(st, step, &second);
	}
	return rc;
}

int stack_end_life(struct stack *st, const struct step *step, struct err *err)
{
	return stop_all(st, step, err);
}

int stack_check(struct stack *st, struct err *err)
{
	struct step step = {.name = "stack/check", .round = 0, .attempt = 1};

	if (st->mariadb.id == 0 && st->apache.id == 0)
		return err_set(err, "the services of %s are not running", st->system->name);
	int rc = service_check(st->system, &step, &st->mariadb, err);
	if (rc == 0 && st->apache.id != 0)
		rc = service_check(st->system, &step, &st->apache, err);
	return rc;
}

int stack_port(const struct stack *st)
{
	return st->port;
}

const char *stack_socket(const struct stack *st)
{
	return st->socket;
}

const struct stack_programs *stack_get_programs(const struct stack *st)
{
	return st->programs;
}

const struct wordpress_tree *stack_get_tree(const struct stack *st)
{
	return st->tree;
}

void stack_settings(const struct stack *st, struct factset *f)
{
	struct setting_vars vars = stack_vars(st);

	settings_report(&vars, st->tree != NULL, f);
	if (st->tree != NULL && st->php.conf_from_packages)
		factset_set(f, "setting.php.conf.d", "from the packages' own files",
			    "the installation is unpacked, not configured: its conf.d is empty");
}

void stack_free(struct stack *st)
{
	struct step step = {.name = "stack/free", .round = 0, .attempt = 1};
	struct err ignored = ERR_INIT;

	if (st == NULL)
		return;
	(void)stop_all(st, &step, &ignored);
	php_layout_release(&st->php);
	service_release(&st->mariadb);
	service_release(&st->apache);
	free(st->tree_inside);
	free(st->socket);
	free(st->port_text);
	free(st->life_text);
	free(st->gid_text);
	free(st->ready_token);
	free(st);
}
