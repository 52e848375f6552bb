/* ssh: another machine as it is, through the OpenSSH client. */
#ifndef LAMPDUEL_SYSTEM_SSH_H
#define LAMPDUEL_SYSTEM_SSH_H

#include "system/system.h"

extern const struct system_kind ssh_kind;

#endif
