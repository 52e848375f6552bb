#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/proc.h"
#include "base/text.h"
#include "cmd/cmd.h"

enum { EXIT_BY_SIGNAL = 128 };

static volatile int stop_signal;

static void on_signal(int sig)
{
	stop_signal = sig;
}

static void catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction sa = {.sa_handler = on_signal};

	/* no SA_RESTART: waiting calls return and look at the flag */
	(void)sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		(void)sigaction(signals[i], &sa, NULL);
	/* a closed pipe is seen as a write error */
	(void)signal(SIGPIPE, SIG_IGN);
}

static int terminal_columns(void)
{
	struct winsize w = {0};
	const char *env = getenv("COLUMNS");
	int64_t n = 0;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col >= 40)
		return w.ws_col;
	if (env != NULL && text_to_i64(env, &n) && n >= 40 && n <= 1000)
		return (int)n;
	return 80;
}

static void context_init(struct cmd_context *c)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");
	/* one that can do nothing but print lines is as good as none */
	bool able = term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0;

	*c = (struct cmd_context){.out = stdout, .stop = &stop_signal};
	c->tty_out = isatty(STDOUT_FILENO) == 1;
	c->tty_err = isatty(STDERR_FILENO) == 1 && able;
	c->color = c->tty_out && able && (no_color == NULL || no_color[0] == '\0');
	c->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	c->columns = terminal_columns();
	clock_init_real(&c->clock);
}

static char *join_command_line(char *const *argv)
{
	struct buf b = BUF_INIT;

	buf_addstr(&b, "lampduel");
	for (argv++; *argv != NULL; argv++) {
		bool plain =
			**argv != '\0' && strpbrk(*argv, " \t\n'\"\\$`*?;&|<>()[]{}!#~") == NULL;
		buf_addstr(&b, plain ? " " : " '");
		for (const char *p = *argv; *p != '\0'; p++) {
			if (*p == '\'')
				buf_addstr(&b, "'\\''");
			else
				buf_addch(&b, *p);
		}
		if (!plain)
			buf_addch(&b, '\'');
	}
	/* it is stored, and shown in reports: a mirror's password must be in neither */
	text_hide_logins(b.data);
	return buf_detach(&b);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; command_table[i] != NULL; i++) {
		if (strcmp(command_table[i]->name, name) == 0)
			return command_table[i];
	}
	return NULL;
}

static void print_help(FILE *out)
{
	(void)fputs("lampduel says which of two LAMP installations is faster, by how much, and how "
		    "sure that is.\n\n"
		    "Usage: lampduel COMMAND [options]\n\nCommands:\n",
		    out);
	for (size_t i = 0; command_table[i] != NULL; i++)
		(void)fprintf(out, "  %-12s %s\n", command_table[i]->name,
			      command_table[i]->summary);
	(void)fputs("\nlampduel COMMAND --help tells more of each; see also lampduel(1).\n", out);
}

/* Buffered output that cannot be written is an error like any other. */
static int flush_output(FILE *out, int write_errno, int status)
{
	bool failed = ferror(out) != 0;

	errno = 0;
	if (fflush(out) != 0 || failed) {
		if (write_errno == 0)
			write_errno = errno;
		(void)fprintf(stderr, "lampduel: cannot write to standard output: %s\n",
			      write_errno != 0 ? strerror(write_errno) : "write error");
		return status == 0 ? EXIT_ERROR : status;
	}
	return status;
}

/* Messages may hold names and words that came from elsewhere: none of it reaches the terminal raw.
 */
static void tell(const char *text)
{
	char *safe = text_escaped(text);

	(void)fprintf(stderr, "lampduel: %s\n", safe);
	free(safe);
}

static int exit_status(int rc, const struct err *err)
{
	if (rc >= 0)
		return rc;
	if (rc == ERR_INTERRUPTED && stop_signal != 0) {
		tell(err->msg[0] != '\0' ? err->msg : "interrupted");
		return EXIT_BY_SIGNAL + stop_signal;
	}
	tell(err->msg);
	return rc == ERR_USAGE ? EXIT_USAGE : EXIT_ERROR;
}

int cmd_open_store(struct cmd_context *c, struct err *err)
{
	if (c->store == NULL)
		c->store = store_open(c->db_path, err);
	return c->store == NULL ? err->code : 0;
}

static int run_command(const struct command *cmd, int argc, char **argv, struct cmd_context *c,
		       struct err *err)
{
	void *options = mem_alloc(cmd->options_size);
	struct strvec rest = STRVEC_INIT;
	bool help = false;

	options_defaults(cmd->options, options);
	int rc = options_parse(cmd, argc, argv, options, c, &rest, &help, err);
	if (rc == 0 && help) {
		options_help(cmd, c->out);
	} else if (rc == 0) {
		if ((cmd->flags & CMD_STORE) != 0)
			rc = cmd_open_store(c, err);
		if (rc == 0)
			rc = cmd->run(c, options, &rest, err);
		store_close(c->store);
	}
	strvec_release(&rest);
	options_release(cmd->options, options);
	free(options);
	return rc;
}

int cmd_main(int argc, char **argv)
{
	struct cmd_context c;
	struct err err = ERR_INIT;
	int status = 0;

	/* the character set alone: numbers stay as in C */
	(void)setlocale(LC_CTYPE, "");
	context_init(&c);
	/* "help run" is "run --help" */
	static char help[] = "--help";
	char *named[] = {argv[0], argc == 3 ? argv[2] : NULL, help, NULL};
	if (argc == 3 && strcmp(argv[1], "help") == 0)
		argv = named;
	if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		print_help(argc < 2 ? stderr : stdout);
		return flush_output(stdout, 0, argc < 2 ? EXIT_USAGE : 0);
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		(void)printf("lampduel %s\n", LAMPDUEL_VERSION);
		return flush_output(stdout, 0, 0);
	}
	const struct command *cmd = find_command(argv[1]);
	if (cmd == NULL) {
		(void)err_code(&err, ERR_USAGE,
			       "there is no command \"%s\"; lampduel --help lists them", argv[1]);
		return exit_status(ERR_USAGE, &err);
	}
	catch_signals();
	proc_close_inherited_on_exec();
	char *line = join_command_line(argv);
	c.command_line = line;
	status = exit_status(run_command(cmd, argc - 1, argv + 1, &c, &err), &err);
	status = flush_output(c.out, c.write_errno, status);
	free(c.db_path);
	free(line);
	return status;
}
