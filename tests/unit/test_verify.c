#include "followup/verify.h"

#include <math.h>

#include "base/mem.h"
#include "check.h"

/* --- the rule ------------------------------------------------------------ */

static const struct verify_rule load = {.lower_is_better = true,
					.baseline = 1000,
					.noise = 20,
					.regression = 1200};

static enum verify_verdict
of(const struct verify_rule *rule, double a, double b, double c)
{
	const double v[] = {a, b, c};

	return verify_rule(rule, v, 3, 3).verdict;
}

static void
back_at_the_baseline_is_verified(void)
{
	CHECK(of(&load, 1000, 1010, 990) == VERIFY_VERIFIED);
	/* Within 3 sigmas, and nearer to the baseline. */
	CHECK(of(&load, 1060, 1060, 1060) == VERIFY_VERIFIED);
	CHECK(of(&load, 800, 800, 800) == VERIFY_VERIFIED);
	/* One wild repetition changes nothing. */
	CHECK(of(&load, 1000, 9000, 1010) == VERIFY_VERIFIED);
}

static void
as_bad_as_before_is_not_fixed(void)
{
	CHECK(of(&load, 1200, 1190, 1210) == VERIFY_NOT_FIXED);
	CHECK(of(&load, 1101, 1101, 1101) == VERIFY_NOT_FIXED);
	CHECK(of(&load, 2000, 2000, 2000) == VERIFY_NOT_FIXED);
	CHECK(of(&load, 1200, 100, 1210) == VERIFY_NOT_FIXED);
}

static void
between_the_two_is_undecided(void)
{
	struct verify_rule noisy = load;

	/* Better than half the way, and not back yet. */
	CHECK(of(&load, 1080, 1080, 1080) == VERIFY_UNDECIDED);
	/* The noise is as large as the step: within it, and on its far side. */
	noisy.noise = 100;
	CHECK(of(&noisy, 1150, 1150, 1150) == VERIFY_UNDECIDED);
	CHECK(of(&noisy, 1301, 1301, 1301) == VERIFY_NOT_FIXED);
}

static void
the_floor_is_five_percent(void)
{
	struct verify_rule quiet = load;

	quiet.noise = 0;
	CHECK(of(&quiet, 1050, 1050, 1050) == VERIFY_VERIFIED);
	CHECK(of(&quiet, 1051, 1051, 1051) == VERIFY_UNDECIDED);
}

static void
too_few_decide_nothing(void)
{
	const double v[] = {1000, 1000, 1000, 1000};
	struct verify_answer a = verify_rule(&load, v, 2, 5);

	CHECK(a.verdict == VERIFY_UNDECIDED && a.median == 1000);
	CHECK(verify_rule(&load, v, 3, 5).verdict == VERIFY_VERIFIED);
	CHECK(verify_rule(&load, v, 3, 7).verdict == VERIFY_UNDECIDED);
	CHECK(verify_rule(&load, v, 4, 7).verdict == VERIFY_VERIFIED);
	a = verify_rule(&load, v, 0, 5);
	CHECK(a.verdict == VERIFY_UNDECIDED && isnan(a.median));
}

static void
more_may_be_better(void)
{
	const struct verify_rule until = {.lower_is_better = false,
					  .baseline = 1000,
					  .noise = 10,
					  .regression = 600};

	CHECK(of(&until, 990, 1000, 1010) == VERIFY_VERIFIED);
	CHECK(of(&until, 5000, 5000, 5000) == VERIFY_VERIFIED);
	CHECK(of(&until, 600, 610, 590) == VERIFY_NOT_FIXED);
	CHECK(of(&until, 900, 900, 900) == VERIFY_UNDECIDED);
}

static void
sizes_compare_exactly(void)
{
	const struct verify_rule size = {.lower_is_better = true,
					 .deterministic = true,
					 .baseline = 1000,
					 .noise = 50,
					 .regression = 1100};
	const double one[] = {1001}, same[] = {1000};

	CHECK(verify_rule(&size, same, 1, 5).verdict == VERIFY_VERIFIED);
	CHECK(verify_rule(&size, one, 1, 5).verdict == VERIFY_NOT_FIXED);
	CHECK(of(&size, 1000, 1000, 1001) == VERIFY_NOT_FIXED);
	CHECK(of(&size, 999, 1000, 900) == VERIFY_VERIFIED);
	CHECK(verify_rule(&size, one, 0, 5).verdict == VERIFY_UNDECIDED);
}

/* --- the way ------------------------------------------------------------- */

static struct plan *
plan(void)
{
	static const char text[] =
		"patrol: 1\n"
		"screens: {t: {is: {nav: T}}, h: {is: {nav: H}},\n"
		"  p: {is: {nav: P}, back: {key: BACK, to: h}},\n"
		"  s: {is: {nav: S}, back: {key: BACK, to: h}}}\n"
		"transitions:\n"
		"  - {from: t, to: h, tap: x}\n"
		"  - {from: h, to: p, tap: x}\n"
		"  - {from: h, to: s, tap: x}\n"
		"route: {start: t, visit: [t, h, p, h, p, s]}\n";
	struct yaml_complaints c;
	struct err err = ERR_INIT;
	struct plan *p = NULL;

	CHECK(plan_load_text("p.yaml", text, sizeof(text) - 1, &p, &c, &err) ==
	      0);
	yaml_complaints_done(&c);
	return p;
}

/* "h,p" of a series, or why there is none; free() it. */
static char *
way_to(const char *metric, const char *subject)
{
	struct issue_block_series s = {
		.metric = metric, .subject = subject, .unit = "ms"};
	const struct issue_block block = {.series = &s, .count = 1};
	struct plan *p = plan();
	struct err err = ERR_INIT;
	struct verify_way way;
	struct buf out = BUF_INIT;

	if (verify_way_find(&block, p, &way, &err))
		buf_str(&out, err.msg);
	else if (way.build_only)
		buf_str(&out, "the build");
	for (size_t i = 0; err.code == ERR_NONE && i < way.count; i++)
		buf_fmt(&out, "%s%s", i ? "," : "", way.visit[i]);
	if (err.code == ERR_NONE && way.snapshot)
		buf_str(&out, " with a snapshot");
	verify_way_done(&way);
	plan_free(p);
	return buf_take(&out);
}

static void
the_way_is_the_shortest_that_measures_it(void)
{
	static const char *const cases[][3] = {
		{"load", "h>s", "h,s"},
		{"load", "t>h", "t,h"},
		{"settle", "s", "s"},
		{"unreached", "p", "p"},
		{"startup_first_screen", "", "t"},
		{"apk_size", "", "the build"},
		/* What the tour loaded before is part of these. */
		{"memory", "p", "t,h,p"},
		{"snapshot.native", "s", "t,h,p,h,p,s with a snapshot"},
		{"snapshot_type.Mesh", "p", "t,h,p with a snapshot"},
		{"draw_calls", "h", "t,h with a snapshot"},
		/* The second time is another one. */
		{"load", "h>p (2)", "t,h,p,h,p"},
		{"settle", "h (2)", "t,h,p,h"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		AUTO_FREE char *got = way_to(cases[i][0], cases[i][1]);

		CHECK_STR(got, cases[i][2]);
	}
}

static void
what_cannot_be_verified_says_why(void)
{
	static const char *const cases[][3] = {
		{"load", "h>gone", "no such screen or transition"},
		{"load", "p>s", "no such transition any more"},
		{"load", "h", "no such screen or transition"},
		{"settle", "h>p", "no such screen or transition"},
		{"load", "h>p (3)", "no longer comes there"},
		{"load", "h>p (x)", "no such screen"},
		{"crashes", "", "whole tour"},
		{"stalls", "h>p", "whole tour"},
		{"frame_p95", "", "whole tour"},
		{"draw_calls", "", "whole tour"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		AUTO_FREE char *got = way_to(cases[i][0], cases[i][1]);

		CHECK(strstr(got, "nothing of the issue can be verified"));
		CHECK(strstr(got, cases[i][2]));
	}
}

/* --- a run's repetitions ------------------------------------------------- */

static cJSON *
result(const char *serial, const char *loads)
{
	AUTO_JSON cJSON *list = NULL;
	struct err err = ERR_INIT;
	cJSON *o = json_obj(), *device = json_obj(), *all = json_arr();
	const cJSON *ms;

	CHECK(json_parse(loads, strlen(loads), "loads", &list, &err) == 0);
	json_set_str(o, "outcome", "passed");
	json_set_str(o, "ended_at", "2026-11-30T10:00:00Z");
	json_set_str(device, "model", "Pixel 6");
	json_set_str(device, "serial", serial);
	json_set(o, "device", device);
	json_set(o, "repetitions", all);
	cJSON_ArrayForEach(ms, list)
	{
		cJSON *one = json_obj(), *lines = json_arr();
		cJSON *line = json_obj();

		json_set_str(line, "from", "h");
		json_set_str(line, "to", "s");
		json_set_str(line, "status", "ok");
		json_set_int(line, "at_ms", 5);
		json_set_num(line, "ms", fabs(ms->valuedouble));
		json_set_bool(line, "detour", ms->valuedouble < 0);
		json_push(lines, line);
		json_set(one, "transitions", lines);
		json_push(all, one);
	}
	return o;
}

static cJSON *
judged(const char *serial, const char *loads)
{
	struct issue_block_series s = {.metric = "load",
				       .subject = "h>s",
				       .unit = "ms",
				       .lower_is_better = true,
				       .median = 1000,
				       .noise = 10,
				       .runs = 20,
				       .after = 1500};
	const struct issue_block block = {
		.model = "Pixel 6", .serial = "A1", .series = &s, .count = 1};
	AUTO_JSON cJSON *refused = json_arr();
	AUTO_JSON cJSON *r = result(serial, loads);

	return verify_judge(&block, r, refused, 5);
}

static void
repetitions_are_judged_together(void)
{
	AUTO_JSON cJSON *good = judged("A1", "[1010, 1000, 990, 1020, 1000]");
	AUTO_JSON cJSON *bad = judged("A1", "[1500, 1490, -900, 1520, 1500]");
	AUTO_JSON cJSON *few = judged("A1", "[1000, 1010, -1000, -1000]");
	AUTO_BUF struct buf comment = BUF_INIT;

	CHECK_STR(json_str(good, "verdict", ""), "verified");
	CHECK(strstr(json_str(good, "message", ""), "1.01 s, 1.00 s"));
	CHECK_STR(json_str(bad, "verdict", ""), "not_fixed");
	CHECK_STR(json_str(few, "verdict", ""), "undecided");
	CHECK(strstr(json_str(few, "message", ""), "off_route"));
	verify_text_comment(&comment, bad);
	CHECK(strstr(comment.data, "**Not fixed**"));
	CHECK(strstr(comment.data, "off\\_route"));
}

static void
another_phone_is_not_comparable(void)
{
	AUTO_JSON cJSON *v = judged("B2", "[1000, 1000, 1000, 1000, 1000]");

	CHECK_STR(json_str(v, "verdict", ""), "not_comparable");
	CHECK(strstr(json_str(v, "message", ""), "A1 in the issue, B2 now"));
	CHECK(json_count(v, "series") == 0);
}

static void
a_throttled_phone_decides_nothing(void)
{
	struct issue_block_series s = {.metric = "load",
				       .subject = "h>s",
				       .unit = "ms",
				       .lower_is_better = true,
				       .median = 1000,
				       .noise = 10,
				       .runs = 20,
				       .after = 1500};
	const struct issue_block block = {
		.model = "Pixel 6", .serial = "A1", .series = &s, .count = 1};
	AUTO_JSON cJSON *refused = json_arr();
	AUTO_JSON cJSON *r = result("A1", "[1500, 1500, 1500, 1500, 1500]");
	AUTO_JSON cJSON *v = NULL;
	cJSON *hot = json_obj(), *timeline = json_arr(), *walked = json_arr();

	json_push(walked, json_obj());
	json_set(r, "screens", walked);
	json_set_int(hot, "thermal_status", 2);
	json_push(timeline, hot);
	json_set(r, "timeline", timeline);
	v = verify_judge(&block, r, refused, 5);
	CHECK_STR(json_str(v, "verdict", ""), "undecided");
	CHECK_HAS(json_str(v, "message", ""), "let it cool, and verify again");
}

/* What a run that began at `start_c` says of a time and a size. */
static cJSON *
begun_at(double start_c, bool comparable)
{
	struct issue_block_series s[] = {
		{.metric = "load",
		 .subject = "h>s",
		 .unit = "ms",
		 .lower_is_better = true,
		 .median = 1000,
		 .noise = 10,
		 .after = 1500},
		{.metric = "apk_size",
		 .subject = "",
		 .unit = "bytes",
		 .lower_is_better = true,
		 .deterministic = true,
		 .median = 100,
		 .after = 200},
	};
	const struct issue_block block = {.model = "Pixel 6",
					  .serial = "A1",
					  .start_c = 31,
					  .start_reach_c = 4,
					  .series = s,
					  .count = 2};
	AUTO_JSON cJSON *refused = json_arr();
	AUTO_JSON cJSON *r = result("A1", "[1500, 1500, 1500, 1500, 1500]");
	cJSON *first = json_obj(), *timeline = json_arr(), *apk = json_obj();
	cJSON *build = json_obj();

	json_set_num(first, "battery_c", start_c);
	json_push(timeline, first);
	json_set(r, "timeline", timeline);
	json_set_int(apk, "size_bytes", 100);
	json_set(build, "apk", apk);
	json_set(r, "build", build);
	json_set_bool(r, "comparable", comparable);
	return verify_judge(&block, r, refused, 5);
}

static const char *
word(const cJSON *v, int series)
{
	return json_str(cJSON_GetArrayItem(json_get(v, "series"), series),
			"verdict", "");
}

static void
an_unusual_run_decides_no_times(void)
{
	AUTO_JSON cJSON *usual = begun_at(34.9, true);
	AUTO_JSON cJSON *cold = begun_at(26.9, true);
	AUTO_JSON cJSON *other = begun_at(31, false);

	CHECK_STR(word(usual, 0), "not_fixed");
	CHECK_STR(json_str(cold, "verdict", ""), "undecided");
	CHECK_STR(word(cold, 0), "undecided");
	CHECK_STR(word(cold, 1), "verified");
	CHECK_HAS(json_str(cold, "message", ""),
		  "the phone began at 26.9 °C, and those runs at 31.0 ± 4.0");
	CHECK_STR(word(other, 0), "undecided");
	CHECK_STR(word(other, 1), "undecided");
	CHECK_STR(json_str(other, "unfit.reason", ""), "not_comparable");
}

static void
a_day_without_a_walk_is_no_verdict(void)
{
	AUTO_JSON cJSON *v = judged("A1", "[]");

	CHECK_STR(json_str(v, "verdict", ""), "failed");
}

CHECK_MAIN(CHECK_CASE("back at the baseline is verified",
		      back_at_the_baseline_is_verified),
	   CHECK_CASE("as bad as before is not fixed",
		      as_bad_as_before_is_not_fixed),
	   CHECK_CASE("between the two is undecided",
		      between_the_two_is_undecided),
	   CHECK_CASE("the floor is five percent", the_floor_is_five_percent),
	   CHECK_CASE("too few repetitions decide nothing",
		      too_few_decide_nothing),
	   CHECK_CASE("more may be better", more_may_be_better),
	   CHECK_CASE("sizes and counts compare exactly",
		      sizes_compare_exactly),
	   CHECK_CASE("the way is the shortest that measures it",
		      the_way_is_the_shortest_that_measures_it),
	   CHECK_CASE("what cannot be verified says why",
		      what_cannot_be_verified_says_why),
	   CHECK_CASE("repetitions are judged together",
		      repetitions_are_judged_together),
	   CHECK_CASE("another phone is not comparable",
		      another_phone_is_not_comparable),
	   CHECK_CASE("a throttled phone decides nothing",
		      a_throttled_phone_decides_nothing),
	   CHECK_CASE("a run of an unusual temperature decides no times",
		      an_unusual_run_decides_no_times),
	   CHECK_CASE("a day without a walk is no verdict",
		      a_day_without_a_walk_is_no_verdict))
