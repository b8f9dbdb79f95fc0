#include "check.h"
#include "report/summary.h"
#include "results.h"

static char *
summary_of(const cJSON *result)
{
	struct buf b = BUF_INIT;

	summary_write(result, &b);
	return buf_take(&b);
}

static void
verdict_first(void)
{
	AUTO_JSON cJSON *r = results_load("skipped_busy");
	AUTO_FREE char *s = summary_of(r);

	CHECK(strncmp(s, "### NOTHING MEASURED\n", 21) == 0);
	CHECK_HAS(s, "held by qa-team since Fri 18:02");
	CHECK_HAS(s, "**To do:** ");
}

static void
table_of_screens(void)
{
	AUTO_JSON cJSON *r = results_load("passed");
	AUTO_FREE char *s = summary_of(r);

	CHECK_HAS(s, "| 6 | battle | visited | 3.92 s |");
	CHECK_HAS(s, "off-route: login bonus closed on the way |");
	CHECK_HAS(s, "71 of 43,212 frames kept. 812 graphics states.");
	CHECK_HAS(s, "[Dashboard](https://perf.example.com/");
}

static void
escaped(const char *text, const char *expected)
{
	AUTO_BUF struct buf b = BUF_INIT;

	summary_escape(&b, text);
	CHECK_STR(b.data, expected);
}

static void
means_nothing(void)
{
	escaped("a|b", "a\\|b");
	escaped("<img src=x>", "&lt;img src=x&gt;");
	escaped("[x](javascript:y)", "\\[x\\](javascript:y)");
	escaped("`$(rm)` *b* _c_ ~d~", "\\`$(rm)\\` \\*b\\* \\_c\\_ \\~d\\~");
	escaped("# no heading", "\\# no heading");
	escaped("1. no list", "1\\. no list");
	escaped("- no list", "\\- no list");
	escaped("@somebody", "&#64;somebody");
	escaped("a\nb\r\n\n# c", "a b # c");
	escaped("https://x", "https\\://x");
	escaped("a\\b &amp;", "a\\\\b &amp;amp;");
}

static void
bounded(void)
{
	AUTO_JSON cJSON *r = results_load("failed_crash");
	AUTO_BUF struct buf name = BUF_INIT;
	cJSON *screens = json_arr(), *list = json_arr(), *errors = json_arr();

	for (int i = 0; i < 3000; i++)
		buf_str(&name, "<&|*");
	for (int i = 0; i < 5000; i++) {
		cJSON *s = json_obj(), *g = json_obj(), *e = json_obj();

		json_set_str(s, "name", name.data);
		json_set_str(s, "status", "unreached");
		json_set_str(s, "message", name.data);
		json_push(screens, s);
		json_set_str(g, "metric", name.data);
		json_set_str(g, "screen", name.data);
		json_push(list, g);
		json_set_str(e, "message", name.data);
		json_set_str(e, "where", name.data);
		json_push(errors, e);
	}
	results_set(r, "screens", screens);
	results_set(r, "regressions", list);
	results_set(r, "errors", errors);
	results_set_str(r, "title", name.data);
	AUTO_FREE char *s = summary_of(r);
	CHECK(strlen(s) <= SUMMARY_MAX);
	CHECK_HAS(s, "more in the report");
}

static void
what_changed(void)
{
	AUTO_JSON cJSON *r = results_load("passed");
	AUTO_JSON cJSON *more = cJSON_Parse(
		"{\"regressions\":[{\"metric\":\"load\",\"screen\":"
		"\"home>shop\",\"unit\":\"ms\",\"before\":1840,\"after\":2208,"
		"\"last_good\":\"a0f9e8d7\",\"first_bad\":\"a1b2c3d4\",\"url\":"
		"\"https://github.com/a/b/issues/318\"}],"
		"\"comparison\":{\"suspects\":[\"unit: load <x>\"],"
		"\"improvements\":[\"home: settle\"]},\"pull_requests\":["
		"{\"number\":77,\"url\":\"https://github.com/a/b/pull/77\"}]}");

	while (more->child) {
		cJSON *item = cJSON_DetachItemViaPointer(more, more->child);
		AUTO_FREE char *name = mem_strdup(item->string);

		results_set(r, name, item);
	}
	AUTO_FREE char *s = summary_of(r);
	CHECK_HAS(s, "- shop takes 20 % longer to load (1.84→2.21 s) "
		     "a0f9e8d..a1b2c3d "
		     "[issue](https://github.com/a/b/issues/318)");
	CHECK_HAS(s, "**Suspect, not confirmed**\n\n- unit: load &lt;x&gt;");
	CHECK_HAS(s, "**Better**\n\n- home: settle");
	CHECK_HAS(s, "[Pull request #77](https://github.com/a/b/pull/77)");
}

static void
nothing_crashes(void)
{
	AUTO_JSON cJSON *empty = json_obj();
	AUTO_FREE char *a = summary_of(empty);
	AUTO_FREE char *b = summary_of(NULL);

	CHECK_HAS(a, "NOTHING MEASURED");
	CHECK_HAS(b, "NOTHING MEASURED");
	for (size_t i = 0; results_names[i]; i++) {
		AUTO_JSON cJSON *r = results_load(results_names[i]);
		AUTO_FREE char *s = summary_of(r);

		CHECK_HAS(s, "###");
	}
}

CHECK_MAIN(CHECK_CASE("what changed is told with its links", what_changed),
	   CHECK_CASE("the verdict is first", verdict_first),
	   CHECK_CASE("the screens are a table", table_of_screens),
	   CHECK_CASE("text of others means nothing in Markdown",
		      means_nothing),
	   CHECK_CASE("5,000 of everything stay within 512 KiB", bounded),
	   CHECK_CASE("every sample and an empty result have a summary",
		      nothing_crashes), )
