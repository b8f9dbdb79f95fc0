#ifndef COMPARE_H
#define COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

/*
 * A run beside the days before it (docs/schema/compare.schema.json), by the
 * rules of series/detect.h.
 */
struct compare_runs {
	cJSON **record; /* history_record.h; the oldest first; owned */
	size_t count, room;
	bool cut; /* of the key's own there are older ones, not here */
};

/* Records of a key that are looked at, the run's own included. */
enum { COMPARE_RUNS_MAX = 180 };

void compare_runs_done(struct compare_runs *runs);

/*
 * The comparison of record `at` with those of its title and key before it,
 * COMPARE_RUNS_MAX at most: a day that is compared again later has the same
 * verdict, whatever else was read.  The caller deletes *out.  `base`: NULL or
 * "previous", or how it names one: a run's id or number, a commit, a date
 * YYYY-MM-DD.  ERR_USAGE: there is none of that name.
 *
 *	{"schema_version": 1,
 *	 "verdict": "regression", "message": "shop: load 1840→2210 ms ...",
 *	 "run": {"id", "at", "run_id", "commit", "branch", "report_url",
 *		 "valid", "invalid"},
 *	 "base": the same, or null,
 *	 "key": {...}, "runs": 34,
 *	 "start_c": null or {"median", "reach"}, as warm as the phone begins,
 *	 "new_baseline": null or {"part": "os", "before", "after", "message"},
 *	 "series": [{"metric", "subject", "unit", "lower_is_better",
 *		"deterministic", "value", "unused": null or why, "base",
 *		"change": 0.20, "median", "noise", "limit", "runs",
 *		"state", "line",
 *		"step": null or {"kind": "regression"|"improvement"|"creep",
 *			"slow": false, "new": true, "days": 1, "before", "after", "noise",
 *			"runs_before", "runs_after", "first_bad": run,
 *			"last_good": run, "seen": run}}]}
 *
 * "verdict": "regression", "creep", "suspect", "improvement", "unchanged",
 * "too_little_history", "not_comparable"; the worst of its series, whose
 * "state" is one of these or "unused".  "new" is true on the day on which it
 * is said first; "days" counts valid runs since then, that one included.  What is
 * "slow" has no guilty run: "last_good" is the first that it was compared with,
 * and "first_bad" the one at which it was said.
 */
int compare_run(const struct compare_runs *runs, size_t at, const char *base,
		cJSON **out, struct err *err);

/* Does it say something that is worse and was not said before? */
bool compare_has_new(const cJSON *comparison, const char *kind);

/*
 * One series of all `runs` of the key of the last, for pictures; the caller
 * deletes it:
 *
 *	{"metric", "subject", "unit", "lower_is_better", "deterministic",
 *	 "points": [{"run": index into "runs", "value", "unused"}],
 *	 "levels": [{"from", "to": indices into points, "median", "noise"}],
 *	 "marks": [{"point", "seen", "kind", "before", "after", "noise",
 *		"runs_before", "runs_after", "line"}]}
 *
 * as {"runs": [{"id", "at", "run_id", "commit", "outcome", "reason",
 * "message", "measured", "valid", "invalid", "report_url", "new_baseline": null
 * or why one begins}], "key", "series": [...]}.  Runs of other keys are there,
 * too: before the first of the key with their values, which are unused
 * ("another_os"), later ones without.  `metric`, `subject`: only that; NULL: all.
 */
cJSON *compare_trends(const struct compare_runs *runs, const char *metric,
		      const char *subject);

/*
 * Whose runs these are, of a comparison or of trends, and how many others the
 * store has, when somebody has put that in as "other_keys".
 */
void compare_key(struct buf *out, const cJSON *c);
/* Text for people: a terminal's, Markdown, a page. */
void compare_text(struct buf *out, const cJSON *comparison);
void compare_markdown(struct buf *out, const cJSON *comparison);

#endif
