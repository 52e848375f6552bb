#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "store/exchange.h"

json_t *exchange_text(const char *s)
{
	json_t *j = json_string(s == NULL ? "" : s);

	if (j == NULL) {
		char *escaped = text_escaped(s);
		j = json_string(escaped);
		free(escaped);
	}
	if (j == NULL)
		mem_exhausted();
	return j;
}

json_t *exchange_number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static void put(json_t *o, const char *key, json_t *value)
{
	if (json_object_set_new_nocheck(o, key, value) != 0)
		mem_exhausted();
}

static void append(json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) != 0)
		mem_exhausted();
}

/* Text that should be a JSON object: as one, "" as null, anything else as the text it is. */
static json_t *object_in(const char *text)
{
	if (text == NULL || text[0] == '\0')
		return json_null();
	json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(j)) {
		json_decref(j);
		j = exchange_text(text);
	}
	return j;
}

static json_t *facts_of(const struct factset *f)
{
	json_t *all = json_array();

	for (size_t i = 0; i < f->n; i++) {
		json_t *o = json_object();

		put(o, "key", exchange_text(f->v[i].key));
		put(o, "value", exchange_text(f->v[i].value));
		put(o, "origin", exchange_text(f->v[i].origin));
		append(all, o);
	}
	return all;
}

static json_t *systems_of(const struct experiment *e)
{
	json_t *all = json_array();

	for (size_t i = 0; i < e->systems.n; i++) {
		const struct exp_system *s = &e->systems.v[i];
		json_t *o = json_object();

		put(o, "name", exchange_text(s->name));
		put(o, "target", exchange_text(s->target));
		put(o, "baseline", json_boolean(s->baseline));
		put(o, "emulated", json_boolean(s->emulated));
		put(o, "emulator", exchange_text(s->emulator));
		put(o, "facts", facts_of(&s->facts));
		append(all, o);
	}
	return all;
}

static json_t *tasks_of(const struct experiment *e)
{
	json_t *all = json_array();

	for (size_t i = 0; i < e->tasks.n; i++) {
		json_t *o = json_object();

		put(o, "name", exchange_text(e->tasks.v[i].name));
		put(o, "workload", exchange_text(e->tasks.v[i].workload));
		put(o, "params", object_in(e->tasks.v[i].params));
		append(all, o);
	}
	return all;
}

static json_t *metrics_of(const struct experiment *e)
{
	json_t *all = json_array();

	for (size_t i = 0; i < e->metrics.n; i++) {
		const struct exp_metric *m = &e->metrics.v[i];
		json_t *o = json_object();

		put(o, "name", exchange_text(m->name));
		put(o, "unit", exchange_text(m->unit));
		put(o, "better", exchange_text(metric_direction_name(m->direction)));
		put(o, "conditions", exchange_text(m->conditions));
		put(o, "primary", json_boolean(m->primary));
		append(all, o);
	}
	return all;
}

static json_t *values_of(const struct exp_execution *x)
{
	json_t *all = json_array();

	for (size_t i = 0; i < x->values.n; i++) {
		const struct exp_value *v = &x->values.v[i];
		json_t *o = json_object();

		put(o, "metric", json_integer((json_int_t)v->metric));
		put(o, "value", exchange_number(v->value));
		put(o, "step", exchange_number(v->step));
		put(o, "derived", json_boolean(v->derived));
		put(o, "n", json_integer(v->n));
		put(o, "sd", exchange_number(v->sd));
		append(all, o);
	}
	return all;
}

static json_t *execution_of(const struct experiment *e, const struct exp_execution *x, bool counted)
{
	json_t *o = json_object();

	put(o, "round", json_integer(x->round));
	put(o, "warmup", json_boolean(x->warmup));
	put(o, "task", exchange_text(e->tasks.v[x->task].name));
	put(o, "system", exchange_text(e->systems.v[x->system].name));
	put(o, "life", json_integer(x->life));
	put(o, "position", json_integer(x->position));
	put(o, "attempt", json_integer(x->attempt));
	put(o, "start_ns", json_integer(x->start_ns));
	put(o, "end_ns", json_integer(x->end_ns));
	put(o, "unix_ns", json_integer(x->unix_ns));
	put(o, "status", exchange_text(outcome_status_name(x->status)));
	put(o, "reason", exchange_text(x->reason));
	put(o, "disturbed", json_boolean(x->disturbed));
	put(o, "disturbance", object_in(x->disturbance));
	put(o, "counted", json_boolean(counted));
	put(o, "values", values_of(x));
	return o;
}

static json_t *executions_of(const struct experiment *e)
{
	struct counted_index index;
	json_t *all = json_array();

	counted_index_make(&index, e);
	for (size_t i = 0; i < e->executions.n; i++) {
		const struct exp_execution *x = &e->executions.v[i];
		bool counted =
			!x->warmup && counted_index_get(&index, x->round, x->task, x->system) == x;

		append(all, execution_of(e, x, counted));
	}
	counted_index_release(&index);
	return all;
}

static json_t *experiment_of(const struct experiment *e)
{
	json_t *o = json_object();
	json_t *notes = json_array();

	for (size_t i = 0; i < e->notes.n; i++)
		append(notes, exchange_text(e->notes.v[i]));
	put(o, "id", json_integer(e->id));
	put(o, "title", exchange_text(e->title));
	put(o, "kind", exchange_text(e->kind));
	put(o, "state", exchange_text(e->state));
	put(o, "ending", exchange_text(e->ending));
	put(o, "command", exchange_text(e->command));
	put(o, "lampduel", exchange_text(e->version));
	put(o, "seed", json_integer((json_int_t)e->seed));
	put(o, "rounds_planned", json_integer(e->rounds_planned));
	put(o, "warmup_rounds", json_integer(e->warmup_rounds));
	put(o, "lives", json_integer(e->lives));
	put(o, "created_unix_ns", json_integer(e->created_unix_ns));
	put(o, "ended_unix_ns", json_integer(e->ended_unix_ns));
	put(o, "plan", object_in(e->plan));
	put(o, "systems", systems_of(e));
	put(o, "tasks", tasks_of(e));
	put(o, "metrics", metrics_of(e));
	put(o, "executions", executions_of(e));
	put(o, "notes", notes);
	return o;
}

json_t *exchange_write(const struct experiment *e, bool identified)
{
	json_t *o = json_object();

	/* the format comes first, also when somebody sorts the keys: readers tell it by that */
	put(o, "format", exchange_text(EXCHANGE_FORMAT));
	put(o, "format_version", json_integer(EXCHANGE_VERSION));
	put(o, "identified", json_boolean(identified));
	put(o, "lampduel", exchange_text(LAMPDUEL_VERSION));
	put(o, "measured", experiment_of(e));
	return o;
}
