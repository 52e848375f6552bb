#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "cmd/cmd.h"

/* Options that every command has; they set the context, not the command's structure. */
static const struct option_row common_rows[] = {
	{.name = "db",
	 .type = OPT_TEXT,
	 .arg = "FILE",
	 .help = "store to use instead of the user's own"},
	{.name = "verbose", .letter = 'v', .type = OPT_FLAG, .help = "say more on standard error"},
	{.name = "help", .letter = 'h', .type = OPT_FLAG, .help = "show this help"},
	{.name = NULL},
};
enum {
	COMMON_DB,
	COMMON_VERBOSE,
	COMMON_HELP,
	N_COMMON,
	/* what getopt_long returns for the first long option: beyond every letter */
	LONG_BASE = 1000
};

static void *at(void *options, const struct option_row *row)
{
	return (char *)options + row->offset;
}

static int has_argument(const struct option_row *row)
{
	switch (row->type) {
	case OPT_FLAG:
	case OPT_NO_FLAG:
		return no_argument;
	case OPT_OPTIONAL:
		return optional_argument;
	default:
		return required_argument;
	}
}

const struct option_row *options_find(const struct option_row *table, const char *name)
{
	for (; table != NULL && table->name != NULL; table++) {
		if (strcmp(table->name, name) == 0)
			return table;
	}
	return NULL;
}

/* Is value one of the words of choices, "a|b|c"? */
static bool is_choice(const char *choices, const char *value)
{
	size_t n = strlen(value);

	for (const char *p = choices; n > 0;) {
		size_t len = strcspn(p, "|");
		if (len == n && strncmp(p, value, n) == 0)
			return true;
		if (p[len] == '\0')
			break;
		p += len + 1;
	}
	return false;
}

static int set_flag(bool *flag, bool when_given, const char *value, const char *where,
		    struct err *err)
{
	if (is_choice("yes|on|true|1", value) || value[0] == '\0')
		*flag = when_given;
	else if (is_choice("no|off|false|0", value))
		*flag = !when_given;
	else
		return err_code(err, ERR_USAGE, "%s: \"%s\" is neither yes nor no", where, value);
	return 0;
}

static int set_count(const struct option_row *row, int64_t *count, const char *value,
		     const char *where, struct err *err)
{
	int64_t v = 0;

	if (!text_to_i64(value, &v))
		return err_code(err, ERR_USAGE, "%s: \"%s\" is not a whole number", where, value);
	if (v < row->min || v > row->max)
		return err_code(err, ERR_USAGE, "%s: %s is out of range (%lld to %lld)", where,
				value, (long long)row->min, (long long)row->max);
	*count = v;
	return 0;
}

static int check_seed(const char *value, const char *where, struct err *err)
{
	uint64_t seed = 0;

	if (!text_to_u64(value, &seed) || seed >= UINT64_C(1) << 53)
		return err_code(err, ERR_USAGE, "%s: \"%s\" is not a whole number below 2^53",
				where, value);
	return 0;
}

int options_set(const struct option_row *row, void *options, const char *value, const char *where,
		struct err *err)
{
	void *p = at(options, row);

	switch (row->type) {
	case OPT_FLAG:
	case OPT_NO_FLAG:
		return set_flag(p, row->type == OPT_FLAG, value, where, err);
	case OPT_LIST:
		strvec_push(p, value);
		return 0;
	case OPT_COUNT:
		return set_count(row, p, value, where, err);
	case OPT_DURATION:
		if (!text_to_duration(value, p))
			return err_code(err, ERR_USAGE,
					"%s: \"%s\" is not a time (examples: 90s, 15m, 2h)", where,
					value);
		return 0;
	case OPT_SHARE:
		/* a share of nothing would be taken for "not given" */
		if (!text_to_share(value, p) || !(*(double *)p > 0))
			return err_code(err, ERR_USAGE,
					"%s: \"%s\" is not a share above 0 (examples: 2%%, 0.02)",
					where, value);
		return 0;
	case OPT_SEED:
		if (check_seed(value, where, err) != 0)
			return ERR_USAGE;
		break;
	case OPT_CHOICE:
		if (!is_choice(row->arg, value))
			return err_code(err, ERR_USAGE, "%s: \"%s\" is none of %s", where, value,
					row->arg);
		break;
	case OPT_TEXT:
	case OPT_OPTIONAL:
		break;
	}
	mem_replace(p, mem_strdup(value));
	return 0;
}

void options_defaults(const struct option_row *table, void *options)
{
	for (; table != NULL && table->name != NULL; table++) {
		if (table->type == OPT_NO_FLAG)
			*(bool *)at(options, table) = true;
		else if (table->fallback != NULL)
			/* a default that its own row refuses is found by the tests */
			(void)options_set(table, options, table->fallback, table->name, NULL);
	}
}

void options_release(const struct option_row *table, void *options)
{
	for (; table != NULL && table->name != NULL; table++) {
		switch (table->type) {
		case OPT_LIST:
			strvec_release(at(options, table));
			break;
		case OPT_TEXT:
		case OPT_CHOICE:
		case OPT_OPTIONAL:
		case OPT_SEED:
			mem_replace(at(options, table), NULL);
			break;
		case OPT_FLAG:
		case OPT_NO_FLAG:
		case OPT_COUNT:
		case OPT_DURATION:
		case OPT_SHARE:
			break;
		}
	}
}

struct getopt_tables {
	struct option *longs;
	struct buf shorts;
};

static void add_rows(const struct option_row *table, struct getopt_tables *g, int *n)
{
	for (; table != NULL && table->name != NULL; table++) {
		g->longs = mem_resize(g->longs, (size_t)*n + 2, sizeof(*g->longs));
		g->longs[*n] =
			(struct option){table->name, has_argument(table), NULL, LONG_BASE + *n};
		g->longs[++*n] = (struct option){NULL, 0, NULL, 0};
		if (table->letter != 0) {
			buf_addch(&g->shorts, table->letter);
			if (has_argument(table) == required_argument)
				buf_addch(&g->shorts, ':');
		}
	}
}

/* The row for what getopt_long returned; common rows come first. */
static const struct option_row *row_of(const struct option_row *table, int code)
{
	if (code >= LONG_BASE + N_COMMON)
		return &table[code - LONG_BASE - N_COMMON];
	if (code >= LONG_BASE)
		return &common_rows[code - LONG_BASE];
	for (size_t i = 0; i < N_COMMON; i++) {
		if (common_rows[i].letter == code)
			return &common_rows[i];
	}
	while (table->letter != code)
		table++;
	return table;
}

/* A common row sets the context; false: the row is the command's own. */
static bool set_common(const struct option_row *row, struct cmd_context *c, bool *help)
{
	if (row == &common_rows[COMMON_HELP])
		*help = true;
	else if (row == &common_rows[COMMON_VERBOSE])
		c->verbose = true;
	else if (row == &common_rows[COMMON_DB])
		mem_replace(&c->db_path, mem_strdup(optarg));
	else
		return false;
	return true;
}

static int refuse(const struct command *cmd, int code, char **argv, struct err *err)
{
	char letter[3] = {'-', (char)optopt, '\0'};
	const char *what = optopt > 0 && optopt < LONG_BASE ? letter : argv[optind - 1];

	return err_code(err, ERR_USAGE, "%s %s; try lampduel %s --help",
			code == ':' ? "a value is missing after" : "unknown option", what,
			cmd->name);
}

int options_parse(const struct command *cmd, int argc, char **argv, void *options,
		  struct cmd_context *c, struct strvec *rest, bool *help, struct err *err)
{
	struct getopt_tables g = {NULL, BUF_INIT};
	int n = 0;
	int rc = 0;

	buf_addch(&g.shorts, ':'); /* a missing value is told from an unknown option */
	add_rows(common_rows, &g, &n);
	add_rows(cmd->options, &g, &n);
	optind = 0; /* GNU: start afresh */
	opterr = 0;
	while (rc == 0) {
		int code = getopt_long(argc, argv, g.shorts.data, g.longs, NULL);
		if (code == -1)
			break;
		if (code == '?' || code == ':') {
			rc = refuse(cmd, code, argv, err);
			break;
		}
		const struct option_row *row = row_of(cmd->options, code);
		if (set_common(row, c, help))
			continue;
		char where[80];
		(void)snprintf(where, sizeof(where), "--%s", row->name);
		uint64_t bit = UINT64_C(1) << (row - cmd->options);
		if (row->once && (c->given & bit) != 0) {
			rc = err_code(err, ERR_USAGE, "%s is given twice", where);
			break;
		}
		rc = options_set(row, options, optarg == NULL ? "" : optarg, where, err);
		c->given |= bit;
	}
	for (int i = optind; rc == 0 && i < argc; i++)
		strvec_push(rest, argv[i]);
	free(g.longs);
	buf_release(&g.shorts);
	return rc;
}

enum { HELP_WIDTH = 78, HELP_INDENT = 30 };

/* Prints text wrapped at HELP_WIDTH; the first line starts at column, the others at indent. */
static void print_wrapped(FILE *out, const char *text, size_t indent, size_t column)
{
	for (bool first = true; *text != '\0'; first = false) {
		size_t word = strcspn(text, " ");
		if (!first && column + 1 + word > HELP_WIDTH) {
			(void)fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!first) {
			(void)fputc(' ', out);
			column++;
		}
		(void)fwrite(text, 1, word, out);
		column += word;
		text += word;
		text += strspn(text, " ");
	}
	(void)fputc('\n', out);
}

static void print_option(FILE *out, const struct option_row *row)
{
	struct buf b = BUF_INIT;

	if (row->letter != 0)
		buf_addf(&b, "  -%c, --%s", row->letter, row->name);
	else
		buf_addf(&b, "      --%s", row->name);
	if (row->arg != NULL)
		buf_addf(&b, row->type == OPT_OPTIONAL ? "[=%s]" : " %s", row->arg);
	(void)fputs(b.data, out);
	if (b.len + 1 > HELP_INDENT) {
		(void)fputc('\n', out);
		b.len = 0;
	}
	(void)fprintf(out, "%*s", (int)(HELP_INDENT - b.len), "");
	buf_clear(&b);
	buf_addstr(&b, row->help);
	if (row->fallback != NULL && row->fallback[0] != '\0')
		buf_addf(&b, " (default: %s)", row->fallback);
	print_wrapped(out, b.data, HELP_INDENT, HELP_INDENT);
	buf_release(&b);
}

void options_help(const struct command *cmd, FILE *out)
{
	(void)fprintf(out, "Usage: lampduel %s %s\n\n", cmd->name, cmd->arguments);
	print_wrapped(out, cmd->summary, 0, 0);
	(void)fputs("\nOptions:\n", out);
	for (const struct option_row *r = cmd->options; r != NULL && r->name != NULL; r++)
		print_option(out, r);
	for (const struct option_row *r = common_rows; r->name != NULL; r++)
		print_option(out, r);
	if (cmd->details != NULL)
		(void)fprintf(out, "\n%s", cmd->details);
	if (cmd->more_help != NULL)
		cmd->more_help(out);
}
