#include "report/outputs.h"

#include <errno.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/secret.h"
#include "check.h"

static const char *const names[] = {"result.json", "slack.json", "junit.xml",
				    "summary.md", "report.html"};
enum { NAMES = sizeof(names) / sizeof(*names) };

static char *
fresh(void)
{
	char *dir = file_join(getenv("TMPDIR"), "out");
	struct err err = ERR_INIT;

	(void)unsetenv("GITHUB_ACTIONS");
	(void)unsetenv("GITHUB_OUTPUT");
	(void)unsetenv("GITHUB_STEP_SUMMARY");
	CHECK(file_remove_tree(dir, &err) == 0);
	CHECK(file_mkdirs(dir, &err) == 0);
	return dir;
}

static bool
regular(const char *dir, const char *name)
{
	AUTO_FREE char *path = file_join(dir, name);
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;

	return file_read(path, &b, &err) == 0 && b.len > 0;
}

static void
all_are_written(void)
{
	AUTO_FREE char *dir = fresh();
	struct err err = ERR_INIT;
	struct result r;

	secret_register("output-secret-1");
	result_init(&r, "run", "output-secret-1");
	CHECK(outputs_write(&r, dir, &err) == 0);
	for (size_t i = 0; i < NAMES; i++) {
		AUTO_FREE char *path = file_join(dir, names[i]);
		AUTO_BUF struct buf b = BUF_INIT;

		CHECK(file_read(path, &b, &err) == 0 && b.len > 0);
		CHECK(!strstr(b.data, "output-secret-1"));
	}
	result_done(&r);
}

static void
full_disk_is_told_once(void)
{
	for (size_t full = 0; full < NAMES; full++) {
		AUTO_FREE char *dir = fresh();
		AUTO_FREE char *path = file_join(dir, names[full]);
		struct err err = ERR_INIT;
		struct result r;

		REQUIRE(symlink("/dev/full", path) == 0);
		result_init(&r, "run", "t");
		CHECK(outputs_write(&r, dir, &err) == -1);
		CHECK(err.sys == ENOSPC);
		CHECK_HAS(err.msg, names[full]);
		for (size_t i = 0; i < NAMES; i++)
			CHECK(i == full || regular(dir, names[i]));
		result_done(&r);
	}
}

static void
no_folder_is_told(void)
{
	struct err err = ERR_INIT;
	struct result r;

	result_init(&r, "run", "t");
	CHECK(outputs_write(&r, "/dev/null", &err) == -1);
	CHECK_HAS(err.msg, "result.json");
	result_done(&r);
}

/* Slack's limits cut long text: where a secret is must not matter. */
static void
cut_text_keeps_no_secret(void)
{
	struct err err = ERR_INIT;

	secret_register("cut-secret-123456789");
	for (size_t before = 0; before < 4200; before += 19) {
		AUTO_FREE char *dir = fresh();
		AUTO_FREE char *pad = mem_alloc(before + 1);
		AUTO_FREE char *text = NULL;
		struct result r;

		memset(pad, 'x', before);
		text = mem_fmt("%scut-secret-123456789 and more", pad);
		result_init(&r, "run", "t");
		result_decide(&r, RESULT_INFRA_ERROR, "io", "%s", text);
		CHECK(outputs_write(&r, dir, &err) == 0);
		for (size_t i = 0; i < NAMES; i++) {
			AUTO_FREE char *path = file_join(dir, names[i]);
			AUTO_BUF struct buf b = BUF_INIT;

			CHECK(file_read(path, &b, &err) == 0);
			CHECK(!strstr(b.data, "cut-s"));
		}
		result_done(&r);
	}
	err_clear(&err);
	for (size_t before = 0; before < sizeof(err.msg) + 9; before++) {
		err_set(&err, ERR_IO, "%*s", (int)before, "");
		err_set(&err, ERR_IO, "%s%s", err.msg, "cut-secret-123456789");
		CHECK(!strstr(err.msg, "cut-s"));
		err_wrap(&err, "cut-secret-123456789");
		CHECK(!strstr(err.msg, "cut-s"));
	}
}

CHECK_MAIN(CHECK_CASE("a text that is cut keeps no part of a secret",
		      cut_text_keeps_no_secret),
	   CHECK_CASE("every output is written, without secrets",
		      all_are_written),
	   CHECK_CASE("a full disk is told once and the others are there",
		      full_disk_is_told_once),
	   CHECK_CASE("a folder that cannot be written is told",
		      no_folder_is_told), )
