/* lampduel's own JSON: what is read is sound, and is written and read again as it is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz.h"
#include "store/exchange.h"

static void check_sound(const struct experiment *e)
{
	struct counted_index index;

	if (e->systems.n == 0)
		abort();
	for (size_t i = 0; i < e->executions.n; i++) {
		const struct exp_execution *x = &e->executions.v[i];

		if (x->system >= e->systems.n || x->task >= e->tasks.n || x->round < 1)
			abort();
		for (size_t k = 0; k < x->values.n; k++) {
			const struct exp_value *v = &x->values.v[k];
			if (v->metric >= e->metrics.n || !isfinite(v->value) || !(v->step >= 0) ||
			    !(v->sd >= 0) || v->n < 1)
				abort();
		}
	}
	counted_index_make(&index, e);
	counted_index_release(&index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct experiment e, again;
	struct err err = ERR_INIT;

	(void)exchange_is((const char *)data, size);
	if (exchange_read((const char *)data, size, "fuzz", &e, &err) != 0) {
		if (err.msg[0] == '\0' || strchr(err.msg, '\n') != NULL)
			abort();
		experiment_release(&e);
		return 0;
	}
	check_sound(&e);
	json_t *root = exchange_write(&e, true);
	char *text = json_dumps(root, JSON_ENSURE_ASCII);
	json_decref(root);
	if (!exchange_is(text, strlen(text)) ||
	    exchange_read(text, strlen(text), "again", &again, &err) != 0)
		abort();
	root = exchange_write(&again, true);
	char *second = json_dumps(root, JSON_ENSURE_ASCII);
	json_decref(root);
	/* all but the number, which neither has */
	if (strcmp(text, second) != 0)
		abort();
	free(text);
	free(second);
	experiment_release(&e);
	experiment_release(&again);
	return 0;
}
