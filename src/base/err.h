/*
 * err: how a function says what went wrong.
 *
 * A fallible function returns 0 or a negative number and fills the caller's
 * struct err. A message is one line: what failed, where, what to do. Callers
 * add context in front with err_wrap(). Library code never prints it; the
 * command does, once.
 */
#ifndef LAMPDUEL_BASE_ERR_H
#define LAMPDUEL_BASE_ERR_H

enum { ERR_MAX = 1024 };

/* Set code to one of these; every one is negative, plain failures are ERR_FAIL. */
enum err_code {
	ERR_NONE = 0,
	ERR_FAIL = -1,        /* anything that is not below */
	ERR_USAGE = -2,       /* the user asked for something that cannot be */
	ERR_INTERRUPTED = -3, /* a signal asked us to stop */
	ERR_TIMEOUT = -4,
	ERR_GONE = -5,     /* the other end (sandbox, server) ended */
	ERR_HOPELESS = -6, /* the same again would fail again: what is asked is not possible there,
			      or is not what it was */
};

struct err {
	int code;          /* an enum err_code; 0 when nothing is set */
	char msg[ERR_MAX]; /* cut to fit, always terminated */
};

#define ERR_INIT                                                                                   \
	{                                                                                          \
		.code = 0, .msg = ""                                                               \
	}

/* Each returns the code it stores, so that `return err_set(e, ...)` works. e may be NULL. */
int err_set(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int err_code(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The message followed by ": " and the text of errnum. */
int err_errno(struct err *e, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Puts "context: " before the message; keeps and returns the code. */
int err_wrap(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void err_clear(struct err *e);

#endif
