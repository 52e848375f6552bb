/* Recordings: what a system answered is answered again, byte for byte and at the same times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/text.h"
#include "check.h"
#include "system/kinds.h"
#include "system/recorded.h"
#include "system/recorder.h"
#include "system/recording.h"

static char dir[64];
static char *path;

static int set_up(void **state)
{
	(void)state;
	(void)snprintf(dir, sizeof(dir), "/tmp/lampduel-recording-XXXXXX");
	if (mkdtemp(dir) == NULL)
		return -1;
	path = fs_join(dir, "run.jsonl");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(path);
	return fs_remove_tree(dir, NULL);
}

/*
 * A made-up kind of system. Its answers depend on how often it was asked and on the clock, which
 * it moves, so that equal answers of a replay can only come from the recording.
 */
struct toy {
	int asked;
	int alive_asked; /* since the last service was started */
	bool closed;
};

static struct toy toy;

static void toy_answer(struct system *s, struct outcome *out, const char *what,
		       const struct step *step)
{
	*out = (struct outcome){.status = OUTCOME_OK, .start_ns = clock_now_ns(s->clock)};
	clock_advance_to(s->clock, out->start_ns + 1000 + 7 * ++toy.asked);
	out->end_ns = clock_now_ns(s->clock) - 3;
	out->user_ns = 11 * toy.asked;
	out->sys_ns = 5;
	out->maxrss_bytes = 4096 + toy.asked;
	buf_addf(&out->out, "%s %s %d.%d: answer %d\n", what, step->name, step->round,
		 step->attempt, toy.asked);
}

static int toy_exec(struct system *s, const struct step *step, const struct exec_request *q,
		    struct outcome *out, struct err *err)
{
	(void)q;
	toy_answer(s, out, "exec", step);
	if (text_equal(step->name, "binary")) {
		buf_add(&out->out, "\0\xff\xfe\x00\x80 end", 9);
		buf_add(&out->err, "\xc3\xa9t\xc3\xa9 \0 \x1b[0m", 12);
	}
	if (text_equal(step->name, "fails")) {
		out->exit_code = 3;
		out->signal = 9;
		out->truncated = true;
		outcome_fail(out, OUTCOME_TIMEOUT, "gave up after %d s", 60);
	}
	if (text_equal(step->name, "gone"))
		return err_code(err, ERR_GONE, "the sandbox ended");
	return 0;
}

/* Pages like WordPress': 40 kB that differ in a time, and in the system's name in the middle. */
static int toy_fetch(struct system *s, const struct step *step, const struct fetch_request *q,
		     struct outcome *out, struct err *err)
{
	(void)q;
	(void)err;
	toy_answer(s, out, "fetch", step);
	buf_clear(&out->out);
	for (int i = 0; i < 1000; i++) {
		buf_addf(&out->out, "<p class=\"c%d\">Paragraph %d of many</p>\n", i % 7, i);
		if (i == 500)
			buf_addf(&out->out, "<b>%s</b>\n", s->name);
	}
	buf_addf(&out->out, "<!-- Dynamic page generated in 2.%04d seconds. -->", toy.asked);
	buf_addstr(&out->headers, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");
	out->http_status = 200;
	out->ttfb_ns = 77;
	return 0;
}

static int toy_spawn(struct system *s, const struct step *step, const struct exec_request *q,
		     const char *log, int *id, struct err *err)
{
	(void)s;
	(void)q;
	(void)log;
	if (text_equal(step->name, "bad"))
		return err_set(err, "no such program");
	*id = 42; /* the same for every service */
	toy.alive_asked = 0;
	return 0;
}

static bool toy_alive(struct system *s, int id, const char **how)
{
	(void)s;
	assert_int_equal(id, 42);
	if (++toy.alive_asked < 4)
		return true;
	*how = "signal 11";
	return false;
}

static int toy_stop(struct system *s, const struct step *step, int id, int64_t grace_ns,
		    struct err *err)
{
	(void)step;
	(void)grace_ns;
	(void)err;
	assert_int_equal(id, 42);
	clock_sleep_ns(s->clock, 500);
	return 0;
}

static int toy_put(struct system *s, const struct step *step, const char *p, const void *data,
		   size_t len, struct err *err)
{
	(void)s;
	(void)p;
	(void)data;
	return len > 3 ? err_set(err, "%s: too long", step->name) : 0;
}

static int toy_get(struct system *s, const struct step *step, const char *p, size_t max,
		   struct buf *out, struct err *err)
{
	(void)s;
	(void)step;
	(void)max;
	if (!text_equal(p, "/etc/os-release"))
		return err_set(err, "no file %s", p);
	buf_addstr(out, "ID=debian\n");
	return 0;
}

static int toy_place(struct system *s, enum placement p, struct err *err)
{
	(void)s;
	(void)p;
	(void)err;
	return 0;
}

static int toy_free_port(struct system *s, const struct step *step, int *port, struct err *err)
{
	(void)s;
	(void)step;
	(void)err;
	*port = 40000 + ++toy.asked;
	return 0;
}

static void toy_close(struct system *s)
{
	assert_ptr_equal(s->impl, &toy);
	toy.closed = true;
}

static const struct system_kind toy_kind = {
	.scheme = "toy",
	.exec = toy_exec,
	.spawn = toy_spawn,
	.alive = toy_alive,
	.stop = toy_stop,
	.fetch = toy_fetch,
	.put = toy_put,
	.get = toy_get,
	.place = toy_place,
	.free_port = toy_free_port,
	.close = toy_close,
};

/* system_open() knows registered kinds only: the toy is put together here. */
static struct system *toy_system(const char *name, struct clock *c)
{
	struct system *s = mem_alloc(sizeof(*s));

	s->kind = &toy_kind;
	s->impl = &toy;
	s->name = mem_strdup(name);
	s->target = mem_strdup("toy:box");
	s->run_dir_inside = mem_strdup("/run/toy");
	s->arch = mem_strdup("armel");
	s->emulated = true;
	s->is_rootfs = true;
	s->emulator = mem_strdup("qemu-arm 7.2");
	s->emulated_cpu = mem_strdup("cortex-a7");
	s->root_host = mem_strdup("/somewhere");
	s->placement_text[PLACE_ALL] = "CPUs 0-1";
	s->placement_text[PLACE_MEASURED] = "CPU 1";
	s->share_asked[0] = mem_strdup("/run/tree");
	s->share_inside[0] = mem_strdup("/srv/tree");
	s->clock = c;
	factset_set(&s->facts, "release.date", "2026-01-01", "Release");
	factset_set(&s->facts, "release.empty", "", "");
	return s;
}

/* Everything that was answered, as text: equal transcripts are equal runs. */
static void tell_outcome(struct buf *t, const struct outcome *o)
{
	buf_addf(t, "%s %s %d %d %lld %lld %lld %lld %lld %d %d %lld out %zu:",
		 outcome_status_name(o->status), o->reason == NULL ? "-" : o->reason, o->exit_code,
		 o->signal, (long long)o->start_ns, (long long)o->end_ns, (long long)o->user_ns,
		 (long long)o->sys_ns, (long long)o->maxrss_bytes, o->truncated, o->http_status,
		 (long long)o->ttfb_ns, o->out.len);
	buf_add(t, buf_str(&o->out), o->out.len);
	buf_addf(t, " err %zu:", o->err.len);
	buf_add(t, buf_str(&o->err), o->err.len);
	buf_add(t, buf_str(&o->headers), o->headers.len);
}

static void tell(struct buf *t, struct system *s, int rc, const struct err *err)
{
	buf_addf(t, "= %d %s at %lld\n", rc, rc == 0 ? "" : err->msg,
		 (long long)clock_now_ns(s->clock));
}

static void run_exec(struct system *s, const char *name, int round, int attempt, struct buf *t)
{
	const struct step step = {name, round, attempt};
	const struct exec_request q = {.timeout_ns = 1};
	struct outcome out;
	struct err err = ERR_INIT;

	int rc = system_exec(s, &step, &q, &out, &err);
	tell_outcome(t, &out);
	tell(t, s, rc, &err);
	outcome_release(&out);
}

static void run_fetch(struct system *s, const char *name, int round, struct buf *t)
{
	const struct step step = {name, round, 1};
	const struct fetch_request q = {.timeout_ns = 1};
	struct outcome out;
	struct err err = ERR_INIT;

	int rc = system_fetch(s, &step, &q, &out, &err);
	tell_outcome(t, &out);
	tell(t, s, rc, &err);
	outcome_release(&out);
}

static void run_files(struct system *s, struct buf *t)
{
	const struct step step = {"files", 0, 1};
	struct buf got = BUF_INIT;
	struct err err = ERR_INIT;

	buf_addstr(&got, "kept,");
	tell(t, s, system_put(s, &step, "/x", "abc", 3, &err), &err);
	tell(t, s, system_put(s, &step, "/x", "abcd", 4, &err), &err);
	tell(t, s, system_get(s, &step, "/etc/os-release", 100, &got, &err), &err);
	buf_addstr(t, got.data);
	tell(t, s, system_get(s, &step, "/missing", 100, &got, &err), &err);
	tell(t, s, system_place(s, PLACE_MEASURED, &err), &err);
	tell(t, s, system_place(s, PLACE_ALL, &err), &err);
	buf_release(&got);
}

static void run_service(struct system *s, int round, struct buf *t)
{
	const struct step step = {"stack/mariadb", round, 1};
	const struct step bad = {"bad", round, 1};
	const struct exec_request q = {.timeout_ns = 1};
	const char *how = "";
	int id = 0;
	int port = 0;
	struct err err = ERR_INIT;

	tell(t, s, system_free_port(s, &step, &port, &err), &err);
	tell(t, s, system_spawn(s, &bad, &q, "/log", &id, &err), &err);
	tell(t, s, system_spawn(s, &step, &q, "/log", &id, &err), &err);
	for (int i = 0; i < 6; i++)
		buf_addf(t, "%d", system_alive(s, id, &how));
	tell(t, s, system_stop(s, &step, id, 1, &err), &err);
	buf_addf(t, "service %d ended by %s, port %d\n", id, how, port);
}

static void run_all(struct system *s, struct buf *t)
{
	run_exec(s, "facts", 0, 1, t);
	run_files(s, t);
	for (int round = 1; round <= 3; round++) {
		run_service(s, round, t);
		run_exec(s, "work", round, 1, t);
		run_exec(s, "work", round, 1, t); /* twice within one attempt */
		run_exec(s, "work", round, 2, t);
		run_fetch(s, "page", round, t);
		run_fetch(s, "page", round, t);
	}
	run_exec(s, "binary", 1, 1, t);
	run_exec(s, "fails", 1, 1, t);
	run_exec(s, "gone", 1, 1, t);
}

static void record(struct buf *a, struct buf *b)
{
	struct clock c;

	toy = (struct toy){0};
	clock_init_virtual(&c, 5000, INT64_C(1796000000) * NS_PER_S);
	struct recording *r = recording_new(&c, "lampduel run --record x");
	struct system *soft = toy_system("soft", &c);
	struct system *hard = toy_system("hard", &c);
	recorder_wrap(soft, r);
	recorder_wrap(hard, r);
	run_all(soft, a);
	run_all(hard, b);
	system_close(soft);
	assert_true(toy.closed);
	system_close(hard);
	assert_ok(recording_save(r, path, err));
	recording_free(r);
}

static struct system *open_recorded(const char *name, const char *target, struct clock *c,
				    struct err *err)
{
	struct system_options o = {.name = name, .target = target, .clock = c};

	o.shares[0] = (struct system_share){"/here/tree", "/run/tree"};
	o.n_shares = 1;
	return system_open(&o, err);
}

static void a_replay_is_the_run(void **state)
{
	struct buf first[2] = {BUF_INIT, BUF_INIT};
	struct buf again[2] = {BUF_INIT, BUF_INIT};
	struct clock c;
	struct err why = ERR_INIT;

	(void)state;
	record(&first[0], &first[1]);
	char *target = mem_printf("recorded:%s", path);
	char *hash = mem_printf("recorded:%s#hard", path);
	assert_ok(recorded_start_clock(target, &c, err));
	assert_true(c.is_virtual);
	assert_int_equal(clock_now_ns(&c), 5000);
	assert_true(clock_unix_ns(&c) == INT64_C(1796000000) * NS_PER_S + 5000);
	struct system *soft = open_recorded("soft", target, &c, &why);
	struct system *hard = open_recorded("fast", hash, &c, &why);
	if (soft == NULL || hard == NULL)
		fail_msg("%s", why.msg);
	assert_string_equal(soft->name, "soft");
	assert_string_equal(soft->run_dir_inside, "/run/toy");
	assert_string_equal(soft->arch, "armel");
	assert_string_equal(soft->emulator, "qemu-arm 7.2");
	assert_string_equal(soft->emulated_cpu, "cortex-a7");
	assert_true(soft->emulated && soft->is_rootfs && soft->is_recorded);
	assert_null(soft->root_host);
	assert_string_equal(soft->placement_text[PLACE_MEASURED], "CPU 1");
	assert_string_equal(system_share_inside(soft, "/run/tree"), "/srv/tree");
	assert_string_equal(factset_get(&soft->facts, "release.date"), "2026-01-01");
	assert_string_equal(factset_get(&soft->facts, "release.empty"), "");
	assert_string_equal(factset_get(&soft->facts, "recorded.target"), "toy:box");
	run_all(soft, &again[0]);
	run_all(hard, &again[1]);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(first[i].len, again[i].len);
		assert_memory_equal(first[i].data, again[i].data, first[i].len);
		buf_release(&first[i]);
		buf_release(&again[i]);
	}
	system_close(soft);
	system_close(hard);
	free(hash);
	free(target);
}

/* Twelve pages of 40 kB that are nearly alike take little more than one. */
static void like_pages_are_shared(void **state)
{
	struct buf a = BUF_INIT;
	struct buf b = BUF_INIT;
	struct buf file = BUF_INIT;

	(void)state;
	record(&a, &b);
	assert_ok(fs_read(path, 1 << 24, &file, err));
	assert_true(file.len < 70000);
	assert_true(a.len > 6 * 35000);
	const char *line = strstr(file.data, "Paragraph 999 ");
	assert_non_null(line);
	assert_null(strstr(line + 1, "Paragraph 999 "));
	buf_release(&a);
	buf_release(&b);
	buf_release(&file);
}

static void missing_answers_are_named(void **state)
{
	struct buf t = BUF_INIT;
	struct buf u = BUF_INIT;
	struct clock c;
	struct err why = ERR_INIT;
	const struct step step = {"work", 3, 2};
	const struct exec_request q = {.timeout_ns = 1};
	const struct fetch_request fq = {.timeout_ns = 1};
	struct outcome out;
	int n = 0;

	(void)state;
	record(&t, &u);
	clock_init_virtual(&c, 0, 0);
	char *target = mem_printf("recorded:%s#soft", path);
	struct system *s = open_recorded("one", target, &c, &why);
	assert_non_null(s);
	buf_clear(&t);
	run_exec(s, "work", 3, 2, &t);
	assert_non_null(strstr(t.data, "answer"));
	assert_ok(system_exec(s, &step, &q, &out, err));
	assert_int_equal(out.status, OUTCOME_SKIPPED);
	assert_string_equal(out.reason, "the recording has no (further) exec of one: step work, "
					"round 3, attempt 2");
	outcome_release(&out);
	assert_ok(system_fetch(s, &step, &fq, &out, err));
	assert_int_equal(out.status, OUTCOME_SKIPPED);
	outcome_release(&out);
	assert_fails(system_spawn(s, &step, &q, "/log", &n, err), "no (further) spawn of one");
	assert_fails(system_stop(s, &step, 1, 1, err), "round 3");
	assert_fails(system_put(s, &step, "/x", "", 0, err), "step work");
	assert_fails(system_get(s, &step, "/x", 1, &u, err), "attempt 2");
	assert_fails(system_free_port(s, &step, &n, err), "no (further) free_port");
	assert_ok(system_place(s, PLACE_MEASURED, err));
	assert_ok(system_place(s, PLACE_MEASURED, err));
	assert_true(system_alive(s, 99, NULL));
	system_close(s);
	free(target);
	buf_release(&t);
	buf_release(&u);
}

#define HEAD "{\"lampduel_recording\":1}\n{\"system\":\"a\"}\n"

static void assert_load_fails(const char *text, const char *message)
{
	struct err why = ERR_INIT;

	assert_ok(fs_write_atomic(path, text, strlen(text), 0600, err));
	struct recording *r = recording_load(path, &why);
	if (r != NULL || strstr(why.msg, message) == NULL || strstr(why.msg, path) == NULL)
		fail_msg("not \"%s\": %s", message, why.msg);
}

static void bad_files_are_refused(void **state)
{
	(void)state;
	assert_load_fails("", "it has no system");
	assert_load_fails("{\"lampduel_recording\":1}\n", "it has no system");
	assert_load_fails("hello\n", ":1: not a JSON object");
	assert_load_fails("{\"a\":1}\n", ":1: not a recording");
	assert_load_fails("{\"lampduel_recording\":2}\n", ":1: a recording of a newer");
	assert_load_fails("{\"lampduel_recording\":1,\"x\":2}\n", "unknown key \"x\"");
	assert_load_fails(HEAD "{\"system\":\"a\"}\n", ":3: system: a second one");
	assert_load_fails(HEAD "\n# comment\n[1]\n", ":5: not a JSON object");
	assert_load_fails(HEAD "{\"call\":\"exec\",\"system\":\"b\",\"step\":\"s\"}\n",
			  ":3: system: none of this name");
	assert_load_fails(HEAD "{\"call\":\"sing\",\"system\":\"a\",\"step\":\"s\"}\n",
			  ":3: call: not a call");
	assert_load_fails(HEAD "{\"call\":\"exec\",\"system\":\"a\"}\n", ":3: step: missing");
	assert_load_fails(HEAD
			  "{\"call\":\"exec\",\"system\":\"a\",\"step\":\"s\",\"round\":\"1\"}\n",
			  ":3: round: not a whole number");
	assert_load_fails(
		HEAD "{\"call\":\"exec\",\"system\":\"a\",\"step\":\"s\",\"round\":99999999999}\n",
		":3: round: out of range");
	assert_load_fails(
		HEAD "{\"call\":\"exec\",\"system\":\"a\",\"step\":\"s\",\"status\":\"failed\"}\n",
		":3: reason: missing");
	assert_load_fails(HEAD "{\"call\":\"get\",\"system\":\"a\",\"step\":\"s\",\"code\":-1}\n",
			  ":3: code: ");
	assert_load_fails(HEAD "{\"call\":\"get\",\"system\":\"a\",\"step\":\"s\",\"out\":{"
			       "\"base64\":\"a\"}}\n",
			  ":3: out: neither text nor base64");
	assert_load_fails(
		HEAD "{\"call\":\"get\",\"system\":\"a\",\"step\":\"s\",\"out\":{\"bytes\":1}}\n",
		":3: out: bytes 1 do not stand above");
	assert_load_fails(HEAD "{\"bytes\":2,\"is\":\"x\"}\n", ":3: bytes 2 are out of order");
	assert_load_fails(HEAD "{\"bytes\":1,\"is\":\"abc\"}\n"
			       "{\"bytes\":2,\"is\":{\"of\":1,\"parts\":[[2,2]]}}\n",
			  ":4: part 1 lies outside");
	struct err why = ERR_INIT;
	assert_null(recording_load("/proc/none", &why));
	assert_non_null(strstr(why.msg, "/proc/none"));
}

/* A recording written by hand: defaults, a comment, text with a NUL, base64, parts. */
static void by_hand(void **state)
{
	static const char text[] =
		"# made by hand\n" HEAD "\n"
		"{\"bytes\":1,\"is\":\"hello world\"}\n"
		"{\"call\":\"exec\",\"system\":\"a\",\"step\":\"s\",\"round\":1,\"start_ns\":10,"
		"\"end_ns\":30,\"out\":\"a\\u0000b\",\"err\":{\"base64\":\"/wA=\"}}\n"
		"{\"call\":\"exec\",\"system\":\"a\",\"step\":\"s\",\"round\":1,\"attempt\":2,"
		"\"out\":{\"of\":1,\"parts\":[[6,5],\", \",[0,5]]}}\n";
	struct clock c;
	struct err why = ERR_INIT;
	struct outcome out;
	const struct step one = {"s", 1, 1};
	const struct step two = {"s", 1, 2};
	const struct exec_request q = {.timeout_ns = 1};

	(void)state;
	assert_ok(fs_write_atomic(path, text, sizeof(text) - 1, 0600, err));
	clock_init_virtual(&c, 5, 0);
	char *target = mem_printf("recorded:%s", path);
	struct system *s = open_recorded("any name: there is but one", target, &c, &why);
	if (s == NULL)
		fail_msg("%s", why.msg);
	assert_ok(system_exec(s, &one, &q, &out, err));
	assert_int_equal(clock_now_ns(&c), 30);
	assert_int_equal(out.out.len, 3);
	assert_memory_equal(out.out.data, "a\0b", 3);
	assert_int_equal(out.err.len, 2);
	assert_memory_equal(out.err.data, "\xff\0", 2);
	outcome_release(&out);
	assert_ok(system_exec(s, &two, &q, &out, err));
	assert_string_equal(buf_str(&out.out), "world, hello");
	outcome_release(&out);
	system_close(s);
	free(target);
}

static void which_system(void **state)
{
	static const char text[] = HEAD "{\"system\":\"b\"}\n";
	struct clock c;
	struct err why = ERR_INIT;

	(void)state;
	assert_ok(fs_write_atomic(path, text, sizeof(text) - 1, 0600, err));
	clock_init_virtual(&c, 0, 0);
	char *target = mem_printf("recorded:%s", path);
	char *wrong = mem_printf("recorded:%s#z", path);
	assert_null(open_recorded("c", target, &c, &why));
	assert_non_null(strstr(why.msg, "records no system \"c\"; it has a, b"));
	assert_int_equal(why.code, ERR_USAGE);
	assert_null(open_recorded("a", wrong, &c, &why));
	assert_non_null(strstr(why.msg, "records no system \"z\""));
	assert_null(open_recorded("a", "recorded:", &c, &why));
	assert_int_equal(why.code, ERR_USAGE);
	assert_null(open_recorded("a", "recorded:/proc/none", &c, &why));
	struct system *s = open_recorded("b", target, &c, &why);
	assert_non_null(s);
	assert_string_equal(s->run_dir_inside, "/run/lampduel");
	assert_string_equal(s->placement_text[PLACE_ALL], "not known");
	system_close(s);
	/* a '#' that belongs to the file's name */
	char *odd = fs_join(dir, "run#b");
	assert_ok(fs_write_atomic(odd, text, sizeof(text) - 1, 0600, err));
	char *odd_target = mem_printf("recorded:%s", odd);
	s = open_recorded("a", odd_target, &c, &why);
	assert_non_null(s);
	system_close(s);
	free(odd);
	free(odd_target);
	free(wrong);
	free(target);
}

static void bytes_of_every_length(void **state)
{
	struct bytes_pool p = {.n_models = 0};
	struct bytes_pool q = {.reading = true};
	unsigned char data[300];

	(void)state;
	for (size_t len = 0; len <= sizeof(data); len++) {
		for (size_t i = 0; i < len; i++)
			data[i] = (unsigned char)(i * 89 + len);
		size_t at = bytes_add(&p, data, len);
		json_t *j = bytes_to_json(&p, at);
		size_t back = 0;
		assert_ok(bytes_from_json(&q, j, &back, err));
		assert_int_equal(bytes_at(&q, back)->len, len);
		assert_memory_equal(bytes_at(&q, back)->data, data, len);
		json_decref(j);
	}
	bytes_pool_release(&p);
	bytes_pool_release(&q);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_replay_is_the_run),
		TEST(like_pages_are_shared),
		TEST(missing_answers_are_named),
		TEST(bad_files_are_refused),
		TEST(by_hand),
		TEST(which_system),
		TEST(bytes_of_every_length),
	};

	return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}
