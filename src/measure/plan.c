#include "measure/plan.h"

#include <ctype.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"

enum { NAME_MAX_COLUMNS = 40 };

void plan_release(struct plan *p)
{
	for (size_t i = 0; i < p->systems.n; i++) {
		free(p->systems.v[i].name);
		free(p->systems.v[i].target);
		free(p->systems.v[i].cpu);
	}
	vec_release(&p->systems);
	for (size_t i = 0; i < p->workloads.n; i++)
		workload_request_release(&p->workloads.v[i]);
	vec_release(&p->workloads);
	free(p->kind);
	free(p->command_line);
	free(p->record);
	*p = (struct plan){0};
}

static bool name_taken(const struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->systems.n; i++) {
		if (strcmp(p->systems.v[i].name, name) == 0)
			return true;
	}
	return false;
}

static int check_name(const char *name, struct err *err)
{
	bool fine = name[0] != '\0' && text_width(name) <= NAME_MAX_COLUMNS;

	for (const char *c = name; fine && *c != '\0'; c++)
		fine = isgraph((unsigned char)*c) || (unsigned char)*c >= 0x80 ||
		       (*c == ' ' && c != name);
	if (fine && strpbrk(name, "=/#") == NULL)
		return 0;
	char *shown = text_escaped(name);
	(void)err_code(
		err, ERR_USAGE,
		"\"%s\" is no name for a system: use 1 to %d letters or digits without = / #",
		shown, NAME_MAX_COLUMNS);
	free(shown);
	return ERR_USAGE;
}

/*
 * The part of a target that tells it from others: "bookworm/armel" -> "bookworm-armel". Names stand
 * in published reports, so that nothing of a path, host or user may be in one that we make: such a
 * system is called what it is here, "host", "baseline" or "candidate".
 */
static char *name_of_target(const struct plan *p, const char *target)
{
	const char *rest = strchr(target, ':');
	const char *from = rest == NULL || rest[1] == '\0' ? target : rest + 1;
	const char *part = strchr(from, '#');

	if (text_starts(target, "recorded:") && part != NULL && part[1] != '\0')
		from = part + 1;
	else if (text_starts(target, "ssh:"))
		from = "host";
	else if (rest != NULL && !text_starts(target, "debian:"))
		from = p->systems.n == 0 ? "baseline" : "candidate";
	size_t len = strlen(from);
	enum { ROOM = NAME_MAX_COLUMNS - 3 }; /* for "-16" */

	char *base = mem_strdup(len > ROOM ? from + len - ROOM : from);
	for (char *c = base; *c != '\0'; c++) {
		if (!isalnum((unsigned char)*c) && strchr("._-", *c) == NULL)
			*c = '-';
	}
	char *name = mem_strdup(base);
	for (int n = 2; name_taken(p, name); n++)
		mem_replace(&name, mem_printf("%s-%d", base, n));
	free(base);
	return name;
}

int plan_add_system(struct plan *p, const char *name, const char *target, const char *cpu,
		    struct err *err)
{
	if (p->systems.n >= SYSTEMS_MAX)
		return err_code(err, ERR_USAGE, "more than %d systems in one run", SYSTEMS_MAX);
	const struct system_kind *kind = system_kind_of(target, err);
	if (kind == NULL || kind->check(target, err) != 0) {
		err->code = ERR_USAGE;
		return ERR_USAGE;
	}
	if (name != NULL && check_name(name, err) != 0)
		return ERR_USAGE;
	if (name != NULL && name_taken(p, name))
		return err_code(err, ERR_USAGE, "two systems are named \"%s\"", name);
	struct system_spec spec = {
		.name = name == NULL ? name_of_target(p, target) : mem_strdup(name),
		.target = mem_strdup(target),
		.cpu = mem_strdup(cpu),
	};
	vec_push(&p->systems, spec);
	return 0;
}

int plan_add_system_text(struct plan *p, const char *text, struct err *err)
{
	const char *equal = strchr(text, '=');
	const char *colon = strchr(text, ':');

	/* a target may hold '=' in a path, but only behind its colon or slash */
	if (equal == NULL || (colon != NULL && colon < equal))
		return plan_add_system(p, NULL, text, NULL, err);
	char *name = mem_strndup(text, (size_t)(equal - text));
	int rc = plan_add_system(p, name, equal + 1, NULL, err);
	free(name);
	return rc;
}

int plan_add_twin(struct plan *p, struct err *err)
{
	/* copies: the list moves when it grows */
	char *name = mem_printf("%s-2", p->systems.v[0].name);
	char *target = mem_strdup(p->systems.v[0].target);
	char *cpu = mem_strdup(p->systems.v[0].cpu);

	int rc = plan_add_system(p, text_width(name) > NAME_MAX_COLUMNS ? "twin" : name, target,
				 cpu, err);
	free(name);
	free(target);
	free(cpu);
	return rc;
}

int plan_check(const struct plan *p, struct err *err)
{
	if (p->systems.n == 0)
		return err_code(err, ERR_USAGE, "no system to measure: name one with -b TARGET");
	if (p->workloads.n == 0)
		return err_code(err, ERR_USAGE, "no workload to run: name one with -w");
	if (p->lives < 0 || p->lives > p->rounds)
		return err_code(err, ERR_USAGE, "--lives %d: there are only %d rounds", p->lives,
				p->rounds);
	if (p->looks && plan_lives_are_shared(p))
		return err_code(err, ERR_USAGE,
				"--end-early=yes: looks are planned by rounds, but with --lives "
				"%d starts are what counts; leave one of both out",
				p->lives);
	if (p->sample_ns <= 0)
		return err_code(err, ERR_USAGE, "--sample: a sample lasts longer than no time");
	if (!(p->step_share > 0) || p->step_share >= 1)
		return err_code(err, ERR_USAGE, "--step: a share above 0 and below 1 is wanted");
	size_t replayed = 0;
	for (size_t i = 0; i < p->systems.n; i++) {
		const struct system_kind *k = system_kind_of(p->systems.v[i].target, err);
		replayed += k != NULL && k->start_clock != NULL;
	}
	if (replayed > 0 && replayed < p->systems.n)
		return err_code(err, ERR_USAGE,
				"recorded: systems cannot be measured together with real ones");
	struct task_list tasks = {{0}};
	int rc = plan_tasks(p, &tasks, err);
	task_list_release(&tasks);
	return rc;
}

int plan_tasks(const struct plan *p, struct task_list *tasks, struct err *err)
{
	for (size_t i = 0; i < p->workloads.n; i++) {
		const struct workload_request *q = &p->workloads.v[i];
		if (q->kind->expand(q, tasks, err) != 0)
			return err_wrap(err, "workload %s", q->kind->name);
	}
	for (size_t i = 0; i < tasks->tasks.n; i++) {
		for (size_t j = 0; j < i; j++) {
			if (strcmp(tasks->tasks.v[i].name, tasks->tasks.v[j].name) == 0)
				return err_code(err, ERR_USAGE, "%s is asked for twice",
						tasks->tasks.v[i].name);
		}
	}
	return 0;
}

/* Targets that are one, as two systems of a recording are, tell nothing; a check is found by its.
 */
static bool is_titled_by_names(const struct plan *p)
{
	bool same = false;

	for (size_t i = 1; i < p->systems.n; i++)
		same |= strcmp(p->systems.v[i].target, p->systems.v[0].target) == 0;
	return same && strcmp(p->kind, "aa") != 0;
}

char *plan_title(const struct plan *p)
{
	bool names = is_titled_by_names(p);
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < p->systems.n; i++)
		buf_addf(&b, "%s%s",
			 i == 0   ? ""
			 : i == 1 ? " against "
				  : ", ",
			 names ? p->systems.v[i].name : p->systems.v[i].target);
	return buf_detach(&b);
}

/* Streams of one seed; the numbers only have to be distinct. */
enum { STREAM_TASKS = 1, STREAM_SYSTEMS = 2, STREAM_KINDS = 4, ATTEMPTS_MAX = 8, TASKS_MAX = 4096 };

static void permutation(uint64_t seed, uint64_t stream, size_t *v, size_t n)
{
	struct rng *r = rng_new(seed, stream);

	for (size_t i = 0; i < n; i++)
		v[i] = i;
	rng_shuffle(r, v, n);
	rng_free(r);
}

static uint64_t place(int round, bool warmup)
{
	return (uint64_t)round * 2 + (warmup ? 1 : 0);
}

void plan_task_order(uint64_t seed, int block, bool warmup, size_t *v, size_t n)
{
	permutation(seed, place(block, warmup) * STREAM_KINDS + STREAM_TASKS, v, n);
}

void plan_system_order(uint64_t seed, int round, bool warmup, size_t task, int attempt, size_t *v,
		       size_t n)
{
	uint64_t at = (place(round, warmup) * TASKS_MAX + task) * ATTEMPTS_MAX + (uint64_t)attempt;

	permutation(seed, at * STREAM_KINDS + STREAM_SYSTEMS, v, n);
}

bool plan_lives_are_shared(const struct plan *p)
{
	return p->lives > 0 && p->lives < p->rounds;
}

int plan_life_of_round(int round, int rounds, int lives)
{
	if (lives <= 0 || lives >= rounds)
		return round;
	return (int)((int64_t)(round - 1) * lives / rounds) + 1;
}
