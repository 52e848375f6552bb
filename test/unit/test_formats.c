/* Every format: equal figures in all of them, nothing hostile gets out, and JSON that reads back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare/compare.h"
#include "example.h"
#include "report/hide.h"
#include "report/report.h"
#include "store/exchange.h"

/* An experiment, judged. */
struct judged {
	struct experiment e;
	struct comparison_set s;
	struct report_model m;
	struct report_input in;
};

static void judge(struct judged *j)
{
	const struct compare_options o = {.margin = 0.02};
	struct err err = ERR_INIT;

	report_hide(&j->e);
	if (compare_experiment(&j->e, &o, &j->s, &err) != 0)
		fail_msg("%s", err.msg);
	report_model_make(&j->m, &j->e, &(const struct report_model_options){.identify = false});
	report_model_judge(&j->m, &j->s);
	j->in = (struct report_input){&j->m, &j->e, &j->s, false};
}

static void release(struct judged *j)
{
	report_model_release(&j->m);
	comparison_set_release(&j->s);
	experiment_release(&j->e);
}

static char *render(const struct judged *j, const struct report_format *f)
{
	const struct report_options o = {.columns = 1000, .utf8 = true, .explain = true};
	struct buf b = BUF_INIT;

	f->render(&j->in, &o, &b);
	return buf_detach(&b);
}

/* What a reader sees: without what Markdown and HTML put around and before it. */
static char *seen(const char *text)
{
	static const char *const replaced[][2] = {
		{"&lt;", "<"},     {"&gt;", ">"},         {"&amp;", "&"},   {"&#58;", ":"},
		{"&#46;", "."},    {"&quot;", "\""},      {"&#39;", "'"},   {"&nbsp;", " "},
		{"\xc2\xa0", " "}, {"&minus;", "-"},      {"<!-- -->", ""}, {"\xe2\x88\x92", "-"},
		{"\\", ""},        {"\xe2\x80\xaf", " "},
	};
	struct buf b = BUF_INIT;

	for (const char *p = text; *p != '\0';) {
		size_t i = 0, n = sizeof(replaced) / sizeof(replaced[0]);
		while (i < n && !text_starts(p, replaced[i][0]))
			i++;
		if (i < n) {
			buf_addstr(&b, replaced[i][1]);
			p += strlen(replaced[i][0]);
		} else {
			buf_addch(&b, *p++);
		}
	}
	return buf_detach(&b);
}

static void assert_shown(const char *format, const char *text, const char *what)
{
	if (what[0] != '\0' && strstr(text, what) == NULL)
		fail_msg("%s does not say \"%s\"", format, what);
}

static void assert_all_shown(const struct report_model *m, const char *format, const char *text)
{
	for (size_t i = 0; i < m->rows.n; i++) {
		const struct report_row *r = &m->rows.v[i];
		for (size_t s = 0; s < m->systems.n; s++) {
			assert_shown(format, text, r->figures.v[s].text);
			assert_shown(format, text, r->figures.v[s].second);
			assert_shown(format, text, r->figures.v[s].spread);
			assert_shown(format, text, r->changes.v[s].percent);
			assert_shown(format, text, r->changes.v[s].times);
			assert_shown(format, text, r->changes.v[s].verdict);
		}
		if (r->published != NULL)
			assert_shown(format, text, r->published_percent);
	}
	for (size_t i = 0; i < m->overall.n; i++)
		assert_shown(format, text, m->overall.v[i]);
	for (size_t i = 0; i < m->notes.n; i++)
		assert_shown(format, text, m->notes.v[i]);
}

/* The cells of one CSV line, without their quotes. */
static size_t split(char *line, char **cell, size_t max)
{
	size_t n = 0;

	for (char *p = line; n < max; p++) {
		bool quoted = *p == '"';
		cell[n++] = p += quoted;
		p += strcspn(p, quoted ? "\"" : ",");
		if (quoted)
			*p++ = '\0';
		if (*p == '\0')
			break;
		*p = '\0';
	}
	return n;
}

/* The means of what the table of values holds are the figures. */
static void assert_means(const struct judged *j, char *csv)
{
	for (size_t i = 0; i < j->m.rows.n; i++) {
		const struct report_row *r = &j->m.rows.v[i];
		const struct exp_metric *k = &j->e.metrics.v[r->metric];
		double sum[2] = {0, 0};
		size_t n[2] = {0, 0};
		char *copy = mem_strdup(csv), *save = NULL;

		for (char *l = strtok_r(copy, "\r\n", &save); l;
		     l = strtok_r(NULL, "\r\n", &save)) {
			char *c[32];
			size_t s = 0;
			assert_int_equal(split(l, c, 32), 24);
			if (!text_equal(c[3], k->name) || !text_equal(c[4], k->conditions) ||
			    !text_equal(c[18], "1"))
				continue;
			s = !text_equal(c[1], j->e.systems.v[0].name);
			sum[s] += strtod(c[5], NULL);
			n[s]++;
		}
		for (size_t s = 0; s < 2; s++) {
			const struct figure *f = &r->figures.v[s].figure;
			assert_int_equal(n[s], f->n);
			assert_true(fabs(sum[s] / (double)n[s] - f->mean) <= 1e-12 * f->mean);
		}
		free(copy);
	}
}

static void equal_figures(void **state)
{
	struct judged j;

	(void)state;
	example_reference(&j.e, 15);
	judge(&j);
	assert_true(j.m.rows.n >= 6);
	for (size_t i = 0; i < report_format_count(); i++) {
		const struct report_format *f = report_format_at(i);
		char *text = render(&j, f);
		if (text_equal(f->name, "csv")) {
			assert_means(&j, text);
		} else {
			char *plain = seen(text);
			assert_all_shown(&j.m, f->name, plain);
			free(plain);
		}
		free(text);
	}
	release(&j);
}

static const char *const hostile[] = {
	"<script>alert(1)</script>",
	"\"'`\\",
	"\xe2\x80\xae"
	"right to left\xe2\x80\xac",
	"=cmd|' /C calc'!A0",
	"+1+1",
	"@SUM(A1)",
	"-2\t3",
	"\x1b[31mred\x07\r\n| a | b |\n# heading",
	"[x](javascript:alert(1)) ![y](http://example.net/z.png) @everyone #1",
	"\xff\xfe no UTF-8",
	"a,b;c\"d",
	" \xef\xbc\x9d"
	"wide",
	"</td></table><img src=x onerror=alert(1)>",
	"]]></svg> --> {{x}} ${x}",
};

static void make_hostile(struct experiment *e, const char *text)
{
	example_reference(e, 7);
	mem_replace(&e->systems.v[0].name, mem_strdup(text));
	mem_replace(&e->title, mem_strdup(text));
	mem_replace(&e->command, mem_strdup(text));
	mem_replace(&e->tasks.v[0].name, mem_strdup(text));
	mem_replace(&e->metrics.v[1].conditions, mem_strdup(text));
	mem_replace(&e->metrics.v[2].name, mem_printf("command/%s/wall", text));
	mem_replace(&e->executions.v[3].reason, mem_strdup(text));
	mem_replace(&e->executions.v[3].disturbance, mem_strdup(text));
	e->executions.v[3].status = OUTCOME_FAILED;
	vec_release(&e->executions.v[3].values);
	factset_set(&e->systems.v[1].facts, "php.version", text, text);
	factset_set(&e->systems.v[1].facts, "setting.php.x", text, text);
	vec_push(&e->notes, mem_strdup(text));
}

static void assert_tame(const char *format, const char *text)
{
	bool csv = text_equal(format, "csv");

	for (const char *p = text; *p != '\0'; p++) {
		if ((unsigned char)*p < ' ' && *p != '\n' && !(csv && *p == '\r'))
			fail_msg("%s: a control character", format);
	}
	assert_null(strstr(text, "\xe2\x80\xae"));
	assert_null(strstr(text, "\xff"));
	if (text_equal(format, "markdown"))
		assert_null(strstr(text, "](java"));
	if (text_equal(format, "markdown") || text_equal(format, "html")) {
		assert_null(strstr(text, "<script>alert"));
		assert_null(strstr(text, "<img"));
		assert_null(strstr(text, "</td></table><"));
	}
	for (const char *p = text; csv && *p != '\0'; p++) {
		/* no cell of a line begins with what a spreadsheet computes */
		bool begins = p == text || p[-1] == ',' || p[-1] == '\n' ||
			      (p[-1] == '"' && p >= text + 2 && (p[-2] == ',' || p[-2] == '\n'));
		if (begins && strchr("=+@-", *p) != NULL)
			fail_msg("csv: %.40s", p);
	}
}

static void nothing_hostile_gets_out(void **state)
{
	char *huge = mem_alloc(10001);

	(void)state;
	memset(huge, 'x', 10000);
	for (size_t i = 0; i <= sizeof(hostile) / sizeof(hostile[0]); i++) {
		struct judged j;
		make_hostile(&j.e, i < sizeof(hostile) / sizeof(hostile[0]) ? hostile[i] : huge);
		judge(&j);
		for (size_t k = 0; k < report_format_count(); k++) {
			const struct report_format *f = report_format_at(k);
			char *text = render(&j, f);
			assert_tame(f->name, text);
			free(text);
		}
		release(&j);
	}
	free(huge);
}

enum { DEPTH = 32, NAME = 16 };

/* Every element that a page opens it closes, in order, and every attribute's quotes match. */
static void assert_well_formed(const char *page)
{
	char open[DEPTH][NAME];
	size_t depth = 0;

	for (const char *p = strchr(page, '<'); p != NULL; p = strchr(p, '<')) {
		size_t quotes = 0;
		bool end = p[1] == '/';
		const char *name = p + 1 + end;
		size_t n = strcspn(name, " >/");
		const char *close = name;

		for (; *close != '\0' && (*close != '>' || quotes % 2 == 1); close++)
			quotes += *close == '"';
		assert_int_equal(*close, '>');
		assert_true(n > 0 && n < NAME);
		p = close;
		if (name[0] == '!' || close[-1] == '/' || strncmp(name, "meta", n) == 0)
			continue;
		if (!end) {
			assert_true(depth < DEPTH);
			(void)snprintf(open[depth++], NAME, "%.*s", (int)n, name);
			continue;
		}
		assert_true(depth > 0);
		depth--;
		if (strlen(open[depth]) != n || strncmp(open[depth], name, n) != 0)
			fail_msg("</%.*s> ends <%s>", (int)n, name, open[depth]);
	}
	assert_int_equal(depth, 0);
}

static void pages_are_well_formed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		struct judged j;
		make_hostile(&j.e, hostile[i]);
		judge(&j);
		char *text = render(&j, &report_html);
		assert_well_formed(text);
		assert_null(strstr(text, "<script"));
		assert_null(strstr(text, "href=")); /* it needs no other file */
		assert_null(strstr(text, "url("));
		assert_null(strstr(text, "<link"));
		free(text);
		release(&j);
	}
}

static void a_long_run_makes_no_huge_page(void **state)
{
	struct judged j;

	(void)state;
	example_reference(&j.e, 200);
	judge(&j);
	char *text = render(&j, &report_html);
	size_t samples = 0;
	for (size_t i = 0; i < j.m.rows.n; i++)
		samples += j.m.systems.n * j.m.rows.v[i].rounds;
	assert_true(samples > 1000);
	/* 3 systems, 12 metrics and 200 rounds are 7,200 samples: 2 MB at most */
	assert_true(strlen(text) < 60000 + samples * 260);
	free(text);
	release(&j);
}

/* The rows of Markdown tables have as many cells as their heads, whatever stands in them. */
static void markdown_tables_hold(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		struct judged j;
		make_hostile(&j.e, hostile[i]);
		judge(&j);
		char *text = render(&j, &report_markdown), *save = NULL;
		size_t columns = 0;
		for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
			size_t bars = 0;
			for (char *p = l; *p != '\0'; p++) {
				bars += *p == '|';
				p += *p == '\\' && p[1] != '\0';
			}
			columns = l[0] != '|' ? 0 : columns;
			if (l[0] == '|' && columns > 0)
				assert_int_equal(bars, columns);
			columns = l[0] == '|' ? bars : 0;
		}
		free(text);
		release(&j);
	}
}

static char *json_of(const struct experiment *e)
{
	json_t *root = exchange_write(e, true);
	char *text = json_dumps(root, JSON_INDENT(1) | JSON_ENSURE_ASCII);

	json_decref(root);
	return text;
}

static void read_back_is_equal(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i <= sizeof(hostile) / sizeof(hostile[0]); i++) {
		struct experiment e, back;
		if (i == 0)
			example_reference(&e, 15);
		else
			make_hostile(&e, hostile[i - 1]);
		e.seed = 9007199254740991;
		char *first = json_of(&e);
		assert_true(exchange_is(first, strlen(first)));
		if (exchange_read(first, strlen(first), "x.json", &back, &err) != 0)
			fail_msg("%s", err.msg);
		back.id = e.id;
		char *second = json_of(&back);
		assert_string_equal(first, second);
		free(first);
		free(second);
		experiment_release(&e);
		experiment_release(&back);
	}
}

/* One change of a good file each, and what the error says of it. */
static const struct {
	const char *what, *with, *said;
} damages[] = {
	{"\"format_version\": 1", "\"format_version\": 2", "is newer than this lampduel"},
	{"\"format_version\": 1", "\"format_version\": \"1\"", "format_version: must be a whole"},
	{"\"format_version\": 1", "\"format_version\": -1", "format_version: must be from 1"},
	{"\"kind\": \"reference\"", "\"kind\": \"\\u001b[2J\"", "kind: \"\\x1b[2J\" is not known"},
	{"\"title\": \"", "\"title\": 1, \"t\": \"", "title: must be text"},
	{"\"seed\": ", "\"seed\": 99999999999999999999", "not JSON"},
	{"\"seed\": ", "\"seed\": 1.5, \"x\": ", "seed: must be a whole number"},
	{"\"systems\": [", "\"systems\": [], \"x\": [", "systems: has 0 elements"},
	{"\"systems\": [", "\"systems\": {}, \"x\": [", "systems: must be a list"},
	{"\"name\": \"hard\"", "\"name\": \"soft\"", "systems[1].name: two systems have it"},
	{"\"baseline\": false", "\"baseline\": true", "only one can be the baseline"},
	{"\"round\": 1,", "\"round\": 0,", "executions[0].round: must be from 1 to 100000"},
	{"\"round\": 1,", "\"round\": 2147483648,", "executions[0].round: must be from"},
	{"\"round\": 2,", "\"round\": 1,", "is there twice"},
	{"\"system\": \"soft\"", "\"system\": \"none\"", "executions[0].system: no system"},
	{"\"task\": \"", "\"task\": \"no", "executions[0].task: no task"},
	{"\"metric\": 0", "\"metric\": 999", "executions[0].metric: must be from 0"},
	{"\"value\": ", "\"value\": NaN, \"x\": ", "not JSON"},
	{"\"value\": ", "\"value\": 1e999, \"x\": ", "not JSON"},
	{"\"value\": ", "\"value\": 1e300, \"x\": ", "value: 1e+300 is no figure"},
	{"\"value\": ", "\"value\": \"1\", \"x\": ", "value: must be a number"},
	{"\"value\": ", "\"value\": null, \"x\": ", "value: must be a number"},
	{"\"step\": ", "\"step\": -", "step: must not be negative"},
	{"\"status\": \"ok\"", "\"status\": \"fine\"", "status: is not known"},
	{"\"status\": \"ok\"", "\"status\": \"failed\"", "values: an execution that is not ok"},
	{"\"measured\": {", "\"measured\": [], \"x\": {", "measured: must be an object"},
	{"\"plan\": {", "\"plan\": [], \"x\": {", "plan: must be an object"},
	{"\"format\": ", "\"format\": 1, \"format\": ", "not JSON"},
};

static void damaged_files_are_named(void **state)
{
	struct experiment e, back;

	(void)state;
	example_reference(&e, 3);
	mem_replace(&e.plan, mem_strdup("{\"a\":1}"));
	char *good = json_of(&e);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct err err = ERR_INIT;
		struct buf bad = BUF_INIT;
		const char *from = good;
		/* facts have values too, and stand before */
		if (text_starts(damages[i].what, "\"value\"") ||
		    strstr(damages[i].said, "executions[") != NULL)
			from = strstr(good, "\"executions\"");
		const char *at = strstr(from, damages[i].what);
		if (at == NULL)
			fail_msg("%s is not in the file", damages[i].what);
		buf_add(&bad, good, (size_t)(at - good));
		buf_addstr(&bad, damages[i].with);
		buf_addstr(&bad, at + strlen(damages[i].what));
		if (exchange_read(bad.data, bad.len, "a\x1b.json", &back, &err) == 0)
			fail_msg("%s was read", damages[i].with);
		if (strstr(err.msg, damages[i].said) == NULL || strchr(err.msg, '\n') != NULL ||
		    !text_starts(err.msg, "a\\x1b.json"))
			fail_msg("%s: %s", damages[i].with, err.msg);
		experiment_release(&back);
		buf_release(&bad);
	}
	/* cut anywhere it is an error, and never more than that */
	for (size_t n = 0; n + 2 < strlen(good); n += 1 + n / 40) {
		struct err err = ERR_INIT;
		char *cut = mem_strndup(good, n);
		assert_int_not_equal(exchange_read(cut, n, "x", &back, &err), 0);
		experiment_release(&back);
		free(cut);
	}
	free(good);
	experiment_release(&e);
}

static void deep_and_odd_files(void **state)
{
	struct experiment back;
	struct buf deep = BUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	for (int i = 0; i < 1000000; i++)
		buf_addch(&deep, '[');
	assert_int_not_equal(exchange_read(deep.data, deep.len, "x", &back, &err), 0);
	experiment_release(&back);
	buf_release(&deep);
	assert_false(exchange_is("", 0));
	assert_false(exchange_is("{}", 2));
	assert_false(exchange_is("lampduel-experiment", 19));
	static const char marked[] = "\xef\xbb\xbf\r\n {\"format\": \"lampduel-experiment\"}";
	assert_true(exchange_is(marked, strlen(marked)));
}

static void what_it_takes_to_repeat(void **state)
{
	struct judged j;

	(void)state;
	example_reference(&j.e, 6);
	j.e.id = 7;
	mem_replace(&j.e.command, mem_strdup("lampduel run -f duel.ini"));
	mem_replace(&j.e.plan, mem_strdup("{\"rounds\":6,\"name\":\"<b>\\u202e\"}"));
	factset_set(&j.e.systems.v[0].facts, "package.openssl", "3.0.20-1", "dpkg status");
	factset_set(&j.e.systems.v[0].facts, "package_sha256.openssl", "00c0ffee",
		    "the package file");
	factset_set(&j.e.systems.v[1].facts, "package.openssl", "3.0.19-1<\x1b[2J", "dpkg status");
	judge(&j);
	char *page = render(&j, &report_html);
	const char *end = strstr(page, "How to repeat it");
	assert_non_null(end);
	assert_non_null(strstr(end, "<span class=\"word\">-f</span>"));
	assert_non_null(strstr(end, "&quot;rounds&quot;: 6"));
	assert_non_null(strstr(end, "&lt;b&gt;\\u202"));
	assert_non_null(strstr(end, "3.0.20-1<small><code>00c0ffee</code></small>"));
	assert_non_null(strstr(end, "3.0.19-1&lt;"));
	assert_null(strchr(end, '\x1b'));
	free(page);
	release(&j);
}

static void hidden(void **state)
{
	struct judged j;

	(void)state;
	example_reference(&j.e, 6);
	mem_replace(&j.e.systems.v[0].target, mem_strdup("ssh:alice@pi.example.net:2222"));
	mem_replace(&j.e.systems.v[1].target, mem_strdup("dir:/srv/secret place/root"));
	mem_replace(&j.e.title, mem_strdup("ssh:alice@pi.example.net:2222 against x"));
	mem_replace(
		&j.e.command,
		mem_strdup("lampduel run -b ssh:alice@pi.example.net:2222 -o /home/carol/x.json "
			   "--set url=http://user:pw@blog.example.net:81/p"));
	mem_replace(&j.e.plan, mem_strdup("{\"t\":\"dir:/srv/secret place/root\",\"u\":"
					  "\"https://blog.example.net/a\"}"));
	factset_set(&j.e.systems.v[0].facts, "host.name", "pi.example.net", "uname");
	factset_set(&j.e.systems.v[0].facts, "mariadb.var.hostname", "raspberry", "");
	factset_set(&j.e.systems.v[1].facts, "log", "/var/lib/raspberry.err", "");
	vec_push(&j.e.notes, mem_strdup("alice@pi.example.net was away"));
	judge(&j);
	for (size_t i = 0; i < report_format_count(); i++) {
		static const char *const secrets[] = {"alice", "example.net", "secret place",
						      "carol", "user:pw",     "raspberry"};
		char *text = render(&j, report_format_at(i));
		for (size_t k = 0; k < sizeof(secrets) / sizeof(secrets[0]); k++) {
			if (strstr(text, secrets[k]) != NULL)
				fail_msg("%s shows %s", report_format_at(i)->name, secrets[k]);
		}
		free(text);
	}
	/* the plan is still JSON, and hiding again changes nothing */
	char *plan = mem_strdup(j.e.plan), *command = mem_strdup(j.e.command);
	report_hide(&j.e);
	assert_string_equal(j.e.plan, "{\"t\":\"dir:.../root\",\"u\":\"https://.../a\"}");
	assert_string_equal(j.e.plan, plan);
	assert_string_equal(j.e.command, command);
	free(plan);
	free(command);
	release(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_figures),
		cmocka_unit_test(nothing_hostile_gets_out),
		cmocka_unit_test(markdown_tables_hold),
		cmocka_unit_test(pages_are_well_formed),
		cmocka_unit_test(a_long_run_makes_no_huge_page),
		cmocka_unit_test(read_back_is_equal),
		cmocka_unit_test(damaged_files_are_named),
		cmocka_unit_test(deep_and_odd_files),
		cmocka_unit_test(what_it_takes_to_repeat),
		cmocka_unit_test(hidden),
	};

	(void)setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("formats", tests, NULL, NULL);
}
