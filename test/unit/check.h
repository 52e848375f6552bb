/* check: calls that must succeed, or fail with a line that says so. Include after cmocka.h. */
#ifndef LAMPDUEL_TEST_CHECK_H
#define LAMPDUEL_TEST_CHECK_H

#include <string.h>

#include "base/err.h"

/* The call is written with "err" as its last argument: assert_ok(store_list(st, &rows, err)). */
#define assert_ok(call)                                                                            \
	do {                                                                                       \
		struct err err_ = ERR_INIT;                                                        \
		struct err *err = &err_;                                                           \
		if ((call) != 0)                                                                   \
			fail_msg("%s: %s", #call, err_.msg);                                       \
	} while (0)

/* text: a part of the message, which must be one line. */
#define assert_fails(call, text)                                                                   \
	do {                                                                                       \
		struct err err_ = ERR_INIT;                                                        \
		struct err *err = &err_;                                                           \
		assert_true((call) < 0);                                                           \
		if (strstr(err_.msg, text) == NULL || strchr(err_.msg, '\n') != NULL)              \
			fail_msg("%s: not \"%s\": %s", #call, text, err_.msg);                     \
	} while (0)

#endif
