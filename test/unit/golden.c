#include "golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"

void assert_golden(const char *file, const char *text)
{
	struct buf wanted = BUF_INIT;
	struct err err = ERR_INIT;

	/* as in the command-line tests */
	if (getenv("UPDATE_GOLDEN") != NULL &&
	    fs_write_atomic(file, text, strlen(text), 0644, &err) != 0)
		fail_msg("%s", err.msg);
	int rc = fs_read(file, 1 << 20, &wanted, &err);
	if (rc != 0 || strcmp(buf_str(&wanted), text) != 0) {
		/* not by fail_msg, which cuts long texts */
		(void)fprintf(stderr, "==== what should be in %s:\n%s====\n", file, text);
		fail_msg("%s", rc != 0 ? err.msg : "the text differs");
	}
	buf_release(&wanted);
}
