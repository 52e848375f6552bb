#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "parse/stream.h"

struct seen {
	long lines;
};

static void require(bool what, const char *text)
{
	if (!what) {
		(void)fprintf(stderr, "broken contract: %s\n", text);
		abort();
	}
}

static bool is_unit(const char *unit)
{
	static const char *const units[] = {"s", "s/op", "op/s", "B/s", "req/s", "B", "1", "1/s"};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i]) == 0)
			return true;
	}
	return false;
}

static bool has_control(const char *s)
{
	for (; *s != '\0'; s++) {
		if ((unsigned char)*s < 0x20 && *s != '\t')
			return true;
	}
	return false;
}

static void check_value(void *arg, const struct parse_value *v)
{
	const struct seen *seen = arg;

	require(v->run >= 1, "runs count from 1");
	require(v->metric[0] != '\0' && strchr(v->metric, '/') != NULL, "a metric has parts");
	require(!has_control(v->metric) && !has_control(v->label), "no control characters");
	require(is_unit(v->unit), "the unit is one of those that are known");
	require(v->line >= 1 && v->line <= seen->lines, "the line is one of the text's");
	require(isfinite(v->value) && isfinite(v->step), "numbers are finite");
	require(!v->has_value || v->value >= 0, "nothing takes less than no time");
	require(v->has_value || v->value == 0, "without a value there is no number");
	require(v->has_value || v->note[0] != '\0', "a cell without a value has a reason");
}

static void check_warning(void *arg, const char *text)
{
	(void)arg;
	require(text[0] != '\0' && strchr(text, '\n') == NULL, "a warning is one line");
}

void fuzz_read(const struct reader *only, const uint8_t *data, size_t size)
{
	struct seen seen = {.lines = 1};
	struct parse_sink sink = {.value = check_value, .warning = check_warning, .arg = &seen};
	struct parse_stream *s = parse_stream_new("fuzz", &sink);
	struct err err = ERR_INIT;
	size_t piece = size > 0 ? data[0] + (size_t)1 : 1;

	for (size_t i = 0; i < size; i++)
		seen.lines += data[i] == '\n';
	if (only != NULL)
		parse_stream_only(s, only);
	for (size_t i = 0; i < size; i += piece)
		parse_stream_feed(s, (const char *)data + i, size - i < piece ? size - i : piece);
	(void)parse_stream_finish(s, &err);
	parse_stream_free(s);
}
