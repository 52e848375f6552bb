/* Every kind of system, one row each. */
#include "system/debian.h"
#include "system/dir.h"
#include "system/local.h"
#include "system/recorded.h"
#include "system/ssh.h"
#include "system/system.h"

static const struct system_kind *const kinds[] = {
	&local_kind, &ssh_kind, &debian_kind, &dir_kind, &recorded_kind,
};

size_t system_kind_count(void)
{
	return sizeof(kinds) / sizeof(kinds[0]);
}

const struct system_kind *system_kind_at(size_t i)
{
	return kinds[i];
}
