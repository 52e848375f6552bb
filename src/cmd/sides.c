#include "cmd/sides.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/join.h"
#include "cmd/pasted.h"

void sides_init(struct sides *s, const char *command_line)
{
	*s = (struct sides){.e = {.id = 0}};
	s->e.title = mem_strdup("");
	s->e.state = mem_strdup("complete");
	s->e.ending = mem_strdup("");
	s->e.kind = mem_strdup("import");
	s->e.command = mem_strdup(command_line);
	s->e.version = mem_strdup(LAMPDUEL_VERSION);
	s->e.plan = mem_strdup("{}");
}

void sides_release(struct sides *s)
{
	experiment_release(&s->e);
	vec_release(&s->session);
	strvec_release(&s->seen);
	strvec_release(&s->sources);
}

/* A name that is there already: whoever has it is told apart by where it comes from as well. */
static bool is_taken(struct sides *s, const char *name)
{
	struct experiment *e = &s->e;

	for (size_t i = 0; i < e->systems.n; i++) {
		const char *source = s->sources.v[i];
		char *full = mem_printf("%s (%s)", name, source);
		bool same = text_equal(e->systems.v[i].name, name);
		bool again = text_equal(e->systems.v[i].name, full);
		if (same)
			mem_replace(&e->systems.v[i].name, mem_strdup(full));
		free(full);
		if (same || again)
			return true;
	}
	return false;
}

/* Does another system than the last have this very name? */
static bool is_shown(const struct experiment *e, const char *name)
{
	for (size_t i = 0; i + 1 < e->systems.n; i++) {
		if (text_equal(e->systems.v[i].name, name))
			return true;
	}
	return false;
}

static void add_title(struct experiment *e)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < e->systems.n; i++)
		buf_addf(&b, "%s%s", i > 0 ? " against " : "", e->systems.v[i].name);
	mem_replace(&e->title, buf_detach(&b));
}

static size_t add_system(struct sides *s, const char *name, const char *source,
			 const struct exp_system *like)
{
	struct experiment *e = &s->e;
	bool taken = is_taken(s, name);
	struct exp_system *x = vec_add(&e->systems);

	strvec_push(&s->sources, source);
	x->name = taken ? mem_printf("%s (%s)", name, source) : mem_strdup(name);
	for (int n = 2; is_shown(e, x->name); n++)
		mem_replace(&x->name, mem_printf("%s (%s, %d)", name, source, n));
	x->baseline = e->systems.n == 1;
	x->target = mem_strdup(like != NULL ? like->target : "file");
	x->emulator = mem_strdup(like != NULL && like->emulator != NULL ? like->emulator : "");
	if (like != NULL) {
		x->emulated = like->emulated;
		factset_copy(&x->facts, &like->facts);
	}
	add_title(e);
	return e->systems.n - 1;
}

static size_t map_task(struct experiment *e, const struct exp_task *t)
{
	for (size_t i = 0; i < e->tasks.n; i++) {
		if (text_equal(e->tasks.v[i].name, t->name))
			return i;
	}
	struct exp_task *x = vec_add(&e->tasks);
	x->workload = mem_strdup(t->workload);
	x->name = mem_strdup(t->name);
	x->params = mem_strdup(t->params);
	return e->tasks.n - 1;
}

static size_t map_metric(struct experiment *e, const struct exp_metric *m)
{
	for (size_t i = 0; i < e->metrics.n; i++) {
		struct exp_metric *x = &e->metrics.v[i];
		if (text_equal(x->name, m->name) && text_equal(x->unit, m->unit) &&
		    text_equal(x->conditions, m->conditions)) {
			x->primary |= m->primary;
			return i;
		}
	}
	struct exp_metric *x = vec_add(&e->metrics);
	*x = *m;
	x->name = mem_strdup(m->name);
	x->unit = mem_strdup(m->unit);
	x->conditions = mem_strdup(m->conditions);
	return e->metrics.n - 1;
}

static bool has_values(const struct experiment *e, size_t system, size_t metric)
{
	for (size_t i = 0; i < e->executions.n; i++) {
		if (e->executions.v[i].system == system &&
		    exp_execution_value(&e->executions.v[i], metric) != NULL)
			return true;
	}
	return false;
}

/* Tasks and metrics in their own order: rounds were measured in another one each. */
static void map_in_order(struct sides *s, const struct experiment *from, size_t system)
{
	for (size_t i = 0; i < from->tasks.n; i++)
		(void)map_task(&s->e, &from->tasks.v[i]);
	for (size_t i = 0; i < from->metrics.n; i++) {
		if (has_values(from, system, i))
			(void)map_metric(&s->e, &from->metrics.v[i]);
	}
}

/* Copies the executions of one system of `from`; rounds and lives are put after `last`. */
static void add_executions(struct sides *s, size_t system, const struct experiment *from,
			   size_t from_system, int session, int last)
{
	map_in_order(s, from, from_system);
	for (size_t i = 0; i < from->executions.n; i++) {
		const struct exp_execution *o = &from->executions.v[i];
		if (o->system != from_system)
			continue;
		struct exp_execution *x = vec_add(&s->e.executions);
		*x = *o;
		x->system = system;
		x->task = map_task(&s->e, &from->tasks.v[o->task]);
		x->round += last;
		x->life += last;
		x->reason = mem_strdup(o->reason);
		x->disturbance = mem_strdup(o->disturbance);
		memset(&x->values, 0, sizeof(x->values));
		for (size_t k = 0; k < o->values.n; k++) {
			struct exp_value v = o->values.v[k];
			v.metric = map_metric(&s->e, &from->metrics.v[v.metric]);
			v.origin = v.origin != NULL ? mem_strdup(v.origin) : NULL;
			vec_push(&x->values, v);
		}
		vec_push(&s->session, session);
	}
}

/* A measured session's notes say which it was; those of pasted text name the file already. */
static void add_notes(struct sides *s, const struct experiment *from, const char *source)
{
	bool pasted = text_equal(from->kind, "import");

	for (size_t i = 0; i < from->notes.n; i++)
		vec_push(&s->e.notes, pasted ? mem_strdup(from->notes.v[i])
					     : mem_printf("%s: %s", source, from->notes.v[i]));
}

static int last_round(const struct experiment *e)
{
	int last = 0;

	for (size_t i = 0; i < e->executions.n; i++) {
		const struct exp_execution *x = &e->executions.v[i];
		last = x->round > last ? x->round : last;
		last = x->life > last ? x->life : last;
	}
	return last;
}

/* The system that `part` names, or the only one; an error lists them all. */
static int choose(const struct experiment *e, const struct side_name *n, size_t *system,
		  struct err *err)
{
	struct buf names = BUF_INIT;

	for (size_t i = 0; i < e->systems.n; i++) {
		const char *name = e->systems.v[i].name;
		*system = i;
		if (n->part != NULL ? text_equal(name, n->part) : e->systems.n == 1) {
			buf_release(&names);
			return 0;
		}
		buf_addf(&names, "%s\"", i > 0 ? ", " : "");
		text_escape(&names, name, strlen(name));
		buf_addch(&names, '"');
	}
	char *shown = text_escaped(n->text);
	int rc = err_code(err, ERR_USAGE, "%s: name one of %s, as in %s%sNAME", shown,
			  buf_str(&names), n->is_file ? "file:PATH" : "exp:ID",
			  n->is_file ? "#" : "/");
	free(shown);
	buf_release(&names);
	return rc;
}

static void begin_side(struct sides *s)
{
	s->sessions = s->last_round = 0;
	strvec_release(&s->seen);
}

/* A session is told by when it was measured, pasted output by the file it stands in. */
static int check_twice(struct sides *s, const struct experiment *from, const char *system,
		       const char *source, struct err *err)
{
	char *id = from->created_unix_ns > 0
			   ? mem_printf("%lld %llu %s", (long long)from->created_unix_ns,
					(unsigned long long)from->seed, system)
			   : mem_printf("%s#%s", source, system);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->seen.n; i++) {
		if (text_equal(s->seen.v[i], id))
			rc = err_code(err, ERR_USAGE,
				      "%s: these figures of one session are there twice; each may "
				      "count once",
				      source);
	}
	strvec_push(&s->seen, id);
	free(id);
	return rc;
}

/* What should be the same in all sessions of a side, and is not. */
static void note_changes(struct sides *s, const struct exp_system *now)
{
	static const char *const keys[] = {
		"apache.version",    "mariadb.version", "php.version", "openssl.version",
		"wordpress.version", "kernel.release",  "cpu.model",   "os.name"};
	const struct exp_system *first = vec_last(&s->e.systems);

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *a = factset_get(&first->facts, keys[i]);
		const char *b = factset_get(&now->facts, keys[i]);
		if (a != NULL && b != NULL && !text_equal(a, b))
			vec_push(&s->e.notes, mem_printf("%s: its sessions differ in %s: %s and %s",
							 first->name, keys[i], a, b));
	}
}

/* One system of an experiment as the next session of the side; the first makes the side. */
static int add_session(struct sides *s, const struct experiment *from, size_t system,
		       const char *source, struct err *err)
{
	const struct exp_system *x = &from->systems.v[system];
	char *shown = text_escaped(source);
	int rc = check_twice(s, from, x->name, shown, err);

	if (rc == 0 && s->sessions > 0 && vec_last(&s->e.systems)->emulated != x->emulated)
		rc = err_code(err, ERR_USAGE,
			      "%s: emulated sessions and others cannot be one side of a comparison",
			      shown);
	free(shown);
	if (rc != 0)
		return rc;
	if (s->sessions == 0)
		(void)add_system(s, x->name, source, x);
	else
		note_changes(s, x);
	add_executions(s, s->e.systems.n - 1, from, system, ++s->sessions, s->last_round);
	s->last_round += last_round(from);
	return 0;
}

static int add_stored(struct sides *s, struct store *store, const struct side_name *n,
		      struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < n->ids.n && rc == 0; i++) {
		struct experiment e = {.id = 0};
		size_t from = 0;
		rc = store_load(store, n->ids.v[i], &e, err);
		if (rc == 0)
			rc = choose(&e, n, &from, err);
		if (rc == 0) {
			char *source = mem_printf("exp:%lld", (long long)n->ids.v[i]);
			rc = add_session(s, &e, from, source, err);
			add_notes(s, &e, source);
			free(source);
		}
		experiment_release(&e);
	}
	return rc;
}

static int add_file(struct sides *s, const struct side_name *n, struct err *err)
{
	struct experiment e = {.id = 0};
	size_t from = 0;
	/* labels matter when one of them is named; else the file is one system */
	int rc = pasted_read(n->path, n->part != NULL, &e, err);

	if (rc == 0)
		rc = choose(&e, n, &from, err);
	if (rc == 0)
		rc = add_session(s, &e, from, pasted_file_name(n->path), err);
	if (rc == 0)
		add_notes(s, &e, pasted_file_name(n->path));
	experiment_release(&e);
	return rc;
}

int sides_add(struct sides *s, struct store *store, const struct side_name *n, size_t count,
	      struct err *err)
{
	int rc = 0;

	begin_side(s);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = n[i].is_file ? add_file(s, &n[i], err) : add_stored(s, store, &n[i], err);
	return rc;
}

int sides_add_every(struct sides *s, const struct experiment *e, const char *file, struct err *err)
{
	int rc = 0;

	if (e->systems.n > SIDES_MAX)
		return err_set(err,
			       "%s: %zu headings or runs with figures, more than the %d that are "
			       "compared at once; name two of them, as in FILE#HEADING",
			       file, e->systems.n, SIDES_MAX);
	for (size_t i = 0; rc == 0 && i < e->systems.n; i++) {
		begin_side(s);
		rc = add_session(s, e, i, file, err);
	}
	add_notes(s, e, file);
	return rc;
}

void sides_finish(struct sides *s)
{
	join_same_work(&s->e);
	pasted_note_versions(&s->e);
	s->e.rounds_planned = last_round(&s->e);
}

int sides_compare(const struct sides *s, const struct compare_options *o,
		  struct comparison_set *out, struct err *err)
{
	const struct experiment *e = &s->e;
	struct compare_pool *pools = mem_array(e->systems.n, sizeof(*pools));

	for (size_t i = 0; i < e->systems.n; i++) {
		compare_pool_init(&pools[i], e->systems.v[i].name, e->systems.v[i].emulated);
		compare_pool_add_experiment(&pools[i], e, i, s->session.v);
	}
	int rc = compare_pools(&pools[0], pools + 1, e->systems.n - 1, o, out, err);
	for (size_t i = 0; i < e->systems.n; i++)
		compare_pool_release(&pools[i]);
	free(pools);
	return rc;
}

bool experiment_keep(struct experiment *e, const char *baseline, const char *candidate)
{
	size_t b = e->systems.n, k = e->systems.n, kept = 0;

	for (size_t i = 0; i < e->systems.n; i++) {
		if (text_equal(e->systems.v[i].name, baseline))
			b = i;
		if (text_equal(e->systems.v[i].name, candidate))
			k = i;
	}
	if (b == e->systems.n || k == e->systems.n || b == k)
		return false;
	for (size_t i = 0; i < e->executions.n; i++) {
		struct exp_execution *x = &e->executions.v[i];
		struct exp_execution keep = *x;
		bool stays = x->system == b || x->system == k;
		if (!stays)
			continue;
		/* what goes moves to the end of the array, where it is released with the rest */
		*x = e->executions.v[kept];
		keep.system = keep.system == b ? 0 : 1;
		e->executions.v[kept++] = keep;
	}
	struct experiment gone = {.id = 0};
	for (size_t i = kept; i < e->executions.n; i++)
		vec_push(&gone.executions, e->executions.v[i]);
	e->executions.n = kept;
	struct exp_system two[] = {e->systems.v[b], e->systems.v[k]};
	for (size_t i = 0; i < e->systems.n; i++) {
		if (i != b && i != k)
			vec_push(&gone.systems, e->systems.v[i]);
	}
	e->systems.n = 2;
	for (size_t i = 0; i < 2; i++) {
		e->systems.v[i] = two[i];
		e->systems.v[i].baseline = i == 0;
	}
	experiment_release(&gone);
	return true;
}
