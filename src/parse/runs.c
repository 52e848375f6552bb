#include <string.h>

#include "parse/reader.h"

static unsigned long hash_of(const char *s)
{
	unsigned long h = 1469598103934665603UL;

	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211UL;
	return h | 1; /* 0 marks a free place */
}

/* How often the row came in this block, this time included. A full table counts no more rows. */
static int count(struct runs *r, unsigned long h)
{
	size_t i = h % RUN_ROWS;

	while (r->rows[i].hash != 0 && r->rows[i].hash != h)
		i = (i + 1) % RUN_ROWS;
	if (r->rows[i].hash == 0) {
		if (r->rows_n >= RUN_ROWS * 3 / 4)
			return 1;
		r->rows[i].hash = h;
		r->rows[i].times = 0;
		r->rows_n++;
	}
	return ++r->rows[i].times;
}

void runs_boundary(struct runs *r)
{
	if (r->rows_n == 0)
		return;
	r->base = r->max;
	memset(r->rows, 0, sizeof(r->rows));
	r->rows_n = 0;
	r->first = r->last = 0;
}

int runs_row(struct runs *r, const char *row)
{
	unsigned long h = hash_of(row);
	int times;

	/* the first row again, and not directly after itself: the whole run is repeated */
	if (h == r->first && h != r->last)
		runs_boundary(r);
	times = count(r, h);
	if (r->first == 0)
		r->first = h;
	r->last = h;
	if (r->base + times > r->max)
		r->max = r->base + times;
	return r->base + times;
}
