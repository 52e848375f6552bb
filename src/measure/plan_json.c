#include <string.h>

#include "base/jsonx.h"
#include "base/text.h"
#include "measure/plan.h"

static json_t *request_to_json(const struct workload_request *q)
{
	json_t *params = json_object();
	json_t *argv = json_array();

	for (size_t i = 0; i < q->params.n; i++)
		(void)json_object_set_new(params, q->params.v[i].key,
					  json_string(q->params.v[i].value));
	for (size_t i = 0; i < q->argv.n; i++)
		(void)json_array_append_new(argv, json_string(q->argv.v[i]));
	return json_pack("{s:s, s:s?, s:o, s:o}", "kind", q->kind->name, "name", q->name, "params",
			 params, "argv", argv);
}

char *plan_to_json(const struct plan *p)
{
	json_t *systems = json_array();
	json_t *workloads = json_array();

	for (size_t i = 0; i < p->systems.n; i++) {
		const struct system_spec *s = &p->systems.v[i];
		(void)json_array_append_new(systems, json_pack("{s:s, s:s, s:s?}", "name", s->name,
							       "target", s->target, "cpu", s->cpu));
	}
	for (size_t i = 0; i < p->workloads.n; i++)
		(void)json_array_append_new(workloads, request_to_json(&p->workloads.v[i]));
	json_t *root = json_pack(
		"{s:o, s:o, s:b, s:s, s:s?, s:i, s:i, s:i, s:I, s:I, s:I, s:f, s:b, s:b, s:b, "
		"s:s?, s:b, s:b}",
		"systems", systems, "workloads", workloads, "default_workloads",
		p->default_workloads, "kind", p->kind, "command_line", p->command_line, "rounds",
		p->rounds, "warmup", p->warmup, "lives", p->lives, "seed", (json_int_t)p->seed,
		"max_time_ns", (json_int_t)p->max_time_ns, "sample_ns", (json_int_t)p->sample_ns,
		"step_share", p->step_share, "own_wordpress", p->own_wordpress, "equal_versions",
		p->equal_versions, "keep", p->keep, "record", p->record, "looks", p->looks,
		"accept_load", p->accept_load);
	return jsonx_take_text(root, JSON_COMPACT | JSON_SORT_KEYS);
}

static int request_from_json(const json_t *j, struct plan *p, struct err *err)
{
	const char *kind = json_string_value(json_object_get(j, "kind"));
	const struct workload_kind *k = workload_kind_named(kind == NULL ? "" : kind, err);
	const char *key = NULL;
	json_t *v = NULL;
	size_t i = 0;
	int rc = 0;

	if (k == NULL)
		return err->code;
	struct workload_request q = {
		.kind = k, .name = mem_strdup(json_string_value(json_object_get(j, "name")))};
	json_object_foreach(json_object_get(j, "params"), key, v)
	{
		if (rc == 0)
			rc = workload_request_set(&q, key, json_string_value(v), err);
	}
	json_array_foreach(json_object_get(j, "argv"), i, v)
	{
		strvec_push(&q.argv, json_string_value(v));
	}
	vec_push(&p->workloads, q);
	return rc;
}

static int int_of(const json_t *root, const char *key)
{
	return (int)json_integer_value(json_object_get(root, key));
}

static bool bool_of(const json_t *root, const char *key)
{
	return json_is_true(json_object_get(root, key));
}

static char *text_of(const json_t *root, const char *key)
{
	return mem_strdup(json_string_value(json_object_get(root, key)));
}

bool plan_json_looks(const char *text)
{
	json_t *root = text == NULL ? NULL : json_loads(text, 0, NULL);
	bool looks = bool_of(root, "looks");

	json_decref(root);
	return looks;
}

int plan_from_json(const char *text, struct plan *p, struct err *err)
{
	json_error_t je;
	json_t *root = json_loads(text, 0, &je);
	const json_t *v = NULL;
	size_t i = 0;
	int rc = 0;

	if (root == NULL)
		return err_set(err, "the stored plan cannot be read: %s", je.text);
	plan_release(p);
	*p = (struct plan){
		.default_workloads = bool_of(root, "default_workloads"),
		.kind = text_of(root, "kind"),
		.command_line = text_of(root, "command_line"),
		.rounds = int_of(root, "rounds"),
		.warmup = int_of(root, "warmup"),
		.lives = int_of(root, "lives"),
		.seed = (uint64_t)json_integer_value(json_object_get(root, "seed")),
		.max_time_ns = json_integer_value(json_object_get(root, "max_time_ns")),
		.sample_ns = json_integer_value(json_object_get(root, "sample_ns")),
		.step_share = json_number_value(json_object_get(root, "step_share")),
		.own_wordpress = bool_of(root, "own_wordpress"),
		.equal_versions = bool_of(root, "equal_versions"),
		.keep = bool_of(root, "keep"),
		.record = text_of(root, "record"),
		.looks = bool_of(root, "looks"),
		.accept_load = bool_of(root, "accept_load"),
	};
	json_array_foreach(json_object_get(root, "systems"), i, v)
	{
		const char *target = json_string_value(json_object_get(v, "target"));
		if (rc == 0 && target == NULL)
			rc = err_set(err, "the stored plan names a system without a target");
		if (rc == 0)
			rc = plan_add_system(p, json_string_value(json_object_get(v, "name")),
					     target, json_string_value(json_object_get(v, "cpu")),
					     err);
	}
	json_array_foreach(json_object_get(root, "workloads"), i, v)
	{
		if (rc == 0)
			rc = request_from_json(v, p, err);
	}
	json_decref(root);
	return rc;
}
