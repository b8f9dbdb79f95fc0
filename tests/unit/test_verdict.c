#include "base/present.h"
#include "check.h"
#include "report/verdict.h"
#include "results.h"

static void
sentence_is(cJSON *result, const char *text)
{
	struct verdict v;

	verdict_init(&v, result);
	CHECK_STR(v.sentence, text);
	verdict_done(&v);
	cJSON_Delete(result);
}

static void
fine_day(void)
{
	sentence_is(results_load("passed"),
		    "Starfall daily 30 Nov: fine. 9/9 screens (1 off-route), "
		    "measured.");
}

static void
nothing_worse_is_compared(void)
{
	cJSON *r = results_load("passed");

	results_set(r, "compared", cJSON_CreateTrue());
	sentence_is(r, "Starfall daily 30 Nov: fine. 9/9 screens "
		       "(1 off-route), measured, nothing worse.");
}

static void
who_holds_it(void)
{
	cJSON *r = results_load("skipped_busy");
	struct verdict v;

	verdict_init(&v, r);
	CHECK_STR(v.sentence, "NOTHING MEASURED, 3rd day running. Pixel 6 "
			      "held by qa-team since Fri 18:02.");
	CHECK_STR(v.why, "Last measured 27 Nov. 41 commits unmeasured.");
	CHECK_HAS(v.todo, "second serial");
	CHECK_STR(v.word, "NOTHING MEASURED");
	CHECK_STR(v.state, "SKIPPED");
	CHECK(v.unmeasured_days == 3);
	verdict_done(&v);
	results_set(r, "history", cJSON_CreateNull());
	sentence_is(r, "NOTHING MEASURED. Pixel 6 held by qa-team since Fri "
		       "18:02.");
}

static void
upload_failed(void)
{
	sentence_is(results_load("upload_failed"),
		    "NOTHING MEASURED. No upload arrived: the measurement "
		    "server answered 503 to the profiler's data.");
}

/* Half a snapshot is nothing that a measurement server could help. */
static void
half_a_snapshot(void)
{
	AUTO_JSON cJSON *r = results_load("upload_failed");
	cJSON *u = cJSON_GetArrayItem(json_get(r, "uploads"), 0);
	struct verdict v;

	verdict_init(&v, r);
	CHECK_HAS(v.todo, "measurement server");
	verdict_done(&v);
	results_set_str(u, "status", "failed");
	results_set_str(u, "reason", "snapshot_unfinished");
	verdict_init(&v, r);
	CHECK_HAS(v.todo, "give snapshots more time");
	verdict_done(&v);
}

static void
crash_names_screen(void)
{
	sentence_is(results_load("failed_crash"),
		    "Starfall daily 30 Nov: the app crashed on 'shop': signal "
		    "11 (SIGSEGV) in libunity.so. 7/9 screens (1 off-route), "
		    "measured.");
}

static void
passed_unmeasured_is_not_good(void)
{
	cJSON *r = results_load("passed");
	struct verdict v;

	results_set(r, "measured", cJSON_CreateFalse());
	verdict_init(&v, r);
	CHECK_HAS(v.sentence, "NOTHING MEASURED. 9 of 9 screens visited");
	CHECK(v.tone == VERDICT_NONE);
	CHECK(v.todo != NULL);
	verdict_done(&v);
	cJSON_Delete(r);
}

static cJSON *
regression(const char *screen)
{
	cJSON *r = json_obj();

	json_set_str(r, "metric", "memory");
	json_set_str(r, "screen", screen);
	json_set_int(r, "before", 412LL << 20);
	json_set_int(r, "after", 486LL << 20);
	json_set_str(r, "unit", "bytes");
	json_set_int(r, "days", 2);
	return r;
}

static void
worse_is_first(void)
{
	cJSON *r = results_load("passed");
	cJSON *list = json_arr();

	json_push(list, regression("shop"));
	json_push(list, regression("home"));
	results_set(r, "regressions", list);
	sentence_is(r, "Starfall daily 30 Nov: shop uses 18 % more memory "
		       "(412→486 MiB), 2nd day. 1 more got worse. 9/9 "
		       "screens (1 off-route), measured.");
}

/* `r` with the one regression; what it says is `text`. */
static void
change_is(const char *json, const char *text)
{
	AUTO_JSON cJSON *r = cJSON_Parse(json);
	AUTO_BUF struct buf b = BUF_INIT;

	verdict_change(&b, r);
	CHECK_STR(b.data, text);
}

static void
changes_in_words(void)
{
	change_is("{\"metric\":\"load\",\"screen\":\"home>shop\",\"unit\":"
		  "\"ms\",\"before\":1840,\"after\":2208,\"days\":1}",
		  "shop takes 20 % longer to load (1.84→2.21 s)");
	change_is("{\"metric\":\"memory\",\"screen\":\"shop\",\"unit\":"
		  "\"bytes\",\"before\":432013312,\"after\":453613977,"
		  "\"kind\":\"creep\",\"days\":3}",
		  "shop uses 5 % more memory (412→433 MiB), a creep over "
		  "weeks, 3rd day");
	change_is("{\"metric\":\"startup_process\",\"unit\":\"ms\",\"before\":"
		  "1000,\"after\":1300}",
		  "the game takes 30 % longer to start (1.00→1.30 s)");
	change_is("{\"metric\":\"apk_size\",\"unit\":\"bytes\",\"before\":"
		  "209715200,\"after\":220200960}",
		  "the game's APK is 5 % larger (200→210 MiB)");
	change_is("{\"metric\":\"fps\",\"screen\":\"shop\",\"unit\":\"Hz\","
		  "\"before\":60,\"after\":45}",
		  "shop: fps is 25 % lower (60→45 Hz)");
	change_is("{\"metric\":\"crashes\",\"unit\":\"count\",\"before\":0,"
		  "\"after\":2}",
		  "the game: crashes 0→2");
}

/* A list of one kind in result.comparison. */
static void
add_line(cJSON *result, const char *list, const char *line)
{
	cJSON *c = cJSON_GetObjectItemCaseSensitive(result, "comparison");
	cJSON *lines = json_arr();

	if (!c) {
		c = json_obj();
		json_set(result, "comparison", c);
	}
	json_push_str(lines, line);
	json_set(c, list, lines);
}

static void
the_rest_is_unchanged(void)
{
	cJSON *r = results_load("passed");
	cJSON *list = json_arr();

	json_push(list, regression("shop"));
	results_set(r, "regressions", list);
	add_line(r, "suspects", "home: load: suspect: 2.03 s");
	sentence_is(cJSON_Duplicate(r, true),
		    "Starfall daily 30 Nov: shop uses 18 % more memory "
		    "(412→486 MiB), 2nd day. 9/9 screens (1 off-route), "
		    "measured.");
	json_set(r, "comparison", json_obj());
	sentence_is(r, "Starfall daily 30 Nov: shop uses 18 % more memory "
		       "(412→486 MiB), 2nd day. Rest unchanged. 9/9 screens "
		       "(1 off-route), measured.");
}

static void
new_is_before_old(void)
{
	cJSON *r = results_load("passed");
	cJSON *list = json_arr(), *creep = regression("shop");
	cJSON *fresh = regression("home");

	json_set_str(creep, "kind", "creep");
	json_push(list, creep);
	json_set_bool(fresh, "new", true);
	json_set_int(fresh, "days", 1);
	json_push(list, fresh);
	results_set(r, "regressions", list);
	sentence_is(r, "Starfall daily 30 Nov: home uses 18 % more memory "
		       "(412→486 MiB). 1 more got worse. 9/9 screens (1 "
		       "off-route), measured.");
}

static void
suspects_and_better_are_no_verdict(void)
{
	cJSON *r = results_load("passed");

	results_set(r, "compared", cJSON_CreateTrue());
	add_line(r, "suspects", "home: load: suspect: 2.03 s");
	add_line(r, "improvements", "shop: load: improvement");
	sentence_is(r, "Starfall daily 30 Nov: fine. 9/9 screens "
		       "(1 off-route), measured, nothing worse.");
}

static void
unmeasured_is_louder_than_worse(void)
{
	cJSON *r = results_load("skipped_busy");
	cJSON *list = json_arr();

	json_push(list, regression("shop"));
	results_set(r, "regressions", list);
	sentence_is(r, "NOTHING MEASURED, 3rd day running. Pixel 6 held by "
		       "qa-team since Fri 18:02.");
}

static void
left_behind_is_said(void)
{
	cJSON *r = results_load("cancelled");
	cJSON *list = json_arr(), *item = json_obj();
	struct verdict v;

	json_set_str(item, "name", "lease");
	json_set_str(item, "message", "release: HTTP 500");
	json_push(list, item);
	results_set(r, "left_behind", list);
	verdict_init(&v, r);
	CHECK_HAS(v.sentence, "LEFT BEHIND: lease.");
	CHECK_HAS(v.todo, "patrol reap");
	CHECK(v.tone == VERDICT_BAD);
	verdict_done(&v);
	cJSON_Delete(r);
}

static void
try_says_start(void)
{
	sentence_is(results_load("try"),
		    "com.example.starfall: started in 2.21 s on Pixel 6, "
		    "memory 210→363 MiB, no crash.");
}

static void
empty_result(void)
{
	struct verdict v;
	cJSON *r = json_obj();

	verdict_init(&v, r);
	CHECK_HAS(v.sentence, "NOTHING MEASURED. No reason was recorded.");
	verdict_done(&v);
	verdict_init(&v, NULL);
	verdict_done(&v);
	cJSON_Delete(r);
}

static void
reasons_differ(void)
{
	for (const struct verdict_reason *a = verdict_reason_table; a->code;
	     a++) {
		CHECK(verdict_reason(a->code) == a);
		CHECK(a->words && a->cure);
	}
	CHECK(verdict_reason("no such") == NULL);
	CHECK(verdict_reason(NULL) == NULL);
}

/* Whatever an error carries: a result says one of the table. */
static void
code_is(enum err_code code, const char *reason, const char *expected)
{
	struct err err = ERR_INIT;

	err_set(&err, code, "it failed");
	if (reason)
		(void)err_reason(&err, reason);
	CHECK(verdict_reason(verdict_code(&err)) != NULL);
	if (expected)
		CHECK_STR(verdict_code(&err), expected);
}

static void
each_error_has_one(void)
{
	for (int c = ERR_USAGE; c <= ERR_BUSY; c++)
		code_is((enum err_code)c, NULL, NULL);
	code_is(ERR_REMOTE, "INSTALL_FAILED_OLDER_SDK", "install_failed");
	code_is(ERR_REMOTE, "INSTALL_PARSE_FAILED_NOT_APK", "install_failed");
	code_is(ERR_REMOTE, "Timeout", "app_timeout");
	code_is(ERR_REMOTE, "NotInteractable", "app_refused");
	code_is(ERR_REMOTE, "RemoteError", "app_refused");
	code_is(ERR_BUSY, "device_busy", "device_busy");
}

static void
documented(void)
{
	AUTO_BUF struct buf doc = BUF_INIT;
	struct err err = ERR_INIT;

	REQUIRE(file_read("docs/result.md", &doc, &err) == 0);
	for (const struct verdict_reason *r = verdict_reason_table; r->code;
	     r++) {
		AUTO_FREE char *row = mem_fmt("\n| `%s` | %s | %s |\n", r->code,
					      r->words, r->cure);

		CHECK_HAS(doc.data, row);
	}
}

static void
line_is(const char *text, size_t max, const char *expected)
{
	AUTO_BUF struct buf b = BUF_INIT;

	present_line(&b, text, max);
	CHECK_STR(b.data, expected);
}

static void
lines(void)
{
	line_is("a\nb\r\n\x1b[31mc", 0, "a b [31mc");
	line_is("\xff\xfe", 0, "\xEF\xBF\xBD\xEF\xBF\xBD");
	line_is("abcdef", 4, "abc…");
	line_is("abcd", 4, "abcd");
	/* A character beyond the BMP counts twice and is never halved. */
	line_is("ab\xF0\x9F\x8E\xAE\xF0\x9F\x8E\xAE", 4, "ab…");
	line_is("a\xE2\x80\xAE"
		"b",
		0, "a b");
}

static void
dates(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	present_since(&b, "2026-11-27T18:02:00Z", "2026-11-30T09:00:00Z");
	CHECK_STR(b.data, "Fri 18:02");
	buf_clear(&b);
	present_since(&b, "2026-11-01T18:02:00Z", "2026-11-30T09:00:00Z");
	CHECK_STR(b.data, "1 Nov 18:02");
	buf_clear(&b);
	present_date(&b, "garbage");
	present_date(&b, "2026-13-01T00:00:00Z");
	present_date(&b, NULL);
	CHECK_STR(b.data, "");
}

static void
urls(void)
{
	CHECK(present_url("https://a/b?c=d&e") != NULL);
	CHECK(present_url("javascript:alert(1)") == NULL);
	CHECK(present_url("https://a/\"onclick=") == NULL);
	CHECK(present_url("https://a|b") == NULL);
	CHECK(present_file("screens/01-a.png") != NULL);
	CHECK(present_file("../secret") == NULL);
	CHECK(present_file("a/../../b") == NULL);
	CHECK(present_file("/etc/passwd") == NULL);
	CHECK(present_file("a/..b") != NULL);
}

CHECK_MAIN(
	CHECK_CASE("a fine day is one sentence", fine_day),
	CHECK_CASE("nothing worse is said only after a comparison",
		   nothing_worse_is_compared),
	CHECK_CASE("a busy phone: who holds it, since when, which day",
		   who_holds_it),
	CHECK_CASE("a failed upload is said first", upload_failed),
	CHECK_CASE("half a snapshot has a cure of its own", half_a_snapshot),
	CHECK_CASE("a crash names its screen", crash_names_screen),
	CHECK_CASE("passed without a measurement is no good day",
		   passed_unmeasured_is_not_good),
	CHECK_CASE("a regression is the first thing said", worse_is_first),
	CHECK_CASE("what got worse is said as people say it", changes_in_words),
	CHECK_CASE("the rest is unchanged only where nothing else moved",
		   the_rest_is_unchanged),
	CHECK_CASE("what is new is said before what was said",
		   new_is_before_old),
	CHECK_CASE("suspects and improvements are in no first line",
		   suspects_and_better_are_no_verdict),
	CHECK_CASE("a day without a measurement is louder than a regression",
		   unmeasured_is_louder_than_worse),
	CHECK_CASE("what was left behind is said", left_behind_is_said),
	CHECK_CASE("a try says how it started", try_says_start),
	CHECK_CASE("an empty result has a verdict", empty_result),
	CHECK_CASE("each reason has words and a cure", reasons_differ),
	CHECK_CASE("whatever an error carries, the result's reason has a cure",
		   each_error_has_one),
	CHECK_CASE("each reason is documented", documented),
	CHECK_CASE("text of others becomes one clean line", lines),
	CHECK_CASE("dates", dates),
	CHECK_CASE("addresses and files that may be linked", urls), )
