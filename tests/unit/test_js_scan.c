#include "plan/js_scan.h"

#include "base/buf.h"
#include "check.h"

static bool
ours(const char *name, size_t len)
{
	return (len == 1 && *name == 'n') ||
	       (len == 6 && memcmp(name, "screen", 6) == 0) ||
	       (len > 7 && memcmp(name, "secret.", 7) == 0);
}

/* The places of all holes: "c" code, "s" string, "t" template, "r" regex. */
static void
places(const char *code, const char *want)
{
	AUTO_BUF struct buf got = BUF_INIT;
	struct js_scan s;
	struct js_hole h;

	js_scan_init(&s, code, strlen(code), ours);
	while (js_scan_next(&s, &h)) {
		buf_chr(&got, "cstr"[h.place]);
		CHECK(code[h.offset] == '{');
		if (h.place != JS_CODE)
			break;
	}
	if (strcmp(got.data, want) != 0)
		printf("# in: %s\n", code);
	CHECK_STR(got.data, want);
}

static void
code_is_code(void)
{
	places("f({n})", "c");
	places("f({n}, {screen}, {secret.KEY})", "ccc");
	places("{n}", "c");
	places("var o = {n: {screen}};", "c");
	places("f({other}, { n }, {n.})", "");
	places("x = {n}/2/{n}", "cc");
	places("if (a) { return {n} }", "c");
}

static void
strings_are_strings(void)
{
	places("f('{n}')", "s");
	places("f(\"a {screen} b\")", "s");
	places("f('it\\'s', {n})", "c");
	places("f('it\\'s {n}')", "s");
	places("f('{other}', {n})", "c");
	/* A string ends with its line, whatever else is wrong with it. */
	places("f('open\n{n}", "c");
	places("f('line\\\n{n}')", "s");
	places("'a' + {n} + \"b\"", "c");
}

static void
comments_are_left_alone(void)
{
	places("// {n}\n{n}", "c");
	places("/* {n} ' */ {n}", "c");
	places("/* {n}", "");
	places("a /* x */ / {n} /* y */", "c");
	places("'//' + {n}", "c");
}

static void
templates_nest(void)
{
	places("`{n}`", "t");
	places("`a ${ {n} } b`", "c");
	places("`a ${ f({n}) } {screen}`", "ct");
	places("`a ${ `b ${ {n} } ` + {n} } `, {n}", "ccc");
	places("`a ${ {x: 1}.x } {n}`", "t");
	places("`\\${ {n} }`", "t");
	places("`\\`{n}`", "t");
	places("`${{n}}`", "c");
}

static void
regular_expressions_are_told_from_divisions(void)
{
	places("x.match(/{n}/)", "r");
	places("x = /'/.test(y) + {n}", "c");
	places("a / b + '{n}'", "s");
	places("a / b / {n}", "c");
	places("return /\"/.test(s) || {n}", "c");
	places("x = /[/'\"]/; {n}", "c");
	places("f(x) / 2 + {n} / 3", "c");
	places("a++ / b; '{n}'", "s");
	places("x = a[1] / 2; '{n}'", "s");
	places("typeof /'/; {n}", "c");
}

static void
any_bytes_come_to_an_end(void)
{
	static const char *const odd[] = {
		"`${`${`${`${",	 "`${}}}}}}{n}", "/*",	 "//",	"/",  "'",
		"\"\\",		 "`\\",		 "`$",	 "`${", "{",  "{n",
		"{n.",		 "{.n}",	 "}}}}", "/[",	"++", "+",
		"\xff{n}\xfe'{", "{n}{n}{n}",
	};
	AUTO_BUF struct buf deep = BUF_INIT;

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct js_scan s;
		struct js_hole h;

		js_scan_init(&s, odd[i], strlen(odd[i]), ours);
		while (js_scan_next(&s, &h))
			CHECK(h.offset < strlen(odd[i]));
	}
	for (int i = 0; i < 1000; i++)
		buf_str(&deep, "`${");
	places(deep.data, "");
}

CHECK_MAIN(CHECK_CASE("a name in code is found", code_is_code),
	   CHECK_CASE("a name in a string is told", strings_are_strings),
	   CHECK_CASE("comments are left alone", comments_are_left_alone),
	   CHECK_CASE("templates nest", templates_nest),
	   CHECK_CASE("regular expressions are told from divisions",
		      regular_expressions_are_told_from_divisions),
	   CHECK_CASE("any bytes come to an end", any_bytes_come_to_an_end), )
