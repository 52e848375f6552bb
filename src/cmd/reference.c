#include "cmd/commands.h"
#include "cmd/help.h"
#include "cmd/runopts.h"

/* The same kind of pair as the published one's: soft and hard float, equal versions. */
static int add_ports(struct plan *p, struct err *err)
{
	int rc = plan_add_system(p, "soft", "debian:bookworm/armel", NULL, err);

	if (rc == 0)
		rc = plan_add_system(p, "hard", "debian:bookworm/armhf", NULL, err);
	p->equal_versions = true;
	return rc;
}

static int add_workloads(struct plan *p, struct err *err)
{
	static const struct {
		const char *workload, *key, *value;
	} rows[] = {
		{"wordpress", "opcache", "both"},
		{"mariadb", "benchmarks", "encode"},
		{"openssl", "algorithms", "rsa2048,rsa4096"},
	};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(rows) / sizeof(rows[0]); i++) {
		rc = run_add_workload(p, rows[i].workload, err);
		if (rc == 0)
			rc = workload_request_set(vec_last(&p->workloads), rows[i].key,
						  rows[i].value, err);
	}
	return rc;
}

static int run(struct cmd_context *c, void *options, struct strvec *argv, struct err *err)
{
	struct run_options *o = options;
	struct plan p = {.kind = mem_strdup("reference")};
	int64_t resume_id = 0;
	int rc = 0;

	if (o->resume != NULL)
		rc = run_load_resumed(c, o, argv, &p, &resume_id, err);
	else
		rc = run_plan(c, o, argv, &p, err);
	if (rc == 0 && p.systems.n == 0)
		rc = add_ports(&p, err);
	if (rc == 0 && p.workloads.n == 0)
		rc = add_workloads(&p, err);
	if (rc == 0)
		rc = run_and_report(c, o, &p, resume_id, err);
	plan_release(&p);
	return rc;
}

const struct command cmd_reference = {
	.name = "reference",
	.arguments = "[options] [-b TARGET -c TARGET]",
	.summary = "redo the published comparison: soft float against hard float",
	.details =
		"Without targets: debian:bookworm/armel (soft float) against "
		"debian:bookworm/armhf\n"
		"(hard float), with the same versions of everything on both sides. They run\n"
		"natively where the CPU can, else emulated; an emulated figure says nothing about\n"
		"hardware.\n",
	.more_help = help_run,
	.options = run_option_rows,
	.options_size = sizeof(struct run_options),
	.flags = CMD_STORE,
	.run = run,
};
