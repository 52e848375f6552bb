/*
 * runopts: options of run and reference, and how a plan comes of them.
 */
#ifndef LAMPDUEL_CMD_RUNOPTS_H
#define LAMPDUEL_CMD_RUNOPTS_H

#include "cmd/cmd.h"
#include "measure/plan.h"

struct run_options {
	char *file;
	char *baseline;
	struct strvec candidates, systems, workloads, sets;
	char *command;
	int64_t rounds, warmup, lives;
	char *seed, *resume;
	int64_t max_time, sample;
	double step;
	bool go_on; /* --continue */
	bool quick, as_published, keep, accept_load;
	bool aa;
	char *end_early;
	char *wordpress, *record, *output, *format, *mirror;
};

extern const struct option_row run_option_rows[];

/*
 * The plan that o, the ini file and argv (what follows "--") ask for; systems and workloads may
 * still be missing.
 */
int run_plan(struct cmd_context *c, struct run_options *o, struct strvec *argv, struct plan *p,
	     struct err *err);
/* --mirror of any command: an address, or a usage error. */
int run_check_mirror(const char *url, struct err *err);
/* Adds a workload unless it is there. */
int run_add_workload(struct plan *p, const char *name, struct err *err);
/* Applies --set and --as-published, measures, prints the report. */
int run_and_report(struct cmd_context *c, const struct run_options *o, struct plan *p,
		   int64_t resume_id, struct err *err);
/* Loads the plan of experiment o->resume into p and sets *id. Options that would change it are
 * refused. */
int run_load_resumed(struct cmd_context *c, const struct run_options *o, const struct strvec *argv,
		     struct plan *p, int64_t *id, struct err *err);

#endif
