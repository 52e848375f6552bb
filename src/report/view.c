#include "report/view.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"

char *view_condition(const char *conditions, const char *key)
{
	size_t n = strlen(key);

	for (const char *p = conditions; *p != '\0';) {
		size_t len = strcspn(p, ";");
		if (len > n && p[n] == '=' && strncmp(p, key, n) == 0)
			return mem_strndup(p + n + 1, len - n - 1);
		p += len;
		p += *p == ';';
	}
	return NULL;
}

/* The parts of "workload/item/aspect"; the item may itself hold slashes. */
struct name {
	char *workload, *item, *aspect;
};

static struct name split(const char *metric)
{
	const char *first = strchr(metric, '/');
	const char *last = strrchr(metric, '/');
	struct name n;

	if (first == NULL || last == first) {
		n.workload = mem_strdup(metric);
		n.item = mem_strdup("");
		n.aspect = mem_strdup("");
		return n;
	}
	n.workload = mem_strndup(metric, (size_t)(first - metric));
	n.item = mem_strndup(first + 1, (size_t)(last - first - 1));
	n.aspect = mem_strdup(last + 1);
	return n;
}

static char *param(const struct exp_task *t, const char *key)
{
	json_t *params = json_loads(t->params, 0, NULL);
	char *value = mem_strdup(json_string_value(json_object_get(params, key)));

	json_decref(params);
	return value;
}

static void wordpress_title(const struct name *n, const struct exp_metric *m, struct buf *b)
{
	char *opcache = view_condition(m->conditions, "opcache");

	buf_addstr(b, "WordPress page");
	if (text_equal(n->item, "cached"))
		buf_addstr(b, " from the page cache");
	else if (text_equal(n->item, "db"))
		buf_addstr(b, ", time in the database");
	if (text_equal(n->aspect, "total"))
		buf_addstr(b, ", request to last byte");
	else if (text_equal(n->aspect, "ttfb"))
		buf_addstr(b, ", request to first byte");
	if (opcache != NULL)
		buf_addf(b, ", OPcache %s", opcache);
	free(opcache);
}

/* SQL's names, but not what is in strings. */
static void functions_in_capitals(char *expression)
{
	char quote = '\0';

	for (char *p = expression; *p != '\0'; p++) {
		if (quote == '\0' && (*p == '\'' || *p == '"'))
			quote = *p;
		else if (*p == quote)
			quote = '\0';
		else if (quote == '\0')
			*p = (char)toupper((unsigned char)*p);
	}
}

static void mariadb_title(const struct name *n, const struct exp_metric *m,
			  const struct exp_task *t, struct buf *b)
{
	if (!text_starts(n->item, "benchmark.")) {
		buf_addf(b, "MariaDB %s %s", n->item, n->aspect);
		return;
	}
	/* as it was typed, else as the name has it */
	char *expression = param(t, "expression");
	if (expression == NULL)
		expression = view_condition(m->conditions, "expression");
	if (expression == NULL)
		expression = view_condition(m->conditions, "expr");
	if (expression == NULL) {
		expression = mem_strdup(n->item + strlen("benchmark."));
		functions_in_capitals(expression);
	}
	buf_addf(b, "1,000,000 x %s", expression);
	free(expression);
}

static void openssl_title(const struct name *n, struct buf *b)
{
	bool bulk = text_starts(n->item, "bulk.") || text_starts(n->item, "evp.");

	buf_addstr(b, "openssl ");
	for (const char *p = n->item; *p != '\0'; p++) {
		/* "kem.ml-kem-768": only the point after the kind is one of ours */
		bool kind = *p == '.' && memchr(n->item, '.', (size_t)(p - n->item)) == NULL &&
			    isalpha((unsigned char)p[-1]);
		buf_addch(b, kind ? ' ' : *p);
	}
	buf_addf(b, bulk ? ", blocks of %s bytes" : " %s", n->aspect);
}

static void command_title(const struct name *n, struct buf *b)
{
	static const char *const aspects[][2] = {
		{"wall", "wall clock"},
		{"user", "CPU time in the program"},
		{"sys", "CPU time in the kernel"},
		{"peak", "peak memory"},
	};

	buf_addstr(b, n->item);
	for (size_t i = 0; i < sizeof(aspects) / sizeof(aspects[0]); i++) {
		if (text_equal(n->aspect, aspects[i][0])) {
			buf_addf(b, ", %s", aspects[i][1]);
			return;
		}
	}
	buf_addf(b, ", %s", n->aspect);
}

char *view_title(const struct exp_metric *m, const struct exp_task *t)
{
	struct buf b = BUF_INIT;
	struct name n = split(m->name);

	if (n.aspect[0] == '\0')
		buf_addstr(&b, m->name);
	else if (text_equal(n.workload, "wordpress"))
		wordpress_title(&n, m, &b);
	else if (text_equal(n.workload, "mariadb"))
		mariadb_title(&n, m, t, &b);
	else if (text_equal(n.workload, "openssl"))
		openssl_title(&n, &b);
	else if (text_equal(n.workload, "command"))
		command_title(&n, &b);
	else
		buf_addstr(&b, m->name);
	free(n.workload);
	free(n.item);
	free(n.aspect);
	return buf_detach(&b);
}

struct view view_main(const struct exp_metric *m, double typical)
{
	static const char *const rates[] = {"B/s", "kB/s", "MB/s", "GB/s"};
	static const char *const sizes[] = {"B", "kB", "MB", "GB"};
	bool rate = text_equal(m->unit, "B/s");

	if (rate || text_equal(m->unit, "B")) {
		size_t i = 0;
		double scale = 1;
		for (; i < 3 && typical * scale >= 1000; i++)
			scale /= 1000;
		return (struct view){rate ? rates[i] : sizes[i], scale, false};
	}
	if (text_equal(m->unit, "s/op") && text_starts(m->name, "mariadb/benchmark."))
		return (struct view){"s", 1e6, false};
	if (text_equal(m->unit, "op/s"))
		return (struct view){"s/op", 1, true};
	return (struct view){text_equal(m->unit, "1") ? "" : m->unit, 1, false};
}

bool view_second(const struct exp_metric *m, struct view *v)
{
	if (!text_equal(m->unit, "op/s"))
		return false;
	*v = (struct view){"op/s", 1, false};
	return true;
}

double view_value(const struct view *v, double value)
{
	return v->inverse ? v->scale / value : v->scale * value;
}

double view_error(const struct view *v, double value, double error)
{
	return v->inverse ? v->scale * error / (value * value) : v->scale * error;
}

const char *view_program(const char *key)
{
	static const char *const names[][2] = {
		{"apache", "Apache"},   {"mariadb", "MariaDB"}, {"mysql", "MySQL"},
		{"php", "PHP"},         {"openssl", "OpenSSL"}, {"wordpress", "WordPress"},
		{"opcache", "OPcache"}, {"qemu", "QEMU"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (text_equal(names[i][0], key))
			return names[i][1];
	}
	return NULL;
}
