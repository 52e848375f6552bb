/*
 * effective: what programs say of their own settings and of how they were built,
 * turned into facts "effective.PROGRAM.NAME" and "build.PROGRAM.NAME". Pure.
 * Secrets are masked here, before anything is stored or shown.
 */
#ifndef LAMPDUEL_FACTS_EFFECTIVE_H
#define LAMPDUEL_FACTS_EFFECTIVE_H

#include "facts/fact.h"

/*
 * The value as it may be stored: a new string. What has a secret's name becomes "(hidden)" when it
 * is set at all; passwords within addresses and "password=..." within a value are taken out.
 */
char *effective_masked(const char *name, const char *value);
/* Kernel command lines and the like: words NAME=VALUE, each masked. New string. */
char *effective_masked_words(const char *text);

/* php -i: directives with their local value, and how PHP was built. The environment it prints as
 * well is not read. */
void effective_php_info(const char *text, struct factset *f);
/* php -m: effective.php.modules, sorted, with blanks between. */
void effective_php_modules(const char *text, struct factset *f);
/* mariadbd --verbose --help (or mysqld): the table after its options. */
void effective_mariadb_help(const char *text, struct factset *f);
/* SHOW GLOBAL VARIABLES of a running server, as the client's --batch prints it. */
void effective_mariadb_variables(const char *text, const char *origin, struct factset *f);
/* apache2 -V: MPM, what it was built with. */
void effective_apache_build(const char *text, struct factset *f);
/* apache2 -M: effective.apache.modules, sorted. */
void effective_apache_modules(const char *text, struct factset *f);
/* openssl version -a: options, compiler, platform, CPUINFO. */
void effective_openssl(const char *text, struct factset *f);

#endif
