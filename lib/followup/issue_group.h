#ifndef ISSUE_GROUP_H
#define ISSUE_GROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "followup/issue_marker.h"

/*
 * What got worse between the same two runs, which is one issue.  Series and
 * runs are borrowed from the comparison; the worst series comes first.
 */
struct issue_group {
	const cJSON **series;
	size_t count, room;
	const cJSON *last_good, *first_bad; /* NULL: of several groups */
	struct issue_marker marker;
	double worst; /* share by which its first series got worse */
};

/* The worst group first. */
struct issue_groups {
	struct issue_group *item;
	size_t count, room;
};

/* Each series whose step is a regression or a creep, new or not. */
void issue_group_all(const cJSON *comparison, struct issue_groups *out);
/* Those of [first, end) become one. */
void issue_group_fold(struct issue_groups *g, size_t first, size_t end);
void issue_group_done(struct issue_groups *g);

/* (after - before) / |before|, positive when it is worse; may be infinite. */
double issue_group_share(const cJSON *series);

#endif
