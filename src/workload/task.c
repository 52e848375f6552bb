#include "workload/internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

void task_list_release(struct task_list *l)
{
	for (size_t i = 0; i < l->tasks.n; i++) {
		free(l->tasks.v[i].name);
		json_decref(l->tasks.v[i].params);
	}
	vec_release(&l->tasks);
}

struct task *task_add(struct task_list *l, const struct workload_kind *kind, const char *name)
{
	struct task *t = vec_add(&l->tasks);

	t->kind = kind;
	t->name = mem_strdup(name);
	t->params = json_object();
	if (t->params == NULL)
		mem_exhausted();
	return t;
}

const char *task_text(const struct task *t, const char *key)
{
	const char *s = json_string_value(json_object_get(t->params, key));

	return s == NULL ? "" : s;
}

int64_t task_int(const struct task *t, const char *key)
{
	return json_integer_value(json_object_get(t->params, key));
}

bool task_is_of_running(const struct task *t)
{
	return task_text(t, "running")[0] != '\0';
}

enum stack_need task_need(const struct task *t)
{
	return task_is_of_running(t) ? NEED_NOTHING : t->kind->need;
}

void task_set_int(struct task *t, const char *key, int64_t v)
{
	if (json_object_set_new(t->params, key, json_integer(v)) != 0)
		mem_exhausted();
}

void task_set_text(struct task *t, const char *key, const char *v)
{
	/* refuses what is no UTF-8; such text cannot be stored either */
	json_t *s = json_string(v);

	if (s == NULL) {
		char *safe = text_escaped(v);
		s = json_string(safe);
		free(safe);
	}
	if (json_object_set_new(t->params, key, s) != 0)
		mem_exhausted();
}

void sample_release(struct sample *s)
{
	for (size_t i = 0; i < s->values.n; i++) {
		free(s->values.v[i].metric);
		free(s->values.v[i].conditions);
	}
	vec_release(&s->values);
}

void sample_add(struct sample *s, const char *metric, const char *unit, double value, double step,
		bool primary, const char *conditions)
{
	struct sample_value *v = vec_add(&s->values);

	v->metric = mem_strdup(metric);
	v->unit = unit;
	v->value = value;
	v->step = step;
	v->primary = primary;
	v->n = 1;
	v->conditions = mem_strdup(conditions);
}

const char *request_text(const struct workload_request *q, const char *key)
{
	const char *given = factset_get(&q->params, key);

	if (given != NULL)
		return given;
	for (const struct workload_param *p = q->kind->params; p->key != NULL; p++) {
		if (strcmp(p->key, key) == 0)
			return p->fallback;
	}
	return "";
}

static int bad_value(const struct workload_request *q, const char *key, const char *expected,
		     struct err *err)
{
	char *shown = text_escaped(request_text(q, key));
	int rc = err_code(err, ERR_USAGE, "%s=%s is not valid: %s", key, shown, expected);

	free(shown);
	return rc;
}

int request_int(const struct workload_request *q, const char *key, int64_t min, int64_t max,
		int64_t *v, struct err *err)
{
	if (text_to_i64(request_text(q, key), v) && *v >= min && *v <= max)
		return 0;
	char *expected =
		mem_printf("a whole number from %lld to %lld", (long long)min, (long long)max);
	int rc = bad_value(q, key, expected, err);
	free(expected);
	return rc;
}

int request_count(const struct workload_request *q, int64_t *v, struct err *err)
{
	const struct workload_kind *k = q->kind;

	*v = 0;
	if (strcmp(request_text(q, k->count_key), "auto") == 0)
		return 0;
	if (text_to_i64(request_text(q, k->count_key), v) && *v >= k->count_min &&
	    *v <= k->count_max)
		return 0;
	char *expected = mem_printf("auto, or %lld to %lld %s", (long long)k->count_min,
				    (long long)k->count_max, k->count_unit);
	int rc = bad_value(q, k->count_key, expected, err);
	free(expected);
	return rc;
}

static bool is_word(const char *s)
{
	for (const char *p = s; *p != '\0'; p++) {
		if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) &&
		    strchr("._+-", *p) == NULL)
			return false;
	}
	/* a word that begins with a dash would be an option of the program that gets it */
	return *s != '\0' && *s != '-';
}

int request_list(const struct workload_request *q, const char *key, struct strvec *words,
		 struct err *err)
{
	char *copy = mem_strdup(request_text(q, key)), *rest = copy, *word = NULL;
	int rc = 0;

	while (rc == 0 && (word = strsep(&rest, ",")) != NULL) {
		word = text_trim(word);
		for (char *p = word; *p != '\0'; p++)
			*p = (char)tolower((unsigned char)*p);
		if (!is_word(word))
			rc = bad_value(q, key, "names with commas between them", err);
		for (size_t i = 0; rc == 0 && i < words->n; i++) {
			if (strcmp(words->v[i], word) == 0)
				rc = err_code(err, ERR_USAGE, "%s names %s twice", key, word);
		}
		if (rc == 0)
			strvec_push(words, word);
	}
	free(copy);
	return rc;
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct condition *)a)->key, ((const struct condition *)b)->key);
}

char *conditions_text(const struct condition *c, size_t n)
{
	struct condition *sorted = mem_array(n, sizeof(*sorted));
	struct buf b = BUF_INIT;

	if (n > 0) {
		memcpy(sorted, c, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), by_key);
	}
	for (size_t i = 0; i < n; i++)
		buf_addf(&b, "%s%s=%s", i == 0 ? "" : ";", sorted[i].key, sorted[i].value);
	free(sorted);
	return buf_detach(&b);
}

int64_t count_grow(int64_t count, double took, double want, int64_t max)
{
	/* the first tries are mostly the cost of asking: believe them only so far */
	double factor = took > 0 ? want / took : 100;
	double next = (double)count * (factor > 100 ? 100 : factor);

	if (next >= (double)max)
		return max;
	if (next < (double)count + 1)
		next = (double)count + 1;
	double digit = 1;
	while (next / digit >= 100)
		digit *= 10;
	int64_t rounded = (int64_t)(ceil(next / digit) * digit);
	return rounded > max ? max : rounded;
}

double mean_of(const double *v, size_t n, double *sd)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	double mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (v[i] - mean) * (v[i] - mean);
	*sd = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
	return mean;
}

uint64_t hash_more(uint64_t h, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * UINT64_C(1099511628211);
	return h;
}
