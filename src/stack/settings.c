#include "stack/internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

struct setting {
	enum setting_program program;
	enum setting_when when;
	const char *section; /* Apache: a block around it; NULL: none */
	const char *name;
	const char *value; /* NULL: the release has it, we do not */
	const char *why;
};

/* sections of Apache's configuration */
#define ALL_FOLDERS "Directory />"
#define TREE "Directory \"{tree}\">"
#define READY "Location /lampduel-ready>"
#define PHP_FILES "FilesMatch \"\\.php$\">"

static const char own_place[] = "a place of its own, removed afterwards";
static const char only_page[] = "serves the one site and nothing else";

static const struct setting table[] = {
	{SETTING_MARIADB, WHEN_ROOT, NULL, "user", "root",
	 "as whom lampduel runs; no account needed"},
	{SETTING_MARIADB, WHEN_ALWAYS, NULL, "datadir", "{run}/data", own_place},
	{SETTING_MARIADB, WHEN_ALWAYS, NULL, "tmpdir", "{run}/db-tmp", own_place},
	{SETTING_MARIADB, WHEN_ALWAYS, NULL, "socket", "{run}/mariadb.sock", own_place},
	{SETTING_MARIADB, WHEN_ALWAYS, NULL, "pid-file", "{run}/mariadb.pid", own_place},
	{SETTING_MARIADB, WHEN_ALWAYS, NULL, "secure-file-priv", "{run}/db-tmp",
	 "statements reach no other files"},
	{SETTING_MARIADB, WHEN_ALWAYS, NULL, "skip-networking", "1", "reached by its socket alone"},
	{SETTING_MARIADB, WHEN_ALWAYS, NULL, "skip-grant-tables", "1",
	 "an unpacked installation has no system tables"},
	{SETTING_MARIADB, WHEN_ALWAYS, NULL, "character-set-server", "utf8mb4",
	 "as Debian's server package sets it; releases differ in their built-in value"},
	{SETTING_MARIADB, WHEN_ALWAYS, NULL, "collation-server", "utf8mb4_general_ci",
	 "as Debian's server package sets it; releases differ in their built-in value"},
	{SETTING_MARIADB, WHEN_ALWAYS, NULL, "loose-ssl", "0",
	 "a socket needs none, and newer servers make an RSA key at each start"},
	{SETTING_MARIADB, WHEN_ALWAYS, NULL, "innodb-use-native-aio", "0",
	 "emulators do not offer it; equal on all systems"},
	{SETTING_MARIADB, WHEN_ALWAYS, NULL, "innodb-buffer-pool-dump-at-shutdown", "0",
	 "each life starts alike"},
	{SETTING_MARIADB, WHEN_ALWAYS, NULL, "innodb-buffer-pool-load-at-startup", "0",
	 "no loading in the background of a measurement"},

	{SETTING_PHP, WHEN_ALWAYS, NULL, "opcache.enable", "{opcache}",
	 "the task says it: on or off"},
	{SETTING_PHP, WHEN_ALWAYS, NULL, "max_execution_time", "0",
	 "a slow system is to be measured, not cut off; lampduel has its own time limit"},
	{SETTING_PHP, WHEN_ALWAYS, NULL, "disable_functions", "sleep",
	 "WordPress would wait for a dead database server, query after query, for minutes"},
	{SETTING_PHP, WHEN_ALWAYS, NULL, "sys_temp_dir", "{run}/tmp", own_place},
	{SETTING_PHP, WHEN_ALWAYS, NULL, "upload_tmp_dir", "{run}/tmp", own_place},
	{SETTING_PHP, WHEN_ALWAYS, NULL, "session.save_path", "{run}/tmp", own_place},
	{SETTING_PHP, WHEN_ALWAYS, NULL, "date.timezone", "UTC",
	 "the page is not to depend on the place"},

	{SETTING_APACHE, WHEN_ALWAYS, NULL, "ServerRoot", "{run}", own_place},
	{SETTING_APACHE, WHEN_ALWAYS, NULL, "DefaultRuntimeDir", "{run}", own_place},
	{SETTING_APACHE, WHEN_ALWAYS, NULL, "PidFile", "{run}/apache-{life}.pid", own_place},
	{SETTING_APACHE, WHEN_ALWAYS, NULL, "ErrorLog", "{run}/apache-{life}.log", own_place},
	{SETTING_APACHE, WHEN_ALWAYS, NULL, "Mutex", "flock:{run}", "locks in its own place"},
	{SETTING_APACHE, WHEN_ALWAYS, NULL, "Listen", "127.0.0.1:{port}",
	 "on loopback only, on a port that was free"},
	{SETTING_APACHE, WHEN_ALWAYS, NULL, "ServerName", "lampduel.test", only_page},
	{SETTING_APACHE, WHEN_SWITCH, NULL, "User", "{user}", "Apache serves nothing as root"},
	{SETTING_APACHE, WHEN_SWITCH, NULL, "Group", "#{gid}", "Apache serves nothing as root"},
	{SETTING_APACHE, WHEN_ALWAYS, NULL, "KeepAlive", "Off",
	 "one worker: a connection that stays open would keep the next request waiting"},
	{SETTING_APACHE, WHEN_ALWAYS, NULL, "CustomLog", NULL, "no record of visitors is kept"},
	{SETTING_APACHE, WHEN_ALWAYS, NULL, "TypesConfig", "/dev/null", only_page},
	{SETTING_APACHE, WHEN_ALWAYS, NULL, "PHPIniDir", "{run}/php-{opcache}", own_place},
	{SETTING_APACHE, WHEN_ALWAYS, NULL, "DocumentRoot", "{tree}", only_page},
	{SETTING_APACHE, WHEN_ALWAYS, NULL, "Alias", "/lampduel-ready {run}/ready",
	 "says that it serves"},
	{SETTING_APACHE, WHEN_ALWAYS, ALL_FOLDERS, "AllowOverride", "None", only_page},
	{SETTING_APACHE, WHEN_ALWAYS, ALL_FOLDERS, "Require", "all denied", only_page},
	{SETTING_APACHE, WHEN_ALWAYS, TREE, "Require", "all granted", only_page},
	{SETTING_APACHE, WHEN_ALWAYS, TREE, "DirectoryIndex", "index.php", only_page},
	{SETTING_APACHE, WHEN_ALWAYS, TREE, "FallbackResource", "/index.php",
	 "page names without mod_rewrite"},
	{SETTING_APACHE, WHEN_ALWAYS, READY, "Require", "all granted", "says that it serves"},
	{SETTING_APACHE, WHEN_ALWAYS, PHP_FILES, "SetHandler", "application/x-httpd-php",
	 only_page},
};

enum { SETTINGS = sizeof(table) / sizeof(table[0]) };

/* unixd: a file of its own outside of Debian */
static const char *const apache_modules[] = {"mpm_prefork", "unixd", "authz_core", "alias",
					     "dir",         "mime",  NULL};

const char *const *settings_apache_modules(void)
{
	return apache_modules;
}

static const char *variable(const struct setting_vars *v, const char *name, size_t n)
{
	const struct {
		const char *name, *value;
	} all[] = {
		{"run", v->run},         {"port", v->port}, {"life", v->life}, {"tree", v->tree},
		{"opcache", v->opcache}, {"user", v->user}, {"gid", v->gid},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strlen(all[i].name) == n && strncmp(all[i].name, name, n) == 0)
			return all[i].value;
	}
	return NULL;
}

void settings_add_quoted(struct buf *b, const char *value)
{
	for (; *value != '\0'; value++) {
		if (*value == '\\' || *value == '"')
			buf_addch(b, '\\');
		buf_addch(b, *value);
	}
}

static void add_expanded(struct buf *b, const char *text, size_t n, const struct setting_vars *v,
			 bool quoted)
{
	const char *stop = text + n;

	while (text < stop) {
		const char *end = *text == '{' ? memchr(text, '}', (size_t)(stop - text)) : NULL;
		const char *value =
			end == NULL ? NULL : variable(v, text + 1, (size_t)(end - text) - 1);
		if (value != NULL) {
			if (quoted)
				settings_add_quoted(b, value);
			else
				buf_addstr(b, value);
			text = end + 1;
		} else {
			buf_addch(b, *text++);
		}
	}
}

static bool names_folder(const char *word, size_t n)
{
	return memmem(word, n, "{run}", 5) != NULL || memmem(word, n, "{tree}", 6) != NULL;
}

/* A folder's name may hold blanks and quotes: each word with one stands in quotes. */
static void add_setting(struct buf *b, const char *value, const struct setting_vars *v)
{
	while (*value != '\0') {
		size_t n = strcspn(value, " ");
		bool quoted = names_folder(value, n);

		if (quoted)
			buf_addch(b, '"');
		add_expanded(b, value, n, v, quoted);
		if (quoted)
			buf_addch(b, '"');
		value += n;
		for (; *value == ' '; value++)
			buf_addch(b, ' ');
	}
}

static bool applies(const struct setting *t, const struct setting_vars *v)
{
	return t->when == WHEN_ALWAYS || (t->when == WHEN_ROOT && v->root) ||
	       (t->when == WHEN_SWITCH && v->switch_user);
}

static void write_section_change(struct buf *b, const char *from, const char *to,
				 const struct setting_vars *v)
{
	if (text_equal(from, to))
		return;
	if (from != NULL)
		buf_addf(b, "</%.*s>\n", (int)strcspn(from, " "), from);
	if (to != NULL) {
		buf_addch(b, '<');
		add_expanded(b, to, strlen(to), v, true);
		buf_addch(b, '\n');
	}
}

void settings_write(struct buf *b, enum setting_program p, const struct setting_vars *vars)
{
	const char *section = NULL;

	for (size_t i = 0; i < SETTINGS; i++) {
		const struct setting *t = &table[i];

		if (t->program != p || t->value == NULL || !applies(t, vars))
			continue;
		write_section_change(b, section, t->section, vars);
		section = t->section;
		buf_addf(b, "%s%s", t->name, p == SETTING_APACHE ? " " : "=");
		add_setting(b, t->value, vars);
		buf_addch(b, '\n');
	}
	write_section_change(b, section, NULL, vars);
}

/* Sections as part of a fact's key. */
static const char *section_key(const char *section)
{
	static const struct {
		const char *section, *key;
	} keys[] = {
		{ALL_FOLDERS, "folders."},
		{TREE, "tree."},
		{READY, "ready."},
		{PHP_FILES, "php_files."},
	};

	for (size_t i = 0; section != NULL && i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(section, keys[i].section) == 0)
			return keys[i].key;
	}
	return "";
}

/* "setting.mariadb.skip_networking" */
static char *fact_key(const struct setting *t)
{
	static const char *const programs[] = {"mariadb", "php", "apache"};
	char *key = mem_printf("setting.%s.%s%s", programs[t->program], section_key(t->section),
			       text_starts(t->name, "loose-") ? t->name + 6 : t->name);

	for (char *p = key; *p != '\0'; p++)
		*p = *p == '-' ? '_' : (char)tolower((unsigned char)*p);
	return key;
}

void settings_report(const struct setting_vars *vars, bool web, struct factset *f)
{
	struct setting_vars shown = {.run = "{run}",
				     .port = "{port}",
				     .life = "{life}",
				     .tree = "{tree}",
				     .opcache = "on or off, by task",
				     .user = vars->user,
				     .gid = vars->gid};
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < SETTINGS; i++) {
		const struct setting *t = &table[i];

		if (!applies(t, vars) || (!web && t->program != SETTING_MARIADB))
			continue;
		char *key = fact_key(t);
		buf_clear(&text);
		const char *value = t->value == NULL ? "none" : t->value;
		add_expanded(&text, value, strlen(value), &shown, false);
		factset_set(f, key, buf_str(&text), t->why);
		free(key);
	}
	if (web) {
		buf_clear(&text);
		for (size_t i = 0; apache_modules[i] != NULL; i++)
			buf_addf(&text, "%s ", apache_modules[i]);
		buf_addstr(&text, "php");
		factset_set(f, "setting.apache.modules", buf_str(&text),
			    "the site needs no others");
	}
	buf_release(&text);
}
