#include "cmd/join.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "workload/workload.h"

/* The condition that says how much of the work one sample is, NULL where none does. */
static const char *amount_key(const char *metric)
{
	struct err ignored = ERR_INIT;
	char *workload = mem_strndup(metric, strcspn(metric, "/"));
	const struct workload_kind *k = workload_kind_named(workload, &ignored);

	free(workload);
	return k == NULL ? NULL : k->count_key;
}

/* The value of key (len bytes) in "a=1;b=2", or NULL; *value_len is set. */
static const char *condition(const char *list, const char *key, size_t len, size_t *value_len)
{
	for (const char *p = list; *p != '\0';) {
		size_t item = strcspn(p, ";");
		if (item > len && strncmp(p, key, len) == 0 && p[len] == '=') {
			*value_len = item - len - 1;
			return p + len + 1;
		}
		p += item + (p[item] == ';');
	}
	return NULL;
}

/* A sum over several processes is never the rate of one, and outputs of several say so. */
static bool one_process(const char *list)
{
	size_t n = 0;
	const char *value = condition(list, "processes", strlen("processes"), &n);

	return value == NULL || (n == 1 && value[0] == '1');
}

static bool is_quote(char c)
{
	return c == '\'' || c == '"';
}

/* SQL: letters of either case, but in strings; these stand between quotes of either kind. */
static bool same_expression(const char *a, const char *b, size_t len)
{
	char quote_a = 0, quote_b = 0;

	for (size_t i = 0; i < len; i++) {
		bool in_string = quote_a != 0, begins = !in_string && is_quote(a[i]);

		if (begins && is_quote(b[i])) {
			quote_a = a[i];
			quote_b = b[i];
		} else if (in_string && (a[i] == quote_a || b[i] == quote_b)) {
			if (a[i] != quote_a || b[i] != quote_b)
				return false;
			quote_a = quote_b = 0;
		} else if (in_string ? a[i] != b[i] : strncasecmp(a + i, b + i, 1) != 0) {
			return false;
		}
	}
	return true;
}

/* No key but that of the amount has two values. */
static bool compatible(const char *a, const char *b, const char *amount)
{
	if (one_process(a) != one_process(b))
		return false;
	for (const char *p = a; *p != '\0';) {
		size_t item = strcspn(p, ";"), key = strcspn(p, "=;"), other = 0;
		const char *value = condition(b, p, key, &other);
		bool sql = strncmp(p, "expr=", 5) == 0;
		bool free = amount != NULL && strlen(amount) == key && strncmp(p, amount, key) == 0;
		if (!free && value != NULL && key < item &&
		    (other != item - key - 1 || (sql ? !same_expression(value, p + key + 1, other)
						     : strncmp(value, p + key + 1, other) != 0)))
			return false;
		p += item + (p[item] == ';');
	}
	return true;
}

char *conditions_without(const char *conditions, const char *key)
{
	struct buf b = BUF_INIT;
	size_t len = strlen(key);

	buf_addstr(&b, "");
	for (const char *p = conditions; *p != '\0';) {
		size_t n = strcspn(p, ";");
		if (strncmp(p, key, len) != 0 || p[len] != '=')
			buf_addf(&b, "%s%.*s", b.len > 0 ? ";" : "", (int)n, p);
		p += n + (p[n] == ';');
	}
	return buf_detach(&b);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Both lists as one, sorted; missing gets the items that only one of them has. */
static char *joined(const char *a, const char *b, struct buf *missing)
{
	struct strvec items = STRVEC_INIT;
	struct buf out = BUF_INIT;
	const char *lists[] = {a, b};

	for (int k = 0; k < 2; k++) {
		for (const char *p = lists[k]; *p != '\0';) {
			size_t item = strcspn(p, ";"), key = strcspn(p, "=;"), len = 0;
			bool both = condition(lists[1 - k], p, key, &len) != NULL;
			if (k == 0 || !both) {
				char *text = mem_strndup(p, item);
				strvec_push(&items, text);
				if (!both)
					buf_addf(missing, "%s%s", missing->len > 0 ? ", " : "",
						 text);
				free(text);
			}
			p += item + (p[item] == ';');
		}
	}
	if (items.n > 0)
		qsort(items.v, items.n, sizeof(*items.v), by_text);
	for (size_t i = 0; i < items.n; i++)
		buf_addf(&out, "%s%s", i > 0 ? ";" : "", items.v[i]);
	strvec_release(&items);
	return buf_detach(&out);
}

static bool has_metric(const struct experiment *e, size_t system, size_t metric)
{
	for (size_t i = 0; i < e->executions.n; i++) {
		if (e->executions.v[i].system == system &&
		    exp_execution_value(&e->executions.v[i], metric) != NULL)
			return true;
	}
	return false;
}

static bool on_one_system(const struct experiment *e, size_t a, size_t b)
{
	for (size_t s = 0; s < e->systems.n; s++) {
		if (has_metric(e, s, a) && has_metric(e, s, b))
			return true;
	}
	return false;
}

static bool may_be_one(const struct experiment *e, size_t a, size_t b)
{
	const struct exp_metric *x = &e->metrics.v[a], *y = &e->metrics.v[b];

	return a != b && text_equal(x->name, y->name) && text_equal(x->unit, y->unit) &&
	       compatible(x->conditions, y->conditions, amount_key(x->name));
}

static size_t matches(const struct experiment *e, size_t metric)
{
	size_t n = 0;

	for (size_t i = 0; i < e->metrics.n; i++)
		n += may_be_one(e, metric, i);
	return n;
}

/* Every value of metric b becomes one of metric a. */
static void move_values(struct experiment *e, size_t a, size_t b)
{
	for (size_t i = 0; i < e->executions.n; i++) {
		for (size_t k = 0; k < e->executions.v[i].values.n; k++) {
			struct exp_value *v = &e->executions.v[i].values.v[k];
			if (v->metric == b)
				v->metric = a;
		}
	}
	/* nothing has it any more, so it has no row; its place keeps the other indexes right */
	mem_replace(&e->metrics.v[b].name, mem_strdup(""));
}

/* Is the item in a list with commas? */
static bool has_item(const char *list, size_t len, const char *item, size_t item_len)
{
	for (size_t at = 0; at < len;) {
		size_t n = strcspn(list + at, ",;");
		if (n == item_len && strncmp(list + at, item, n) == 0)
			return true;
		at += n + 1;
	}
	return false;
}

/* Adds what b has of the key to a's list of it: "count=9000000,5000000". */
static void add_amount(struct exp_metric *a, const struct exp_metric *b, const char *key)
{
	size_t len = 0, other = 0;
	const char *had = condition(a->conditions, key, strlen(key), &len);
	const char *more = condition(b->conditions, key, strlen(key), &other);

	if (had == NULL || more == NULL || has_item(had, len, more, other))
		return;
	size_t upto = (size_t)(had - a->conditions) + len;
	mem_replace(&a->conditions, mem_printf("%.*s,%.*s%s", (int)upto, a->conditions, (int)other,
					       more, a->conditions + upto));
}

static void join(struct experiment *e, size_t a, size_t b)
{
	struct exp_metric *x = &e->metrics.v[a], *y = &e->metrics.v[b];
	struct buf missing = BUF_INIT;

	const char *key = amount_key(x->name);
	if (key != NULL)
		add_amount(x, y, key);
	mem_replace(&x->conditions, joined(x->conditions, y->conditions, &missing));
	if (missing.len > 0)
		vec_push(&e->notes,
			 mem_printf("%s: %s is stated on one side only and taken to hold on both",
				    x->name, buf_str(&missing)));
	buf_release(&missing);
	move_values(e, a, b);
}

static void join_what_was_not_stated(struct experiment *e)
{
	for (size_t a = 0; a < e->metrics.n; a++) {
		for (size_t b = a + 1; b < e->metrics.n; b++) {
			if (e->metrics.v[a].name[0] != '\0' && may_be_one(e, a, b) &&
			    matches(e, a) == 1 && matches(e, b) == 1 && !on_one_system(e, a, b))
				join(e, a, b);
		}
	}
}

static bool same_but_for_amount(const struct exp_metric *x, const struct exp_metric *y,
				const char *key)
{
	if (!text_equal(x->name, y->name) || !text_equal(x->unit, y->unit))
		return false;
	char *a = conditions_without(x->conditions, key),
	     *b = conditions_without(y->conditions, key);
	bool same = text_equal(a, b);
	free(a);
	free(b);
	return same;
}

/*
 * Each session finds an amount of its own, by how fast its machine is. The figures are per
 * operation, so they are of the same work.
 */
static void join_amounts(struct experiment *e)
{
	for (size_t a = 0; a < e->metrics.n; a++) {
		struct exp_metric *x = &e->metrics.v[a];
		const char *key = amount_key(x->name);

		for (size_t b = a + 1; key != NULL && b < e->metrics.n; b++) {
			if (!same_but_for_amount(x, &e->metrics.v[b], key))
				continue;
			add_amount(x, &e->metrics.v[b], key);
			move_values(e, a, b);
		}
	}
}

/* "mariadb count=9000000,5000000", once each. */
static void note_amounts(struct experiment *e)
{
	struct buf told = BUF_INIT;

	for (size_t i = 0; i < e->metrics.n; i++) {
		const struct exp_metric *m = &e->metrics.v[i];
		const char *key = amount_key(m->name);
		size_t len = 0;
		const char *value =
			key == NULL ? NULL : condition(m->conditions, key, strlen(key), &len);

		if (value == NULL || memchr(value, ',', len) == NULL)
			continue;
		char *text = mem_printf("%.*s %s=%.*s", (int)strcspn(m->name, "/"), m->name, key,
					(int)len, value);
		if (strstr(buf_str(&told), text) == NULL)
			buf_addf(&told, "%s%s", told.len > 0 ? "; " : "", text);
		free(text);
	}
	if (told.len > 0)
		vec_push(&e->notes, mem_printf("The samples are not equally long (%s); their "
					       "figures are per operation.",
					       buf_str(&told)));
	buf_release(&told);
}

void join_same_work(struct experiment *e)
{
	join_amounts(e);
	join_what_was_not_stated(e);
	note_amounts(e);
}
