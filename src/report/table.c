#include "report/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum {
	GLUE = '\x1f', /* TABLE_GLUE */
	LINE = '\x1e', /* begins the cell of a row that is one line over all columns */
	GAP = 2,       /* blanks between columns */
	WORD_MAX = 16, /* a longer word may be broken to make a table fit */
	COLUMN_MIN = 4
};

static char *shown(const char *text, bool ascii)
{
	return ascii ? text_ascii(text) : mem_strdup(text);
}

static size_t width_of(const char *s, size_t len)
{
	char *copy = mem_strndup(s, len);
	size_t width = text_width(copy);

	free(copy);
	return width;
}

/* Length of the first line of s wrapped at width; *skip: bytes to the start of the next. */
static size_t line_length(const char *s, size_t width, size_t *skip)
{
	size_t end = strcspn(s, "\n");
	size_t len = 0; /* up to the last blank that fits */
	size_t indent = strspn(s, " ");

	*skip = end + (s[end] == '\n');
	if (width_of(s, end) <= width)
		return end;
	for (size_t i = indent; i < end; i++) {
		if (s[i] != ' ')
			continue;
		if (width_of(s, i) > width)
			break;
		len = i;
	}
	if (len == 0) { /* one long word */
		len = text_fit(s, end, width);
		if (len == 0) /* a character that is wider than the line */
			len = text_fit(s, end, width + 1);
		*skip = len;
		return len;
	}
	*skip = len + strspn(s + len, " ");
	return len;
}

static size_t longest_line(const char *s)
{
	size_t longest = 0;

	while (*s != '\0') {
		size_t end = strcspn(s, "\n");
		size_t width = width_of(s, end);
		longest = width > longest ? width : longest;
		s += end + (s[end] == '\n');
	}
	return longest;
}

static size_t longest_word(const char *s)
{
	size_t longest = 0;

	while (*s != '\0') {
		size_t end = strcspn(s, " \n");
		size_t width = width_of(s, end);
		longest = width > longest ? width : longest;
		s += end + (s[end] != '\0');
	}
	return longest;
}

void table_init(struct table *t, size_t columns, bool ascii, bool header)
{
	*t = (struct table){.columns = columns, .ascii = ascii, .header = header};
}

void table_release(struct table *t)
{
	for (size_t i = 0; i < t->cells.n; i++)
		free(t->cells.v[i]);
	vec_release(&t->cells);
	vec_release(&t->paints);
}

void table_add(struct table *t, const char *cell)
{
	vec_push(&t->cells, shown(cell, t->ascii));
	vec_push(&t->paints, t->header && t->cells.n <= t->columns ? PAINT_HEAD : PAINT_NONE);
}

void table_paint(struct table *t, enum paint p)
{
	t->paints.v[t->paints.n - 1] = p;
}

void table_add_safe(struct table *t, const char *text)
{
	char *safe = text_escaped(text);

	table_add(t, safe);
	free(safe);
}

void table_addf(struct table *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *cell = mem_vprintf(fmt, ap);
	va_end(ap);
	table_add(t, cell);
	free(cell);
}

void table_end_row(struct table *t)
{
	do
		table_add(t, "");
	while (t->cells.n % t->columns != 0);
}

void table_add_line(struct table *t, const char *text, enum paint p)
{
	if (t->cells.n % t->columns != 0)
		table_end_row(t);
	char *text_shown = shown(text, t->ascii);
	vec_push(&t->cells, mem_printf("%c%s", LINE, text_shown));
	vec_push(&t->paints, p);
	for (size_t c = 1; c < t->columns; c++)
		table_add(t, "");
	free(text_shown);
}

static bool is_line(const struct table *t, size_t row)
{
	return t->cells.v[row * t->columns][0] == LINE;
}

/* How far a column may be narrowed: so far that only its heading, words, or anything is broken. */
struct limits {
	size_t heading, words;
};

static void measure(const struct table *t, size_t *w, struct limits *limits)
{
	for (size_t i = 0; i < t->cells.n; i++) {
		size_t c = i % t->columns;
		if (is_line(t, i / t->columns))
			continue;
		size_t word = longest_word(t->cells.v[i]);
		size_t line = longest_line(t->cells.v[i]);
		bool is_heading = t->header && i < t->columns;

		w[c] = line > w[c] ? line : w[c];
		line = is_heading ? word : line;
		limits[c].heading = line > limits[c].heading ? line : limits[c].heading;
		word = word > WORD_MAX ? WORD_MAX : word;
		limits[c].words = word > limits[c].words ? word : limits[c].words;
	}
}

static size_t limit_of(const struct limits *l, int pass)
{
	size_t limit = pass == 0 ? l->heading : pass == 1 ? l->words : COLUMN_MIN;

	return limit < COLUMN_MIN ? COLUMN_MIN : limit;
}

/* Narrows the widest column that can give, one step at a time, until the table fits. */
static void choose_widths(const struct table *t, size_t width, size_t *w)
{
	struct limits *limits = mem_array(t->columns, sizeof(*limits));
	size_t total = GAP * (t->columns - 1);

	measure(t, w, limits);
	for (size_t c = 0; c < t->columns; c++)
		total += w[c];
	for (int pass = 0; pass < 3; pass++) {
		while (total > width) {
			size_t widest = t->columns;
			for (size_t c = 0; c < t->columns; c++) {
				if (w[c] > limit_of(&limits[c], pass) &&
				    (widest == t->columns || w[c] > w[widest]))
					widest = c;
			}
			if (widest == t->columns)
				break;
			w[widest]--;
			total--;
		}
	}
	free(limits);
}

static void trim_blanks(struct buf *out)
{
	while (out->len > 0 && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

/* What is left of a cell, and how far its lines after the first are indented: as the first is. */
struct cell {
	const char *left;
	size_t indent;
	bool begun;
	enum paint paint;
};

static void render_line(struct cell *cell, size_t width, size_t padded, struct buf *out)
{
	size_t skip = 0;
	size_t indent = cell->begun && width > 2 * cell->indent ? cell->indent : 0;
	size_t len = line_length(cell->left, width - indent, &skip);
	char *line = mem_printf("%*s%.*s", (int)indent, "", (int)len, cell->left);

	for (char *p = strchr(line, GLUE); p != NULL; p = strchr(p, GLUE))
		*p = ' ';
	size_t used = text_width(line);
	paint_text(out, cell->paint, line);
	for (; used < padded; used++)
		buf_addch(out, ' ');
	free(line);
	cell->left += skip;
	cell->begun = true;
}

static void render_row(const struct table *t, size_t row, const size_t *w, struct buf *out)
{
	struct cell *cells = mem_array(t->columns, sizeof(*cells));
	bool more = true;

	for (size_t c = 0; c < t->columns; c++) {
		cells[c].left = t->cells.v[row * t->columns + c];
		cells[c].indent = strspn(cells[c].left, " ");
		cells[c].paint = t->color ? t->paints.v[row * t->columns + c] : PAINT_NONE;
	}
	while (more) {
		more = false;
		for (size_t c = 0; c < t->columns; c++) {
			render_line(&cells[c], w[c], w[c] + (c + 1 < t->columns ? GAP : 0), out);
			more = more || cells[c].left[0] != '\0';
		}
		trim_blanks(out);
		buf_addch(out, '\n');
	}
	free(cells);
}

static void render_row_of_one(const struct table *t, size_t row, size_t width, struct buf *out)
{
	const char *text = t->cells.v[row * t->columns] + 1;
	struct cell cell = {.left = text, .indent = strspn(text, " ")};

	if (t->color)
		cell.paint = t->paints.v[row * t->columns];
	do {
		render_line(&cell, width, 0, out);
		trim_blanks(out);
		buf_addch(out, '\n');
	} while (cell.left[0] != '\0');
}

static void render_rule(const struct table *t, const size_t *w, struct buf *out)
{
	for (size_t c = 0; c < t->columns; c++) {
		for (size_t i = 0; i < w[c]; i++)
			buf_addch(out, '-');
		for (size_t i = 0; c + 1 < t->columns && i < GAP; i++)
			buf_addch(out, ' ');
	}
	buf_addch(out, '\n');
}

void table_render(struct table *t, size_t width, struct buf *out)
{
	size_t *w = mem_array(t->columns, sizeof(*w));

	if (t->cells.n % t->columns != 0)
		table_end_row(t);
	choose_widths(t, width, w);
	for (size_t row = 0; row < t->cells.n / t->columns; row++) {
		if (is_line(t, row))
			render_row_of_one(t, row, width, out);
		else
			render_row(t, row, w, out);
		if (t->header && row == 0)
			render_rule(t, w, out);
	}
	free(w);
}

void table_paragraph(struct buf *out, const char *first, const char *text, size_t width, bool ascii)
{
	char *copy = shown(text, ascii);
	size_t indent = text_width(first);
	const char *left = copy;

	width = width > indent + COLUMN_MIN ? width - indent : COLUMN_MIN;
	buf_addstr(out, first);
	for (bool more = true; more;) {
		size_t skip = 0;
		size_t len = line_length(left, width, &skip);
		buf_add(out, left, len);
		buf_addch(out, '\n');
		left += skip;
		more = left[0] != '\0';
		if (more)
			text_pad(out, "", indent, false);
	}
	free(copy);
}
