#include "facts/effective.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/text.h"
#include "facts/lines.h"

enum { VALUE_MAX = 4096 };

static const char hidden[] = "(hidden)";

/* Is the word in the name, as a part of its own or as the end of one: "default_pw", "dbpassword"?
 */
static bool names_secret(const char *name)
{
	static const char *const anywhere[] = {
		"password", "passwd",     "passphrase", "secret",      "apikey", "api_key",
		"api-key",  "credential", "license",    "private_key", NULL};
	static const char *const ends[] = {"_pw",   ".pw",   "-pw",      "_pwd",       ".pwd",
					   "token", "_auth", "auth_key", "access_key", NULL};

	for (size_t i = 0; anywhere[i] != NULL; i++) {
		if (strcasestr(name, anywhere[i]) != NULL)
			return true;
	}
	for (size_t i = 0; ends[i] != NULL; i++) {
		if (text_ends(name, ends[i]))
			return true;
	}
	return text_equal(name, "pw") || text_equal(name, "pwd") || text_equal(name, "auth");
}

/* Names that hold such a word and say how secrets are kept, not what they are. */
static bool about_secrets(const char *name, const char *value)
{
	static const char *const plain[] = {"ON",  "OFF", "On", "Off", "TRUE",     "FALSE",
					    "YES", "NO",  "0",  "1",   "no value", NULL};

	for (size_t i = 0; plain[i] != NULL; i++) {
		if (text_equal(value, plain[i]))
			return true;
	}
	return strcasestr(name, "old_passwords") != NULL || text_equal(value, "license") ||
	       text_equal(name, "license") || strcasestr(name, "validate_password") != NULL;
}

/* "password=x", "auth=x" within a value: x up to the next separator is taken out. */
static char *without_assigned(const char *value)
{
	static const char *const words[] = {
		"password=", "passwd=", "pwd=", "auth=", "secret=", "token=", "key=", NULL};
	struct buf b = BUF_INIT;

	for (const char *p = value; *p != '\0';) {
		size_t n = 0;

		for (size_t i = 0; n == 0 && words[i] != NULL; i++) {
			bool begins = p == value || !isalnum((unsigned char)p[-1]);

			if (begins && strncasecmp(p, words[i], strlen(words[i])) == 0)
				n = strlen(words[i]);
		}
		if (n == 0) {
			buf_addch(&b, *p++);
			continue;
		}
		buf_add(&b, p, n);
		p += n;
		n = strcspn(p, "&;, \t\"'");
		buf_addstr(&b, n == 0 ? "" : hidden);
		p += n;
	}
	return buf_detach(&b);
}

char *effective_masked(const char *name, const char *value)
{
	if (names_secret(name) && value[0] != '\0' && !about_secrets(name, value))
		return mem_strdup(hidden);
	char *masked = without_assigned(value);

	text_hide_logins(masked);
	if (strlen(masked) > VALUE_MAX)
		masked[VALUE_MAX] = '\0';
	return masked;
}

char *effective_masked_words(const char *text)
{
	struct buf b = BUF_INIT;

	for (const char *p = text; *p != '\0';) {
		size_t n = strcspn(p, " \t\n");
		char *word = mem_strndup(p, n);
		char *equals = strchr(word, '=');

		if (equals != NULL) {
			*equals = '\0';
			char *value = effective_masked(word, equals + 1);
			buf_addf(&b, "%s%s=%s", b.len == 0 ? "" : " ", word, value);
			free(value);
		} else if (n > 0) {
			buf_addf(&b, "%s%s", b.len == 0 ? "" : " ", word);
		}
		free(word);
		p += n;
		p += strspn(p, " \t\n");
	}
	return buf_detach(&b);
}

/* "effective.mariadb.key_buffer_size": lower case, - is _; only what a key may hold. */
static char *key_of(const char *prefix, const char *name)
{
	char *key = mem_printf("%s%s", prefix, name);

	for (char *p = key; *p != '\0'; p++) {
		if (*p == '-' || *p == ' ')
			*p = '_';
		else if (!isalnum((unsigned char)*p) && strchr("._+", *p) == NULL)
			*p = '.';
		else
			*p = (char)tolower((unsigned char)*p);
	}
	return key;
}

static void add(struct factset *f, const char *prefix, const char *name, const char *value,
		const char *origin)
{
	char *key = key_of(prefix, name);
	char *masked = effective_masked(name, value);

	factset_set(f, key, masked, origin);
	free(masked);
	free(key);
}

/* What stands in the text as "label SEPARATOR value" becomes the fact key. */
struct labelled {
	const char *label, *key;
};

static void add_labelled(const char *text, const struct labelled *rows, const char *separator,
			 const char *origin, struct factset *f)
{
	for (; rows->label != NULL; rows++) {
		char *v = lines_find(text, rows->label, separator);

		if (v != NULL) {
			char *masked = effective_masked(rows->key, v);
			factset_set(f, rows->key, masked, origin);
			free(masked);
		}
		free(v);
	}
}

void effective_php_info(const char *text, struct factset *f)
{
	static const struct labelled build[] = {
		{"Compiler", "build.php.compiler"},
		{"Architecture", "build.php.architecture"},
		{"Configure Command", "build.php.configure"},
		{"Build Date", "build.php.date"},
		{"Debug Build", "build.php.debug"},
		{"Thread Safety", "build.php.thread_safety"},
		{"Zend Memory Manager", "build.php.memory_manager"},
		{"Loaded Configuration File", "effective.php.ini_file"},
		{"PCRE Library Version", "build.php.pcre"},
		{"PCRE JIT Target", "build.php.pcre_jit"},
		{"libxml2 Version", "build.php.libxml2"},
		{"OpenSSL Library Version", "build.php.openssl"},
		{NULL, NULL},
	};
	static const char arrow[] = " => ";
	struct line l;
	const char *cursor = text;

	add_labelled(text, build, "=>", "php -i", f);
	while (lines_next(&cursor, &l)) {
		/* three columns are a directive; $_SERVER and the environment have two */
		const char *first = lines_at(l, arrow);
		if (first == NULL || *l.at == '$' || lines_starts(l, "Directive"))
			continue;
		const char *rest = first + strlen(arrow);
		struct line tail = {rest, l.len - (size_t)(rest - l.at)};
		const char *second = lines_at(tail, arrow);
		if (second == NULL)
			continue;
		char *name = mem_strndup(l.at, (size_t)(first - l.at));
		char *value = lines_text((struct line){rest, (size_t)(second - rest)});
		if (strchr(name, ' ') == NULL)
			add(f, "effective.php.", name, value, "php -i");
		free(name);
		free(value);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcasecmp(*(char *const *)a, *(char *const *)b);
}

/* Takes over the words, sorted and each once. */
static void set_words(struct strvec *words, const char *key, const char *origin, struct factset *f)
{
	struct buf b = BUF_INIT;

	if (words->n > 0)
		qsort(words->v, words->n, sizeof(char *), by_name);
	for (size_t i = 0; i < words->n; i++) {
		if (i == 0 || strcasecmp(words->v[i], words->v[i - 1]) != 0)
			buf_addf(&b, "%s%s", b.len == 0 ? "" : " ", words->v[i]);
	}
	if (b.len > 0)
		factset_set(f, key, b.data, origin);
	buf_release(&b);
}

void effective_php_modules(const char *text, struct factset *f)
{
	struct strvec words = STRVEC_INIT;
	struct line l;

	while (lines_next(&text, &l)) {
		char *word = lines_text(l);

		for (char *p = word; *p != '\0'; p++)
			*p = *p == ' ' ? '_' : *p;
		if (word[0] != '\0' && word[0] != '[' && strlen(word) < 64)
			strvec_push(&words, word);
		free(word);
	}
	set_words(&words, "effective.php.modules", "php -m", f);
	strvec_release(&words);
}

/* Two rows of dashes with blanks between: the head of the table of variables. */
static bool is_rule(struct line l)
{
	size_t dashes = 0;

	for (size_t i = 0; i < l.len; i++) {
		if (l.at[i] != '-' && l.at[i] != ' ')
			return false;
		dashes += l.at[i] == '-';
	}
	return dashes > 20 && lines_at(l, "- -") != NULL;
}

void effective_mariadb_help(const char *text, struct factset *f)
{
	struct line l;
	bool table = false;

	while (lines_next(&text, &l)) {
		if (!table || l.len == 0) {
			if (table)
				break;
			table = is_rule(l);
			continue;
		}
		char *line = lines_text(l);
		size_t n = strcspn(line, " \t");
		char *name = mem_strndup(line, n);
		const char *value = line + n + strspn(line + n, " \t");

		if (text_equal(value, "(No default value)"))
			value = "";
		add(f, "effective.mariadb.", name, value, "--verbose --help");
		free(name);
		free(line);
	}
}

/* What a server counts or names afresh each time it starts is no setting. */
static bool is_state(const char *name)
{
	static const char *const names[] = {"gtid_binlog_pos",
					    "gtid_binlog_state",
					    "gtid_current_pos",
					    "gtid_slave_pos",
					    "hostname",
					    "last_insert_id",
					    "pseudo_thread_id",
					    "server_uuid",
					    "timestamp",
					    "rand_seed1",
					    "rand_seed2",
					    "error_count",
					    "warning_count",
					    "gtid_executed",
					    "gtid_purged",
					    "server_uid",
					    "in_transaction",
					    "last_gtid",
					    NULL};

	for (size_t i = 0; names[i] != NULL; i++) {
		if (text_equal(name, names[i]))
			return true;
	}
	return false;
}

void effective_mariadb_variables(const char *text, const char *origin, struct factset *f)
{
	struct line l;

	while (lines_next(&text, &l)) {
		const char *tab = lines_at(l, "\t");
		if (tab == NULL)
			continue;
		char *name = mem_strndup(l.at, (size_t)(tab - l.at));
		char *value = lines_text((struct line){tab + 1, l.len - (size_t)(tab + 1 - l.at)});

		if (!is_state(name) && !text_equal(name, "Variable_name"))
			add(f, "effective.mariadb.", name, value, origin);
		free(name);
		free(value);
	}
}

void effective_apache_build(const char *text, struct factset *f)
{
	static const struct labelled rows[] = {
		{"Server MPM", "effective.apache.mpm"},
		{"Server built", "build.apache.date"},
		{"Server loaded", "build.apache.apr"},
		{"Architecture", "build.apache.architecture"},
		{NULL, NULL},
	};
	struct strvec words = STRVEC_INIT;
	struct line l;

	add_labelled(text, rows, ":", "apache2 -V", f);
	while (lines_next(&text, &l)) {
		char *line = lines_text(l);

		/* paths and texts (HTTPD_ROOT="...") differ between distributions as they like */
		if (text_starts(line, "-D ") && strchr(line, '"') == NULL) {
			line[3 + strcspn(line + 3, " (")] = '\0';
			strvec_push(&words, line + 3);
		}
		free(line);
	}
	set_words(&words, "build.apache.options", "apache2 -V", f);
	strvec_release(&words);
}

void effective_apache_modules(const char *text, struct factset *f)
{
	struct strvec words = STRVEC_INIT;
	struct line l;

	while (lines_next(&text, &l)) {
		char *line = lines_text(l);
		char *kind = strstr(line, " (");

		if (kind != NULL &&
		    (text_starts(kind, " (static") || text_starts(kind, " (shared"))) {
			*kind = '\0';
			if (text_ends(line, "_module"))
				line[strlen(line) - strlen("_module")] = '\0';
			strvec_push(&words, line);
		}
		free(line);
	}
	set_words(&words, "effective.apache.modules", "apache2 -M", f);
	strvec_release(&words);
}

void effective_openssl(const char *text, struct factset *f)
{
	static const struct labelled rows[] = {
		{"built on", "build.openssl.date"},
		{"platform", "build.openssl.platform"},
		{"options", "build.openssl.options"},
		{"compiler", "build.openssl.compiler"},
		{"CPUINFO", "effective.openssl.cpuinfo"},
		{"OPENSSLDIR", "effective.openssl.dir"},
		{NULL, NULL},
	};

	add_labelled(text, rows, ":", "openssl version -a", f);
}
