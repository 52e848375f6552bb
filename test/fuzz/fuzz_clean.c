/* The common layer below the readers: markup, prefixes, headings, numbers, SQL. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "parse/clean.h"
#include "parse/label.h"
#include "parse/sql.h"

static void numbers(const char *s)
{
	struct sql_benchmark b;
	struct num n;

	for (unsigned flags = 0; flags < 16; flags++) {
		if (num_scan(s, flags, &n) && (!isfinite(n.value) || n.end <= s))
			abort();
	}
	if (num_scan_time(s, &n) && (n.value < 0 || n.end <= s))
		abort();
	if (sql_duration(s, &n) && (!isfinite(n.value) || n.end <= s))
		abort();
	(void)num_scan_bad(s);
	(void)sql_end(s);
	if (sql_benchmark(s, &b) && b.expr[0] == '\0')
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf text = BUF_INIT;
	struct labels labels;

	memset(&labels, 0, sizeof(labels));
	labels_reset(&labels);
	clean_bytes((const char *)data, size, &text);
	if (memchr(buf_str(&text), '\0', text.len) != NULL)
		abort();
	for (char *s = text.data; s != NULL && *s != '\0';) {
		struct clean_line c;
		char *end = strchr(s, '\n');
		size_t len = end != NULL ? (size_t)(end - s) : strlen(s);

		clean_prefix(s, len, &c);
		if (strlen(c.s) != c.len)
			abort();
		if (c.len > 0)
			(void)labels_line(&labels, &c);
		numbers(c.s);
		s = end != NULL ? end + 1 : NULL;
	}
	buf_release(&text);
	return 0;
}
