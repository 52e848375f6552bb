#include "cmd/chart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/proc.h"
#include "base/text.h"
#include "report/chart.h"

#define CONVERT_LIMIT_NS (60 * NS_PER_S)

static const char converter[] = "rsvg-convert";

static const struct report_row *find_row(const struct report_model *m, const char *metric,
					 struct err *err)
{
	struct buf names = BUF_INIT;

	for (size_t i = 0; i < m->rows.n; i++) {
		const struct report_row *r = &m->rows.v[i];
		if (text_equal(r->metric_name, metric) || text_equal(r->title, metric)) {
			buf_release(&names);
			return r;
		}
		buf_addf(&names, "%s%s", i == 0 ? "" : ", ", r->metric_name);
	}
	char *shown = text_escaped(metric);
	(void)err_code(err, ERR_USAGE, "--metric: no metric \"%s\"; there are: %s", shown,
		       m->rows.n > 0 ? buf_str(&names) : "none");
	free(shown);
	buf_release(&names);
	return NULL;
}

/* The SVG lies in a file of its own for a moment: the converter's input may be read twice. */
static int to_png(struct cmd_context *c, const struct buf *svg, struct buf *png, struct err *err)
{
	char path[] = "/tmp/lampduel-chart.XXXXXX";
	struct proc_result r = {.exit_code = 0};
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (f == NULL) {
		if (fd >= 0) {
			(void)close(fd);
			(void)unlink(path);
		}
		return err_set(err, "cannot make a temporary file in /tmp for the chart");
	}
	size_t written = fwrite(svg->data, 1, svg->len, f);
	bool whole = fclose(f) == 0 && written == svg->len;
	char *program = proc_find(converter); /* chart_check() found it as well */
	char *const argv[] = {program, "--format=png", "--width=1440", path, NULL};
	int rc = 0;

	if (program == NULL)
		rc = err_set(err, "%s is missing", converter);
	else if (!whole)
		rc = err_set(err, "cannot write the chart to %s: is the disk full?", path);
	else
		rc = proc_run(argv, CONVERT_LIMIT_NS, c->stop, &r, err);
	if (rc == 0 && (r.exit_code != 0 || r.out.len == 0))
		rc = err_set(err, "%s could not draw the chart (exit status %d)", converter,
			     r.exit_code);
	if (rc == 0)
		buf_add(png, r.out.data, r.out.len);
	proc_result_release(&r);
	free(program);
	(void)unlink(path);
	return rc;
}

int chart_check(const char *file, struct err *err)
{
	if (text_ends(file, ".svg"))
		return 0;
	if (!text_ends(file, ".png"))
		return err_code(err, ERR_USAGE, "--chart %s: a chart is a .svg or a .png file",
				file);
	char *program = proc_find(converter);
	bool found = program != NULL;

	free(program);
	return found ? 0
		     : err_set(err,
			       "--chart %s: %s is missing (apt-get install librsvg2-bin); a .svg "
			       "needs nothing",
			       file, converter);
}

int chart_write(struct cmd_context *c, const struct report_model *m, const char *metric,
		const char *file, struct err *err)
{
	const struct report_row *row = NULL;
	struct buf svg = BUF_INIT, png = BUF_INIT;
	int rc = 0;

	if (metric != NULL) {
		row = find_row(m, metric, err);
		rc = row == NULL ? err->code : 0;
	}
	if (rc == 0) {
		chart_alone(m, row, &svg);
		if (svg.len == 0)
			rc = err_set(err, "nothing to draw: %s",
				     row != NULL ? "one sample makes no chart"
						 : "no change has an interval");
	}
	bool is_png = text_ends(file, ".png");
	if (rc == 0 && is_png)
		rc = to_png(c, &svg, &png, err);
	const struct buf *b = is_png ? &png : &svg;
	if (rc == 0)
		rc = fs_write_output(file, b->data, b->len, err);
	buf_release(&svg);
	buf_release(&png);
	return rc;
}
