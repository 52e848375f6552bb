/* lampduel compare: two systems of the store, or of pasted output, against each other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/pasted.h"
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

/* Systems that were measured in turn: in pairs. candidate NULL: all of them. */
static int compare_within(struct cmd_context *c, const struct compare_command_options *o,
			  struct experiment *e, const char *baseline, const char *candidate,
			  struct err *err)
{
	struct comparison_set s = {.family = 0};
	int rc = 0;

	if (candidate != NULL && !experiment_keep(e, baseline, candidate)) {
		char *a = text_escaped(baseline), *b = text_escaped(candidate);
		rc = err_code(err, ERR_USAGE,
			      "the experiment has no two systems \"%s\" and \"%s\"; lampduel show "
			      "lists those that a stored one has",
			      a, b);
		free(a);
		free(b);
	}
	/* a file's systems were perhaps checked against themselves here, if anything was */
	if (rc == 0 && store_exists(c->db_path))
		rc = cmd_open_store(c, err);
	if (rc == 0)
		rc = render_compare(c->store, e, o->margin, &s, err);
	if (rc == 0)
		rc = show(c, o, e, &s, err);
	comparison_set_release(&s);
	return rc;
}

static int compare_stored(struct cmd_context *c, const struct compare_command_options *o,
			  int64_t id, const char *baseline, const char *candidate, struct err *err)
{
	struct experiment e = {.id = 0};
	int rc = store_load(c->store, id, &e, err);

	if (rc == 0)
		rc = compare_within(c, o, &e, baseline, candidate, err);
	experiment_release(&e);
	return rc;
}

/* Sides that were not measured in turn, when there are two at least. */
static int compare_apart(struct cmd_context *c, const struct compare_command_options *o,
			 struct sides *s, const char *only, struct err *err)
{
	const struct compare_options how = {.margin = o->margin};
	struct comparison_set set = {.family = 0};

	if (s->e.systems.n < 2)
		return err_code(err, ERR_USAGE,
				"%s holds one set of figures; name a second file or experiment to "
				"compare it with",
				only);
	sides_finish(s);
	int rc = sides_compare(s, &how, &set, err);
	if (rc == 0)
		rc = show(c, o, &s->e, &set, err);
	comparison_set_release(&set);
	return rc;
}

/* All that is in one file: labels, runs, or the systems of an experiment of ours. */
static int compare_file(struct cmd_context *c, const struct compare_command_options *o,
			const char *path, struct err *err)
{
	struct experiment e = {.id = 0};
	struct sides s;
	bool own = false;
	int rc = pasted_read_any(path, true, &e, &own, err);

	sides_init(&s, c->command_line);
	if (rc == 0 && own && e.systems.n > 1)
		rc = compare_within(c, o, &e, NULL, NULL, err);
	else if (rc == 0 && (rc = sides_add_every(&s, &e, pasted_file_name(path), err)) == 0)
		rc = compare_apart(c, o, &s, pasted_file_name(path), err);
	sides_release(&s);
	experiment_release(&e);
	return rc;
}

/* Two systems of one file: in pairs when it is an experiment of ours. */
static int compare_in_file(struct cmd_context *c, const struct compare_command_options *o,
			   const struct side_name *a, const struct side_name *b, bool *done,
			   struct err *err)
{
	struct experiment e = {.id = 0};
	bool own = false;
	int rc = pasted_read_any(a->path, true, &e, &own, err);

	*done = rc != 0 || own;
	if (rc == 0 && own)
		rc = compare_within(c, o, &e, a->part, b->part, err);
	experiment_release(&e);
	return rc;
}

/* The names of one side. */
struct side_names {
	VEC(struct side_name) v;
};

/* "3", "3,4" or "3,4/old": experiments by their numbers, which side_name_parse() takes as one. */
static bool names_experiments(const char *word)
{
	size_t numbers = strspn(word, "0123456789,");

	return text_starts(word, "exp:") || word[numbers] == '\0' ||
	       (strchr(word, '/') != NULL && strspn(word, "0123456789,/") > 1 && word[0] >= '0' &&
		word[0] <= '9');
}

/* Several files with commas between them, unless there is one file of this very name. */
static bool is_list(const char *word)
{
	return strchr(word, ',') != NULL && !names_experiments(word) && !fs_exists(word);
}

/* A word of the command line: one name, or a list. */
static int add_names(struct side_names *side, const char *word, struct err *err)
{
	struct side_name one;
	bool list = is_list(word);
	char *copy = mem_strdup(word), *save = NULL;
	int rc = 0;

	for (char *w = list ? strtok_r(copy, ",", &save) : copy; w != NULL && rc == 0;
	     w = list ? strtok_r(NULL, ",", &save) : NULL) {
		rc = side_name_parse(w, &one, err);
		vec_push(&side->v, one);
	}
	free(copy);
	return rc;
}

static size_t count_standard_input(const struct side_names *side)
{
	size_t n = 0;

	for (size_t i = 0; i < side->v.n; i++)
		n += side->v.v[i].is_file && text_equal(side->v.v[i].path, "-");
	return n;
}

static bool names_stored(const struct side_names *side)
{
	for (size_t i = 0; i < side->v.n; i++) {
		if (!side->v.v[i].is_file)
			return true;
	}
	return false;
}

static int compare_one(struct cmd_context *c, const struct compare_command_options *o,
		       const struct side_names *side, struct err *err)
{
	const struct side_name *a = &side->v.v[0];

	if (side->v.n > 1 || a->part != NULL || a->ids.n > 1) {
		char *shown = text_escaped(a->text);
		int rc = err_code(err, ERR_USAGE, "%s%s is one side; name a second one", shown,
				  side->v.n > 1 ? ",..." : "");
		free(shown);
		return rc;
	}
	return a->is_file ? compare_file(c, o, a->path, err)
			  : compare_stored(c, o, a->ids.v[0], NULL, NULL, err);
}

static int compare_two(struct cmd_context *c, const struct compare_command_options *o,
		       const struct side_names *left, const struct side_names *right,
		       struct err *err)
{
	const struct side_name *a = &left->v.v[0], *b = &right->v.v[0];
	bool parts = left->v.n == 1 && right->v.n == 1 && a->part != NULL && b->part != NULL;
	bool done = false;
	struct sides s;
	int rc = 0;

	if (parts && !a->is_file && !b->is_file && a->ids.n == 1 && b->ids.n == 1 &&
	    a->ids.v[0] == b->ids.v[0])
		return compare_stored(c, o, a->ids.v[0], a->part, b->part, err);
	if (parts && a->is_file && b->is_file && text_equal(a->path, b->path))
		rc = compare_in_file(c, o, a, b, &done, err);
	if (done)
		return rc;
	sides_init(&s, c->command_line);
	rc = sides_add(&s, c->store, left->v.v, left->v.n, err);
	if (rc == 0)
		rc = sides_add(&s, c->store, right->v.v, right->v.n, err);
	if (rc == 0)
		rc = compare_apart(c, o, &s, a->text, err);
	sides_release(&s);
	return rc;
}

static void release_names(struct side_names *side)
{
	for (size_t i = 0; i < side->v.n; i++)
		side_name_release(&side->v.v[i]);
	vec_release(&side->v);
}

static int run(struct cmd_context *c, void *options, struct strvec *argv, struct err *err)
{
	const struct compare_command_options *o = options;
	struct side_names sides[2] = {{{0}}, {{0}}};
	size_t middle = 0;
	int rc = 0;

	while (middle < argv->n && strcmp(argv->v[middle], "against") != 0)
		middle++;
	bool against = middle < argv->n;
	if (argv->n < 1 || (!against && argv->n > 2) ||
	    (against && (middle == 0 || middle + 1 == argv->n)))
		return err_code(err, ERR_USAGE,
				"name one or two experiments or files, as in \"lampduel compare "
				"exp:3/old exp:3/new\" or \"lampduel compare out.txt\"; several a "
				"side as in \"lampduel compare a1.json a2.json against b1.json "
				"b2.json\"");
	if (o->gate != NULL && o->gate[0] != '\0' && strcmp(o->gate, "strict") != 0)
		return err_code(err, ERR_USAGE, "--gate takes nothing or =strict");
	if (!against)
		middle = 1;
	for (size_t i = 0; i < argv->n && rc == 0; i++) {
		if (!against || i != middle)
			rc = add_names(&sides[i >= middle], argv->v[i], err);
	}
	if (rc == 0 && count_standard_input(&sides[0]) + count_standard_input(&sides[1]) > 1)
		rc = err_code(err, ERR_USAGE,
			      "standard input can be read once; save it to a file and name that");
	if (rc == 0 && (names_stored(&sides[0]) || names_stored(&sides[1])))
		rc = cmd_open_store(c, err);
	if (rc == 0 && sides[1].v.n == 0)
		rc = compare_one(c, o, &sides[0], err);
	else if (rc == 0)
		rc = compare_two(c, o, &sides[0], &sides[1], err);
	release_names(&sides[0]);
	release_names(&sides[1]);
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
	 .help = "show hosts, addresses, users and folders, which are left out otherwise"},
	{.name = NULL},
};

const struct command cmd_compare = {
	.name = "compare",
	.arguments = "[options] A [B] | A... against B...",
	.summary = "compare two systems, measured or pasted",
	.details =
		"A and B are exp:ID/SYSTEM or file:PATH#LABEL; the part after / or # may be left "
		"out where there\nis one only. One argument: all that is in it, the first against "
		"each other. Systems of one\nexperiment are compared in pairs; others within their "
		"sessions only, unless each side has six:\nexp:1,2,3,4,5,6/SYSTEM. "
		"PATH - is standard input. A store is\nneeded for exp: alone.\n",
	.options = rows,
	.options_size = sizeof(struct compare_command_options),
	.run = run,
};
