#include "run/run_after.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/present.h"
#include "followup/github_open.h"
#include "followup/growth.h"
#include "followup/issue_range.h"
#include "followup/records_keys.h"
#include "followup/records_result.h"
#include "followup/unity_files.h"
#include "history/history_record.h"
#include "report/trend.h"

#define RUN_AFTER_MERGED "graphics-states/merged.graphicsstate"

static bool
wants_compare(const struct run *r)
{
	return r->plan && r->set->previous && r->cfg->repeat == 0;
}

static bool
compare(struct run *r, struct buf *note)
{
	struct deadline dl = deadline_in(r->cancel, r->set->budget.compare_ms);
	const cJSON *s;
	size_t n = 0;

	growth_since(r->res.json, r->cfg->out, r->set->previous, dl);
	if (!json_bool(r->res.json, "previous.compared", false)) {
		buf_fmt(note, "not compared: %s",
			json_str(r->res.json, "previous.message", "unknown"));
		return false;
	}
	cJSON_ArrayForEach(s, json_get(r->res.json, "screens"))
	{
		n += json_get(s, "snapshot.growth.types") != NULL;
	}
	buf_fmt(note, "snapshots of %zu screens with those of %.10s", n,
		json_str(r->res.json, "previous.ended_at", "an unknown day"));
	return false;
}

const struct run_after run_after_compare = {"compare", wants_compare, compare};

/* The logs of the run that may tell which variants were not found. */
static size_t
logs(const struct run *r, char **path, size_t room)
{
	static const char *const name[] = {"logs/logcat.txt", "logs/app.log"};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(name) / sizeof(*name) && n < room; i++) {
		path[n] = file_join(r->cfg->out, name[i]);
		if (file_exists(path[n]))
			n++;
		else
			free(path[n]);
	}
	return n;
}

static int
merge(struct run *r, const char *pulled, cJSON *merged, struct err *err)
{
	AUTO_FREE char *from = file_join(r->cfg->out, pulled);
	AUTO_FREE char *to = file_join(r->cfg->out, RUN_AFTER_MERGED);
	char *log[2];
	struct unity_files_merge m = {
		.base = r->plan->measure.graphics_states.base,
		.pulled = from,
		.to = to,
		.log = (const char *const *)log,
		.logs = logs(r, log, 2),
	};
	int rc = unity_files_merge(&m, merged, err);

	for (size_t i = 0; i < m.logs; i++)
		free(log[i]);
	return rc;
}

static void
say_merged(const cJSON *merged, struct buf *note)
{
	buf_fmt(note, "%lld variants, %lld new",
		(long long)json_int(merged, "variants", 0),
		(long long)json_int(merged, "added_variants", 0));
	if (json_int(merged, "pruned", 0) > 0)
		buf_fmt(note, ", %lld not found and dropped",
			(long long)json_int(merged, "pruned", 0));
}

static bool
wants_merge(const struct run *r)
{
	return r->plan && r->plan->measure.graphics_states.base &&
	       json_get(r->res.json, "captures.graphics_states.shaders");
}

static bool
merge_states(struct run *r, struct buf *note)
{
	cJSON *c = cJSON_GetObjectItemCaseSensitive(
		result_object(&r->res, "captures"), "graphics_states");
	AUTO_FREE char *old = file_join(r->cfg->out, RUN_AFTER_MERGED);
	struct err err = ERR_INIT;
	cJSON *merged = json_obj();

	(void)unlink(old); /* of an earlier run in this folder, if any */
	json_set(c, "merged", merged);
	json_set_str(merged, "base", r->plan->measure.graphics_states.base);
	if (r->res.outcome != RESULT_PASSED) {
		json_set_str(merged, "message",
			     "not merged: only what a passed run traced is");
		buf_str(note, "not merged: the run did not pass");
		return false;
	}
	if (merge(r, json_str(c, "file", ""), merged, &err)) {
		json_set_str(merged, "message", err.msg);
		result_warning(&r->res, "graphics_states_not_merged", err.msg);
		buf_fmt(note, "not merged: %s", err.msg);
		return true;
	}
	json_set_str(merged, "file", RUN_AFTER_MERGED);
	say_merged(merged, note);
	return false;
}

const struct run_after run_after_merge = {"merge", wants_merge, merge_states};

/* --- the days before ----------------------------------------------------- */

static bool
wants_history(const struct run *r)
{
	return r->plan && r->cfg->probe == NULL && r->set->history &&
	       r->cfg->repeat == 0;
}

/* What the record says of a run whose end is not told yet. */
static void
tell_so_far(struct run *r)
{
	AUTO_FREE char *now = result_time_now();

	json_set_str(r->res.json, "ended_at", now);
	json_set_str(r->res.json, "outcome",
		     r->res.decided ? result_outcome_name(r->res.outcome)
				    : "passed");
}

static int
write_comparison(const struct run *r, const cJSON *comparison, struct err *err)
{
	AUTO_FREE char *path = file_join(r->cfg->out, RUN_AFTER_COMPARISON);
	AUTO_FREE char *text = json_pretty(comparison);

	return file_write(path, text, strlen(text), err);
}

/* For the pictures of its report; of the newest run alone. */
static void
add_trends(struct run *r, const struct records *past, size_t at)
{
	AUTO_JSON cJSON *trends = NULL;
	struct err err = ERR_INIT;

	if (at + 1 != past->runs.count)
		return;
	trends = compare_trends(&past->runs, NULL, NULL);
	if (trend_result_add(trends, r->res.json, &err))
		result_warning(&r->res, "history_failed", err.msg);
}

/*
 * How many commits have come since the last day that was measured, and where
 * they are.  Null where neither GitHub nor the checkout can tell.
 */
static void
count_commits(struct run *r, const struct records *past, size_t at,
	      struct deadline dl)
{
	cJSON *build = result_object(&r->res, "build");
	struct err err = ERR_INIT;
	struct issue_range range;
	struct github g;
	double total;
	bool online;
	size_t i = at;

	while (i > 0 && !json_bool(past->runs.record[i - 1], "measured", false))
		i--;
	if (i == 0 || r->commit == NULL)
		return;
	online = github_open(&g, r->set, NULL, &err) == 0;
	issue_range_find(online ? &g : NULL, ".",
			 json_str(past->runs.record[i - 1], "commit", NULL),
			 r->commit, &range, dl);
	total = range.exact ? (double)range.total : NAN;
	json_set_num(build, "commits_since", total);
	json_set_str(build, "compare_url",
		     range.total > 0 && present_url(range.url) ? range.url
							       : NULL);
	if (json_count(r->res.json, "screens") == 0)
		json_set_num(result_object(&r->res, "history"),
			     "unmeasured_commits", total);
	issue_range_done(&range);
	github_done(&g);
}

static int
compare_days(struct run *r, struct records *past, struct buf *note,
	     struct err *err)
{
	struct deadline dl = deadline_in(r->cancel, r->set->budget.history_ms);
	AUTO_JSON cJSON *comparison = NULL;
	size_t at;

	if (records_open(past, r->set, err) ||
	    records_keys_before(past, history_record_of(r->res.json), &at, dl,
				err))
		return -1;
	records_result_days(r->res.json, &past->runs, at);
	add_trends(r, past, at);
	if (past->left_out)
		result_warning(&r->res, "records_left_out", past->why.msg);
	count_commits(r, past, at, dl);
	if (json_count(r->res.json, "screens") == 0) {
		buf_str(note, "not compared: nothing was walked");
		return 0;
	}
	if (compare_run(&past->runs, at, NULL, &comparison, err))
		return -1;
	records_result_compared(r->res.json, comparison);
	buf_str(note, json_str(comparison, "message", ""));
	return write_comparison(r, comparison, err);
}

static bool
compare_history(struct run *r, struct buf *note)
{
	AUTO_FREE char *old = file_join(r->cfg->out, RUN_AFTER_COMPARISON);
	struct records past = {.history = NULL};
	struct err err = ERR_INIT;
	int rc;

	(void)unlink(old); /* of an earlier run in this folder, if any */
	tell_so_far(r);
	rc = compare_days(r, &past, note, &err);
	records_done(&past);
	if (rc == 0)
		return json_count(r->res.json, "regressions") > 0;
	result_warning(&r->res, "history_failed", err.msg);
	buf_clear(note);
	buf_fmt(note, "not compared: %s", err.msg);
	return true;
}

const struct run_after run_after_history = {"history", wants_history,
					    compare_history};
