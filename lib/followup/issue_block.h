#ifndef ISSUE_BLOCK_H
#define ISSUE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

/*
 * What a program needs to know of a registered regression, as a fenced block
 * in the issue's body (docs/schema/issue-block.schema.json):
 *
 *	```json patrol-regression
 *	{"schema_version": 1,
 *	 "key": {"model", "serial", "os", "unity", "plan"},
 *	 "plan": "plans/starfall.yaml" or null,
 *	 "start_c": {"median", "reach"} or null,
 *	 "last_good": {"id", "at", "run_id", "commit", "report_url"} or null,
 *	 "first_bad": the same,
 *	 "series": [{"metric", "subject", "unit", "kind", "lower_is_better",
 *		"deterministic",
 *		"baseline": {"median", "noise", "runs"},
 *		"after": {"median", "runs"}}]}
 *	```
 *
 * "kind" is regression or creep, "noise" one standard deviation of a run; a
 * "subject" is a screen, a transition "from>to" or "" for the whole run.  Last
 * good and first bad are null where the series have different ones.
 *
 * A phone whose battery is within "reach" of "median" at a run's begin, in °C,
 * is as warm as in these runs.
 *
 * No byte of a string can end the block or begin a tag: < > & and ` are
 * written as \u00XX.
 */
enum {
	ISSUE_BLOCK_SCHEMA = 1,
	ISSUE_BLOCK_SERIES_MAX = 100,
	ISSUE_BLOCK_SIZE_MAX = 64 << 10, /* of the JSON, in bytes */
	ISSUE_BLOCK_STRING_MAX = 1000,	 /* bytes */
};

struct issue_block_run {
	const char *id;	    /* of the history's record */
	const char *at;	    /* RFC 3339 */
	const char *run_id; /* of the build */
	const char *commit;
	const char *report_url;
};

struct issue_block_series {
	const char *metric, *subject, *unit, *kind; /* never NULL */
	bool lower_is_better, deterministic;
	double median, noise; /* of the baseline */
	int64_t runs;	      /* which they are of */
	double after;	      /* the median of the new level */
	int64_t runs_after;
};

/* All strings are of `json`; what is not known is NULL. */
struct issue_block {
	cJSON *json;
	const char *model, *serial, *os, *unity, *plan; /* the key */
	const char *plan_file;
	double start_c, start_reach_c; /* NaN: not known */
	struct issue_block_run last_good, first_bad;
	struct issue_block_series *series; /* at least one */
	size_t count;
	size_t offset, size; /* where in the body it is, with its fences */
};

/*
 * The block in an issue's body, the first one.  ERR_NOTFOUND: it has none;
 * ERR_INPUT: it was damaged, and where; the same with the reason newer_schema:
 * a later patrol wrote it.  issue_block_done() also after a failure.
 */
int issue_block_parse(const char *body, size_t len, struct issue_block *out,
		      struct err *err);
void issue_block_done(struct issue_block *b);

/* A block without series, of a comparison (history/compare.h). */
cJSON *issue_block_new(const cJSON *comparison, const char *plan_file);
/* One of the comparison's series that has a step.  False: there is no room. */
bool issue_block_add(cJSON *block, const cJSON *series);
/* With its fences and a final newline. */
void issue_block_write(struct buf *out, const cJSON *block);

#endif
