#include "workload/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define WORKLOAD_KIND_LISTED(name) &workload_##name,

static const struct workload_kind *const kinds[] = {WORKLOAD_KINDS(WORKLOAD_KIND_LISTED)};

size_t workload_kind_count(void)
{
	return sizeof(kinds) / sizeof(kinds[0]);
}

const struct workload_kind *workload_kind_at(size_t i)
{
	return kinds[i];
}

const struct workload_kind *workload_kind_named(const char *name, struct err *err)
{
	struct buf all = BUF_INIT;

	for (size_t i = 0; i < workload_kind_count(); i++) {
		if (strcmp(kinds[i]->name, name) == 0)
			return kinds[i];
	}
	for (size_t i = 0; i < workload_kind_count(); i++)
		buf_addf(&all, "%s%s", i == 0 ? "" : ", ", kinds[i]->name);
	char *shown = text_escaped(name);
	(void)err_code(err, ERR_USAGE, "no such workload: %s (there are: %s)", shown,
		       buf_str(&all));
	free(shown);
	buf_release(&all);
	return NULL;
}

void workload_request_release(struct workload_request *q)
{
	free(q->name);
	factset_release(&q->params);
	strvec_release(&q->argv);
	memset(q, 0, sizeof(*q));
}

int workload_request_set(struct workload_request *q, const char *key, const char *value,
			 struct err *err)
{
	struct buf all = BUF_INIT;

	for (const struct workload_param *p = q->kind->params; p->key != NULL; p++) {
		if (strcmp(p->key, key) == 0) {
			factset_set(&q->params, key, value, "");
			buf_release(&all);
			return 0;
		}
		buf_addf(&all, "%s%s", all.len == 0 ? "" : ", ", p->key);
	}
	char *shown = text_escaped(key);
	int rc = err_code(err, ERR_USAGE, "workload %s has no parameter %s (there are: %s)",
			  q->kind->name, shown, buf_str(&all));
	free(shown);
	buf_release(&all);
	return rc;
}
