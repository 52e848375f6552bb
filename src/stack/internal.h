/*
 * stack/internal: what the files of this module share. Nothing outside of
 * src/stack includes it.
 */
#ifndef LAMPDUEL_STACK_INTERNAL_H
#define LAMPDUEL_STACK_INTERNAL_H

#include "stack/stack.h"

/* Runs argv of the system; 0 when it ended with status 0, else a line that has its last words. */
int stack_run(struct system *s, const struct step *step, const struct strvec *argv,
	      const struct strvec *env, const void *input, size_t input_len, int64_t timeout_ns,
	      struct outcome *out, struct err *err);

/* ---- settings.c: every setting that differs from the release's default ---- */

enum setting_program { SETTING_MARIADB, SETTING_PHP, SETTING_APACHE };
enum setting_when {
	WHEN_ALWAYS,
	WHEN_ROOT,   /* the services start as root */
	WHEN_SWITCH, /* Apache changes to another user */
};

/* What stands for {name} in a setting's value. */
struct setting_vars {
	const char *run, *port, *life, *tree, *opcache, *user, *gid;
	bool root, switch_user;
};

/*
 * Appends the program's settings in the form of its configuration file. Values are the table's
 * with their {variables} replaced.
 */
void settings_write(struct buf *b, enum setting_program p, const struct setting_vars *vars);
/* A value as it stands between double quotes in a server's configuration. */
void settings_add_quoted(struct buf *b, const char *value);
/* The table as facts; run folder and port stay variables, so that two of them are no difference. */
void settings_report(const struct setting_vars *vars, bool web, struct factset *f);
/* The name in Apache's modules we load when it is there as a file; NULL ends. */
const char *const *settings_apache_modules(void);

/* ---- php.c: how PHP and Apache are laid out ---- */

struct php_layout {
	char *version, *extensions;
	char *module;            /* NULL: Apache has none of this PHP */
	char *ini;               /* NULL: the release gives none */
	struct strvec conf;      /* lines of conf.d */
	bool conf_from_packages; /* conf.d was empty: they are the packages' */
	struct strvec apache;    /* names of Apache's modules */
	long uid;                /* ours inside; -1: not known */
	char *web_user;          /* whom Apache serves as when we are root; NULL: nobody fits */
	long web_uid, web_gid;
};

void php_layout_release(struct php_layout *l);
/* Pure: reads what probe.php printed. */
int php_layout_read(const char *text, struct php_layout *l, struct err *err);
int php_probe(struct system *s, const struct step *step, const char *php, struct php_layout *l,
	      struct err *err);
/*
 * The php.ini of a life: base (the release's, may be empty) without its comments, conf.d, ours.
 */
void php_ini_write(struct buf *b, const char *base, const struct php_layout *l,
		   const struct setting_vars *vars);

/* ---- service.c: one of the two servers ---- */

struct service {
	const char *name; /* "MariaDB", "Apache" */
	int id;           /* of system_spawn(); 0: not running */
	char *log;        /* inside; of this life */
};

int service_start(struct system *s, const struct step *step, struct service *v,
		  const struct strvec *argv, const struct strvec *env, const char *log,
		  struct err *err);
/* 0 while it runs; else the line that says how it ended and its last log line. */
int service_check(struct system *s, const struct step *step, struct service *v, struct err *err);
int service_stop(struct system *s, const struct step *step, struct service *v, int64_t grace_ns,
		 struct err *err);
void service_release(struct service *v);
/* Pure: the line of a log that tells most, escaped; "" when there is none. New string. */
char *service_last_words(const char *log, size_t len);

/* Is it ready? 1 yes, 0 not yet, negative: it never will be. */
typedef int service_ready_fn(struct stack *st, const struct step *step, struct err *err);
/* Asks until it is ready, it ends, limit_ns passed or the run is interrupted. */
int service_wait(struct stack *st, const struct step *step, struct service *v,
		 service_ready_fn *ready, int64_t limit_ns, struct err *err);

/* ---- the stack of a system ---- */

struct stack {
	struct system *system;
	const struct stack_programs *programs; /* the caller's */
	const struct wordpress_tree *tree;     /* the caller's; NULL: no site */
	char *tree_inside;                     /* where the system sees it */
	struct php_layout php;
	bool prepared;
	int lives; /* begun so far; numbers the logs */
	bool opcache;
	struct service mariadb, apache;
	int port;
	char *socket, *port_text, *life_text, *gid_text;
	char *ready_token;
};

/* The variables of the settings as they are now; valid until st changes. */
struct setting_vars stack_vars(const struct stack *st);

/* mariadb.c */
int mariadb_configure(struct stack *st, const struct step *step, struct err *err);
int mariadb_start(struct stack *st, const struct step *step, struct err *err);
int mariadb_wait(struct stack *st, const struct step *step, struct err *err);

/* apache.c */
int apache_configure(struct stack *st, const struct step *step, struct err *err);
int apache_start(struct stack *st, const struct step *step, struct err *err);
/* Waits; when another process took the port meanwhile, starts again on another one. */
int apache_wait(struct stack *st, const struct step *step, struct err *err);

/* site.c */
/* Finds the tree inside; where the system does not show it, it is put into the run folder. */
int site_show_tree(struct stack *st, const struct step *step, struct err *err);
int site_install(struct stack *st, const struct step *step, struct err *err);

/* version.c: pure readers of what programs say about themselves. New string or NULL. */
char *version_after(const char *text, const char *mark);
/* Compares dotted numbers: "10.11.6" > "10.6"; what follows the numbers does not count. */
int version_compare(const char *a, const char *b);
/* The value of `$name = '...';` in PHP text. */
char *php_string_of(const char *text, const char *name);

#endif
