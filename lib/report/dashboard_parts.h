#ifndef DASHBOARD_PARTS_H
#define DASHBOARD_PARTS_H

#include "report/trend_groups.h"

/* The pieces of the dashboard; only dashboard*.c include this. */

/* How much of a history that is too large for a page is left out. */
enum dashboard_cut {
	DASHBOARD_ALL,
	DASHBOARD_CHANGED_CHARTS, /* what is as it was is a line alone */
	DASHBOARD_NO_WEEKS,	  /* tables without the weeks of old */
	DASHBOARD_CHANGED_TABLES, /* no tables of screens that are as before */
	DASHBOARD_LEAST,	  /* some screens, a few charts */
	DASHBOARD_ONE_KEY, /* of further keys what is said, no pictures */
	DASHBOARD_CUTS,
};

struct dashboard {
	const struct trend *t;
	struct trend_thin thin;
	struct trend_groups groups;
	enum dashboard_cut cut;
	int64_t now_s;
	size_t charts;
	/* Of several keys on a page; ids of elements begin with `prefix`. */
	size_t key;
	char prefix[32];
	struct buf *out;
};

/* In a word: is it worse, and was it measured? */
struct dashboard_state {
	const char *cls, *sign, *word;
};
struct dashboard_state dashboard_head_state(const struct dashboard *d);

void dashboard_head_write(struct dashboard *d);	  /* verdict, days */
void dashboard_board_write(struct dashboard *d);  /* what changed, screens */
void dashboard_charts_write(struct dashboard *d); /* each screen */

#endif
