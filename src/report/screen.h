/*
 * screen: how a run goes on, as lines for a terminal, from the events of the run. Pure: what is
 * shown follows from the event (and the experiment in it) and from the paper's size alone. All text
 * of measured systems is escaped. The terminal is left as it is at any moment: no mode of it is
 * changed and the cursor stands below what is drawn, so that nothing has to be restored, not even
 * after kill -9.
 */
#ifndef LAMPDUEL_REPORT_SCREEN_H
#define LAMPDUEL_REPORT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "measure/event.h"

/* Below this a bar of one line is all there is room for. */
enum { SCREEN_COLUMNS_MIN = 40, SCREEN_LINES_MIN = 10 };

struct screen_paper {
	size_t columns, lines; /* of the terminal */
	bool utf8;             /* else ASCII */
};

bool screen_fits(const struct screen_paper *p);

/*
 * Appends what an event of the rounds (EVENT_NEXT, EVENT_SAMPLE) shows: at most p->lines - 1 lines,
 * none as wide as the terminal.
 */
void screen_lines(const struct event *e, const struct screen_paper *p, struct strvec *lines);

/*
 * Appends what must be written so that the lines now take the place of the lines before; nothing
 * when they are the same. The cursor stands at the beginning of the line below the last, before and
 * after. No lines: clears.
 */
void screen_update(const struct strvec *before, const struct strvec *now, struct buf *out);

/* The bar alone, narrower than the terminal: share, time left and the sample that comes. */
void screen_bar(const struct event *e, const struct screen_paper *p, struct buf *out);

/* "7 min", "50 s", "1 h 12 min"; appends. */
void screen_duration(int64_t ns, struct buf *b);

#endif
