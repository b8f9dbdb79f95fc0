#include "base/present.h"
#include "check.h"
#include "report/slack.h"
#include "results.h"

/* All that Slack would refuse the message for. */
struct sums {
	size_t units, longest;
	bool ok;
};

static bool
entities_whole(const char *s)
{
	for (const char *p = s; (p = strchr(p, '&')); p++)
		if (strncmp(p, "&amp;", 5) != 0 && strncmp(p, "&lt;", 4) != 0 &&
		    strncmp(p, "&gt;", 4) != 0)
			return false;
	return true;
}

/* Each < opens a link of ours that is closed: no mention, nothing cut. */
static bool
links_whole(const char *s)
{
	for (const char *p = s; (p = strchr(p, '<')); p++) {
		const char *end = strchr(p, '>');

		if (strncmp(p, "<http", 5) != 0 || !end || !strchr(p, '|') ||
		    strchr(p, '|') > end)
			return false;
	}
	return true;
}

static void
check_text(const cJSON *v, struct sums *s)
{
	const cJSON *item;

	if (cJSON_IsString(v) && v->string && strcmp(v->string, "text") == 0) {
		size_t n = present_units(v->valuestring);

		s->units += n;
		if (n > s->longest)
			s->longest = n;
		s->ok = s->ok && n > 0 && entities_whole(v->valuestring) &&
			links_whole(v->valuestring);
	}
	if (cJSON_IsObject(v) || cJSON_IsArray(v)) {
		cJSON_ArrayForEach(item, v) check_text(item, s);
	}
}

static void
within_limits(const cJSON *message)
{
	struct sums s = {.ok = true};
	size_t blocks = json_count(message, "blocks");

	check_text(message, &s);
	CHECK(s.ok);
	CHECK(s.longest <= SLACK_SECTION_MAX);
	CHECK(s.units <= SLACK_TOTAL_MAX);
	CHECK(blocks > 0 && blocks <= SLACK_BLOCKS_MAX);
	CHECK(json_str(message, "text", NULL) != NULL);
}

static char *
text_of(const cJSON *message)
{
	struct buf b = BUF_INIT;

	slack_text(message, &b);
	return buf_take(&b);
}

/* E1 */
static void
strict_json(void)
{
	for (size_t i = 0; results_names[i]; i++) {
		AUTO_JSON cJSON *r = results_load(results_names[i]);
		AUTO_JSON cJSON *m = slack_message(r);
		AUTO_FREE char *t = text_of(m);
		AUTO_JSON cJSON *again = NULL;
		struct err err = ERR_INIT;
		size_t n = strlen(t);

		CHECK(t[0] == '{');
		CHECK(n > 2 && t[n - 1] == '\n' && t[n - 2] == '}');
		CHECK(memchr(t, '\n', n - 1) == NULL);
		CHECK(strstr(t, "NaN") == NULL);
		CHECK(json_parse(t, n, "slack", &again, &err) == 0);
		within_limits(m);
	}
}

static cJSON *
with_subject(const char *subject)
{
	cJSON *r = results_load("passed");

	results_set_str(cJSON_GetObjectItem(r, "build"), "subject", subject);
	return r;
}

/* E2 */
static void
templates_untouched(void)
{
	AUTO_JSON cJSON *r = with_subject("fix {{user}} ${{ github.token }}");
	AUTO_JSON cJSON *m = slack_message(r);
	AUTO_FREE char *t = text_of(m);

	CHECK_HAS(t, "fix {{user}} ${{ github.token }}");
}

/* E5 */
static void
nobody_is_pinged(void)
{
	AUTO_JSON cJSON *r = with_subject("a -> b <!channel> & <@U1>");
	AUTO_JSON cJSON *m = slack_message(r);
	AUTO_FREE char *t = text_of(m);

	CHECK_HAS(t, "a -&gt; b &lt;!channel&gt; &amp; &lt;@U1&gt;");
	CHECK(strstr(t, "<!channel>") == NULL);
	within_limits(m);
}

/* E3 */
static void
long_lists_are_cut(void)
{
	AUTO_JSON cJSON *r = results_load("failed_crash");
	AUTO_JSON cJSON *m = NULL;
	AUTO_BUF struct buf name = BUF_INIT;
	cJSON *list = json_arr(), *screens = json_arr(), *warnings = json_arr();

	for (int i = 0; i < 1000; i++)
		buf_str(&name, "\xF0\x9F\x8E\xAE&<>");
	for (int i = 0; i < 500; i++) {
		cJSON *g = json_obj(), *s = json_obj(), *w = json_obj();

		json_set_str(g, "metric", name.data);
		json_set_str(g, "screen", name.data);
		json_set_int(g, "before", 1);
		json_set_int(g, "after", 2);
		json_set_str(g, "url", "https://github.com/a/b/issues/1?a&b");
		json_push(list, g);
		json_set_str(s, "name", name.data);
		json_set_str(s, "status", i % 2 ? "crashed" : "unreached");
		json_set_str(s, "message", name.data);
		json_push(screens, s);
		json_set_str(w, "message", name.data);
		json_push(warnings, w);
	}
	results_set(r, "regressions", list);
	results_set(r, "screens", screens);
	results_set(r, "warnings", warnings);
	results_set_str(r, "message", name.data);
	results_set_str(r, "title", name.data);
	m = slack_message(r);
	within_limits(m);
	AUTO_FREE char *t = text_of(m);
	CHECK_HAS(t, " more\"");
}

/* E6 */
static void
never_empty(void)
{
	AUTO_JSON cJSON *empty = json_obj();
	AUTO_JSON cJSON *a = slack_message(empty);
	AUTO_JSON cJSON *b = slack_message(NULL);
	AUTO_JSON cJSON *c = slack_missing(NULL);
	AUTO_JSON cJSON *d = slack_missing("https://github.com/a/b/runs/1");

	within_limits(a);
	within_limits(b);
	within_limits(c);
	within_limits(d);
	CHECK_HAS(json_str(c, "text", ""), "did not even start");
}

static void
verdict_is_first(void)
{
	AUTO_JSON cJSON *r = results_load("upload_failed");
	AUTO_JSON cJSON *m = slack_message(r);
	const cJSON *block = cJSON_GetArrayItem(json_get(m, "blocks"), 0);

	CHECK(strncmp(json_str(m, "text", ""), "NOTHING MEASURED", 16) == 0);
	CHECK(strncmp(json_str(block, "text.text", ""), "*NOTHING MEASURED",
		      17) == 0);
	CHECK_HAS(json_str(block, "text.text", ""), "\nTo do: ");
	AUTO_FREE char *t = text_of(m);
	CHECK_HAS(t, "upload failed* (10 of 10): HTTP 503");
}

static void
warnings_are_told(void)
{
	AUTO_JSON cJSON *r = results_load("passed");
	AUTO_JSON cJSON *m = NULL;
	cJSON *list = json_arr(), *w = json_obj();

	json_set_str(w, "reason", "booking_ends");
	json_set_str(w, "message", "the phone is booked from 11:00 on");
	json_push(list, w);
	results_set(r, "warnings", list);
	m = slack_message(r);
	within_limits(m);
	AUTO_FREE char *t = text_of(m);
	CHECK_HAS(t, "• the phone is booked from 11:00 on");
}

static cJSON *
worse(const char *screen, const char *issue)
{
	AUTO_FREE char *url =
		mem_fmt("https://github.com/a/b/issues/%s", issue);
	cJSON *r = json_obj();

	json_set_str(r, "metric", "memory");
	json_set_str(r, "screen", screen);
	json_set_int(r, "before", 412LL << 20);
	json_set_int(r, "after", 486LL << 20);
	json_set_str(r, "unit", "bytes");
	json_set_int(r, "days", 2);
	json_set_str(r, "last_good",
		     "a0f9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b3a2f1");
	json_set_str(r, "first_bad",
		     "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334");
	json_set_str(r, "issue", issue);
	json_set_str(r, "url", url);
	return r;
}

static const char *
block_text(const cJSON *message, int i)
{
	return json_str(cJSON_GetArrayItem(json_get(message, "blocks"), i),
			"text.text", "");
}

static void
one_regression(void)
{
	AUTO_JSON cJSON *r = results_load("passed");
	AUTO_JSON cJSON *m = NULL;
	cJSON *list = json_arr();

	json_push(list, worse("shop", "318"));
	results_set(r, "regressions", list);
	m = slack_message(r);
	within_limits(m);
	CHECK_STR(json_str(m, "text", ""),
		  "Starfall daily 30 Nov: shop uses 18 % more memory "
		  "(412→486 MiB), 2nd day. Rest unchanged. 9/9 screens (1 "
		  "off-route), measured.");
	CHECK_STR(block_text(m, 1),
		  "<https://github.com/a/b/issues/318|Issue #318> · "
		  "a0f9e8d..a1b2c3d");
}

static void
several_regressions(void)
{
	AUTO_JSON cJSON *r = results_load("passed");
	AUTO_JSON cJSON *m = NULL;
	cJSON *list = json_arr();

	json_push(list, worse("shop", "318"));
	json_push(list, worse("home", "319"));
	results_set(r, "regressions", list);
	m = slack_message(r);
	within_limits(m);
	CHECK_STR(block_text(m, 1),
		  "• shop uses 18 % more memory (412→486 MiB), 2nd day · "
		  "<https://github.com/a/b/issues/318|Issue #318> · "
		  "a0f9e8d..a1b2c3d\n"
		  "• home uses 18 % more memory (412→486 MiB), 2nd day · "
		  "<https://github.com/a/b/issues/319|Issue #319> · "
		  "a0f9e8d..a1b2c3d");
}

static void
better_and_pull_requests(void)
{
	AUTO_JSON cJSON *r = results_load("passed");
	AUTO_JSON cJSON *m = NULL;
	cJSON *c = json_obj(), *lines = json_arr(), *suspects = json_arr();
	cJSON *pulls = json_arr(), *p = json_obj();

	json_push_str(lines, "home: settle: improvement <b>");
	json_push_str(suspects, "unit: load: suspect");
	json_set(c, "improvements", lines);
	json_set(c, "suspects", suspects);
	results_set(r, "comparison", c);
	json_set_int(p, "number", 77);
	json_set_str(p, "url", "https://github.com/a/b/pull/77");
	json_push(pulls, p);
	results_set(r, "pull_requests", pulls);
	m = slack_message(r);
	within_limits(m);
	AUTO_FREE char *t = text_of(m);
	CHECK_HAS(t, "• home: settle: improvement &lt;b&gt;");
	CHECK_HAS(t, "<https://github.com/a/b/pull/77|PR #77>");
	/* Those are for the report alone. */
	CHECK(strstr(t, "suspect") == NULL);
}

static void
bad_bytes(void)
{
	AUTO_JSON cJSON *r = with_subject("x\x01\xff\xc3(\n\t\x7f y");
	AUTO_JSON cJSON *m = slack_message(r);
	AUTO_FREE char *t = text_of(m);

	CHECK(strchr(t, '\x01') == NULL && strchr(t, '\x7f') == NULL);
	CHECK_HAS(t, "\xEF\xBF\xBD");
}

CHECK_MAIN(CHECK_CASE("compact strict JSON with a final newline", strict_json),
	   CHECK_CASE("templates in a commit are left alone",
		      templates_untouched),
	   CHECK_CASE("a commit cannot ping anybody", nobody_is_pinged),
	   CHECK_CASE("500 regressions with long names stay within the limits",
		      long_lists_are_cut),
	   CHECK_CASE("text and blocks are always there", never_empty),
	   CHECK_CASE("the first line says that nothing was measured",
		      verdict_is_first),
	   CHECK_CASE("what may go wrong is told", warnings_are_told),
	   CHECK_CASE("one regression: its issue, its commits, nothing twice",
		      one_regression),
	   CHECK_CASE("several regressions are a line and a link each",
		      several_regressions),
	   CHECK_CASE("improvements and pull requests are told, no suspects",
		      better_and_pull_requests),
	   CHECK_CASE("bytes that are no text do no harm", bad_bytes), )
