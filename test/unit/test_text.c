/* The text report as a terminal gets it: strips of samples and colours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "compare/compare.h"
#include "example.h"
#include "golden.h"
#include "report/report.h"
#include "report/strip.h"

static char *render(const struct report_model *m, struct report_options o)
{
	struct buf b = BUF_INIT;

	report_text.render(&(const struct report_input){.model = m}, &o, &b);
	return buf_detach(&b);
}

/* Two systems with these samples of one metric; NaN: none. */
static void make(struct experiment *e, const double *a, const double *b, size_t n)
{
	example_head(e, "run", "a against b", (int)n);
	(void)example_system(e, "old", "local", false);
	(void)example_system(e, "a new one", "local", false);
	size_t task = example_task(e, "command", "command/x", "{}");
	size_t metric = example_metric(e, "command/x/wall", "s", "", true);
	for (size_t i = 0; i < n; i++) {
		for (size_t s = 0; s < 2; s++) {
			double v = s == 0 ? a[i] : b[i];
			struct exp_execution *x = example_execution(e, (int)i + 1, task, s, 1);
			if (isnan(v))
				x->status = OUTCOME_FAILED;
			else
				(void)example_value(x, metric, v, 0.001);
		}
	}
}

static void assert_strips(const double *a, const double *b, size_t n, struct strip_paper p,
			  const char *wanted)
{
	const struct report_model_options o = {.identify = false};
	struct experiment e;
	struct report_model m;
	struct buf out = BUF_INIT;

	make(&e, a, b, n);
	report_model_make(&m, &e, &o);
	assert_true(strip_has(&m, &m.rows.v[0]));
	strip_add(&m, &m.rows.v[0], &p, &out);
	assert_string_equal(buf_str(&out), wanted);
	buf_release(&out);
	report_model_release(&m);
	experiment_release(&e);
}

static void strips(void **state)
{
	/* 20 places of 0.1 s; what has no partner is no part of the means, but was measured */
	static const double a[] = {1.0, 1.04, 1.1, 1.1, 2.9, 1.9};
	static const double b[] = {2.0, 2.0, 2.0, 2.0, NAN, 2.0};

	(void)state;
	assert_strips(a, b, 6, (struct strip_paper){.width = 34, .ascii = true},
		      "x, wall clock: 1.0 s to 2.9 s\n"
		      "  old       |::       .         .|\n"
		      "  a new one |          #         |\n");
	/* the same in braille: two places a character */
	assert_strips(
		a, b, 6, (struct strip_paper){.width = 24},
		"x, wall clock: 1.0 s to\n2.9 s\n"
		"  old       \xe2\x94\x82\xe2\xa3\xa4   \xe2\xa2\x80    \xe2\xa2\x80\xe2\x94\x82\n"
		"  a new one \xe2\x94\x82     \xe2\xa1\x87    \xe2\x94\x82\n");
	assert_strips(a, b, 6, (struct strip_paper){.width = 34, .ascii = true, .color = true},
		      "x, wall clock: 1.0 s to 2.9 s\n"
		      "  old       |\033[36m::       .         .\033[0m|\n"
		      "  a new one |\033[35m          #         \033[0m|\n");
}

static void equal_samples_are_in_the_middle(void **state)
{
	static const double a[] = {2, 2};

	(void)state;
	assert_strips(a, a, 2, (struct strip_paper){.width = 25, .ascii = true},
		      "x, wall clock: 2.000 s\n"
		      "  old       |     :     |\n"
		      "  a new one |     :     |\n");
}

static void one_sample_makes_no_strip(void **state)
{
	static const double a[] = {1};
	const struct report_model_options o = {.identify = false};
	struct experiment e;
	struct report_model m;

	(void)state;
	make(&e, a, a, 1);
	report_model_make(&m, &e, &o);
	assert_false(strip_has(&m, &m.rows.v[0]));
	char *text = render(&m, (struct report_options){.columns = 80, .strips = true});
	assert_null(strstr(text, "\nSamples\n"));
	free(text);
	report_model_release(&m);
	experiment_release(&e);
}

static void judged(struct report_model *m, struct experiment *e)
{
	const struct compare_options how = {.margin = 0.02};
	const struct report_model_options o = {.identify = false};
	struct comparison_set set = {.family = 0};
	struct err err = ERR_INIT;

	assert_int_equal(compare_experiment(e, &how, &set, &err), 0);
	report_model_make(m, e, &o);
	report_model_judge(m, &set);
	comparison_set_release(&set);
}

static void goldens(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	example_reference(&e, 15);
	e.id = 3;
	judged(&m, &e);
	char *text =
		render(&m, (struct report_options){
				   .columns = 80, .utf8 = true, .strips = true, .color = true});
	assert_golden("test/data/report-color.txt", text);
	free(text);
	text = render(&m, (struct report_options){.columns = 48, .strips = true});
	assert_golden("test/data/report-strips.txt", text);
	free(text);
	report_model_release(&m);
	experiment_release(&e);
}

/* Takes "ESC [ ... m" out, in place. */
static void without_color(char *text)
{
	char *to = text;

	for (const char *from = text; *from != '\0';) {
		if (*from == '\033') {
			from += strcspn(from, "m") + 1;
			continue;
		}
		*to++ = *from++;
	}
	*to = '\0';
}

static void color_carries_nothing(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	example_reference(&e, 9);
	mem_replace(&e.systems.v[1].name, mem_strdup("\033[31mred\xe2\x80\xae\xe6\xbc\xa2"));
	judged(&m, &e);
	for (int columns = 40; columns < 160; columns += 7) {
		struct report_options o = {
			.columns = columns, .utf8 = true, .strips = true, .explain = true};
		char *plain = render(&m, o);
		o.color = true;
		char *painted = render(&m, o);
		assert_null(strchr(plain, '\033'));
		assert_non_null(strchr(painted, '\033'));
		without_color(painted);
		assert_string_equal(painted, plain);
		for (const char *line = plain; *line != '\0';) {
			size_t n = strcspn(line, "\n");
			char *one = mem_strndup(line, n);
			assert_true(text_width(one) <= (size_t)columns);
			free(one);
			line += n + (line[n] == '\n');
		}
		free(plain);
		free(painted);
	}
	report_model_release(&m);
	experiment_release(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strips),
		cmocka_unit_test(equal_samples_are_in_the_middle),
		cmocka_unit_test(one_sample_makes_no_strip),
		cmocka_unit_test(goldens),
		cmocka_unit_test(color_carries_nothing),
	};

	(void)setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
