/* The machine under a system: what makes it noisy, by its facts and two looks at its state. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/doctor.h"
#include "collect/collect.h"
#include "facts/lines.h"
#include "system/observe.h"
#include "system/system.h"

enum { FILE_MAX = 1 << 20 };

#define LOOK_NS (2 * NS_PER_S)
#define ASK_LIMIT_NS (20 * NS_PER_S)

/* The text of a file there, "" when there is none. */
static void read_there(struct system *s, const char *path, struct buf *b)
{
	const struct step step = {path, 0, 1};
	struct err ignored = ERR_INIT;

	buf_clear(b);
	if (system_get(s, &step, path, FILE_MAX, b, &ignored) != 0)
		buf_clear(b);
	buf_addstr(b, "");
}

static int64_t free_memory(struct system *s)
{
	struct buf b = BUF_INIT;

	read_there(s, "/proc/meminfo", &b);
	char *text = lines_find(buf_str(&b), "MemAvailable", ":");
	int64_t kb = text == NULL ? -1 : strtoll(text, NULL, 10);
	free(text);
	buf_release(&b);
	return kb < 0 ? -1 : kb * 1024;
}

/* By the names that drivers give to a mains adapter. */
static enum checkup_answer is_on_mains(struct system *s)
{
	static const char *const names[] = {"AC", "ACAD", "AC0", "ADP0", "ADP1"};
	enum checkup_answer answer = CHECKUP_UNKNOWN;
	struct buf b = BUF_INIT;

	for (size_t i = 0; answer == CHECKUP_UNKNOWN && i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = mem_printf("/sys/class/power_supply/%s/online", names[i]);
		read_there(s, path, &b);
		free(path);
		if (b.len > 0)
			answer = buf_str(&b)[0] == '0' ? CHECKUP_NO : CHECKUP_YES;
	}
	buf_release(&b);
	return answer;
}

static enum checkup_answer is_clock_kept(struct system *s)
{
	const struct step step = {"doctor/clock", 0, 1};
	struct strvec argv = STRVEC_INIT;
	const struct exec_request q = {.argv = &argv, .timeout_ns = ASK_LIMIT_NS};
	enum checkup_answer answer = CHECKUP_UNKNOWN;
	struct outcome out = {0};
	struct err ignored = ERR_INIT;

	strvec_push(&argv, "timedatectl");
	strvec_push(&argv, "show");
	strvec_push(&argv, "--property=NTPSynchronized");
	if (system_exec(s, &step, &q, &out, &ignored) == 0 && out.status == OUTCOME_OK) {
		if (text_starts(buf_str(&out.out), "NTPSynchronized=yes"))
			answer = CHECKUP_YES;
		else if (text_starts(buf_str(&out.out), "NTPSynchronized=no"))
			answer = CHECKUP_NO;
	}
	outcome_release(&out);
	strvec_release(&argv);
	return answer;
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

static int look(struct doctor *d, struct system *s, struct err *err)
{
	struct checkup_more more = {.on_mains = is_on_mains(s),
				    .clock_kept = is_clock_kept(s),
				    .memory_free = free_memory(s)};
	struct observed_processes then = {{0}};
	struct observed_processes now = {{0}};
	struct checkup found = {{0}};
	struct factset facts = {0};
	struct validity before;
	struct validity after;
	char *busiest = NULL;
	bool here = s->root_host != NULL;
	int rc = collect_machine_facts(s, &facts, err);

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

int doctor_look(struct doctor *d, struct system *s, struct err *err)
{
	bool here = s->root_host != NULL;

	if (here && d->seen_here)
		return 0;
	d->seen_here = d->seen_here || here;
	return look(d, s, err);
}
