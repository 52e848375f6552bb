/* What the programs say of their settings and how they were built; packages. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "collect/internal.h"
#include "facts/effective.h"
#include "facts/packages.h"

typedef void reader_fn(const char *text, struct factset *f);

static int ask_and_read(struct collector *c, const char *name, const char *const *argv,
			const struct strvec *env, reader_fn *read, struct err *err)
{
	struct buf b = BUF_INIT;
	int rc = collect_ask(c, name, argv, env, &b, err);

	if (rc == 0 && b.len > 0)
		read(buf_str(&b), c->f);
	buf_release(&b);
	return rc;
}

/* Debian's Apache takes these from a script; with them its configuration can be read. */
static void apache_env(struct strvec *env)
{
	static const char *const rows[] = {
		"APACHE_RUN_DIR=/run/apache2",     "APACHE_LOCK_DIR=/run/lock/apache2",
		"APACHE_LOG_DIR=/var/log/apache2", "APACHE_PID_FILE=/run/apache2/apache2.pid",
		"APACHE_RUN_USER=www-data",        "APACHE_RUN_GROUP=www-data",
		"APACHE_CONFDIR=/etc/apache2"};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		strvec_push(env, rows[i]);
}

static int ask_apache(struct collector *c, struct err *err)
{
	const char *build[] = {c->p->apache, "-V", NULL};
	const char *modules[] = {c->p->apache, "-M", NULL};
	struct strvec env = STRVEC_INIT;

	apache_env(&env);
	int rc = ask_and_read(c, "apache/build", build, &env, effective_apache_build, err);
	if (rc == 0)
		rc = ask_and_read(c, "apache/modules", modules, &env, effective_apache_modules,
				  err);
	strvec_release(&env);
	return rc;
}

static int ask_php(struct collector *c, struct err *err)
{
	const char *info[] = {c->p->php_cli, "-i", NULL};
	const char *modules[] = {c->p->php_cli, "-m", NULL};
	int rc = ask_and_read(c, "php/info", info, NULL, effective_php_info, err);

	if (rc == 0)
		rc = ask_and_read(c, "php/modules", modules, NULL, effective_php_modules, err);
	return rc;
}

int collect_settings(struct collector *c, struct err *err)
{
	const char *openssl[] = {c->p->openssl, "version", "-a", NULL};
	const char *mariadb[] = {c->p->mariadbd, "--verbose", "--help", NULL};
	int rc = 0;

	if (c->p->apache != NULL)
		rc = ask_apache(c, err);
	if (rc == 0 && c->p->php_cli != NULL)
		rc = ask_php(c, err);
	if (rc == 0 && c->p->mariadbd != NULL)
		rc = ask_and_read(c, "mariadb/settings", mariadb, NULL, effective_mariadb_help,
				  err);
	if (rc == 0 && c->p->openssl != NULL)
		rc = ask_and_read(c, "openssl/build", openssl, NULL, effective_openssl, err);
	return rc;
}

/* dpkg-query where there is one, the file it reads where not; else Slackware's folder. */
int collect_packages(struct collector *c, struct err *err)
{
	static const char *const query[] = {"dpkg-query", "-W", "-f",
					    "${Package}\\t${Version}\\t${Status}\\n", NULL};
	static const char *const list[] = {"ls", "/var/log/packages", NULL};
	bool slackware = text_equal(factset_get(c->f, "os.id"), "slackware");
	size_t before = c->f->n;
	bool known = false;
	struct buf b = BUF_INIT;
	int rc = 0;

	/* a prepared installation has said so already */
	for (size_t i = 0; i < c->f->n; i++)
		known = known || text_starts(c->f->v[i].key, "package.");
	if (known)
		return 0;
	if (slackware)
		rc = ask_and_read(c, "packages", list, NULL, packages_slackware, err);
	else
		rc = ask_and_read(c, "packages", query, NULL, packages_dpkg_query, err);
	if (rc == 0 && !slackware && c->f->n == before) {
		rc = collect_read(c, "/var/lib/dpkg/status", &b, err);
		if (rc == 0)
			packages_dpkg_status(buf_str(&b), c->f);
	}
	buf_release(&b);
	return rc;
}
