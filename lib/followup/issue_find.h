#ifndef ISSUE_FIND_H
#define ISSUE_FIND_H

#include "followup/issue_marker.h"
#include "github/github_issue.h"

/* The issues that patrol registered, by their markers; the newest first. */
struct issue_known {
	int64_t number;
	char *url;
	bool open;
	struct issue_marker marker;
};

struct issue_find {
	struct issue_known *item;
	size_t count, room;
};

/*
 * Those with this label.  Only who may put labels on issues can make one that
 * is found, so that no stranger's issue takes what patrol has to say.
 */
int issue_find_all(struct github *g, const char *label, struct issue_find *out,
		   struct deadline dl, struct err *err);
void issue_find_done(struct issue_find *f);

/*
 * The one that tells of this: of its range, else the open one, else
 * the closed one, with the most of its series, if that is half of them.
 * `same`: it is of the same range.  NULL: none.
 */
const struct issue_known *issue_find_match(const struct issue_find *f,
					   const struct issue_marker *m,
					   bool *same);

#endif
