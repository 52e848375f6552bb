/*
 * Published outputs, as they are and changed the way people change them: every value of the
 * table must be read, and nothing that is not in the text. The files are not part of the
 * repository; without them the tests are skipped with a message. LAMPDUEL_CASES names the
 * folder, else ../shared/cases beside the repository is taken.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "cases.h"
#include "changes.h"

static struct cases cases;

static int load(void **state)
{
	const char *dir = getenv("LAMPDUEL_CASES");

	(void)state;
	if (dir == NULL)
		dir = "../shared/cases";
	if (!cases_load(dir, &cases))
		fprintf(stderr,
			"skipped: there is no %s/INDEX.tsv (LAMPDUEL_CASES names another "
			"folder)\n",
			dir);
	return 0;
}

static int unload(void **state)
{
	(void)state;
	cases_release(&cases);
	return 0;
}

static void need_cases(void)
{
	if (cases.v.n == 0)
		skip();
	failures = 0;
}

/* A * in the pattern stands for anything. */
static bool matches(const char *metric, const char *pattern)
{
	const char *star;
	size_t n, m;

	if (pattern == NULL)
		return true;
	star = strchr(pattern, '*');
	if (star == NULL)
		return strcmp(metric, pattern) == 0;
	n = (size_t)(star - pattern);
	m = strlen(star + 1);
	return strncmp(metric, pattern, n) == 0 && strlen(metric) >= n + m &&
	       strcmp(metric + strlen(metric) - m, star + 1) == 0;
}

static bool has_value(const struct parse_result *r, const struct expected *e, bool exactly)
{
	for (size_t i = 0; i < r->values.n; i++) {
		const struct parse_value *v = &r->values.v[i];

		if (v->has_value && matches(v->metric, e->metric) &&
		    strcmp(v->unit, e->unit) == 0 && fabs(v->value - e->value) <= e->tolerance &&
		    (!exactly || e->run == 0 || v->run == e->run) &&
		    (!exactly || e->label == NULL || strcmp(v->label, e->label) == 0))
			return true;
	}
	return false;
}

static void check_table(const struct parse_case *c, const struct parse_result *r, const char *how,
			bool exactly)
{
	for (size_t k = 0; k < c->expected.n; k++) {
		const struct expected *e = &c->expected.v[k];
		bool cell = false;

		if (e->what == EXPECT_VALUE && !has_value(r, e, exactly))
			complain(how, "not read:", e->text);
		if (e->what == EXPECT_WARNING && exactly && r->warnings.n == 0)
			complain(how, "no warning:", e->text);
		for (size_t i = 0; i < r->values.n; i++) {
			if (!matches(r->values.v[i].metric, e->metric) || e->metric == NULL)
				continue;
			cell = true;
		}
		if (e->what == EXPECT_ABSENT && cell)
			complain(how, "invented:", e->text);
		if (e->what == EXPECT_INVALID && exactly && !cell)
			complain(how, "the cell is not named:", e->text);
	}
}

/* Tests ------------------------------------------------------------------- */

static void originals(void **state)
{
	(void)state;
	need_cases();
	for (size_t i = 0; i < cases.v.n; i++) {
		const struct parse_case *c = &cases.v.v[i];
		struct parse_result r = read_text(c->text.data, c->text.len);

		check_table(c, &r, "as published", true);
		parse_result_release(&r);
	}
	assert_int_equal(failures, 0);
}

static struct sample sample_of(size_t i)
{
	const struct parse_case *c = &cases.v.v[i];

	return (struct sample){c->file, buf_str(&c->text), c->text.len};
}

static void changed(void **state)
{
	struct buf text = BUF_INIT;

	(void)state;
	need_cases();
	for (size_t i = 0; i < cases.v.n; i++) {
		struct sample s = sample_of(i);

		check_changes(&s);
		for (const struct change *c = changes; c->name != NULL; c++) {
			struct parse_result r;

			if (!c->all)
				continue;
			c->change(s.text, s.len, &text);
			r = read_text(text.data, text.len);
			check_table(&cases.v.v[i], &r, c->name, false);
			parse_result_release(&r);
		}
	}
	buf_release(&text);
	assert_int_equal(failures, 0);
}

static void cut_anywhere(void **state)
{
	(void)state;
	need_cases();
	for (size_t i = 0; i < cases.v.n; i++) {
		struct sample s = sample_of(i);

		check_cuts(&s);
	}
	assert_int_equal(failures, 0);
}

static void joined(void **state)
{
	(void)state;
	need_cases();
	for (size_t i = 0; i < cases.v.n; i++) {
		for (size_t k = 0; k < cases.v.n; k++) {
			struct sample a = sample_of(i), b = sample_of(k);

			check_joined(&a, &b);
		}
	}
	assert_int_equal(failures, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(originals),
		cmocka_unit_test(changed),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(joined),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
