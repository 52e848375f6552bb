/*
 * stack: the throwaway MariaDB, Apache with PHP, and WordPress that lampduel
 * starts inside a system and removes again. Sockets are private, Apache listens
 * on loopback only, all files lie in the system's run folder.
 *
 * stack_prepare() makes the data folder and the site once; each life starts the
 * services on them and stops them again.
 */
#ifndef LAMPDUEL_STACK_STACK_H
#define LAMPDUEL_STACK_STACK_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "facts/fact.h"
#include "system/system.h"

struct stack; /* of one system */

/* How the services of a life are set. */
struct stack_life {
	bool web;     /* Apache, PHP and WordPress too; else MariaDB alone */
	bool opcache; /* web: OPcache as the release has it (on), or switched off */
};

/* Where the programs of the stack are inside a system and of which version. */
struct stack_programs {
	char *mariadbd, *mariadb; /* paths inside; NULL: missing */
	char *apache, *php_cli, *php_module;
	char *php_extensions; /* extension_dir */
	char *openssl;
	char *wordpress; /* "/usr/share/wordpress"; NULL: none here */
	char *mariadb_version, *apache_version, *php_version, *openssl_version, *wordpress_version;
};

/* One WordPress tree for all systems of an experiment. */
struct wordpress_tree {
	char *path;    /* folder on this machine, plain files, with our content in it */
	char *version; /* "6.1.1" */
	char *origin;  /* which system it came from */
	char *theme;   /* "twentytwentyone" */
};

void wordpress_tree_release(struct wordpress_tree *t);

/* Looks for the programs; missing ones are NULL. */
int stack_find_programs(struct system *s, struct stack_programs *p, struct err *err);
void stack_programs_release(struct stack_programs *p);
/* true, or false and *reason (new string) names what is missing and the Debian package that has it.
 */
bool stack_supported(const struct stack_programs *p, bool web, char **reason);

/*
 * The newest WordPress among the systems' roots that every side's PHP and MariaDB supports, copied
 * to dir with our configuration, caching engine and must-use plugin (share/wordpress). roots and
 * programs have n entries; entries without a root on this machine are not looked at.
 */
int wordpress_tree_make(struct system *const *systems, const struct stack_programs *programs,
			size_t n, const char *dir, struct wordpress_tree *t, struct err *err);

/*
 * tree: NULL when no task needs a site. Its folder must have been given to system_open() as a share
 * with inside path STACK_TREE_INSIDE. Starts nothing.
 */
#define STACK_TREE_INSIDE "/run/lampduel-wordpress"
struct stack *stack_new(struct system *s, const struct stack_programs *p,
			const struct wordpress_tree *tree);
/* Bytes that one stack's run folder needs: 110 to 150 MB were seen, and a full disk kills. */
#define STACK_ROOM INT64_C(200000000)
/* Makes the data folder and, with a tree, installs WordPress and the site's content. */
int stack_prepare(struct stack *st, const struct step *step, struct err *err);
int stack_begin_life(struct stack *st, const struct stack_life *life, const struct step *step,
		     struct err *err);
int stack_end_life(struct stack *st, const struct step *step, struct err *err);
/* 0 while all services of the life run; else an error that says which ended, how, and its last log
 * line. */
int stack_check(struct stack *st, struct err *err);
int stack_port(const struct stack *st);           /* Apache's */
const char *stack_socket(const struct stack *st); /* MariaDB's, inside */
const struct stack_programs *stack_get_programs(const struct stack *st);
const struct wordpress_tree *stack_get_tree(const struct stack *st); /* NULL: no site */
/* Every setting that differs from the release's default, as facts "setting.PROGRAM.NAME". */
void stack_settings(const struct stack *st, struct factset *f);
void stack_free(struct stack *st); /* ends what still runs; NULL is allowed */

#endif
