#ifndef ISSUE_RANGE_H
#define ISSUE_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/deadline.h"
#include "base/json.h"
#include "github/github.h"

/* The commits after the last good run, up to the first bad one. */
struct issue_commit {
	char *sha, *subject, *author, *url; /* url: may be "" */
};

struct issue_range {
	struct issue_commit *item; /* the oldest first */
	size_t count, room;
	size_t total; /* that there are; at least `count` */
	bool exact;   /* `total` is all, and all of one line */
	char *url;    /* of GitHub's page of the comparison; may be NULL */
	char *note;   /* what is to be known of the list; may be NULL */
};

/* How many are kept, the newest. */
enum { ISSUE_RANGE_MOST = 50 };

/*
 * GitHub is asked first, then the checkout around `dir`.  `g`: NULL: only the
 * checkout.  Nothing here fails: `note` says what can't be known and why.
 */
void issue_range_find(struct github *g, const char *dir, const char *good,
		      const char *bad, struct issue_range *out,
		      struct deadline dl);
void issue_range_done(struct issue_range *r);

/*
 * How many of them have no measurement that counts, by the step of a series;
 * -1: not known.
 */
int64_t issue_range_unmeasured(const struct issue_range *r, const cJSON *step);

#endif
