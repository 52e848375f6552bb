/* cmd/options: parsing, limits, defaults, and that every command's own defaults are accepted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/cmd.h"

struct opts {
	bool flag, color;
	char *text, *choice, *gate, *seed;
	struct strvec list;
	int64_t count, time;
	double share;
};

#define AT(m) offsetof(struct opts, m)

static const struct option_row rows[] = {
	{.name = "flag", .letter = 'f', .type = OPT_FLAG, .offset = AT(flag), .help = "a flag"},
	{.name = "no-color", .type = OPT_NO_FLAG, .offset = AT(color), .help = "no color"},
	{.name = "text",
	 .letter = 't',
	 .type = OPT_TEXT,
	 .offset = AT(text),
	 .arg = "TEXT",
	 .help = "text"},
	{.name = "list", .type = OPT_LIST, .offset = AT(list), .arg = "X", .help = "list"},
	{.name = "count",
	 .letter = 'n',
	 .type = OPT_COUNT,
	 .offset = AT(count),
	 .arg = "N",
	 .fallback = "15",
	 .help = "count",
	 .min = 1,
	 .max = 100},
	{.name = "time",
	 .type = OPT_DURATION,
	 .offset = AT(time),
	 .arg = "TIME",
	 .fallback = "0.5s",
	 .help = "time"},
	{.name = "share",
	 .type = OPT_SHARE,
	 .offset = AT(share),
	 .arg = "SHARE",
	 .fallback = "2%",
	 .help = "share"},
	{.name = "choice",
	 .type = OPT_CHOICE,
	 .offset = AT(choice),
	 .arg = "ab|abc",
	 .fallback = "abc",
	 .help = "choice"},
	{.name = "gate", .type = OPT_OPTIONAL, .offset = AT(gate), .arg = "WORD", .help = "gate"},
	{.name = "seed", .type = OPT_SEED, .offset = AT(seed), .arg = "N", .help = "seed"},
	{.name = NULL},
};

static const struct command test_command = {.name = "test",
					    .arguments = "",
					    .summary = "s",
					    .options = rows,
					    .options_size = sizeof(struct opts)};

struct parsed {
	struct opts o;
	struct cmd_context c;
	struct strvec rest;
	bool help;
	struct err err;
	int rc;
};

static struct parsed *parse(char **argv)
{
	struct parsed *p = mem_alloc(sizeof(*p));
	int argc = 0;

	while (argv[argc] != NULL)
		argc++;
	options_defaults(rows, &p->o);
	p->rc = options_parse(&test_command, argc, argv, &p->o, &p->c, &p->rest, &p->help, &p->err);
	return p;
}

static void drop(struct parsed *p)
{
	options_release(rows, &p->o);
	strvec_release(&p->rest);
	free(p->c.db_path);
	free(p);
}

#define ARGS(...) ((char *[]){"test", __VA_ARGS__, NULL})

static void defaults_stand_when_nothing_is_given(void **state)
{
	(void)state;
	struct parsed *p = parse((char *[]){"test", NULL});

	assert_int_equal(p->rc, 0);
	assert_false(p->o.flag);
	assert_true(p->o.color);
	assert_null(p->o.text);
	assert_int_equal(p->o.count, 15);
	assert_int_equal(p->o.time, NS_PER_S / 2);
	assert_true(p->o.share == 0.02);
	assert_string_equal(p->o.choice, "abc");
	assert_null(p->o.gate);
	assert_int_equal(p->c.given, 0);
	drop(p);
}

static void all_forms_are_taken(void **state)
{
	(void)state;
	struct parsed *p =
		parse(ARGS("-f", "--no-color", "-tx", "--list", "a", "A", "--list=b", "-n", "7",
			   "--gate", "--choice=ab", "--seed", "9", "-v", "--db", "d", "--", "-n"));

	assert_int_equal(p->rc, 0);
	assert_true(p->o.flag && !p->o.color && p->c.verbose);
	assert_string_equal(p->o.text, "x");
	assert_int_equal(p->o.list.n, 2);
	assert_int_equal(p->o.count, 7);
	assert_string_equal(p->o.gate, "");
	assert_string_equal(p->o.choice, "ab");
	assert_string_equal(p->o.seed, "9");
	assert_string_equal(p->c.db_path, "d");
	assert_int_equal(p->rest.n, 2);
	assert_string_equal(p->rest.v[0], "A");
	assert_string_equal(p->rest.v[1], "-n");
	assert_int_equal(p->c.given & 1, 1);
	assert_int_equal(p->c.given >> 5 & 1, 0);
	drop(p);
}

static void refuses(char **argv, const char *says)
{
	struct parsed *p = parse(argv);

	if (p->rc != ERR_USAGE || strstr(p->err.msg, says) == NULL)
		fail_msg("%s: rc %d, \"%s\" does not say \"%s\"", argv[1], p->rc, p->err.msg, says);
	drop(p);
}

static void what_cannot_be_is_refused_by_name(void **state)
{
	(void)state;
	refuses(ARGS("--none"), "--none");
	refuses(ARGS("-x"), "-x");
	refuses(ARGS("--count"), "missing after --count");
	refuses(ARGS("-n"), "-n");
	refuses(ARGS("-n", "0"), "out of range (1 to 100)");
	refuses(ARGS("-n", "5x"), "not a whole number");
	refuses(ARGS("--time", "soon"), "not a time");
	refuses(ARGS("--share", "two"), "not a share");
	refuses(ARGS("--choice", "a"), "none of ab|abc");
	refuses(ARGS("--choice", ""), "none of ab|abc");
	refuses(ARGS("--seed", "9007199254740992"), "below 2^53");
	refuses(ARGS("--seed", "-1"), "below 2^53");
}

static void help_is_noticed_beside_others(void **state)
{
	(void)state;
	struct parsed *p = parse(ARGS("-n", "3", "-h"));

	assert_int_equal(p->rc, 0);
	assert_true(p->help);
	drop(p);
}

static void every_commands_table_is_sound(void **state)
{
	(void)state;
	for (size_t i = 0; command_table[i] != NULL; i++) {
		const struct command *cmd = command_table[i];
		size_t n = 0;
		for (const struct option_row *r = cmd->options; r != NULL && r->name != NULL;
		     r++, n++) {
			struct err e = ERR_INIT;
			void *o = mem_alloc(cmd->options_size);
			assert_true(r->offset < cmd->options_size);
			assert_non_null(r->help);
			assert_ptr_equal(options_find(cmd->options, r->name), r);
			if (r->fallback != NULL && options_set(r, o, r->fallback, r->name, &e) != 0)
				fail_msg("%s: default of --%s: %s", cmd->name, r->name, e.msg);
			options_release(cmd->options, o);
			free(o);
		}
		assert_true(n <= 64); /* cmd_context.given */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_stand_when_nothing_is_given),
		cmocka_unit_test(all_forms_are_taken),
		cmocka_unit_test(what_cannot_be_is_refused_by_name),
		cmocka_unit_test(help_is_noticed_beside_others),
		cmocka_unit_test(every_commands_table_is_sound),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
