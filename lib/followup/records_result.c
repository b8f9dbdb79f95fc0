#include "followup/records_result.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/wall.h"
#include "history/history_record.h"

enum { DAYS = 14, DATE = 10, DAY_S = 24 * 3600, LINES = 40 };

/* --- the comparison ------------------------------------------------------ */

static bool
is_one_of(const char *word, const char *a, const char *b)
{
	return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static cJSON *
regression_json(const cJSON *s)
{
	const cJSON *step = json_get(s, "step");
	const char *subject = json_str(s, "subject", "");
	cJSON *o = json_obj();

	json_set_str(o, "metric", json_str(s, "metric", ""));
	json_set_str(o, "screen", *subject ? subject : NULL);
	json_set_num(o, "before", json_num(step, "before", 0));
	json_set_num(o, "after", json_num(step, "after", 0));
	json_set_str(o, "unit", json_str(s, "unit", ""));
	json_set_int(o, "days", json_int(step, "days", 1));
	json_set_str(o, "kind", json_str(step, "kind", ""));
	json_set_bool(o, "new", json_bool(step, "new", false));
	json_set_str(o, "line", json_str(s, "line", ""));
	json_set_str(o, "first_bad", json_str(step, "first_bad.commit", NULL));
	json_set_str(o, "last_good", json_str(step, "last_good.commit", NULL));
	return o;
}

static cJSON *
lines_of(const cJSON *comparison, const char *state)
{
	cJSON *lines = json_arr();
	const cJSON *s;

	cJSON_ArrayForEach(s, json_get(comparison, "series"))
	{
		if (strcmp(json_str(s, "state", ""), state) == 0 &&
		    cJSON_GetArraySize(lines) < LINES)
			json_push_str(lines, json_str(s, "line", ""));
	}
	return lines;
}

void
records_result_compared(cJSON *result, const cJSON *comparison)
{
	const char *verdict = json_str(comparison, "verdict", "");
	cJSON *o = json_obj(), *worse = json_arr();
	const cJSON *s;

	json_set_str(o, "verdict", verdict);
	json_set_str(o, "message", json_str(comparison, "message", ""));
	json_set_int(o, "runs", json_int(comparison, "runs", 0));
	if (json_get(comparison, "base"))
		json_set(o, "base",
			 cJSON_Duplicate(json_get(comparison, "base"), true));
	json_set_str(o, "new_baseline",
		     json_str(comparison, "new_baseline.message", NULL));
	json_set(o, "suspects", lines_of(comparison, "suspect"));
	json_set(o, "improvements", lines_of(comparison, "improvement"));
	json_set(result, "comparison", o);
	json_set_bool(
		result, "compared",
		!is_one_of(verdict, "not_comparable", "too_little_history"));
	cJSON_ArrayForEach(s, json_get(comparison, "series"))
	{
		if (is_one_of(json_str(s, "state", ""), "regression", "creep"))
			json_push(worse, regression_json(s));
	}
	json_set(result, "regressions", worse);
}

/* --- the days before ----------------------------------------------------- */

static cJSON *
day_json(const cJSON *record, const char *date)
{
	cJSON *o = json_obj();

	json_set_str(o, "date", date);
	json_set_str(o, "outcome", json_str(record, "outcome", ""));
	json_set_bool(o, "measured", json_bool(record, "measured", false));
	json_set_bool(o, "worse", json_bool(record, "worse", false));
	json_set_str(o, "message", json_str(record, "message", NULL));
	json_set_str(o, "url", json_str(record, "report_url", NULL));
	return o;
}

static char *
date_of(const cJSON *record)
{
	return mem_strndup(json_str(record, "at", ""), DATE);
}

/* The last run of each day that has one; the oldest first. */
static cJSON *
days_of(const struct compare_runs *runs, size_t at, int64_t from_s)
{
	cJSON *days = json_arr();

	for (size_t i = 0; i < at; i++) {
		const cJSON *r = runs->record[i];
		AUTO_FREE char *date = date_of(r);
		int last = cJSON_GetArraySize(days) - 1;
		const cJSON *before = cJSON_GetArrayItem(days, last);

		if (history_record_at(r) < from_s)
			continue;
		if (before && strcmp(json_str(before, "date", ""), date) == 0)
			cJSON_DeleteItemFromArray(days, last);
		json_push(days, day_json(r, date));
	}
	return days;
}

void
records_result_days(cJSON *result, const struct compare_runs *runs, size_t at)
{
	int64_t now_s = history_record_at(runs->record[at]);
	AUTO_FREE char *today = date_of(runs->record[at]);
	cJSON *o = json_obj();
	AUTO_FREE char *counted = mem_strdup(today);
	size_t i, unmeasured = 0;

	for (i = at; i > 0; i--) {
		const cJSON *r = runs->record[i - 1];
		AUTO_FREE char *date = date_of(r);

		if (json_bool(r, "measured", false))
			break;
		if (strcmp(date, counted) == 0)
			continue;
		unmeasured++;
		free(counted);
		counted = mem_strdup(date);
	}
	json_set_int(o, "unmeasured_days", (int64_t)unmeasured);
	if (i > 0) {
		AUTO_FREE char *date = date_of(runs->record[i - 1]);

		json_set_str(o, "last_measured", date);
	}
	json_set(o, "days", days_of(runs, at, now_s - (int64_t)DAYS * DAY_S));
	json_set(result, "history", o);
}
