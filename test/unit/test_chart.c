/* Charts: what does not count is drawn as what it is, and nobody needs to see it to know. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "example.h"
#include "report/chart.h"
#include "report/report.h"

enum { ROUNDS = 6 };

/*
 * Both systems take 1.00 to 1.05 s. Round 2: new disturbed, so that old is set aside, and repeated;
 * 3: new failed; 4: old disturbed with a wild value; warm-ups and other tasks are none of it.
 */
static void make(struct experiment *e, bool all_count)
{
	example_head(e, "run", "a against b", ROUNDS);
	(void)example_system(e, "old", "local", false);
	(void)example_system(e, "<new>", "local", false);
	size_t task = example_task(e, "command", "command/x", "{}");
	size_t other = example_task(e, "command", "command/y", "{}");
	size_t wall = example_metric(e, "command/x/wall", "s", "", true);
	size_t second = example_metric(e, "command/y/wall", "s", "", true);
	for (int round = 1; round <= ROUNDS; round++) {
		for (size_t s = 0; s < 2; s++) {
			double v = 1 + (double)(round - 1) / 100;
			struct exp_execution *x = example_execution(e, round, other, s, 1);
			(void)example_value(x, second, v, 0.001);
			x = example_execution(e, round, task, s, 1);
			if (!all_count && round == 3 && s == 1) {
				x->status = OUTCOME_FAILED;
				mem_replace(&x->reason, mem_strdup("exit status 1"));
				continue;
			}
			x->disturbed =
				!all_count && ((round == 2 && s == 1) || (round == 4 && s == 0));
			(void)example_value(x, wall, round == 4 && x->disturbed ? 9.5 : v, 0.001);
			if (all_count || round != 2)
				continue;
			x = example_execution(e, round, task, s, 2);
			(void)example_value(x, wall, v, 0.001);
		}
	}
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, part)) != NULL; p += strlen(part))
		n++;
	return n;
}

static void modelled(struct report_model *m, struct experiment *e, bool all_count)
{
	make(e, all_count);
	report_model_make(m, e, &(const struct report_model_options){.identify = false});
	assert_int_equal(m->rows.n, 2);
}

static void model_tells_what_is_left_out(void **state)
{
	struct report_model m;
	struct experiment e;

	(void)state;
	modelled(&m, &e, false);
	const struct report_row *r = &m.rows.v[0];
	static const struct {
		size_t system, round;
		const char *text;
	} wanted[] = {{0, 1, "round 2: 1.010 s, set aside"},
		      {1, 1, "round 2: 1.010 s, disturbed"},
		      {1, 2, "round 3: failed"},
		      {0, 3, "round 4: 9.500 s, disturbed"}};
	assert_int_equal(r->left_out.n, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(r->left_out.v[i].system, wanted[i].system);
		assert_int_equal(r->left_out.v[i].round, wanted[i].round);
		assert_string_equal(r->left_out.v[i].text, wanted[i].text);
	}
	assert_true(isnan(r->left_out.v[2].value));
	assert_int_equal(m.rows.v[1].left_out.n, 0);
	/* none of them is in the figures or the range */
	assert_true(r->high < 1.06);
	report_model_release(&m);
	experiment_release(&e);
}

/* Every y of marks of a class must be on the paper. */
static void assert_on_paper(const char *svg, const char *attribute, double most)
{
	for (const char *p = svg; (p = strstr(p, attribute)) != NULL;) {
		p += strlen(attribute);
		double v = strtod(p, NULL);
		assert_true(v >= 0 && v <= most);
	}
}

/* As many systems as can be compared have marks of their own. */
static void marks_differ(void **state)
{
	char *marks[64];

	(void)state;
	for (size_t s = 0; s < 64; s++) {
		struct buf b = BUF_INIT;
		chart_mark(s, &b);
		marks[s] = buf_detach(&b);
		for (size_t k = 0; k < s; k++)
			assert_string_not_equal(marks[k], marks[s]);
	}
	/* and the first eight without their colours, too */
	for (size_t s = 1; s < 8; s++) {
		const char *a = strstr(marks[s], " d=\"");
		assert_non_null(a);
		for (size_t k = 1; k < s; k++)
			assert_string_not_equal(strstr(marks[k], " d=\""), a);
	}
	for (size_t s = 0; s < 64; s++)
		free(marks[s]);
}

static void left_out_samples_are_drawn(void **state)
{
	struct report_model m;
	struct experiment e;
	struct buf b = BUF_INIT;

	(void)state;
	modelled(&m, &e, false);
	chart_samples(&m, &m.rows.v[0], &b);
	const char *svg = buf_str(&b);
	/* each by its system's shape, hollow, and a stroke; the legend has one more */
	assert_int_equal(count(svg, "<circle class=\"out s0\""), 2);
	assert_int_equal(count(svg, "<path class=\"out s1\""), 4);
	assert_int_equal(count(svg, "<path class=\"out s"), 6);
	assert_int_equal(count(svg, "class=\"out any\""), 2);
	assert_non_null(strstr(svg, ">left out: 4; at the edge: beyond the scale; on the axis: no "
				    "value<"));
	assert_non_null(strstr(svg, "<title>&lt;new&gt;, round 3: failed</title>"));
	/* and in words */
	assert_non_null(strstr(svg, "left out: round 2: 1.010 s, set aside; round 4: 9.500 s, "
				    "disturbed. &lt;new&gt;: mean"));
	assert_on_paper(svg, " cy=\"", 236);
	assert_on_paper(svg, " y=\"", 236);
	assert_on_paper(svg, " cx=\"", 720);
	/* 9.5 s is beyond: the scale is still one of hundredths */
	assert_non_null(strstr(svg, ">1.02<"));
	assert_null(strstr(svg, ">8<"));
	/* what counts: five samples a side (one of new failed, one of old was wild), drawn twice */
	assert_int_equal(count(svg, "<circle class=\"dot s0\""), 10);
	assert_int_equal(count(svg, "<path class=\"dot s1\""), 10);
	buf_release(&b);
	report_model_release(&m);
	experiment_release(&e);
}

/* CPU times below a clock's step are all 0: a scale of nothing would have no figures to show. */
static void zeros_have_a_scale(void **state)
{
	struct report_model m;
	struct experiment e;
	struct buf b = BUF_INIT;

	(void)state;
	modelled(&m, &e, true);
	struct report_row *r = &m.rows.v[0];
	r->low = r->high = 0;
	for (size_t s = 0; s < m.systems.n; s++) {
		for (size_t k = 0; k < r->rounds; k++)
			r->samples[s][k] = 0;
	}
	chart_samples(&m, r, &b);
	assert_non_null(strstr(buf_str(&b), ">0.2</text>"));
	assert_null(strstr(buf_str(&b), ">-"));
	assert_on_paper(buf_str(&b), " cy=\"", 236);
	buf_release(&b);
	report_model_release(&m);
	experiment_release(&e);
}

static char *page(const struct report_model *m)
{
	struct buf b = BUF_INIT;

	report_html.render(&(const struct report_input){.model = m},
			   &(const struct report_options){.columns = 80}, &b);
	return buf_detach(&b);
}

static void page_explains_the_marks(void **state)
{
	struct report_model m;
	struct experiment e;

	(void)state;
	modelled(&m, &e, false);
	char *text = page(&m);
	assert_int_equal(count(text, "Hollow and struck out"), 1);
	free(text);
	report_model_release(&m);
	experiment_release(&e);

	modelled(&m, &e, true);
	text = page(&m);
	assert_null(strstr(text, "Hollow and struck out"));
	assert_null(strstr(text, "class=\"out"));
	assert_null(strstr(text, "left out"));
	free(text);
	report_model_release(&m);
	experiment_release(&e);
}

/* Alone it stands in a post: what it shows, and that it was emulated, is in it. */
static void alone_it_says_what_it_is(void **state)
{
	struct report_model m;
	struct experiment e;
	struct buf b = BUF_INIT;

	(void)state;
	modelled(&m, &e, false);
	chart_alone(&m, &m.rows.v[0], &b);
	assert_non_null(strstr(buf_str(&b), ">x, wall clock, s</text>"));
	assert_non_null(
		strstr(buf_str(&b), "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"));
	buf_clear(&b);
	m.emulated = true;
	chart_alone(&m, &m.rows.v[0], &b);
	assert_non_null(strstr(buf_str(&b), ">x, wall clock, under emulation, s</text>"));
	buf_release(&b);
	report_model_release(&m);
	experiment_release(&e);
}

static void rows_of_a_forest_have_names(void **state)
{
	struct report_model m;
	struct experiment e;
	struct buf b = BUF_INIT;

	(void)state;
	modelled(&m, &e, true);
	struct report_change *c = &m.rows.v[0].changes.v[1];
	c->has_interval = true;
	c->estimate = (struct compare_estimate){.log = -0.1, .lo = -0.12, .hi = -0.08};
	chart_forest(&m, &b);
	assert_non_null(strstr(buf_str(&b), ">&lt;new&gt; against old: times as fast</text>"));
	assert_non_null(strstr(buf_str(&b), "\">x, wall clock</text>"));
	buf_release(&b);
	report_model_release(&m);
	experiment_release(&e);

	/* a third one: each row says whose it is */
	make(&e, true);
	(void)example_system(&e, "newest", "local", false);
	(void)example_value(example_execution(&e, 1, 0, 2, 1), 0, 1, 0.001);
	report_model_make(&m, &e, &(const struct report_model_options){.identify = false});
	c = &m.rows.v[0].changes.v[2];
	c->has_interval = true;
	c->estimate = (struct compare_estimate){.log = -0.1, .lo = -0.12, .hi = -0.08};
	chart_forest(&m, &b);
	assert_non_null(strstr(buf_str(&b), "\">x, wall clock, newest</text>"));
	assert_non_null(strstr(buf_str(&b), ">against old: times as fast</text>"));
	buf_release(&b);
	report_model_release(&m);
	experiment_release(&e);
}

/* Where there is no sentence over all workloads, a page begins with each task's. */
static void page_answers_every_task(void **state)
{
	static const struct {
		int tasks;
		const char *more;
	} cases[] = {{5, NULL}, {12, NULL}, {15, "And 3 more below."}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct report_model m;
		struct experiment e;

		example_head(&e, "run", "many", 1);
		(void)example_system(&e, "old", "local", false);
		(void)example_system(&e, "new", "local", false);
		for (int k = 0; k < cases[i].tasks; k++) {
			char *name = mem_printf("command/c%d/wall", k);
			size_t t = example_task(&e, "command", name, "{}");
			size_t metric = example_metric(&e, name, "s", "", true);
			for (size_t s = 0; s < 2; s++)
				(void)example_value(example_execution(&e, 1, t, s, 1), metric,
						    1 + (double)s, 0.001);
			free(name);
		}
		report_model_make(&m, &e, &(const struct report_model_options){.identify = false});
		char *text = page(&m);
		int shown = cases[i].tasks < 12 ? cases[i].tasks : 12;
		assert_int_equal(count(text, ": new against old: no verdict yet."), shown);
		assert_int_equal(count(text, "more below"), cases[i].more != NULL);
		if (cases[i].more != NULL)
			assert_non_null(strstr(text, cases[i].more));
		free(text);
		report_model_release(&m);
		experiment_release(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(model_tells_what_is_left_out),
		cmocka_unit_test(marks_differ),
		cmocka_unit_test(zeros_have_a_scale),
		cmocka_unit_test(left_out_samples_are_drawn),
		cmocka_unit_test(page_explains_the_marks),
		cmocka_unit_test(alone_it_says_what_it_is),
		cmocka_unit_test(rows_of_a_forest_have_names),
		cmocka_unit_test(page_answers_every_task),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
