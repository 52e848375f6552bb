#include "parse/utf16.h"

void utf16_add_utf8(struct buf *out, unsigned long c)
{
	if (c < 0x80) {
		buf_addch(out, (char)c);
	} else if (c < 0x800) {
		buf_addch(out, (char)(0xc0 | c >> 6));
		buf_addch(out, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		buf_addch(out, (char)(0xe0 | c >> 12));
		buf_addch(out, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_addch(out, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x110000) {
		buf_addch(out, (char)(0xf0 | c >> 18));
		buf_addch(out, (char)(0x80 | (c >> 12 & 0x3f)));
		buf_addch(out, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_addch(out, (char)(0x80 | (c & 0x3f)));
	}
}

static void add_unit(struct utf16 *u, unsigned unit, struct buf *out)
{
	if (unit >= 0xd800 && unit < 0xdc00) {
		u->high = unit;
		return;
	}
	if (unit >= 0xdc00 && unit < 0xe000) {
		if (u->high != 0)
			utf16_add_utf8(out, 0x10000UL + ((unsigned long)(u->high - 0xd800) << 10) +
						    (unit - 0xdc00));
	} else {
		utf16_add_utf8(out, unit);
	}
	u->high = 0;
}

size_t utf16_mark(struct utf16 *u, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (!u->has_kept && c >= 0xfe) { /* no text has these bytes */
			u->kept = c;
			u->has_kept = true;
			continue;
		}
		u->order = u->has_kept && (c ^ u->kept) == 1
				   ? u->kept == 0xff ? UTF16_LITTLE : UTF16_BIG
				   : UTF16_NO;
		u->has_kept = false;
		return u->order == UTF16_NO ? i : i + 1;
	}
	return len;
}

void utf16_decode(struct utf16 *u, const char *bytes, size_t len, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < len; i++) {
		unsigned c = (unsigned char)bytes[i];

		if (!u->has_kept)
			u->kept = (unsigned char)c;
		else
			add_unit(u, u->order == UTF16_LITTLE ? u->kept | c << 8 : u->kept << 8 | c,
				 out);
		u->has_kept = !u->has_kept;
	}
}
