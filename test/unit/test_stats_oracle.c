/*
 * The statistics against values made by R, coin and full enumeration:
 * test/oracle/make-oracle.R says how. Every expected number within 1e-9 relative.
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
#include "base/fs.h"
#include "stats/describe.h"
#include "stats/mann_whitney.h"
#include "stats/multiple.h"
#include "stats/pairwise.h"
#include "stats/signed_rank.h"
#include "stats/student.h"
#include "stats/trend.h"

enum { NUMBERS = 128 };

struct numbers {
	double v[NUMBERS];
	size_t n;
};

struct oracle_case {
	char name[80];
	struct numbers x, y, expect;
};

static void read_numbers(const char *line, struct numbers *out)
{
	char *end;

	out->n = 0;
	for (;;) {
		double v = strtod(line, &end);
		if (end == line)
			break;
		assert_true(out->n < NUMBERS);
		out->v[out->n++] = v;
		line = end;
	}
	assert_true(*line == '\0');
}

static void near(const struct oracle_case *c, const char *what, double got, double expected)
{
	bool same = isnan(expected) ? isnan(got)
				    : fabs(got - expected) <= 1e-9 * fabs(expected) + 1e-300;

	if (!same)
		fail_msg("%s: %s is %.17g, expected %.17g", c->name, what, got, expected);
}

typedef void (*check_fn)(const struct oracle_case *c);

/* Runs check on every case of the file; returns how many there were. */
static size_t each_case(const char *path, check_fn check)
{
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	struct oracle_case c = {.name = ""};
	size_t cases = 0;
	char *save = NULL;

	if (fs_read(path, 1 << 24, &text, &err) != 0)
		fail_msg("%s (run from the top of the source)", err.msg);
	for (char *line = strtok_r(text.data, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, "case ", 5) == 0)
			(void)snprintf(c.name, sizeof(c.name), "%s", line + 5);
		else if (line[0] == 'x')
			read_numbers(line + 1, &c.x);
		else if (line[0] == 'y')
			read_numbers(line + 1, &c.y);
		else if (strncmp(line, "expect ", 7) == 0) {
			read_numbers(line + 7, &c.expect);
			check(&c);
			cases++;
		} else
			assert_true(line[0] == '#');
	}
	buf_release(&text);
	return cases;
}

static void check_signed_rank(const struct oracle_case *c)
{
	const double *e = c->expect.v;
	struct stats_test t;
	double lo, hi;

	assert_int_equal(c->expect.n, 8);
	stats_signed_rank(c->x.v, c->x.n, 0, &t);
	assert_true(t.exact);
	near(c, "p", t.p_two, e[0]);
	near(c, "p less", t.p_less, e[1]);
	near(c, "p greater", t.p_greater, e[2]);
	near(c, "statistic", t.statistic, e[3]);
	double *sorted = stats_sorted(c->x.v, c->x.n);
	near(c, "estimate", stats_walsh_median(sorted, c->x.n), e[4]);
	free(sorted);
	stats_signed_rank_interval(c->x.v, c->x.v, c->x.n, 0.05, &lo, &hi);
	near(c, "lower end", lo, e[5]);
	near(c, "upper end", hi, e[6]);
	near(c, "k", (double)stats_signed_rank_k(c->x.n, 0.05, NULL), e[7]);
}

static void test_signed_rank(void **state)
{
	(void)state;
	assert_int_equal(each_case("test/oracle/signed_rank.txt", check_signed_rank), 300);
}

static void check_mann_whitney(const struct oracle_case *c)
{
	const double *x = c->x.v, *y = c->y.v, *e = c->expect.v;
	size_t m = c->x.n, n = c->y.n;
	struct stats_test t;
	double lo, hi;

	assert_int_equal(c->expect.n, 8);
	stats_mann_whitney(x, m, y, n, 0, &t);
	assert_true(t.exact);
	near(c, "p", t.p_two, e[0]);
	near(c, "p less", t.p_less, e[1]);
	near(c, "p greater", t.p_greater, e[2]);
	near(c, "statistic", t.statistic, e[3]);
	double *sx = stats_sorted(x, m), *sy = stats_sorted(y, n);
	near(c, "estimate", stats_differences_median(sx, m, sy, n), e[4]);
	free(sx);
	free(sy);
	stats_mann_whitney_interval(x, x, m, y, y, n, 0.05, &lo, &hi);
	near(c, "lower end", lo, e[5]);
	near(c, "upper end", hi, e[6]);
	near(c, "k", (double)stats_mann_whitney_k(m, n, 0.05, NULL), e[7]);
}

static void test_mann_whitney(void **state)
{
	(void)state;
	assert_int_equal(each_case("test/oracle/mann_whitney.txt", check_mann_whitney), 224);
}

static void check_student(const struct oracle_case *c)
{
	const double *e = c->expect.v;
	struct stats_student s;

	assert_true(stats_student_one(c->x.v, c->x.n, 0, &s));
	double half = stats_student_half(&s, 0.05);
	double less = stats_student_less(&s, 0), greater = stats_student_greater(&s, 0);
	near(c, "mean", s.estimate, e[0]);
	near(c, "sd", stats_sd(c->x.v, c->x.n), e[1]);
	near(c, "lower end", s.estimate - half, e[2]);
	near(c, "upper end", s.estimate + half, e[3]);
	near(c, "p", 2 * fmin(less, greater), e[4]);
}

static void check_welch(const struct oracle_case *c)
{
	const double *e = c->expect.v;
	struct stats_student s;

	assert_true(stats_student_welch(c->x.v, c->x.n, c->y.v, c->y.n, &s));
	double half = stats_student_half(&s, 0.05);
	near(c, "difference", s.estimate, e[0]);
	near(c, "lower end", s.estimate - half, e[1]);
	near(c, "upper end", s.estimate + half, e[2]);
	near(c, "p", 2 * fmin(stats_student_less(&s, 0), stats_student_greater(&s, 0)), e[3]);
}

static void check_other(const struct oracle_case *c)
{
	const double *x = c->x.v, *e = c->expect.v;
	size_t n = c->x.n;

	if (strcmp(c->name, "student") == 0) {
		check_student(c);
	} else if (strcmp(c->name, "welch") == 0) {
		check_welch(c);
	} else if (strcmp(c->name, "holm") == 0) {
		double adjusted[NUMBERS];
		assert_int_equal(stats_holm(x, n, adjusted), n);
		for (size_t i = 0; i < n; i++)
			near(c, "adjusted p", adjusted[i], e[i]);
	} else if (strcmp(c->name, "trend") == 0) {
		struct stats_trend t;
		stats_trend(x, n, &t);
		near(c, "slope", t.slope, e[0]);
		near(c, "p", t.p, e[1]);
	} else if (strcmp(c->name, "lag1") == 0) {
		near(c, "lag-1", stats_lag1(x, n), e[0]);
	} else if (strcmp(c->name, "signed-rank-large") == 0 ||
		   strcmp(c->name, "mann-whitney-large") == 0) {
		struct stats_test t;
		if (c->y.n > 0)
			stats_mann_whitney(x, n, c->y.v, c->y.n, 0, &t);
		else
			stats_signed_rank(x, n, 0, &t);
		assert_false(t.exact);
		near(c, "p", t.p_two, e[0]);
		near(c, "p less", t.p_less, e[1]);
		near(c, "p greater", t.p_greater, e[2]);
	} else if (strcmp(c->name, "median") == 0) {
		near(c, "median", stats_median(x, n), e[0]);
	} else {
		assert_string_equal(c->name, "sd");
		near(c, "mean", stats_mean(x, n), e[0]);
		near(c, "sd", stats_sd(x, n), e[1]);
	}
}

static void test_other(void **state)
{
	(void)state;
	assert_int_equal(each_case("test/oracle/other.txt", check_other), 78);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_signed_rank),
		cmocka_unit_test(test_mann_whitney),
		cmocka_unit_test(test_other),
	};

	return cmocka_run_group_tests_name("stats oracle", tests, NULL, NULL);
}
