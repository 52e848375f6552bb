#include "measure/gate.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "measure/validity.h"

enum { QUIET_IN_A_ROW = 2 };

#define BUSY_SHARE 0.05
#define LOOK_EVERY_NS NS_PER_S
#define LIMIT_NS (60 * NS_PER_S)

static void observe(struct system *s, struct validity *v)
{
	const struct step step = {"quiet", 0, 1};
	struct err ignored = ERR_INIT;
	struct buf b = BUF_INIT;

	/* what cannot be observed is not waited for */
	if (system_observe(s, &step, &b, &ignored) != 0)
		buf_clear(&b);
	validity_read(buf_str(&b), v);
	buf_release(&b);
}

/* Is it the first of the systems on its machine? Those with a root here share this one. */
static bool is_first_of_machine(const struct session *s, size_t i)
{
	const struct system *x = s->systems[i];

	for (size_t k = 0; k < i; k++) {
		const struct system *y = s->systems[k];
		if ((x->root_host != NULL && y->root_host != NULL) ||
		    (x->root_host == NULL && strcmp(x->target, y->target) == 0))
			return false;
	}
	return true;
}

/* Who uses how much of it, for a message; new string. */
static char *what_is_busy(const struct system *s, double foreign, double steal)
{
	const char *machine = s->root_host != NULL ? "this machine" : s->name;

	if (steal > foreign)
		return mem_printf("the hypervisor takes %.0f %% of the CPUs of %s (steal)",
				  100 * steal, machine);
	return mem_printf("other programs use %.0f %% of the CPUs of %s", 100 * foreign, machine);
}

static int wait_for(struct session *s, struct system *x, int64_t until_ns, struct err *err)
{
	/* nothing of ours runs now: what a machine over there does is all foreign */
	const struct validity_sample nothing = {.own_ns = 0};
	struct validity before;
	int quiet = 0;
	bool said = false;

	observe(x, &before);
	while (quiet < QUIET_IN_A_ROW) {
		struct validity after;

		clock_sleep_ns(s->clock, LOOK_EVERY_NS);
		if (*s->stop != 0)
			return err_code(err, ERR_INTERRUPTED, "interrupted");
		observe(x, &after);
		double foreign = validity_foreign(&before, &after, &nothing);
		double steal = validity_steal(&before, &after);
		if (foreign < 0 && steal < 0)
			return 0;
		quiet = fmax(foreign, steal) > BUSY_SHARE ? 0 : quiet + 1;
		before = after;
		char *what = what_is_busy(x, foreign, steal);
		if (quiet == 0 && clock_now_ns(s->clock) >= until_ns) {
			session_note(s, "%s when the measurement began, after a minute of waiting",
				     what);
			quiet = QUIET_IN_A_ROW;
		} else if (quiet == 0 && !said) {
			char *text =
				mem_printf("waiting for a quiet machine, up to a minute: %s", what);
			event_text(s->sink, EVENT_PHASE, text);
			free(text);
			said = true;
		}
		free(what);
	}
	return 0;
}

int gate_wait(struct session *s, struct err *err)
{
	int64_t until_ns = clock_now_ns(s->clock) + LIMIT_NS;
	int rc = 0;

	if (s->recorded || s->plan->accept_load)
		return 0;
	for (size_t i = 0; rc == 0 && i < s->n; i++) {
		if (is_first_of_machine(s, i))
			rc = wait_for(s, s->systems[i], until_ns, err);
	}
	return rc;
}
