#include <math.h>

#include "series/detect.h"
#include "series/level.h"
#include "tests/detect/noise.h"
#include "tests/unit/check.h"

enum { RUNS = 90 };

static struct detect_list list;

/* Normal noise of 3 % around 100, with a step by `size` at run `at`. */
static void
make(double v[RUNS], uint64_t seed, size_t at, double size)
{
	struct noise r;
	size_t step;

	noise_seed(&r, seed);
	(void)noise_make(&r, NOISE_PLAIN, 0.03, RUNS, at, size, v, &step);
}

static size_t
confirmed(const double *v, size_t n)
{
	struct detect_rules rules = detect_rules();
	size_t kept = 0;

	detect_list_done(&list);
	detect_series(v, n, &rules, &list);
	for (size_t i = 0; i < list.count; i++) {
		if (list.change[i].kind != DETECT_SUSPECT)
			list.change[kept++] = list.change[i];
	}
	list.count = kept;
	return kept;
}

static void
nothing_is_said_without_history(void)
{
	struct detect_rules rules = detect_rules();
	double v[] = {1, 100, 1, 100, 1000, 1000, 1000};

	detect_list_done(&list);
	detect_series(v, 0, &rules, &list);
	detect_series(v, sizeof(v) / sizeof(*v), &rules, &list);
	CHECK(list.count == 0);
}

static void
what_never_moves_is_never_said(void)
{
	double v[RUNS];

	for (size_t i = 0; i < RUNS; i++)
		v[i] = i % 2 ? 16.6 : 16.7;
	CHECK(confirmed(v, RUNS) == 0);
	for (size_t i = 0; i < RUNS; i++)
		v[i] = 0;
	CHECK(confirmed(v, RUNS) == 0);
}

static void
a_step_is_said_once_where_it_is(void)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		double v[RUNS];

		make(v, seed, 50, 0.2);
		REQUIRE(confirmed(v, RUNS) == 1);
		CHECK(list.change[0].kind == DETECT_STEP);
		CHECK(list.change[0].index >= 49 && list.change[0].index <= 51);
		CHECK(list.change[0].seen >= 53 && list.change[0].seen <= 55);
		CHECK(list.change[0].before > 95 &&
		      list.change[0].before < 105);
		CHECK(list.change[0].after > 114 && list.change[0].after < 126);
		make(v, seed, 50, -0.2);
		CHECK(confirmed(v, RUNS) == 1);
		CHECK(list.change[0].after < list.change[0].before);
	}
}

static void
a_return_is_said_as_one(void)
{
	double v[RUNS];

	make(v, 3, RUNS, 0);
	for (size_t i = 30; i < 60; i++)
		v[i] *= 1.3;
	REQUIRE(confirmed(v, RUNS) == 2);
	CHECK(list.change[0].after > list.change[0].before);
	CHECK(list.change[1].index == 60);
	CHECK(list.change[1].after < list.change[1].before);
}

static void
one_wild_run_is_a_suspect_and_no_step(void)
{
	struct detect_rules rules = detect_rules();
	double v[RUNS];

	make(v, 5, RUNS, 0);
	v[40] *= 3;
	CHECK(confirmed(v, RUNS) == 0);
	detect_list_done(&list);
	detect_series(v, 41, &rules, &list);
	REQUIRE(list.count >= 1);
	CHECK(list.change[list.count - 1].kind == DETECT_SUSPECT);
	CHECK(list.change[list.count - 1].index == 40);
}

static void
three_wild_runs_are_no_step(void)
{
	double v[RUNS];

	make(v, 5, RUNS, 0);
	v[40] *= 1.2;
	v[41] *= 1.2;
	v[42] *= 1.2;
	CHECK(confirmed(v, RUNS) == 0);
}

static void
three_runs_confirm_a_huge_jump_and_two_do_not(void)
{
	struct detect_rules rules = detect_rules();
	double v[RUNS];

	make(v, 5, RUNS, 0);
	for (size_t i = 40; i < RUNS; i++)
		v[i] *= 3;
	CHECK(confirmed(v, 42) == 0);
	detect_list_done(&list);
	detect_series(v, 43, &rules, &list);
	REQUIRE(list.count >= 1);
	CHECK(list.change[list.count - 1].kind == DETECT_STEP);
	CHECK(list.change[list.count - 1].index == 40);
	CHECK(list.change[list.count - 1].seen == 42);
}

/* What was said on a day is what is said of it for ever. */
static void
later_runs_change_nothing(void)
{
	double v[RUNS];
	struct detect_list all;

	make(v, 8, 40, 0.15);
	(void)confirmed(v, RUNS);
	all = list;
	list = (struct detect_list)DETECT_LIST_INIT;
	for (size_t n = 1; n <= RUNS; n++) {
		size_t until = 0;

		while (until < all.count && all.change[until].seen < n)
			until++;
		REQUIRE(confirmed(v, n) == until);
		for (size_t i = 0; i < until; i++)
			CHECK(list.change[i].index == all.change[i].index);
	}
	detect_list_done(&all);
}

static void
a_scale_changes_nothing(void)
{
	double v[RUNS], large[RUNS];
	size_t n;

	make(v, 8, 40, 0.15);
	for (size_t i = 0; i < RUNS; i++)
		large[i] = v[i] * 1048576;
	n = confirmed(v, RUNS);
	CHECK(n == 1 && confirmed(large, RUNS) == n);
}

static void
a_hump_that_moves_is_a_step(void)
{
	static const double other[] = {26, 37000};
	double v[RUNS];

	for (size_t i = 0; i < RUNS; i++)
		v[i] = i % 5 == 0   ? other[i / 5 % 2]
		       : i % 7 == 3 ? other[i / 7 % 2]
		       : i < 50	    ? 1000 + (double)(i % 3)
				    : 1100 + (double)(i % 3);
	REQUIRE(confirmed(v, RUNS) == 1);
	CHECK(list.change[0].index >= 49 && list.change[0].index <= 52);
}

static void
a_creep_is_said_and_not_before_it_began(void)
{
	size_t found = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		double v[RUNS];

		make(v, seed, RUNS, 0);
		for (size_t i = 30; i < RUNS; i++)
			v[i] *= 1 + 0.004 * (double)(i < 70 ? i - 30 : 40);
		for (size_t i = confirmed(v, RUNS); i-- > 0;) {
			CHECK(list.change[i].index >= 30);
			found += list.change[i].after > list.change[i].before;
		}
	}
	CHECK(found >= 18);
}

static void
what_is_no_noise_needs_no_second_run(void)
{
	struct detect_rules rules = detect_rules();
	double v[] = {500, 500, 500, 500, 560, 560, 560, 500, 500};

	rules.deterministic = true;
	detect_list_done(&list);
	detect_series(v, sizeof(v) / sizeof(*v), &rules, &list);
	REQUIRE(list.count == 2);
	CHECK(list.change[0].index == 4 && list.change[0].seen == 4);
	CHECK(list.change[1].index == 7 && list.change[1].seen == 7);
}

static void
order_statistics_are_what_they_say(void)
{
	const double v[] = {5, 1, 4, 2, 3, 1000}, up[] = {6, 7}, same[] = {5};
	double least, most;

	CHECK(level_median(v, 5) == 3);
	CHECK(level_median(v, 6) == 3.5);
	CHECK(level_mad(v, 5, 3) == 1.4826);
	CHECK(level_dominance(v, 5, up, 2) == 1);
	CHECK(level_dominance(up, 2, v, 5) == 0);
	CHECK(level_dominance(same, 1, same, 1) == 0.5);
	level_medians(v, 6, 3, &least, &most);
	CHECK(least == 2 && most == 4);
	CHECK(level_widening(0, 10) == 1);
	CHECK(level_widening(0.5, 1) == 1);
	CHECK(level_widening(0.5, 40) > 2.8 && level_widening(0.5, 40) < 3);
	detect_list_done(&list);
}

/* The mid distance by its definition. */
static double
plain_mad(const double *v, size_t n, double median)
{
	double away[LEVEL_MAX];

	for (size_t i = 0; i < n; i++)
		away[i] = fabs(v[i] - median);
	return 1.4826 * level_median(away, n);
}

/* Forwards, back, by leaps, and where values are equal. */
static void
a_window_that_moves_has_the_medians_of_its_values(void)
{
	static const size_t from[] = {0, 0, 1, 2, 30, 5, 6, 26, 27, 0, 89};
	static const size_t to[] = {1, 14, 15, 16, 60, 69, 70, 90, 90, 3, 90};
	double v[RUNS];

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct level_window w = {.from = 0};

		make(v, seed, 40, seed % 2 ? 0.2 : 0);
		for (size_t i = 0; i < RUNS; i++)
			v[i] = seed % 3 ? v[i] : floor(v[i]);
		for (size_t i = 0; i < sizeof(to) / sizeof(*to); i++) {
			size_t n = to[i] - from[i];
			double m = level_median(v + from[i], n);

			CHECK(level_window_median(&w, v, from[i], to[i]) == m);
			CHECK(level_mad(v + from[i], n, m) ==
			      plain_mad(v + from[i], n, m));
			CHECK(level_mad(v + from[i], n, m + 3) ==
			      plain_mad(v + from[i], n, m + 3));
		}
	}
}

CHECK_MAIN(CHECK_CASE("nothing is said without a history",
		      nothing_is_said_without_history),
	   CHECK_CASE("what never moves is never said",
		      what_never_moves_is_never_said),
	   CHECK_CASE("a step is said once, where it is",
		      a_step_is_said_once_where_it_is),
	   CHECK_CASE("a return is said as one", a_return_is_said_as_one),
	   CHECK_CASE("one wild run is a suspect and no step",
		      one_wild_run_is_a_suspect_and_no_step),
	   CHECK_CASE("three wild runs are no step",
		      three_wild_runs_are_no_step),
	   CHECK_CASE("three runs confirm a huge jump, and two do not",
		      three_runs_confirm_a_huge_jump_and_two_do_not),
	   CHECK_CASE("later runs change nothing that was said",
		      later_runs_change_nothing),
	   CHECK_CASE("a scale changes nothing", a_scale_changes_nothing),
	   CHECK_CASE("a hump that moves is a step",
		      a_hump_that_moves_is_a_step),
	   CHECK_CASE("a creep is said, and not before it began",
		      a_creep_is_said_and_not_before_it_began),
	   CHECK_CASE("what is no noise needs no second run",
		      what_is_no_noise_needs_no_second_run),
	   CHECK_CASE("a window that moves has the medians of its values",
		      a_window_that_moves_has_the_medians_of_its_values),
	   CHECK_CASE("order statistics are what they say",
		      order_statistics_are_what_they_say), )
