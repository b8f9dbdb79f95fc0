#include "report/result.h"

#include "base/file.h"
#include "base/mem.h"
#include "check.h"

static struct result r;

static void
begin(void)
{
	result_init(&r, "run", "t");
}

/* How many entries of this name the result has. */
static int
entries(const char *key)
{
	const cJSON *item;
	int n = 0;

	cJSON_ArrayForEach(item, r.json) n += strcmp(item->string, key) == 0;
	return n;
}

static void
first_to_decide_wins(void)
{
	begin();
	CHECK(result_exit_status(&r) == 0);
	result_decide(&r, RESULT_FAILED, "crash", "it crashed at %d", 7);
	result_decide(&r, RESULT_CANCELLED, "signal", "too late");
	CHECK_STR(json_str(r.json, "reason", NULL), "crash");
	CHECK_STR(json_str(r.json, "message", NULL), "it crashed at 7");
	CHECK(result_exit_status(&r) == 1);
	CHECK(entries("reason") == 1 && entries("message") == 1);
	result_done(&r);
}

static void
errors_pick_the_outcome(void)
{
	static const struct {
		enum err_code code;
		int status;
		const char *outcome, *reason;
	} rows[] = {
		{ERR_USAGE, 2, "invalid_input", "usage"},
		{ERR_INPUT, 2, "invalid_input", "input"},
		{ERR_CANCELLED, 5, "cancelled", "cancelled"},
		{ERR_IO, 3, "infra_error", "io"},
		{ERR_TIMEOUT, 3, "infra_error", "timeout"},
		{ERR_BUSY, 3, "infra_error", "busy"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct err err = ERR_INIT;

		begin();
		err_set(&err, rows[i].code, "100%% bad");
		result_decide_error(&r, &err);
		CHECK(result_exit_status(&r) == rows[i].status);
		CHECK_STR(result_outcome_name(r.outcome), rows[i].outcome);
		CHECK_STR(json_str(r.json, "reason", NULL), rows[i].reason);
		CHECK_STR(json_str(r.json, "message", NULL), "100% bad");
		result_done(&r);
	}
	begin();
	{
		struct err err = ERR_INIT;

		err_set(&err, ERR_REMOTE, "x");
		err_reason(&err, "lease_lost");
		result_decide_error(&r, &err);
		CHECK_STR(json_str(r.json, "reason", NULL), "lease_lost");
	}
	result_done(&r);
}

static void
left_behind_is_status_6(void)
{
	begin();
	result_decide(&r, RESULT_FAILED, "x", "y");
	CHECK(!result_has_left(&r));
	result_left_behind(&r, "phone", "could not be given back");
	CHECK(result_has_left(&r) && result_exit_status(&r) == 6);
	result_done(&r);
}

static void
errors_are_bounded(void)
{
	struct err err = ERR_INIT;

	begin();
	err_set(&err, ERR_IO, "bad bytes \xff");
	for (int i = 0; i < 500; i++)
		result_error(&r, &err, i ? "walk" : NULL);
	CHECK(json_count(r.json, "errors") == 100);
	CHECK_STR(json_str(cJSON_GetArrayItem(json_get(r.json, "errors"), 0),
			   "message", NULL),
		  "bad bytes \xef\xbf\xbd");
	result_done(&r);
}

static void
objects_are_made_once(void)
{
	begin();
	json_set_int(result_object(&r, "device"), "n", 1);
	CHECK(json_int(result_object(&r, "device"), "n", 0) == 1);
	json_set_str(r.json, "device", "a text");
	json_set_int(result_object(&r, "device"), "n", 2);
	CHECK(json_int(r.json, "device.n", 0) == 2);
	json_push_str(result_array(&r, "new"), "x");
	json_push_str(result_array(&r, "new"), "y");
	CHECK(json_count(r.json, "new") == 2);
	CHECK(entries("new") == 1 && entries("device") == 1);
	result_stage(&r, "take", "ok", 12, NULL);
	CHECK(json_count(r.json, "stages") == 1);
	result_done(&r);
}

static void
foreign_kinds_are_no_reasons(void)
{
	struct err err = ERR_INIT;

	begin();
	err_set(&err, ERR_REMOTE, "call: RemoteError: x");
	err_reason(&err, "RemoteError");
	result_decide_error(&r, &err);
	CHECK_STR(json_str(r.json, "reason", NULL), "app_refused");
	result_done(&r);
}

static void
written_once_and_again(void)
{
	AUTO_FREE char *path = file_join(getenv("TMPDIR"), "result.json");
	AUTO_JSON cJSON *v = NULL;
	struct err err = ERR_INIT;

	begin();
	CHECK(result_write(&r, getenv("TMPDIR"), &err) == 0);
	result_decide(&r, RESULT_TIMED_OUT, "late", "too late");
	/* A record of a history may have been made of it. */
	json_set_str(r.json, "ended_at", "2026-11-30T10:46:00Z");
	CHECK(result_write(&r, getenv("TMPDIR"), &err) == 0);
	REQUIRE(json_read_file(path, 1 << 20, &v, &err) == 0);
	CHECK_STR(json_str(v, "outcome", NULL), "timed_out");
	CHECK(json_int(v, "exit_status", -1) == 4);
	CHECK(json_int(v, "schema_version", -1) == 1);
	CHECK(json_int(v, "duration_ms", -1) >= 0);
	CHECK_STR(json_str(v, "ended_at", ""), "2026-11-30T10:46:00Z");
	CHECK(entries("outcome") == 1 && entries("ended_at") == 1);
	CHECK(result_write(&r, "/dev/null", &err) == -1);
	CHECK_HAS(err.msg, "result.json");
	result_done(&r);
}

CHECK_MAIN(CHECK_CASE("the first to decide the outcome wins",
		      first_to_decide_wins),
	   CHECK_CASE("an error's code picks outcome and exit status",
		      errors_pick_the_outcome),
	   CHECK_CASE("what is left behind is exit status 6",
		      left_behind_is_status_6),
	   CHECK_CASE("errors are bounded and valid text", errors_are_bounded),
	   CHECK_CASE("objects and arrays are made once",
		      objects_are_made_once),
	   CHECK_CASE("what the app's server calls it is no reason of ours",
		      foreign_kinds_are_no_reasons),
	   CHECK_CASE("the file tells the end, written once or again",
		      written_once_and_again), )
