#include "measure/session.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fs.h"
#include "base/text.h"
#include "measure/parallel.h"

void session_note(struct session *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *note = mem_vprintf(fmt, ap);
	va_end(ap);
	event_text(s->sink, EVENT_NOTE, note);
	vec_push(&s->notes, note);
}

bool session_needs(const struct session *s, enum stack_need need)
{
	for (size_t i = 0; i < s->tasks.tasks.n; i++) {
		if (task_need(&s->tasks.tasks.v[i]) >= need)
			return true;
	}
	return false;
}

/* Where the WordPress that system i serves is made: its own, or the one of all. New string. */
static char *tree_dir(const struct session *s, size_t i)
{
	if (s->guard == NULL)
		return NULL;
	if (s->plan->own_wordpress)
		return mem_printf("%s/wordpress-%zu", guard_run_dir(s->guard), i);
	return mem_printf("%s/wordpress", guard_run_dir(s->guard));
}

/* The system's name in front of the message, unless that names it already. */
static int name_system(struct err *err, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = err->msg; (at = strstr(at, name)) != NULL; at++) {
		bool begins = at == err->msg || strchr(" (:,", at[-1]) != NULL;
		if (begins && strchr(" ):,;", at[n]) != NULL)
			return err->code;
	}
	return err_wrap(err, "%s", name);
}

struct opening {
	struct session *s;
	pthread_mutex_t lock;
};

/* From several threads: one line at a time. */
static void say_progress(void *arg, const char *line)
{
	struct opening *o = arg;

	(void)pthread_mutex_lock(&o->lock);
	event_text(o->s->sink, EVENT_PHASE, line);
	(void)pthread_mutex_unlock(&o->lock);
}

static struct system_options options_of(struct opening *o, size_t i, const char *tree)
{
	const struct session *s = o->s;

	return (struct system_options){
		.name = s->plan->systems.v[i].name,
		.target = s->plan->systems.v[i].target,
		.cpu = s->plan->systems.v[i].cpu,
		.run_id = s->run_id,
		.run_dir = s->run_dirs[i],
		.cache_dir = s->cache_dir,
		.clock = s->clock,
		.stop = s->stop,
		.measures = true,
		.progress = say_progress,
		.progress_arg = o,
		/* filled once it is known which tree serves all systems */
		.shares = {{tree, STACK_TREE_INSIDE}},
		.n_shares = 1,
	};
}

static int prepare_system(void *arg, size_t i, struct err *err)
{
	struct opening *o = arg;
	struct system_options options = options_of(o, i, NULL);
	int rc = system_prepare(&options, err);

	return rc == 0 ? 0 : name_system(err, options.name);
}

static int open_system(struct opening *o, size_t i, struct err *err)
{
	struct session *s = o->s;
	char *tree = tree_dir(s, i);
	struct system_options options = options_of(o, i, tree);

	s->systems[i] = system_open(&options, err);
	free(tree);
	if (s->systems[i] == NULL)
		return name_system(err, options.name);
	if (s->recording != NULL)
		recorder_wrap(s->systems[i], s->recording);
	return 0;
}

static int find_programs(void *arg, size_t i, struct err *err)
{
	const struct opening *o = arg;
	int rc = stack_find_programs(o->s->systems[i], &o->s->programs[i], err);

	return rc == 0 ? 0 : name_system(err, o->s->systems[i]->name);
}

/* Downloads and look-ups at once; the opening itself in this thread, see system.h. */
static int open_systems(struct session *s, struct err *err)
{
	struct opening o = {.s = s, .lock = PTHREAD_MUTEX_INITIALIZER};
	int rc = parallel_each(s->n, s->recorded, prepare_system, &o, err);

	for (size_t i = 0; rc == 0 && i < s->n; i++)
		rc = open_system(&o, i, err);
	if (rc == 0)
		rc = parallel_each(s->n, s->recorded, find_programs, &o, err);
	return rc;
}

static void say_waiting(void *arg, const char *whom)
{
	const struct session *s = arg;
	char *text = mem_printf("waiting for %s: one measuring run at a time", whom);

	event_text(s->sink, EVENT_NOTE, text);
	free(text);
}

/* The lock, the run folder and its supervisor; before there are threads. */
static int secure_machine(struct session *s, struct err *err)
{
	struct err left = ERR_INIT;
	int swept = 0;

	s->lock = measuring_lock_take(say_waiting, s, s->stop, err);
	if (s->lock == NULL)
		return err->code;
	/* what is left of another user's run cannot be removed by us, and need not stop us */
	if (guard_sweep(s->cache_dir, &swept, &left) != 0)
		event_text(s->sink, EVENT_NOTE, left.msg);
	s->guard = guard_new_run_dir(s->cache_dir, s->run_id, err);
	if (s->guard == NULL)
		return err->code;
	for (size_t i = 0; i < s->n; i++) {
		char *name = mem_printf("%zu", i);
		char *tree = tree_dir(s, i);
		s->run_dirs[i] = guard_system_dir(s->guard, name, err);
		int rc = s->run_dirs[i] == NULL ? err->code : fs_mkdirs(tree, 0755, err);
		free(tree);
		free(name);
		if (rc != 0)
			return rc;
	}
	return 0;
}

/* Why system i cannot do task t: a new string, or NULL when it can. */
static char *why_not(struct session *s, const struct task *t, size_t i)
{
	char *reason = NULL;

	if (task_need(t) != NEED_NOTHING && s->systems[i]->kind->no_services)
		return mem_printf(
			"no services are started on %s:, only what runs there is measured",
			s->systems[i]->kind->scheme);
	if (task_need(t) != NEED_NOTHING &&
	    !stack_supported(&s->programs[i], task_need(t) == NEED_WEB, &reason))
		return reason;
	if (!t->kind->supported(t, s->systems[i], &reason))
		return reason;
	return NULL;
}

/*
 * What the user named must be possible everywhere. Of the default workloads, those that some
 * system cannot do are left out, and that is said.
 */
static int choose_tasks(struct session *s, struct err *err)
{
	struct task_list all = {{0}};
	int rc = plan_tasks(s->plan, &all, err);

	for (size_t k = 0; rc == 0 && k < all.tasks.n; k++) {
		struct task *t = &all.tasks.v[k];
		char *reason = NULL;
		size_t i = 0;
		for (; i < s->n && reason == NULL; i++)
			reason = why_not(s, t, i);
		if (reason == NULL) {
			vec_push(&s->tasks.tasks, *t);
			*t = (struct task){0};
			continue;
		}
		if (s->plan->default_workloads)
			session_note(s, "%s is left out: %s: %s", t->name, s->systems[i - 1]->name,
				     reason);
		else
			rc = err_code(err, ERR_HOPELESS, "%s cannot be measured on %s: %s", t->name,
				      s->systems[i - 1]->name, reason);
		free(reason);
	}
	task_list_release(&all);
	for (size_t k = 0; rc == 0 && k < s->tasks.tasks.n; k++) {
		const struct task *t = &s->tasks.tasks.v[k];
		if (t->kind->need != NEED_NOTHING && task_need(t) == NEED_NOTHING)
			session_note(s,
				     "%s was measured as it ran, without a new start in each "
				     "round: what differs from start to start is not covered",
				     t->name);
	}
	if (rc == 0 && s->tasks.tasks.n == 0)
		rc = err_set(err, "nothing can be measured on these systems%s",
			     s->notes.n > 0 ? "; the notes above say why" : "");
	return rc;
}

/* The tree goes where each system's share of it is already mounted. */
static int make_trees(struct session *s, struct err *err)
{
	bool own = s->plan->own_wordpress;

	s->n_trees = own ? s->n : 1;
	s->trees = mem_array(s->n_trees, sizeof(*s->trees));
	for (size_t i = 0; i < s->n_trees; i++) {
		char *dir = tree_dir(s, i);
		int rc = wordpress_tree_make(&s->systems[i], &s->programs[i], own ? 1 : s->n, dir,
					     &s->trees[i], err);
		free(dir);
		if (rc != 0)
			return rc;
	}
	return 0;
}

/* What the report would say in the end is better known before an hour of measuring. */
static void note_mixed(struct session *s)
{
	size_t emulated = 0;

	for (size_t i = 0; i < s->n; i++)
		emulated += s->systems[i]->emulated;
	if (emulated > 0 && emulated < s->n)
		session_note(s, "some of the systems are emulated and some are not: between such "
				"two there are figures, and no verdict");
}

int session_open(struct session *s, const struct plan *plan, struct clock *clock,
		 const volatile int *stop, const struct event_sink *sink, struct err *err)
{
	*s = (struct session){.plan = plan, .clock = clock, .stop = stop, .sink = sink};
	const char *target = plan->systems.v[0].target;
	const struct system_kind *kind = system_kind_of(target, err);
	if (kind == NULL)
		return err->code;
	s->recorded = kind->start_clock != NULL;
	if (s->recorded && kind->start_clock(target, clock, err) != 0)
		return err->code;
	s->cache_dir = fs_cache_dir();
	s->run_id = guard_new_run_id();
	s->n = plan->systems.n;
	s->systems = mem_array(s->n, sizeof(*s->systems));
	s->programs = mem_array(s->n, sizeof(*s->programs));
	s->stacks = mem_array(s->n, sizeof(struct stack *));
	s->run_dirs = mem_array(s->n, sizeof(char *));
	if (!s->recorded && secure_machine(s, err) != 0)
		return err->code;
	if (plan->record != NULL)
		s->recording = recording_new(clock, plan->command_line);
	event_text(sink, EVENT_PHASE, "opening the systems");
	int rc = open_systems(s, err);
	if (rc == 0)
		note_mixed(s);
	if (rc == 0)
		rc = choose_tasks(s, err);
	return rc;
}

static int prepare_one(void *arg, size_t i, struct err *err)
{
	struct session *s = arg;
	struct step step = {.name = "prepare", .round = 0, .attempt = 1};
	const struct wordpress_tree *tree = NULL;

	if (s->n_trees > 0)
		tree = &s->trees[s->n_trees == 1 ? 0 : i];
	s->stacks[i] = stack_new(s->systems[i], &s->programs[i], tree);
	int rc = stack_prepare(s->stacks[i], &step, err);
	return rc == 0 ? 0 : name_system(err, s->systems[i]->name);
}

/* By default what cannot be measured is left out: here the pages, for want of a WordPress. */
static void leave_out_web(struct session *s, const char *why)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->tasks.tasks.n; i++) {
		struct task *t = &s->tasks.tasks.v[i];
		struct task_list one = {{0}};

		if (t->kind->need != NEED_WEB) {
			s->tasks.tasks.v[kept++] = *t;
			continue;
		}
		session_note(s, "%s is left out: %s", t->name, why);
		vec_push(&one.tasks, *t);
		task_list_release(&one);
	}
	s->tasks.tasks.n = kept;
	for (size_t i = 0; i < s->n_trees; i++)
		wordpress_tree_release(&s->trees[i]);
	free(s->trees);
	s->trees = NULL;
	s->n_trees = 0;
}

/* A server that runs out of room dies with words that hide it: better said beforehand. */
static int check_room(const struct session *s, struct err *err)
{
	int64_t needed = (int64_t)s->n * STACK_ROOM;
	int64_t left = s->recorded ? -1 : fs_free_bytes(s->run_dirs[0]);

	if (left < 0 || left >= needed)
		return 0;
	return err_set(
		err,
		"%s: the disk has %lld MB left and the servers' data need %lld MB; make room, "
		"or set XDG_CACHE_HOME to a folder of another disk",
		s->run_dirs[0], (long long)(left / 1000000),
		(long long)((needed + 999999) / 1000000));
}

int session_prepare(struct session *s, struct err *err)
{
	struct err why = ERR_INIT;
	int rc = 0;

	if (!session_needs(s, NEED_MARIADB))
		return 0;
	rc = check_room(s, err);
	if (rc != 0)
		return rc;
	event_text(s->sink, EVENT_PHASE,
		   session_needs(s, NEED_WEB) ? "setting up MariaDB, Apache and WordPress"
					      : "setting up MariaDB");
	if (session_needs(s, NEED_WEB))
		rc = make_trees(s, &why);
	if (rc == ERR_HOPELESS && s->plan->default_workloads) {
		leave_out_web(s, why.msg);
		if (s->tasks.tasks.n == 0)
			return err_code(err, ERR_HOPELESS,
					"nothing can be measured on these systems; the notes above "
					"say why");
		rc = 0;
	}
	if (rc != 0)
		*err = why;
	if (rc == 0 && session_needs(s, NEED_MARIADB))
		rc = parallel_each(s->n, s->recorded, prepare_one, s, err);
	return rc;
}

struct life_job {
	struct session *s;
	const struct task *t;
	struct step step;
};

static int begin_one(void *arg, size_t i, struct err *err)
{
	const struct life_job *j = arg;
	struct session *s = j->s;
	struct stack_life life = {.web = task_need(j->t) == NEED_WEB, .opcache = true};
	int rc = system_place(s->systems[i], PLACE_ALL, err);

	if (j->t->kind->life_options != NULL)
		j->t->kind->life_options(j->t, &life);
	if (rc == 0)
		rc = stack_begin_life(s->stacks[i], &life, &j->step, err);
	if (rc == 0 && j->t->kind->warm_up != NULL)
		rc = j->t->kind->warm_up(j->t, s->systems[i], s->stacks[i], &j->step, err);
	if (rc == 0)
		rc = system_place(s->systems[i], PLACE_MEASURED, err);
	return rc == 0 ? 0 : name_system(err, s->systems[i]->name);
}

static int end_one(void *arg, size_t i, struct err *err)
{
	const struct life_job *j = arg;

	return stack_end_life(j->s->stacks[i], &j->step, err);
}

static int place_one(void *arg, size_t i, struct err *err)
{
	const struct life_job *j = arg;

	return system_place(j->s->systems[i], PLACE_MEASURED, err);
}

/* Are the sandboxes there, whatever became of the services in them? */
static bool systems_answer(struct session *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (system_place(s->systems[i], PLACE_ALL, NULL) != 0)
			return false;
	}
	return true;
}

/* A service that dies while it starts or warms up is started again, this often at most. */
enum { STARTS_MAX = 3 };

int session_begin_life(struct session *s, const struct task *t, int round, int attempt,
		       struct err *err)
{
	char *name = mem_printf("%s/life", t->name);
	struct life_job j = {.s = s, .t = t, .step = {name, round, attempt}};
	int rc = 0;

	for (int i = 1; i <= STARTS_MAX; i++) {
		rc = parallel_each(s->n, s->recorded,
				   task_need(t) == NEED_NOTHING ? place_one : begin_one, &j, err);
		if (rc == 0 || i == STARTS_MAX || *s->stop != 0 || !systems_answer(s))
			break;
		event_text(s->sink, EVENT_NOTE, err->msg);
		session_end_life(s, t, round, attempt);
	}
	free(name);
	return rc;
}

void session_end_life(struct session *s, const struct task *t, int round, int attempt)
{
	char *name = mem_printf("%s/end", t->name);
	struct life_job j = {.s = s, .t = t, .step = {name, round, attempt}};
	struct err ignored = ERR_INIT;

	/* a service that cannot be stopped is gone already or goes with its sandbox */
	if (task_need(t) != NEED_NOTHING)
		(void)parallel_each(s->n, s->recorded, end_one, &j, &ignored);
	free(name);
}

int session_check_life(struct session *s, const struct task *t, struct err *err)
{
	for (size_t i = 0; task_need(t) != NEED_NOTHING && i < s->n; i++) {
		if (stack_check(s->stacks[i], err) != 0)
			return name_system(err, s->systems[i]->name);
	}
	return 0;
}

/* --keep: each system's run folder moves out of what is removed. */
static void keep_folders(struct session *s)
{
	char *kept = mem_printf("%s/kept/%s", s->cache_dir, s->run_id);
	struct err e = ERR_INIT;
	int rc = fs_mkdirs(kept, 0755, &e);

	for (size_t i = 0; rc == 0 && i < s->n; i++) {
		char *to = fs_join(kept, s->plan->systems.v[i].name);
		if (s->run_dirs[i] != NULL && rename(s->run_dirs[i], to) != 0)
			rc = err_errno(&e, errno, "cannot keep %s as %s", s->run_dirs[i], to);
		free(to);
	}
	if (rc == 0)
		session_note(s, "the run folders are kept in %s", kept);
	else
		session_note(s, "%s", e.msg);
	free(kept);
}

void session_close(struct session *s)
{
	for (size_t i = 0; i < s->n; i++)
		stack_free(s->stacks[i]);
	if (s->plan != NULL && s->plan->keep && s->guard != NULL)
		keep_folders(s);
	for (size_t i = 0; i < s->n; i++) {
		system_close(s->systems[i]);
		stack_programs_release(&s->programs[i]);
		free(s->run_dirs[i]);
	}
	for (size_t i = 0; i < s->n_trees; i++)
		wordpress_tree_release(&s->trees[i]);
	task_list_release(&s->tasks);
	for (size_t i = 0; i < s->notes.n; i++)
		free(s->notes.v[i]);
	vec_release(&s->notes);
	recording_free(s->recording);
	guard_end(s->guard);
	measuring_lock_release(s->lock);
	free(s->systems);
	free(s->programs);
	free(s->stacks);
	free(s->run_dirs);
	free(s->trees);
	free(s->cache_dir);
	free(s->run_id);
	*s = (struct session){0};
}
