#include "followup/silence.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/wall.h"
#include "check.h"

static struct err err;

static unsigned
days(const char *text)
{
	unsigned d = 0;

	err_clear(&err);
	CHECK(silence_days(text, &d, &err) == 0);
	return d;
}

static void
days_are_read(void)
{
	static const char *const bad[] = {
		"",    "mon-", "monday",  "mon,", "fri-xxx",
		"1-5", "-",    "mon fri", ",mon", "mon--fri"};
	AUTO_FREE char *back = silence_days_text(days("mon-fri"));
	AUTO_FREE char *some = silence_days_text(days("wed,mon,fri-sat"));
	unsigned d = 7;

	CHECK(days("mon-fri") == 31 && days("daily") == 127);
	CHECK(days("sat-mon") == (32 | 64 | 1) && days("Tue") == 2);
	CHECK(days("thu-thu") == 8);
	CHECK_STR(back, "mon-fri");
	CHECK_STR(some, "mon,wed,fri,sat");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK(silence_days(bad[i], &d, &err) == -1 &&
		      err.code == ERR_USAGE);
	CHECK(d == 7);
}

static void
zones_are_known(void)
{
	static const char *const bad[] = {"Europe/Nowhere",  "",
					  "../../etc/hosts", "+9",
					  "+25:00",	     "CEST-2"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK(silence_zone(bad[i], &err) == -1 &&
		      err.code == ERR_USAGE);
	CHECK(silence_zone("+09:00", &err) == 0);
	CHECK(silence_zone("UTC", &err) == 0);
}

/* In hours, between two times. */
static int64_t
age_h(unsigned d, const char *from, const char *to)
{
	int64_t a = 0, b = 0;

	CHECK(wall_parse(from, &a) && wall_parse(to, &b));
	return silence_age_s(d, a, b) / 3600;
}

static void
weekends_stand_still(void)
{
	unsigned week = days("mon-fri");

	CHECK(silence_zone("UTC", &err) == 0);
	/* 2026-11-27 is a Friday. */
	CHECK(age_h(week, "2026-11-27T04:00:00Z", "2026-11-28T00:00:00Z") ==
	      20);
	CHECK(age_h(week, "2026-11-27T04:00:00Z", "2026-11-29T23:00:00Z") ==
	      20);
	CHECK(age_h(week, "2026-11-27T04:00:00Z", "2026-11-30T04:00:00Z") ==
	      24);
	CHECK(age_h(week, "2026-11-28T12:00:00Z", "2026-11-29T12:00:00Z") == 0);
	CHECK(age_h(127, "2026-11-28T12:00:00Z", "2026-11-29T12:00:00Z") == 24);
	CHECK(age_h(week, "2026-11-30T12:00:00Z", "2026-11-30T11:00:00Z") == 0);
	/* However long ago. */
	CHECK(age_h(week, "1971-01-01T00:00:00Z", "2026-11-30T11:00:00Z") >
	      6000);
}

static void
days_begin_in_the_zone(void)
{
	unsigned week = days("mon-fri");

	/* Sunday 20:00 UTC is Monday 05:00 there. */
	CHECK(silence_zone("+09:00", &err) == 0);
	CHECK(age_h(week, "2026-11-29T12:00:00Z", "2026-11-29T20:00:00Z") == 5);
	CHECK(silence_zone("UTC", &err) == 0);
	CHECK(age_h(week, "2026-11-29T12:00:00Z", "2026-11-29T20:00:00Z") == 0);
	if (!file_exists("/usr/share/zoneinfo/Europe/Berlin"))
		return;
	/* The Sunday on which summer time ends has 25 hours. */
	CHECK(silence_zone("Europe/Berlin", &err) == 0);
	CHECK(age_h(days("sun"), "2026-10-24T12:00:00Z",
		    "2026-10-26T12:00:00Z") == 25);
	CHECK(silence_zone("UTC", &err) == 0);
}

/* --- judging ------------------------------------------------------------- */

static struct past past;

static void
patrol(const char *ended, bool measured)
{
	struct past_item it = {.result = json_obj()};

	it.where = mem_strdup("run 1");
	json_set_str(it.result, "kind", "run");
	json_set_str(it.result, "outcome", measured ? "passed" : "skipped");
	json_set_str(it.result, "reason", measured ? NULL : "device_busy");
	json_set_bool(it.result, "measured", measured);
	json_set_str(it.result, "ended_at", ended);
	CHECK(wall_parse(ended, &it.at_s));
	MEM_GROW(past.item, past.count, past.room);
	past.item[past.count++] = it;
}

static cJSON *
judge_at(const char *now)
{
	struct silence_rule rule = {.max_age_s = 26 * 3600, .days = 31};
	cJSON *o = NULL;
	int64_t at = 0;

	CHECK(wall_parse(now, &at));
	err_clear(&err);
	if (silence_judge(&rule, &past, "here", "r", at, &o, &err))
		return NULL;
	return o;
}

static void
fresh_is(const char *now, bool fresh)
{
	AUTO_JSON cJSON *o = judge_at(now);

	CHECK(o && json_bool(o, "fresh", !fresh) == fresh);
}

static void
monday_does_not_miss_sunday(void)
{
	CHECK(silence_zone("UTC", &err) == 0);
	patrol("2026-11-27T04:00:00Z", true);
	fresh_is("2026-11-28T09:00:00Z", true);
	fresh_is("2026-11-29T09:00:00Z", true);
	fresh_is("2026-11-30T05:59:00Z", true);
	fresh_is("2026-11-30T06:01:00Z", false);
	past_done(&past);
	/* The one of Monday is missed on Tuesday, as on any day. */
	patrol("2026-11-30T04:00:00Z", true);
	fresh_is("2026-12-01T05:59:00Z", true);
	fresh_is("2026-12-01T06:01:00Z", false);
	past_done(&past);
	/* Thursday's came, Friday's did not: that is told on Friday. */
	patrol("2026-11-26T04:00:00Z", true);
	fresh_is("2026-11-27T06:30:00Z", false);
	past_done(&past);
}

static void
words_say_what_is_known(void)
{
	AUTO_JSON cJSON *none = NULL, *idle = NULL, *busy = NULL;
	AUTO_JSON cJSON *late = NULL;

	none = judge_at("2026-11-30T09:00:00Z");
	CHECK_HAS(json_str(none, "message", ""), "NOTHING MEASURED at all");
	CHECK_STR(json_str(none, "alert", ""), "patrol-watch-r-never");
	patrol("2026-11-25T04:00:00Z", true);
	idle = judge_at("2026-11-30T09:00:00Z");
	CHECK_HAS(json_str(idle, "message", ""),
		  "NOTHING MEASURED since Wed 25 Nov 04:00 UTC: 77 h on days "
		  "when it was expected (mon-fri), at most 26 h is right.");
	CHECK_HAS(json_str(idle, "why", ""), "No patrol has run since then");
	CHECK_HAS(json_str(idle, "next", ""), "workflow still runs");
	CHECK_STR(json_str(idle, "alert", ""),
		  "patrol-watch-r-20261125T040000Z");
	past_done(&past);
	/* Half an hour late is not "26 h, at most 26 h". */
	patrol("2026-11-26T04:00:00Z", true);
	late = judge_at("2026-11-27T06:30:00Z");
	CHECK_HAS(json_str(late, "message", ""),
		  "26 h 30 min on days when it was expected (mon-fri), at most "
		  "26 h is right.");
	past_done(&past);
	patrol("2026-11-30T04:00:00Z", false);
	patrol("2026-11-25T04:00:00Z", true);
	busy = judge_at("2026-11-30T09:00:00Z");
	CHECK_STR(json_str(busy, "why", ""),
		  "1 patrol since then measured nothing; the newest says: The "
		  "phone is held by someone else.");
	CHECK_HAS(json_str(busy, "next", ""), "Free the phone");
	/* It is the same silence. */
	CHECK_STR(json_str(busy, "alert", ""), json_str(idle, "alert", "?"));
	past_done(&past);
}

static void
doubt_is_no_verdict(void)
{
	cJSON *o;

	patrol("2026-11-25T04:00:00Z", true);
	past.unread = 1;
	err_set(&past.why, ERR_INPUT, "half a file");
	CHECK(wall_parse("2026-11-30T04:00:00Z", &past.unread_at_s));
	o = judge_at("2026-11-30T09:00:00Z");
	CHECK(o == NULL && err.code == ERR_PROTO);
	CHECK_HAS(err.msg, "half a file");
	cJSON_Delete(o);
	/* An old one does not matter. */
	CHECK(wall_parse("2026-11-24T04:00:00Z", &past.unread_at_s));
	fresh_is("2026-11-30T09:00:00Z", false);
	/* Nor a new one, when there is a good one. */
	past_done(&past);
	patrol("2026-11-30T04:00:00Z", true);
	past.unread = 1;
	past.unread_at_s = INT64_MAX;
	fresh_is("2026-11-30T09:00:00Z", true);
	past_done(&past);
}

static void
clock_ahead_is_not_believed(void)
{
	patrol("2027-11-30T04:00:00Z", true);
	fresh_is("2026-11-30T09:00:00Z", false);
	past_done(&past);
}

CHECK_MAIN(CHECK_CASE("days are read and written", days_are_read),
	   CHECK_CASE("a zone that is not there is refused", zones_are_known),
	   CHECK_CASE("on other days the clock stands still",
		      weekends_stand_still),
	   CHECK_CASE("days begin at midnight of the zone",
		      days_begin_in_the_zone),
	   CHECK_CASE("a Monday morning does not miss a Sunday",
		      monday_does_not_miss_sunday),
	   CHECK_CASE("an alert says since when, why and what to do",
		      words_say_what_is_known),
	   CHECK_CASE("what can't be read is no verdict", doubt_is_no_verdict),
	   CHECK_CASE("a result from the future counts for nothing",
		      clock_ahead_is_not_believed), )
