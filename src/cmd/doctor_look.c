/* The machine under a system: what makes it noisy, by its facts and two looks at its state. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/doctor.h"
#include "collect/collect.h"
#include "system/observe.h"
#include "system/system.h"

#define LOOK_NS (2 * NS_PER_S)
#define ASK_LIMIT_NS (20 * NS_PER_S)

/* What a shell there says of it; nothing when there is none. */
static void ask(struct system *s, struct checkup_more *more)
{
	const struct step step = {"doctor/state", 0, 1};
	struct strvec argv = STRVEC_INIT;
	const struct exec_request q = {.argv = &argv, .timeout_ns = ASK_LIMIT_NS};
	struct outcome out = {0};
	struct err ignored = ERR_INIT;

	strvec_push(&argv, "sh");
	strvec_push(&argv, "-c");
	strvec_push(&argv, checkup_script());
	bool said = system_exec(s, &step, &q, &out, &ignored) == 0 && out.status == OUTCOME_OK;
	checkup_read(said ? buf_str(&out.out) : "", more);
	outcome_release(&out);
	strvec_release(&argv);
}

static int observe(struct system *s, struct validity *v, struct err *err)
{
	const struct step step = {"doctor", 0, 1};
	struct buf b = BUF_INIT;
	int rc = system_observe(s, &step, &b, err);

	validity_read(buf_str(&b), v);
	buf_release(&b);
	return rc;
}

static void tell_all(struct doctor *d, const struct system *s, const struct checkup *found)
{
	for (size_t i = 0; i < found->lines.n; i++) {
		const struct checkup_line *l = &found->lines.v[i];
		char *what = s->root_host != NULL ? mem_strdup(l->what)
						  : mem_printf("%s, %s", s->target, l->what);
		doctor_tell(d, l->finding, what, "%s", l->text);
		free(what);
	}
}

int doctor_look(struct doctor *d, struct system *s, struct err *err)
{
	struct checkup_more more = {.busiest = NULL};
	struct observed_processes then = {{0}};
	struct observed_processes now = {{0}};
	struct checkup found = {{0}};
	struct factset facts = {0};
	struct validity before;
	struct validity after;
	char *busiest = NULL;
	bool here = s->root_host != NULL;
	int rc = collect_machine_facts(s, &facts, err);

	ask(s, &more);
	if (rc == 0)
		rc = observe(s, &before, err);
	if (rc == 0) {
		if (here)
			observe_processes(&then);
		clock_sleep_ns(s->clock, LOOK_NS);
		rc = observe(s, &after, err);
		if (here)
			observe_processes(&now);
	}
	if (rc == 0) {
		busiest = here ? observe_busiest(&then, &now) : NULL;
		more.busiest = busiest;
		checkup_machine(&facts, &before, &after, &more, &found);
		tell_all(d, s, &found);
	}
	checkup_release(&found);
	free(busiest);
	vec_release(&then.v);
	vec_release(&now.v);
	factset_release(&facts);
	return rc;
}
