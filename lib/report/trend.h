#ifndef TREND_H
#define TREND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

/*
 * What compare_trends() gives (history/compare.h), checked and laid out for
 * drawing: every index is within its array, every value is finite, runs are in
 * the order of their times.  Strings are the JSON's, NULL where it has none.
 */
enum trend_kind {
	TREND_SUSPECT,
	TREND_REGRESSION,
	TREND_CREEP,
	TREND_IMPROVEMENT,
};

struct trend_run {
	const char *at, *run_id, *commit, *outcome, *message, *invalid, *url;
	const char *baseline; /* what changed so that a new one begins */
	int64_t at_s;
	bool measured, valid;
};

struct trend_point {
	size_t run;
	double value;
	const char *unused; /* why it is not used; NULL: it is */
};

struct trend_level {
	size_t from, to; /* points, both included */
	double median, noise;
};

struct trend_mark {
	size_t point, seen;
	enum trend_kind kind;
	double before, after; /* NaN: it does not say */
	const char *line;
};

struct trend_series {
	const char *metric, *subject, *unit; /* subject is never NULL */
	char *screen; /* that it belongs to; "": the whole run; owned */
	bool lower_is_better;
	struct trend_point *point;
	struct trend_level *level;
	struct trend_mark *mark;
	size_t points, levels, marks;
};

struct trend {
	struct trend_run *run;
	struct trend_series *series;
	size_t runs, count;
	const cJSON *json;
	char **ids; /* run_ids that the JSON has as numbers; owned */
};

enum {
	TREND_RUNS_MAX = 20000,
	TREND_SERIES_MAX = 20000,
	TREND_POINTS_MAX = 900000, /* of all series: three years of 800 */
	TREND_FILE_MAX = 96 << 20,
};

/*
 * `json` stays the caller's and must live as long as `out`.  ERR_INPUT names
 * the place that is wrong.
 */
int trend_read(const cJSON *json, struct trend *out, struct err *err);
void trend_done(struct trend *t);

/* The last point that is used, before `end`; SIZE_MAX: none. */
size_t trend_used_before(const struct trend_series *s, size_t end);
/* The level with `point`, or the one before that; NULL: none. */
const struct trend_level *trend_level_of(const struct trend_series *s,
					 size_t point);
const struct trend_level *trend_level_before(const struct trend_series *s,
					     size_t point);
/*
 * The last change that was said of the series and is no suspect; NULL: none
 * whose word came with run `since` or later.
 */
const struct trend_mark *trend_last_change(const struct trend_series *s,
					   size_t since);
/* Is today's value suspect: does a mark sit on the last run? */
const struct trend_mark *trend_suspect(const struct trend *t,
				       const struct trend_series *s);

/* The same of things in the same words; trend_text.c.  All append. */
struct trend_word {
	const char *kind, *sign, *word; /* "regression", "▲", "worse" */
};
const struct trend_word *trend_text_word(enum trend_kind kind);
/* "home › shop", not yet clean */
void trend_text_subject(struct buf *out, const struct trend_series *s);
/* "shop: load 1.84→2.21 s (+20 %)" */
void trend_text_change(struct buf *out, const struct trend_series *s,
		       const struct trend_mark *m);
/* "new" or "2nd day": valid runs since it was said, that one included. */
void trend_text_days(struct buf *out, const struct trend_series *s,
		     const struct trend_mark *m);
/* "30 Nov", "30 Nov 2025" of another year than the last run's. */
void trend_text_date(struct buf *out, const struct trend *t, size_t run);
/* "30 Nov 10:46 · run 4242 · a1b2c3d" */
void trend_text_run(struct buf *out, const struct trend_run *r);
/* "a0f9e8d..a1b2c3d": the last good run, the first bad one. */
void trend_text_range(struct buf *out, const struct trend *t,
		      const struct trend_series *s, const struct trend_mark *m);

/*
 * Puts into `result` (a result.json) as history.trends what its report shows:
 * the last TREND_RESULT_RUNS runs, and the series of its screens and of the
 * whole run, TREND_RESULT_SERIES at most, those that changed first.  With
 * trends that can't be read nothing is put there.
 */
enum { TREND_RESULT_RUNS = 30, TREND_RESULT_SERIES = 250 };
int trend_result_add(const cJSON *trends, cJSON *result, struct err *err);

#endif
