/* lampduel compare: two systems of the store, or of pasted output, against each other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/render.h"
#include "cmd/sides.h"
#include "report/report.h"

struct compare_command_options {
	char *format, *output, *gate;
	bool explain, identify;
	double margin;
};

static void say(struct cmd_context *c, const struct compare_command_options *o, const char *line)
{
	/* a report for machines must stay one; there the exit status says it, and stderr */
	bool beside = report_format_for(o->format, o->output, NULL) != &report_text;

	(void)fprintf(beside ? stderr : c->out, "%s%s\n", beside ? "lampduel: " : "", line);
}

static void say_metric(struct cmd_context *c, const struct compare_command_options *o,
		       const struct comparison *k)
{
	struct buf b = BUF_INIT;
	double most = compare_percent(k->estimate.hi);

	buf_addf(&b, "  %s: ", gate_result_name(k->gate));
	text_escape(&b, k->metric, strlen(k->metric));
	buf_addstr(&b, ", ");
	text_escape(&b, k->candidate.name, strlen(k->candidate.name));
	if (isfinite(k->estimate.lo) && isfinite(most))
		buf_addf(&b, ": cost %+.2f %% (%+.2f %% to %+.2f %%)",
			 compare_percent(k->estimate.log), compare_percent(k->estimate.lo), most);
	if (k->verdict == VERDICT_NONE)
		buf_addstr(&b, ", no verdict");
	say(c, o, buf_str(&b));
	buf_release(&b);
}

/* The gate's outcome, with every metric that did not pass; returns the exit status. */
static int gate(struct cmd_context *c, const struct compare_command_options *o,
		const struct comparison_set *s)
{
	char *line = NULL;

	if (s->gate == GATE_PASS)
		line = mem_printf("Gate passed: no primary metric costs more than %.3g %% more.",
				  100 * s->margin);
	else if (s->gate == GATE_FAIL)
		line = mem_printf(
			"Gate failed: at least one primary metric costs more than %.3g %% "
			"more.",
			100 * s->margin);
	else
		line = mem_printf("Gate undecided: neither that every primary metric costs at most "
				  "%.3g %% more is shown, nor that one costs more.",
				  100 * s->margin);
	say(c, o, line);
	free(line);
	for (size_t i = 0; i < s->v.n; i++) {
		if (s->v.v[i].primary && s->v.v[i].gate != GATE_PASS)
			say_metric(c, o, &s->v.v[i]);
	}
	if (s->gate == GATE_FAIL)
		return EXIT_SLOWER;
	return s->gate == GATE_UNDECIDED && strcmp(o->gate, "strict") == 0 ? EXIT_UNDECIDED : 0;
}

static int show(struct cmd_context *c, const struct compare_command_options *o,
		struct experiment *e, const struct comparison_set *s, struct err *err)
{
	const struct render_options how = {.format = o->format,
					   .output = o->output,
					   .explain = o->explain,
					   .identify = o->identify,
					   .margin = o->margin};
	int rc = render_compared(c, e, s, &how, err);

	return rc == 0 && o->gate != NULL ? gate(c, o, s) : rc;
}

/* Systems that one experiment measured in turn: in pairs. candidate NULL: all of them. */
static int compare_within(struct cmd_context *c, const struct compare_command_options *o,
			  int64_t id, const char *baseline, const char *candidate, struct err *err)
{
	struct experiment e = {.id = 0};
	struct comparison_set s = {.family = 0};
	int rc = store_load(c->store, id, &e, err);

	if (rc == 0 && candidate != NULL && !experiment_keep(&e, baseline, candidate)) {
		char *a = text_escaped(baseline), *b = text_escaped(candidate);
		rc = err_code(err, ERR_USAGE,
			      "experiment %lld has no two systems \"%s\" and \"%s\"; lampduel show "
			      "%lld lists them",
			      (long long)id, a, b, (long long)id);
		free(a);
		free(b);
	}
	if (rc == 0) {
		rc = render_compare(c->store, &e, o->margin, &s, err);
	}
	if (rc == 0)
		rc = show(c, o, &e, &s, err);
	comparison_set_release(&s);
	experiment_release(&e);
	return rc;
}

/* Sides that were not measured in turn. b NULL: all labels of file a. */
static int compare_apart(struct cmd_context *c, const struct compare_command_options *o,
			 const struct side_name *a, const struct side_name *b, struct err *err)
{
	const struct compare_options how = {.margin = o->margin};
	struct comparison_set set = {.family = 0};
	struct sides s;
	int rc;

	sides_init(&s, c->command_line);
	if (b == NULL) {
		rc = sides_add_labels(&s, a, err);
	} else {
		rc = sides_add(&s, c->store, a, err);
		if (rc == 0)
			rc = sides_add(&s, c->store, b, err);
	}
	if (rc == 0 && s.e.systems.n < 2)
		rc = err_code(err, ERR_USAGE,
			      "%s holds one set of figures; name a second file or experiment to "
			      "compare it with",
			      a->path);
	if (rc == 0) {
		sides_finish(&s);
		rc = sides_compare(&s, &how, &set, err);
	}
	if (rc == 0)
		rc = show(c, o, &s.e, &set, err);
	comparison_set_release(&set);
	sides_release(&s);
	return rc;
}

static int compare_one(struct cmd_context *c, const struct compare_command_options *o,
		       const struct side_name *a, struct err *err)
{
	if (a->is_file && a->part == NULL)
		return compare_apart(c, o, a, NULL, err);
	if (a->is_file || a->ids.n > 1 || a->part != NULL) {
		char *shown = text_escaped(a->text);
		int rc = err_code(err, ERR_USAGE, "%s is one side; name a second one", shown);
		free(shown);
		return rc;
	}
	return compare_within(c, o, a->ids.v[0], NULL, NULL, err);
}

static int compare_two(struct cmd_context *c, const struct compare_command_options *o,
		       const struct side_name *a, const struct side_name *b, struct err *err)
{
	bool one = !a->is_file && !b->is_file && a->ids.n == 1 && b->ids.n == 1 &&
		   a->ids.v[0] == b->ids.v[0];

	if (one && a->part != NULL && b->part != NULL)
		return compare_within(c, o, a->ids.v[0], a->part, b->part, err);
	return compare_apart(c, o, a, b, err);
}

static int run(struct cmd_context *c, void *options, struct strvec *argv, struct err *err)
{
	const struct compare_command_options *o = options;
	struct side_name names[2] = {{.is_file = false}, {.is_file = false}};
	int rc = 0;

	if (argv->n < 1 || argv->n > 2)
		return err_code(err, ERR_USAGE,
				"name one or two experiments or files, as in \"lampduel compare "
				"exp:3/old exp:3/new\" or \"lampduel compare out.txt\"");
	if (o->gate != NULL && o->gate[0] != '\0' && strcmp(o->gate, "strict") != 0)
		return err_code(err, ERR_USAGE, "--gate takes nothing or =strict");
	for (size_t i = 0; i < argv->n && rc == 0; i++)
		rc = side_name_parse(argv->v[i], &names[i], err);
	if (rc == 0 && argv->n == 1)
		rc = compare_one(c, o, &names[0], err);
	else if (rc == 0)
		rc = compare_two(c, o, &names[0], &names[1], err);
	side_name_release(&names[0]);
	side_name_release(&names[1]);
	return rc;
}

static const struct option_row rows[] = {
	{.name = "gate",
	 .type = OPT_OPTIONAL,
	 .offset = offsetof(struct compare_command_options, gate),
	 .arg = "strict",
	 .help = "for a build: exit status 3 when a primary metric is shown to cost more than the "
		 "margin; with =strict 4 when that is undecided"},
	{.name = "margin",
	 .type = OPT_SHARE,
	 .offset = offsetof(struct compare_command_options, margin),
	 .arg = "SHARE",
	 .fallback = "2%",
	 .help = "differences within it count as the same"},
	{.name = "explain",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct compare_command_options, explain),
	 .help = "say of each verdict how sure it is, and why"},
	{.name = "format",
	 .type = OPT_CHOICE,
	 .offset = offsetof(struct compare_command_options, format),
	 .arg = REPORT_FORMATS,
	 .help = "the report's format (otherwise that of FILE's suffix, or text)"},
	{.name = "output",
	 .letter = 'o',
	 .type = OPT_TEXT,
	 .offset = offsetof(struct compare_command_options, output),
	 .arg = "FILE",
	 .help = "write it to FILE, whole or not at all"},
	{.name = "identify",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct compare_command_options, identify),
	 .help = "show the hosts, users and folders of targets"},
	{.name = NULL},
};

const struct command cmd_compare = {
	.name = "compare",
	.arguments = "[options] A [B]",
	.summary = "compare two systems, measured or pasted",
	.details =
		"A and B are exp:ID/SYSTEM or file:PATH#LABEL; the part after / or # may be left "
		"out where there\nis one only. One argument: all that is in it, the first against "
		"each other. Systems of one\nexperiment are compared in pairs; others within their "
		"sessions only, unless each side has six:\nexp:1,2,3,4,5,6/SYSTEM.\n",
	.options = rows,
	.options_size = sizeof(struct compare_command_options),
	.flags = CMD_STORE,
	.run = run,
};
