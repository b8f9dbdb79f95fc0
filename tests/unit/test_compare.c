#include "history/compare.h"

#include "base/mem.h"
#include "base/wall.h"
#include "tests/unit/check.h"

/* A phone's load on days of a month, as records. */
static struct compare_runs runs;
static struct err err;

enum { DAYS = 30 };

static void
add_day(int day, double load, const char *os, double start_c)
{
	AUTO_FREE char *text = mem_fmt(
		"{\"schema_version\": 1, \"id\": \"id%02d\", \"at\": "
		"\"2026-10-%02dT09:00:00Z\", \"run_id\": \"%d\", \"commit\": "
		"\"%07dffff\", \"title\": \"daily\", \"valid\": true, "
		"\"key\": {\"model\": \"m\", \"serial\": \"s\", \"os\": "
		"\"%s\", \"unity\": \"u\", \"plan\": \"p\"}, \"start_c\": %g, "
		"\"metrics\": [{\"name\": \"load\", \"unit\": \"ms\", "
		"\"lower_is_better\": true, \"values\": {\"a>b\": %.1f}}]}",
		day, day, 5000 + day, day, os, start_c, load);

	MEM_GROW(runs.record, runs.count, runs.room);
	REQUIRE(json_parse(text, strlen(text), "day", &runs.record[runs.count],
			   &err) == 0);
	runs.count++;
}

/* About 1000, from day `at` on `worse` times as much. */
static void
month(int at, double worse)
{
	compare_runs_done(&runs);
	for (int day = 1; day <= DAYS; day++)
		add_day(day, (1000 + day * 7 % 23) * (day >= at ? worse : 1),
			"14", 31);
}

static cJSON *
compared(size_t day)
{
	cJSON *out = NULL;

	err_clear(&err);
	return compare_run(&runs, day - 1, NULL, &out, &err) ? NULL : out;
}

static const char *
verdict(size_t day)
{
	static char word[40];
	AUTO_JSON cJSON *c = compared(day);

	(void)snprintf(word, sizeof(word), "%s", json_str(c, "verdict", ""));
	return word;
}

static void
a_step_is_suspected_then_confirmed_and_new_once(void)
{
	size_t said = 0, first = 0;

	month(20, 1.2);
	CHECK_STR(verdict(5), "too_little_history");
	CHECK_STR(verdict(19), "unchanged");
	CHECK_STR(verdict(20), "suspect");
	for (size_t day = 20; day <= DAYS; day++) {
		AUTO_JSON cJSON *c = compared(day);

		if (!compare_has_new(c, "regression"))
			continue;
		said++;
		first = day;
	}
	CHECK(said == 1);
	CHECK(first >= 21 && first <= 25);
	CHECK_STR(verdict(DAYS), "regression");
}

static void
a_change_names_its_range_and_its_numbers(void)
{
	month(20, 1.2);
	AUTO_JSON cJSON *c = compared(DAYS);
	const cJSON *s = cJSON_GetArrayItem(json_get(c, "series"), 0);

	CHECK_STR(json_str(s, "step.first_bad.run_id", ""), "5020");
	CHECK_STR(json_str(s, "step.last_good.run_id", ""), "5019");
	CHECK(json_num(s, "step.after", 0) > json_num(s, "step.before", 0));
	CHECK_HAS(json_str(s, "line", ""), "since 20 Oct");
	CHECK_HAS(json_str(c, "message", ""), "a>b: load");
}

static void
a_creep_names_all_that_was_looked_at(void)
{
	compare_runs_done(&runs);
	for (int day = 1; day <= DAYS; day++)
		add_day(day, 1000 + day * 7 % 23 + (day > 14) * (day - 14) * 4,
			"14", 31);
	AUTO_JSON cJSON *c = compared(DAYS);
	const cJSON *s = cJSON_GetArrayItem(json_get(c, "series"), 0);

	CHECK_STR(json_str(s, "step.kind", ""), "creep");
	CHECK(json_bool(s, "step.slow", false));
	CHECK_STR(json_str(s, "step.first_bad.id", ""),
		  json_str(s, "step.seen.id", "?"));
	/* It began on day 15, and no run of those is guilty. */
	CHECK(strcmp(json_str(s, "step.last_good.id", "?"), "id15") < 0);
	CHECK_HAS(json_str(s, "line", ""), "on its way since");
}

static void
the_other_way_is_an_improvement(void)
{
	month(20, 0.8);
	CHECK_STR(verdict(20), "unchanged");
	CHECK_STR(verdict(DAYS), "improvement");
}

static void
an_old_change_is_what_is_usual(void)
{
	month(11, 1.2);
	CHECK_STR(verdict(DAYS), "unchanged");
}

static void
another_key_begins_anew_and_is_said(void)
{
	month(99, 1);
	add_day(31, 1900, "15", 31);
	AUTO_JSON cJSON *c = compared(31);

	CHECK_STR(json_str(c, "verdict", ""), "too_little_history");
	CHECK_STR(json_str(c, "new_baseline.part", ""), "os");
	CHECK(cJSON_IsNull(json_get(c, "base")));
}

static void
a_warm_phone_is_not_compared_until_it_is_usual(void)
{
	month(99, 1);
	add_day(31, 1900, "14", 41);
	AUTO_JSON cJSON *c = compared(31);

	CHECK_STR(json_str(c, "verdict", ""), "not_comparable");
	CHECK_STR(json_str(c, "run.invalid", ""), "temperature");
	for (int day = 1; day <= 12; day++)
		add_day(day, 1010, "14", 41);
	AUTO_JSON cJSON *later = compared(runs.count);

	CHECK(json_bool(later, "run.valid", false));
}

static void
a_day_without_a_phone_is_told_and_changes_nothing(void)
{
	static const char skipped[] =
		"{\"schema_version\": 1, \"id\": \"x\", \"at\": "
		"\"2026-10-30T12:00:00Z\", \"title\": \"daily\", \"valid\": "
		"false, \"invalid\": \"skipped\", \"key\": {}, \"metrics\": "
		"[]}";

	month(20, 1.2);
	AUTO_JSON cJSON *before = compared(DAYS);

	MEM_GROW(runs.record, runs.count, runs.room);
	REQUIRE(json_parse(skipped, strlen(skipped), "day",
			   &runs.record[runs.count], &err) == 0);
	runs.count++;
	CHECK_STR(verdict(DAYS + 1), "not_comparable");
	AUTO_JSON cJSON *trends = compare_trends(&runs, NULL, NULL);

	CHECK(json_count(trends, "runs") == DAYS + 1);
	add_day(31, 1210, "14", 31);
	AUTO_JSON cJSON *after = compared(DAYS + 2);

	CHECK(json_int(after, "runs", 0) == json_int(before, "runs", 0) + 1);
}

static void
trends_have_levels_and_marks(void)
{
	month(20, 1.2);
	AUTO_JSON cJSON *t = compare_trends(&runs, NULL, NULL);
	const cJSON *s = cJSON_GetArrayItem(json_get(t, "series"), 0);
	const cJSON *second = cJSON_GetArrayItem(json_get(s, "levels"), 1);

	CHECK(json_count(s, "points") == DAYS);
	CHECK(json_count(s, "levels") == 2);
	CHECK(json_int(second, "from", 0) == 19);
	CHECK(json_count(s, "marks") >= 1);
}

static const cJSON *
trend_point(const cJSON *trends, int i)
{
	const cJSON *s = cJSON_GetArrayItem(json_get(trends, "series"), 0);

	return cJSON_GetArrayItem(json_get(s, "points"), i);
}

static void
runs_before_a_new_baseline_are_shown_and_not_used(void)
{
	compare_runs_done(&runs);
	for (int day = 1; day <= 10; day++)
		add_day(day, 900, "13", 31);
	for (int day = 11; day <= 28; day++)
		add_day(day, 1000 + day % 3, "14", 31);
	AUTO_JSON cJSON *t = compare_trends(&runs, NULL, NULL);
	const cJSON *list = json_get(t, "runs");
	const cJSON *s = cJSON_GetArrayItem(json_get(t, "series"), 0);
	const cJSON *level = json_get(s, "levels")->child;

	CHECK(json_count(t, "runs") == 28);
	CHECK(json_count(s, "points") == 28);
	CHECK_STR(json_str(trend_point(t, 9), "unused", ""), "another_os");
	CHECK(json_str(trend_point(t, 10), "unused", NULL) == NULL);
	CHECK(json_count(s, "levels") == 1 && json_count(s, "marks") == 0);
	CHECK(json_int(level, "from", 0) == 10);
	CHECK_STR(json_str(cJSON_GetArrayItem(list, 9), "invalid", ""),
		  "another_os");
	CHECK_HAS(json_str(cJSON_GetArrayItem(list, 10), "new_baseline", ""),
		  "a new baseline begins: another OS build, 13 before, 14 now");
	CHECK(json_str(cJSON_GetArrayItem(list, 11), "new_baseline", NULL) ==
	      NULL);
}

/* Two phones day and day about: the days of the other are days all the same. */
static void
another_phone_has_its_own_pictures(void)
{
	compare_runs_done(&runs);
	for (int day = 1; day <= 28; day++)
		add_day(day, 1000, day % 2 ? "13" : "14", 31);
	AUTO_JSON cJSON *t = compare_trends(&runs, NULL, NULL);
	const cJSON *s = cJSON_GetArrayItem(json_get(t, "series"), 0), *p;
	size_t other = 0;

	CHECK(json_count(t, "runs") == 28);
	/* Its own, and the one before its first. */
	CHECK(json_count(s, "points") == 15);
	cJSON_ArrayForEach(p, json_get(s, "points")) other +=
		json_str(p, "unused", NULL) != NULL;
	CHECK(other == 1);
	CHECK(json_int(trend_point(t, 14), "run", 0) == 27);
	CHECK(json_int(trend_point(t, 13), "run", 0) == 25);
}

static void
a_base_is_named_or_refused(void)
{
	cJSON *c;

	month(99, 1);
	REQUIRE(compare_run(&runs, DAYS - 1, "2026-10-05", &c, &err) == 0);
	CHECK_STR(json_str(c, "base.run_id", ""), "5005");
	cJSON_Delete(c);
	CHECK(compare_run(&runs, DAYS - 1, "nothing", &c, &err) == -1);
	CHECK(err.code == ERR_USAGE);
}

/* A year that gets slower all the time. */
static void
year(size_t days)
{
	compare_runs_done(&runs);
	for (size_t i = 0; i < days; i++) {
		AUTO_BUF struct buf at = BUF_INIT;

		add_day(1, 1000 + 2 * (double)i + (double)(i * 7 % 23), "14",
			31);
		wall_text(&at, 1760000000 + (int64_t)i * 86400);
		json_set_str(runs.record[i], "at", at.data);
	}
}

static void
a_day_is_compared_with_the_same_records_ever_after(void)
{
	enum { ALL = COMPARE_RUNS_MAX + 100, AT = ALL - 30 };

	year(ALL);
	struct compare_runs then = {
		.record = runs.record + AT + 1 - COMPARE_RUNS_MAX,
		.count = COMPARE_RUNS_MAX,
		.cut = true,
	};
	AUTO_JSON cJSON *on_the_day = NULL, *later = NULL;
	REQUIRE(compare_run(&then, then.count - 1, NULL, &on_the_day, &err) ==
		0);
	REQUIRE(compare_run(&runs, AT, NULL, &later, &err) == 0);
	CHECK(json_int(later, "runs", 0) > COMPARE_RUNS_MAX - 7);
	AUTO_FREE char *a = json_text(on_the_day), *b = json_text(later);
	CHECK_STR(b, a);
}

/* Of two phones in turn, each day of one is compared with all of its own. */
static void
another_key_takes_no_place_of_the_own(void)
{
	enum { EACH = COMPARE_RUNS_MAX };

	compare_runs_done(&runs);
	for (size_t i = 0; i < (size_t)2 * EACH; i++) {
		AUTO_BUF struct buf at = BUF_INIT;

		add_day(1, 1000 + (double)(i * 7 % 23), i % 2 ? "14" : "13",
			31);
		wall_text(&at, 1760000000 + (int64_t)i / 2 * 86400);
		json_set_str(runs.record[i], "at", at.data);
	}
	AUTO_JSON cJSON *c = compared(runs.count);

	CHECK(json_int(c, "runs", 0) >= EACH - 7);
}

/* Two games with the same screens on one phone. */
static void
another_title_is_another_series(void)
{
	month(99, 1);
	add_day(31, 1900, "14", 31);
	json_set_str(runs.record[DAYS], "title", "another game");
	AUTO_JSON cJSON *c = compared(DAYS + 1);

	CHECK_STR(json_str(c, "verdict", ""), "too_little_history");
	CHECK_STR(json_str(c, "new_baseline.part", ""), "title");
	json_set_str(runs.record[DAYS], "title", NULL);
	CHECK_STR(verdict(DAYS + 1), "suspect");
}

CHECK_MAIN(CHECK_CASE("a step is suspected, then confirmed, and new once",
		      a_step_is_suspected_then_confirmed_and_new_once),
	   CHECK_CASE("a change names its range and its numbers",
		      a_change_names_its_range_and_its_numbers),
	   CHECK_CASE("a creep names all that was looked at",
		      a_creep_names_all_that_was_looked_at),
	   CHECK_CASE("the other way is an improvement",
		      the_other_way_is_an_improvement),
	   CHECK_CASE("an old change is what is usual",
		      an_old_change_is_what_is_usual),
	   CHECK_CASE("another key takes no place of the own",
		      another_key_takes_no_place_of_the_own),
	   CHECK_CASE("another title is another series, where it is told",
		      another_title_is_another_series),
	   CHECK_CASE("another key begins anew, and that is said",
		      another_key_begins_anew_and_is_said),
	   CHECK_CASE("a warm phone is not compared until that is usual",
		      a_warm_phone_is_not_compared_until_it_is_usual),
	   CHECK_CASE("a day without a phone is told and changes nothing",
		      a_day_without_a_phone_is_told_and_changes_nothing),
	   CHECK_CASE("trends have levels and marks",
		      trends_have_levels_and_marks),
	   CHECK_CASE("runs before a new baseline are shown and not used",
		      runs_before_a_new_baseline_are_shown_and_not_used),
	   CHECK_CASE("another phone has its own pictures",
		      another_phone_has_its_own_pictures),
	   CHECK_CASE("a day is compared with the same records ever after",
		      a_day_is_compared_with_the_same_records_ever_after),
	   CHECK_CASE("a base is named, or refused",
		      a_base_is_named_or_refused), )
