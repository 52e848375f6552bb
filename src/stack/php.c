#include "stack/internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/text.h"

enum { PROBE_MAX = 1 << 20 };

void php_layout_release(struct php_layout *l)
{
	free(l->version);
	free(l->extensions);
	free(l->module);
	free(l->ini);
	free(l->web_user);
	strvec_release(&l->conf);
	strvec_release(&l->apache);
	*l = (struct php_layout){.uid = -1};
}

static long to_id(const char *s)
{
	int64_t v = 0;

	return text_to_i64(s, &v) && v >= 0 && v <= INT32_MAX ? (long)v : -1;
}

/* A name that can stand in Apache's configuration as it is. */
static bool is_plain_name(const char *s)
{
	for (; *s != '\0'; s++) {
		if (!isalnum((unsigned char)*s) && strchr("_-.", *s) == NULL)
			return false;
	}
	return true;
}

static void read_web_user(struct php_layout *l, char *value)
{
	char *uid = strchr(value, '\t');
	char *gid = uid == NULL ? NULL : strchr(uid + 1, '\t');

	if (gid == NULL)
		return;
	*uid++ = '\0';
	*gid++ = '\0';
	if (!is_plain_name(value) || to_id(uid) <= 0 || to_id(gid) < 0)
		return;
	mem_replace(&l->web_user, mem_strdup(value));
	l->web_uid = to_id(uid);
	l->web_gid = to_id(gid);
}

static void read_line(struct php_layout *l, const char *key, char *value)
{
	if (strcmp(key, "version") == 0)
		mem_replace(&l->version, mem_strdup(value));
	else if (strcmp(key, "extensions") == 0)
		mem_replace(&l->extensions, mem_strdup(value));
	else if (strcmp(key, "module") == 0)
		mem_replace(&l->module, mem_strdup(value));
	else if (strcmp(key, "ini") == 0)
		mem_replace(&l->ini, mem_strdup(value));
	else if (strcmp(key, "conf") == 0)
		strvec_push(&l->conf, value);
	else if (strcmp(key, "conf_from") == 0)
		l->conf_from_packages = strcmp(value, "packages") == 0;
	else if (strcmp(key, "apache") == 0 && is_plain_name(value))
		strvec_push(&l->apache, value);
	else if (strcmp(key, "uid") == 0)
		l->uid = to_id(value);
	else if (strcmp(key, "web_user") == 0)
		read_web_user(l, value);
}

int php_layout_read(const char *text, struct php_layout *l, struct err *err)
{
	char *copy = mem_strdup(text), *rest = copy, *line = NULL;

	l->uid = -1;
	while ((line = strsep(&rest, "\n")) != NULL) {
		char *tab = strchr(line, '\t');
		if (tab == NULL)
			continue;
		*tab = '\0';
		read_line(l, line, tab + 1);
	}
	free(copy);
	if (l->version == NULL || l->extensions == NULL) {
		php_layout_release(l);
		return err_set(err, "PHP did not say its version and folder of extensions");
	}
	return 0;
}

int php_probe(struct system *s, const struct step *step, const char *php, struct php_layout *l,
	      struct err *err)
{
	struct strvec argv = STRVEC_INIT;
	struct buf script = BUF_INIT;
	struct outcome out = {0};
	char *path = fs_share_file("stack/probe.php");
	int rc = path == NULL ? err_set(err, "lampduel's own file stack/probe.php is missing")
			      : fs_read(path, PROBE_MAX, &script, err);

	if (rc == 0) {
		strvec_push(&argv, php);
		strvec_push(&argv, "-n");
		rc = stack_run(s, step, &argv, NULL, script.data, script.len, 60 * NS_PER_S, &out,
			       err);
	}
	if (rc == 0)
		rc = php_layout_read(buf_str(&out.out), l, err);
	outcome_release(&out);
	strvec_release(&argv);
	buf_release(&script);
	free(path);
	return rc;
}

void php_ini_write(struct buf *b, const char *base, const struct php_layout *l,
		   const struct setting_vars *vars)
{
	char *copy = mem_strdup(base), *rest = copy, *line = NULL;

	while ((line = strsep(&rest, "\n")) != NULL) {
		line = text_trim(line);
		if (*line != '\0' && *line != ';')
			buf_addf(b, "%s\n", line);
	}
	free(copy);
	buf_addstr(b, "[lampduel]\n");
	for (size_t i = 0; i < l->conf.n; i++)
		buf_addf(b, "%s\n", l->conf.v[i]);
	settings_write(b, SETTING_PHP, vars);
	/* read by the site's wp-config.php and installer */
	buf_addstr(b, "lampduel.run=\"");
	settings_add_quoted(b, vars->run);
	buf_addstr(b, "\"\nlampduel.socket=\"");
	settings_add_quoted(b, vars->run);
	buf_addstr(b, "/mariadb.sock\"\n");
	buf_addf(b, "lampduel.web_uid=%ld\n", vars->switch_user ? l->web_uid : 0L);
}
