/* The store: what is written comes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/mem.h"
#include "check.h"
#include "example.h"
#include "store/db.h"
#include "store/migrate.h"
#include "store/store.h"

static char dir[64];
static char *path;

static int set_up(void **state)
{
	(void)state;
	(void)snprintf(dir, sizeof(dir), "/tmp/lampduel-store-XXXXXX");
	if (mkdtemp(dir) == NULL)
		return -1;
	path = fs_join(dir, "sub/folder/test.db");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(path);
	return fs_remove_tree(dir, NULL);
}

static int64_t count(struct store *st, const char *sql)
{
	int64_t n = -1;

	assert_ok(db_int(st, err, -1, &n, sql, ""));
	return n;
}

static void assert_same_values(const struct exp_execution *a, const struct exp_execution *b)
{
	assert_int_equal(a->values.n, b->values.n);
	for (size_t i = 0; i < a->values.n; i++) {
		const struct exp_value *v = &a->values.v[i];
		const struct exp_value *w = &b->values.v[i];

		assert_int_equal(v->metric, w->metric);
		assert_true(v->value == w->value && v->step == w->step && v->sd == w->sd);
		assert_int_equal(v->n, w->n);
		assert_int_equal(v->derived, w->derived);
		assert_string_equal(v->origin != NULL ? v->origin : "",
				    w->origin != NULL ? w->origin : "");
	}
}

static void assert_same_executions(const struct experiment *a, const struct experiment *b)
{
	assert_int_equal(a->executions.n, b->executions.n);
	for (size_t i = 0; i < a->executions.n; i++) {
		const struct exp_execution *x = &a->executions.v[i];
		const struct exp_execution *y = &b->executions.v[i];

		assert_int_equal(x->id, y->id);
		assert_int_equal(x->round, y->round);
		assert_int_equal(x->warmup, y->warmup);
		assert_int_equal(x->task, y->task);
		assert_int_equal(x->system, y->system);
		assert_int_equal(x->life, y->life);
		assert_int_equal(x->position, y->position);
		assert_int_equal(x->attempt, y->attempt);
		assert_true(x->start_ns == y->start_ns && x->end_ns == y->end_ns);
		assert_true(x->unix_ns == y->unix_ns);
		assert_int_equal(x->status, y->status);
		assert_string_equal(x->reason, y->reason);
		assert_int_equal(x->disturbed, y->disturbed);
		assert_string_equal(x->disturbance, y->disturbance);
		assert_same_values(x, y);
	}
}

static void assert_same_systems(const struct experiment *a, const struct experiment *b)
{
	assert_int_equal(a->systems.n, b->systems.n);
	for (size_t i = 0; i < a->systems.n; i++) {
		const struct exp_system *s = &a->systems.v[i];
		const struct exp_system *t = &b->systems.v[i];

		assert_string_equal(s->name, t->name);
		assert_string_equal(s->target, t->target);
		assert_int_equal(s->baseline, t->baseline);
		assert_int_equal(s->emulated, t->emulated);
		assert_string_equal(s->emulator, t->emulator);
		assert_int_equal(s->facts.n, t->facts.n);
		for (size_t f = 0; f < s->facts.n; f++) {
			assert_string_equal(s->facts.v[f].key, t->facts.v[f].key);
			assert_string_equal(s->facts.v[f].value, t->facts.v[f].value);
			assert_string_equal(s->facts.v[f].origin, t->facts.v[f].origin);
		}
	}
}

static void assert_same(const struct experiment *a, const struct experiment *b)
{
	assert_int_equal(a->id, b->id);
	assert_string_equal(a->title, b->title);
	assert_string_equal(a->state, b->state);
	assert_string_equal(a->kind, b->kind);
	assert_string_equal(a->command, b->command);
	assert_string_equal(a->version, b->version);
	assert_string_equal(a->plan, b->plan);
	assert_true(a->seed == b->seed);
	assert_int_equal(a->rounds_planned, b->rounds_planned);
	assert_int_equal(a->warmup_rounds, b->warmup_rounds);
	assert_int_equal(a->lives, b->lives);
	assert_true(a->created_unix_ns == b->created_unix_ns);
	assert_true(a->ended_unix_ns == b->ended_unix_ns);
	assert_same_systems(a, b);
	assert_int_equal(a->tasks.n, b->tasks.n);
	for (size_t i = 0; i < a->tasks.n; i++) {
		assert_string_equal(a->tasks.v[i].workload, b->tasks.v[i].workload);
		assert_string_equal(a->tasks.v[i].name, b->tasks.v[i].name);
		assert_string_equal(a->tasks.v[i].params, b->tasks.v[i].params);
	}
	assert_int_equal(a->metrics.n, b->metrics.n);
	for (size_t i = 0; i < a->metrics.n; i++) {
		assert_string_equal(a->metrics.v[i].name, b->metrics.v[i].name);
		assert_string_equal(a->metrics.v[i].unit, b->metrics.v[i].unit);
		assert_int_equal(a->metrics.v[i].direction, b->metrics.v[i].direction);
		assert_string_equal(a->metrics.v[i].conditions, b->metrics.v[i].conditions);
		assert_int_equal(a->metrics.v[i].primary, b->metrics.v[i].primary);
	}
	assert_int_equal(a->notes.n, b->notes.n);
	for (size_t i = 0; i < a->notes.n; i++)
		assert_string_equal(a->notes.v[i], b->notes.v[i]);
	assert_same_executions(a, b);
}

static void everything_comes_back(void **state)
{
	struct experiment e;
	struct experiment back;

	(void)state;
	example_reference(&e, 3);
	factset_set(&e.systems.v[0].facts, "odd.text", "tab\there, \xff\xfe no UTF-8, 'quote' ?1",
		    "");
	e.metrics.v[6].primary = false;
	struct exp_execution *x = &e.executions.v[4];
	vec_release(&x->values);
	x->status = OUTCOME_TIMEOUT;
	mem_replace(&x->reason, mem_strdup("gave up after 60 s"));
	x->disturbed = true;
	mem_replace(&x->disturbance, mem_strdup("{\"steal\": 0.25}"));
	e.executions.v[5].values.v[0].n = 7;
	e.executions.v[5].values.v[0].sd = 0.1;
	e.executions.v[5].values.v[0].derived = true;
	e.executions.v[0].values.v[0].origin = mem_strdup("soft.txt:12");
	x = example_execution(&e, 1, 0, 0, 1);
	x->warmup = true;

	struct store *st = example_open(path);
	assert_string_equal(store_path(st), path);
	example_store(st, &e);
	assert_string_equal(e.state, "running");
	store_close(st);

	st = example_open(path);
	assert_int_equal(store_newest(st, NULL), e.id);
	assert_ok(store_load(st, e.id, &back, err));
	mem_replace(&e.state, mem_strdup("interrupted")); /* the store that measured is closed */
	assert_string_equal(back.executions.v[0].values.v[0].origin, "soft.txt:12");
	assert_same(&e, &back);
	assert_int_equal(count(st, "PRAGMA user_version"), store_migrations.n);
	assert_int_equal(count(st, "PRAGMA foreign_keys"), 1);
	assert_int_equal(count(st, "PRAGMA synchronous"), 2);
	experiment_release(&back);
	experiment_release(&e);
	store_close(st);
}

static void what_counts(void **state)
{
	struct experiment e;
	struct counted_index x;

	(void)state;
	example_reference(&e, 2);
	e.executions.v[0].disturbed = true;        /* round 1, task 0, soft */
	e.executions.v[3].status = OUTCOME_FAILED; /* round 1, task 1, hard */
	(void)example_execution(&e, 2, 0, 0, 2);   /* round 2, task 0: repeated on soft alone */
	(void)example_execution(&e, 2, 1, 0, 3);   /* round 2, task 1: on both, */
	example_execution(&e, 2, 1, 1, 3)->disturbed = true; /* disturbed on hard */
	example_execution(&e, 9, 2, 0, 1)->warmup = true;
	counted_index_make(&x, &e);
	assert_int_equal(x.rounds, 2);
	assert_null(counted_index_get(&x, 1, 0, 0));
	assert_ptr_equal(counted_index_get(&x, 1, 0, 1), &e.executions.v[1]);
	assert_ptr_equal(counted_index_get(&x, 1, 1, 0), &e.executions.v[2]);
	assert_null(counted_index_get(&x, 1, 1, 1));
	assert_ptr_equal(counted_index_get(&x, 2, 0, 0), &e.executions.v[20]);
	assert_null(counted_index_get(&x, 2, 0, 1));
	assert_ptr_equal(counted_index_get(&x, 2, 1, 0), &e.executions.v[21]);
	assert_null(counted_index_get(&x, 2, 1, 1));
	assert_null(counted_index_get(&x, 0, 0, 0));
	assert_null(counted_index_get(&x, 3, 0, 0));
	assert_null(counted_index_get(&x, 1, 5, 0));
	assert_null(counted_index_get(&x, 1, 0, 2));
	counted_index_release(&x);
	assert_int_equal(experiment_baseline(&e), 0);
	e.systems.v[0].baseline = false;
	e.systems.v[1].baseline = true;
	assert_int_equal(experiment_baseline(&e), 1);
	assert_null(exp_execution_value(&e.executions.v[2], 0));
	assert_int_equal(exp_execution_value(&e.executions.v[2], 1)->metric, 1);
	experiment_release(&e);
	assert_int_equal(e.systems.n, 0);
	counted_index_make(&x, &e);
	assert_null(counted_index_get(&x, 1, 0, 0));
	counted_index_release(&x);
	static const char *const units[][2] = {{"s", "less"},     {"s/op", "less"}, {"B", "less"},
					       {"1", "less"},     {"op/s", "more"}, {"B/s", "more"},
					       {"req/s", "more"}, {"1/s", "more"}};
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		assert_string_equal(metric_direction_name(metric_direction_of_unit(units[i][0])),
				    units[i][1]);
}

static void empty_store(void **state)
{
	struct experiment e = {.id = 77};
	struct store_rows rows = {{0}};
	struct buf raw = BUF_INIT;
	struct store *st = example_open(path);

	(void)state;
	assert_int_equal(store_newest(st, NULL), 0);
	assert_ok(store_list(st, &rows, err));
	assert_int_equal(rows.rows.n, 0);
	store_rows_release(&rows);
	assert_fails(store_load(st, 1, &e, err), "no experiment 1");
	assert_int_equal(e.id, 0);
	assert_fails(store_remove(st, 1, err), "no experiment 1");
	assert_fails(store_set_state(st, 1, "complete", 5, err), "no experiment 1");
	assert_fails(store_add_note(st, 1, "x", err), "no experiment 1");
	assert_fails(store_raw(st, 1, &raw, err), "no execution 1");
	assert_fails(store_set_disturbed(st, 1, "{}", err), "no execution 1");
	store_close(st);
	store_close(NULL);
	struct stat sb;
	assert_int_equal(stat(path, &sb), 0);
}

/* A head of NULLs: what a caller left out is empty text when it comes back. */
static void missing_text_is_empty(void **state)
{
	struct experiment e = {.id = 0};
	struct experiment back;
	struct store *st = example_open(path);

	(void)state;
	vec_add(&e.systems)->name = mem_strdup("only");
	assert_ok(store_create(st, &e, err));
	assert_ok(store_load(st, e.id, &back, err));
	assert_string_equal(back.title, "");
	assert_string_equal(back.systems.v[0].emulator, "");
	experiment_release(&e);
	experiment_release(&back);
	store_close(st);
}

static void updates(void **state)
{
	struct experiment e;
	struct experiment back;
	struct store *st = example_open(path);

	(void)state;
	example_reference(&e, 1);
	example_store(st, &e);
	factset_set(&e.systems.v[1].facts, "php.version", "8.2.30", "php -v, at the end");
	factset_set(&e.systems.v[1].facts, "new.fact", "1", "");
	e.systems.v[1].emulated = false;
	mem_replace(&e.systems.v[1].emulator, mem_strdup(""));
	assert_ok(store_set_facts(st, &e, 1, err));
	mem_replace(&e.tasks.v[2].params, mem_strdup("{\"count\": 250000}"));
	assert_ok(store_set_task_params(st, &e, 2, err));
	vec_push(&e.notes, mem_strdup("a second note"));
	assert_ok(store_add_note(st, e.id, e.notes.v[1], err));
	mem_replace(&e.state, mem_strdup("interrupted"));
	e.ended_unix_ns = 42;
	assert_ok(store_set_state(st, e.id, "interrupted", 42, err));
	assert_ok(store_set_ending(st, e.id, "decided", err));
	assert_fails(store_set_ending(st, e.id, "tired", err), "CHECK");
	assert_fails(store_set_ending(st, 99, "time", err), "no experiment 99");
	e.executions.v[3].disturbed = true;
	mem_replace(&e.executions.v[3].disturbance, mem_strdup("{\"excluded\": true}"));
	assert_ok(store_set_disturbed(st, e.executions.v[3].id, "{\"excluded\": true}", err));
	assert_ok(store_load(st, e.id, &back, err));
	assert_string_equal(back.ending, "decided");
	assert_same(&e, &back);
	experiment_release(&back);
	experiment_release(&e);
	store_close(st);
}

static void raw_outputs(void **state)
{
	struct experiment e;
	struct buf raw = BUF_INIT;
	struct buf back = BUF_INIT;
	struct store *st = example_open(path);

	(void)state;
	example_reference(&e, 1);
	assert_ok(store_create(st, &e, err));
	for (int i = 0; i < 3000000; i++)
		buf_addch(&raw, (char)(i % 251));
	assert_ok(store_add_execution(st, &e, &e.executions.v[0], &raw, err));
	assert_ok(store_add_execution(st, &e, &e.executions.v[1], NULL, err));
	assert_ok(store_raw(st, e.executions.v[0].id, &back, err));
	assert_int_equal(back.len, raw.len);
	assert_memory_equal(back.data, raw.data, raw.len);
	buf_clear(&back);
	assert_ok(store_raw(st, e.executions.v[1].id, &back, err));
	assert_int_equal(back.len, 0);
	assert_int_equal(count(st, "SELECT count(*) FROM output"), 1);
	assert_true(count(st, "SELECT length(data) FROM output") < 100000);

	assert_ok(db_exec(st, "UPDATE output SET length = length - 1", err));
	assert_fails(store_raw(st, e.executions.v[0].id, &back, err), "is damaged");
	assert_ok(db_exec(st, "UPDATE output SET length = -5", err));
	assert_fails(store_raw(st, e.executions.v[0].id, &back, err), "is damaged");
	assert_ok(db_exec(st, "UPDATE output SET length = 3000000, data = x'00ff'", err));
	assert_fails(store_raw(st, e.executions.v[0].id, &back, err), "is damaged");
	assert_int_equal(back.len, 0);
	buf_release(&raw);
	buf_release(&back);
	experiment_release(&e);
	store_close(st);
}

/* A metric that appears in the middle of a run, and a value that cannot be stored. */
static void executions_are_whole(void **state)
{
	struct experiment e;
	struct experiment back;
	struct store *st = example_open(path);

	(void)state;
	example_reference(&e, 2);
	example_store(st, &e);
	int64_t before = count(st, "SELECT count(*) FROM execution");
	struct exp_execution *x = example_execution(&e, 3, 0, 0, 1);
	size_t late = example_metric(&e, "wordpress/page/total", "s", "opcache=on", false);
	(void)example_value(x, 0, 1.7, 1e-4);
	(void)example_value(x, late, 1.9, 1e-6);
	assert_ok(store_add_execution(st, &e, x, NULL, err));

	x = example_execution(&e, 3, 0, 1, 1);
	(void)example_value(x, 0, 1.5, 1e-4);
	(void)example_value(x, late, NAN, 1e-6);
	assert_fails(store_add_execution(st, &e, x, NULL, err), "wordpress/page/total");
	assert_int_equal(x->id, 0);
	assert_int_equal(count(st, "SELECT count(*) FROM execution"), before + 1);
	assert_int_equal(count(st, "SELECT count(*) FROM value WHERE execution = "
				   "(SELECT max(id) FROM execution)"),
			 2);
	x->values.v[1].value = 1.6;
	assert_ok(store_add_execution(st, &e, x, NULL, err));
	assert_fails(store_add_execution(st, &e, x, NULL, err), "UNIQUE");
	assert_ok(store_load(st, e.id, &back, err));
	mem_replace(&e.state, mem_strdup("running"));
	assert_same(&e, &back);
	experiment_release(&back);
	experiment_release(&e);
	store_close(st);
}

/* Two processes (here: two open stores) never measure into one experiment. */
static void one_measures_at_a_time(void **state)
{
	struct experiment e;
	struct experiment back = {.id = 0};
	struct store *st = example_open(path);
	struct store *other = example_open(path);

	(void)state;
	example_reference(&e, 1);
	example_store(st, &e);
	assert_ok(store_load(other, e.id, &back, err));
	assert_string_equal(back.state, "running");
	experiment_release(&back);
	assert_fails(store_set_state(other, e.id, "running", 0, err), "being measured");
	store_close(st);
	assert_ok(store_load(other, e.id, &back, err));
	assert_string_equal(back.state, "interrupted");
	experiment_release(&back);
	assert_ok(store_set_state(other, e.id, "running", 0, err));
	assert_ok(store_load(other, e.id, &back, err));
	assert_string_equal(back.state, "running");
	experiment_release(&back);
	assert_ok(store_set_state(other, e.id, "failed", 0, err));
	assert_ok(store_load(other, e.id, &back, err));
	assert_string_equal(back.state, "failed");
	experiment_release(&back);
	experiment_release(&e);
	store_close(other);
}

static void list_and_remove(void **state)
{
	struct experiment a;
	struct experiment b;
	struct store_rows rows = {{0}};
	struct store *st = example_open(path);

	(void)state;
	example_reference(&a, 3);
	example_reference(&b, 2);
	mem_replace(&b.title, mem_strdup("second"));
	example_execution(&a, 4, 0, 0, 1); /* a round that was cut short */
	example_execution(&a, 1, 0, 0, 2); /* a repeated attempt is no further pair */
	example_execution(&a, 1, 0, 0, 1)->warmup = true;
	example_store(st, &a);
	example_store(st, &b);
	assert_ok(store_list(st, &rows, err));
	assert_int_equal(rows.rows.n, 2);
	assert_string_equal(rows.rows.v[0].title, "second");
	assert_int_equal(rows.rows.v[0].rounds_done, 2);
	assert_int_equal(rows.rows.v[1].id, a.id);
	assert_int_equal(rows.rows.v[1].rounds_done, 3);
	assert_int_equal(rows.rows.v[1].rounds_planned, 3);
	assert_int_equal(rows.rows.v[1].executions, a.executions.n);
	assert_string_equal(rows.rows.v[1].state, "running");
	assert_string_equal(rows.rows.v[1].kind, "reference");
	assert_true(rows.rows.v[1].created_unix_ns == a.created_unix_ns);
	store_rows_release(&rows);

	/* one task of a round is missing; nothing in a round counts */
	struct experiment c;
	example_reference(&c, 2);
	c.executions.n--;
	for (size_t i = 0; i < c.executions.n; i++) {
		if (c.executions.v[i].round == 1)
			c.executions.v[i].status = OUTCOME_FAILED;
	}
	example_store(st, &c);
	assert_ok(store_list(st, &rows, err));
	assert_int_equal(rows.rows.v[0].rounds_done, 0);
	store_rows_release(&rows);
	assert_ok(store_remove(st, c.id, err));
	c.executions.n++;
	experiment_release(&c);

	assert_ok(store_remove(st, b.id, err));
	assert_int_equal(store_newest(st, NULL), a.id);
	assert_ok(store_remove(st, a.id, err));
	static const char *const tables[] = {"experiment", "system", "fact",   "task", "metric",
					     "round",      "value",  "output", "note", "execution"};
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		char *sql = mem_printf("SELECT count(*) FROM %s", tables[i]);
		assert_int_equal(count(st, sql), 0);
		free(sql);
	}
	/* the number is not given again: a report that names it stays unambiguous */
	int64_t removed = b.id;
	assert_ok(store_create(st, &b, err));
	assert_true(b.id > removed);
	/* the run whose experiment another process removed is told so */
	assert_ok(store_remove(st, b.id, err));
	struct exp_execution x = {.round = 1, .attempt = 1};
	assert_fails(store_add_execution(st, &b, &x, NULL, err), "was it removed?");
	assert_fails(store_set_facts(st, &b, 0, err), "was it removed?");
	assert_fails(store_set_task_params(st, &b, 0, err), "was it removed?");
	experiment_release(&a);
	experiment_release(&b);
	store_close(st);
}

static void damaged_rows(void **state)
{
	struct experiment e;
	struct experiment back;
	struct store *st = example_open(path);

	(void)state;
	example_reference(&e, 1);
	example_store(st, &e);
	assert_ok(db_exec(st, "UPDATE execution SET status = 'great' WHERE id = 3", err));
	assert_fails(store_load(st, e.id, &back, err), "unknown status");
	assert_int_equal(back.executions.n, 0);
	experiment_release(&e);
	store_close(st);
}

static void readers_beside_a_writer(void **state)
{
	struct experiment e;
	struct experiment back;
	struct store *writer = example_open(path);

	(void)state;
	example_reference(&e, 2);
	example_store(writer, &e);
	struct store *first = example_open(path);
	struct store *second = example_open(path);
	assert_ok(db_begin(writer, err));
	assert_ok(db_exec(writer, "DELETE FROM value", err));
	assert_ok(store_load(first, e.id, &back, err));
	assert_same(&e, &back);
	experiment_release(&back);
	assert_ok(store_load(second, e.id, &back, err));
	assert_same(&e, &back);
	experiment_release(&back);
	/* a second writer waits, then says who is in its way */
	(void)sqlite3_busy_timeout(second->db, 50);
	assert_fails(store_add_note(second, e.id, "x", err), "another process keeps it locked");
	assert_int_equal(db_end(writer, -1, NULL), -1);
	assert_ok(store_add_note(second, e.id, "x", err));
	store_close(first);
	store_close(second);
	store_close(writer);
	experiment_release(&e);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_counts),
		TEST(everything_comes_back),
		TEST(empty_store),
		TEST(missing_text_is_empty),
		TEST(updates),
		TEST(raw_outputs),
		TEST(executions_are_whole),
		TEST(one_measures_at_a_time),
		TEST(list_and_remove),
		TEST(damaged_rows),
		TEST(readers_beside_a_writer),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
