#include "stack/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum { VERSION_PHP_MAX = 1 << 20 };

#define ASK_LIMIT_NS (60 * NS_PER_S)

void stack_programs_release(struct stack_programs *p)
{
	free(p->mariadbd);
	free(p->mariadb);
	free(p->apache);
	free(p->php_cli);
	free(p->php_module);
	free(p->php_extensions);
	free(p->openssl);
	free(p->wordpress);
	free(p->mariadb_version);
	free(p->apache_version);
	free(p->php_version);
	free(p->openssl_version);
	free(p->wordpress_version);
	memset(p, 0, sizeof(*p));
}

/* A program, where distributions have it, how it is asked and what stands before its version. */
struct wanted {
	const char *const *paths;
	const char *option;
	const char *const *marks;
};

/*
 * Asks the first path that runs. 0: it was tried; *path is NULL when none is there or none says a
 * version. Negative: the system cannot be used.
 */
static int find(struct system *s, const struct wanted *w, char **path, char **version,
		struct err *err)
{
	for (const char *const *p = w->paths; *p != NULL && *path == NULL; p++) {
		struct strvec argv = STRVEC_INIT;
		struct outcome out = {0};
		struct step top = {.name = "programs", .round = 0, .attempt = 1};
		struct step step = step_below(&top, *p + 1);
		struct exec_request q = {.argv = &argv, .timeout_ns = ASK_LIMIT_NS};

		strvec_push(&argv, *p);
		strvec_push(&argv, w->option);
		int rc = system_exec(s, &step, &q, &out, err);
		for (const char *const *m = w->marks; rc == 0 && *m != NULL; m++) {
			char *v = out.status == OUTCOME_OK ? version_after(buf_str(&out.out), *m)
							   : NULL;
			if (v == NULL)
				continue;
			mem_replace(path, mem_strdup(*p));
			mem_replace(version, v);
			break;
		}
		outcome_release(&out);
		strvec_release(&argv);
		step_release(&step);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int find_servers(struct system *s, struct stack_programs *p, struct err *err)
{
	static const char *const mariadbd[] = {"/usr/sbin/mariadbd",    "/usr/sbin/mysqld",
					       "/usr/libexec/mariadbd", "/usr/libexec/mysqld",
					       "/usr/bin/mariadbd",     NULL};
	static const char *const mariadb[] = {"/usr/bin/mariadb", "/usr/bin/mysql", NULL};
	static const char *const apache[] = {"/usr/sbin/apache2", "/usr/sbin/httpd",
					     "/usr/bin/httpd", NULL};
	static const char *const openssl[] = {"/usr/bin/openssl", "/usr/local/bin/openssl", NULL};
	static const char *const ver[] = {"Ver ", NULL};
	/* the client's own version comes first, the server's it belongs to after it */
	static const char *const client[] = {"Distrib ", "from ", "Ver ", NULL};
	static const char *const httpd[] = {"Apache/", NULL};
	static const char *const ssl[] = {"OpenSSL ", "LibreSSL ", NULL};
	const struct wanted server = {mariadbd, "--version", ver};
	const struct wanted mysql = {mariadb, "--version", client};
	const struct wanted web = {apache, "-v", httpd};
	const struct wanted crypto = {openssl, "version", ssl};
	char *client_version = NULL;
	int rc = find(s, &server, &p->mariadbd, &p->mariadb_version, err);

	if (rc == 0)
		rc = find(s, &mysql, &p->mariadb, &client_version, err);
	if (rc == 0)
		rc = find(s, &web, &p->apache, &p->apache_version, err);
	if (rc == 0)
		rc = find(s, &crypto, &p->openssl, &p->openssl_version, err);
	free(client_version);
	return rc;
}

/* Takes over what the newest PHP says; true when Apache has its module. */
static bool take_php(struct stack_programs *p, const char *path, const struct php_layout *l)
{
	if (p->php_cli != NULL && l->module == NULL)
		return false;
	mem_replace(&p->php_cli, mem_strdup(path));
	mem_replace(&p->php_version, mem_strdup(l->version));
	mem_replace(&p->php_extensions, mem_strdup(l->extensions));
	mem_replace(&p->php_module, mem_strdup(l->module));
	return l->module != NULL;
}

/* The newest PHP whose module Apache has; without such a module the newest. */
static int find_php(struct system *s, struct stack_programs *p, struct err *err)
{
	static const char *const names[] = {"php8.6", "php8.5", "php8.4", "php8.3", "php8.2",
					    "php8.1", "php8.0", "php7.4", "php7.3", "php7.2",
					    "php7.1", "php7.0", "php5",   "php",    NULL};
	static const char *const php[] = {"PHP ", NULL};
	bool done = false;
	int rc = 0;

	for (const char *const *n = names; rc == 0 && *n != NULL && !done; n++) {
		char *path = mem_printf("/usr/bin/%s", *n);
		const char *paths[] = {path, NULL};
		const struct wanted w = {paths, "-v", php};
		struct step top = {.name = "programs/layout", .round = 0, .attempt = 1};
		struct step step = step_below(&top, *n);
		struct php_layout l = {0};
		struct err ignored = ERR_INIT;
		char *found = NULL, *version = NULL;

		rc = find(s, &w, &found, &version, err);
		if (rc == 0 && found != NULL && php_probe(s, &step, path, &l, &ignored) == 0)
			done = take_php(p, path, &l);
		php_layout_release(&l);
		step_release(&step);
		free(found);
		free(version);
		free(path);
	}
	return rc;
}

static int find_wordpress(struct system *s, struct stack_programs *p, struct err *err)
{
	static const char *const folders[] = {"/usr/share/wordpress", "/var/www/html", NULL};
	struct step top = {.name = "programs/wordpress", .round = 0, .attempt = 1};

	for (const char *const *f = folders; *f != NULL && p->wordpress == NULL; f++) {
		char *path = mem_printf("%s/wp-includes/version.php", *f);
		struct step step = step_below(&top, *f + 1);
		struct buf text = BUF_INIT;
		struct err why = ERR_INIT;
		int rc = system_get(s, &step, path, VERSION_PHP_MAX, &text, &why);

		if (rc == 0)
			p->wordpress_version = php_string_of(buf_str(&text), "wp_version");
		if (p->wordpress_version != NULL)
			p->wordpress = mem_strdup(*f);
		buf_release(&text);
		step_release(&step);
		free(path);
		/* a missing file is the usual case, a missing system is not */
		if (rc == ERR_GONE || rc == ERR_INTERRUPTED) {
			*err = why;
			return rc;
		}
	}
	return 0;
}

int stack_find_programs(struct system *s, struct stack_programs *p, struct err *err)
{
	memset(p, 0, sizeof(*p));
	int rc = find_servers(s, p, err);
	if (rc == 0)
		rc = find_php(s, p, err);
	if (rc == 0)
		rc = find_wordpress(s, p, err);
	if (rc != 0) {
		(void)err_wrap(err, "looking for programs in %s", s->name);
		stack_programs_release(p);
	}
	return rc;
}

bool stack_supported(const struct stack_programs *p, bool web, char **reason)
{
	struct buf b = BUF_INIT;
	const struct {
		const char *found, *text;
		bool for_web;
	} needs[] = {
		{p->mariadbd, "the MariaDB server (package mariadb-server-core)", false},
		{p->mariadb, "the MariaDB client (package mariadb-client-core)", false},
		{p->apache, "Apache (package apache2-bin)", true},
		{p->php_cli, "PHP's command line program (package php-cli)", true},
		{p->php_module, "Apache's PHP module (package libapache2-mod-php)", true},
	};

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		if (needs[i].found == NULL && (web || !needs[i].for_web))
			buf_addf(&b, "%s%s", b.len > 0 ? ", " : "missing: ", needs[i].text);
	}
	if (b.len == 0) {
		buf_release(&b);
		return true;
	}
	if (reason != NULL)
		*reason = buf_detach(&b);
	else
		buf_release(&b);
	return false;
}
