#include "base/json.h"
#include "stf/stf_choose.h"
#include "tests/unit/check.h"

/* Devices from JSON text, as stf_devices() gives them. */
static struct stf_devices
devices(const char *text)
{
	struct stf_devices list = {.item = NULL};
	struct err err = ERR_INIT;
	cJSON *json = NULL;

	CHECK(json_parse(text, strlen(text), "test", &json, &err) == 0);
	CHECK(stf_devices_parse(json, &list, &err) == 0);
	cJSON_Delete(json);
	return list;
}

#define FREE_6                                                            \
	"{\"serial\":\"B\",\"present\":true,\"ready\":true,\"status\":3," \
	"\"owner\":null,\"using\":false,\"model\":\" Pixel 6\","          \
	"\"sdk\":\"34\",\"version\":\"14\",\"platform\":\"Android\"}"
#define FREE_6A                                                           \
	"{\"serial\":\"A\",\"present\":true,\"ready\":true,\"status\":3," \
	"\"owner\":null,\"using\":false,\"model\":\"Pixel 6\","           \
	"\"sdk\":\"33\",\"version\":\"8.1.0\"}"
#define BUSY_6                                                            \
	"{\"serial\":\"C\",\"present\":true,\"ready\":true,\"status\":3," \
	"\"owner\":{\"email\":\"jane@x\",\"name\":\"Jane\"},"             \
	"\"using\":false,\"model\":\"Pixel 6\",\"sdk\":\"34\","           \
	"\"usageChangedAt\":\"2024-01-01T10:00:00Z\"}"

static void
order_does_not_matter(void)
{
	struct stf_match m[] = {{"model", "pixel 6"}};
	struct stf_want want = {.match = m, .match_count = 1};
	const char *texts[] = {"[" FREE_6 "," BUSY_6 "," FREE_6A "]",
			       "[" FREE_6A "," FREE_6 "," BUSY_6 "]"};

	for (int i = 0; i < 2; i++) {
		struct stf_devices l = devices(texts[i]);
		struct stf_choice c;

		stf_choose(&l, &want, 1, "me@x", &c);
		CHECK(c.free_count == 2 && c.fit_count == 3);
		CHECK_STR(c.item[0].device->serial, "A");
		CHECK_STR(c.item[1].device->serial, "B");
		CHECK(c.item[2].state == STF_BUSY);
		stf_choose_done(&c);
		stf_devices_done(&l);
	}
}

static void
operators_compare_versions(void)
{
	static const struct {
		const char *field, *value;
		bool fits;
	} cases[] = {
		{"sdk", ">=29", true},	     {"sdk", ">= 33 ", true},
		{"sdk", ">33", false},	     {"sdk", "<=33", true},
		{"sdk", "<33", false},	     {"sdk", "!=34", true},
		{"sdk", "=33", true},	     {"sdk", "33", true},
		{"sdk", "3", false},	     {"version", ">=8", true},
		{"version", "<8.2", true},   {"version", ">8.1", false},
		{"version", ">=10", false},  {"version", ">=8.1.x", false},
		{"model", "PIXEL 6 ", true}, {"model", "Pixel", false},
		{"model", ">=3", false},     {"model", "!=Pixel 7", true},
		{"nothing", "", false},	     {"nothing", "!=1", false},
		{"present", "true", true},   {"status", "3", true},
		{"sdk", ">=", false},	     {"sdk", "", false},
	};
	struct stf_devices l = devices("[" FREE_6A "]");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stf_match m = {cases[i].field, cases[i].value};

		if (stf_choose_matches(&l.item[0], &m) != cases[i].fits)
			printf("# %s %s\n", m.field, m.value);
		CHECK(stf_choose_matches(&l.item[0], &m) == cases[i].fits);
	}
	stf_devices_done(&l);
}

static void
candidates_are_tried_in_order(void)
{
	struct stf_match seven[] = {{"model", "Pixel 7"}};
	struct stf_match six[] = {{"sdk", "34"}};
	struct stf_want want[] = {
		{.match = seven, .match_count = 1},
		{.match = six, .match_count = 1},
		{.serial = "A"},
	};
	struct stf_devices l = devices("[" FREE_6A "," FREE_6 "]");
	struct stf_choice c;

	stf_choose(&l, want, 3, "me@x", &c);
	CHECK(c.free_count == 2);
	CHECK_STR(c.item[0].device->serial, "B");
	CHECK(c.item[0].want == 1 && c.item[1].want == 2);
	stf_choose_done(&c);
	stf_devices_done(&l);
}

static void
holder_is_named(void)
{
	struct stf_match m[] = {{"model", "Pixel 6"}};
	struct stf_want want = {.match = m, .match_count = 1};
	struct stf_devices l = devices("[" BUSY_6 "]");
	struct err err = ERR_INIT;
	struct stf_choice c;

	stf_choose(&l, &want, 1, "me@x", &c);
	CHECK(stf_choose_error(&c, &err) == -1);
	CHECK(err.code == ERR_BUSY);
	CHECK_STR(err.reason, "device_busy");
	CHECK_HAS(err.msg, "'C' (Pixel 6)");
	CHECK_HAS(err.msg, "Jane <jane@x> since 2024-01-01T10:00:00Z");
	stf_choose_done(&c);
	/* The same phone held by this account is another run's. */
	stf_choose(&l, &want, 1, "jane@x", &c);
	CHECK(c.item[0].state == STF_MINE && c.free_count == 0);
	stf_choose_done(&c);
	stf_devices_done(&l);
}

static void
each_state_has_its_reason(void)
{
	static const struct {
		const char *text, *reason;
	} cases[] = {
		{"[{\"serial\":\"X\",\"present\":false,\"ready\":true,"
		 "\"status\":3,\"using\":true,\"owner\":null}]",
		 "device_absent"},
		{"[{\"serial\":\"X\",\"present\":true,\"ready\":false,"
		 "\"status\":3}]",
		 "device_not_ready"},
		{"[{\"serial\":\"X\",\"present\":true,\"ready\":true,"
		 "\"status\":1}]",
		 "device_not_ready"},
		{"[{\"serial\":\"X\",\"present\":true,\"ready\":true,"
		 "\"status\":2}]",
		 "device_unauthorized"},
		{"[{\"serial\":\"X\",\"present\":true,\"ready\":true,"
		 "\"status\":3,\"using\":true}]",
		 "device_busy"},
	};
	struct stf_want want = {.serial = "X"};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stf_devices l = devices(cases[i].text);
		struct err err = ERR_INIT;
		struct stf_choice c;

		stf_choose(&l, &want, 1, "me@x", &c);
		CHECK(stf_choose_error(&c, &err) == -1);
		CHECK(err.code == ERR_BUSY);
		CHECK_STR(err.reason, cases[i].reason);
		stf_choose_done(&c);
		stf_devices_done(&l);
	}
}

static void
never_fitted_is_not_busy(void)
{
	struct stf_match m[] = {{"manufacturer", "GOOGLE"},
				{"model", "Pixel 66"},
				{"sdk", "34"}};
	struct stf_want want = {.match = m, .match_count = 3};
	struct stf_devices l = devices("[" FREE_6A "," BUSY_6 "]");
	struct err err = ERR_INIT;
	struct stf_choice c;

	stf_choose(&l, &want, 1, "me@x", &c);
	CHECK(stf_choose_error(&c, &err) == -1);
	CHECK(err.code == ERR_NOTFOUND);
	CHECK_STR(err.reason, "no_device_fits");
	CHECK_HAS(err.msg, "'C'"); /* its sdk fits: the nearest */
	CHECK_HAS(err.msg, "manufacturer is unknown, not 'GOOGLE'");
	stf_choose_done(&c);
	stf_devices_done(&l);
}

static void
phones_that_are_no_android_never_fit(void)
{
	struct stf_want want = {.serial = NULL};
	struct stf_devices l = devices(
		"[{\"serial\":\"i\",\"platform\":\"iOS\",\"present\":true,"
		"\"ready\":true,\"status\":3},{\"no\":\"serial\"},7]");
	struct stf_choice c;

	CHECK(l.count == 1);
	stf_choose(&l, &want, 1, "me@x", &c);
	CHECK(c.fit_count == 0);
	stf_choose_done(&c);
	stf_devices_done(&l);
}

static void
no_device_at_all(void)
{
	struct stf_want want = {.serial = "A"};
	struct stf_devices l = devices("[]");
	struct err err = ERR_INIT;
	struct stf_choice c;

	stf_choose(&l, &want, 1, NULL, &c);
	CHECK(stf_choose_error(&c, &err) == -1 && err.code == ERR_NOTFOUND);
	stf_choose_done(&c);
	stf_devices_done(&l);
}

static void
never_ready_may_be_the_one(void)
{
	struct stf_match m[] = {{"model", "Pixel 6"}};
	struct stf_want want = {.match = m, .match_count = 1};
	struct stf_devices l =
		devices("[{\"serial\":\"N\",\"present\":true,\"ready\":false,"
			"\"status\":3,\"owner\":null},"
			"{\"serial\":\"O\",\"present\":true,\"ready\":false,"
			"\"status\":3,\"model\":\"Pixel 7\"}]");
	struct err err = ERR_INIT;
	struct stf_choice c;

	stf_choose(&l, &want, 1, "me@x", &c);
	CHECK(c.fit_count == 1 && c.free_count == 0);
	CHECK(stf_choose_error(&c, &err) == -1);
	CHECK_STR(err.reason, "device_not_ready");
	CHECK_HAS(err.msg, "'N'");
	stf_choose_done(&c);
	stf_devices_done(&l);
}

CHECK_MAIN(CHECK_CASE("the farm's order does not matter",
		      order_does_not_matter),
	   CHECK_CASE("operators compare dotted versions",
		      operators_compare_versions),
	   CHECK_CASE("candidates are tried in the plan's order",
		      candidates_are_tried_in_order),
	   CHECK_CASE("the holder of a busy phone is named", holder_is_named),
	   CHECK_CASE("each state has its own reason",
		      each_state_has_its_reason),
	   CHECK_CASE("a match that never fitted is not a busy phone",
		      never_fitted_is_not_busy),
	   CHECK_CASE("a phone that is no Android never fits",
		      phones_that_are_no_android_never_fit),
	   CHECK_CASE("a phone that never was ready may be the one",
		      never_ready_may_be_the_one),
	   CHECK_CASE("an empty farm says so", no_device_at_all), )
