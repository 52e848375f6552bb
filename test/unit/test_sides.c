/* The sides of "compare": names, pasted text as an experiment, conditions, keeping two systems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/text.h"
#include "cmd/join.h"
#include "cmd/pasted.h"
#include "cmd/sides.h"
#include "duel.h"

static void test_names(void **state)
{
	static const struct {
		const char *text;
		int rc;
		bool file;
		size_t ids;
		const char *path, *part;
	} cases[] = {
		{"exp:3", 0, false, 1, NULL, NULL},
		{"exp:3/soft", 0, false, 1, NULL, "soft"},
		{"3/soft", 0, false, 1, NULL, "soft"},
		{"exp:1,2,10/a/b", 0, false, 3, NULL, "a/b"},
		{"file:x y.txt#Soft float", 0, true, 0, "x y.txt", "Soft float"},
		{"file:x#y#z", 0, true, 0, "x#y", "z"},
		{"file:-", 0, true, 0, "-", NULL},
		{"-", 0, true, 0, "-", NULL},
		{"-#Soft float", 0, true, 0, "-", "Soft float"},
		{"-x", ERR_USAGE, false, 0, NULL, NULL},
		{"/dev/null", 0, true, 0, "/dev/null", NULL},
		{"/dev/null#label", 0, true, 0, "/dev/null", "label"},
		{"exp:", ERR_USAGE, false, 0, NULL, NULL},
		{"exp:0", ERR_USAGE, false, 0, NULL, NULL},
		{"exp:1,x", ERR_USAGE, false, 0, NULL, NULL},
		{"/no/such/file", ERR_USAGE, false, 0, NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct err err = ERR_INIT;
		struct side_name n;
		int rc = side_name_parse(cases[i].text, &n, &err);
		if (rc != cases[i].rc)
			fail_msg("%s: %d, %s", cases[i].text, rc, err.msg);
		if (rc == 0) {
			assert_int_equal(n.is_file, cases[i].file);
			assert_int_equal(n.ids.n, cases[i].ids);
			assert_true(text_equal(n.path, cases[i].path));
			assert_true(text_equal(n.part, cases[i].part));
		}
		side_name_release(&n);
	}
}

static void read_text(const char *text, bool by_label, struct experiment *e)
{
	char path[] = "/tmp/lampduel-test-XXXXXX";
	struct err err = ERR_INIT;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	(void)close(fd);
	int rc = pasted_read(path, by_label, e, &err);
	(void)unlink(path);
	if (rc != 0)
		fail_msg("%s", err.msg);
}

static const char two_runs[] = "# old\n"
			       "SELECT BENCHMARK(1000000,MD5(1));\n"
			       "1 row in set (3.00 sec)\n"
			       "\n"
			       "# new\n"
			       "SELECT BENCHMARK(1000000,MD5(1));\n"
			       "1 row in set (2.00 sec)\n"
			       "\n"
			       "# old\n"
			       "SELECT BENCHMARK(1000000,MD5(1));\n"
			       "1 row in set (3.10 sec)\n";

static void test_pasted(void **state)
{
	struct experiment e;

	(void)state;
	read_text(two_runs, true, &e);
	assert_int_equal(e.systems.n, 2);
	assert_string_equal(e.systems.v[0].name, "old");
	assert_true(e.systems.v[0].baseline && !e.systems.v[1].baseline);
	assert_string_equal(e.kind, "import");
	assert_int_equal(e.metrics.n, 1);
	assert_int_equal(e.executions.n, 3);
	assert_int_equal(e.executions.v[2].round, 2);
	assert_int_equal(e.executions.v[2].system, 0);
	experiment_release(&e);
	read_text(two_runs, false, &e);
	assert_int_equal(e.systems.n, 1);
	assert_int_equal(e.executions.n, 3);
	experiment_release(&e);
}

static void test_pasted_nothing(void **state)
{
	struct err err = ERR_INIT;
	struct experiment e;

	(void)state;
	assert_true(pasted_read("/dev/null", true, &e, &err) != 0);
	assert_true(err.msg[0] != '\0');
	experiment_release(&e);
	assert_true(pasted_read("/no/such/file", true, &e, &err) != 0);
	experiment_release(&e);
}

/* Metric m of both systems in turn: system 0 has metric 0, system 1 has metric 1. */
static void conditions_duel(struct duel *d, const char *one, const char *other)
{
	const struct duel_plan plan = {.rounds = 1, .metrics = 2, .rounds_per_life = 1};

	duel_init(d, &plan);
	for (size_t m = 0; m < 2; m++) {
		mem_replace(&d->e.metrics.v[m].name, mem_strdup("x/y/time"));
		mem_replace(&d->e.metrics.v[m].conditions, mem_strdup(m == 0 ? one : other));
	}
	duel_execution(d, 0, 0, 1)->values.v[0].metric = 1;
	duel_execution(d, 0, 1, 0)->values.v[0].metric = 0;
}

static void test_conditions(void **state)
{
	static const struct {
		const char *one, *other, *joined; /* NULL: they are not joined */
	} cases[] = {
		{"clock=user", "", "clock=user"},
		{"", "clock=user;threads=1", "clock=user;threads=1"},
		{"clock=user;threads=1", "clock=user;seconds=3", "clock=user;seconds=3;threads=1"},
		{"threads=1", "threads=4", NULL},
		{"threads=1", "threads=11", NULL},
		{"clock=user;threads=1", "clock=wall;threads=1", NULL},
		{"a=1", "aa=2", "a=1;aa=2"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct duel d;
		conditions_duel(&d, cases[i].one, cases[i].other);
		join_same_work(&d.e);
		bool joined = d.e.executions.v[1].values.v[0].metric == 0;
		assert_int_equal(joined, cases[i].joined != NULL);
		assert_int_equal(d.e.notes.n, joined);
		if (joined)
			assert_string_equal(d.e.metrics.v[0].conditions, cases[i].joined);
		duel_release(&d);
	}
}

/* With two that fit, or on a system that has both, nothing is guessed. */
static void test_conditions_in_doubt(void **state)
{
	struct duel d;

	(void)state;
	conditions_duel(&d, "", "threads=1");
	duel_execution(&d, 0, 1, 1)->values.v[0].metric = 0;
	join_same_work(&d.e);
	assert_int_equal(d.e.notes.n, 0);
	duel_release(&d);
	conditions_duel(&d, "", "threads=1");
	struct exp_metric *m = vec_add(&d.e.metrics);
	m->name = mem_strdup("x/y/time");
	m->unit = mem_strdup("s");
	m->conditions = mem_strdup("threads=4");
	duel_execution(&d, 0, 1, 1)->values.v[0].metric = 2;
	join_same_work(&d.e);
	assert_int_equal(d.e.notes.n, 0);
	duel_release(&d);
}

static void test_keep_two(void **state)
{
	const struct duel_plan plan = {.rounds = 3, .metrics = 2, .rounds_per_life = 1};
	struct duel d;

	(void)state;
	duel_init(&d, &plan);
	/* what was the second metric's candidate is a third system's, in the midst of the rest */
	struct exp_system *third = vec_add(&d.e.systems);
	third->name = mem_strdup("third");
	for (int r = 0; r < 3; r++)
		duel_execution(&d, r, 1, 1)->system = 2;
	assert_false(experiment_keep(&d.e, "old", "none"));
	assert_false(experiment_keep(&d.e, "old", "old"));
	assert_true(experiment_keep(&d.e, "third", "old"));
	assert_int_equal(d.e.systems.n, 2);
	assert_string_equal(d.e.systems.v[0].name, "third");
	assert_true(d.e.systems.v[0].baseline && !d.e.systems.v[1].baseline);
	assert_int_equal(d.e.executions.n, 9);
	int of[2] = {0, 0};
	for (size_t i = 0; i < d.e.executions.n; i++) {
		of[d.e.executions.v[i].system]++;
		/* still in the order they were made */
		if (i > 0)
			assert_true(d.e.executions.v[i].round >= d.e.executions.v[i - 1].round);
	}
	assert_int_equal(of[0], 3);
	assert_int_equal(of[1], 6);
	experiment_release(&d.e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_pasted),
		cmocka_unit_test(test_pasted_nothing),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_conditions_in_doubt),
		cmocka_unit_test(test_keep_two),
	};

	return cmocka_run_group_tests_name("sides", tests, NULL, NULL);
}
