#ifndef TREND_GROUPS_H
#define TREND_GROUPS_H

#include "report/trend_thin.h"

/*
 * The series of each screen: what got worse first, then the order of the JSON.
 * The whole run's, whose screen is "", follow the screens that are as they were.
 */
enum trend_rank {
	TREND_QUIET,
	TREND_BETTER,
	TREND_MAYBE,
	TREND_CREEPS,
	TREND_WORSE,
};

struct trend_item {
	const struct trend_series *s;
	enum trend_rank rank;
	size_t index;
};

struct trend_group {
	const char *screen;
	struct trend_item *item;
	size_t count;
	enum trend_rank rank; /* the highest of its items */
	size_t loud;	      /* items[0..loud) say something */
};

struct trend_groups {
	struct trend_item *item; /* of all groups */
	struct trend_group *group;
	size_t count;
};

/* By what was said with run `since` or later.  Series without points: none. */
void trend_groups_init(struct trend_groups *g, const struct trend *t,
		       size_t since);
void trend_groups_done(struct trend_groups *g);
/* NULL: no series has this screen. */
const struct trend_group *trend_groups_of(const struct trend_groups *g,
					  const char *screen);

enum trend_rank trend_groups_rank(const struct trend *t,
				  const struct trend_series *s, size_t since);

/*
 * The values of a group as a table, a run a row, the newest first; `weeks`:
 * with those before, a week a row.  A cell has its number as the JSON has it,
 * in data-v where its text is another.
 */
enum { TREND_COLUMNS_MAX = 60 };
enum trend_rows { TREND_ROWS_RUNS, TREND_ROWS_WEEKS };
void trend_groups_table(struct buf *out, const struct trend_thin *thin,
			const struct trend_group *g, enum trend_rows rows);

#endif
