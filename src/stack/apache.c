#include "stack/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { INI_MAX = 1 << 20, READY_MAX = 4096, PORTS_TRIED = 5 };

#define START_LIMIT_NS (120 * NS_PER_S)
#define ASK_LIMIT_NS (5 * NS_PER_S)

static int put_in_run(struct stack *st, const struct step *step, const char *name,
		      const struct buf *text, struct err *err)
{
	char *path = mem_printf("%s/%s", st->system->run_dir_inside, name);
	struct step sub = step_below(step, name);
	int rc = system_put(st->system, &sub, path, buf_str(text), text->len, err);

	step_release(&sub);
	free(path);
	return rc;
}

int apache_configure(struct stack *st, const struct step *step, struct err *err)
{
	struct buf base = BUF_INIT, ini = BUF_INIT;
	int rc = 0;

	if (st->php.ini != NULL) {
		struct step sub = step_below(step, "release-php.ini");
		rc = system_get(st->system, &sub, st->php.ini, INI_MAX, &base, err);
		step_release(&sub);
	}
	for (int on = 1; rc == 0 && on >= 0; on--) {
		struct setting_vars vars = stack_vars(st);

		vars.opcache = on ? "on" : "off";
		buf_clear(&ini);
		php_ini_write(&ini, buf_str(&base), &st->php, &vars);
		rc = put_in_run(st, step, on ? "php-on/php.ini" : "php-off/php.ini", &ini, err);
	}
	buf_release(&base);
	buf_release(&ini);
	return rc;
}

static bool has_module(const struct php_layout *l, const char *name)
{
	for (size_t i = 0; i < l->apache.n; i++) {
		if (strcmp(l->apache.v[i], name) == 0)
			return true;
	}
	return false;
}

/* What Apache has built in has no file, and needs no line. */
static void add_modules(struct buf *b, const struct php_layout *l)
{
	const char *const *names = settings_apache_modules();
	int folder = (int)(strrchr(l->module, '/') - l->module);

	for (; *names != NULL; names++) {
		if (has_module(l, *names))
			buf_addf(b, "LoadModule %s_module \"%.*s/mod_%s.so\"\n", *names, folder,
				 l->module, *names);
	}
	/* the number belonged to the name up to PHP 7 */
	int major = atoi(l->version);
	if (major >= 8)
		buf_addf(b, "LoadModule php_module \"%s\"\n", l->module);
	else
		buf_addf(b, "LoadModule php%d_module \"%s\"\n", major, l->module);
}

static int put_config(struct stack *st, const struct step *step, struct err *err)
{
	struct buf b = BUF_INIT, ready = BUF_INIT;
	struct setting_vars vars = stack_vars(st);

	add_modules(&b, &st->php);
	settings_write(&b, SETTING_APACHE, &vars);
	mem_replace(&st->ready_token,
		    mem_printf("lampduel %s %d %d\n", st->system->name, st->port, st->lives));
	buf_addstr(&ready, st->ready_token);
	int rc = put_in_run(st, step, "apache.conf", &b, err);
	if (rc == 0)
		rc = put_in_run(st, step, "ready", &ready, err);
	buf_release(&b);
	buf_release(&ready);
	return rc;
}

int apache_start(struct stack *st, const struct step *step, struct err *err)
{
	struct strvec argv = STRVEC_INIT, env = STRVEC_INIT;
	const char *run = st->system->run_dir_inside;
	char *log = mem_printf("%s/apache-%s.log", run, st->life_text);
	struct step sub = step_below(step, "port");
	int rc = system_free_port(st->system, &sub, &st->port, err);

	step_release(&sub);
	mem_replace(&st->port_text, mem_printf("%d", st->port));
	if (rc == 0)
		rc = put_config(st, step, err);
	if (rc == 0) {
		strvec_push(&argv, st->programs->apache);
		strvec_push(&argv, "-X"); /* one process, in the foreground */
		strvec_push(&argv, "-f");
		strvec_pushf(&argv, "%s/apache.conf", run);
		/* conf.d is in php.ini already */
		strvec_pushf(&env, "PHP_INI_SCAN_DIR=%s/no-conf.d", run);
		rc = service_start(st->system, step, &st->apache, &argv, &env, log, err);
	}
	strvec_release(&argv);
	strvec_release(&env);
	free(log);
	return rc;
}

static int is_ready(struct stack *st, const struct step *step, struct err *err)
{
	struct fetch_request q = {.method = "GET",
				  .port = st->port,
				  .host = "lampduel.test",
				  .path = "/lampduel-ready",
				  .timeout_ns = ASK_LIMIT_NS,
				  .body_max = READY_MAX};
	struct outcome out = {0};
	int rc = system_fetch(st->system, step, &q, &out, err);

	if (rc == 0 && out.http_status == 200)
		rc = strcmp(buf_str(&out.out), st->ready_token) == 0;
	else if (rc == 0 && out.http_status == 403)
		rc = err_set(err,
			     "Apache of %s, as user %s, cannot read in its run folder %s: a folder "
			     "above it is closed to others",
			     st->system->name,
			     st->php.web_user != NULL ? st->php.web_user : "of lampduel",
			     st->system->run_dir_inside);
	outcome_release(&out);
	return rc;
}

int apache_wait(struct stack *st, const struct step *step, struct err *err)
{
	int rc = 0;

	for (int tried = 1;; tried++) {
		char again[32];

		rc = service_wait(st, step, &st->apache, is_ready, START_LIMIT_NS, err);
		if (rc != ERR_GONE || strstr(err->msg, "in use") == NULL || tried == PORTS_TRIED)
			return rc;
		/* the port was free when we asked, and taken when Apache did */
		err_clear(err);
		st->apache.id = 0;
		(void)snprintf(again, sizeof(again), "again-%d", tried);
		struct step sub = step_below(step, again);
		rc = apache_start(st, &sub, err);
		step_release(&sub);
		if (rc != 0)
			return rc;
	}
}
