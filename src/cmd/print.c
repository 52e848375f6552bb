#include "cmd/print.h"

#include "base/fs.h"
#include "report/report.h"

/* A file is read anywhere later: no terminal's width or character set. */
enum { FILE_COLUMNS = 120 };

int print_experiment(struct cmd_context *c, int64_t id, const char *format, const char *output,
		     bool also, struct err *err)
{
	const struct report_format *f = report_format_named(format, err);
	struct experiment e = {0};
	struct report_model m = {0};
	struct buf b = BUF_INIT;
	int rc = f == NULL ? ERR_USAGE : store_load(c->store, id, &e, err);

	if (rc != 0)
		return rc;
	report_model_make(&m, &e, &(struct report_model_options){0});
	if (output != NULL) {
		f->render(&m, &(struct report_options){.columns = FILE_COLUMNS, .utf8 = true}, &b);
		rc = fs_write_atomic(output, b.data, b.len, 0644, err);
		buf_clear(&b);
	}
	if (rc == 0 && (output == NULL || also)) {
		f->render(&m, &(struct report_options){.columns = c->columns, .utf8 = c->utf8}, &b);
		/* a write error is found, and told, when the program ends */
		(void)fwrite(buf_str(&b), 1, b.len, c->out);
	}
	buf_release(&b);
	report_model_release(&m);
	experiment_release(&e);
	return rc;
}
