/*
 * mirror: the Debian archive this machine's apt is configured to use. The text
 * comes from apt-get itself, which knows every form of its source lists; the
 * choosing is pure.
 */
#ifndef LAMPDUEL_SYSTEM_MIRROR_H
#define LAMPDUEL_SYSTEM_MIRROR_H

#include <stdbool.h>

#include "base/err.h"

struct mirror {
	char *main;     /* "http://HOST/debian"; no slash at its end */
	char *security; /* the archive of SUITE-security; NULL: none known */
};

void mirror_release(struct mirror *m);

/* What a source line may say: a scheme, a colon, and nothing that would end the word. */
bool mirror_is_well_formed(const char *url);
/* Without user and password, for showing. New string. */
char *mirror_shown(const char *url);

/* asked (--mirror), else LAMPDUEL_MIRROR, else apt's configuration. */
int mirror_find(const char *asked, const volatile int *stop, struct mirror *m, struct err *err);

/*
 * Pure: from the lines "URL|RELEASE|COMPONENT|LABEL" of apt-get indextargets (what was downloaded:
 * the label says whose archive it is). false: there is no Debian archive among them.
 */
bool mirror_from_targets(const char *text, struct mirror *m);
/*
 * Pure: from apt-get update --print-uris, which needs nothing downloaded but has no labels: a
 * Debian archive is one whose release has a name of Debian's and whose path ends in /debian.
 */
bool mirror_from_uris(const char *text, struct mirror *m);

#endif
