/*
 * cmd: the commands. A command is one file with a struct command and one row in
 * cmd/table.c. Its options are a table: one row gives parsing, default, help
 * and, where marked, the key in the ini file's [run] section.
 */
#ifndef LAMPDUEL_CMD_CMD_H
#define LAMPDUEL_CMD_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"
#include "store/store.h"

/* Exit status beyond 0. A negative enum err_code becomes EXIT_ERROR or EXIT_USAGE. */
enum { EXIT_ERROR = 1, EXIT_USAGE = 2, EXIT_SLOWER = 3, EXIT_UNDECIDED = 4 };

/* What a row's value is stored as, at its offset in the command's option structure. */
enum option_type {
	OPT_FLAG,     /* bool: true when given */
	OPT_NO_FLAG,  /* bool: false when given */
	OPT_TEXT,     /* char *: owned, NULL when absent and without default */
	OPT_LIST,     /* struct strvec: may be given again and again */
	OPT_COUNT,    /* int64_t: a whole number within [min, max] */
	OPT_SEED,     /* char *: a whole number below 2^53 as text, so that "not given" is known */
	OPT_DURATION, /* int64_t ns: 90s, 15m, 2h */
	OPT_SHARE,    /* double: 2% or 0.02 */
	OPT_CHOICE,   /* char *: one of the words of arg, "text|markdown" */
	OPT_OPTIONAL, /* char *: --gate or --gate=WORD; "" when given without */
};

struct option_row {
	const char *name; /* long name; NULL ends the table */
	char letter;      /* short name or 0 */
	enum option_type type;
	size_t offset;
	const char *arg;      /* shown in help: "N", "FILE"; NULL for flags */
	const char *fallback; /* default as text, NULL: none */
	const char *help;     /* one sentence */
	bool ini;             /* also a key of [run] */
	int64_t min, max;     /* OPT_COUNT */
	bool once;            /* given twice it is an error: both cannot be meant */
};

/* What every command gets. */
struct cmd_context {
	FILE *out;       /* results */
	int write_errno; /* why they could not be written, when that is known already */
	bool tty_out, tty_err, color;
	bool utf8;   /* the terminal's character set */
	int columns; /* of the terminal; 80 when there is none */
	bool verbose;
	char *db_path;       /* --db; NULL: the default */
	struct store *store; /* NULL until it is opened (CMD_STORE, cmd_open_store()) */
	struct clock clock;
	const volatile int *stop; /* set by SIGINT, SIGTERM, SIGHUP */
	const char *command_line; /* as typed, for the record */
	uint64_t given;           /* bit i: the command's i-th option was on the command line */
};

enum command_flags {
	CMD_STORE = 1, /* opens the store before run() */
};

struct command {
	const char *name;
	const char *arguments;        /* "[options] A [B]" */
	const char *summary;          /* one sentence for lampduel --help */
	const char *details;          /* lines for lampduel NAME --help, may be NULL */
	void (*more_help)(FILE *out); /* the same, from a table (cmd/help.h); may be NULL */
	const struct option_row *options;
	size_t options_size; /* of the option structure; 0: no options */
	unsigned flags;
	/* 0, a positive exit status, or a negative enum err_code with err set. argv: what is left.
	 */
	int (*run)(struct cmd_context *c, void *options, struct strvec *argv, struct err *err);
};

/* Opens the store, when it is not open: for commands that do not always need one. */
int cmd_open_store(struct cmd_context *c, struct err *err);

extern const struct command *const command_table[]; /* ended by NULL */

/* The whole program: finds the command, parses, runs, prints the error; returns the exit status. */
int cmd_main(int argc, char **argv);

/* print.c: a table as wide as the terminal, on standard output; releases it. */
struct table;
void cmd_put_table(struct cmd_context *c, struct table *t);

/* options.c */
void options_defaults(const struct option_row *table, void *options);
void options_release(const struct option_row *table, void *options);
/* Sets one option from text; where names what is to blame: "--rounds", "duel.ini:7: rounds". */
int options_set(const struct option_row *row, void *options, const char *value, const char *where,
		struct err *err);
const struct option_row *options_find(const struct option_row *table, const char *name);
/*
 * argv[0] is the command's name. What is no option, and all after "--", is added to rest.
 * *help: --help was given.
 */
int options_parse(const struct command *cmd, int argc, char **argv, void *options,
		  struct cmd_context *c, struct strvec *rest, bool *help, struct err *err);
void options_help(const struct command *cmd, FILE *out);

#endif
