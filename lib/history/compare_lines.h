#ifndef COMPARE_LINES_H
#define COMPARE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "history/compare_view.h"
#include "history/pair_map.h"

/*
 * Each metric of each subject over the runs of a view.  All text is borrowed
 * from the records.
 */
struct compare_point {
	size_t run; /* of the view */
	double value;
	const char *unused; /* why it does not count; NULL: it does */
};

struct compare_line {
	const char *metric, *subject, *unit;
	bool lower_is_better, deterministic;
	double resolution; /* a smaller difference is none */
	struct compare_point *point;
	size_t count, room;
	size_t latest; /* the run that gave it the last point */
};

struct compare_lines {
	struct compare_line *item; /* in the order in which they came up */
	size_t count, room;
	struct pair_map index; /* by metric and subject: 1 + index */
};

/* `metric`, `subject`: only that; NULL: all. */
void compare_lines_of(const struct compare_view *v, const char *metric,
		      const char *subject, struct compare_lines *out);
void compare_lines_done(struct compare_lines *l);

#endif
