#ifndef TREND_THIN_H
#define TREND_THIN_H

#include "report/trend.h"

/*
 * What of the runs is drawn where: each run of the last TREND_EXACT_DAYS days
 * has a slot of its own (the newest TREND_EXACT_RUNS of them), those before
 * share one a week with the least, median and most of the week, back to
 * TREND_WEEKS weeks; older ones are not drawn.
 */
enum {
	TREND_EXACT_DAYS = 90,
	TREND_EXACT_RUNS = 150,
	TREND_WEEKS = 156,
	TREND_RECENT_DAYS = 14,
	TREND_WIDTH = 1000, /* of a chart, and its height */
	TREND_HEIGHT = 200,
};

struct trend_slot {
	size_t from, to; /* runs, both included */
	int x, half;	 /* its middle, and how far it reaches */
	bool week;
};

struct trend_thin {
	const struct trend *t;
	struct trend_slot *slot;
	size_t count;
	size_t *of_run; /* slot of each run; SIZE_MAX: not drawn */
	size_t exact;	/* the first run that has a slot of its own */
	size_t recent;	/* the first of the last TREND_RECENT_DAYS days */
};

void trend_thin_init(struct trend_thin *th, const struct trend *t);
void trend_thin_done(struct trend_thin *th);

/* What one series has in one slot. */
struct trend_cell {
	size_t first, count;	    /* its points; count 0: none */
	size_t used;		    /* those that are used */
	double least, median, most; /* of the used ones */
};

/* One cell a slot; free() it. */
struct trend_cell *trend_thin_cells(const struct trend_thin *th,
				    const struct trend_series *s);

#endif
