#include "unity/raw_trend.h"

#include "check.h"

static struct raw_trend t;

static void
percentiles_are_near(void)
{
	memset(&t, 0, sizeof(t));
	for (uint32_t i = 1; i <= 100000; i++)
		raw_trend_add(&t, i, i * 1000000ULL, i * 1000ULL, i);
	for (int p = 1; p < 100; p++) {
		double want = p * 1000000.0;
		double got = (double)raw_trend_quantile(&t, p / 100.0);

		CHECK(got > want * 0.99 && got < want * 1.01);
	}
	CHECK(raw_trend_quantile(&t, 1) == 100000000);
	CHECK(t.below[0] == 16669 && t.below[1] == 16630);
	CHECK(t.below[2] == 16700 && t.below[3] == 50001);
}

static void
columns_hold_every_frame(void)
{
	uint64_t frames = 0, worst = 0;

	memset(&t, 0, sizeof(t));
	for (uint32_t i = 0; i < 1000001; i++)
		raw_trend_add(&t, i, i, i == 777777 ? 5000 : 7, i % 1000);
	REQUIRE(t.columns > RAW_TREND_COLUMNS / 4);
	REQUIRE(t.columns <= RAW_TREND_COLUMNS);
	for (size_t i = 0; i < t.columns; i++) {
		const struct raw_trend_column *c = &t.column[i];

		CHECK(c->index == frames && c->start_ns == frames);
		worst += c->ns == 5000;
		CHECK(c->ns != 5000 ||
		      (c->index <= 777777 && c->index + c->frames > 777777));
		frames += c->frames;
	}
	CHECK(frames == 1000001 && worst == 1);
}

static void
nothing_and_the_largest_are_fine(void)
{
	memset(&t, 0, sizeof(t));
	CHECK(raw_trend_quantile(&t, 0.5) == 0);
	raw_trend_add(&t, 0, 0, UINT64_MAX, UINT64_MAX);
	CHECK(raw_trend_quantile(&t, 0.5) <= UINT64_MAX && t.frames == 1);
	raw_trend_add(&t, 1, 0, 0, 0);
	CHECK(raw_trend_quantile(&t, 0.5) == 0);
}

CHECK_MAIN(CHECK_CASE("percentiles are near", percentiles_are_near),
	   CHECK_CASE("columns hold every frame", columns_hold_every_frame),
	   CHECK_CASE("nothing and the largest are fine",
		      nothing_and_the_largest_are_fine), )
