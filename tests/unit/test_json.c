#include "base/json.h"

#include <math.h>

#include "base/file.h"
#include "base/mem.h"
#include "check.h"

static cJSON *
parse(const char *text)
{
	struct err err = ERR_INIT;
	cJSON *v = NULL;

	if (json_parse(text, strlen(text), "it", &v, &err))
		printf("# %s\n", err.msg);
	return v;
}

static void
refused(const char *text, size_t len, const char *words)
{
	struct err err = ERR_INIT;
	cJSON *v = NULL;

	CHECK(json_parse(text, len, "it", &v, &err) == -1);
	CHECK(!v && err.code == ERR_PROTO);
	CHECK_HAS(err.msg, words);
	cJSON_Delete(v);
}

static void
exactly_one_value(void)
{
	AUTO_JSON cJSON *v = parse(" {\"a\":1}\r\n\t ");
	char deep[4001];

	CHECK(v);
	refused("", 0, "it is not JSON");
	refused("{\"a\":}", 6, "it is not JSON (stopped at byte");
	refused("{} x", 4, "it has more after its JSON value (byte 3)");
	refused("{}\0", 3, "more after");
	refused("{\"a\":1", 6, "not JSON");
	refused("[1]]", 4, "more after");
	memset(deep, '[', 4000);
	deep[4000] = '\0';
	refused(deep, 4000, "not JSON");
}

static void
integers_are_exact(void)
{
	AUTO_JSON cJSON *v =
		parse("{\"max\":9007199254740991,\"over\":9007199254740993,"
		      "\"two53\":9007199254740992,\"min\":-9007199254740991,"
		      "\"half\":1.5,\"huge\":1e999,\"text\":\"7\",\"e\":1e3}");

	REQUIRE(v);
	CHECK(json_int(v, "max", -1) == 9007199254740991);
	CHECK(json_int(v, "min", -1) == -9007199254740991);
	CHECK(json_int(v, "over", -1) == -1);
	CHECK(json_int(v, "two53", -1) == -1);
	CHECK(json_int(v, "half", -1) == -1);
	CHECK(json_int(v, "huge", -1) == -1);
	CHECK(json_int(v, "text", -1) == -1);
	CHECK(json_int(v, "e", -1) == 1000);
	CHECK(json_num(v, "half", 0) == 1.5);
	CHECK(json_num(v, "huge", 2) == 2);
}

static void
paths(void)
{
	AUTO_JSON cJSON *v = parse("{\"a\":{\"b\":{\"c\":\"x\"},\"B\":true,"
				   "\"n\":null,\"l\":[1,2]},\"A\":\"other\"}");

	REQUIRE(v);
	CHECK_STR(json_str(v, "a.b.c", NULL), "x");
	CHECK_STR(json_str(v, "A", NULL), "other");
	CHECK(!json_str(v, "a.b.c.d", NULL));
	CHECK(!json_get(v, "a.x"));
	CHECK(!json_get(v, "aa") && !json_get(v, "a.b.cc"));
	CHECK(json_get(v, "") == v);
	CHECK(json_bool(v, "a.B", false) && !json_bool(v, "a.b", false));
	CHECK_STR(json_str(v, "a.n", "fallback"), "fallback");
	CHECK(json_count(v, "a.l") == 2 && json_count(v, "a") == 0);
	CHECK(!json_get(NULL, "a") && json_int(NULL, "a", 5) == 5);
	CHECK(!json_get(json_get(v, "a.l"), "0"));
}

static void
strict_readers_name_the_field(void)
{
	AUTO_JSON cJSON *v = parse("{\"a\":{\"s\":\"x\",\"n\":3,\"h\":0.5}}");
	struct err err = ERR_INIT;
	const char *s = "untouched";
	int64_t n = -7;

	REQUIRE(v);
	CHECK(json_need_str(v, "a.n", "the phone", &s, &err) == -1);
	CHECK_STR(err.msg, "the phone: 'a.n' is not a string");
	CHECK(json_need_str(v, "a.z", "the phone", &s, &err) == -1);
	CHECK_STR(err.msg, "the phone: 'a.z' is missing");
	CHECK_STR(s, "untouched");
	CHECK(json_need_int(v, "a.h", "it", &n, &err) == -1);
	CHECK_STR(err.msg, "it: 'a.h' is not an integer");
	CHECK(json_need_int(v, "b", "it", &n, &err) == -1);
	CHECK(n == -7);
	CHECK(json_need_str(v, "a.s", "it", &s, &err) == 0);
	CHECK(json_need_int(v, "a.n", "it", &n, &err) == 0);
	CHECK_STR(s, "x");
	CHECK(n == 3);
}

static void
ids_of_both_kinds(void)
{
	AUTO_JSON cJSON *v = parse("{\"n\":4242,\"s\":\"x7\",\"f\":1.5}");
	char *n = json_id(v, "n"), *s = json_id(v, "s");

	CHECK_STR(n, "4242");
	CHECK_STR(s, "x7");
	CHECK(!json_id(v, "f") && !json_id(v, "none"));
	free(n);
	free(s);
}

static void
set_twice_is_set_once(void)
{
	cJSON *o = json_obj();
	char *text;

	json_set_int(o, "a", 1);
	json_set_str(o, "b", "x");
	json_set_str(o, "a", "again");
	json_set_num(o, "b", 0.5);
	json_set_bool(o, "b", true);
	json_set(o, "b", json_arr());
	json_set_int(o, "A", 3);
	text = json_text(o);
	CHECK_STR(text, "{\"a\":\"again\",\"b\":[],\"A\":3}");
	free(text);
	cJSON_Delete(o);
}

static void
writes_without_loss(void)
{
	cJSON *o = json_obj(), *l = json_arr();
	AUTO_JSON cJSON *again = NULL;
	char *text;

	json_set_int(o, "max", 999999999999999);
	json_set_num(o, "tenth", 0.1);
	json_set_num(o, "nan", NAN);
	json_set_num(o, "inf", -INFINITY);
	json_set_str(o, "null", NULL);
	json_set_str(o, "bad", "a\xff\xc3\xa9\xed\xa0\x80");
	json_push_str(l, "\"\\\n\x01");
	json_set(o, "l", l);
	text = json_text(o);
	CHECK_HAS(text, "\"nan\":null,\"inf\":null,\"null\":null");
	again = parse(text);
	REQUIRE(again);
	CHECK(json_int(again, "max", 0) == 999999999999999);
	CHECK(json_num(again, "tenth", 0) == 0.1);
	CHECK_STR(json_str(again, "bad", NULL),
		  "a\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	CHECK_STR(cJSON_GetArrayItem(json_get(again, "l"), 0)->valuestring,
		  "\"\\\n\x01");
	free(text);
	text = json_pretty(o);
	CHECK(text[0] == '{' && text[strlen(text) - 1] == '\n');
	free(text);
	cJSON_Delete(o);
}

static void
quotes(void)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_JSON cJSON *v = NULL;

	json_quote(&b, "a\"\\\n\t\x1f\x7f\xff\xc3\xa9");
	v = parse(b.data);
	REQUIRE(v);
	CHECK_STR(v->valuestring, "a\"\\\n\t\x1f\x7f\xef\xbf\xbd\xc3\xa9");
}

static void
files(void)
{
	AUTO_FREE char *path = file_join(getenv("TMPDIR"), "x.json");
	struct err err = ERR_INIT;
	cJSON *v = NULL;

	CHECK(json_read_file(path, 100, &v, &err) == -1 &&
	      err.code == ERR_NOTFOUND);
	CHECK(file_write_raw(path, "{\"a\":1}", 7, &err) == 0);
	CHECK(json_read_file(path, 6, &v, &err) == -1 && !v);
	CHECK(json_read_file(path, 7, &v, &err) == 0);
	CHECK(json_int(v, "a", 0) == 1);
	cJSON_Delete(v);
}

CHECK_MAIN(CHECK_CASE("a text is exactly one value, not too deep",
		      exactly_one_value),
	   CHECK_CASE("only exact integers are integers", integers_are_exact),
	   CHECK_CASE("a path finds what it names, in its case", paths),
	   CHECK_CASE("a strict reader names the field and what is wrong",
		      strict_readers_name_the_field),
	   CHECK_CASE("an id may be a number or a string", ids_of_both_kinds),
	   CHECK_CASE("a key that is set twice has the last value at its place",
		      set_twice_is_set_once),
	   CHECK_CASE("what is written reads back the same",
		      writes_without_loss),
	   CHECK_CASE("a quoted string reads back the same", quotes),
	   CHECK_CASE("a file is read within its limit", files), )
