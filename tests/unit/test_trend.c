#include "base/mem.h"
#include "base/wall.h"
#include "check.h"
#include "report/dashboard.h"
#include "report/report.h"
#include "report/trend_groups.h"
#include "report/trend_svg.h"
#include "results.h"

enum { DAY_S = 86400, LAST_S = 1796034360 }; /* 2026-11-30T10:06:00Z, Monday */

/* `runs` days, the last on LAST_S; a series of each metric in `series`. */
static cJSON *
made(size_t runs, size_t series)
{
	cJSON *t = json_obj(), *list = json_arr(), *all = json_arr();

	for (size_t i = 0; i < runs; i++) {
		AUTO_BUF struct buf at = BUF_INIT;
		cJSON *r = json_obj();

		wall_text(&at, LAST_S - (int64_t)(runs - 1 - i) * DAY_S);
		json_set_str(r, "at", at.data);
		json_set_int(r, "run_id", (int64_t)i);
		json_set_bool(r, "measured", true);
		json_push(list, r);
	}
	for (size_t k = 0; k < series; k++) {
		AUTO_FREE char *name = mem_fmt("metric%zu", k);
		cJSON *s = json_obj(), *points = json_arr();

		for (size_t i = 0; i < runs; i++) {
			cJSON *p = json_obj();

			json_set_int(p, "run", (int64_t)i);
			json_set_num(p, "value", 100 + (double)(i % 7));
			json_push(points, p);
		}
		json_set_str(s, "metric", name);
		json_set_str(s, "subject", "home>shop");
		json_set(s, "points", points);
		json_push(all, s);
	}
	json_set(t, "runs", list);
	json_set(t, "series", all);
	return t;
}

static void
push_mark(cJSON *trends, int series, const char *kind, int point, int seen)
{
	cJSON *s = cJSON_GetArrayItem(json_get(trends, "series"), series);
	cJSON *m = json_obj(), *list = cJSON_GetObjectItem(s, "marks");

	json_set_int(m, "point", point);
	json_set_int(m, "seen", seen);
	json_set_str(m, "kind", kind);
	if (!list) {
		list = json_arr();
		json_set(s, "marks", list);
	}
	json_push(list, m);
}

static void
weeks_of_old(void)
{
	AUTO_JSON cJSON *json = made(200, 1);
	struct err err = ERR_INIT;
	struct trend_thin th;
	struct trend_cell *cell;
	struct trend t;
	size_t days = 0, points = 0;

	REQUIRE(trend_read(json, &t, &err) == 0);
	trend_thin_init(&th, &t);
	CHECK(th.exact == 200 - (TREND_EXACT_DAYS + 1));
	CHECK(th.recent == 200 - (TREND_RECENT_DAYS + 1));
	cell = trend_thin_cells(&th, t.series);
	for (size_t i = 0; i < th.count; i++) {
		days += !th.slot[i].week;
		points += cell[i].count;
		CHECK(th.slot[i].week == (th.slot[i].to < th.exact));
		CHECK(i == 0 || th.slot[i].x > th.slot[i - 1].x);
		CHECK(th.slot[i].to - th.slot[i].from < 7);
		/* A whole week has each of its seven values. */
		if (th.slot[i].to - th.slot[i].from == 6)
			CHECK(cell[i].least == 100 && cell[i].median == 103 &&
			      cell[i].most == 106);
	}
	CHECK(days == TREND_EXACT_DAYS + 1);
	CHECK(points == 200); /* nothing is lost */
	free(cell);
	trend_thin_done(&th);
	trend_done(&t);
}

static void
which_screen(void)
{
	static const char *const names[][3] = {
		{"load", "home>shop", "shop"},
		{"load", "shop", "shop"},
		{"load", "home>shop (2)", "shop"},
		{"settle", "shop (12)", "shop"},
		{"settle", "shop (x)", "shop (x)"},
		{"settle", "(2)", "(2)"},
		{"settle", "a>", "a>"},
		{"apk_size", "", ""},
		{"captures_missing", "profiler", ""},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		AUTO_JSON cJSON *json = made(1, 1);
		cJSON *s = json_get(json, "series")->child;
		struct err err = ERR_INIT;
		struct trend t;

		json_set_str(s, "metric", names[i][0]);
		json_set_str(s, "subject", names[i][1]);
		REQUIRE(trend_read(json, &t, &err) == 0);
		CHECK_STR(t.series[0].screen, names[i][2]);
		trend_done(&t);
	}
}

static void
numbers_come_back(void)
{
	static const double values[] = {
		0,     1840, 0.1,     0.1 + 0.2,
		1e300, -2.5, 1.0 / 3, 412.0 * (1 << 20)};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		AUTO_BUF struct buf b = BUF_INIT;
		AUTO_JSON cJSON *v = NULL;

		trend_svg_number(&b, values[i]);
		v = cJSON_Parse(b.data);
		REQUIRE(cJSON_IsNumber(v));
		CHECK(v->valuedouble == values[i]);
	}
}

static void
a_result_has_its_share(void)
{
	AUTO_JSON cJSON *json = made(200, 400);
	AUTO_JSON cJSON *result = results_load("passed");
	struct err err = ERR_INIT;
	const cJSON *s, *last;
	struct trend t;

	/* Before what is kept, and the last of all series. */
	push_mark(json, 399, "regression", 100, 104);
	push_mark(json, 399, "creep", 190, 195);
	REQUIRE(trend_result_add(json, result, &err) == 0);
	CHECK(json_count(result, "history.trends.runs") == TREND_RESULT_RUNS);
	CHECK(json_count(result, "history.trends.series") ==
	      TREND_RESULT_SERIES);
	last = cJSON_GetArrayItem(json_get(result, "history.trends.series"),
				  TREND_RESULT_SERIES - 1);
	CHECK_STR(json_str(last, "metric", ""), "metric399");
	REQUIRE(json_count(last, "marks") == 1);
	CHECK(json_int(json_get(last, "marks")->child, "point", 0) == 20);
	CHECK(json_int(json_get(last, "marks")->child, "seen", 0) == 25);
	cJSON_ArrayForEach(s, json_get(result, "history.trends.series"))
		CHECK(json_count(s, "points") == TREND_RESULT_RUNS);
	/* It is what trends are. */
	REQUIRE(trend_read(json_get(result, "history.trends"), &t, &err) == 0);
	trend_done(&t);
}

static void
other_screens_are_not_its_own(void)
{
	AUTO_JSON cJSON *json = made(5, 1);
	AUTO_JSON cJSON *result = json_obj();
	struct err err = ERR_INIT;

	json_set_str(json_get(json, "series")->child, "subject", "elsewhere");
	REQUIRE(trend_result_add(json, result, &err) == 0);
	CHECK(json_count(result, "history.trends.series") == 0);
	json_set_str(json_get(json, "series")->child, "subject", "");
	REQUIRE(trend_result_add(json, result, &err) == 0);
	CHECK(json_count(result, "history.trends.series") == 1);
}

static char *
report_with(cJSON *trends)
{
	AUTO_JSON cJSON *result = results_load("passed");
	struct buf b = BUF_INIT_MAX(REPORT_MAX);
	struct err err = ERR_INIT;
	cJSON *history = json_obj();

	json_set(history, "trends", trends);
	json_set(result, "history", history);
	CHECK(report_write(result, NULL, &b, &err) == 0);
	return buf_take(&b);
}

static void
a_report_without_them(void)
{
	cJSON *json = made(5, 1);

	json_set(json, "runs", json_arr());
	AUTO_FREE char *h = report_with(json);

	CHECK_HAS(h, "They can't be shown: trends: series[0].points[0] "
		     "names no run.");
	CHECK_HAS(h, "id=\"screens\"");
	CHECK(strstr(h, "<script") == NULL);
}

static void
what_got_worse_is_first(void)
{
	AUTO_JSON cJSON *json = made(30, 3);
	cJSON *list = json_get(json, "series")->child;
	struct err err = ERR_INIT;
	struct trend_groups g;
	struct trend t;

	json_set_str(list, "subject", "quiet");
	json_set_str(list->next, "subject", "better");
	json_set_str(list->next->next, "subject", "worse");
	push_mark(json, 1, "improvement", 20, 24);
	push_mark(json, 2, "regression", 20, 24);
	REQUIRE(trend_read(json, &t, &err) == 0);
	trend_groups_init(&g, &t, 16);
	REQUIRE(g.count == 3);
	CHECK_STR(g.group[0].screen, "worse");
	CHECK_STR(g.group[1].screen, "better");
	CHECK_STR(g.group[2].screen, "quiet");
	trend_groups_done(&g);
	/* What was said long ago is what is usual now. */
	trend_groups_init(&g, &t, 25);
	CHECK_STR(g.group[0].screen, "quiet");
	CHECK(g.group[0].loud == 0);
	trend_groups_done(&g);
	trend_done(&t);
}

static void
names_stay_text(void)
{
	static const char evil[] = "</title><script>alert(1)</script>\"'&";
	AUTO_JSON cJSON *json = made(3, 1);
	AUTO_BUF struct buf b = BUF_INIT_MAX(DASHBOARD_MAX);
	cJSON *s = json_get(json, "series")->child;
	cJSON *run = json_get(json, "runs")->child;
	struct err err = ERR_INIT;
	size_t scripts = 0;

	json_set_str(json, "title", evil);
	json_set_str(s, "metric", evil);
	json_set_str(s, "subject", evil);
	json_set_str(s, "unit", evil);
	for (; run; run = run->next) {
		json_set_str(run, "commit", evil);
		json_set_str(run, "message", evil);
		json_set_str(run, "invalid", evil);
		json_set_str(run, "outcome", evil);
		json_set_str(run, "new_baseline", evil);
		json_set_str(run, "report_url", "javascript:alert(1)");
	}
	push_mark(json, 0, "regression", 1, 2);
	json_set_str(json_get(s, "marks")->child, "line", evil);
	REQUIRE(dashboard_write(json, LAST_S, &b, &err) == 0);
	CHECK(strstr(b.data, "alert(1)</script>") == NULL);
	CHECK(strstr(b.data, "javascript:") == NULL);
	for (const char *p = b.data; (p = strstr(p, "<script")); p++)
		scripts++;
	CHECK(scripts == 1);
	CHECK_HAS(b.data, "script-src 'sha256-");
}

CHECK_MAIN(CHECK_CASE("90 days are exact, weeks before have least, median, "
		      "most",
		      weeks_of_old),
	   CHECK_CASE("a series belongs to the screen it leads to",
		      which_screen),
	   CHECK_CASE("a number reads back as it was", numbers_come_back),
	   CHECK_CASE("a result has 30 runs and what changed",
		      a_result_has_its_share),
	   CHECK_CASE("and its own screens alone",
		      other_screens_are_not_its_own),
	   CHECK_CASE("a report with broken trends is a report still",
		      a_report_without_them),
	   CHECK_CASE("what got worse comes first, for two weeks",
		      what_got_worse_is_first),
	   CHECK_CASE("text of others stays text", names_stay_text), )
