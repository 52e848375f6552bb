/*
 * The file may come from anybody. One cursor goes through it; after the first thing that is wrong
 * nothing more is read, and what was asked for is an empty value.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "store/exchange.h"

enum { TEXT_MAX = 1 << 20, FACTS_MAX = 100000, NOTES_MAX = 10000, NEAR = 4096 };

static const double SMALLEST = 1e-100, LARGEST = 1e100;

struct cursor {
	const char *name; /* of the file */
	struct err *err;
	int rc;
	const char *list; /* where it is: "executions", its element */
	size_t at;
};

__attribute__((format(printf, 3, 4))) static void wrong(struct cursor *c, const char *key,
							const char *fmt, ...)
{
	if (c->rc != 0)
		return;
	va_list ap;
	va_start(ap, fmt);
	char *what = mem_vprintf(fmt, ap);
	va_end(ap);
	char *file = text_escaped(c->name);
	char *place = c->list == NULL ? mem_strdup("") : mem_printf("%s[%zu].", c->list, c->at);
	c->rc = err_set(c->err, "%s: %s%s: %s", file, place, key, what);
	free(what);
	free(file);
	free(place);
}

static json_t *member(struct cursor *c, const json_t *o, const char *key)
{
	json_t *j = json_object_get(o, key);

	if (j == NULL)
		wrong(c, key, "is missing");
	return j;
}

static char *take_text(struct cursor *c, const json_t *o, const char *key)
{
	const json_t *j = member(c, o, key);

	if (!json_is_string(j))
		wrong(c, key, "must be text");
	else if (json_string_length(j) > TEXT_MAX)
		wrong(c, key, "is too long");
	return mem_strdup(c->rc != 0 ? "" : json_string_value(j));
}

/* Text that stands for one of something, and so is not empty. */
static char *take_name(struct cursor *c, const json_t *o, const char *key)
{
	char *name = take_text(c, o, key);

	if (name[0] == '\0')
		wrong(c, key, "must not be empty");
	return name;
}

static int64_t take_int(struct cursor *c, const json_t *o, const char *key, int64_t min,
			int64_t max)
{
	const json_t *j = member(c, o, key);

	if (!json_is_integer(j))
		wrong(c, key, "must be a whole number");
	else if (json_integer_value(j) < min || json_integer_value(j) > max)
		wrong(c, key, "must be from %lld to %lld", (long long)min, (long long)max);
	return c->rc != 0 ? min : json_integer_value(j);
}

static double take_number(struct cursor *c, const json_t *o, const char *key)
{
	const json_t *j = member(c, o, key);
	double v = json_number_value(j);

	if (!json_is_number(j))
		wrong(c, key, "must be a number");
	else if (v != 0 && !(fabs(v) >= SMALLEST && fabs(v) <= LARGEST))
		wrong(c, key, "%g is no figure of a measurement", v);
	return c->rc != 0 ? 0 : v;
}

static double take_size(struct cursor *c, const json_t *o, const char *key)
{
	double v = take_number(c, o, key);

	if (v < 0)
		wrong(c, key, "must not be negative");
	return v;
}

static bool take_bool(struct cursor *c, const json_t *o, const char *key)
{
	const json_t *j = member(c, o, key);

	if (!json_is_boolean(j))
		wrong(c, key, "must be true or false");
	return json_is_true(j);
}

/* The counterpart of what the writer does with text that should be an object. */
static char *take_object(struct cursor *c, const json_t *o, const char *key)
{
	const json_t *j = member(c, o, key);

	if (json_is_string(j))
		return take_text(c, o, key);
	if (!json_is_object(j) && !json_is_null(j))
		wrong(c, key, "must be an object");
	if (c->rc != 0 || json_is_null(j))
		return mem_strdup("");
	char *text = json_dumps(j, JSON_COMPACT);
	if (text == NULL)
		mem_exhausted();
	return text;
}

static const json_t *take_list(struct cursor *c, const json_t *o, const char *key, size_t min,
			       size_t max)
{
	const json_t *j = member(c, o, key);

	if (!json_is_array(j))
		wrong(c, key, "must be a list");
	else if (json_array_size(j) < min || json_array_size(j) > max)
		wrong(c, key, "has %zu elements, from %zu to %zu can be read", json_array_size(j),
		      min, max);
	return c->rc != 0 ? NULL : j;
}

/* One of words (ended by NULL); its index. */
static size_t take_word(struct cursor *c, const json_t *o, const char *key,
			const char *const *words)
{
	char *word = take_text(c, o, key);
	size_t i = 0;

	while (words[i] != NULL && strcmp(words[i], word) != 0)
		i++;
	if (words[i] == NULL) {
		char *shown = mem_strndup(word, 40);
		mem_replace(&shown, text_escaped(shown));
		wrong(c, key, "\"%s\" is not known", shown);
		free(shown);
	}
	free(word);
	return c->rc != 0 ? 0 : i;
}

static void read_facts(struct cursor *c, const json_t *o, struct factset *f)
{
	const json_t *list = take_list(c, o, "facts", 0, FACTS_MAX);
	const json_t *j = NULL;
	size_t i = 0;

	json_array_foreach(list, i, j)
	{
		struct fact *x = vec_add(f);

		x->key = take_name(c, j, "key");
		x->value = take_text(c, j, "value");
		x->origin = take_text(c, j, "origin");
	}
}

static int fact_by_key(const void *a, const void *b)
{
	return strcmp((*(const struct fact *const *)a)->key, (*(const struct fact *const *)b)->key);
}

static void check_facts(struct cursor *c, const struct factset *f)
{
	const struct fact **at = mem_array(f->n, sizeof(*at));

	for (size_t i = 0; i < f->n; i++)
		at[i] = &f->v[i];
	if (f->n > 0)
		qsort(at, f->n, sizeof(*at), fact_by_key);
	for (size_t i = 1; i < f->n; i++) {
		if (fact_by_key(&at[i - 1], &at[i]) == 0)
			wrong(c, "facts", "a key is there twice");
	}
	free(at);
}

static void read_systems(struct cursor *c, const json_t *o, struct experiment *e)
{
	const json_t *list = take_list(c, o, "systems", 1, EXCHANGE_SYSTEMS);
	const json_t *j = NULL;
	size_t i = 0, baselines = 0;

	json_array_foreach(list, i, j)
	{
		struct exp_system *s = vec_add(&e->systems);

		c->list = "systems";
		c->at = i;
		s->name = take_name(c, j, "name");
		s->target = take_text(c, j, "target");
		s->baseline = take_bool(c, j, "baseline");
		s->emulated = take_bool(c, j, "emulated");
		s->emulator = take_text(c, j, "emulator");
		read_facts(c, j, &s->facts);
		check_facts(c, &s->facts);
		baselines += s->baseline;
		for (size_t k = 0; k < i; k++) {
			if (text_equal(e->systems.v[k].name, s->name))
				wrong(c, "name", "two systems have it");
		}
	}
	c->list = NULL;
	if (baselines > 1)
		wrong(c, "systems", "only one can be the baseline");
}

static void read_tasks(struct cursor *c, const json_t *o, struct experiment *e)
{
	const json_t *list = take_list(c, o, "tasks", 0, EXCHANGE_TASKS);
	const json_t *j = NULL;
	size_t i = 0;

	json_array_foreach(list, i, j)
	{
		struct exp_task *t = vec_add(&e->tasks);

		c->list = "tasks";
		c->at = i;
		t->name = take_name(c, j, "name");
		t->workload = take_text(c, j, "workload");
		t->params = take_object(c, j, "params");
		for (size_t k = 0; k < i; k++) {
			if (text_equal(e->tasks.v[k].name, t->name))
				wrong(c, "name", "two tasks have it");
		}
	}
	c->list = NULL;
}

static void read_metrics(struct cursor *c, const json_t *o, struct experiment *e)
{
	static const char *const better[] = {"less", "more", NULL};
	const json_t *list = take_list(c, o, "metrics", 0, EXCHANGE_METRICS);
	const json_t *j = NULL;
	size_t i = 0;

	json_array_foreach(list, i, j)
	{
		struct exp_metric *m = vec_add(&e->metrics);

		c->list = "metrics";
		c->at = i;
		m->name = take_text(c, j, "name");
		m->unit = take_text(c, j, "unit");
		m->direction =
			take_word(c, j, "better", better) == 1 ? MORE_IS_BETTER : LESS_IS_BETTER;
		m->conditions = take_text(c, j, "conditions");
		m->primary = take_bool(c, j, "primary");
		for (size_t k = 0; k < i; k++) {
			const struct exp_metric *x = &e->metrics.v[k];
			if (text_equal(x->name, m->name) && text_equal(x->unit, m->unit) &&
			    text_equal(x->conditions, m->conditions))
				wrong(c, "name", "two metrics have it under equal conditions");
		}
	}
	c->list = NULL;
}

static void read_values(struct cursor *c, const json_t *o, const struct experiment *e,
			struct exp_execution *x)
{
	const json_t *list = take_list(c, o, "values", 0, e->metrics.n);
	const json_t *j = NULL;
	size_t i = 0;

	if (x->status != OUTCOME_OK && json_array_size(list) > 0)
		wrong(c, "values", "an execution that is not ok has none");
	json_array_foreach(list, i, j)
	{
		struct exp_value v = {0};

		v.metric = (size_t)take_int(c, j, "metric", 0, (int64_t)e->metrics.n - 1);
		v.value = take_number(c, j, "value");
		v.step = take_size(c, j, "step");
		v.derived = take_bool(c, j, "derived");
		v.n = (int)take_int(c, j, "n", 1, 1000000000);
		v.sd = take_size(c, j, "sd");
		if (json_object_get(j, "origin") != NULL)
			v.origin = take_name(c, j, "origin");
		if (exp_execution_value(x, v.metric) != NULL)
			wrong(c, "values", "a metric is there twice");
		if (c->rc == 0)
			vec_push(&x->values, v);
		else
			free(v.origin);
	}
}

static size_t take_system(struct cursor *c, const json_t *o, const struct experiment *e)
{
	char *name = take_text(c, o, "system");
	size_t i = 0;

	while (i < e->systems.n && !text_equal(e->systems.v[i].name, name))
		i++;
	if (i == e->systems.n)
		wrong(c, "system", "no system has this name");
	free(name);
	return c->rc != 0 ? 0 : i;
}

static size_t take_task(struct cursor *c, const json_t *o, const struct experiment *e)
{
	char *name = take_text(c, o, "task");
	size_t i = 0;

	while (i < e->tasks.n && !text_equal(e->tasks.v[i].name, name))
		i++;
	if (i == e->tasks.n)
		wrong(c, "task", "no task has this name");
	free(name);
	return c->rc != 0 ? 0 : i;
}

static void read_execution(struct cursor *c, const json_t *j, struct experiment *e)
{
	struct exp_execution *x = vec_add(&e->executions);
	char *status = take_text(c, j, "status");

	x->task = take_task(c, j, e);
	x->system = take_system(c, j, e);
	x->round = (int)take_int(c, j, "round", 1, EXCHANGE_ROUNDS);
	x->warmup = take_bool(c, j, "warmup");
	x->life = (int)take_int(c, j, "life", 0, EXCHANGE_EXECUTIONS);
	x->position = (int)take_int(c, j, "position", 1, EXCHANGE_SYSTEMS);
	x->attempt = (int)take_int(c, j, "attempt", 1, EXCHANGE_ROUNDS);
	x->start_ns = take_int(c, j, "start_ns", 0, INT64_MAX);
	x->end_ns = take_int(c, j, "end_ns", 0, INT64_MAX);
	x->unix_ns = take_int(c, j, "unix_ns", 0, INT64_MAX);
	if (!outcome_status_from_name(status, &x->status))
		wrong(c, "status", "is not known");
	x->reason = take_text(c, j, "reason");
	x->disturbed = take_bool(c, j, "disturbed");
	x->disturbance = take_object(c, j, "disturbance");
	read_values(c, j, e, x);
	free(status);
}

static int by_place(const void *a, const void *b)
{
	const struct exp_execution *x = *(const struct exp_execution *const *)a;
	const struct exp_execution *y = *(const struct exp_execution *const *)b;

	if (x->warmup != y->warmup)
		return x->warmup ? -1 : 1;
	if (x->round != y->round)
		return x->round < y->round ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->system != y->system)
		return x->system < y->system ? -1 : 1;
	return (x->attempt > y->attempt) - (x->attempt < y->attempt);
}

static void check_places(struct cursor *c, const struct experiment *e)
{
	const struct exp_execution **at = mem_array(e->executions.n, sizeof(*at));
	size_t rounds = 0;

	for (size_t i = 0; i < e->executions.n; i++) {
		at[i] = &e->executions.v[i];
		if ((size_t)at[i]->round > rounds)
			rounds = (size_t)at[i]->round;
	}
	if (e->executions.n > 0)
		qsort(at, e->executions.n, sizeof(*at), by_place);
	for (size_t i = 1; i < e->executions.n; i++) {
		if (by_place(&at[i - 1], &at[i]) == 0) {
			wrong(c, "executions",
			      "round %d, task \"%.80s\", attempt %d of a system is there twice",
			      at[i]->round, e->tasks.v[at[i]->task].name, at[i]->attempt);
			break;
		}
	}
	if (rounds * e->tasks.n * e->systems.n > EXCHANGE_PLACES)
		wrong(c, "executions", "there are too many rounds of too many tasks");
	free(at);
}

static void read_executions(struct cursor *c, const json_t *o, struct experiment *e)
{
	const json_t *list = take_list(c, o, "executions", 0, EXCHANGE_EXECUTIONS);
	const json_t *j = NULL;
	size_t i = 0;

	json_array_foreach(list, i, j)
	{
		c->list = "executions";
		c->at = i;
		read_execution(c, j, e);
		if (c->rc != 0)
			break;
	}
	c->list = NULL;
	if (c->rc == 0)
		check_places(c, e);
}

static void read_notes(struct cursor *c, const json_t *o, struct experiment *e)
{
	const json_t *list = take_list(c, o, "notes", 0, NOTES_MAX);
	const json_t *j = NULL;
	size_t i = 0;

	json_array_foreach(list, i, j)
	{
		if (!json_is_string(j))
			wrong(c, "notes", "must be texts");
		else
			vec_push(&e->notes, mem_strdup(json_string_value(j)));
	}
}

static void read_experiment(struct cursor *c, const json_t *o, struct experiment *e)
{
	static const char *const kinds[] = {"run", "reference", "aa", "import", NULL};
	static const char *const states[] = {"complete", "running", "interrupted", "failed", NULL};
	static const char *const endings[] = {"", "decided", "time", "disturbed", NULL};

	e->title = take_text(c, o, "title");
	e->kind = mem_strdup(kinds[take_word(c, o, "kind", kinds)]);
	e->state = mem_strdup(states[take_word(c, o, "state", states)]);
	e->ending = mem_strdup(endings[take_word(c, o, "ending", endings)]);
	e->command = take_text(c, o, "command");
	e->version = take_text(c, o, "lampduel");
	e->seed = (uint64_t)take_int(c, o, "seed", 0, INT64_MAX);
	e->rounds_planned = (int)take_int(c, o, "rounds_planned", 0, EXCHANGE_ROUNDS);
	e->warmup_rounds = (int)take_int(c, o, "warmup_rounds", 0, EXCHANGE_ROUNDS);
	e->lives = (int)take_int(c, o, "lives", 0, EXCHANGE_ROUNDS);
	e->created_unix_ns = take_int(c, o, "created_unix_ns", 0, INT64_MAX);
	e->ended_unix_ns = take_int(c, o, "ended_unix_ns", 0, INT64_MAX);
	e->plan = take_object(c, o, "plan");
	read_systems(c, o, e);
	read_tasks(c, o, e);
	read_metrics(c, o, e);
	read_notes(c, o, e);
	if (c->rc == 0)
		read_executions(c, o, e);
}

static const char *skip_blank(const char *text, size_t *len)
{
	if (*len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		*len -= 3;
	}
	while (*len > 0 && strchr(" \t\r\n", *text) != NULL && *text != '\0') {
		text++;
		--*len;
	}
	return text;
}

bool exchange_is(const char *text, size_t len)
{
	const char *from = skip_blank(text, &len);

	return len > 0 && *from == '{' &&
	       memmem(from, len < NEAR ? len : NEAR, "\"" EXCHANGE_FORMAT "\"",
		      sizeof(EXCHANGE_FORMAT) + 1) != NULL;
}

static int check_head(struct cursor *c, const json_t *root)
{
	static const char *const format[] = {EXCHANGE_FORMAT, NULL};

	(void)take_word(c, root, "format", format);
	int64_t version = take_int(c, root, "format_version", 1, INT64_MAX);
	if (version > EXCHANGE_VERSION)
		wrong(c, "format_version",
		      "%lld is newer than this lampduel, which reads %d; use a newer one",
		      (long long)version, EXCHANGE_VERSION);
	if (!json_is_object(member(c, root, "measured")))
		wrong(c, "measured", "must be an object");
	return c->rc;
}

int exchange_read(const char *text, size_t len, const char *name, struct experiment *e,
		  struct err *err)
{
	struct cursor c = {.name = name, .err = err};
	json_error_t why;

	*e = (struct experiment){.id = 0};
	if (len > EXCHANGE_BYTES) {
		wrong(&c, "size", "more than %d MiB are not read", EXCHANGE_BYTES >> 20);
		return c.rc;
	}
	text = skip_blank(text, &len);
	json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	if (root == NULL) {
		char *file = text_escaped(name), *reason = text_escaped(why.text);
		c.rc = err_set(err, "%s:%d: not JSON as lampduel writes it (cut short?): %.200s",
			       file, why.line, reason);
		free(file);
		free(reason);
		return c.rc;
	}
	if (check_head(&c, root) == 0)
		read_experiment(&c, json_object_get(root, "measured"), e);
	json_decref(root);
	return c.rc;
}
