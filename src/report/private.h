/*
 * private: words in a text that tell where or by whom something was measured, whoever wrote them:
 * home folders, hosts of URLs, logins and mail addresses, hardware addresses, UUIDs and labels of
 * file systems; where it is asked for, network addresses, names of hosts and private folders.
 */
#ifndef LAMPDUEL_REPORT_PRIVATE_H
#define LAMPDUEL_REPORT_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

/* What may be a word like any other in some texts: versions have points too. */
enum private_kind {
	PRIVATE_ADDRESS = 1, /* 192.168.1.5 */
	PRIVATE_HOST = 2,    /* db.example.com */
	PRIVATE_FOLDER = 4,  /* /srv/name/program: all but its last part */
};

/* What a server has where nobody chose: nobody's secret. */
bool private_is_anybodys(const char *value, size_t len);

/*
 * The bytes at p, somewhere in text, that are private, and what is to stand there (*with, static).
 * 0: none.
 */
size_t private_at(const char *text, const char *p, unsigned kinds, const char **with);

#endif
