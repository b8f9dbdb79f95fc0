#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "report/report.h"
#include "results.h"

static char *
report_of(const cJSON *result, const char *dir)
{
	struct buf b = BUF_INIT_MAX(REPORT_MAX);
	struct err err = ERR_INIT;

	if (report_write(result, dir, &b, &err)) {
		printf("# %s\n", err.msg);
		buf_done(&b);
		return mem_strdup("");
	}
	return buf_take(&b);
}

static void
no_network(void)
{
	for (size_t i = 0; results_names[i]; i++) {
		AUTO_JSON cJSON *r = results_load(results_names[i]);
		AUTO_FREE char *h = report_of(r, "tests/data/results");

		CHECK_HAS(h, "default-src 'none'");
		CHECK(strstr(h, "<script") == NULL);
		CHECK(strstr(h, "<link") == NULL);
		CHECK(strstr(h, "@import") == NULL);
		CHECK(strstr(h, "src=\"http") == NULL);
		CHECK(strstr(h, "url(http") == NULL);
		CHECK_HAS(h, "</html>\n");
	}
}

static size_t
at(const char *h, const char *what)
{
	const char *p = strstr(h, what);

	return p ? (size_t)(p - h) : 0;
}

static void
order(void)
{
	AUTO_JSON cJSON *r = results_load("failed_crash");
	AUTO_FREE char *h = report_of(r, "tests/data/results");

	CHECK(at(h, "<h1>") > 0);
	CHECK(at(h, "<h1>") < at(h, "id=\"crashes\""));
	CHECK(at(h, "id=\"crashes\"") < at(h, "id=\"screens\""));
	CHECK(at(h, "id=\"screens\"") < at(h, "id=\"route\""));
	CHECK(at(h, "id=\"route\"") < at(h, "id=\"phone\""));
	CHECK(at(h, "id=\"phone\"") < at(h, "id=\"again\""));
}

static void
states_are_words(void)
{
	AUTO_JSON cJSON *r = results_load("failed_crash");
	AUTO_FREE char *h = report_of(r, NULL);

	CHECK_HAS(h, ">visited<");
	CHECK_HAS(h, ">off-route<");
	CHECK_HAS(h, ">crashed<");
	CHECK_HAS(h, ">not reached<");
}

static void
a_way_of_steps_is_no_retry(void)
{
	static const char text[] =
		"{\"kind\":\"run\",\"outcome\":\"passed\",\"screens\":["
		"{\"name\":\"quest\",\"status\":\"visited\",\"attempts\":["
		"{\"from\":\"unit\",\"action\":\"key BACK\",\"status\":\"ok\"},"
		"{\"from\":\"home\",\"action\":\"tap Q\",\"status\":\"ok\"}]},"
		"{\"name\":\"shop\",\"status\":\"visited\",\"attempts\":["
		"{\"from\":\"home\",\"action\":\"tap S\","
		"\"status\":\"timeout\"},"
		"{\"from\":\"home\",\"action\":\"tap S\",\"status\":\"ok\"}]}"
		"]}";
	AUTO_JSON cJSON *r = cJSON_Parse(text);
	AUTO_FREE char *h = report_of(r, NULL);

	CHECK_HAS(h, ">2 steps<");
	CHECK_HAS(h, ">2 steps, 1 failed<");
}

static void
images_inside(void)
{
	AUTO_JSON cJSON *r = results_load("passed");
	AUTO_FREE char *h = report_of(r, "tests/data/results");
	size_t n = 0;

	for (const char *p = h; (p = strstr(p, "data:image/png;base64,")); p++)
		n++;
	CHECK(n == 9);
}

static void
bad_images(void)
{
	AUTO_JSON cJSON *r = results_load("passed");
	char dir[] = "/tmp/patrol-report-XXXXXX";
	struct err err = ERR_INIT;
	static char big[REPORT_IMAGE_MAX + 1];

	REQUIRE(mkdtemp(dir) != NULL);
	AUTO_FREE char *shots = file_join(dir, "screens");
	AUTO_FREE char *one = file_join(shots, "01-title.png");
	AUTO_FREE char *two = file_join(shots, "02-home.png");
	cJSON *s = cJSON_GetArrayItem(json_get(r, "screens"), 2);

	CHECK(file_mkdirs(shots, &err) == 0);
	CHECK(file_write(one, "<svg onload=x>", 14, &err) == 0);
	memcpy(big, "\x89PNG\r\n\x1a\n", 8);
	CHECK(file_write_raw(two, big, sizeof(big), &err) == 0);
	results_set_str(s, "screenshot", "../../../etc/passwd");
	AUTO_FREE char *h = report_of(r, dir);
	CHECK(strstr(h, "data:image") == NULL);
	CHECK(strstr(h, "onload") == NULL);
	CHECK(strstr(h, "root:") == NULL);
	CHECK_HAS(h, "01-title.png is no image");
	CHECK_HAS(h, "02-home.png is too large to show");
	CHECK_HAS(h, "04-unit.png is missing");
	CHECK(file_remove_tree(dir, &err) == 0);
}

static void
memory_and_growth(void)
{
	AUTO_JSON cJSON *r = results_load("passed");
	AUTO_FREE char *h = report_of(r, NULL);

	CHECK_HAS(h, "Compared with 29 Nov, build 4241 a0f9e8d.");
	CHECK_HAS(h, "▲ Texture2D +61 MiB, Mesh +9.0 MiB");
	CHECK_HAS(h, "not compared: it was reached off-route in the earlier");
	CHECK_HAS(h, "decided otherwise than in the editor");
	CHECK(at(h, "id=\"screens\"") < at(h, "id=\"memory\""));
	/* Nothing compared, and why; then no snapshot at all. */
	json_set(r, "previous", json_obj());
	results_set_str(cJSON_GetObjectItemCaseSensitive(r, "previous"),
			"message", "another phone: Pixel 6 then, Pixel 7 now");
	AUTO_FREE char *why = report_of(r, NULL);
	CHECK_HAS(why, "Not compared with an earlier day: another phone");
	AUTO_JSON cJSON *none = results_load("failed_crash");
	AUTO_FREE char *without = report_of(none, NULL);
	CHECK(strstr(without, "id=\"memory\"") == NULL);
}

static void
states_that_were_merged(void)
{
	AUTO_JSON cJSON *r = results_load("passed");
	AUTO_FREE char *h = report_of(r, NULL);
	cJSON *c = cJSON_GetObjectItemCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(r, "captures"),
		"graphics_states");

	CHECK_HAS(h, "this run adds 12 variants and 30 states");
	CHECK_HAS(h, "Warm-up did not find 5 variants");
	CHECK_HAS(h, "3 were dropped, 1 is kept, as");
	CHECK_HAS(h, "Starfall/Hologram");
	CHECK_HAS(h, "42 more shaders");
	json_set(c, "merged", json_obj());
	results_set_str(cJSON_GetObjectItemCaseSensitive(c, "merged"),
			"message", "another graphics API");
	AUTO_FREE char *refused = report_of(r, NULL);
	CHECK_HAS(refused, ": another graphics API.");
	CHECK_HAS(refused, "Universal Render Pipeline/Lit");
	CHECK(strstr(refused, "Starfall/Hologram") == NULL);
}

static void
spoil(cJSON *v, const char *with)
{
	cJSON *item;

	for (item = v ? v->child : NULL; item; item = item->next) {
		if (cJSON_IsString(item))
			cJSON_SetValuestring(item, with);
		spoil(item, with);
	}
}

static void
markup_of_others(void)
{
	static const char evil[] = "\"'><script>alert(1)</script>&\x1b\xff";

	for (size_t i = 0; results_names[i]; i++) {
		AUTO_JSON cJSON *r = results_load(results_names[i]);

		spoil(r, evil);
		results_set_str(r, "kind", i & 1 ? "try" : "run");
		AUTO_FREE char *h = report_of(r, "tests/data/results");
		CHECK(strstr(h, "<script") == NULL);
		CHECK(strstr(h, "\"'>") == NULL);
		CHECK(strchr(h, '\x1b') == NULL);
		CHECK(strchr(h, '\xff') == NULL);
	}
}

/* Every value replaced by one of another type: a report all the same. */
static void
retype(cJSON *v, int kind)
{
	cJSON *item = v ? v->child : NULL;

	while (item) {
		cJSON *next = item->next;

		if (item->child)
			retype(item, kind);
		else if (item->string)
			cJSON_ReplaceItemInObjectCaseSensitive(
				v, item->string,
				kind == 0   ? cJSON_CreateNumber(1e300)
				: kind == 1 ? cJSON_CreateString("x")
				: kind == 2 ? cJSON_CreateArray()
				: kind == 3 ? cJSON_CreateNull()
					    : cJSON_CreateNumber(-1e300));
		item = next;
	}
}

static void
any_types(void)
{
	for (int kind = 0; kind < 5; kind++) {
		for (size_t i = 0; results_names[i]; i++) {
			AUTO_JSON cJSON *r = results_load(results_names[i]);

			retype(r, kind);
			AUTO_FREE char *h = report_of(r, NULL);
			CHECK_HAS(h, "</html>");
		}
	}
	AUTO_JSON cJSON *empty = json_obj();
	AUTO_FREE char *a = report_of(empty, NULL);
	AUTO_FREE char *b = report_of(NULL, NULL);

	CHECK_HAS(a, "</html>");
	CHECK_HAS(b, "</html>");
}

static void
large(void)
{
	AUTO_JSON cJSON *r = results_load("passed");
	cJSON *screens = json_arr(), *timeline = json_arr();

	for (int i = 0; i < 5000; i++) {
		cJSON *s = json_obj(), *t = json_obj();

		json_set_str(s, "name", "many");
		json_set_str(s, "status", "visited");
		json_push(screens, s);
		json_set_int(t, "at_ms", i * 1000);
		json_set_num(t, "battery_c", 30 + i % 7);
		json_push(timeline, t);
	}
	results_set(r, "screens", screens);
	results_set(r, "timeline", timeline);
	AUTO_FREE char *h = report_of(r, NULL);
	CHECK_HAS(h, "4500 more in result.json");
	CHECK(strlen(h) < 1 << 20);
}

static void
frames_are_shown(void)
{
	AUTO_JSON cJSON *r = results_load("frames");
	AUTO_FREE char *h = report_of(r, NULL);

	CHECK(at(h, "id=\"frames\"") > at(h, "id=\"route\""));
	CHECK_HAS(h, "<svg class=\"phone frames\"");
	CHECK_HAS(h, "Loading.Read");
	CHECK_HAS(h, "Party.&lt;Update&gt;");
	CHECK_HAS(h, "time alone decided");
	CHECK_HAS(h, "→");
	CHECK_HAS(h, "1 kept frame is the patrol");
	CHECK(strstr(h, "nan") == NULL && strstr(h, "inf\"") == NULL);
}

static void
many_frames(void)
{
	AUTO_JSON cJSON *r = results_load("frames");
	cJSON *p = cJSON_GetObjectItemCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(r, "captures"), "profiler");
	cJSON *trend = json_arr(), *spikes = json_arr();

	for (int i = 0; i < 20000; i++) {
		cJSON *row = json_arr(), *s = json_obj();

		json_push(row, cJSON_CreateNumber(i * 10));
		json_push(row, cJSON_CreateNumber(i % 2 ? 1e300 : 17));
		json_push(row, cJSON_CreateNumber(-i));
		json_push(trend, row);
		json_set_int(s, "at_ms", i * 10);
		json_set_num(s, "ms", 1e300);
		json_set_str(s, "screen", "<b>");
		json_push(spikes, s);
	}
	json_set(p, "trend", trend);
	json_set(p, "spikes", spikes);
	AUTO_FREE char *h = report_of(r, NULL);
	CHECK(strlen(h) < 1 << 20);
	CHECK(strstr(h, "<b>&lt;b&gt;</b>") != NULL);
	CHECK_HAS(h, "19988 more in result.json");
}

CHECK_MAIN(CHECK_CASE("the Profiler's frames are shown, and whose doing",
		      frames_are_shown),
	   CHECK_CASE("20,000 frames make a bounded report", many_frames),
	   CHECK_CASE("a report needs no network and runs no script",
		      no_network),
	   CHECK_CASE("the verdict is first, how to repeat it last", order),
	   CHECK_CASE("states are words, not colours alone", states_are_words),
	   CHECK_CASE("a way of several steps is not told as a retry",
		      a_way_of_steps_is_no_retry),
	   CHECK_CASE("screenshots are inside", images_inside),
	   CHECK_CASE("a file that is no image is said by name", bad_images),
	   CHECK_CASE("each screen's memory and what grew is shown",
		      memory_and_growth),
	   CHECK_CASE("graphics states are shown, merged or not",
		      states_that_were_merged),
	   CHECK_CASE("markup of others is shown as text", markup_of_others),
	   CHECK_CASE("any types make a report", any_types),
	   CHECK_CASE("5,000 screens make a bounded report", large), )
