#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 0))) static int set_va(struct err *e, int code, const char *fmt,
							va_list ap)
{
	if (e == NULL)
		return code;
	e->code = code;
	(void)vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	return code;
}

int err_set(struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int code = set_va(e, ERR_FAIL, fmt, ap);
	va_end(ap);
	return code;
}

int err_code(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)set_va(e, code, fmt, ap);
	va_end(ap);
	return code;
}

int err_errno(struct err *e, int errnum, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int code = set_va(e, ERR_FAIL, fmt, ap);
	va_end(ap);
	if (e != NULL) {
		size_t len = strlen(e->msg);
		(void)snprintf(e->msg + len, sizeof(e->msg) - len, ": %s", strerror(errnum));
	}
	return code;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	if (e == NULL)
		return ERR_FAIL;

	char old[ERR_MAX];
	memcpy(old, e->msg, sizeof(old));

	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);

	size_t len = strlen(e->msg);
	(void)snprintf(e->msg + len, sizeof(e->msg) - len, ": %s", old);
	if (e->code == 0)
		e->code = ERR_FAIL;
	return e->code;
}

void err_clear(struct err *e)
{
	e->code = 0;
	e->msg[0] = '\0';
}
