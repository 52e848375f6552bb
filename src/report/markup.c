#include "report/markup.h"

#include "base/text.h"

void markup_add(struct buf *b, const char *text, size_t most)
{
	size_t n = text_cut(text, most);

	for (size_t i = 0; i < n; i++) {
		switch (text[i]) {
		case '<':
			buf_addstr(b, "&lt;");
			break;
		case '>':
			buf_addstr(b, "&gt;");
			break;
		case '&':
			buf_addstr(b, "&amp;");
			break;
		case '"':
			buf_addstr(b, "&quot;");
			break;
		case '\'':
			buf_addstr(b, "&#39;");
			break;
		default:
			buf_addch(b, text[i]);
		}
	}
	if (text[n] != '\0')
		buf_addstr(b, "...");
}
