#include "series/series.h"
#include "tests/unit/check.h"

static struct series s;
static struct err err;

static int
parse(const char *text)
{
	series_done(&s);
	err_clear(&err);
	return series_parse(&s, text, strlen(text), "dir/loads.csv", &err);
}

static void
json_is_read(void)
{
	REQUIRE(parse("{\"name\": \"load\", \"lower_is_better\": false, "
		      "\"points\": [{\"t\": 1, \"value\": 2.5}, {\"t\": 2, "
		      "\"value\": null}, {\"t\": 3}, {\"value\": 4}]}") == 0);
	CHECK_STR(s.name, "load");
	CHECK(!s.lower_is_better && s.count == 2 && s.points == 4);
	CHECK(s.value[0] == 2.5 && s.point[0] == 0);
	CHECK(s.value[1] == 4 && s.point[1] == 3);
}

static void
lines_are_read(void)
{
	REQUIRE(parse("t,value\n2026-11-01,12\n2026-11-02,\n"
		      "2026-11-03, 1.5e1 \r\n\n4,nan\n5,7") == 0);
	CHECK_STR(s.name, "loads.csv");
	CHECK(s.lower_is_better && s.count == 3 && s.points == 5);
	CHECK(s.value[1] == 15 && s.point[1] == 2);
	CHECK(s.value[2] == 7 && s.point[2] == 4);
}

static void
bare_numbers_are_lines(void)
{
	REQUIRE(parse("1\n2\n3\n") == 0);
	CHECK(s.count == 3);
}

static void
what_is_wrong_is_named(void)
{
	CHECK(parse("t,value\n1,2\n2,abc\n") == -1);
	CHECK_HAS(err.msg, "line 3");
	CHECK(parse("{\"points\": [{\"value\": 1}, {\"value\": \"x\"}]}") ==
	      -1);
	CHECK_HAS(err.msg, "point 1");
	CHECK(parse("{\"points\": [7]}") == -1);
	CHECK(parse("{\"other\": 1}") == -1);
	CHECK_HAS(err.msg, "no 'points'");
	CHECK(parse("[1, 2]") == -1);
	CHECK(parse("") == -1);
	CHECK(parse("only words\n") == -1);
	CHECK(parse("1,1e999\n2,1e999\n") == -1);
	CHECK(parse("{\"points\": [{\"value\": 1}") == -1);
	CHECK(s.name == NULL && s.value == NULL);
}

CHECK_MAIN(CHECK_CASE("a JSON series is read, runs without a value left out",
		      json_is_read),
	   CHECK_CASE("lines t,value are read, the heading too",
		      lines_are_read),
	   CHECK_CASE("bare numbers are lines", bare_numbers_are_lines),
	   CHECK_CASE("what is wrong is named by its place",
		      what_is_wrong_is_named), )
