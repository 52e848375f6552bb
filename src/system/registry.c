#include "system/kinds.h"

#define SYSTEM_KIND_LISTED(name) &name##_kind,

static const struct system_kind *const kinds[] = {SYSTEM_KINDS(SYSTEM_KIND_LISTED)};

size_t system_kind_count(void)
{
	return sizeof(kinds) / sizeof(kinds[0]);
}

const struct system_kind *system_kind_at(size_t i)
{
	return kinds[i];
}
