#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "check.h"
#include "report/slack.h"
#include "report/store.h"
#include "report/store_list.h"

static void
url_is_read(void)
{
	struct store_target t;
	struct err err = ERR_INIT;

	REQUIRE(store_parse("sftp://me@host/a/b/", &t, &err) == 0);
	CHECK_STR(t.user, "me");
	CHECK_STR(t.host, "host");
	CHECK_STR(t.path, "/a/b");
	CHECK(t.port == 22);
	store_target_done(&t);
	REQUIRE(store_parse("sftp://[::1]:2222/~/runs%20x", &t, &err) == 0);
	CHECK(t.user && *t.user);
	CHECK_STR(t.host, "::1");
	CHECK_STR(t.path, "runs x");
	CHECK(t.port == 2222);
	store_target_done(&t);
	REQUIRE(store_parse("sftp://[fe80::1]/p", &t, &err) == 0);
	CHECK_STR(t.host, "fe80::1");
	store_target_done(&t);
	REQUIRE(store_parse("sftp://a%40b@h:1/p", &t, &err) == 0);
	CHECK_STR(t.user, "a@b");
	CHECK(t.port == 1);
	store_target_done(&t);
}

static void
wrong_urls_are_refused(void)
{
	static const char *const urls[] = {
		"",
		"http://h/p",
		"sftp://",
		"sftp:///p",
		"sftp://h",
		"sftp://h/",
		"sftp://@h/p",
		"sftp://h:x/p",
		"sftp://h:0/p",
		"sftp://h/a%2",
		"sftp://h/a%zz",
		"sftp://h/a%00b",
		"sftp://h/a?b=c",
		"sftp://h/a#b",
		"sftp://h:70000/p",
	};

	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		struct store_target t;
		struct err err = ERR_INIT;

		if (store_parse(urls[i], &t, &err) == 0) {
			printf("# '%s' was taken\n", urls[i]);
			CHECK(false);
			store_target_done(&t);
			continue;
		}
		CHECK(err.code == ERR_INPUT && err_is(&err, "bad_setting"));
	}
}

static void
password_is_refused_and_not_shown(void)
{
	struct store_target t;
	struct err err = ERR_INIT;

	CHECK(store_parse("sftp://me:geheim@h/p", &t, &err) == -1);
	CHECK_HAS(err.msg, "no password");
	CHECK(strstr(err.msg, "geheim") == NULL);
}

static void
a_runs_folder_is_the_same_each_time(void)
{
	AUTO_JSON cJSON *o = json_obj(), *build = json_obj();
	AUTO_FREE char *bare = NULL, *whole = NULL, *none = NULL;

	none = store_name(o);
	CHECK_STR(none, "undated");
	json_set_str(o, "started_at", "2026-11-30T10:46:00Z");
	bare = store_name(o);
	CHECK_STR(bare, "20261130T104600Z");
	json_set_str(build, "run_id", "../42");
	json_set(o, "build", build);
	build = NULL;
	whole = store_name(o);
	CHECK_STR(whole, "20261130T104600Z-___42");
}

static void
touch(const char *dir, const char *name)
{
	AUTO_FREE char *path = file_join(dir, name);
	struct err err = ERR_INIT;

	CHECK(file_write_raw(path, "x", 1, &err) == 0);
}

static void
only_finished_files_are_listed(void)
{
	AUTO_FREE char *dir = file_join(getenv("TMPDIR"), "store");
	AUTO_FREE char *sub = file_join(dir, "screens");
	AUTO_FREE char *link = file_join(dir, "link");
	AUTO_FREE char *loop = file_join(sub, "loop");
	struct store_list l;
	struct err err = ERR_INIT;

	REQUIRE(file_mkdirs(sub, &err) == 0);
	touch(dir, "result.json");
	touch(dir, "report.html");
	touch(dir, ".work");
	touch(dir, "big.part");
	touch(sub, "result.json");
	touch(sub, "b\n\xff");
	CHECK(symlink("/etc/passwd", link) == 0);
	CHECK(symlink("..", loop) == 0);
	REQUIRE(store_list_read(dir, &l, &err) == 0);
	REQUIRE(l.count == 3);
	CHECK_STR(l.item[0], "report.html");
	CHECK_STR(l.item[1], "screens/b\n\xff");
	CHECK_STR(l.item[2], "screens/result.json");
	store_list_done(&l);
	CHECK(store_list_read("/does/not/exist", &l, &err) == -1);
}

static void
slack_tells_only_a_failed_upload(void)
{
	AUTO_JSON cJSON *result = json_obj();
	cJSON *store = json_obj();
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_JSON cJSON *good = NULL, *bad = NULL;

	json_set_str(store, "state", "stored");
	json_set(result, "store", store);
	good = slack_message(result);
	slack_text(good, &b);
	CHECK(strstr(b.data, "Not stored") == NULL);
	json_set_str(store, "state", "failed");
	json_set_str(store, "message", "the disk <there> is full");
	bad = slack_message(result);
	buf_clear(&b);
	slack_text(bad, &b);
	CHECK_HAS(b.data, "*Not stored*: the disk &lt;there&gt; is full");
}

CHECK_MAIN(CHECK_CASE("a store's URL is read", url_is_read),
	   CHECK_CASE("wrong URLs are refused", wrong_urls_are_refused),
	   CHECK_CASE("a password in a URL is refused and not shown",
		      password_is_refused_and_not_shown),
	   CHECK_CASE("a run's folder is the same each time",
		      a_runs_folder_is_the_same_each_time),
	   CHECK_CASE("only finished files are listed, no links",
		      only_finished_files_are_listed),
	   CHECK_CASE("Slack tells a failed upload and no other",
		      slack_tells_only_a_failed_upload), )
