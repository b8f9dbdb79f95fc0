#include <string.h>

#include "run/run_stage.h"

static bool
any_screen(const struct run *r, const char *status)
{
	const cJSON *s;

	cJSON_ArrayForEach(s, json_get(r->res.json, "screens"))
	{
		if (strcmp(json_str(s, "status", ""), status) == 0)
			return true;
	}
	return false;
}

/* Graphics states are no measurement data. */
bool
run_judge_wants_data(const struct run *r)
{
	const struct plan_measure *m = &r->plan->measure;

	return (m->profiler.used && (r->cfg->measure & RUN_PROFILER)) ||
	       (m->snapshot.used && (r->cfg->measure & RUN_SNAPSHOT));
}

/* The first thing that should have arrived and did not. */
static const cJSON *
missing_upload(const struct run *r)
{
	const cJSON *u;

	cJSON_ArrayForEach(u, json_get(r->res.json, "uploads"))
	{
		if (strcmp(json_str(u, "status", ""), "failed") == 0)
			return u;
	}
	return NULL;
}

static void
judge_measurement(struct run *r)
{
	const cJSON *missing = missing_upload(r);
	const char *why = json_str(missing, "message", "it did not arrive");

	if (run_judge_wants_data(r) &&
	    !json_bool(r->res.json, "measured", false))
		result_decide(&r->res, RESULT_FAILED, "not_measured",
			      "no measurement data arrived%s%s",
			      missing ? ": " : "", missing ? why : "");
	else if (missing)
		result_decide(&r->res, RESULT_FAILED,
			      json_str(missing, "reason", "upload_failed"),
			      "%s did not arrive: %s",
			      json_str(missing, "name", "a file"), why);
}

/* Without a reason the message is what there is to be glad of. */
static void
judge_passed(struct run *r)
{
	size_t visited = 0, all = 0;
	const cJSON *s;

	cJSON_ArrayForEach(s, json_get(r->res.json, "screens"))
	{
		visited += strcmp(json_str(s, "status", ""), "visited") == 0;
		all++;
	}
	if (r->plan)
		result_decide(
			&r->res, RESULT_PASSED, NULL,
			"%zu of %zu screens visited, %s", visited, all,
			json_bool(r->res.json, "measured", false) ? "measured"
			: run_judge_wants_data(r) ? "nothing measured"
						  : "no measurement planned");
	else
		result_decide(&r->res, RESULT_PASSED, NULL,
			      "started, watched for %.0f s, no crash",
			      (double)r->cfg->try_ms / 1000);
}

/* On the day on which it is said first, and not on all days after. */
static void
judge_regressions(struct run *r)
{
	const cJSON *g;

	cJSON_ArrayForEach(g, json_get(r->res.json, "regressions"))
	{
		if (json_bool(g, "new", false) &&
		    strcmp(json_str(g, "kind", ""), "regression") == 0)
			result_decide(&r->res, RESULT_FAILED, "regression",
				      "%s", json_str(g, "line", ""));
	}
}

/* What of the plan's fail_on happened in a run that came to its end. */
void
run_judge(struct run *r)
{
	unsigned on = r->plan ? r->plan->fail_on : PLAN_FAIL_CRASH;
	size_t crashes = json_count(r->res.json, "crashes");

	if (r->res.decided && r->res.outcome != RESULT_TIMED_OUT)
		return;
	/* What the plan fails on weighs more than the time that it cost. */
	if (r->res.decided && (on & PLAN_FAIL_CRASH) && crashes > 0)
		r->res.decided = false;
	if ((on & PLAN_FAIL_TIMED_OUT) && r->res.outcome == RESULT_TIMED_OUT &&
	    r->res.decided) {
		r->res.outcome = RESULT_FAILED;
		return;
	}
	if ((on & PLAN_FAIL_CRASH) && crashes > 0)
		result_decide(&r->res, RESULT_FAILED, "crash",
			      "the app crashed or hung %zu time%s", crashes,
			      crashes > 1 ? "s" : "");
	if ((on & PLAN_FAIL_NOT_MEASURED) && r->plan && r->cfg->repeat == 0)
		judge_measurement(r);
	if ((on & PLAN_FAIL_UNREACHED) &&
	    (any_screen(r, "unreached") || any_screen(r, "not_visited")))
		result_decide(&r->res, RESULT_FAILED, "unreached",
			      "not every screen was reached");
	if (on & PLAN_FAIL_REGRESSION)
		judge_regressions(r);
	judge_passed(r);
}
