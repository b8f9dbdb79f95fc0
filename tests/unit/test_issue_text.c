#include "followup/issue_text.h"

#include "base/mem.h"
#include "base/present.h"
#include "check.h"
#include "followup/issue_block.h"
#include "followup/issue_way.h"
#include "github/github_issue.h"

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
run_of(const char *id, const char *commit)
{
	cJSON *o = json_obj();

	json_set_str(o, "id", id);
	json_set_str(o, "at", "2026-11-27T10:46:00Z");
	json_set_str(o, "run_id", id);
	json_set_str(o, "commit", commit);
	return o;
}

/* A series that got worse between two runs. */
static cJSON *
series_of(const char *metric, const char *subject, double before, double after,
	  const char *bad)
{
	cJSON *o = json_obj(), *step = json_obj();

	json_set_str(o, "metric", metric);
	json_set_str(o, "subject", subject);
	json_set_str(o, "unit", "ms");
	json_set_bool(o, "lower_is_better", true);
	json_set_str(step, "kind", "regression");
	json_set_bool(step, "new", true);
	json_set_num(step, "before", before);
	json_set_num(step, "after", after);
	json_set_num(step, "noise", 12);
	json_set_int(step, "runs_before", 30);
	json_set_int(step, "runs_after", 4);
	json_set(step, "last_good", run_of("good", "0f1e2d3c4b5a"));
	json_set(step, "first_bad", run_of(bad, "a1b2c3d4e5f6"));
	json_set(o, "step", step);
	return o;
}

static cJSON *
comparison_of(void)
{
	cJSON *o = parsed("{\"title\":\"Starfall\",\"key\":{\"model\":\"P\","
			  "\"serial\":\"S\",\"os\":\"O\",\"unity\":\"U\","
			  "\"plan\":\"R\"},\"series\":[]}");

	json_set(o, "run", run_of("20261130T104600Z-4242-1f9a04c2", "b2"));
	return o;
}

static void
add(cJSON *c, const char *metric, const char *subject, double before,
    double after, const char *bad)
{
	json_push(cJSON_GetObjectItemCaseSensitive(c, "series"),
		  series_of(metric, subject, before, after, bad));
}

static void
code_spans_hold(void)
{
	static const struct {
		const char *text, *code;
	} cases[] = {
		{"shop", "`shop`"},
		{"@kana fixes #12 http://x/", "`@kana fixes #12 http://x/`"},
		{"a`b", "``a`b``"},
		{"`", "`` ` ``"},
		{"a``", "``` a`` ```"},
		{"``````", "```` ```''' ````"},
		{"", "`?`"},
		{NULL, "`?`"},
		{" x", "`  x `"},
		{"a\nb\r\n# c", "`a b # c`"},
		{"<!-- --> </details>", "`<!-- --> </details>`"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		AUTO_BUF struct buf b = BUF_INIT;

		issue_text_code(&b, cases[i].text, 100);
		CHECK_STR(b.data, cases[i].code);
	}
}

static void
titles_name_nobody(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	issue_text_plain(&b, "@all #1 a@b #x", 100);
	CHECK_STR(b.data, "@\u200b"
			  "all #\u200b"
			  "1 a@\u200b"
			  "b #x");
}

/* The whole of what an issue says, of one that is as bad as can be. */
static void
evil_text_stays_text(void)
{
	static const char evil[] =
		"|`@all`| --> <b> </details>\n```\n@all #1 |x| [l](http://e/)";
	AUTO_JSON cJSON *c = comparison_of();
	struct issue_groups g;
	struct issue_range range = {.item = NULL};
	struct issue_commit commit = {(char *)evil, (char *)evil, (char *)evil,
				      (char *)"javascript:alert(1)"};
	struct issue_text t = {.comparison = c, .range = &range};
	AUTO_FREE char *body = NULL;
	const char *p;

	range.item = &commit;
	range.count = 1;
	range.total = 1;
	range.note = (char *)evil;
	add(c, evil, evil, 1, 2, evil);
	json_set_str(cJSON_GetObjectItemCaseSensitive(c, "key"), "model", evil);
	json_set_str(cJSON_GetObjectItemCaseSensitive(c, "run"), "id", evil);
	issue_group_all(c, &g);
	t.group = &g.item[0];
	t.plan_file = evil;
	body = issue_text_body(&t);
	CHECK(strstr(body, "javascript:") == NULL);
	/* Every mention is behind a backtick, or in the block's one line. */
	for (p = body; (p = strstr(p, "@all")); p++)
		CHECK(p[-1] == '`' || p[-1] == ' ' ||
		      strncmp(p - 6, "\\u0060", 6) == 0);
	/* Ours are the only ends of tags and comments at a line's begin. */
	CHECK(strstr(body, "\n</details>") ==
	      strstr(body, "\n</details>\n\n<!"));
	CHECK(strstr(strstr(body, "\n</details>") + 1, "\n</details>") == NULL);
	/* The table's row has the cells of its head. */
	p = strstr(body, "|---|---|---|---|---|---|---|\n");
	REQUIRE(p != NULL);
	p = strchr(p, '\n') + 1;
	int bars = 0;

	for (; *p != '\n'; p++)
		bars += *p == '|' && p[-1] != '\\';
	CHECK(bars == 8);
	/* And it is found again. */
	struct issue_marker m;
	struct issue_block b;
	struct err err = ERR_INIT;

	CHECK(issue_marker_read(body, &m, NULL, NULL));
	CHECK(issue_marker_common(&m.range, &t.group->marker.range) == 1);
	CHECK_HAS(body, "\n<!-- patrol:run ");
	issue_marker_done(&m);
	/* Its names have line ends: there is no block then. */
	CHECK(issue_block_parse(body, strlen(body), &b, &err) == -1);
	issue_block_done(&b);
	issue_group_done(&g);
}

static void
forty_are_one(void)
{
	AUTO_JSON cJSON *c = comparison_of();
	AUTO_BUF struct buf title = BUF_INIT;
	struct issue_groups g;
	struct issue_text t = {.comparison = c};

	for (int i = 0; i < 40; i++) {
		AUTO_FREE char *subject = mem_fmt("home>s%d", i);

		add(c, "load", subject, 1000, 1200 + i, "bad");
	}
	add(c, "load", "x", 1000, 5000, "other");
	issue_group_all(c, &g);
	REQUIRE(g.count == 2);
	CHECK(g.item[0].count == 1 && g.item[1].count == 40);
	t.group = &g.item[1];
	issue_text_title(&title, &t);
	CHECK_STR(title.data, "home>s39: load 1.00→1.24 s (+24 %) and 39 more");
	issue_group_done(&g);
}

static void
only_worse_is_told(void)
{
	AUTO_JSON cJSON *c = comparison_of();
	struct issue_groups g;
	cJSON *s;

	add(c, "load", "a", 1000, 900, "bad");
	add(c, "load", "b", 1000, 1100, "bad");
	s = cJSON_GetArrayItem(json_get(c, "series"), 0);
	json_set_str(cJSON_GetObjectItemCaseSensitive(s, "step"), "kind",
		     "improvement");
	json_push(cJSON_GetObjectItemCaseSensitive(c, "series"),
		  parsed("{\"metric\":\"load\",\"subject\":\"c\","
			 "\"state\":\"suspect\",\"step\":null}"));
	issue_group_all(c, &g);
	REQUIRE(g.count == 1);
	CHECK(g.item[0].count == 1);
	CHECK_STR(json_str(g.item[0].series[0], "subject", ""), "b");
	issue_group_done(&g);
}

/* As long as all of it can be. */
static void
limits_are_kept(void)
{
	AUTO_JSON cJSON *c = comparison_of();
	AUTO_FREE char *bars = mem_alloc(301);
	AUTO_FREE char *url = mem_fmt("https://x/%0170d", 0);
	struct issue_range range = {.total = 100000};
	struct issue_groups g;
	struct issue_text t = {.comparison = c, .range = &range};
	AUTO_FREE char *body = NULL, *comment = NULL;
	AUTO_BUF struct buf title = BUF_INIT;
	struct issue_block b;
	struct err err = ERR_INIT;

	memset(bars, '|', 300);
	for (int i = 0; i < 300; i++) {
		AUTO_FREE char *name = mem_fmt("%d@%s", i, bars);

		add(c, name, name, 1e-300, 1e300, "bad");
	}
	range.item = mem_array(ISSUE_RANGE_MOST, sizeof(*range.item));
	range.count = ISSUE_RANGE_MOST;
	for (size_t i = 0; i < range.count; i++)
		range.item[i] = (struct issue_commit){bars, bars, bars, url};
	range.note = bars;
	range.url = url;
	issue_group_all(c, &g);
	t.group = &g.item[0];
	body = issue_text_body(&t);
	comment = issue_text_comment(&t, ISSUE_TEXT_AGAIN);
	issue_text_title(&title, &t);
	CHECK(present_units(body) <= GITHUB_ISSUE_BODY_MAX);
	CHECK(present_units(comment) <= GITHUB_ISSUE_BODY_MAX);
	CHECK(present_units(title.data) <= GITHUB_ISSUE_TITLE_MAX);
	CHECK_HAS(body, "And 270 more");
	CHECK_HAS(body, "The newest 50 of 100000.");
	REQUIRE(issue_block_parse(body, strlen(body), &b, &err) == 0);
	CHECK(b.count > 10 && b.count <= ISSUE_BLOCK_SERIES_MAX);
	issue_block_done(&b);
	free(range.item);
	issue_group_done(&g);
}

static void
an_issue_grows(void)
{
	AUTO_JSON cJSON *c = comparison_of();
	AUTO_JSON cJSON *later = comparison_of();
	struct issue_groups g, more;
	struct issue_text t = {.comparison = c}, u = {.comparison = later};
	AUTO_FREE char *body = NULL, *said = NULL, *longer = NULL;
	AUTO_FREE char *again = NULL;
	struct issue_block b;
	struct issue_marker m;
	struct err err = ERR_INIT;

	add(c, "load", "shop", 1000, 1200, "bad");
	add(later, "load", "shop", 1000, 1200, "bad");
	add(later, "load", "gacha", 1000, 1200, "bad");
	issue_group_all(c, &g);
	issue_group_all(later, &more);
	t.group = &g.item[0];
	u.group = &more.item[0];
	body = issue_text_body(&t);
	CHECK(issue_text_update(body, &t, ISSUE_TEXT_AGAIN) == NULL);
	said = mem_fmt("Words of mine.\n\n%s\nMore of them.", body);
	longer = issue_text_update(said, &u, ISSUE_TEXT_AGAIN);
	REQUIRE(longer != NULL);
	CHECK(strncmp(longer, "Words of mine.\n\n", 16) == 0);
	CHECK_HAS(longer, "\nMore of them.");
	REQUIRE(issue_block_parse(longer, strlen(longer), &b, &err) == 0);
	CHECK(b.count == 2);
	CHECK_STR(b.series[1].subject, "gacha");
	CHECK_STR(b.first_bad.id, "bad");
	issue_block_done(&b);
	CHECK(issue_marker_read(longer, &m, NULL, NULL));
	CHECK(m.series.count == 2 && m.range.count == 1);
	issue_marker_done(&m);
	again = issue_text_update(longer, &u, ISSUE_TEXT_AGAIN);
	CHECK(again == NULL);
	CHECK(issue_text_update("no marker", &u, ISSUE_TEXT_AGAIN) == NULL);
	issue_group_done(&g);
	issue_group_done(&more);
}

static void
markers_are_found(void)
{
	struct issue_marker m;

	CHECK(!issue_marker_read("", &m, NULL, NULL));
	CHECK(!issue_marker_read("<!-- patrol:regression v1 range=123 "
				 "series=0123456789ab -->",
				 &m, NULL, NULL));
	CHECK(!issue_marker_read("<!-- patrol:regression v1 range= series= -->",
				 &m, NULL, NULL));
	CHECK(!issue_marker_read("<!-- patrol:regression v1 range= series="
				 "0123456789ab,0123456789ac",
				 &m, NULL, NULL));
	CHECK(issue_marker_read(
		"x <!-- patrol:regression v1 <!-- patrol:regression v1 "
		"range=aaaaaaaaaaaa series=0123456789ab,0123456789ac -->\r\n",
		&m, NULL, NULL));
	CHECK(m.range.count == 1 && m.series.count == 2);
	issue_marker_done(&m);
	CHECK(issue_marker_has_run("a <!-- patrol:run 1-2 -->\r\n", "1-2"));
	CHECK(!issue_marker_has_run("a <!-- patrol:run 1-2 -->", "1-22"));
	CHECK(!issue_marker_has_run("a <!-- patrol:run 1-22 -->", "1-2"));
}

/* A run compares itself before its record, and so its id, is final. */
static void
a_run_is_its_build_and_day(void)
{
	AUTO_JSON cJSON *c = comparison_of(), *later = comparison_of();
	AUTO_JSON cJSON *run = run_of("4242", "a1b2"), *old = json_obj();
	AUTO_FREE char *a = issue_marker_run(run);
	AUTO_FREE char *b = NULL, *by_id = NULL;
	struct issue_groups g, h;
	cJSON *s;

	json_set_str(run, "id", "another");
	json_set_str(run, "at", "2026-11-27T10:46:09Z");
	b = issue_marker_run(run);
	CHECK_STR(a, "4242-20261127");
	CHECK_STR(b, a);
	json_set_str(old, "id", "20261127T104600Z-0-1f9a04c2");
	by_id = issue_marker_run(old);
	CHECK_STR(by_id, "20261127T104600Z-0-1f9a04c2");
	add(c, "load", "shop", 1, 2, "4242");
	add(later, "load", "shop", 1, 2, "4242");
	s = cJSON_GetArrayItem(json_get(later, "series"), 0);
	s = cJSON_GetObjectItemCaseSensitive(s, "step");
	json_set_str(cJSON_GetObjectItemCaseSensitive(s, "first_bad"), "id",
		     "another");
	issue_group_all(c, &g);
	issue_group_all(later, &h);
	CHECK_STR(g.item[0].marker.range.item[0],
		  h.item[0].marker.range.item[0]);
	issue_group_done(&g);
	issue_group_done(&h);
}

static void
the_way_is_the_routes(void)
{
	AUTO_JSON cJSON *result = parsed(
		"{\"route\":{\"steps\":["
		"{\"from\":null,\"to\":\"title\",\"action\":\"start\"},"
		"{\"from\":\"title\",\"to\":\"home\",\"action\":\"tap //Go\"},"
		"{\"from\":\"home\",\"to\":\"party\",\"action\":\"tap //P\"},"
		"{\"from\":\"party\",\"to\":\"home\",\"action\":\"back\"},"
		"{\"from\":\"home\",\"to\":\"shop\",\"action\":\"tap "
		"//S\"}]}}");
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_JSON cJSON *s = json_obj();

	json_set_str(s, "subject", "shop");
	issue_way_write(&b, result, s);
	CHECK_STR(b.data, "### The way there\n\n1. `start` → `title`\n"
			  "2. `tap //Go` → `home`\n3. `tap //S` → `shop`\n\n");
	buf_clear(&b);
	json_set_str(s, "subject", "party>home");
	issue_way_write(&b, result, s);
	CHECK_HAS(b.data, "3. `tap //P` → `party`\n4. `back` → `home`\n");
	buf_clear(&b);
	json_set_str(s, "subject", "nowhere");
	issue_way_write(&b, result, s);
	json_set_str(s, "subject", "");
	issue_way_write(&b, result, s);
	json_set_str(s, "subject", "shop");
	issue_way_write(&b, NULL, s);
	CHECK_STR(b.data, "");
}

CHECK_MAIN(CHECK_CASE("text of others stays in its code span", code_spans_hold),
	   CHECK_CASE("a title names nobody", titles_name_nobody),
	   CHECK_CASE("evil text breaks out of nothing", evil_text_stays_text),
	   CHECK_CASE("forty of one bad commit are one issue", forty_are_one),
	   CHECK_CASE("only what is worse is told", only_worse_is_told),
	   CHECK_CASE("GitHub's limits are kept, and the block is whole",
		      limits_are_kept),
	   CHECK_CASE("an issue grows, and people's words stay",
		      an_issue_grows),
	   CHECK_CASE("markers are found whole or not at all",
		      markers_are_found),
	   CHECK_CASE("a run is known by its build and day",
		      a_run_is_its_build_and_day),
	   CHECK_CASE("the way is the route's", the_way_is_the_routes), )
