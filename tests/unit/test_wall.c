#include "base/wall.h"

#include "check.h"

static void
times_are_read(void)
{
	static const struct {
		const char *text;
		int64_t at_s;
	} good[] = {
		{"1970-01-01T00:00:00Z", 0},
		{"2026-11-30T09:45:02Z", 1796031902},
		{"2026-11-30T09:45:02.987Z", 1796031902},
		{"2026-11-30T18:45:02+09:00", 1796031902},
		{"2026-11-30T04:15:02-05:30", 1796031902},
		{"2024-02-29T23:59:59Z", 1709251199},
	};
	int64_t at;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		CHECK(wall_parse(good[i].text, &at));
		CHECK(at == good[i].at_s);
	}
}

static void
others_are_refused(void)
{
	static const char *const bad[] = {
		"",
		"today",
		"2026-11-30",
		"2026-11-30T09:45Z",
		"2026-13-30T09:45:02Z",
		"2026-11-30T24:45:02Z",
		"2026-11-30T09:45:02",
		"2026-11-30T09:45:02Zx",
		"2026-11-30T09:45:02+9",
		"2026-11-30T09:45:02+09:00x",
		"-026-11-30T09:45:02Z",
	};
	int64_t at = 7;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK(!wall_parse(bad[i], &at));
	CHECK(!wall_parse("2026-02-30T09:00:00Z", &at));
	CHECK(!wall_parse("2026-11-31T00:00:00Z", &at) && at == 7);
	CHECK(wall_parse("2016-12-31T23:59:60Z", &(int64_t){0}));
	CHECK(wall_parse("2028-02-29T09:00:00Z", &(int64_t){0}));
	CHECK(!wall_parse(NULL, &at) && at == 7);
}

static void
text_is_read_again(void)
{
	AUTO_BUF struct buf b = BUF_INIT;
	int64_t at = 0;

	wall_text(&b, 1796031902);
	CHECK_STR(b.data, "2026-11-30T09:45:02Z");
	CHECK(wall_parse(b.data, &at) && at == 1796031902);
	CHECK(wall_now_s() > 1700000000);
}

CHECK_MAIN(CHECK_CASE("times of any zone are read", times_are_read),
	   CHECK_CASE("what is no time is refused", others_are_refused),
	   CHECK_CASE("what is written is read again", text_is_read_again), )
