/*
 * packages: the versions of installed packages, from what a distribution's
 * package manager leaves in files or prints. Pure.
 */
#ifndef LAMPDUEL_FACTS_PACKAGES_H
#define LAMPDUEL_FACTS_PACKAGES_H

#include "facts/fact.h"

/* Is a package of this name part of what is measured (a server, PHP, OpenSSL, libc ...)? */
bool packages_wanted(const char *name);
/* /var/lib/dpkg/status: "package.NAME" of each one wanted that is installed. */
void packages_dpkg_status(const char *text, struct factset *f);
/* dpkg-query's lines "name<TAB>version<TAB>status". */
void packages_dpkg_query(const char *text, struct factset *f);
/*
 * Names of files in Slackware's /var/log/packages, a line each:
 * "httpd-2.4.27-arm-1_slack14.2", that is name, version, architecture, build.
 */
void packages_slackware(const char *text, struct factset *f);

#endif
