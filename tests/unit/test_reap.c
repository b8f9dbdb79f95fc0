#include "farm/reap.h"

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "check.h"
#include "fake_http.h"
#include "farm/lease_journal.h"
#include "farm/phone_lock.h"

/* A farm that knows one phone, "S1". */
static char owner[64];
static bool refuses;

static void
handle(void *arg, const struct fake_request *q, struct fake_reply *r)
{
	const char *p = q->path;

	(void)arg;
	if (strcmp(p, "/api/v1/user") == 0) {
		fake_text(r, 200,
			  "{\"success\":true,\"user\":{\"email\":\"me@x\","
			  "\"name\":\"Me\"}}");
	} else if (strcmp(q->method, "DELETE") == 0) {
		if (!refuses)
			owner[0] = '\0';
		fake_text(r, refuses ? 403 : 200, "{\"success\":%s}",
			  refuses ? "false" : "true");
	} else if (strcmp(p, "/api/v1/devices/S1") == 0) {
		fake_text(r, 200,
			  "{\"success\":true,\"device\":{\"serial\":\"S1\","
			  "\"present\":true,\"ready\":true,\"status\":3,"
			  "\"usageChangedAt\":\"T2\",\"usage\":\"automation\","
			  "\"using\":%s,\"owner\":%s%s%s}}",
			  *owner ? "true" : "false",
			  *owner ? "{\"email\":\"" : "null", owner,
			  *owner ? "\"}" : "");
	} else {
		fake_text(r, 404, "{\"success\":false}");
	}
}

static struct fake_http farm;
static struct settings set;
static struct reap_count count;
static struct err err;
static char *state, *out;

static void
begin(const char *owned_by)
{
	state = file_join(getenv("TMPDIR"), "state");
	out = file_join(getenv("TMPDIR"), "out");
	err_clear(&err);
	CHECK(file_remove_tree(state, &err) == 0);
	CHECK(file_remove_tree(out, &err) == 0);
	CHECK(file_mkdirs(state, &err) == 0 && file_mkdirs(out, &err) == 0);
	snprintf(owner, sizeof(owner), "%s", owned_by);
	refuses = false;
	fake_start(&farm, handle, NULL);
	set = (struct settings){.state_dir = state, .stf_url = farm.url};
	secret_set(&set.stf_token, "stf-token-1");
}

static void
end(void)
{
	settings_done(&set);
	fake_stop(&farm);
	free(state);
	free(out);
}

static void
left(const char *name, const char *items)
{
	AUTO_FREE char *path = file_join(state, name);
	AUTO_FREE char *text = mem_fmt("{\"run\":\"x\",\"pid\":1,\"out\":"
				       "\"%s\"}\n%s",
				       out, items);

	CHECK(file_write_raw(path, text, strlen(text), &err) == 0);
}

static int
reap_within(int64_t ms)
{
	err_clear(&err);
	return reap_dead(&set, NULL, &count, deadline_in(NULL, ms), &err);
}

static int
reap(void)
{
	return reap_within(60000);
}

static bool
is_there(const char *dir, const char *name)
{
	AUTO_FREE char *path = file_join(dir, name);

	return file_exists(path);
}

#define TAKE_S1	   "{\"take\":\"stf\",\"id\":\"S1\"}\n"
#define HAVE_S1(T) "{\"have\":\"stf\",\"id\":\"S1\",\"since\":\"" T "\"}\n"

static void
nothing_to_do(void)
{
	begin("");
	CHECK(reap() == 0 && count.runs == 0 && count.alive == 0);
	CHECK(file_remove_tree(state, &err) == 0);
	CHECK(reap() == 0 && count.runs == 0);
	end();
}

static void
phone_is_given_back(void)
{
	AUTO_FREE char *path = NULL;
	AUTO_JSON cJSON *v = NULL;

	begin("me@x");
	left("run-1-a.ndjson", TAKE_S1);
	path = file_join(out, "01-title.png.part");
	CHECK(file_write_raw(path, "x", 1, &err) == 0);
	CHECK(reap() == 0);
	CHECK(!file_exists(path));
	mem_auto_free(&path);
	CHECK(count.runs == 1 && count.given == 1 && count.left == 0);
	CHECK(owner[0] == '\0');
	CHECK(!is_there(state, "run-1-a.ndjson"));
	path = file_join(out, "result.json");
	REQUIRE(json_read_file(path, 1 << 20, &v, &err) == 0);
	CHECK_STR(json_str(v, "reason", NULL), "killed");
	CHECK_STR(json_str(v, "outcome", NULL), "cancelled");
	CHECK(is_there(out, "junit.xml") && is_there(out, "report.html"));
	end();
}

static void
anothers_is_left_alone(void)
{
	begin("other@x");
	left("run-1-a.ndjson", TAKE_S1);
	CHECK(reap() == 0 && count.left == 0);
	CHECK_STR(owner, "other@x");
	CHECK(fake_count(&farm, "DELETE") == 0);
	CHECK(!is_there(state, "run-1-a.ndjson"));
	end();
}

static void
what_stays_is_kept_and_named(void)
{
	begin("me@x");
	refuses = true;
	left("run-1-a.ndjson", TAKE_S1);
	left("run-2-b.ndjson", "{\"take\":\"moon\",\"id\":\"M\"}\n");
	left("run-3-c.ndjson", "");
	/* It asks again as long as it may. */
	CHECK(reap_within(4000) == -1);
	CHECK(count.runs == 3 && count.left == 2 && count.given == 0);
	CHECK(is_there(state, "run-1-a.ndjson"));
	CHECK(is_there(state, "run-2-b.ndjson"));
	CHECK(!is_there(state, "run-3-c.ndjson"));
	/* Later it goes. */
	refuses = false;
	CHECK(reap() == -1);
	CHECK(count.given == 1 && count.left == 1);
	CHECK_HAS(err.msg, "does not know how to give back 'moon'");
	CHECK(!is_there(state, "run-1-a.ndjson"));
	end();
}

static void
taken_anew_is_left_alone(void)
{
	begin("me@x");
	left("run-1-a.ndjson", TAKE_S1 HAVE_S1("T1"));
	CHECK(reap() == 0 && count.runs == 1);
	CHECK_STR(owner, "me@x");
	CHECK(!is_there(state, "run-1-a.ndjson"));
	left("run-1-b.ndjson", TAKE_S1 HAVE_S1("T2"));
	CHECK(reap() == 0);
	CHECK_STR(owner, "");
	end();
}

static void
no_token_is_told(void)
{
	begin("me@x");
	left("run-1-a.ndjson", TAKE_S1);
	secret_done(&set.stf_token);
	CHECK(reap() == -1 && count.left == 1);
	CHECK_HAS(err.msg, "STF_URL or STF_TOKEN is not set");
	CHECK(is_there(state, "run-1-a.ndjson"));
	end();
}

static void
own_result_is_kept(void)
{
	AUTO_FREE char *path = NULL;
	AUTO_FREE char *work = NULL;
	AUTO_BUF struct buf b = BUF_INIT;

	begin("me@x");
	path = file_join(out, "result.json");
	work = file_join(out, ".work/deep");
	CHECK(file_write_raw(path, "{}", 2, &err) == 0);
	CHECK(file_mkdirs(work, &err) == 0);
	left("run-1-a.ndjson", TAKE_S1);
	CHECK(reap() == 0);
	CHECK(file_read(path, &b, &err) == 0);
	CHECK_STR(b.data, "{}");
	CHECK(!is_there(out, ".work"));
	end();
}

static void
token_stays_at_its_farm(void)
{
	struct fake_http other;

	begin("me@x");
	fake_start(&other, handle, NULL);
	{
		AUTO_FREE char *line =
			mem_fmt("{\"take\":\"stf\",\"id\":\"S1\","
				"\"detail\":\"%s\"}\n",
				other.url);

		left("run-1-a.ndjson", line);
	}
	CHECK(reap() == -1 && count.left == 1);
	CHECK_HAS(err.msg, "reap with STF_URL and STF_TOKEN of that farm");
	CHECK(fake_count(&other, "GET") == 0);
	CHECK(is_there(state, "run-1-a.ndjson"));
	fake_stop(&other);
	end();
}

static void
live_run_keeps_its_phone(void)
{
	struct lease_journal j;

	begin("me@x");
	left("run-1-a.ndjson", TAKE_S1);
	REQUIRE(lease_journal_open(&j, state, out, &err) == 0);
	CHECK(lease_journal_take(&j, "stf", "S1", farm.url, &err) == 0);
	CHECK(reap() == 0 && count.given == 0 && count.left == 0);
	CHECK(fake_count(&farm, "DELETE") == 0);
	CHECK(lease_journal_gave(&j, "stf", NULL, &err) == 0);
	lease_journal_close(&j);
	CHECK(reap() == 0 && count.given == 1);
	CHECK(!is_there(state, "run-1-a.ndjson"));
	end();
}

/* It has asked for the phone and has only not written that down yet. */
static void
locked_phone_is_left_alone(void)
{
	struct phone_locks locks = {0};

	begin("me@x");
	left("run-1-a.ndjson", TAKE_S1);
	REQUIRE(phone_lock_take(&locks, state, farm.url, "S1", out, &err) == 0);
	CHECK(reap() == 0 && count.given == 0 && count.left == 0);
	CHECK(fake_count(&farm, "DELETE") == 0);
	CHECK(is_there(state, "run-1-a.ndjson"));
	phone_lock_drop_all(&locks);
	CHECK(reap() == 0 && count.given == 1);
	end();
}

static void
live_folder_is_not_touched(void)
{
	AUTO_FREE char *work = NULL;
	struct lease_journal j;

	begin("me@x");
	work = file_join(out, ".work/deep");
	CHECK(file_mkdirs(work, &err) == 0);
	left("run-1-a.ndjson", TAKE_S1);
	REQUIRE(lease_journal_open(&j, state, out, &err) == 0);
	CHECK(reap() == 0 && count.given == 1);
	CHECK(is_there(out, ".work/deep"));
	CHECK(!is_there(out, "result.json"));
	lease_journal_close(&j);
	end();
}

static void
unreadable_hides_nothing(void)
{
	AUTO_BUF struct buf big = BUF_INIT_MAX(4 << 20);

	begin("me@x");
	for (int i = 0; i < 3 << 20; i++)
		buf_chr(&big, '\n');
	left("run-0-z.ndjson", big.data);
	left("run-1-a.ndjson", TAKE_S1);
	CHECK(reap() == -1 && count.given == 1 && count.left == 0);
	CHECK_HAS(err.msg, "a dead run's journal: ");
	CHECK(owner[0] == '\0' && !is_there(state, "run-1-a.ndjson"));
	end();
}

static void
unwritable_result_is_not_reaped_twice(void)
{
	AUTO_FREE char *report = NULL;

	begin("me@x");
	left("run-1-a.ndjson", TAKE_S1);
	report = file_join(out, "junit.xml/in-the-way");
	CHECK(file_mkdirs(report, &err) == 0);
	CHECK(reap() == -1 && count.given == 1 && count.left == 0);
	CHECK(!is_there(state, "run-1-a.ndjson"));
	end();
}

CHECK_MAIN(CHECK_CASE("without dead runs there is nothing to do",
		      nothing_to_do),
	   CHECK_CASE("a dead run's phone is given back, its result written",
		      phone_is_given_back),
	   CHECK_CASE("a phone that another holds is left alone",
		      anothers_is_left_alone),
	   CHECK_CASE("a phone that the account took anew is left alone",
		      taken_anew_is_left_alone),
	   CHECK_CASE("what stays is named and kept for later",
		      what_stays_is_kept_and_named),
	   CHECK_CASE("a missing token is told", no_token_is_told),
	   CHECK_CASE("the token goes to no farm but the one that is set",
		      token_stays_at_its_farm),
	   CHECK_CASE("a phone that a living run has again is left to it",
		      live_run_keeps_its_phone),
	   CHECK_CASE("a phone that a living run has locked is left to it",
		      locked_phone_is_left_alone),
	   CHECK_CASE("a folder that a living run writes to is left to it",
		      live_folder_is_not_touched),
	   CHECK_CASE("a journal that can't be read hides no other",
		      unreadable_hides_nothing),
	   CHECK_CASE("what was given back is settled, result or not",
		      unwritable_result_is_not_reaped_twice),
	   CHECK_CASE("a result that is there is kept, its work is removed",
		      own_result_is_kept), )
