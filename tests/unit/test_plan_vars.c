#include "plan/plan_vars.h"

#include "base/json.h"
#include "base/mem.h"
#include "check.h"

static const struct plan_pair given[] = {
	{.key = "USER", .value = "mira"},
	{.key = "USER", .value = "last \"wins\""},
};

static struct plan_vars
vars(void)
{
	struct plan_vars v = PLAN_VARS_INIT;

	v.commit = "0a1b2c";
	v.run_id = "4242";
	v.screen = "home";
	v.n = 2;
	v.gc_bytes = 2000000;
	v.var = given;
	v.var_count = 2;
	return v;
}

static void
text_gives(const char *text, const char *want)
{
	AUTO_BUF struct buf out = BUF_INIT;
	struct plan_vars v = vars();
	struct err err = ERR_INIT;

	if (plan_vars_text(text, &v, &out, &err))
		CHECK_HAS(err.msg, want);
	else
		CHECK_STR(out.data, want);
}

static void
js_gives(const char *code, const char *want)
{
	AUTO_BUF struct buf out = BUF_INIT;
	struct plan_vars v = vars();
	struct err err = ERR_INIT;

	if (plan_vars_js(code, &v, &out, &err))
		CHECK_HAS(err.msg, want);
	else
		CHECK_STR(out.data, want);
}

static void
names_in_text(void)
{
	text_gives("{screen}-{commit}-{n}", "home-0a1b2c-2");
	text_gives("//UnitList/Cell[0]", "//UnitList/Cell[0]");
	text_gives("{ \"a\": 1 }", "{ \"a\": 1 }");
	text_gives("{var.USER}", "last \"wins\"");
	text_gives("{gpu}", "'{gpu}' is not known here");
	text_gives("{comit}", "did you mean '{commit}'?");
	text_gives("{var.OTHER}", "give it with --var OTHER=VALUE");
}

static void
names_in_javascript(void)
{
	js_gives("Take({screen}, {gc_bytes})", "Take(\"home\", 2000000)");
	js_gives("f({var.USER})", "f(\"last \\\"wins\\\"\")");
	js_gives("f('{screen}')", "inside a string of JavaScript");
	js_gives("f(`{screen}`)", "inside a template");
	js_gives("/{screen}/", "inside a regular expression");
	js_gives("x => {other}", "x => {other}");
}

/* Two characters of JSON would end a line of ES5. */
static void
no_value_breaks_out(void)
{
	struct plan_vars v = vars();
	AUTO_BUF struct buf out = BUF_INIT;
	struct err err = ERR_INIT;

	v.screen = "a\xE2\x80\xA8"
		   "b\xE2\x80\xA9\"\\\n'</script>\x01";
	REQUIRE(plan_vars_js("f({screen})", &v, &out, &err) == 0);
	CHECK_STR(out.data, "f(\"a\\u2028b\\u2029\\\"\\\\\\n'</script>\\u0001\""
			    ")");
	buf_clear(&out);
	v.screen = "\xE2\x80";
	CHECK(plan_vars_js("f({screen})", &v, &out, &err) == 0);
}

static void
secrets_come_from_the_environment(void)
{
	(void)unsetenv("PATROL_SECRET_PW");
	text_gives("{secret.PW}", "set PATROL_SECRET_PW in the environment");
	(void)setenv("PATROL_SECRET_PW", "hunter2'\"", 1);
	text_gives("{secret.PW}", "hunter2'\"");
	js_gives("login({secret.PW})", "login(\"hunter2'\\\"\")");
	(void)unsetenv("PATROL_SECRET_PW");
}

static void
values_within_arguments(void)
{
	cJSON *args = cJSON_Parse("[\"{commit}\", 3, {\"k\": [\"{n}\"]}]");
	struct plan_vars v = vars();
	struct err err = ERR_INIT;
	cJSON *out;
	char *text;

	REQUIRE(plan_vars_args(args, &v, &out, &err) == 0);
	text = json_text(out);
	CHECK_STR(text, "[\"0a1b2c\",3,{\"k\":[\"2\"]}]");
	free(text);
	cJSON_Delete(out);
	cJSON_Delete(args);
	REQUIRE(plan_vars_args(NULL, &v, &out, &err) == 0);
	CHECK(cJSON_GetArraySize(out) == 0);
	cJSON_Delete(out);
	args = cJSON_Parse("[\"{device}\"]");
	CHECK(plan_vars_args(args, &v, &out, &err) == -1);
	cJSON_Delete(args);
}

static void
options_give_pairs(void)
{
	struct err err = ERR_INIT;
	struct plan_pair p;
	char *name = NULL;

	CHECK(plan_vars_parse("A_1=x=y", &p, &name, &err) == 0);
	CHECK_STR(p.key, "A_1");
	CHECK_STR(p.value, "x=y");
	free(name);
	CHECK(plan_vars_parse("=x", &p, &name, &err) == -1);
	CHECK(plan_vars_parse("A", &p, &name, &err) == -1);
	CHECK(plan_vars_parse("1A=x", &p, &name, &err) == -1);
	CHECK(plan_vars_parse("A B=x", &p, &name, &err) == -1);
	CHECK(err.code == ERR_USAGE);
}

CHECK_MAIN(CHECK_CASE("names in text become values", names_in_text),
	   CHECK_CASE("names in JavaScript become literals",
		      names_in_javascript),
	   CHECK_CASE("no value breaks out of its literal",
		      no_value_breaks_out),
	   CHECK_CASE("secrets come from the environment",
		      secrets_come_from_the_environment),
	   CHECK_CASE("values are replaced within arguments",
		      values_within_arguments),
	   CHECK_CASE("an option gives a pair", options_give_pairs), )
