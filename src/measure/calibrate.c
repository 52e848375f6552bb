#include "measure/calibrate.h"

#include <string.h>

#include "base/text.h"
#include "measure/parallel.h"

struct job {
	struct session *s;
	const struct task *t;
	struct step step;
	struct buf *texts;
	int64_t *counts;
};

static int fingerprint_one(void *arg, size_t i, struct err *err)
{
	struct job *j = arg;
	int rc = j->t->kind->fingerprint(j->t, j->s->systems[i], j->s->stacks[i], &j->step,
					 &j->texts[i], err);

	return rc == 0 ? 0 : err_wrap(err, "%s on %s", j->t->name, j->s->systems[i]->name);
}

enum { SHOWN = 60 };

char *calibrate_first_difference(const char *a, const char *b)
{
	int line = 1;

	while (*a != '\0' || *b != '\0') {
		size_t n = strcspn(a, "\n");
		size_t m = strcspn(b, "\n");
		if (n != m || strncmp(a, b, n) != 0) {
			size_t same = 0;
			while (same < n && same < m && a[same] == b[same])
				same++;
			size_t from = same > SHOWN / 2 ? same - SHOWN / 2 : 0;
			struct buf out = BUF_INIT;
			buf_addf(&out, "line %d: \"", line);
			text_escape(&out, a + from, n - from > SHOWN ? SHOWN : n - from);
			buf_addstr(&out, "\" and \"");
			text_escape(&out, b + from, m - from > SHOWN ? SHOWN : m - from);
			buf_addstr(&out, "\"");
			return buf_detach(&out);
		}
		a += n + (a[n] != '\0');
		b += m + (b[m] != '\0');
		line++;
	}
	return NULL;
}

/* The same-work gate: a difference ends the run, unless different work was asked for. */
static int check_same_work(struct job *j, struct err *err)
{
	struct session *s = j->s;
	int rc = 0;

	if (j->t->kind->fingerprint == NULL || s->n < 2)
		return 0;
	j->texts = mem_array(s->n, sizeof(*j->texts));
	rc = parallel_each(s->n, s->recorded, fingerprint_one, j, err);
	for (size_t i = 1; rc == 0 && i < s->n; i++) {
		char *diff =
			calibrate_first_difference(buf_str(&j->texts[0]), buf_str(&j->texts[i]));
		if (diff != NULL && s->plan->own_wordpress && task_need(j->t) == NEED_WEB)
			session_note(s, "%s: the work differs between %s and %s: %s", j->t->name,
				     s->systems[0]->name, s->systems[i]->name, diff);
		else if (diff != NULL)
			rc = err_code(err, ERR_HOPELESS, "%s is not the same work on %s and %s: %s",
				      j->t->name, s->systems[0]->name, s->systems[i]->name, diff);
		free(diff);
	}
	for (size_t i = 0; i < s->n; i++)
		buf_release(&j->texts[i]);
	free(j->texts);
	j->texts = NULL;
	return rc;
}

/* One system after the other: what is timed here must not share the machine. */
static int find_count(struct job *j, int64_t *count, struct err *err)
{
	struct session *s = j->s;
	const struct workload_kind *k = j->t->kind;

	*count = k->count_min;
	for (size_t i = 0; i < s->n; i++) {
		int64_t c = 0;
		if (*s->stop != 0)
			return err_code(err, ERR_INTERRUPTED, "interrupted");
		if (k->calibrate(j->t, s->systems[i], s->stacks[i], &j->step, s->plan->sample_ns,
				 s->plan->step_share, &c, err) != 0)
			return err_wrap(err, "%s on %s", j->t->name, s->systems[i]->name);
		if (c > *count)
			*count = c;
	}
	if (*count > k->count_max)
		*count = k->count_max;
	return 0;
}

static int calibrate_task(struct session *s, struct task *t, struct err *err)
{
	char *name = mem_printf("%s/calibrate", t->name);
	struct job j = {.s = s, .t = t, .step = {name, 0, 1}};
	bool open = t->kind->count_key != NULL && task_int(t, t->kind->count_key) == 0;
	int rc = session_begin_life(s, t, 0, 1, err);

	if (rc == 0)
		rc = check_same_work(&j, err);
	if (rc == 0 && open) {
		int64_t count = 0;
		rc = find_count(&j, &count, err);
		if (rc == 0)
			task_set_int(t, t->kind->count_key, count);
	}
	session_end_life(s, t, 0, 1);
	free(name);
	return rc;
}

static int store_notes(struct session *s, struct experiment *e, struct store *store,
		       struct err *err)
{
	for (size_t i = e->notes.n; i < s->notes.n; i++) {
		if (store_add_note(store, e->id, s->notes.v[i], err) != 0)
			return err->code;
		vec_push(&e->notes, mem_strdup(s->notes.v[i]));
	}
	return 0;
}

int calibrate_all(struct session *s, struct experiment *e, struct store *store, bool resumed,
		  struct err *err)
{
	event_text(s->sink, EVENT_PHASE, "checking that the work is the same, choosing counts");
	for (size_t k = 0; k < s->tasks.tasks.n; k++) {
		struct task *t = &s->tasks.tasks.v[k];
		if (*s->stop != 0)
			return err_code(err, ERR_INTERRUPTED, "interrupted");
		if (calibrate_task(s, t, err) != 0)
			return err->code;
		char *params = json_dumps(t->params, JSON_COMPACT | JSON_SORT_KEYS);
		mem_replace(&e->tasks.v[k].params, params);
		/* a session that is resumed may have ended before it had all counts */
		if (store_set_task_params(store, e, k, err) != 0)
			return err->code;
	}
	return resumed ? 0 : store_notes(s, e, store, err);
}
