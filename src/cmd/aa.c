#include "cmd/aa.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "cmd/join.h"
#include "cmd/render.h"
#include "workload/workload.h"

/* Facts that say which machine and which configuration it was. Versions and packages as well. */
static bool tells_systems_apart(const char *key)
{
	static const char *const keys[] = {
		"arch",          "abi.float",       "kernel.release",     "cpu.model",
		"cpu.emulator",  "storage.device",  "storage.filesystem", "machine.id",
		"os.name",       "machine.product", "cpu.board",          "cpu.governor",
		"storage.model",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(key, keys[i]) == 0)
			return true;
	}
	return text_ends(key, ".version") || text_starts(key, "package.");
}

/* A target that was taken out of a published report ("ssh:...") may have been any. */
static bool is_hidden(const struct exp_system *s)
{
	return strstr(s->target, "...") != NULL && factset_get(&s->facts, "machine.id") == NULL;
}

/* What only one of the two was asked for, because it measured something else, is no difference. */
static bool same_system(const struct exp_system *a, const struct exp_system *b)
{
	if (strcmp(a->target, b->target) != 0 || a->emulated != b->emulated || is_hidden(a) ||
	    is_hidden(b))
		return false;
	for (size_t i = 0; i < a->facts.n; i++) {
		const struct fact *f = &a->facts.v[i];
		const char *other = factset_get(&b->facts, f->key);
		if (other != NULL && tells_systems_apart(f->key) && strcmp(f->value, other) != 0)
			return false;
	}
	return true;
}

/* Was this workload's count left to calibration? */
static bool was_calibrated(const json_t *plan, const struct workload_kind *k)
{
	const json_t *request = NULL;
	size_t i = 0;

	json_array_foreach(json_object_get(plan, "workloads"), i, request)
	{
		const char *kind = json_string_value(json_object_get(request, "kind"));
		if (!text_equal(kind, k->name))
			continue;
		const char *count = json_string_value(
			json_object_get(json_object_get(request, "params"), k->count_key));
		return count == NULL || strcmp(count, "auto") == 0;
	}
	return false;
}

static bool same_samples(const json_t *a, const json_t *b)
{
	static const char *const keys[] = {"sample_ns", "step_share"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (json_number_value(json_object_get(a, keys[i])) !=
		    json_number_value(json_object_get(b, keys[i])))
			return false;
	}
	return true;
}

/* A check's metric and one of the experiment: the same under the same parameters? */
static bool same_metric(const struct compare_finding *f, const struct exp_metric *m,
			const json_t *check, const json_t *plan)
{
	if (strcmp(f->metric, m->name) != 0)
		return false;
	if (strcmp(f->conditions, m->conditions) == 0)
		return true;
	struct err ignored = ERR_INIT;
	char *workload = mem_strndup(m->name, strcspn(m->name, "/"));
	const struct workload_kind *k = workload_kind_named(workload, &ignored);
	free(workload);
	if (k == NULL || k->count_key == NULL || !was_calibrated(check, k) ||
	    !was_calibrated(plan, k) || !same_samples(check, plan))
		return false;
	char *a = conditions_without(f->conditions, k->count_key);
	char *b = conditions_without(m->conditions, k->count_key);
	bool same = strcmp(a, b) == 0;
	free(a);
	free(b);
	return same;
}

static void adopt(const struct compare_findings *found, const struct experiment *check,
		  const struct experiment *e, size_t system, struct compare_findings *out)
{
	json_t *its = json_loads(check->plan, 0, NULL);
	json_t *ours = json_loads(e->plan, 0, NULL);

	for (size_t i = 0; i < found->v.n; i++) {
		for (size_t k = 0; k < e->metrics.n; k++) {
			const struct compare_finding *f = &found->v.v[i];
			if (!same_metric(f, &e->metrics.v[k], its, ours))
				continue;
			struct compare_finding *x = vec_add(&out->v);
			*x = *f;
			x->metric = mem_strdup(f->metric);
			x->conditions = mem_strdup(e->metrics.v[k].conditions);
			x->system = system;
		}
	}
	json_decref(its);
	json_decref(ours);
}

static int look_at(struct store *st, int64_t id, const struct experiment *e,
		   struct compare_findings *out, struct err *err)
{
	struct experiment check = {.id = 0};
	struct comparison_set set = {.family = 0};
	struct compare_findings found = {{0}};
	int rc = store_load(st, id, &check, err);

	if (rc == 0 && check.systems.n >= 2) {
		struct compare_options how;
		render_looks(&check, &how);
		rc = compare_experiment(&check, &how, &set, err);
		if (rc == 0)
			compare_findings_add(&found, &set, id, check.created_unix_ns);
		for (size_t s = 0; rc == 0 && s < e->systems.n; s++) {
			if (same_system(&check.systems.v[0], &e->systems.v[s]))
				adopt(&found, &check, e, s, out);
		}
	}
	compare_findings_release(&found);
	comparison_set_release(&set);
	experiment_release(&check);
	return rc;
}

int aa_find(struct store *st, const struct experiment *e, struct compare_findings *out,
	    struct err *err)
{
	struct store_rows rows = {{0}};

	if (st == NULL || text_equal(e->kind, "import") || text_equal(e->kind, "aa"))
		return 0;
	int rc = store_list(st, &rows, err);
	/* the newest first there; here the last one is what counts */
	for (size_t i = rows.rows.n; rc == 0 && i-- > 0;) {
		const struct store_row *r = &rows.rows.v[i];
		if (r->id != e->id && text_equal(r->kind, "aa") && text_equal(r->state, "complete"))
			rc = look_at(st, r->id, e, out, err);
	}
	store_rows_release(&rows);
	return rc;
}
