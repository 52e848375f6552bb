#include "report/strip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/paint.h"
#include "report/table.h"

enum {
	LEVELS = 4, /* how high a place can be */
	NAME_MAX_COLUMNS = 16,
	CELLS_MAX = 72,
	CELLS_MIN = 8,
};

/* The counts of one row's samples: places of all systems, one after another. */
struct bins {
	size_t *v;
	size_t n; /* places a system */
	size_t highest;
};

bool strip_has(const struct report_model *m, const struct report_row *r)
{
	for (size_t s = 0; s < m->systems.n; s++) {
		size_t n = 0;
		for (size_t k = 0; k < r->rounds; k++)
			n += isfinite(r->samples[s][k]) != 0;
		if (n > 1)
			return true;
	}
	return false;
}

static void count(const struct report_model *m, const struct report_row *r, struct bins *b)
{
	double range = r->high - r->low;

	b->v = mem_array(m->systems.n * b->n, sizeof(*b->v));
	for (size_t s = 0; s < m->systems.n; s++) {
		for (size_t k = 0; k < r->rounds; k++) {
			double v = r->samples[s][k];
			if (!isfinite(v))
				continue;
			/* equal samples have no range: in the middle */
			double share = range > 0 ? (v - r->low) / range : 0.5;
			size_t at = (size_t)(share * (double)(b->n - 1) + 0.5);
			size_t *to = &b->v[s * b->n + (at < b->n ? at : b->n - 1)];
			b->highest = ++*to > b->highest ? *to : b->highest;
		}
	}
}

/* One sample is seen always; where places have more than there are levels, all are in proportion.
 */
static size_t level(const struct bins *b, size_t s, size_t at)
{
	size_t n = b->v[s * b->n + at];

	return b->highest <= LEVELS ? n : (n * LEVELS + b->highest - 1) / b->highest;
}

static void add_ascii(const struct bins *b, size_t s, struct buf *out)
{
	static const char signs[LEVELS + 1] = {' ', '.', ':', '|', '#'};

	for (size_t i = 0; i < b->n; i++)
		buf_addch(out, signs[level(b, s, i)]);
}

/* A braille character has two places of four dots; its number tells them bit by bit. */
static void add_braille(const struct bins *b, size_t s, struct buf *out)
{
	static const unsigned left[LEVELS + 1] = {0, 0x40, 0x44, 0x46, 0x47};
	static const unsigned right[LEVELS + 1] = {0, 0x80, 0xa0, 0xb0, 0xb8};

	for (size_t i = 0; i + 1 < b->n; i += 2) {
		unsigned dots = left[level(b, s, i)] | right[level(b, s, i + 1)];
		if (dots == 0)
			buf_addch(out, ' ');
		else /* U+2800 and the dots */
			buf_addf(out, "\xe2%c%c", (int)(0xa0 | dots >> 6),
				 (int)(0x80 | (dots & 0x3f)));
	}
}

/* Of every system as much as fits, and as wide as the widest of them. */
static size_t name_width(const struct report_model *m)
{
	size_t width = 0;

	for (size_t s = 0; s < m->systems.n; s++) {
		size_t w = text_width(m->systems.v[s].name);
		width = w > width ? w : width;
	}
	return width < NAME_MAX_COLUMNS ? width : NAME_MAX_COLUMNS;
}

static char *name_of(const struct report_model *m, size_t s, size_t width, bool ascii)
{
	const char *name = m->systems.v[s].name;
	char *all = ascii ? text_ascii(name) : mem_strdup(name);
	char *part = mem_strndup(all, text_fit(all, strlen(all), width));

	free(all);
	return part;
}

static void add_title(const struct report_row *r, const struct strip_paper *p, struct buf *out)
{
	char *title = strcmp(r->low_text, r->high_text) == 0
			      ? mem_printf("%s: %s", r->title, r->low_text)
			      : mem_printf("%s: %s to %s", r->title, r->low_text, r->high_text);

	table_paragraph(out, "", title, p->width, p->ascii);
	free(title);
}

void strip_add(const struct report_model *m, const struct report_row *r,
	       const struct strip_paper *p, struct buf *out)
{
	const char *edge = p->ascii ? "|" : "\xe2\x94\x82";
	size_t name = name_width(m), taken = 2 + name + 1 + 2;
	size_t cells = p->width > taken + CELLS_MIN ? p->width - taken : CELLS_MIN;

	cells = cells < CELLS_MAX ? cells : CELLS_MAX;
	struct bins b = {.n = p->ascii ? cells : 2 * cells};
	add_title(r, p, out);
	count(m, r, &b);
	for (size_t s = 0; s < m->systems.n; s++) {
		struct buf line = BUF_INIT;
		char *text = name_of(m, s, name, p->ascii);

		if (p->ascii)
			add_ascii(&b, s, &line);
		else
			add_braille(&b, s, &line);
		buf_addstr(out, "  ");
		text_pad(out, text, name, false);
		buf_addf(out, " %s", edge);
		paint_text(out, p->color ? paint_of_system(s) : PAINT_NONE, buf_str(&line));
		buf_addf(out, "%s\n", edge);
		free(text);
		buf_release(&line);
	}
	free(b.v);
}

const char *strip_legend(bool ascii)
{
	return ascii ? "Each line has the samples of a system that count, from the least on the "
		       "left to "
		       "the greatest on the right; . : | # stand for more and more of them at a "
		       "place. No line begins at 0."
		     : "Each line has the samples of a system that count, from the least on the "
		       "left to "
		       "the greatest on the right; the more of them at a place, the higher the "
		       "dots. No line begins at 0.";
}
