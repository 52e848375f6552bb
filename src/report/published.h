/*
 * published: the figures of the comparison that the reference case repeats: one
 * Raspberry Pi 3 under Slackware ARM 14.2 (soft float) and Slackware ARM
 * current (hard float), each task run 15 times and averaged.
 */
#ifndef LAMPDUEL_REPORT_PUBLISHED_H
#define LAMPDUEL_REPORT_PUBLISHED_H

struct published_figure {
	const char *metric;
	const char *unit; /* of the two figures, as published: seconds */
	double per;       /* the figures are for so many operations */
	double soft, hard;
	int decimals;        /* they were published with */
	int change_decimals; /* the change can be given with */
};

/* NULL when the metric is not among them. */
const struct published_figure *published_find(const char *metric);
/* What a reader must know of them, one sentence each; ended by NULL. */
extern const char *const published_notes[];

#endif
