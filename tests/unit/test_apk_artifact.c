#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "apk/apk_artifact.h"
#include "apk/apk_zip.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "tests/unit/check.h"

#define ZIPS "tests/data/zips/"

static char dir[64];

static int
open_artifact(const char *path, const char *glob, struct apk_artifact *a,
	      struct err *err)
{
	struct apk_artifact_ask ask = {
		.path = path,
		.content_type = "application/x-test",
		.glob = glob,
		.work_dir = dir,
	};

	memset(err, 0, sizeof(*err));
	snprintf(dir, sizeof(dir), "/tmp/test_apk.XXXXXX");
	CHECK(mkdtemp(dir) != NULL);
	return apk_artifact_open(&ask, a, deadline_in(NULL, 20000), err);
}

static void
clean(struct apk_artifact *a)
{
	struct err err = ERR_INIT;

	if (a)
		apk_artifact_done(a);
	CHECK(file_remove_tree(dir, &err) == 0);
}

/* Whether the work folder is empty, so that nothing half is left. */
static bool
left_nothing(void)
{
	return rmdir(dir) == 0 && mkdir(dir, 0700) == 0;
}

static void
found_in_any_folder(void)
{
	static const char *const zips[] = {ZIPS "one.zip", ZIPS "nested.zip"};

	for (int i = 0; i < 2; i++) {
		AUTO_BUF struct buf b = BUF_INIT;
		struct apk_artifact a;
		struct err err;

		REQUIRE(open_artifact(zips[i], NULL, &a, &err) == 0);
		CHECK(a.count == 1 && a.file[0].size_bytes == 104);
		CHECK(strncmp(a.file[0].path, dir, strlen(dir)) == 0);
		CHECK_HAS(a.file[0].path, "/game.apk");
		CHECK_STR(a.file[0].name,
			  i ? "out/Release/game.apk" : "game.apk");
		CHECK(strlen(a.file[0].sha256) == 64);
		CHECK(file_read(a.file[0].path, &b, &err) == 0);
		CHECK(b.len == 104);
		clean(&a);
	}
}

static void
bare_apk_stays(void)
{
	const char *path = "tests/data/apk/signed.apk";
	struct apk_artifact a;
	struct err err;

	REQUIRE(open_artifact(path, "*.apk", &a, &err) == 0);
	CHECK(a.count == 1);
	CHECK_STR(a.file[0].path, path);
	CHECK(strlen(a.file[0].sha256) == 64 && a.file[0].size_bytes > 8000);
	CHECK(left_nothing());
	clean(&a);
}

static void
several_are_listed(void)
{
	struct apk_artifact a;
	struct err err;

	CHECK(open_artifact(ZIPS "two.zip", NULL, &a, &err) == -1);
	CHECK(err.code == ERR_INPUT);
	CHECK_STR(err.reason, "several_apks");
	CHECK_HAS(err.msg, "'game-arm64.apk', 'game-armv7.apk'");
	CHECK_HAS(err.msg, "apk: GLOB");
	clean(NULL);
	CHECK(open_artifact(ZIPS "two.zip", "*ARM64.apk", &a, &err) == 0);
	CHECK_STR(a.file[0].name, "game-arm64.apk");
	clean(&a);
	CHECK(open_artifact(ZIPS "two.zip", "x*.apk", &a, &err) == -1);
	CHECK_STR(err.reason, "no_apk");
	CHECK_HAS(err.msg, "'x*.apk'");
	clean(NULL);
}

static void
splits_are_a_set(void)
{
	struct apk_artifact a;
	struct err err;

	REQUIRE(open_artifact(ZIPS "splits.zip", NULL, &a, &err) == 0);
	CHECK(a.count == 3);
	CHECK_STR(a.file[0].name, "base-master.apk");
	CHECK_HAS(a.file[0].path, "/game.apk");
	CHECK_HAS(a.file[2].path, "/split-2.apk");
	clean(&a);
}

static void
data_descriptors(void)
{
	AUTO_BUF struct buf b = BUF_INIT;
	struct apk_artifact a;
	struct err err;

	REQUIRE(open_artifact(ZIPS "upload-artifact.zip", "game.apk", &a,
			      &err) == 0);
	CHECK(a.file[0].size_bytes == 11);
	CHECK(file_read(a.file[0].path, &b, &err) == 0);
	CHECK(b.len == 11);
	clean(&a);
}

static void
names_never_lead_out(void)
{
	static const char *const zips[] = {ZIPS "slip.zip", ZIPS "abs.zip",
					   ZIPS "bs.zip"};

	for (int i = 0; i < 3; i++) {
		struct apk_artifact a;
		struct err err;

		CHECK(open_artifact(zips[i], NULL, &a, &err) == -1);
		CHECK(err.code == ERR_INPUT);
		CHECK_STR(err.reason, "bad_entry_name");
		CHECK_HAS(err.msg, "evil.apk");
		CHECK(left_nothing());
		CHECK(access("/tmp/evil.apk", F_OK) == -1);
		clean(NULL);
	}
	CHECK(apk_zip_name_odd("a/../../x") && apk_zip_name_odd("C:\\x.apk"));
	CHECK(apk_zip_name_odd("..") && apk_zip_name_odd("a/.."));
	CHECK(!apk_zip_name_odd("a/..b/x..apk") && !apk_zip_name_odd("a.apk"));
}

static void
bundles_are_refused(void)
{
	struct apk_artifact a;
	struct err err;

	CHECK(open_artifact(ZIPS "aab.zip", NULL, &a, &err) == -1);
	CHECK_STR(err.reason, "is_aab");
	CHECK_HAS(err.msg, "game.aab");
	clean(NULL);
}

/* A zip made here, of one entry. */
static void
make_zip(const char *path, const char *name, const void *data, size_t len)
{
	zip_t *z = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
	zip_int64_t i;

	i = zip_file_add(z, name, zip_source_buffer(z, data, len, 0), 0);
	CHECK(i == 0 && zip_close(z) == 0);
}

static void
bombs_are_refused(void)
{
	size_t len = (64 << 20) + 1;
	char *zero = calloc(1, len);
	struct apk_artifact a;
	struct err err;

	make_zip("build/bomb.zip", "game.apk", zero, len);
	free(zero);
	CHECK(open_artifact("build/bomb.zip", NULL, &a, &err) == -1);
	CHECK(err.code == ERR_INPUT);
	CHECK_STR(err.reason, "zip_too_large");
	CHECK(left_nothing());
	clean(NULL);
	unlink("build/bomb.zip");
}

/* `find` in the bytes is replaced from offset `from` of the last one. */
static void
patch_last(struct buf *b, const char *find, size_t at, const void *by,
	   size_t len)
{
	for (size_t i = b->len - 4; i > 0; i--) {
		if (memcmp(b->data + i, find, 4) == 0) {
			memcpy(b->data + i + at, by, len);
			return;
		}
	}
	CHECK(false);
}

static void
lies_about_sizes(void)
{
	/* Offset in the central directory's entry, what to write there. */
	static const struct {
		size_t at;
		unsigned char by[4];
		const char *reason;
	} cases[] = {
		{24, {0xff, 0xff, 0xff, 0xf0}, "zip_too_large"},
		{24, {10, 0, 0, 0}, "zip_corrupt"},
		{24, {0, 0x10, 0, 0}, "zip_corrupt"},
		{16, {1, 2, 3, 4}, "zip_corrupt"}, /* its checksum */
		{8, {9, 8, 8, 0}, NULL},	   /* encrypted */
	};
	char text[2000];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * i >> 3);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		AUTO_BUF struct buf b = BUF_INIT;
		struct apk_artifact a;
		struct err err = ERR_INIT;

		make_zip("build/lie.zip", "game.apk", text, sizeof(text));
		CHECK(file_read("build/lie.zip", &b, &err) == 0);
		patch_last(&b, "PK\1\2", cases[i].at, cases[i].by,
			   cases[i].reason ? 4 : 2);
		CHECK(file_write_raw("build/lie.zip", b.data, b.len, &err) ==
		      0);
		CHECK(open_artifact("build/lie.zip", NULL, &a, &err) == -1);
		CHECK(err.code == ERR_INPUT);
		if (cases[i].reason)
			CHECK_STR(err.reason, cases[i].reason);
		CHECK(left_nothing());
		clean(NULL);
	}
	unlink("build/lie.zip");
}

static void
no_zip_shows_its_bytes(void)
{
	struct err err = ERR_INIT;
	struct apk_artifact a;

	CHECK(file_write_raw("build/no.zip", "<html>x</html> and more text", 28,
			     &err) == 0);
	CHECK(open_artifact("build/no.zip", NULL, &a, &err) == -1);
	CHECK(err.code == ERR_INPUT);
	CHECK_STR(err.reason, "not_a_zip");
	CHECK_HAS(err.msg, "<html>x");
	CHECK_HAS(err.msg, "application/x-test");
	clean(NULL);
	CHECK(file_write_raw("build/no.zip", "PK\3\4cut", 7, &err) == 0);
	CHECK(open_artifact("build/no.zip", NULL, &a, &err) == -1);
	CHECK_HAS(err.msg, "its end is missing");
	clean(NULL);
	CHECK(file_write_raw("build/no.zip", "", 0, &err) == 0);
	CHECK(open_artifact("build/no.zip", NULL, &a, &err) == -1);
	CHECK_HAS(err.msg, "empty");
	clean(NULL);
	CHECK(open_artifact("build", NULL, &a, &err) == -1);
	clean(NULL);
	unlink("build/no.zip");
}

/* Without file_write's flush, for many files. */
static void
dump(const char *path, const void *data, size_t len)
{
	FILE *f = fopen(path, "w");

	CHECK(f && fwrite(data, 1, len, f) == len && fclose(f) == 0);
}

/* Bytes of a small zip changed, and cuts of it: no crash. */
static void
damage_is_told(void)
{
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;

	CHECK(file_read(ZIPS "upload-artifact.zip", &b, &err) == 0);
	for (size_t i = 0; i < b.len; i += 3) {
		AUTO_BUF struct buf c = BUF_INIT;
		struct apk_artifact a;

		buf_add(&c, b.data, b.len);
		c.data[i] = (char)(c.data[i] ^ 0x55);
		dump("build/x.zip", c.data, i & 1 ? c.len : i);
		clean(open_artifact("build/x.zip", "game.apk", &a, &err) == 0
			      ? &a
			      : NULL);
	}
	unlink("build/x.zip");
}

CHECK_MAIN(CHECK_CASE("the APK is found in any folder", found_in_any_folder),
	   CHECK_CASE("an artifact that is the APK stays as it is",
		      bare_apk_stays),
	   CHECK_CASE("several APKs are listed", several_are_listed),
	   CHECK_CASE("a base and its splits are a set", splits_are_a_set),
	   CHECK_CASE("the central directory counts", data_descriptors),
	   CHECK_CASE("names never lead out of the folder",
		      names_never_lead_out),
	   CHECK_CASE("bundles are refused", bundles_are_refused),
	   CHECK_CASE("bombs are refused", bombs_are_refused),
	   CHECK_CASE("lies about sizes are found", lies_about_sizes),
	   CHECK_CASE("what is no zip shows its first bytes",
		      no_zip_shows_its_bytes),
	   CHECK_CASE("damage is told and never crashes", damage_is_told), )
