/*
 * Each file of test/parse is read as it is and must give what test/parse/expected says, line by
 * line; then changed as people change outputs, cut at every byte, and joined with every other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fs.h"
#include "changes.h"

#define FOLDER "test/parse"

struct fixture {
	char *name;
	struct buf text;
};

static VEC(struct fixture) fixtures;

static int load(void **state)
{
	struct strvec names = STRVEC_INIT;
	struct err err = ERR_INIT;

	(void)state;
	if (fs_list(FOLDER, &names, &err) != 0)
		fprintf(stderr, "%s\n", err.msg);
	for (size_t i = 0; i < names.n; i++) {
		char *path = fs_join(FOLDER, names.v[i]);
		struct fixture f = {mem_strdup(names.v[i]), BUF_INIT};

		if (!fs_is_dir(path) && fs_read(path, 1 << 20, &f.text, &err) == 0)
			vec_push(&fixtures, f);
		else
			free(f.name);
		free(path);
	}
	strvec_release(&names);
	return fixtures.n > 0 ? 0 : -1;
}

static int unload(void **state)
{
	(void)state;
	for (size_t i = 0; i < fixtures.n; i++) {
		free(fixtures.v[i].name);
		buf_release(&fixtures.v[i].text);
	}
	vec_release(&fixtures);
	return 0;
}

static struct sample sample_of(size_t i)
{
	const struct fixture *f = &fixtures.v[i];

	return (struct sample){f->name, buf_str(&f->text), f->text.len};
}

/* Files named x-... hold what is cut or changed already, and would be hurt twice. */
static bool as_it_is(const struct sample *s)
{
	return strncmp(s->name, "x-", 2) == 0;
}

/* All that a reader says, so that nothing can change unseen. */
static void print(const struct parse_result *r, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < r->values.n; i++) {
		const struct parse_value *v = &r->values.v[i];

		buf_addf(out, "%d\t%s\t%s\t", v->run, v->label, v->metric);
		if (v->has_value)
			buf_addf(out, "%.12g", v->value);
		buf_addf(out, "\t%s\t%.3g\t%d\t%ld\t%s\t%s\t%s\n", v->unit, v->step, v->derived,
			 v->line, v->note, v->conditions, v->software);
	}
	for (size_t i = 0; i < r->warnings.n; i++)
		buf_addf(out, "warning: %s\n", r->warnings.v[i]);
}

static void as_expected(void **state)
{
	struct buf got = BUF_INIT;

	(void)state;
	failures = 0;
	for (size_t i = 0; i < fixtures.n; i++) {
		struct sample s = sample_of(i);
		struct parse_result r = read_text(s.text, s.len);
		char *name = mem_printf(FOLDER "/expected/%s.tsv", s.name);
		struct buf want = BUF_INIT;
		struct err err = ERR_INIT;

		print(&r, &got);
		if (getenv("LAMPDUEL_WRITE_EXPECTED") != NULL)
			(void)fs_write_atomic(name, got.data, got.len, 0644, &err);
		if (fs_read(name, 1 << 20, &want, &err) != 0)
			complain(s.name, "nothing is expected:", err.msg);
		else if (strcmp(buf_str(&want), buf_str(&got)) != 0)
			complain(s.name, "read otherwise than expected:\n", buf_str(&got));
		buf_release(&want);
		free(name);
		parse_result_release(&r);
	}
	buf_release(&got);
	assert_int_equal(failures, 0);
}

static void changed(void **state)
{
	(void)state;
	failures = 0;
	for (size_t i = 0; i < fixtures.n; i++) {
		struct sample s = sample_of(i);

		if (as_it_is(&s))
			continue;
		check_changes(&s);
	}
	assert_int_equal(failures, 0);
}

static void cut_anywhere(void **state)
{
	(void)state;
	failures = 0;
	for (size_t i = 0; i < fixtures.n; i++) {
		struct sample s = sample_of(i);

		if (as_it_is(&s))
			continue;
		check_cuts(&s);
	}
	assert_int_equal(failures, 0);
}

static void joined(void **state)
{
	(void)state;
	failures = 0;
	for (size_t i = 0; i < fixtures.n; i++) {
		for (size_t k = 0; k < fixtures.n; k++) {
			struct sample a = sample_of(i), b = sample_of(k);

			if (as_it_is(&a) || as_it_is(&b))
				continue;
			check_joined(&a, &b);
		}
	}
	assert_int_equal(failures, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_expected),
		cmocka_unit_test(changed),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(joined),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
