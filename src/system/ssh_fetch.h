/* ssh_fetch: a page asked for by the curl of another machine; what its command line is and what
 * came. Pure. */
#ifndef LAMPDUEL_SYSTEM_SSH_FETCH_H
#define LAMPDUEL_SYSTEM_SSH_FETCH_H

#include "system/system.h"

/* q->url is set. */
void ssh_fetch_argv(const struct fetch_request *q, bool curl, struct strvec *argv);
/* From what came of the process to what came of the request; *out is ok and empty before. */
void ssh_fetch_read(const struct fetch_request *q, bool curl, const struct outcome *ran,
		    struct outcome *out);

#endif
