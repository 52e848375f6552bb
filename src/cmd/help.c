#include "cmd/help.h"

#include "system/system.h"
#include "workload/workload.h"

void help_targets(FILE *out)
{
	(void)fputs("\nTARGET is one of\n", out);
	for (size_t i = 0; i < system_kind_count(); i++) {
		const struct system_kind *k = system_kind_at(i);

		(void)fprintf(out, "  %-22s  %s\n", k->form, k->summary);
	}
}

static void put_params(FILE *out, const struct workload_kind *k)
{
	for (const struct workload_param *p = k->params; p->key != NULL; p++)
		(void)fprintf(out, "    %s=%s\n        %s\n", p->key, p->fallback, p->help);
}

void help_run(FILE *out)
{
	help_targets(out);
	(void)fputs("\nWorkloads, and their parameters with what holds otherwise\n", out);
	for (size_t i = 0; i < workload_kind_count(); i++) {
		const struct workload_kind *k = workload_kind_at(i);

		(void)fprintf(out, "  %-10s  %s\n", k->name, k->summary);
		put_params(out, k);
	}
}
