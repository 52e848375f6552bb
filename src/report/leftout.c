/* What was measured of a row but does not count: charts show it as what it is. */
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/text.h"
#include "report/model_parts.h"

enum { DIGITS = 4 };

static void add(struct report_row *row, const struct exp_execution *x, const struct exp_value *v)
{
	struct report_left_out *o = vec_add(&row->left_out);
	struct buf b = BUF_INIT;
	char *reason = NULL;
	const char *what = model_fate(x, &reason);

	o->system = x->system;
	o->round = (size_t)x->round - 1;
	o->value = v == NULL ? NAN : view_value(&row->view, v->value);
	buf_addf(&b, "round %d: ", x->round);
	if (isfinite(o->value)) {
		text_add_significant(&b, o->value, DIGITS);
		buf_addf(&b, "%s%s, ", row->view.unit[0] != '\0' ? " " : "", row->view.unit);
	}
	buf_addstr(&b, what);
	o->text = buf_detach(&b);
	free(reason);
}

void model_left_out(struct report_row *row, const struct experiment *e,
		    const struct counted_index *index)
{
	for (size_t i = 0; i < e->executions.n; i++) {
		const struct exp_execution *x = &e->executions.v[i];
		const struct exp_value *v = NULL;

		if (x->warmup || x->task != row->task || x->round < 1 ||
		    counted_index_get(index, x->round, x->task, x->system) == x)
			continue;
		if (x->status == OUTCOME_OK) {
			v = exp_execution_value(x, row->metric);
			if (v == NULL) /* of another metric of the task */
				continue;
		}
		add(row, x, v);
	}
}
