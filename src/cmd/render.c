#include "cmd/render.h"

#include "base/fs.h"
#include "compare/compare.h"
#include "report/report.h"

/* A file is read anywhere later: no terminal's width or character set. */
enum { FILE_COLUMNS = 120 };

static int make_model(const struct experiment *e, const struct render_options *o,
		      struct report_model *m, struct err *err)
{
	const struct compare_options how = {.margin = o->margin};
	struct comparison_set set;

	report_model_make(m, e, &(const struct report_model_options){.identify = o->identify});
	if (e->systems.n < 2)
		return 0;
	int rc = compare_experiment(e, &how, &set, err);
	if (rc == 0)
		report_model_judge(m, &set);
	comparison_set_release(&set);
	return rc;
}

static int put(struct cmd_context *c, const struct report_format *f, const struct report_model *m,
	       const struct render_options *o, struct err *err)
{
	struct report_options paper = {
		.columns = FILE_COLUMNS, .utf8 = true, .explain = o->explain};
	struct buf b = BUF_INIT;
	int rc = 0;

	if (o->output != NULL) {
		f->render(m, &paper, &b);
		rc = fs_write_atomic(o->output, b.data, b.len, 0644, err);
	}
	if (rc == 0 && (o->output == NULL || o->also)) {
		buf_clear(&b);
		paper.columns = c->columns;
		paper.utf8 = c->utf8;
		f->render(m, &paper, &b);
		/* a write error is found, and told, when the program ends */
		(void)fwrite(b.data, 1, b.len, c->out);
	}
	buf_release(&b);
	return rc;
}

int render_experiment(struct cmd_context *c, int64_t id, const struct render_options *o,
		      struct err *err)
{
	const struct report_format *f = report_format_named(o->format, err);
	struct experiment e = {.id = 0};
	struct report_model m = {.id = 0};

	if (f == NULL || store_load(c->store, id, &e, err) != 0)
		return err->code;
	int rc = make_model(&e, o, &m, err);
	if (rc == 0)
		rc = put(c, f, &m, o, err);
	report_model_release(&m);
	experiment_release(&e);
	return rc;
}
