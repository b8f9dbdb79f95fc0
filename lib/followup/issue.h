#ifndef ISSUE_H
#define ISSUE_H

#include <stdbool.h>

#include "base/deadline.h"
#include "base/json.h"
#include "plan/settings.h"

/*
 * From what a comparison says is worse to issues on GitHub: one for a
 * regression, and never two.
 *
 * What got worse between the same two runs is one issue with a table, so that
 * a bad commit is one issue and not forty.  Whatever still stands is looked
 * for, new or not: a day that could not file is made good by the next.  An
 * issue that has this range of runs, or half of these series, is the same: it
 * gets a comment about what it does not tell of, and is reopened when it was
 * closed and the range is another one.  A run writes of ISSUE_MOST of them;
 * what is beyond is one issue more.  docs/issues.md has what people see of it.
 */
enum { ISSUE_MOST = 5 };

#define ISSUE_LABEL	"performance-regression"
#define ISSUE_AWAITING	"awaiting-verification"
#define ISSUE_VERIFIED	"verified"
#define ISSUE_NOT_FIXED "not-fixed"

/* All may be NULL. */
struct issue_options {
	const char *label;    /* by which issues are found: ISSUE_LABEL */
	const char *awaiting; /* ISSUE_AWAITING */
	const char *verified, *not_fixed; /* taken off a reopened one */
	const char *plan_file;		  /* of the run: result's plan.file */
	const cJSON *result;		  /* the run's: the way to a screen */
	const char *checkout;		  /* for commits: "." */
	bool dry_run;	/* GitHub is read, and nothing is written */
	cJSON *written; /* an array: each write is appended to it */
};

/*
 * *registered = [{"number", "url", "action", "metric", "subject"}], one for
 * each series that is a regression or a creep.  "action": created, commented,
 * reopened; known: its issue tells of it already; later: this run has written
 * enough, and a later one tells its issue.  In a dry run the number of what
 * would be created is null.  Without such series GitHub is not asked.
 *
 * *registered is given back in any case, for a failure may come after some of
 * it was written; the caller deletes it.
 *
 * options->written gets {"action", "number", "title", "body", "labels"}; its
 * action may be duplicate, too: ours is closed, for another is of the same.
 */
int issue_register(const cJSON *comparison, const struct settings *set,
		   const struct issue_options *o, cJSON **registered,
		   struct deadline dl, struct err *err);

/* Gives each of result.json's regressions[] its issue and url. */
void issue_link(cJSON *regressions, const cJSON *registered);

#endif
