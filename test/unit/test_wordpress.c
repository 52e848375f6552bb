/* The page's workload: what it makes of answers, good and bad, of a site that plays its part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "workload/internal.h"

/* ---- pages ---- */

#define HEADERS(state)                                                                             \
	"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=UTF-8\r\nX-Lampduel-Cache: " state    \
	"\r\nx-lampduel-opcache:  on \r\n\r\n"
#define TEXT "<html><body>text</body></html>\n"
#define COMMENT "<!-- Dynamic page generated in 1.701234 seconds. -->\n"
#define REQUEST "<!-- lampduel request n.1 -->\n"

static void test_page(void **state)
{
	struct page p;
	static const char body[] = TEXT COMMENT REQUEST;

	(void)state;
	page_read(HEADERS("miss"), body, sizeof(body) - 1, &p);
	assert_true(p.is_html && p.complete && p.nuls == 0);
	assert_string_equal(p.cache, "miss");
	assert_string_equal(p.opcache, "on");
	assert_string_equal(p.problem, "");
	assert_string_equal(p.comment, "<!-- Dynamic page generated in 1.701234 seconds. -->");
	assert_string_equal(p.nonce, "n.1");
	assert_int_equal(p.text_len, sizeof(TEXT) - 1);
	assert_true(p.hash == hash_more(HASH_START, TEXT, sizeof(TEXT) - 1));
	page_release(&p);
}

static void test_page_odd(void **state)
{
	/* none of these has the closing comments */
	static const char *const bodies[] = {
		"",
		TEXT,
		TEXT COMMENT,
		TEXT REQUEST,
		TEXT COMMENT "<!-- lampduel request n.1 -->",
		TEXT COMMENT REQUEST "more\n",
		TEXT "<!-- Dynamic page generated in 1.7 seconds. -->",
		COMMENT REQUEST,
		TEXT "<!-- Dynamic page generated in " REQUEST,
		TEXT COMMENT "<!-- lampduel request -->\n",
	};
	struct page p;

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		page_read("", bodies[i], strlen(bodies[i]), &p);
		assert_string_equal(p.nonce, "");
		assert_string_equal(p.comment, "");
		assert_int_equal(p.text_len, strlen(bodies[i]));
		assert_false(p.is_html);
		assert_string_equal(p.cache, "");
		page_release(&p);
	}
	/* an article that quotes the comment: the last one counts */
	static const char quoting[] = "<html>\n" COMMENT REQUEST
				      "</html>\n<!-- Dynamic page generated in 2.5 seconds. -->\n"
				      "<!-- lampduel request b -->\n";
	page_read(HEADERS("miss"), quoting, sizeof(quoting) - 1, &p);
	assert_string_equal(p.nonce, "b");
	page_release(&p);
	static const char nuls[] = "\0</html>\0";
	page_read("", nuls, sizeof(nuls) - 1, &p);
	assert_int_equal(p.nuls, 2);
	page_release(&p);
	page_read("X-Lampduel-Problem: bad \x1b[1m thing\r\n", NULL, 0, &p);
	assert_string_equal(p.problem, "bad \\x1b[1m thing");
	page_release(&p);
}

static void test_page_seconds(void **state)
{
	double v = 0, step = 0;

	(void)state;
	assert_true(
		page_seconds("<!-- Dynamic page generated in 1.701234 seconds. -->", &v, &step));
	assert_true(fabs(v - 1.701234) < 1e-12 && fabs(step - 1e-6) < 1e-15);
	assert_true(page_seconds("<!-- Dynamic page generated in 0.25 seconds. -->", &v, &step));
	assert_true(fabs(step - 0.01) < 1e-12);
	static const char *const bad[] = {
		"",
		"<!-- Dynamic page generated in  seconds. -->",
		"<!-- Dynamic page generated in seconds. -->",
		"<!-- Dynamic page generated in 5 seconds. -->",
		"<!-- Dynamic page generated in 5. seconds. -->",
		"<!-- Dynamic page generated in 0.000000 seconds. -->",
		"<!-- Dynamic page generated in -1.5 seconds. -->",
		"<!-- Dynamic page generated in 1,5 seconds. -->",
		"<!-- Dynamic page generated in 1.5e3 seconds. -->",
		"<!-- Dynamic page generated in 0x1.8 seconds. -->",
		"<!-- Dynamic page generated in nan seconds. -->",
		"<!-- Cached page generated in 1.5 seconds. -->",
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(page_seconds(bad[i], &v, &step));
}

/* ---- a site ---- */

enum fault {
	FINE,
	STALE,      /* purging does nothing */
	NEVER_HITS, /* nothing is stored */
	REDIRECTS,  /* 301 */
	ERROR_PAGE, /* 500 with a page */
	NOT_HTML,
	CUT,
	NULS,
	NO_COMMENT,
	OTHER_TEXT, /* each page is another */
	OTHER_NONCE,
	TOO_LONG, /* says more time than it had */
	NO_OPCACHE,
	NO_PURGE, /* 200 for PURGE */
	REFUSED,  /* no server */
	GONE,     /* the sandbox ended */
	SETTLES,  /* the first two pages are others */
	LOST,     /* the stored copy is gone without a purge */
	SWAPPED,  /* the stored copy is of another request */
};

struct site {
	enum fault fault;
	int from; /* the fault begins with this generated page */
	int pages, gets, purges;
	int64_t now;
	struct buf stored;
};

static struct site *site_of(struct system *s)
{
	return s->impl;
}

static enum fault fault_now(const struct site *w)
{
	return w->pages >= w->from ? w->fault : FINE;
}

static void answer_generated(struct site *w, const char *nonce, struct outcome *out)
{
	enum fault f = fault_now(w);
	const char *state = f == NEVER_HITS ? "none" : "miss";
	int variant = f == OTHER_TEXT ? w->pages : 0;

	if (f == SETTLES && w->pages < w->from + 2)
		variant = w->pages + 1;
	out->http_status = f == ERROR_PAGE ? 500 : 200;
	if (f == ERROR_PAGE)
		outcome_fail(out, OUTCOME_FAILED, "/: HTTP status 500");
	buf_addf(&out->headers, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nX-Lampduel-Cache: %s\r\n",
		 f == NOT_HTML ? "application/json" : "text/html", state);
	buf_addf(&out->headers, "X-Lampduel-Opcache: %s\r\n", f == NO_OPCACHE ? "off" : "on");
	buf_addf(&out->out, "<html>%0*d", 10 + variant, variant);
	if (f == NULS)
		buf_add(&out->out, "\0", 1);
	buf_addstr(&out->out, f == CUT ? "\n" : "</html>\n");
	if (f != NO_COMMENT)
		buf_addf(&out->out,
			 "<!-- Dynamic page generated in %s seconds. -->\n<!-- lampduel request %s "
			 "-->\n",
			 f == TOO_LONG ? "9.000000" : "0.090000", f == OTHER_NONCE ? "x" : nonce);
	buf_clear(&w->stored);
	if (f != NEVER_HITS)
		buf_add(&w->stored, out->out.data, out->out.len);
	w->pages++;
}

static int site_fetch(struct system *s, const struct step *step, const struct fetch_request *q,
		      struct outcome *out, struct err *err)
{
	struct site *w = site_of(s);
	enum fault f = fault_now(w);

	(void)step;
	*out = (struct outcome){.status = OUTCOME_OK, .start_ns = w->now};
	w->now += 100 * NS_PER_MS;
	out->end_ns = w->now;
	if (f == GONE)
		return err_code(err, ERR_GONE, "the sandbox ended");
	if (f == REFUSED) {
		outcome_fail(out, OUTCOME_FAILED, "/: no server answers");
		return 0;
	}
	if (strcmp(q->method, "PURGE") == 0) {
		w->purges++;
		out->http_status = f == NO_PURGE ? 200 : 204;
		if (f != STALE)
			buf_clear(&w->stored);
		return 0;
	}
	w->gets++;
	if (f == LOST)
		buf_clear(&w->stored);
	if (f == SWAPPED && w->stored.len > 0) {
		char *mark = strstr(w->stored.data, "lampduel request");
		mark[17] = 'X';
	}
	if (f == REDIRECTS) {
		out->http_status = 301;
		outcome_fail(out, OUTCOME_FAILED, "/: HTTP status 301, a redirect, not the page");
	} else if (w->stored.len > 0) {
		out->http_status = 200;
		buf_addstr(&out->headers, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
					  "X-Lampduel-Cache: hit\r\n");
		buf_add(&out->out, w->stored.data, w->stored.len);
	} else {
		const char *nonce = q->headers == NULL ? "" : q->headers->v[0];
		answer_generated(w, strchr(nonce, ' ') + 1, out);
	}
	return 0;
}

static const struct system_kind site_kind = {.scheme = "site", .fetch = site_fetch};

struct bench {
	struct site site;
	struct system system;
	struct stack_programs programs;
	struct wordpress_tree tree;
	struct stack *stack;
	struct task_list tasks;
	struct task *task;
};

static void bench_open(struct bench *b, enum fault fault, int from)
{
	struct workload_request q = {0};
	struct err err = ERR_INIT;

	memset(b, 0, sizeof(*b));
	b->site.fault = fault;
	b->site.from = from;
	b->system.kind = &site_kind;
	b->system.name = (char *)(uintptr_t) "site";
	b->system.run_dir_inside = (char *)(uintptr_t) "/run/lampduel";
	b->system.impl = &b->site;
	b->tree.version = (char *)(uintptr_t) "6.1.9";
	b->tree.theme = (char *)(uintptr_t) "plain";
	b->stack = stack_new(&b->system, &b->programs, &b->tree);
	q.kind = workload_kind_named("wordpress", &err);
	assert_int_equal(workload_request_set(&q, "requests", "3", &err), 0);
	assert_int_equal(workload_request_set(&q, "cached", "2", &err), 0);
	assert_int_equal(q.kind->expand(&q, &b->tasks, &err), 0);
	b->task = &b->tasks.tasks.v[0];
	workload_request_release(&q);
}

static void bench_close(struct bench *b)
{
	stack_free(b->stack);
	buf_release(&b->site.stored);
	task_list_release(&b->tasks);
}

/* Runs a sample and reads it. *why: the reason of what went wrong, new string. */
static bool run_sample(struct bench *b, struct sample *s, enum outcome_status *status, char **why)
{
	struct step step = {.name = "wordpress/opcache-on", .round = 2, .attempt = 1};
	struct outcome out = {0};
	struct buf raw = BUF_INIT;
	struct err err = ERR_INIT;
	const struct workload_kind *k = b->task->kind;
	bool ok = false;

	*s = (struct sample){{0}};
	assert_int_equal(k->run_once(b->task, &b->system, b->stack, &step, &out, &raw, &err), 0);
	*status = out.status;
	if (out.status == OUTCOME_OK)
		ok = k->read(b->task, buf_str(&raw), raw.len, s, &err) == 0;
	*why = mem_strdup(out.status == OUTCOME_OK ? err.msg : out.reason);
	outcome_release(&out);
	buf_release(&raw);
	return ok;
}

static void test_sample(void **state)
{
	struct bench b;
	struct sample s;
	enum outcome_status status;
	char *why = NULL;

	(void)state;
	bench_open(&b, FINE, 0);
	assert_true(run_sample(&b, &s, &status, &why));
	assert_int_equal(b.site.purges, 3);
	assert_int_equal(b.site.pages, 3);
	assert_int_equal(b.site.gets, 5);
	assert_int_equal(s.values.n, 3);
	assert_string_equal(s.values.v[0].metric, "wordpress/page/generate");
	assert_true(s.values.v[0].primary && !s.values.v[1].primary && !s.values.v[2].primary);
	assert_true(fabs(s.values.v[0].value - 0.09) < 1e-12);
	assert_int_equal(s.values.v[0].n, 3);
	assert_true(fabs(s.values.v[0].step - 1e-6) < 1e-15);
	assert_string_equal(s.values.v[0].conditions,
			    "cache=purged;opcache=on;page=/weighing-two-machines/;requests=3;"
			    "theme=plain;wordpress=6.1.9");
	assert_string_equal(s.values.v[1].metric, "wordpress/page/total");
	assert_true(fabs(s.values.v[1].value - 0.1) < 1e-9);
	assert_string_equal(s.values.v[2].metric, "wordpress/cached/total");
	assert_int_equal(s.values.v[2].n, 2);
	sample_release(&s);
	free(why);
	bench_close(&b);
}

static void expect_fault(enum fault fault, int from, const char *words)
{
	struct bench b;
	struct sample s;
	enum outcome_status status;
	char *why = NULL;

	bench_open(&b, fault, from);
	assert_false(run_sample(&b, &s, &status, &why));
	if (strstr(why, words) == NULL)
		fail_msg("fault %d: \"%s\" is not in \"%s\"", (int)fault, words, why);
	assert_null(strchr(why, '\n'));
	sample_release(&s);
	free(why);
	bench_close(&b);
}

static void test_faults(void **state)
{
	static const struct {
		enum fault fault;
		const char *words;
	} cases[] = {
		{STALE, "request 2: the page was not generated for it (X-Lampduel-Cache: hit)"},
		{NEVER_HITS, "request 2: the page was not generated for it"},
		{REDIRECTS, "request 2: /: HTTP status 301"},
		{ERROR_PAGE, "request 2: /: HTTP status 500"},
		{NOT_HTML, "request 2: the answer is no HTML"},
		{CUT, "request 2: the page is cut off"},
		{NULS, "request 2: the page holds NUL bytes"},
		{NO_COMMENT, "request 2: the page does not end in the comment with its time"},
		{OTHER_TEXT, "request 2: the page is not the first one's"},
		{OTHER_NONCE, "request 2: the page carries another request's mark"},
		{TOO_LONG, "request 2: the page says 9.000000 s"},
		{NO_OPCACHE, "request 2: OPcache is off"},
		{NO_PURGE, "the page cache cannot be purged: HTTP status 200"},
		{REFUSED, "request 2: /: no server answers"},
	};
	static const struct {
		enum fault fault;
		const char *words;
	} later[] = {
		{LOST, "cached request 1: not served from the page cache (X-Lampduel-Cache: miss)"},
		{SWAPPED, "cached request 1: the copy is not of the page generated last"},
		{REDIRECTS, "cached request 1: /: HTTP status 301"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_fault(cases[i].fault, 1, cases[i].words);
	for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++)
		expect_fault(later[i].fault, 3, later[i].words);
}

static void test_gone(void **state)
{
	struct step step = {.name = "wordpress/opcache-on", .round = 1, .attempt = 1};
	struct outcome out = {0};
	struct buf raw = BUF_INIT;
	struct err err = ERR_INIT;
	struct bench b;

	(void)state;
	bench_open(&b, GONE, 1);
	assert_int_equal(
		b.task->kind->run_once(b.task, &b.system, b.stack, &step, &out, &raw, &err),
		ERR_GONE);
	outcome_release(&out);
	buf_release(&raw);
	bench_close(&b);
}

static void test_warm_up(void **state)
{
	struct step step = {.name = "wordpress/opcache-on/life", .round = 1, .attempt = 1};
	struct err err = ERR_INIT;
	struct bench b;

	(void)state;
	bench_open(&b, FINE, 0);
	assert_int_equal(b.task->kind->warm_up(b.task, &b.system, b.stack, &step, &err), 0);
	assert_int_equal(b.site.pages, 2);
	bench_close(&b);
	bench_open(&b, SETTLES, 0);
	assert_int_equal(b.task->kind->warm_up(b.task, &b.system, b.stack, &step, &err), 0);
	assert_int_equal(b.site.pages, 4);
	bench_close(&b);
	bench_open(&b, OTHER_TEXT, 0);
	assert_true(b.task->kind->warm_up(b.task, &b.system, b.stack, &step, &err) < 0);
	assert_non_null(strstr(err.msg, "after 8 pages two in a row still differ"));
	bench_close(&b);
	bench_open(&b, NO_OPCACHE, 0);
	assert_true(b.task->kind->warm_up(b.task, &b.system, b.stack, &step, &err) < 0);
	assert_non_null(strstr(err.msg, "OPcache is off"));
	bench_close(&b);
}

static void test_fingerprint_and_count(void **state)
{
	struct step step = {.name = "wordpress/opcache-on/calibrate", .round = 0, .attempt = 1};
	struct err err = ERR_INIT;
	struct buf text = BUF_INIT;
	struct bench b;
	int64_t count = 0;

	(void)state;
	bench_open(&b, FINE, 0);
	assert_int_equal(b.task->kind->fingerprint(b.task, &b.system, b.stack, &step, &text, &err),
			 0);
	assert_string_equal(buf_str(&text), "<html>0000000000</html>\n");
	buf_release(&text);
	/* pages of 0.09 s: six are the first that last half a second */
	assert_int_equal(b.task->kind->calibrate(b.task, &b.system, b.stack, &step, NS_PER_S / 2,
						 0.0025, &count, &err),
			 0);
	assert_int_equal(count, 6);
	assert_int_equal(b.task->kind->calibrate(b.task, &b.system, b.stack, &step, 1000 * NS_PER_S,
						 0.0025, &count, &err),
			 0);
	assert_int_equal(count, 200);
	bench_close(&b);
}

/* Records that no run of ours would leave. */
static void test_hostile_raw(void **state)
{
	static const char *const raws[] = {
		"",
		"null",
		"[]",
		"{}",
		"{\"requests\":[]}",
		"{\"requests\":[1,2,3],\"cached\":[1,2]}",
		"{\"requests\":[{},{},{}],\"cached\":[{},{}]}",
		"{\"requests\":{\"a\":1},\"cached\":null}",
		"{\"requests\":[{\"http\":200,\"html\":true,\"complete\":true,\"total_ns\":1,"
		"\"cache\":\"miss\",\"sent\":\"\",\"nonce\":\"\"},{},{}]}",
		"{\"requests\":[{\"http\":200,\"html\":true,\"complete\":true,\"total_ns\":1,"
		"\"cache\":\"miss\",\"sent\":\"a\",\"nonce\":\"a\",\"comment\":7},{},{}]}",
		"{\"requests\"",
	};
	struct bench b;

	(void)state;
	bench_open(&b, FINE, 0);
	for (size_t i = 0; i < sizeof(raws) / sizeof(raws[0]); i++) {
		struct sample s = {{0}};
		struct err err = ERR_INIT;
		assert_true(wordpress_read(b.task, raws[i], strlen(raws[i]), &s, &err) < 0);
		assert_true(err.msg[0] != '\0');
		sample_release(&s);
	}
	bench_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page),         cmocka_unit_test(test_page_odd),
		cmocka_unit_test(test_page_seconds), cmocka_unit_test(test_sample),
		cmocka_unit_test(test_faults),       cmocka_unit_test(test_gone),
		cmocka_unit_test(test_warm_up),      cmocka_unit_test(test_fingerprint_and_count),
		cmocka_unit_test(test_hostile_raw),
	};

	return cmocka_run_group_tests_name("wordpress", tests, NULL, NULL);
}
