#include "cmd/render.h"

#include <errno.h>
#include <string.h>

#include "base/fs.h"
#include "base/text.h"
#include "cmd/aa.h"
#include "cmd/chart.h"
#include "measure/plan.h"
#include "report/hide.h"
#include "report/report.h"

/* A file is read anywhere later: no terminal's width or character set. */
enum { FILE_COLUMNS = 120 };

void render_looks(const struct experiment *e, struct compare_options *out)
{
	*out = (struct compare_options){.margin = 0};
	if (!plan_json_looks(e->plan))
		return;
	out->looks_max = e->rounds_planned;
	/* a run that its values did not end is at its last look, wherever it stopped */
	out->looks_ended = !text_equal(e->ending, "decided");
}

/* With the checks that the store has for it. */
static int compare_checked(struct store *st, const struct experiment *e,
			   struct compare_options *how, struct comparison_set *out, struct err *err)
{
	struct compare_findings aa = {{0}};
	int rc = aa_find(st, e, &aa, err);

	how->aa = &aa;
	if (rc == 0)
		rc = compare_experiment(e, how, out, err);
	how->aa = NULL;
	compare_findings_release(&aa);
	return rc;
}

int render_compare(struct store *st, const struct experiment *e, double margin,
		   struct comparison_set *out, struct err *err)
{
	struct compare_options how;

	render_looks(e, &how);
	how.margin = margin;
	return compare_checked(st, e, &how, out, err);
}

int render_decided(void *store, const struct experiment *e, bool *decided, struct err *err)
{
	struct comparison_set s = {.family = 0};
	struct compare_options how;

	render_looks(e, &how);
	how.looks_ended = false;
	how.verdicts_only = true;
	int rc = compare_checked(store, e, &how, &s, err);
	*decided = rc == 0 && compare_decided(&s);
	comparison_set_release(&s);
	return rc;
}

static int put(struct cmd_context *c, const struct report_format *f, const struct report_input *in,
	       const struct render_options *o, struct err *err)
{
	struct report_options paper = {
		.columns = FILE_COLUMNS, .utf8 = true, .explain = o->explain, .strips = true};
	struct buf b = BUF_INIT;
	int rc = 0;
	bool file = o->output != NULL && strcmp(o->output, "-") != 0;

	if (file) {
		f->render(in, &paper, &b);
		rc = fs_write_output(o->output, b.data, b.len, err);
	}
	if (rc == 0 && (!file || o->also)) {
		/* beside a file for machines stands what people read */
		if (file)
			f = &report_text;
		buf_clear(&b);
		paper.columns = c->columns;
		paper.utf8 = c->utf8;
		paper.strips = c->tty_out;
		paper.color = c->color;
		f->render(in, &paper, &b);
		/* a write error is told when the program ends */
		if (fwrite(b.data, 1, b.len, c->out) < b.len)
			c->write_errno = errno;
	}
	buf_release(&b);
	return rc;
}

int render_compared(struct cmd_context *c, struct experiment *e, const struct comparison_set *s,
		    const struct render_options *o, struct err *err)
{
	const struct report_format *f = report_format_for(o->format, o->output, err);
	struct report_model m = {.id = 0};
	const struct report_input in = {.model = &m,
					.experiment = e,
					.comparisons = e->systems.n > 1 ? s : NULL,
					.identify = o->identify};

	if (f == NULL)
		return err->code;
	if (!o->identify)
		report_hide(e);
	report_model_make(&m, e, &(const struct report_model_options){.identify = o->identify});
	if (e->systems.n > 1)
		report_model_judge(&m, s);
	int rc = o->chart == NULL ? 0 : chart_write(c, &m, o->metric, o->chart, err);
	if (rc == 0 && (o->chart == NULL || o->output != NULL))
		rc = put(c, f, &in, o, err);
	report_model_release(&m);
	return rc;
}

int render_experiment(struct cmd_context *c, int64_t id, const struct render_options *o,
		      struct err *err)
{
	struct comparison_set set = {.family = 0};
	struct experiment e = {.id = 0};
	int rc = store_load(c->store, id, &e, err);

	if (rc == 0 && e.systems.n > 1)
		rc = render_compare(c->store, &e, o->margin, &set, err);
	if (rc == 0)
		rc = render_compared(c, &e, &set, o, err);
	comparison_set_release(&set);
	experiment_release(&e);
	return rc;
}
