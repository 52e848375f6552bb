/* Reports: the model against values computed by hand, wording, and whole texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/text.h"
#include "compare/compare.h"
#include "example.h"
#include "golden.h"
#include "report/hide.h"
#include "report/report.h"
#include "report/table.h"
#include "report/words.h"

#define assert_close(a, b) assert_close_(a, b, 1e-9, __LINE__)

static void assert_close_(double a, double b, double share, int line)
{
	if (!(fabs(a - b) <= share * fabs(b)))
		fail_msg("line %d: %.17g is not %.17g", line, a, b);
}

/* As it is published. */
static void make(struct report_model *m, struct experiment *e)
{
	const struct report_model_options o = {.identify = false};

	report_hide(e);
	report_model_make(m, e, &o);
}

static char *render(const struct report_model *m, int columns, bool utf8, bool explain)
{
	const struct report_options o = {.columns = columns, .utf8 = utf8, .explain = explain};
	struct buf b = BUF_INIT;

	report_text.render(&(const struct report_input){.model = m}, &o, &b);
	return buf_detach(&b);
}

static size_t widest_line(const char *text)
{
	size_t widest = 0;

	while (*text != '\0') {
		size_t n = strcspn(text, "\n");
		char *line = mem_strndup(text, n);
		size_t width = text_width(line);
		widest = width > widest ? width : widest;
		assert_true(n == 0 || line[n - 1] != ' ');
		free(line);
		text += n + (text[n] == '\n');
	}
	return widest;
}

/* Two systems, one task, a time and a rate; three rounds that count and what does not. */
static void small(struct experiment *e, bool emulated)
{
	static const double soft[] = {2.0, 2.2, 2.4};
	static const double hard[] = {1.0, 1.2, 1.1};
	static const double soft_rate[] = {40, 44, 36};
	static const double hard_rate[] = {50, 55, 45};

	example_head(e, "run", "a against b", 4);
	e->warmup_rounds = 0;
	(void)example_system(e, "soft", "dir:/home/alice/root", emulated);
	(void)example_system(e, "hard", "ssh:bob@pi.example.net", false);
	size_t t = example_task(e, "openssl", "openssl/rsa2048", "{}");
	size_t time = example_metric(e, "command/x/wall", "s", "", true);
	size_t rate = example_metric(e, "openssl/rsa2048/sign", "op/s", "", false);
	for (int r = 0; r < 3; r++) {
		struct exp_execution *x = example_execution(e, r + 1, t, 0, 1);
		(void)example_value(x, time, soft[r], 0.001);
		(void)example_value(x, rate, soft_rate[r], 0.1);
		x = example_execution(e, r + 1, t, 1, 1);
		(void)example_value(x, time, hard[r], 0.001);
		(void)example_value(x, rate, hard_rate[r], 0.1);
	}
}

/* Few and wild values beside larger ones: badly known, but not 0. */
static void a_small_figure_beside_a_large_one(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	example_head(&e, "run", "a against b", 4);
	e.warmup_rounds = 0;
	(void)example_system(&e, "soft", "local", false);
	(void)example_system(&e, "hard", "local", false);
	size_t t = example_task(&e, "command", "command/x", "{}");
	size_t time = example_metric(&e, "command/x/wall", "s", "", true);
	static const double soft[] = {15000, 25000}, hard[] = {140000, 60000};
	for (int r = 0; r < 2; r++) {
		(void)example_value(example_execution(&e, r + 1, t, 0, 1), time, soft[r], 1e-9);
		(void)example_value(example_execution(&e, r + 1, t, 1, 1), time, hard[r], 1e-9);
	}
	make(&m, &e);
	assert_string_equal(m.rows.v[0].figures.v[0].text, "20000 s");
	assert_string_equal(m.rows.v[0].figures.v[1].text, "100000 s");
	report_model_release(&m);
	experiment_release(&e);
}

static void model_numbers(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	small(&e, false);
	make(&m, &e);
	assert_int_equal(m.rows.n, 2);
	assert_int_equal(m.primary_rows, 1);
	const struct report_row *r = &m.rows.v[0];
	assert_string_equal(r->title, "x, wall clock");
	assert_close(r->figures.v[0].figure.mean, 2.2);
	assert_close(r->figures.v[0].figure.sd, 0.2);
	assert_close(r->figures.v[1].figure.mean, 1.1);
	assert_string_equal(r->figures.v[0].text, "2.2 s"); /* error 0.115, n 3: 0.25 */
	assert_string_equal(r->figures.v[1].text, "1.1 s"); /* as few decimals as its partner */
	assert_string_equal(r->figures.v[0].spread, "9.1 %");
	assert_close(r->changes.v[1].change.ratio, 0.5);
	assert_string_equal(r->changes.v[1].percent, "-50 %");
	assert_string_equal(r->changes.v[1].times, "2.0x");
	assert_string_equal(r->changes.v[1].words, "less time");
	assert_string_equal(r->changes.v[1].verdict, "no verdict yet");
	assert_false(r->changes.v[0].change.known);
	assert_string_equal(r->changes.v[0].percent, "");
	r = &m.rows.v[1];
	/* the mean of the rates, then its inverse: 1/40, not the mean of 1/40, 1/44, 1/36 */
	assert_string_equal(r->figures.v[0].text, "0.025 s/op");
	assert_string_equal(r->figures.v[0].second, "40 op/s");
	assert_close(r->changes.v[1].change.ratio, 0.8);
	assert_close(r->changes.v[1].change.times, 1.25);
	assert_close(r->changes.v[1].change.percent, -20);
	assert_string_equal(r->changes.v[1].percent,
			    "-20.00 %"); /* every pair the same: their step decides */
	assert_int_equal(m.executions, 6);
	assert_int_equal(m.counted, 6);
	assert_int_equal(m.problems.n, 0);
	assert_int_equal(m.rounds_done, 3);
	assert_int_equal(m.seconds, 800);
	assert_string_equal(m.created, "2026-11-30 00:53:20 UTC");
	report_model_release(&m);
	experiment_release(&e);
}

static void assert_has_note(const struct report_model *m, const char *part)
{
	for (size_t i = 0; i < m->notes.n; i++) {
		if (strstr(m->notes.v[i], part) != NULL)
			return;
	}
	fail_msg("no note says \"%s\"", part);
}

static void what_does_not_count(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	small(&e, false);
	/* round 4: the first attempt was disturbed on one side, the second failed on it */
	struct exp_execution *x = example_execution(&e, 4, 0, 0, 1);
	(void)example_value(x, 0, 100, 0);
	x = example_execution(&e, 4, 0, 1, 1);
	(void)example_value(x, 0, 100, 0);
	x->disturbed = true;
	mem_replace(&x->disturbance, mem_strdup("{\"reason\":\"the machine was swapping\"}"));
	x = example_execution(&e, 4, 0, 0, 2);
	(void)example_value(x, 0, 100, 0);
	x = example_execution(&e, 4, 0, 1, 2);
	x->status = OUTCOME_TIMEOUT;
	mem_replace(&x->reason, mem_strdup("gave up after 60 s"));
	x = example_execution(&e, 1, 0, 0, 1);
	x->warmup = true;
	(void)example_value(x, 0, 100, 0);
	mem_replace(&e.state, mem_strdup("interrupted"));
	make(&m, &e);
	/* the lonely good value of round 4 is no part of a pair: neither figure nor change has it
	 */
	assert_int_equal(m.rows.v[0].figures.v[0].figure.n, 3);
	assert_close(m.rows.v[0].figures.v[0].figure.mean, 2.2);
	assert_int_equal(m.rows.v[0].changes.v[1].change.n, 3);
	assert_int_equal(m.executions, 11);
	assert_int_equal(m.counted, 7);
	assert_int_equal(m.problems.n, 3);
	assert_string_equal(m.problems.v[0].what, "set aside");
	assert_int_equal(m.problems.v[0].system, 0);
	assert_string_equal(m.problems.v[1].what, "disturbed");
	assert_string_equal(m.problems.v[1].reason, "the machine was swapping");
	assert_string_equal(m.problems.v[2].what, "timed out");
	assert_string_equal(m.problems.v[2].reason, "gave up after 60 s");
	assert_has_note(&m, "was interrupted: 4 of 4 rounds");
	char *text = render(&m, 80, true, false);
	assert_non_null(strstr(text, "11 executions, 7 counted, 3 not, 1 to warm up\n"));
	assert_non_null(strstr(text, "- hard, openssl/rsa2048: 1 timed out (gave up after 60 s)"));
	free(text);
	report_model_release(&m);
	experiment_release(&e);
}

static void hosts_and_users_stay_out(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	small(&e, false);
	mem_replace(&e.title, mem_strdup("dir:/home/alice/root against ssh:bob@pi.example.net"));
	mem_replace(&e.command, mem_strdup("lampduel run -c ssh:bob@pi.example.net"));
	vec_push(&e.notes, mem_strdup("ssh:bob@pi.example.net was slow to answer"));
	report_model_make(&m, &e, &(const struct report_model_options){.identify = true});
	assert_string_equal(m.systems.v[1].target, "ssh:bob@pi.example.net");
	assert_string_equal(m.title, e.title);
	report_model_release(&m);
	make(&m, &e);
	assert_string_equal(m.title, "dir:.../root against ssh:...");
	assert_string_equal(m.command, "lampduel run -c ssh:...");
	assert_string_equal(m.systems.v[1].target, "ssh:...");
	assert_has_note(&m, "ssh:... was slow");
	char *text = render(&m, 80, true, false);
	assert_null(strstr(text, "bob"));
	assert_null(strstr(text, "alice"));
	assert_null(strstr(text, "example.net"));
	free(text);
	report_model_release(&m);
	experiment_release(&e);
}

static void assert_hidden(const char *command, const char *shown)
{
	struct experiment e;

	small(&e, false);
	mem_replace(&e.command, mem_strdup(command));
	for (int again = 0; again < 2; again++) {
		report_hide(&e);
		assert_string_equal(e.command, shown);
	}
	experiment_release(&e);
}

static void words_that_name_somebody(void **state)
{
	(void)state;
	assert_hidden("run --command x -- /srv/jane/acme/bench -n 5",
		      "run --command x -- .../bench -n 5");
	assert_hidden("run -o /data/jane.html --db=/data/jane/s.db",
		      "run -o .../jane.html --db=.../s.db");
	assert_hidden("run -- /usr/bin/php /var/www/acme.com/i.php /tmp/x",
		      "run -- /usr/bin/php .../i.php /tmp/x");
	assert_hidden("run -- ab -n 100 http://shop.acme.com:8080/a/b",
		      "run -- ab -n 100 http://.../a/b");
	assert_hidden("run -- mariadb -h db.acme.com -u jane", "run -- mariadb -h ... -u jane");
	assert_hidden("run -- x 192.168.1.5 10.0.0.7:3306 127.0.0.1",
		      "run -- x ... ...:3306 127.0.0.1");
	assert_hidden("run -- mail jane.doe@acme.com,bob@pi", "run -- mail ...@...,...@...");
	assert_hidden("run -- x b8:27:eb:01:02:03 root=UUID=abc-1", "run -- x ... root=UUID=...");
	assert_hidden("run -- mysql --user=jane --password=x1 --host=box --user=root",
		      "run -- mysql --user=... --password=... --host=... --user=root");
	assert_hidden("run -w wordpress:path=/2024/post/ -- a.tar.gz 3.0.17 sort.txt",
		      "run -w wordpress:path=/2024/post/ -- a.tar.gz 3.0.17 sort.txt");
}

static void facts_that_name_somebody(void **state)
{
	struct experiment e;
	struct factset *f;

	(void)state;
	small(&e, false);
	f = &e.systems.v[0].facts;
	factset_set(f, "kernel.cmdline", "root=PARTUUID=738a4d67-02 ip=192.168.7.2 quiet",
		    "/proc/cmdline");
	factset_set(f, "effective.mariadb.hostname", "janes-box", "asked");
	factset_set(f, "host.name", "janes-pi", "asked");
	factset_set(f, "effective.mariadb.bind_address", "10.1.2.3", "asked");
	factset_set(f, "effective.mariadb.report_host", "localhost", "asked");
	factset_set(f, "effective.mariadb.datadir", "/srv/jane/mysql", "asked");
	factset_set(f, "package.x", "1.2.3.4", "/srv/jane/root/var/lib/dpkg/status");
	report_hide(&e);
	assert_string_equal(factset_get(f, "kernel.cmdline"), "root=PARTUUID=... ip=... quiet");
	assert_string_equal(factset_get(f, "effective.mariadb.hostname"), "...");
	assert_string_equal(factset_get(f, "host.name"), "...");
	assert_string_equal(factset_get(f, "effective.mariadb.bind_address"), "...");
	assert_string_equal(factset_get(f, "effective.mariadb.report_host"), "localhost");
	assert_string_equal(factset_get(f, "effective.mariadb.datadir"), ".../mysql");
	assert_string_equal(factset_get(f, "package.x"), "1.2.3.4");
	experiment_release(&e);
}

static void hostile_text(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	small(&e, false);
	mem_replace(&e.systems.v[0].name, mem_strdup("so\x1b[31mft"));
	factset_set(&e.systems.v[0].facts, "php.version", "8\n.2\r\x07\xff", "");
	factset_set(&e.systems.v[0].facts, "setting.p\x1b.x", "\x1b]0;t\x07", "\x08why");
	mem_replace(&e.tasks.v[0].name, mem_strdup("t\x1b[2J"));
	mem_replace(&e.metrics.v[0].name, mem_strdup("command/\x1b[5m/wall"));
	mem_replace(&e.metrics.v[0].conditions, mem_strdup("a=\x9b;b=\x1f"));
	mem_replace(&e.title, mem_strdup("\xe2\x80\xae title"));
	mem_replace(&e.executions.v[0].reason, mem_strdup("\x1b[1m"));
	e.executions.v[0].status = OUTCOME_FAILED;
	vec_push(&e.notes, mem_strdup("note\x1b[0m"));
	make(&m, &e);
	char *text = render(&m, 80, true, false);
	for (const char *p = text; *p != '\0'; p++)
		assert_true(*p == '\n' || ((unsigned char)*p >= 0x20 && *p != 0x7f));
	assert_null(strstr(text, "\xe2\x80\xae"));
	free(text);
	report_model_release(&m);
	experiment_release(&e);
}

static void emulation_is_never_faster(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	small(&e, true);
	make(&m, &e);
	assert_true(m.emulated);
	assert_true(m.rows.v[0].changes.v[1].emulated);
	/* emulated against native: the figures of each, and no comparison of them */
	assert_false(m.rows.v[0].changes.v[1].change.known);
	assert_string_equal(m.rows.v[0].changes.v[1].percent, "");
	assert_string_equal(m.rows.v[0].changes.v[1].times, "");
	assert_string_equal(m.rows.v[0].changes.v[1].words, "");
	assert_string_equal(m.rows.v[0].changes.v[1].verdict, "no verdict");
	assert_has_note(&m, "soft ran under emulation, hard did not");
	char *text = render(&m, 80, true, false);
	assert_null(strstr(text, "faster"));
	assert_non_null(strstr(text, "hard against soft, under emulation\n"));
	free(text);
	report_model_release(&m);
	experiment_release(&e);
	example_reference(&e, 2);
	make(&m, &e);
	assert_has_note(&m, "soft and hard ran under emulation.");
	assert_has_note(&m, "nothing is claimed about any hardware");
	assert_has_note(&m, "ran on the kernel of the host");
	report_model_release(&m);
	experiment_release(&e);
	assert_string_equal(words_direction(0.9, true), "less time under emulation");
	assert_string_equal(words_direction(1.1, true), "more time under emulation");
	assert_string_equal(words_direction(0.9, false), "less time");
	assert_string_equal(words_direction(1, false), "as much time");
}

static void the_whole_claims_only_what_is_shown(void **state)
{
	static const struct {
		struct compare_estimate e;
		size_t judged;
		bool single, judgeable;
		const char *says;
	} rows[] = {
		{{-0.2, -0.3, -0.1}, 1, false, false, "new takes 18.1 % less time than old: "},
		{{0.2, 0.1, 0.3}, 1, false, true, "new takes 22.1 % more time than old: "},
		{{0.04, -0.1, 0.1},
		 1,
		 false,
		 false,
		 "no difference between new and old is shown: 0.96x (0.90x"},
		/* what no row says is not said of all of them */
		{{-0.2, -0.3, -0.1},
		 0,
		 false,
		 true,
		 "weight: no verdict on new against old is possible yet; the figure is 1.22x "
		 "(1.11x to 1.35x) as fast, geometric mean of 7 robust estimates."},
		{{-0.2, -0.3, -0.1},
		 0,
		 false,
		 false,
		 "no verdict on new against old is possible; the figure is 1.22x"},
		{{0.04, NAN, NAN},
		 0,
		 true,
		 false,
		 "weight: single values allow no verdict on new against old; the figure is "
		 "0.961x as fast, geometric mean of 7 ratios."},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char name[] = "new";
		struct compare_overall o = {.candidate = name,
					    .estimate = rows[i].e,
					    .workloads = 3,
					    .metrics = 7,
					    .judged = rows[i].judged,
					    .single = rows[i].single,
					    .judgeable = rows[i].judgeable};
		struct buf b = BUF_INIT;
		words_overall(&o, "old", &b);
		if (strstr(b.data, rows[i].says) == NULL)
			fail_msg("%s", b.data);
		buf_release(&b);
	}
}

static void configuration(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	example_reference(&e, 1);
	factset_set(&e.systems.v[1].facts, "setting.php.memory_limit", "512M", "asked for");
	factset_set(&e.systems.v[1].facts, "setting.apache.MaxRequestWorkers", "1", "one client");
	make(&m, &e);
	static const char *const labels[] = {"Apache",    "MariaDB", "PHP",          "OpenSSL",
					     "Kernel",    "Storage", "CPU",          "Execution",
					     "WordPress", "System",  "Architecture", "Float ABI"};
	assert_int_equal(m.facts.n, sizeof(labels) / sizeof(labels[0]));
	for (size_t i = 0; i < m.facts.n; i++)
		assert_string_equal(m.facts.v[i].label, labels[i]);
	assert_string_equal(m.facts.v[4].values[0], "6.1.0-40-amd64 (the host's)");
	assert_string_equal(m.facts.v[5].values[0], "virtio disk (ext4)");
	assert_string_equal(m.facts.v[7].values[1], "emulated by qemu-arm 7.2.22, -cpu cortex-a7");
	assert_false(m.facts.v[0].differs);
	assert_true(m.facts.v[10].differs);
	assert_int_equal(m.settings.n, 3);
	assert_string_equal(m.settings.v[0].name, "MariaDB innodb_buffer_pool_size");
	assert_false(m.settings.v[0].differs);
	assert_string_equal(m.settings.v[0].reason, "the throwaway server holds one small site");
	assert_true(m.settings.v[1].differs);
	assert_string_equal(m.settings.v[2].name, "Apache MaxRequestWorkers");
	assert_string_equal(m.settings.v[2].values[0], "");
	char *text = render(&m, 100, true, false);
	assert_non_null(strstr(text, "soft = as the"));
	free(text);
	report_model_release(&m);
	experiment_release(&e);
}

/* Three systems: each candidate against the baseline, with the rounds that both have. */
/* A row of the table of configurations, which must be there. */
static const struct report_fact *fact_row(const struct report_model *m, const char *label)
{
	for (size_t i = 0; i < m->facts.n; i++) {
		if (strcmp(m->facts.v[i].label, label) == 0)
			return &m->facts.v[i];
	}
	fail_msg("no row %s", label);
	return NULL;
}

static void differences_below_the_configuration(void **state)
{
	static const char *const libraries[] = {"elf.openssl", "elf.libc.so.6", "elf.libm.so.6"};
	struct experiment e;
	struct report_model m;

	(void)state;
	small(&e, false);
	struct factset *a = &e.systems.v[0].facts;
	struct factset *b = &e.systems.v[1].facts;
	for (size_t i = 0; i < 3; i++) {
		factset_set(a, libraries[i], "armel, soft float", "file");
		factset_set(b, libraries[i], "armhf, hard float", "file");
	}
	factset_set(a, "effective.php.opcache.enable", "On", "php -i");
	factset_set(b, "effective.php.opcache.enable", "Off", "php -i");
	factset_set(a, "effective.php.precision", "14", "php -i");
	factset_set(b, "effective.php.precision", "14", "php -i");
	factset_set(a, "kernel.cmdline", "root=/dev/secret", "/proc/cmdline");
	for (int i = 0; i < 20; i++) {
		char *key = mem_printf("effective.mariadb.x%d", i);
		factset_set(a, key, "1", "");
		factset_set(b, key, "2", "");
		free(key);
	}
	make(&m, &e);
	const struct report_fact *f = fact_row(&m, "elf.libc.so.6 and 2 more");
	assert_string_equal(f->values[0], "armel, soft float");
	assert_string_equal(f->values[1], "armhf, hard float");
	assert_true(f->differs);
	f = fact_row(&m, "PHP opcache.enable");
	assert_string_equal(f->values[0], "On");
	for (size_t i = 0; i < m.facts.n; i++) {
		assert_null(strstr(m.facts.v[i].label, "cmdline"));
		assert_null(strstr(m.facts.v[i].label, "precision"));
	}
	assert_has_note(&m, "PHP settings 1 equal, 1 differ");
	assert_has_note(&m, "carry php.ini over");
	assert_has_note(&m, "are left out of the table");
	report_model_release(&m);
	experiment_release(&e);
}

static void three_systems(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	small(&e, false);
	(void)example_system(&e, "third", "local", false);
	for (int r = 2; r <= 3; r++)
		(void)example_value(example_execution(&e, r, 0, 2, 1), 0, 4.6, 0.001);
	make(&m, &e);
	const struct report_row *r = &m.rows.v[0];
	assert_int_equal(r->figures.v[0].figure.n, 3);
	assert_int_equal(r->figures.v[2].figure.n, 2);
	assert_close(r->changes.v[2].change.ratio, 2); /* 4.6 over the mean of 2.2 and 2.4 */
	assert_string_equal(r->changes.v[2].words, "more time");
	assert_has_note(&m, "the change of third is of the 2 rounds that both it and soft have");
	char *text = render(&m, 80, true, false);
	assert_non_null(strstr(text, "Results: hard against soft\n"));
	assert_non_null(strstr(text, "Results: third against soft\n"));
	assert_non_null(strstr(text, "no value"));
	free(text);
	report_model_release(&m);
	experiment_release(&e);
}

/* However many systems there are, every one of their columns can be read. */
static void many_systems(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	small(&e, false);
	for (int i = 3; i <= 11; i++) {
		char *name = mem_printf("machine-%d", i);
		(void)example_system(&e, name, "local", false);
		free(name);
	}
	make(&m, &e);
	for (int columns = 40; columns <= 160; columns += 40) {
		char *text = render(&m, columns, true, false);
		assert_true(widest_line(text) <= (size_t)columns);
		for (int i = 3; i <= 11; i++) {
			char *heading = mem_printf("  machine-%d", i);
			assert_non_null(strstr(text, heading));
			free(heading);
		}
		free(text);
	}
	report_model_release(&m);
	experiment_release(&e);
}

static void one_system(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	small(&e, false);
	for (size_t i = 0; i < e.executions.n; i++)
		e.executions.v[i].system = 0;
	for (size_t i = 0; i < e.executions.n; i++)
		e.executions.v[i].round = (int)i + 1;
	free(e.systems.v[1].name);
	free(e.systems.v[1].target);
	free(e.systems.v[1].emulator);
	e.systems.n = 1;
	make(&m, &e);
	assert_int_equal(m.rows.v[0].figures.v[0].figure.n, 6);
	assert_close(m.rows.v[0].figures.v[0].figure.mean, 1.65);
	char *text = render(&m, 80, true, false);
	assert_non_null(strstr(text, "Results: soft\n"));
	assert_null(strstr(text, "against soft"));
	free(text);
	report_model_release(&m);
	experiment_release(&e);
}

static void imported_values_are_not_paired(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	small(&e, false);
	mem_replace(&e.kind, mem_strdup("import"));
	(void)example_value(example_execution(&e, 4, 0, 0, 1), 0, 3.0, 0.001);
	make(&m, &e);
	assert_int_equal(m.rows.v[0].figures.v[0].figure.n, 4);
	assert_close(m.rows.v[0].figures.v[0].figure.mean, 2.4);
	assert_close(m.rows.v[0].changes.v[1].change.ratio, 1.1 / 2.4);
	assert_int_equal(m.rows.v[0].changes.v[1].change.n, 3);
	report_model_release(&m);
	experiment_release(&e);
}

/* The reference's RSA figures as pasted: less time and more operations, and not one for the other.
 */
static void two_views_are_not_mixed(void **state)
{
	static const double rates[][2] = {
		{39.70, 53.294}, {1482.2, 2097.9}, {5.801, 8.052}, {389.7, 561.0}};
	struct experiment e;
	struct report_model m;

	(void)state;
	example_head(&e, "import", "", 1);
	(void)example_system(&e, "soft", "file", false);
	(void)example_system(&e, "hard", "file", false);
	size_t t = example_task(&e, "openssl", "openssl", "{}");
	for (size_t i = 0; i < 4; i++) {
		char *name = mem_printf("openssl/rsa%zu/sign", i);
		size_t k = example_metric(&e, name, "op/s", "", true);
		free(name);
		for (size_t s = 0; s < 2; s++) {
			struct exp_execution *x = example_execution(&e, (int)i + 1, t, s, 1);
			(void)example_value(x, k, rates[i][s], 0.1);
		}
	}
	make(&m, &e);
	assert_has_note(&m, "hard: 25.5 % to 30.5 % less time an operation is 34.2 % to 44.0 % "
			    "more operations per second. A range from the one to the other, "
			    "\"25 % to 44 %\", would mix the two.");
	report_model_release(&m);
	experiment_release(&e);
}

static void nothing_measured(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	example_head(&e, "run", "", 5);
	mem_replace(&e.state, mem_strdup("failed"));
	e.ended_unix_ns = 0;
	(void)example_system(&e, "soft", "local", false);
	(void)example_task(&e, "openssl", "openssl/rsa2048", "{}");
	make(&m, &e);
	assert_int_equal(m.rows.n, 0);
	assert_int_equal(m.seconds, -1);
	assert_has_note(&m, "failed: 0 of 5 rounds");
	char *text = render(&m, 80, true, false);
	assert_non_null(strstr(text, "nothing was measured"));
	free(text);
	report_model_release(&m);
	struct exp_execution *x = example_execution(&e, 1, 0, 0, 1);
	x->status = OUTCOME_SKIPPED;
	mem_replace(&x->reason, mem_strdup("openssl is missing"));
	make(&m, &e);
	assert_has_note(&m, "openssl/rsa2048 gave no value on any system");
	report_model_release(&m);
	experiment_release(&e);
}

static void twins_are_told_apart(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	small(&e, false);
	size_t again = example_metric(&e, "command/x/wall", "s", "threads=2", true);
	(void)example_value(&e.executions.v[0], again, 1, 0);
	make(&m, &e);
	assert_string_equal(m.rows.v[0].title, "x, wall clock");
	assert_string_equal(m.rows.v[1].title, "x, wall clock (threads=2)");
	/* one side alone: shown, without a change */
	assert_int_equal(m.rows.v[1].figures.v[0].figure.n, 1);
	assert_string_equal(m.rows.v[1].changes.v[1].verdict, "");
	report_model_release(&m);
	experiment_release(&e);
}

static void judged(struct report_model *m, struct experiment *e)
{
	struct comparison_set set;
	struct err err = ERR_INIT;

	make(m, e);
	if (compare_experiment(e, &(const struct compare_options){.margin = 0.02}, &set, &err) != 0)
		fail_msg("%s", err.msg);
	report_model_judge(m, &set);
	comparison_set_release(&set);
}

/* The sentence over all workloads says no more than the rows of the table. */
static void overall_agrees_with_rows(void **state)
{
	static const struct {
		int rounds;
		const char *says;
	} cases[] = {
		{15, "hard takes "},
		{7, "no verdict on hard against soft is possible yet; the figure is "},
		{1, "single values allow no verdict on hard against soft; the figure is "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct experiment e;
		struct report_model m;

		example_reference(&e, cases[i].rounds);
		judged(&m, &e);
		assert_int_equal(m.overall.n, 1);
		if (strstr(m.overall.v[0], cases[i].says) == NULL)
			fail_msg("%d rounds: %s", cases[i].rounds, m.overall.v[0]);
		report_model_release(&m);
		experiment_release(&e);
	}
}

static void verdicts(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	example_reference(&e, 15);
	judged(&m, &e);
	for (size_t i = 0; i < m.rows.n; i++)
		assert_true(text_starts(m.rows.v[i].changes.v[1].verdict,
					"less time under emulation, "));
	assert_int_equal(m.overall.n, 1);
	assert_int_equal(m.explanations.n, m.rows.n);
	char *text = render(&m, 80, true, true);
	assert_null(strstr(text, "faster"));
	assert_non_null(strstr(text, "\nHow sure\n"));
	free(text);
	report_model_release(&m);
	experiment_release(&e);

	/* a second metric beside the tasks is shown, not judged; equal remarks share a line */
	example_reference(&e, 5);
	e.metrics.v[6].primary = false;
	judged(&m, &e);
	assert_string_equal(m.rows.v[6].changes.v[1].verdict, "");
	assert_int_equal(m.explanations.n, 6);
	assert_has_note(&m, "WordPress page, OPcache on and 5 more: fewer than 6 pairs");
	report_model_release(&m);
	experiment_release(&e);

	/* one round cannot give a verdict: the reason is said once for all rows */
	example_reference(&e, 1);
	judged(&m, &e);
	assert_string_equal(m.rows.v[0].changes.v[1].verdict, "no verdict");
	size_t said = 0;
	for (size_t i = 0; i < m.notes.n; i++)
		said += text_starts(m.notes.v[i], "No verdict");
	assert_int_equal(said, 1);
	report_model_release(&m);
	experiment_release(&e);
}

/* Where rounds share a start of the services, more starts are what is missing. */
static void starts_are_what_counts(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	example_reference(&e, 12);
	for (size_t i = 0; i < e.executions.n; i++) {
		struct exp_execution *x = &e.executions.v[i];
		x->life = (x->round + 1) / 2;
	}
	judged(&m, &e);
	const char *verdict = m.rows.v[0].changes.v[1].verdict;
	if (strstr(verdict, ", at least 9 starts are needed") == NULL)
		fail_msg("%s", verdict);
	assert_non_null(strstr(m.explanations.v[0], "by the robust estimate"));
	assert_non_null(strstr(m.explanations.v[0], "at least 9 starts"));
	assert_non_null(strstr(m.explanations.v[0], "--lives"));
	report_model_release(&m);
	experiment_release(&e);
}

/* The table's change of means and the estimate of the verdict are told apart. */
static void two_figures_two_names(void **state)
{
	struct experiment e;
	struct report_model m;
	struct buf b = BUF_INIT;

	(void)state;
	small(&e, false);
	e.rounds_planned = 9;
	for (int r = 3; r < 9; r++) {
		(void)example_value(example_execution(&e, r + 1, 0, 0, 1), 0, 2, 0.001);
		(void)example_value(example_execution(&e, r + 1, 0, 1, 1), 0,
				    r == 8 ? 4 : 1 + 0.01 * r, 0.001);
	}
	judged(&m, &e);
	const struct report_row *r = &m.rows.v[0];
	buf_addf(&b, "the means say %.1f %% less", -r->changes.v[1].change.percent);
	if (strstr(m.explanations.v[0], buf_str(&b)) == NULL)
		fail_msg("%s: %s", m.explanations.v[0], buf_str(&b));
	/* the interval stands behind the estimate it belongs to, not behind the table's figure */
	if (strstr(r->changes.v[1].verdict, "x (") == NULL)
		fail_msg("%s", r->changes.v[1].verdict);
	char *text = render(&m, 100, true, true);
	assert_non_null(strstr(text, "the change of the means."));
	assert_non_null(strstr(text, "robust estimate"));
	free(text);
	buf_release(&b);
	report_model_release(&m);
	experiment_release(&e);
}

static void goldens(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	example_reference(&e, 15);
	e.id = 3;
	make(&m, &e);
	char *text = render(&m, 80, true, false);
	assert_golden("test/data/report-80.txt", text);
	free(text);
	text = render(&m, 120, true, false);
	assert_golden("test/data/report-120.txt", text);
	free(text);
	text = render(&m, 48, false, false);
	assert_golden("test/data/report-48.txt", text);
	free(text);
	report_model_release(&m);
	experiment_release(&e);
}

static void every_width_fits(void **state)
{
	struct experiment e;
	struct report_model m;

	(void)state;
	example_reference(&e, 3);
	mem_replace(&e.systems.v[1].name,
		    mem_strdup("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e-h\xc3\xa4rt"));
	judged(&m, &e);
	for (int columns = 40; columns <= 200; columns++) {
		char *text = render(&m, columns, true, true);
		if (widest_line(text) > (size_t)columns)
			fail_msg("at %d columns:\n%s", columns, text);
		free(text);
	}
	char *text = render(&m, 80, false, true);
	for (const char *p = text; *p != '\0'; p++)
		assert_true((unsigned char)*p < 0x80);
	assert_non_null(strstr(text, "-h?rt against soft"));
	free(text);
	report_model_release(&m);
	experiment_release(&e);
}

static void formats(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_ptr_equal(report_format_for("text", NULL, &err), &report_text);
	assert_ptr_equal(report_format_for("text", "a.html", &err), &report_text);
	assert_ptr_equal(report_format_for(NULL, NULL, &err), &report_text);
	assert_null(report_format_for("papyrus", "a.txt", &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.msg, "no report format \"papyrus\"; there are: text"));

	/* the words of --format are those of the table, in its order */
	struct buf words = BUF_INIT;
	for (size_t i = 0; i < report_format_count(); i++) {
		const struct report_format *f = report_format_at(i);
		buf_addf(&words, "%s%s", i > 0 ? "|" : "", f->name);

		/* each suffix leads to its format, in a folder with a point and in capitals too */
		char *list = mem_strdup(f->suffixes), *save = NULL;
		for (char *t = strtok_r(list, ".", &save); t; t = strtok_r(NULL, ".", &save)) {
			char *file = mem_printf("some.html/a.b.%s", t);
			assert_ptr_equal(report_format_for(NULL, file, &err), f);
			for (char *c = file; *c != '\0'; c++)
				*c = (char)toupper((unsigned char)*c);
			assert_ptr_equal(report_format_for(NULL, file, &err), f);
			free(file);
		}
		free(list);
	}
	assert_string_equal(buf_str(&words), REPORT_FORMATS);
	buf_release(&words);
	/* no suffix, or one that is nobody's: text */
	static const char *const others[] = {"json", "a.", "a.dat", "html.d/report", "-", ".", ""};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_ptr_equal(report_format_for(NULL, others[i], &err), &report_text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_small_figure_beside_a_large_one),
		cmocka_unit_test(model_numbers),
		cmocka_unit_test(what_does_not_count),
		cmocka_unit_test(hosts_and_users_stay_out),
		cmocka_unit_test(words_that_name_somebody),
		cmocka_unit_test(facts_that_name_somebody),
		cmocka_unit_test(hostile_text),
		cmocka_unit_test(emulation_is_never_faster),
		cmocka_unit_test(the_whole_claims_only_what_is_shown),
		cmocka_unit_test(configuration),
		cmocka_unit_test(differences_below_the_configuration),
		cmocka_unit_test(three_systems),
		cmocka_unit_test(many_systems),
		cmocka_unit_test(one_system),
		cmocka_unit_test(imported_values_are_not_paired),
		cmocka_unit_test(two_views_are_not_mixed),
		cmocka_unit_test(nothing_measured),
		cmocka_unit_test(twins_are_told_apart),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(overall_agrees_with_rows),
		cmocka_unit_test(starts_are_what_counts),
		cmocka_unit_test(two_figures_two_names),
		cmocka_unit_test(goldens),
		cmocka_unit_test(every_width_fits),
		cmocka_unit_test(formats),
	};

	(void)setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
