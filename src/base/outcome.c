#include "base/outcome.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"

static const char *const names[] = {
	[OUTCOME_OK] = "ok",           [OUTCOME_FAILED] = "failed",   [OUTCOME_TIMEOUT] = "timeout",
	[OUTCOME_INVALID] = "invalid", [OUTCOME_SKIPPED] = "skipped",
};

void outcome_release(struct outcome *o)
{
	free(o->reason);
	buf_release(&o->out);
	buf_release(&o->err);
	buf_release(&o->headers);
	*o = (struct outcome){.status = OUTCOME_OK};
}

const char *outcome_status_name(enum outcome_status s)
{
	return names[s];
}

bool outcome_status_from_name(const char *name, enum outcome_status *s)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (text_equal(names[i], name)) {
			*s = (enum outcome_status)i;
			return true;
		}
	}
	return false;
}

void outcome_fail(struct outcome *o, enum outcome_status s, const char *fmt, ...)
{
	va_list ap;

	if (o->status != OUTCOME_OK)
		return;
	o->status = s;
	va_start(ap, fmt);
	mem_replace(&o->reason, mem_vprintf(fmt, ap));
	va_end(ap);
}
