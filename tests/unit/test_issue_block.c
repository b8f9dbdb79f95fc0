#include "followup/issue_block.h"

#include "base/mem.h"
#include "check.h"

static cJSON *
parsed(const char *text)
{
	struct err err = ERR_INIT;
	cJSON *v = NULL;

	if (json_parse(text, strlen(text), "made", &v, &err)) {
		printf("# %s\n", err.msg);
		exit(EXIT_FAILURE);
	}
	return v;
}

static cJSON *
comparison(void)
{
	return parsed("{\"key\":{\"model\":\"Pixel 6\",\"serial\":\"1A2B\","
		      "\"os\":\"AP2A.240905.003\",\"unity\":\"6000.0.40f1\","
		      "\"plan\":\"9f3c1d2e\"}}");
}

static cJSON *
series(const char *metric, const char *subject, const char *bad)
{
	cJSON *v = parsed(
		"{\"unit\":\"ms\",\"lower_is_better\":true,"
		"\"deterministic\":false,\"step\":{\"kind\":\"regression\","
		"\"before\":1840.5,\"after\":2210,\"noise\":41.25,"
		"\"runs_before\":30,\"runs_after\":4,"
		"\"last_good\":{\"id\":\"20261129T104600Z-4241-1f9a04c2\","
		"\"at\":\"2026-11-29T10:46:00Z\",\"run_id\":\"4241\","
		"\"commit\":\"0f1e2d3c\",\"report_url\":null}}}");
	cJSON *step = cJSON_GetObjectItemCaseSensitive(v, "step");
	cJSON *run = json_obj();

	json_set_str(run, "id", bad);
	json_set_int(run, "run_id", 4242);
	json_set(step, "first_bad", run);
	json_set_str(v, "metric", metric);
	json_set_str(v, "subject", subject);
	return v;
}

static void
add(cJSON *block, const char *metric, const char *subject, const char *bad)
{
	AUTO_JSON cJSON *s = series(metric, subject, bad);

	CHECK(issue_block_add(block, s));
}

static void
is_read_as_written(void)
{
	AUTO_JSON cJSON *c = comparison();
	AUTO_JSON cJSON *made = issue_block_new(c, "plans/starfall.yaml");
	AUTO_BUF struct buf body = BUF_INIT;
	struct issue_block b;
	struct err err = ERR_INIT;

	add(made, "load", "home>shop", "20261130T104600Z-4242-1f9a04c2");
	add(made, "settle", "shop", "20261130T104600Z-4242-1f9a04c2");
	buf_str(&body, "Some words.\n\n");
	issue_block_write(&body, made);
	buf_str(&body, "\nMore words.\n");
	REQUIRE(issue_block_parse(body.data, body.len, &b, &err) == 0);
	CHECK_STR(b.model, "Pixel 6");
	CHECK_STR(b.os, "AP2A.240905.003");
	CHECK_STR(b.plan, "9f3c1d2e");
	CHECK_STR(b.plan_file, "plans/starfall.yaml");
	CHECK_STR(b.last_good.commit, "0f1e2d3c");
	CHECK(b.last_good.report_url == NULL);
	CHECK_STR(b.first_bad.run_id, "4242");
	CHECK(b.count == 2);
	CHECK_STR(b.series[0].subject, "home>shop");
	CHECK_STR(b.series[1].metric, "settle");
	CHECK(b.series[0].median == 1840.5 && b.series[0].noise == 41.25);
	CHECK(b.series[0].runs == 30 && b.series[0].after == 2210);
	CHECK(b.series[0].lower_is_better && !b.series[0].deterministic);
	CHECK(b.offset == strlen("Some words.\n\n"));
	CHECK_STR(body.data + b.offset + b.size, "\nMore words.\n");
	issue_block_done(&b);
}

static void
crlf_is_fine(void)
{
	AUTO_JSON cJSON *c = comparison();
	AUTO_JSON cJSON *made = issue_block_new(c, NULL);
	AUTO_BUF struct buf body = BUF_INIT, web = BUF_INIT;
	struct issue_block b;
	struct err err = ERR_INIT;

	add(made, "load", "", "x");
	issue_block_write(&body, made);
	for (const char *p = body.data; *p; p++)
		buf_fmt(&web, "%s%c", *p == '\n' ? "\r" : "", *p);
	REQUIRE(issue_block_parse(web.data, web.len, &b, &err) == 0);
	CHECK_STR(b.series[0].subject, "");
	CHECK(b.size == web.len && b.plan_file == NULL);
	issue_block_done(&b);
}

static void
no_text_breaks_out(void)
{
	static const char evil[] = "a\"```\\n```<!-- --></details>&<script>";
	AUTO_JSON cJSON *c = comparison();
	AUTO_JSON cJSON *made = issue_block_new(c, "a\n```\n<b>");
	AUTO_BUF struct buf body = BUF_INIT;
	struct issue_block b;
	struct err err = ERR_INIT;

	add(made, evil, evil, evil);
	issue_block_write(&body, made);
	CHECK(strpbrk(body.data, "<>&") == NULL);
	CHECK(strstr(strstr(body.data, "```") + 3, "```") ==
	      body.data + body.len - 4);
	REQUIRE(issue_block_parse(body.data, body.len, &b, &err) == 0);
	CHECK_STR(b.series[0].metric, evil);
	CHECK_STR(b.first_bad.id, evil);
	CHECK_STR(b.plan_file, "a ``` <b>");
	issue_block_done(&b);
}

static void
different_ends_are_null(void)
{
	AUTO_JSON cJSON *c = comparison();
	AUTO_JSON cJSON *made = issue_block_new(c, NULL);

	add(made, "load", "a", "one");
	add(made, "load", "b", "two");
	CHECK(cJSON_IsNull(json_get(made, "first_bad")));
	CHECK(cJSON_IsObject(json_get(made, "last_good")));
	add(made, "load", "c", "two");
	CHECK(cJSON_IsNull(json_get(made, "first_bad")));
}

static void
is_bounded(void)
{
	AUTO_JSON cJSON *c = comparison();
	AUTO_JSON cJSON *made = issue_block_new(c, NULL);
	AUTO_FREE char *name = mem_alloc(ISSUE_BLOCK_STRING_MAX + 2);
	AUTO_JSON cJSON *s = NULL;

	memset(name, 'n', ISSUE_BLOCK_STRING_MAX + 1);
	s = series(name, "", "x");
	CHECK(!issue_block_add(made, s));
	json_set_str(s, "metric", "a\nb");
	CHECK(!issue_block_add(made, s));
	json_set_str(s, "metric", "load");
	for (int i = 0; i < ISSUE_BLOCK_SERIES_MAX; i++)
		CHECK(issue_block_add(made, s));
	CHECK(!issue_block_add(made, s));
}

/* With `text` in the place of the JSON; the error's message. */
static const char *
refused(const char *text, enum err_code code)
{
	static struct err err;
	AUTO_FREE char *body =
		mem_fmt("```json patrol-regression\n%s\n```\n", text);
	struct issue_block b;

	err_clear(&err);
	CHECK(issue_block_parse(body, strlen(body), &b, &err) == -1);
	CHECK(err.code == code);
	issue_block_done(&b);
	return err.msg;
}

static void
what_is_wrong_is_named(void)
{
	struct issue_block b;
	struct err err = ERR_INIT;

	CHECK(issue_block_parse("x\n ```json\n{}\n", 13, &b, &err) == -1);
	CHECK(err.code == ERR_NOTFOUND);
	issue_block_done(&b);
	CHECK_HAS(refused("{", ERR_INPUT), "not JSON");
	CHECK_HAS(refused("[]", ERR_INPUT), "schema_version");
	CHECK_HAS(refused("{\"schema_version\":2}", ERR_INPUT),
		  "use the patrol that wrote the issue");
	CHECK_HAS(refused("{\"schema_version\":1}", ERR_INPUT), "series");
	CHECK_HAS(refused("{\"schema_version\":1,\"series\":[{}]}", ERR_INPUT),
		  "'metric' is missing");
	CHECK_HAS(refused("{\"schema_version\":1,\"key\":{\"os\":3},"
			  "\"series\":[{}]}",
			  ERR_INPUT),
		  "'os' is not a string");
	CHECK_HAS(refused("{\"schema_version\":1,\"series\":[{\"metric\":\"a\","
			  "\"subject\":\"\",\"unit\":\"ms\",\"kind\":\"creep\","
			  "\"lower_is_better\":true,\"deterministic\":true,"
			  "\"baseline\":{\"median\":1e999}}]}",
			  ERR_INPUT),
		  "'baseline.median' is not a number");
}

CHECK_MAIN(CHECK_CASE("a block is read as it was written", is_read_as_written),
	   CHECK_CASE("the line ends of GitHub's page are fine", crlf_is_fine),
	   CHECK_CASE("no text of others breaks out of the block",
		      no_text_breaks_out),
	   CHECK_CASE("ends that differ are null", different_ends_are_null),
	   CHECK_CASE("what has no room is refused, and said", is_bounded),
	   CHECK_CASE("what is wrong with a block is named",
		      what_is_wrong_is_named), )
