/* lampduel report: the figures of a stored experiment. */
#include "report/report.h"
#include "cmd/chart.h"
#include "cmd/commands.h"
#include "cmd/pick.h"
#include "cmd/render.h"

struct report_command_options {
	char *format, *output, *chart, *metric;
	bool explain, identify;
	double margin;
};

static int run(struct cmd_context *c, void *options, struct strvec *argv, struct err *err)
{
	const struct report_command_options *o = options;
	const struct render_options how = {.format = o->format,
					   .output = o->output,
					   .chart = o->chart,
					   .metric = o->metric,
					   .explain = o->explain,
					   .identify = o->identify,
					   .margin = o->margin};
	int64_t id = 0;
	int rc = 0;

	if (o->metric != NULL && o->chart == NULL)
		return err_code(err, ERR_USAGE, "--metric says what --chart draws: name its FILE");
	if (o->chart != NULL)
		rc = chart_check(o->chart, err);
	if (rc == 0)
		rc = pick_experiment(c, argv, &id, err);

	return rc != 0 ? rc : render_experiment(c, id, &how, err);
}

static const struct option_row rows[] = {
	{.name = "format",
	 .type = OPT_CHOICE,
	 .offset = offsetof(struct report_command_options, format),
	 .arg = REPORT_FORMATS,
	 .help = "the report's format (otherwise that of FILE's suffix, or text)"},
	{.name = "output",
	 .letter = 'o',
	 .type = OPT_TEXT,
	 .offset = offsetof(struct report_command_options, output),
	 .arg = "FILE",
	 .help = "write it to FILE, whole or not at all"},
	{.name = "chart",
	 .type = OPT_TEXT,
	 .offset = offsetof(struct report_command_options, chart),
	 .arg = "FILE",
	 .help = "write one chart, as .svg or .png, and no report unless -o asks for it"},
	{.name = "metric",
	 .type = OPT_TEXT,
	 .offset = offsetof(struct report_command_options, metric),
	 .arg = "NAME",
	 .help = "the chart is of every sample of this metric (otherwise of all changes)"},
	{.name = "explain",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct report_command_options, explain),
	 .help = "say of each verdict how sure it is, and why"},
	{.name = "margin",
	 .type = OPT_SHARE,
	 .offset = offsetof(struct report_command_options, margin),
	 .arg = "SHARE",
	 .fallback = "2%",
	 .help = "differences within it count as the same"},
	{.name = "identify",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct report_command_options, identify),
	 .help = "show hosts, addresses, users and folders, which are left out otherwise"},
	{.name = NULL},
};

const struct command cmd_report = {
	.name = "report",
	.arguments = "[options] [EXPERIMENT]",
	.summary = "show the figures of a stored experiment beside each other",
	.details = "Without EXPERIMENT the newest.\n",
	.options = rows,
	.options_size = sizeof(struct report_command_options),
	.flags = CMD_STORE,
	.run = run,
};
