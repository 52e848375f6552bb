#include <math.h>
#include <stdlib.h>

#include "base/jsonx.h"
#include "base/mem.h"
#include "base/text.h"
#include "store/exchange.h"

json_t *exchange_number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

/* Text that should be a JSON object: as one, "" as null, anything else as the text it is. */
static json_t *object_in(const char *text)
{
	if (text == NULL || text[0] == '\0')
		return json_null();
	json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(j)) {
		json_decref(j);
		j = jsonx_text(text);
	}
	return j;
}

static json_t *facts_of(const struct factset *f)
{
	json_t *all = json_array();

	for (size_t i = 0; i < f->n; i++) {
		json_t *o = json_object();

		jsonx_put(o, "key", jsonx_text(f->v[i].key));
		jsonx_put(o, "value", jsonx_text(f->v[i].value));
		jsonx_put(o, "origin", jsonx_text(f->v[i].origin));
		jsonx_append(all, o);
	}
	return all;
}

static json_t *systems_of(const struct experiment *e)
{
	json_t *all = json_array();

	for (size_t i = 0; i < e->systems.n; i++) {
		const struct exp_system *s = &e->systems.v[i];
		json_t *o = json_object();

		jsonx_put(o, "name", jsonx_text(s->name));
		jsonx_put(o, "target", jsonx_text(s->target));
		jsonx_put(o, "baseline", json_boolean(s->baseline));
		jsonx_put(o, "emulated", json_boolean(s->emulated));
		jsonx_put(o, "emulator", jsonx_text(s->emulator));
		jsonx_put(o, "facts", facts_of(&s->facts));
		jsonx_append(all, o);
	}
	return all;
}

static json_t *tasks_of(const struct experiment *e)
{
	json_t *all = json_array();

	for (size_t i = 0; i < e->tasks.n; i++) {
		json_t *o = json_object();

		jsonx_put(o, "name", jsonx_text(e->tasks.v[i].name));
		jsonx_put(o, "workload", jsonx_text(e->tasks.v[i].workload));
		jsonx_put(o, "params", object_in(e->tasks.v[i].params));
		jsonx_append(all, o);
	}
	return all;
}

static json_t *metrics_of(const struct experiment *e)
{
	json_t *all = json_array();

	for (size_t i = 0; i < e->metrics.n; i++) {
		const struct exp_metric *m = &e->metrics.v[i];
		json_t *o = json_object();

		jsonx_put(o, "name", jsonx_text(m->name));
		jsonx_put(o, "unit", jsonx_text(m->unit));
		jsonx_put(o, "better", jsonx_text(metric_direction_name(m->direction)));
		jsonx_put(o, "conditions", jsonx_text(m->conditions));
		jsonx_put(o, "primary", json_boolean(m->primary));
		jsonx_append(all, o);
	}
	return all;
}

static json_t *values_of(const struct exp_execution *x)
{
	json_t *all = json_array();

	for (size_t i = 0; i < x->values.n; i++) {
		const struct exp_value *v = &x->values.v[i];
		json_t *o = json_object();

		jsonx_put(o, "metric", json_integer((json_int_t)v->metric));
		jsonx_put(o, "value", exchange_number(v->value));
		jsonx_put(o, "step", exchange_number(v->step));
		jsonx_put(o, "derived", json_boolean(v->derived));
		jsonx_put(o, "n", json_integer(v->n));
		jsonx_put(o, "sd", exchange_number(v->sd));
		if (v->origin != NULL)
			jsonx_put(o, "origin", jsonx_text(v->origin));
		jsonx_append(all, o);
	}
	return all;
}

static json_t *execution_of(const struct experiment *e, const struct exp_execution *x, bool counted)
{
	json_t *o = json_object();

	jsonx_put(o, "round", json_integer(x->round));
	jsonx_put(o, "warmup", json_boolean(x->warmup));
	jsonx_put(o, "task", jsonx_text(e->tasks.v[x->task].name));
	jsonx_put(o, "system", jsonx_text(e->systems.v[x->system].name));
	jsonx_put(o, "life", json_integer(x->life));
	jsonx_put(o, "position", json_integer(x->position));
	jsonx_put(o, "attempt", json_integer(x->attempt));
	jsonx_put(o, "start_ns", json_integer(x->start_ns));
	jsonx_put(o, "end_ns", json_integer(x->end_ns));
	jsonx_put(o, "unix_ns", json_integer(x->unix_ns));
	jsonx_put(o, "status", jsonx_text(outcome_status_name(x->status)));
	jsonx_put(o, "reason", jsonx_text(x->reason));
	jsonx_put(o, "disturbed", json_boolean(x->disturbed));
	jsonx_put(o, "disturbance", object_in(x->disturbance));
	jsonx_put(o, "counted", json_boolean(counted));
	jsonx_put(o, "values", values_of(x));
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

		jsonx_append(all, execution_of(e, x, counted));
	}
	counted_index_release(&index);
	return all;
}

static json_t *experiment_of(const struct experiment *e)
{
	json_t *o = json_object();
	json_t *notes = json_array();

	for (size_t i = 0; i < e->notes.n; i++)
		jsonx_append(notes, jsonx_text(e->notes.v[i]));
	jsonx_put(o, "id", json_integer(e->id));
	jsonx_put(o, "title", jsonx_text(e->title));
	jsonx_put(o, "kind", jsonx_text(e->kind));
	jsonx_put(o, "state", jsonx_text(e->state));
	jsonx_put(o, "ending", jsonx_text(e->ending));
	jsonx_put(o, "command", jsonx_text(e->command));
	jsonx_put(o, "lampduel", jsonx_text(e->version));
	jsonx_put(o, "seed", json_integer((json_int_t)e->seed));
	jsonx_put(o, "rounds_planned", json_integer(e->rounds_planned));
	jsonx_put(o, "warmup_rounds", json_integer(e->warmup_rounds));
	jsonx_put(o, "lives", json_integer(e->lives));
	jsonx_put(o, "created_unix_ns", json_integer(e->created_unix_ns));
	jsonx_put(o, "ended_unix_ns", json_integer(e->ended_unix_ns));
	jsonx_put(o, "plan", object_in(e->plan));
	jsonx_put(o, "systems", systems_of(e));
	jsonx_put(o, "tasks", tasks_of(e));
	jsonx_put(o, "metrics", metrics_of(e));
	jsonx_put(o, "executions", executions_of(e));
	jsonx_put(o, "notes", notes);
	return o;
}

json_t *exchange_write(const struct experiment *e, bool identified)
{
	json_t *o = json_object();

	/* the format comes first, also when somebody sorts the keys: readers tell it by that */
	jsonx_put(o, "format", jsonx_text(EXCHANGE_FORMAT));
	jsonx_put(o, "format_version", json_integer(EXCHANGE_VERSION));
	jsonx_put(o, "identified", json_boolean(identified));
	jsonx_put(o, "lampduel", jsonx_text(LAMPDUEL_VERSION));
	jsonx_put(o, "measured", experiment_of(e));
	return o;
}
