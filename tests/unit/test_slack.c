#include "base/present.h"
#include "check.h"
#include "domain/slack.h"
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
	   CHECK_CASE("bytes that are no text do no harm", bad_bytes), )
