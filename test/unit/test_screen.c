/* The live screen: whole screens from events, sizes it has to keep to, text that is hostile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "example.h"
#include "report/screen.h"

static struct event event_of(const struct experiment *e, enum event_type type, const char *text)
{
	return (struct event){.type = type,
			      .text = text,
			      .experiment = e,
			      .round = 2,
			      .rounds = e->rounds_planned,
			      .done = 12,
			      .total = 30,
			      .elapsed_ns = 60 * NS_PER_S,
			      .left_ns = 90 * NS_PER_S};
}

static char *join(const struct strvec *lines)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < lines->n; i++)
		buf_addf(&b, "%s\n", lines->v[i]);
	return buf_detach(&b);
}

static void assert_screen(const struct event *e, size_t columns, size_t height, bool utf8,
			  const char *wanted)
{
	const struct screen_paper p = {.columns = columns, .lines = height, .utf8 = utf8};
	struct strvec lines = STRVEC_INIT;

	screen_lines(e, &p, &lines);
	char *text = join(&lines);
	if (strcmp(text, wanted) != 0)
		(void)fprintf(stderr, "==== is:\n%s==== should be:\n%s====\n", text, wanted);
	assert_string_equal(text, wanted);
	free(text);
	strvec_release(&lines);
}

/* Two tasks, the second with a second metric that is no primary one; round 2 is half done. */
static void small(struct experiment *e)
{
	example_head(e, "run", "a against b", 5);
	(void)example_system(e, "old", "local", false);
	(void)example_system(e, "new", "local", true);
	size_t one = example_task(e, "command", "command/x", "{}");
	size_t two = example_task(e, "openssl", "openssl/rsa2048", "{}");
	(void)example_task(e, "mariadb", "mariadb/encode", "{}");
	size_t wall = example_metric(e, "command/x/wall", "s", "", true);
	size_t user = example_metric(e, "command/x/user", "s", "", false);
	size_t sign = example_metric(e, "openssl/rsa2048/sign", "op/s", "", true);
	for (int round = 1; round <= 2; round++) {
		for (size_t s = 0; s < 2; s++) {
			struct exp_execution *x = example_execution(e, round, one, s, 1);
			(void)example_value(x, wall, 2.0 / (double)(s + 1) + round, 1e-3);
			(void)example_value(x, user, 0.5, 1e-3);
			if (round == 2 && s == 1)
				break;
			x = example_execution(e, round, two, s, 1);
			(void)example_value(x, sign, 40 + 10.0 * (double)s, 0.1);
		}
	}
}

static void whole_screens(void **state)
{
	struct experiment e;

	(void)state;
	small(&e);
	struct event now = event_of(&e, EVENT_NEXT, "openssl/rsa2048 on new");
	assert_screen(&now, 80, 24, false,
		      "a against b\n"
		      "[#########...............]  40 %, about 2 min left\n"
		      "now:  round 2 of 5: openssl/rsa2048 on new\n"
		      "\n"
		      "metric                      rounds           old  new (emulated)\n"
		      "x, wall clock                  2/5       4.000 s         3.000 s\n"
		      "openssl rsa2048 sign           1/5  0.02500 s/op    0.02000 s/op\n"
		      "mariadb/encode                 0/5             -               -\n"
		      "x, CPU time in the program     2/5      0.5000 s        0.5000 s\n"
		      "\n"
		      "Ctrl-C stops the run; what was measured is kept.\n");
	/* short: primary metrics alone; narrow: names are cut, then a system has no room */
	assert_screen(&now, 60, 10, false,
		      "[#########...............]  40 %, about 2 min left\n"
		      "now:  round 2 of 5: openssl/rsa2048 on new\n"
		      "metric                 rounds           old  new (emulated)\n"
		      "x, wall clock             2/5       4.000 s         3.000 s\n"
		      "openssl rsa2048 sign      1/5  0.02500 s/op    0.02000 s/op\n"
		      "mariadb/encode            0/5             -               -\n"
		      "x, CPU time in the pr     2/5      0.5000 s        0.5000 s\n");
	assert_screen(
		&now, 40, 10, true,
		"[\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2"
		"\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x91\xe2\x96\x91\xe2\x96\x91\xe2\x96"
		"\x91\xe2\x96\x91\xe2\x96\x91\xe2\x96\x91\xe2\x96\x91\xe2\x96\x91\xe2\x96\x91"
		"\xe2\x96\x91\xe2\x96\x91\xe2\x96\x91\xe2\x96\x91\xe2\x96\x91]  40 %, about\n"
		"now:  round 2 of 5: openssl/rsa2048 on \n"
		"metric             rounds           old\n"
		"x, wall clock         2/5       4.000 s\n"
		"openssl rsa2048 s     1/5  0.02500 s/op\n"
		"mariadb/encode        0/5             -\n"
		"x, CPU time in th     2/5      0.5000 s\n"
		"1 of 2 systems\n");
	experiment_release(&e);
}

static void what_does_not_count(void **state)
{
	struct experiment e;

	(void)state;
	small(&e);
	struct exp_execution *x = example_execution(&e, 2, 1, 1, 1);
	x->status = OUTCOME_TIMEOUT;
	x = example_execution(&e, 2, 2, 0, 1);
	x->disturbed = true;
	struct event done = event_of(&e, EVENT_SAMPLE, NULL);
	done.execution = x;
	done.warmup = true;
	done.rounds = 2;
	assert_screen(&done, 60, 13, false,
		      "a against b\n"
		      "[#########...............]  40 %, about 2 min left\n"
		      "done: warm-up round 2 of 2: mariadb/encode on old\n"
		      "\n"
		      "metric                 rounds           old  new (emulated)\n"
		      "x, wall clock             2/5       4.000 s         3.000 s\n"
		      "openssl rsa2048 sign      1/5  0.02500 s/op         timeout\n"
		      "mariadb/encode            0/5     disturbed               -\n"
		      "x, CPU time in the pr     2/5      0.5000 s        0.5000 s\n"
		      "\n"
		      "Ctrl-C stops the run; what was measured is kept.\n");
	experiment_release(&e);
}

/* Of many metrics the page with the one that is measured. */
static void pages(void **state)
{
	struct experiment e;

	(void)state;
	example_reference(&e, 15);
	struct event now = event_of(&e, EVENT_NEXT, "openssl/rsa4096 on hard");
	assert_screen(&now, 80, 10, false,
		      "[#########...............]  40 %, about 2 min left\n"
		      "now:  round 2 of 15: openssl/rsa4096 on hard\n"
		      "metric                  rounds  soft (emulated)  hard (emulated)\n"
		      "openssl rsa4096 sign     15/15      0.1727 s/op      0.1231 s/op\n"
		      "openssl rsa4096 verify   15/15    0.002575 s/op    0.001812 s/op\n"
		      "metrics 6 to 7 of 7\n");
	experiment_release(&e);
}

static void assert_sane(const struct strvec *lines, const struct screen_paper *p)
{
	assert_true(lines->n < p->lines);
	for (size_t i = 0; i < lines->n; i++) {
		assert_true(text_width(lines->v[i]) < p->columns);
		for (const char *c = lines->v[i]; *c != '\0'; c++)
			assert_true((unsigned char)*c >= 0x20 && *c != 0x7f);
		if (!p->utf8) {
			for (const char *c = lines->v[i]; *c != '\0'; c++)
				assert_true((unsigned char)*c < 0x80);
		}
	}
}

static void never_beyond_the_terminal(void **state)
{
	static const char hostile[] = "\033]0;x\007\xe2\x80\xae<b>\r\n\xe6\xbc\xa2\xe5\xad\x97\xff";
	struct experiment e;

	(void)state;
	example_reference(&e, 3);
	(void)example_system(&e, hostile, hostile, true);
	mem_replace(&e.systems.v[1].name, mem_printf("%0300d%s", 7, hostile));
	mem_replace(&e.title, mem_printf("%s%0300d", hostile, 7));
	mem_replace(&e.tasks.v[1].name, mem_printf("%s/%0300d", hostile, 7));
	mem_replace(&e.metrics.v[2].name, mem_printf("a/%s/%s", hostile, hostile));
	for (size_t s = 0; s < 3; s++)
		(void)example_value(example_execution(&e, 3, 1, s, 2), 2, 3e300, 0);
	struct event now = event_of(&e, EVENT_NEXT, hostile);
	for (size_t columns = SCREEN_COLUMNS_MIN; columns < 200; columns += 3) {
		for (size_t height = SCREEN_LINES_MIN; height < 30; height++) {
			struct screen_paper p = {columns, height, columns % 2 == 0};
			struct strvec lines = STRVEC_INIT;

			assert_true(screen_fits(&p));
			screen_lines(&now, &p, &lines);
			assert_sane(&lines, &p);
			assert_true(lines.n >= 5);
			strvec_release(&lines);
		}
	}
	for (size_t columns = 1; columns < 100; columns += 7) {
		struct screen_paper p = {columns, 1, true};
		struct buf b = BUF_INIT;

		screen_bar(&now, &p, &b);
		assert_true(text_width(buf_str(&b)) < (columns < 2 ? 2 : columns));
		assert_null(strpbrk(buf_str(&b), "\033\r\n"));
		buf_release(&b);
	}
	assert_false(screen_fits(&(const struct screen_paper){39, 24, true}));
	assert_false(screen_fits(&(const struct screen_paper){80, 9, true}));
	experiment_release(&e);
}

static void updates(void **state)
{
	struct strvec nothing = STRVEC_INIT, one = STRVEC_INIT, two = STRVEC_INIT;
	struct buf b = BUF_INIT;

	(void)state;
	strvec_push(&one, "a");
	strvec_push(&one, "b");
	strvec_push(&two, "a");
	screen_update(&nothing, &one, &b);
	assert_string_equal(buf_str(&b), "\ra\033[K\n\rb\033[K\n\r\033[J");
	buf_clear(&b);
	screen_update(&one, &one, &b);
	assert_string_equal(buf_str(&b), "");
	screen_update(&one, &two, &b);
	assert_string_equal(buf_str(&b), "\033[2A\ra\033[K\n\r\033[J");
	buf_clear(&b);
	screen_update(&two, &nothing, &b);
	assert_string_equal(buf_str(&b), "\033[1A\r\033[J");
	buf_release(&b);
	strvec_release(&one);
	strvec_release(&two);
}

static void durations(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	screen_duration(89 * NS_PER_S, &b);
	buf_addch(&b, ',');
	screen_duration(90 * NS_PER_S, &b);
	buf_addch(&b, ',');
	screen_duration((int64_t)72 * 60 * NS_PER_S, &b);
	buf_addch(&b, ',');
	screen_duration((int64_t)100 * 60 * NS_PER_S, &b);
	assert_string_equal(buf_str(&b), "89 s,2 min,72 min,1 h 40 min");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_screens), cmocka_unit_test(what_does_not_count),
		cmocka_unit_test(pages),         cmocka_unit_test(never_beyond_the_terminal),
		cmocka_unit_test(updates),       cmocka_unit_test(durations),
	};

	(void)setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
