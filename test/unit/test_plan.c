/* measure/plan and its neighbours that are pure: order, lives, JSON, names, differences.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "cmd/duelfile.h"
#include "measure/calibrate.h"
#include "measure/parallel.h"
#include "measure/plan.h"

static void systems_get_names_of_their_own(void **state)
{
	(void)state;
	struct plan p = {0};
	struct err e = ERR_INIT;

	assert_int_equal(plan_add_system_text(&p, "debian:bookworm/armel", &e), 0);
	assert_int_equal(plan_add_system_text(&p, "debian:bookworm/armel", &e), 0);
	assert_int_equal(plan_add_system_text(&p, "soft=debian:bookworm/armhf", &e), 0);
	assert_int_equal(plan_add_system_text(&p, "dir:/a=b", &e), 0);
	assert_int_equal(plan_add_system_text(&p, "local", &e), 0);
	assert_string_equal(p.systems.v[0].name, "bookworm-armel");
	assert_string_equal(p.systems.v[1].name, "bookworm-armel-2");
	assert_string_equal(p.systems.v[2].name, "soft");
	assert_string_equal(p.systems.v[3].target, "dir:/a=b");
	assert_string_equal(p.systems.v[4].name, "local");
	/* nothing of a path, user or host in a name that we make */
	assert_string_equal(p.systems.v[3].name, "candidate");
	assert_int_equal(plan_add_system_text(&p, "dir:/home/alice/root", &e), 0);
	assert_string_equal(p.systems.v[5].name, "candidate-2");
	assert_int_equal(plan_add_system_text(&p, "recorded:/home/alice/r.jsonl#hard", &e), 0);
	assert_string_equal(p.systems.v[6].name, "hard");
	assert_int_equal(plan_add_system_text(&p, "soft=local", &e), ERR_USAGE);
	assert_non_null(strstr(e.msg, "\"soft\""));
	assert_int_equal(plan_add_system_text(&p, "a\033b=local", &e), ERR_USAGE);
	assert_null(strchr(e.msg, '\033'));
	assert_int_equal(plan_add_system_text(&p, "=local", &e), ERR_USAGE);
	assert_int_equal(plan_add_system_text(&p, "mars:x", &e), ERR_USAGE);
	plan_release(&p);
	assert_int_equal(plan_add_system_text(&p, "dir:/home/alice/root", &e), 0);
	assert_string_equal(p.systems.v[0].name, "baseline");
	plan_release(&p);
}

static void a_plan_survives_its_json(void **state)
{
	(void)state;
	struct plan p = {.kind = mem_strdup("run"),
			 .command_line = mem_strdup("lampduel run 'a b'"),
			 .rounds = 15,
			 .warmup = 2,
			 .lives = 5,
			 .seed = (UINT64_C(1) << 53) - 1,
			 .max_time_ns = 7,
			 .sample_ns = 500000000,
			 .step_share = 0.0025,
			 .own_wordpress = true,
			 .looks = true};
	struct plan q = {0};
	struct err e = ERR_INIT;
	struct workload_request r = {.kind = workload_kind_named("openssl", &e),
				     .name = mem_strdup("openssl")};

	assert_int_equal(plan_add_system(&p, "soft", "debian:bookworm/armel", "cortex-a8", &e), 0);
	assert_int_equal(workload_request_set(&r, "algorithms", "rsa2048", &e), 0);
	vec_push(&p.workloads, r);
	char *text = plan_to_json(&p);
	assert_int_equal(plan_from_json(text, &q, &e), 0);
	char *again = plan_to_json(&q);
	assert_string_equal(text, again);
	assert_true(q.looks && plan_json_looks(text));
	assert_false(plan_json_looks("{}") || plan_json_looks("{") || plan_json_looks(NULL));
	assert_true(q.seed == p.seed && q.lives == 5 && q.own_wordpress && !q.keep);
	assert_string_equal(q.systems.v[0].cpu, "cortex-a8");
	assert_string_equal(factset_get(&q.workloads.v[0].params, "algorithms"), "rsa2048");
	free(text);
	free(again);
	plan_release(&p);
	plan_release(&q);
	assert_int_equal(plan_from_json("{", &q, &e), ERR_FAIL);
}

static void what_cannot_be_is_refused_before_anything_starts(void **state)
{
	(void)state;
	struct plan p = {.rounds = 3, .lives = 4, .sample_ns = 1, .step_share = 0.5};
	struct err e = ERR_INIT;

	assert_int_equal(plan_check(&p, &e), ERR_USAGE);
	assert_int_equal(plan_add_system_text(&p, "local", &e), 0);
	assert_int_equal(plan_check(&p, &e), ERR_USAGE);
	assert_non_null(strstr(e.msg, "no workload"));
	struct workload_request r = {.kind = workload_kind_named("openssl", &e),
				     .name = mem_strdup("openssl")};
	vec_push(&p.workloads, r);
	assert_int_equal(plan_check(&p, &e), ERR_USAGE);
	assert_non_null(strstr(e.msg, "--lives 4"));
	p.lives = 0;
	assert_int_equal(plan_check(&p, &e), 0);
	assert_int_equal(plan_add_system_text(&p, "x=recorded:/tmp/x", &e), 0);
	assert_int_equal(plan_check(&p, &e), ERR_USAGE);
	plan_release(&p);
}

/* A fair coin for each (round, task, attempt): the share of one order over many rounds, 5 sigma
 * wide. */
static void the_order_of_two_is_a_fair_coin_each_time(void **state)
{
	(void)state;
	enum { N = 4000 };
	int first = 0;
	int same_as_last = 0;
	int same_as_other_task = 0;
	size_t last = 0;

	for (int round = 1; round <= N; round++) {
		size_t v[2];
		size_t w[2];
		plan_system_order(42, round, false, 0, 1, v, 2);
		plan_system_order(42, round, false, 1, 1, w, 2);
		assert_int_equal(v[0] + v[1], 1);
		first += v[0] == 0;
		same_as_last += v[0] == last;
		same_as_other_task += v[0] == w[0];
		last = v[0];
	}
	assert_in_range(first, N / 2 - 158, N / 2 + 158);
	assert_in_range(same_as_last, N / 2 - 158, N / 2 + 158);
	assert_in_range(same_as_other_task, N / 2 - 158, N / 2 + 158);
}

static void orders_depend_on_the_seed_and_the_place_alone(void **state)
{
	(void)state;
	size_t a[8];
	size_t b[8];
	int differ = 0;

	plan_task_order(7, 3, false, a, 8);
	plan_task_order(7, 3, false, b, 8);
	assert_memory_equal(a, b, sizeof(a));
	for (int block = 4; block < 20; block++) {
		plan_task_order(7, block, false, b, 8);
		differ += memcmp(a, b, sizeof(a)) != 0;
	}
	assert_true(differ >= 14);
	plan_task_order(7, 3, true, b, 8);
	assert_memory_not_equal(a, b, sizeof(a));
}

static void rounds_are_spread_over_lives_evenly(void **state)
{
	(void)state;
	int count[6] = {0};

	assert_int_equal(plan_life_of_round(9, 15, 0), 9);
	assert_int_equal(plan_life_of_round(9, 15, 15), 9);
	for (int round = 1, last = 1; round <= 13; round++) {
		int life = plan_life_of_round(round, 13, 5);
		assert_true(life == last || life == last + 1);
		count[life]++;
		last = life;
	}
	for (int life = 1; life <= 5; life++)
		assert_in_range(count[life], 2, 3);
}

static void differences_are_shown_where_they_are(void **state)
{
	(void)state;
	char *d = calibrate_first_difference("a\nb\nc", "a\nB\nc");

	assert_string_equal(d, "line 2: \"b\" and \"B\"");
	free(d);
	d = calibrate_first_difference("same\nlines\n", "same\nlines\nmore\033");
	assert_string_equal(d, "line 3: \"\" and \"more\\x1b\"");
	free(d);
	assert_null(calibrate_first_difference("x\ny", "x\ny"));
	assert_null(calibrate_first_difference("", ""));
}

static void command_lines_are_split_without_a_shell(void **state)
{
	(void)state;
	struct strvec v = STRVEC_INIT;
	struct err e = ERR_INIT;

	assert_int_equal(duelfile_split("/bin/x  'a b' \"c \\\" d\" e\\ f '' $HOME", &v, &e), 0);
	assert_int_equal(v.n, 6);
	assert_string_equal(v.v[1], "a b");
	assert_string_equal(v.v[2], "c \" d");
	assert_string_equal(v.v[3], "e f");
	assert_string_equal(v.v[4], "");
	assert_string_equal(v.v[5], "$HOME");
	strvec_release(&v);
	assert_int_equal(duelfile_split("a 'b", &v, &e), ERR_USAGE);
	strvec_release(&v);
	assert_int_equal(duelfile_split("  ", &v, &e), ERR_USAGE);
	strvec_release(&v);
}

static int count_up(void *arg, size_t i, struct err *err)
{
	int *hits = arg;

	hits[i]++;
	return i % 2 == 1 ? err_set(err, "number %zu", i) : 0;
}

static void parallel_reports_the_first_failure(void **state)
{
	(void)state;
	int hits[5] = {0};
	struct err e = ERR_INIT;

	assert_int_equal(parallel_each(5, false, count_up, hits, &e), ERR_FAIL);
	assert_string_equal(e.msg, "number 1");
	for (int i = 0; i < 5; i++)
		assert_int_equal(hits[i], 1);
	assert_int_equal(parallel_each(5, true, count_up, hits, &e), ERR_FAIL);
	assert_int_equal(hits[1], 2);
	assert_int_equal(hits[2], 1);
	assert_int_equal(parallel_each(0, false, count_up, hits, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(systems_get_names_of_their_own),
		cmocka_unit_test(a_plan_survives_its_json),
		cmocka_unit_test(what_cannot_be_is_refused_before_anything_starts),
		cmocka_unit_test(the_order_of_two_is_a_fair_coin_each_time),
		cmocka_unit_test(orders_depend_on_the_seed_and_the_place_alone),
		cmocka_unit_test(rounds_are_spread_over_lives_evenly),
		cmocka_unit_test(differences_are_shown_where_they_are),
		cmocka_unit_test(command_lines_are_split_without_a_shell),
		cmocka_unit_test(parallel_reports_the_first_failure),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
