/* Workloads: their parameters, and reading what openssl, mariadb and command left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "workload/internal.h"

static struct workload_request request_of(const char *kind)
{
	struct err err = ERR_INIT;
	struct workload_request q = {.kind = workload_kind_named(kind, &err)};

	assert_non_null(q.kind);
	return q;
}

/* "key=value" pairs, separated by blanks, to tasks. */
static int expand(const char *kind, const char *pairs, struct task_list *l, struct err *err)
{
	struct workload_request q = request_of(kind);
	char *copy = mem_strdup(pairs), *rest = copy, *pair = NULL;
	int rc = 0;

	while (rc == 0 && (pair = strsep(&rest, " ")) != NULL) {
		char *value = strchr(pair, '=');
		if (value == NULL)
			continue;
		*value++ = '\0';
		rc = workload_request_set(&q, pair, value, err);
	}
	if (rc == 0)
		rc = q.kind->expand(&q, l, err);
	free(copy);
	workload_request_release(&q);
	return rc;
}

static void expect_refused(const char *kind, const char *pairs, const char *words)
{
	struct task_list l = {{0}};
	struct err err = ERR_INIT;

	assert_int_equal(expand(kind, pairs, &l, &err), ERR_USAGE);
	if (strstr(err.msg, words) == NULL)
		fail_msg("\"%s\" is not in \"%s\"", words, err.msg);
	task_list_release(&l);
}

static void test_registry(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < workload_kind_count(); i++) {
		const struct workload_kind *k = workload_kind_at(i);
		assert_ptr_equal(workload_kind_named(k->name, &err), k);
		assert_non_null(k->expand);
		assert_non_null(k->supported);
		assert_non_null(k->run_once);
		assert_non_null(k->read);
		assert_true((k->count_key == NULL) == (k->calibrate == NULL));
		bool found = k->count_key == NULL;
		for (const struct workload_param *p = k->params; p->key != NULL; p++) {
			assert_true(p->help[0] != '\0');
			found = found || strcmp(p->key, k->count_key) == 0;
		}
		assert_true(found);
	}
	assert_null(workload_kind_named("mysql", &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.msg, "wordpress, mariadb, openssl, command"));
}

static void test_request_set(void **state)
{
	struct workload_request q = request_of("openssl");
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(workload_request_set(&q, "seconds", "3", &err), 0);
	assert_string_equal(request_text(&q, "seconds"), "3");
	assert_string_equal(request_text(&q, "clock"), "user");
	assert_int_equal(workload_request_set(&q, "second", "3", &err), ERR_USAGE);
	assert_non_null(strstr(err.msg, "algorithms, evp, block, seconds, clock"));
	workload_request_release(&q);
}

static void test_expand_openssl(void **state)
{
	struct task_list l = {{0}};
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(expand("openssl", "", &l, &err), 0);
	assert_int_equal(l.tasks.n, 2);
	assert_string_equal(l.tasks.v[0].name, "openssl/rsa2048");
	assert_string_equal(l.tasks.v[1].name, "openssl/rsa4096");
	assert_int_equal(task_int(&l.tasks.v[0], "seconds"), 0);
	task_list_release(&l);
	assert_int_equal(expand("openssl", "evp=AES-128-CBC seconds=10", &l, &err), 0);
	assert_int_equal(l.tasks.n, 1);
	assert_string_equal(l.tasks.v[0].name, "openssl/evp.aes-128-cbc");
	assert_int_equal(task_int(&l.tasks.v[0], "seconds"), 10);
	task_list_release(&l);
	expect_refused("openssl", "algorithms=rsa2048,rsa2048", "twice");
	expect_refused("openssl", "algorithms=-elapsed", "names");
	expect_refused("openssl", "algorithms=rsa2048,,rsa4096", "names");
	expect_refused("openssl", "algorithms=rsa$(id)", "names");
	expect_refused("openssl", "seconds=0", "auto, or 1 to 600 s");
	expect_refused("openssl", "seconds=1.5", "seconds=1.5");
	expect_refused("openssl", "clock=cpu", "user or elapsed");
	expect_refused("openssl", "block=0 evp=sha256", "block=0");
}

static void test_expand_others(void **state)
{
	struct task_list l = {{0}};
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(expand("mariadb", "benchmarks=encode,md5 count=1000000", &l, &err), 0);
	assert_int_equal(l.tasks.n, 2);
	assert_string_equal(l.tasks.v[0].name, "mariadb/encode");
	assert_string_equal(task_text(&l.tasks.v[0], "expression"), "ENCODE('praise','bob')");
	assert_int_equal(task_int(&l.tasks.v[1], "count"), 1000000);
	task_list_release(&l);
	expect_refused("mariadb", "benchmarks=sleep", "encode, sha2, aes, md5, sqrt");
	expect_refused("mariadb", "count=2000000000", "1000000000");
	assert_int_equal(expand("wordpress", "opcache=both", &l, &err), 0);
	assert_int_equal(l.tasks.n, 2);
	assert_string_equal(l.tasks.v[0].name, "wordpress/opcache-on");
	assert_string_equal(l.tasks.v[1].name, "wordpress/opcache-off");
	struct stack_life life = {false, true};
	l.tasks.v[1].kind->life_options(&l.tasks.v[1], &life);
	assert_true(life.web);
	assert_false(life.opcache);
	task_list_release(&l);
	expect_refused("wordpress", "opcache=yes", "on, off or both");
	expect_refused("wordpress", "path=page", "path");
	expect_refused("wordpress", "path=/a;b", "path");
	expect_refused("wordpress", "requests=1000", "auto, or 1 to 200 requests");
	expect_refused("wordpress", "cached=-1", "cached");
}

static void test_expand_command(void **state)
{
	struct workload_request q = request_of("command");
	struct task_list l = {{0}};
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(q.kind->expand(&q, &l, &err), ERR_USAGE);
	q.name = mem_strdup("My Sort");
	assert_int_equal(q.kind->expand(&q, &l, &err), ERR_USAGE);
	assert_non_null(strstr(err.msg, "nothing to run"));
	strvec_push(&q.argv, "sort");
	strvec_push(&q.argv, "/etc/services");
	assert_int_equal(q.kind->expand(&q, &l, &err), 0);
	assert_string_equal(l.tasks.v[0].name, "command/my_sort");
	assert_int_equal(task_int(&l.tasks.v[0], "timeout_ns"), 3600 * NS_PER_S);
	task_list_release(&l);
	strvec_push(&q.argv, "\xff\xfe");
	assert_int_equal(q.kind->expand(&q, &l, &err), ERR_USAGE);
	task_list_release(&l);
	workload_request_release(&q);
}

static void test_count_grow(void **state)
{
	(void)state;
	assert_int_equal(count_grow(1000, 0, 0.5, 1000000000), 100000);
	assert_int_equal(count_grow(1000, 0.0001, 0.5, 1000000000), 100000);
	assert_int_equal(count_grow(100000, 0.2, 0.55, 1000000000), 280000);
	assert_int_equal(count_grow(5, 0.5, 0.5, 100), 6);
	assert_int_equal(count_grow(100, 0.49, 0.5, 100), 100);
	assert_int_equal(count_grow(900000000, 0.01, 0.5, 1000000000), 1000000000);
	assert_int_equal(count_grow(1234567, 0.1, 0.5, 1000000000), 6200000);
}

static void test_helpers(void **state)
{
	const struct condition c[] = {{"seconds", "4"}, {"clock", "user"}};
	double sd = -1;
	const double one[] = {3.0};
	const double many[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};

	(void)state;
	char *text = conditions_text(c, 2);
	assert_string_equal(text, "clock=user;seconds=4");
	free(text);
	text = conditions_text(c, 0);
	assert_string_equal(text, "");
	free(text);
	assert_true(mean_of(one, 1, &sd) == 3.0 && sd == 0);
	assert_true(fabs(mean_of(many, 4, &sd) - (1e9 + 10)) < 1e-6);
	assert_true(fabs(sd * sd - 30) < 1e-6);
}

/* ---- reading ---- */

static int read_text(const struct task *t, const char *raw, size_t len, struct sample *s,
		     struct err *err)
{
	*s = (struct sample){{0}};
	err_clear(err);
	return t->kind->read(t, raw, len, s, err);
}

static void expect_unread(const struct task *t, const char *raw, size_t len, const char *words)
{
	struct sample s;
	struct err err = ERR_INIT;

	if (read_text(t, raw, len, &s, &err) == 0)
		fail_msg("read although it should not be: %s", raw);
	if (strstr(err.msg, words) == NULL)
		fail_msg("\"%s\" is not in \"%s\"", words, err.msg);
	assert_null(strchr(err.msg, '\n'));
	sample_release(&s);
}

static void expect_unread_text(const struct task *t, const char *raw, const char *words)
{
	expect_unread(t, raw, strlen(raw), words);
}

#define ROW(from, result, to) "wall_ns 700000000\n" from "\t" result "\t" to "\n"
#define FROM "2026-11-30 22:01:34.353614"
#define TO "2026-11-30 22:01:34.953614"

static void test_read_mariadb(void **state)
{
	struct task_list l = {{0}};
	struct err err = ERR_INIT;
	struct sample s;

	(void)state;
	assert_int_equal(expand("mariadb", "count=1000000", &l, &err), 0);
	const struct task *t = &l.tasks.v[0];
	static const char good[] = ROW(FROM, "0", TO);
	assert_int_equal(read_text(t, good, sizeof(good) - 1, &s, &err), 0);
	assert_int_equal(s.values.n, 1);
	assert_string_equal(s.values.v[0].metric, "mariadb/benchmark.encode/time");
	assert_string_equal(s.values.v[0].unit, "s/op");
	assert_true(fabs(s.values.v[0].value - 6e-7) < 1e-15);
	assert_true(fabs(s.values.v[0].step - 1e-12) < 1e-18);
	assert_true(s.values.v[0].primary);
	assert_string_equal(s.values.v[0].conditions,
			    "api=sysdate;count=1000000;expression=ENCODE('praise','bob')");
	sample_release(&s);
	/* over midnight, the year's end and a leap day */
	static const char year[] = "wall_ns 3000000000\n2027-12-31 23:59:59.500000\t0\t2028-01-01 "
				   "00:00:02.000000\n";
	assert_int_equal(read_text(t, year, sizeof(year) - 1, &s, &err), 0);
	assert_true(fabs(s.values.v[0].value - 2.5e-6) < 1e-15);
	sample_release(&s);
	static const char leap[] = "wall_ns 90000000000000\n2028-02-28 12:00:00.000000\t0\t"
				   "2028-03-01 12:00:00.000000\n";
	expect_unread(t, leap, sizeof(leap) - 1, "172800.000000 s by the server's clock");

	expect_unread_text(t, ROW(FROM, "NULL", TO), "did not return 0");
	expect_unread_text(t, ROW(FROM, "1", TO), "did not return 0");
	expect_unread_text(t, ROW(FROM, "0", FROM), "did not go forwards");
	expect_unread_text(t, ROW(TO, "0", FROM), "did not go forwards");
	expect_unread_text(t, ROW("NULL", "0", TO), "cannot be read");
	expect_unread_text(t, ROW("2026-11-30 22:01:34", "0", "2026-11-30 22:01:35"),
			   "no fractions");
	expect_unread_text(t, ROW(FROM, "0", "2026-13-30 22:01:34.953614"), "cannot be read");
	expect_unread_text(t, ROW(FROM, "0", "2026-11-30 22:01:34.95361x"), "cannot be read");
	expect_unread_text(t, ROW(FROM, "0", TO "\t1"), "cannot be read");
	expect_unread_text(t, ROW(FROM, "0", TO) "Warning (Code 1287): old\n",
			   "added to its answer: Warning (Code 1287): old");
	expect_unread_text(t, "wall_ns 500000000\n" FROM "\t0\t" TO "\n", "clock was set");
	expect_unread_text(t, "wall_ns 700000000\n" FROM "\t0\t" TO, "not complete");
	expect_unread_text(t, "wall_ns 700000000\n" FROM " 0 " TO "\n", "not complete");
	expect_unread_text(t, "wall_ns 700000000\n" FROM "\t0\n", "three columns");
	expect_unread_text(t, "wall_ns 700000000\n", "not complete");
	expect_unread_text(t, "wall_ns soon\n" FROM "\t0\t" TO "\n", "client cannot be read");
	expect_unread_text(t, "wall_ns -1\n" FROM "\t0\t" TO "\n", "client cannot be read");
	expect_unread_text(t, FROM "\t0\t" TO "\n", "client is missing");
	expect_unread_text(t, "", "client is missing");
	static const char nul[] = "wall_ns 700000000\n2026-11-30 22:01:34.35361\0\t0\t" TO "\n";
	expect_unread(t, nul, sizeof(nul) - 1, "cannot be read");
	task_set_int((struct task *)(uintptr_t)t, "count", 0);
	expect_unread(t, good, sizeof(good) - 1, "no count");
	task_list_release(&l);
}

static const char rsa_30[] =
	"Doing 2048 bits private rsa's for 4s: 119 2048 bits private RSA's in 3.98s\n"
	"Doing 2048 bits public rsa's for 4s: 5902 2048 bits public RSA's in 3.99s\n"
	"version: 3.0.20\n"
	"options: bn(64,64)\n"
	"                  sign    verify    sign/s verify/s\n"
	"rsa 2048 bits 0.033445s 0.000676s     29.9   1479.2\n";

static void test_read_openssl(void **state)
{
	struct task_list l = {{0}};
	struct err err = ERR_INIT;
	struct sample s;

	(void)state;
	assert_int_equal(expand("openssl", "algorithms=rsa2048 seconds=4", &l, &err), 0);
	const struct task *t = &l.tasks.v[0];
	assert_int_equal(read_text(t, rsa_30, sizeof(rsa_30) - 1, &s, &err), 0);
	assert_int_equal(s.values.n, 2);
	assert_string_equal(s.values.v[0].metric, "openssl/rsa2048/sign");
	assert_string_equal(s.values.v[0].unit, "op/s");
	assert_true(fabs(s.values.v[0].value - 119 / 3.98) < 1e-9);
	assert_true(s.values.v[0].primary && s.values.v[1].primary);
	/* not finer than a tick of the clock, 0.25 % at 4 s */
	assert_true(s.values.v[0].step >= s.values.v[0].value * 0.0025 * 0.999);
	assert_string_equal(s.values.v[1].metric, "openssl/rsa2048/verify");
	assert_true(fabs(s.values.v[1].value - 5902 / 3.99) < 1e-6);
	assert_string_equal(s.values.v[1].conditions, "clock=user;seconds=4;threads=1");
	sample_release(&s);

	expect_unread_text(t, "Segmentation fault\nmore", "begins: \"Segmentation fault\"");
	expect_unread_text(t, "", "");
	expect_unread_text(t, "speed: Unknown algorithm rsa2048\n", "");
	/* the verify half is missing, another size, two runs, a count of nothing */
	expect_unread_text(
		t, "Doing 2048 bits private rsa's for 4s: 119 2048 bits private RSA's in 3.98s\n",
		"");
	expect_unread_text(t,
			   "                  sign    verify    sign/s verify/s\n"
			   "rsa 1024 bits 0.033445s 0.000676s     29.9   1479.2\n",
			   "no figure for openssl/rsa2048");
	char *twice = mem_printf("%s%s", rsa_30, rsa_30);
	expect_unread_text(t, twice, "more than one run");
	free(twice);
	expect_unread_text(
		t,
		"Doing 2048 bits private rsa's for 4s: 0 2048 bits private RSA's in 0.00s\n"
		"Doing 2048 bits public rsa's for 4s: 5902 2048 bits public RSA's in 3.99s\n",
		"rsa2048");
	task_list_release(&l);
}

/* OpenSSL 3.5 times ten operations of one name. */
static void test_read_openssl_new(void **state)
{
	static const char raw[] =
		"Doing 2048 bits private rsa sign ops for 1s: 3087 2048 bits private RSA sign ops "
		"in "
		"0.99s\n"
		"Doing 2048 bits public rsa verify ops for 1s: 52377 2048 bits public RSA verify "
		"ops "
		"in 1.00s\n"
		"Doing 2048 bits public rsa encrypt ops for 1s: 49556 2048 bits public RSA encrypt "
		"ops in 1.00s\n"
		"Doing 2048 bits private rsa decrypt ops for 1s: 2914 2048 bits private RSA "
		"decrypt "
		"ops in 1.00s\n"
		"Doing rsa2048 keygen ops for 1s: 15 rsa2048 KEM keygen ops in 1.03s\n"
		"Doing rsa2048 encaps ops for 1s: 46868 rsa2048 KEM encaps ops in 0.99s\n"
		"Doing rsa2048 decaps ops for 1s: 3098 rsa2048 KEM decaps ops in 0.99s\n"
		"Doing rsa2048 keygen ops for 1s: 22 rsa2048 signature keygen ops in 1.03s\n"
		"Doing rsa2048 signs ops for 1s: 2960 rsa2048 signature sign ops in 1.00s\n"
		"Doing rsa2048 verify ops for 1s: 45593 rsa2048 signature verify ops in 1.00s\n"
		"version: 3.5.9\n"
		"                   sign    verify    encrypt   decrypt   sign/s verify/s  encr./s "
		" "
		"decr./s\n"
		"rsa  2048 bits 0.000321s 0.000019s 0.000020s 0.000343s   3118.2  52377.0  49556.0 "
		"  "
		"2914.0\n"
		"                               keygen    encaps    decaps keygens/s  encaps/s  "
		"decaps/s\n"
		"                    rsa2048 0.068667s 0.000021s 0.000320s      14.6   47341.4    "
		"3129.3\n"
		"                               keygen     signs    verify keygens/s    sign/s  "
		"verify/s\n"
		"                    rsa2048 0.046818s 0.000338s 0.000022s      21.4    2960.0   "
		"45593.0\n";
	struct task_list l = {{0}};
	struct err err = ERR_INIT;
	struct sample s;

	(void)state;
	assert_int_equal(expand("openssl", "algorithms=rsa2048 seconds=1", &l, &err), 0);
	assert_int_equal(read_text(&l.tasks.v[0], raw, sizeof(raw) - 1, &s, &err), 0);
	assert_int_equal(s.values.n, 2);
	assert_string_equal(s.values.v[0].metric, "openssl/rsa2048/sign");
	assert_true(fabs(s.values.v[0].value - 3087 / 0.99) < 1e-6);
	assert_string_equal(s.values.v[1].metric, "openssl/rsa2048/verify");
	assert_true(s.values.v[0].primary && s.values.v[1].primary);
	sample_release(&s);
	/* cut off where the encryption begins, as a run is */
	size_t cut = (size_t)(strstr(raw, "encrypt ops for") + 18 - raw);
	assert_int_equal(read_text(&l.tasks.v[0], raw, cut, &s, &err), 0);
	assert_int_equal(s.values.n, 2);
	assert_true(fabs(s.values.v[1].value - 52377) < 1e-6);
	sample_release(&s);
	/* and where not even the verifying is done: no sample */
	cut = (size_t)(strstr(raw, "52377") - raw);
	assert_int_not_equal(read_text(&l.tasks.v[0], raw, cut, &s, &err), 0);
	sample_release(&s);
	task_list_release(&l);
}

static void test_read_openssl_bulk(void **state)
{
	static const char raw[] =
		"Doing AES-128-CBC for 1s on 16384 size blocks: 96755 AES-128-CBC's in 1.00s\n"
		"version: 3.0.20\n"
		"The 'numbers' are in 1000s of bytes per second processed.\n"
		"type          16384 bytes\n"
		"AES-128-CBC    1585233.92k\n";
	struct task_list l = {{0}};
	struct err err = ERR_INIT;
	struct sample s;

	(void)state;
	assert_int_equal(expand("openssl", "evp=aes-128-cbc seconds=1", &l, &err), 0);
	assert_int_equal(read_text(&l.tasks.v[0], raw, sizeof(raw) - 1, &s, &err), 0);
	assert_int_equal(s.values.n, 1);
	assert_string_equal(s.values.v[0].metric, "openssl/evp.aes-128-cbc/16384");
	assert_string_equal(s.values.v[0].unit, "B/s");
	assert_true(fabs(s.values.v[0].value - 96755 * 16384.0) < 10000);
	assert_string_equal(s.values.v[0].conditions, "block=16384;clock=user;seconds=1;threads=1");
	sample_release(&s);
	task_list_release(&l);
}

static void test_read_command(void **state)
{
	struct workload_request q = request_of("command");
	struct task_list l = {{0}};
	struct err err = ERR_INIT;
	struct sample s;
	static const char good[] =
		"wall_ns 1500000000\nuser_ns 1200000000\nsys_ns 0\nmaxrss_bytes 4096\n";

	(void)state;
	q.name = mem_strdup("sort");
	strvec_push(&q.argv, "sort");
	assert_int_equal(q.kind->expand(&q, &l, &err), 0);
	strvec_push(&q.argv, "-r");
	assert_int_equal(q.kind->expand(&q, &l, &err), 0);
	const struct task *t = &l.tasks.v[0];
	assert_int_equal(read_text(t, good, sizeof(good) - 1, &s, &err), 0);
	assert_int_equal(s.values.n, 4);
	assert_string_equal(s.values.v[0].metric, "command/sort/wall");
	assert_true(s.values.v[0].value == 1.5);
	assert_true(s.values.v[0].primary);
	assert_false(s.values.v[1].primary);
	assert_string_equal(s.values.v[3].unit, "B");
	struct sample other;
	assert_int_equal(read_text(&l.tasks.v[1], good, sizeof(good) - 1, &other, &err), 0);
	/* other arguments, other conditions */
	assert_string_not_equal(s.values.v[0].conditions, other.values.v[0].conditions);
	sample_release(&other);
	sample_release(&s);
	expect_unread_text(t, "", "not complete");
	expect_unread_text(t, "wall_ns 1500000000\n", "not complete");
	expect_unread_text(t, "wall_ns 1500000000\nuser_ns 1\nsys_ns 0\nmaxrss_bytes 4096",
			   "not complete");
	expect_unread_text(t, "wall_ns -5\nuser_ns 1\nsys_ns 0\nmaxrss_bytes 1\n", "not complete");
	expect_unread_text(t, "wall_ns 0\nuser_ns 1\nsys_ns 0\nmaxrss_bytes 1\n", "no time");
	expect_unread_text(t, "wall_ns 1e9\nuser_ns 1\nsys_ns 0\nmaxrss_bytes 1\n", "not complete");
	expect_unread(t, good, sizeof(good), "not complete"); /* with its NUL */
	task_list_release(&l);
	workload_request_release(&q);
}

/* A server that takes `ns` for each evaluation, and its client 20 ms. */
static int slow_exec(struct system *s, const struct step *step, const struct exec_request *q,
		     struct outcome *out, struct err *err)
{
	int64_t ns_each = *(int64_t *)s->impl;
	const char *sql = strstr(q->argv->v[q->argv->n - 1], "BENCHMARK(");

	(void)step;
	(void)err;
	assert_non_null(sql);
	int64_t us = strtoll(sql + 10, NULL, 10) * ns_each / 1000;
	*out = (struct outcome){.status = OUTCOME_OK, .end_ns = us * 1000 + 20 * NS_PER_MS};
	buf_addf(&out->out, "2026-11-30 10:00:00.000000\t0\t2026-11-30 10:%02d:%02d.%06d\n",
		 (int)(us / 60000000), (int)(us / 1000000 % 60), (int)(us % 1000000));
	return 0;
}

static const struct system_kind slow_kind = {.scheme = "slow", .exec = slow_exec};

static void test_calibrate_mariadb(void **state)
{
	static const int64_t each[] = {10, 100, 3300, 500000, 100000000};
	struct task_list l = {{0}};
	struct err err = ERR_INIT;
	struct stack_programs p = {.mariadb = (char *)(uintptr_t) "/usr/bin/mariadb"};
	struct step step = {.name = "mariadb/encode/calibrate", .round = 0, .attempt = 1};

	(void)state;
	assert_int_equal(expand("mariadb", "", &l, &err), 0);
	const struct task *t = &l.tasks.v[0];
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		int64_t ns_each = each[i], count = 0;
		struct system s = {.kind = &slow_kind,
				   .name = (char *)(uintptr_t) "slow",
				   .run_dir_inside = (char *)(uintptr_t) "/run/lampduel",
				   .impl = &ns_each};
		struct stack *st = stack_new(&s, &p, NULL);
		assert_int_equal(
			t->kind->calibrate(t, &s, st, &step, NS_PER_S / 2, 0.0025, &count, &err),
			0);
		assert_true(count * ns_each >= NS_PER_S / 2 || count == t->kind->count_max);
		/* no sample is far longer than asked, but for the first try on a very slow one */
		assert_true(count * ns_each <= NS_PER_S || count == 1000);
		stack_free(st);
	}
	task_list_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registry),          cmocka_unit_test(test_request_set),
		cmocka_unit_test(test_expand_openssl),    cmocka_unit_test(test_expand_others),
		cmocka_unit_test(test_expand_command),    cmocka_unit_test(test_count_grow),
		cmocka_unit_test(test_helpers),           cmocka_unit_test(test_read_mariadb),
		cmocka_unit_test(test_read_openssl),      cmocka_unit_test(test_read_openssl_new),
		cmocka_unit_test(test_read_openssl_bulk), cmocka_unit_test(test_read_command),
		cmocka_unit_test(test_calibrate_mariadb),
	};

	return cmocka_run_group_tests_name("workload", tests, NULL, NULL);
}
