#include <string.h>

#include "cmd/commands.h"
#include "cmd/help.h"
#include "cmd/runopts.h"

static void print_examples(void)
{
	(void)fputs("lampduel: run needs to know what to measure. For example:\n"
		    "\n"
		    "  two releases of Debian on this machine, natively:\n"
		    "    lampduel run -b debian:bookworm/amd64 -c debian:trixie/amd64\n"
		    "\n"
		    "  what is installed on this machine, alone:\n"
		    "    lampduel run -b local -w openssl\n"
		    "\n"
		    "  one command in two releases:\n"
		    "    lampduel run -b debian:bookworm/amd64 -c debian:trixie/amd64 \\\n"
		    "        --command key -- /usr/bin/openssl enc -aes-256-cbc -pbkdf2 -iter "
		    "1000000 \\\n"
		    "        -S 0102030405060708 -k x -in /dev/null -out /dev/null\n"
		    "\n"
		    "lampduel run --help lists all options.\n",
		    stderr);
}

/* Without -w: those of the stack, of which what some system cannot do is left out, and said. */
static int add_default_workloads(struct plan *p, struct err *err)
{
	int rc = 0;

	p->default_workloads = true;
	for (size_t i = 0; rc == 0 && i < workload_kind_count(); i++) {
		const struct workload_kind *k = workload_kind_at(i);
		if (k->by_default)
			rc = run_add_workload(p, k->name, err);
	}
	return rc;
}

static int run(struct cmd_context *c, void *options, struct strvec *argv, struct err *err)
{
	struct run_options *o = options;
	struct plan p = {.kind = mem_strdup("run")};
	int64_t resume_id = 0;
	int rc = 0;

	if (o->resume != NULL)
		rc = run_load_resumed(c, o, argv, &p, &resume_id, err);
	else
		rc = run_plan(c, o, argv, &p, err);
	if (rc == 0 && p.systems.n == 0) {
		plan_release(&p);
		print_examples();
		return EXIT_USAGE;
	}
	if (rc == 0)
		rc = cmd_open_store(c, err);
	if (rc == 0 && p.workloads.n == 0)
		rc = add_default_workloads(&p, err);
	if (rc == 0)
		rc = run_and_report(c, o, &p, resume_id, err);
	plan_release(&p);
	return rc;
}

const struct command cmd_run = {
	.name = "run",
	.arguments = "[options] -b TARGET [-c TARGET]... [--command NAME -- PROGRAM [ARG]...]",
	.summary = "measure systems in interleaved rounds and print the comparison",
	.more_help = help_run,
	.options = run_option_rows,
	.options_size = sizeof(struct run_options),
	.run = run,
};
