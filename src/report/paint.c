#include "report/paint.h"

/* Colours that can be read on a dark ground and on a bright one. */
static const char *const codes[] = {
	[PAINT_NONE] = "",         [PAINT_HEAD] = "1",        [PAINT_LESS] = "32",
	[PAINT_MORE] = "31",       [PAINT_SYSTEM] = "36",     [PAINT_SYSTEM + 1] = "35",
	[PAINT_SYSTEM + 2] = "34", [PAINT_SYSTEM + 3] = "33",
};

void paint_text(struct buf *b, enum paint p, const char *text)
{
	if (p == PAINT_NONE || text[0] == '\0')
		buf_addstr(b, text);
	else
		buf_addf(b, "\033[%sm%s\033[0m", codes[p], text);
}

enum paint paint_of_system(size_t system)
{
	return (enum paint)(PAINT_SYSTEM + (int)(system % PAINT_SYSTEMS));
}
