#include "history/history_record.h"

#include "base/mem.h"
#include "history/history_tag.h"
#include "tests/unit/check.h"

static struct err err;

/* A record of one of the tree's example results. */
static cJSON *
record_of(const char *name)
{
	AUTO_FREE char *path = mem_fmt("tests/data/results/%s.json", name);
	AUTO_JSON cJSON *result = NULL;

	err_clear(&err);
	if (json_read_file(path, 16 << 20, &result, &err))
		return NULL;
	return history_record_of(result);
}

static const cJSON *
metric_of(const cJSON *record, const char *name, const char *kind)
{
	const cJSON *m;

	cJSON_ArrayForEach(m, json_get(record, "metrics"))
	{
		if (strcmp(json_str(m, "name", ""), name) == 0)
			return cJSON_GetObjectItemCaseSensitive(m, kind);
	}
	return NULL;
}

static cJSON *
of_text(const char *text)
{
	AUTO_JSON cJSON *result = NULL;

	err_clear(&err);
	if (json_parse(text, strlen(text), "test", &result, &err))
		return NULL;
	return history_record_of(result);
}

#define WALKED                                                             \
	"\"kind\": \"run\", \"outcome\": \"passed\", \"measured\": true, " \
	"\"ended_at\": \"2026-11-30T10:46:00Z\", "

static void
a_run_is_valid_and_a_day_without_one_is_kept(void)
{
	AUTO_JSON cJSON *passed = record_of("passed");
	AUTO_JSON cJSON *skipped = record_of("skipped_busy");

	REQUIRE(passed && skipped);
	CHECK(json_bool(passed, "valid", false));
	CHECK(metric_of(passed, "load", "values") != NULL);
	CHECK(!json_bool(skipped, "valid", true));
	CHECK_STR(json_str(skipped, "invalid", ""), "skipped");
	CHECK(*json_str(skipped, "message", "") != '\0');
}

static void
what_was_reached_off_route_does_not_count(void)
{
	AUTO_JSON cJSON *r = of_text(
		"{" WALKED "\"screens\": ["
		"{\"name\": \"a\", \"status\": \"visited\", \"settle_ms\": 5,"
		" \"attempts\": [{\"at_ms\": 1}]},"
		"{\"name\": \"b\", \"status\": \"visited\", \"settle_ms\": 6,"
		" \"off_route\": true, \"attempts\": [{\"at_ms\": 2}]}],"
		"\"transitions\": ["
		"{\"from\": \"x\", \"to\": \"a\", \"status\": \"ok\","
		" \"at_ms\": 1, \"ms\": 10},"
		"{\"from\": \"a\", \"to\": \"b\", \"status\": \"ok\","
		" \"at_ms\": 2, \"ms\": 20}]}");
	const cJSON *unused;

	REQUIRE(r);
	CHECK(json_num(metric_of(r, "load", "values"), "x>a", 0) == 10);
	unused = cJSON_GetObjectItemCaseSensitive(
		metric_of(r, "load", "unused"), "a>b");
	REQUIRE(unused);
	CHECK(cJSON_GetArrayItem(unused, 0)->valuedouble == 20);
	CHECK_STR(cJSON_GetArrayItem(unused, 1)->valuestring, "off_route");
	CHECK(json_num(metric_of(r, "settle", "values"), "a", 0) == 5);
	CHECK(json_get(metric_of(r, "settle", "unused"), "b") != NULL);
}

static void
a_throttled_run_is_not_compared(void)
{
	AUTO_JSON cJSON *r = of_text(
		"{" WALKED "\"screens\": [{\"name\": \"a\", \"status\": "
		"\"visited\"}], \"timeline\": [{\"at_ms\": 5, "
		"\"thermal_status\": 0, \"battery_c\": 31}, {\"at_ms\": 700, "
		"\"thermal_status\": 2}]}");
	const cJSON *whole;

	REQUIRE(r);
	CHECK_STR(json_str(r, "invalid", ""), "throttled");
	whole = cJSON_GetObjectItemCaseSensitive(
		metric_of(r, "throttled_after", "values"), "");
	CHECK(whole && whole->valuedouble == 700);
	CHECK(json_num(r, "start_c", 0) == 31);
}

static void
what_patrol_disturbed_is_no_stall(void)
{
	AUTO_JSON cJSON *r = of_text(
		"{" WALKED "\"screens\": [{\"name\": \"b\", \"status\": "
		"\"visited\"}], \"transitions\": [{\"from\": \"a\", \"to\": "
		"\"b\", \"status\": \"ok\", \"ms\": 9}], \"captures\": "
		"{\"profiler\": {\"status\": \"pulled\", \"spikes\": ["
		"{\"ms\": 400, \"from\": \"a\", \"screen\": \"b\"},"
		"{\"ms\": 310, \"from\": \"a\", \"screen\": \"b\"},"
		"{\"ms\": 900, \"from\": \"a\", \"screen\": \"b\","
		" \"disturbed_by\": \"snapshot\"}]}}}");

	REQUIRE(r);
	CHECK(json_num(metric_of(r, "stalls", "values"), "a>b", 0) == 2);
	CHECK(json_num(metric_of(r, "worst_frame", "values"), "a>b", 0) == 400);
	CHECK(json_num(metric_of(r, "captures_missing", "values"), "profiler",
		       9) == 0);
}

static void
stalls_off_the_route_do_not_count_and_none_is_a_number(void)
{
	AUTO_JSON cJSON *r =
		of_text("{" WALKED "\"screens\": ["
			"{\"name\": \"a\", \"status\": \"visited\"},"
			"{\"name\": \"b\", \"status\": \"visited\", "
			"\"off_route\": true, \"attempts\": [{\"at_ms\": 2}]}],"
			"\"transitions\": [{\"from\": \"a\", \"to\": \"b\", "
			"\"status\": \"ok\", \"at_ms\": 2, \"ms\": 9}],"
			"\"captures\": {\"profiler\": {\"status\": \"pulled\", "
			"\"spikes\": [{\"ms\": 400, \"from\": \"a\", "
			"\"screen\": \"b\"}]}}}");
	const cJSON *one;

	REQUIRE(r);
	one = cJSON_GetObjectItemCaseSensitive(metric_of(r, "stalls", "unused"),
					       "a>b");
	REQUIRE(one);
	CHECK(cJSON_GetArrayItem(one, 0)->valuedouble == 1);
	CHECK_STR(cJSON_GetArrayItem(one, 1)->valuestring, "off_route");
	CHECK(cJSON_GetObjectItemCaseSensitive(
		metric_of(r, "worst_frame", "unused"), "a>b"));
	CHECK(json_num(metric_of(r, "stalls", "values"), "a", 9) == 0);
}

static void
what_is_measured_twice_has_two_names(void)
{
	AUTO_JSON cJSON *r = of_text(
		"{" WALKED "\"screens\": ["
		"{\"name\": \"a\", \"status\": \"visited\", \"settle_ms\": 1},"
		"{\"name\": \"a\", \"status\": \"visited\", \"settle_ms\": 2}"
		"]}");

	REQUIRE(r);
	CHECK(json_num(metric_of(r, "settle", "values"), "a", 0) == 1);
	CHECK(json_num(metric_of(r, "settle", "values"), "a (2)", 0) == 2);
}

static void
a_record_is_the_same_once_it_was_stored(void)
{
	AUTO_JSON cJSON *r = record_of("passed");
	AUTO_JSON cJSON *again = NULL;
	struct history_entry e, f;
	int64_t at_s;

	REQUIRE(r);
	history_record_entry(r, &e);
	CHECK(history_id_parse(e.id, &at_s));
	CHECK(at_s == history_record_at(r));
	REQUIRE(history_record_parse(e.id, e.text, e.len, &again, &err) == 0);
	history_record_entry(again, &f);
	CHECK_STR(f.id, e.id);
	CHECK_STR(f.text, e.text);
	history_entry_done(&e);
	history_entry_done(&f);
}

static int
parse(const char *text)
{
	AUTO_JSON cJSON *r = NULL;

	err_clear(&err);
	return history_record_parse("20261130T104600Z-1-00000000", text,
				    strlen(text), &r, &err);
}

#define HEAD                                                \
	"\"id\": \"20261130T104600Z-1-00000000\", \"at\": " \
	"\"2026-11-30T10:46:00Z\", \"key\": {}, "

static void
what_is_no_record_is_refused(void)
{
	CHECK(parse("{\"schema_version\": 1, " HEAD "\"metrics\": []}") == 0);
	CHECK(parse("{\"schema_version\": 1, " HEAD "\"metrics\": [") == -1);
	CHECK(parse("") == -1);
	CHECK(parse("{\"schema_version\": 1, " HEAD "\"metrics\": [{\"name\": "
		    "\"x\", \"values\": {\"a\": \"1\"}}]}") == -1);
	CHECK_HAS(err.msg, "is no number");
	CHECK(parse("{\"schema_version\": 1, " HEAD "\"metrics\": [{\"name\": "
		    "\"x\", \"values\": {\"a\": 1e999}}]}") == -1);
	CHECK(parse("{\"schema_version\": 1, \"id\": \"another\", \"metrics\": "
		    "[]}") == -1);
	CHECK(parse("{\"schema_version\": 2, " HEAD "\"metrics\": []}") == -1);
	CHECK(err_is(&err, "newer_schema"));
}

static void
ids_have_one_form(void)
{
	int64_t at_s;

	CHECK(history_id_parse("20261130T104600Z-4242-1f9a04c2", &at_s));
	CHECK(!history_id_parse("20261330T104600Z-4242-1f9a04c2", &at_s));
	CHECK(!history_id_parse("20261130T104600Z-../../x", &at_s));
	CHECK(!history_id_parse("20261130T104600Z-", &at_s));
	CHECK(!history_id_parse("", &at_s));
}

/* Whose runs it belongs to is in the id, and nothing else of the record. */
static void
an_id_tells_title_and_key(void)
{
	static const char of_day[] =
		"{\"at\": \"2026-11-%02dT10:46:00Z\", \"run_id\": \"%d\","
		" \"title\": \"%s\", \"valid\": true, \"key\": "
		"{\"model\": \"m\", \"os\": \"%s\"}, \"metrics\": []}";
	static const struct {
		const char *title, *os;
	} runs[] = {{"a", "14"}, {"a", "14"}, {"a", "15"}, {"b", "14"}};
	struct history_tag tag[4];

	for (int i = 0; i < 4; i++) {
		AUTO_FREE char *text =
			mem_fmt(of_day, i + 1, i, runs[i].title, runs[i].os);
		AUTO_JSON cJSON *r = NULL;
		struct history_entry e;

		REQUIRE(json_parse(text, strlen(text), "t", &r, &err) == 0);
		history_record_entry(r, &e);
		CHECK(history_tag_parse(e.id, &tag[i]));
		history_entry_done(&e);
	}
	CHECK(history_tag_same(&tag[0], &tag[1]));
	CHECK(!history_tag_same(&tag[0], &tag[2]));
	CHECK(history_tag_same_title(&tag[0], &tag[2]));
	CHECK(!history_tag_same(&tag[0], &tag[3]));
	CHECK(!history_tag_parse("20261130T104600Z-4242-1f9a04c2", &tag[0]));
	CHECK(!history_tag_parse("x.5b1ec07d19aa", &tag[0]));
}

CHECK_MAIN(CHECK_CASE("an id tells title and key, and an old one none",
		      an_id_tells_title_and_key),
	   CHECK_CASE("a run is valid, and a day without one is kept",
		      a_run_is_valid_and_a_day_without_one_is_kept),
	   CHECK_CASE("what was reached off-route does not count",
		      what_was_reached_off_route_does_not_count),
	   CHECK_CASE("a throttled run is not compared",
		      a_throttled_run_is_not_compared),
	   CHECK_CASE("stalls off the route do not count, and none is a "
		      "number",
		      stalls_off_the_route_do_not_count_and_none_is_a_number),
	   CHECK_CASE("what patrol disturbed is no stall",
		      what_patrol_disturbed_is_no_stall),
	   CHECK_CASE("what is measured twice has two names",
		      what_is_measured_twice_has_two_names),
	   CHECK_CASE("a record is the same once it was stored",
		      a_record_is_the_same_once_it_was_stored),
	   CHECK_CASE("what is no record is refused",
		      what_is_no_record_is_refused),
	   CHECK_CASE("ids have one form", ids_have_one_form), )
