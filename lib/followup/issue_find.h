#ifndef ISSUE_FIND_H
#define ISSUE_FIND_H

#include "followup/issue_marker.h"
#include "github/github_issue.h"

/* The issues that patrol registered, by their markers. */
struct issue_known {
	int64_t number;
	char *url;
	bool open;
	struct issue_marker marker;
};

struct issue_find {
	struct issue_known *item;
	size_t count, room;
	int64_t newest, coming; /* its own: the highest number that was seen */
};

/*
 * Those with this label, at first all, then those that are newer than what was
 * seen.  `f` begins as zeros; issue_find_done() also after a failure.  Only who may put labels on issues can make one that
 * is found, so that no stranger's issue takes what patrol has to say.
 */
int issue_find_more(struct github *g, const char *label, struct issue_find *f,
		    struct deadline dl, struct err *err);
/*
 * Of the newest issues those that have our marker and not this label, because
 * the token may not label: they are none of ours for anything else.
 */
int issue_find_lost(struct github *g, const char *label, struct issue_find *out,
		    struct deadline dl, struct err *err);
void issue_find_done(struct issue_find *f);

/*
 * The one that tells of this: of its range, else the open one, else
 * the closed one, with the most of its series, if that is half of them; of
 * equals the one with the lowest number.
 * `same`: it is of the same range.  NULL: none.
 */
const struct issue_known *issue_find_match(const struct issue_find *f,
					   const struct issue_marker *m,
					   bool *same);

#endif
