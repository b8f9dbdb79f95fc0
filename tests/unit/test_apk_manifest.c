#include <unistd.h>

#include "apk/apk_manifest.h"
#include "base/buf.h"
#include "base/file.h"
#include "tests/unit/check.h"

#define DATA "tests/data/apk/"

static int
parse(const char *path, struct apk_manifest *m, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT;

	CHECK(file_read(path, &b, err) == 0);
	return apk_manifest_parse(b.data, b.len, m, err);
}

static void
signed_apk(void)
{
	struct err err = ERR_INIT;
	struct apk_manifest m;

	REQUIRE(apk_manifest_read(DATA "signed.apk", &m,
				  deadline_in(NULL, 5000), &err) == 0);
	CHECK_STR(m.package, "com.example.starfall");
	CHECK_STR(m.version_name, "1.4.2");
	CHECK(m.version_code == 421);
	CHECK(m.min_sdk == 26 && m.target_sdk == 34);
	CHECK(m.debuggable && !m.test_only && !m.split);
	CHECK_STR(m.activity, "com.unity3d.player.UnityPlayerGameActivity");
	CHECK(m.abi_count == 2);
	CHECK_STR(m.abi[0], "arm64-v8a");
	CHECK_STR(m.abi[1], "armeabi-v7a");
	CHECK(m.signed_v1 && m.signed_block);
	CHECK(apk_manifest_runs_on(&m, "arm64-v8a,armeabi-v7a,armeabi"));
	CHECK(apk_manifest_runs_on(&m, "x86_64, armeabi-v7a"));
	CHECK(!apk_manifest_runs_on(&m, "x86_64,x86"));
	CHECK(!apk_manifest_runs_on(&m, "arm64"));
	CHECK(!apk_manifest_runs_on(&m, ""));
	apk_manifest_done(&m);
}

static void
same_from_aapt2(void)
{
	struct err err = ERR_INIT;
	struct apk_manifest m;

	REQUIRE(parse(DATA "aapt2.axml", &m, &err) == 0);
	CHECK_STR(m.package, "com.example.starfall");
	CHECK_STR(m.version_name, "1.4.2");
	CHECK_STR(m.activity, "com.unity3d.player.UnityPlayerGameActivity");
	CHECK(m.version_code == 421 && m.debuggable && m.target_sdk == 34);
	CHECK(apk_manifest_runs_on(&m, "x86"));
	apk_manifest_done(&m);
}

static void
alias_is_the_launcher(void)
{
	struct err err = ERR_INIT;
	struct apk_manifest m;

	REQUIRE(parse(DATA "alias.axml", &m, &err) == 0);
	CHECK_STR(m.activity, "com.example.alias.Entry");
	CHECK(m.test_only && !m.debuggable);
	CHECK(m.min_sdk == 21 && m.target_sdk == 21);
	CHECK(m.version_name == NULL && m.version_code == 7);
	apk_manifest_done(&m);
}

static void
split_is_named(void)
{
	struct err err = ERR_INIT;
	struct apk_manifest m;

	REQUIRE(parse(DATA "split.axml", &m, &err) == 0);
	CHECK_STR(m.split, "config.arm64_v8a");
	CHECK(m.activity == NULL && m.min_sdk == 1);
	apk_manifest_done(&m);
}

/* Every cut and every changed byte: an error or an answer, no crash. */
static void
damage_is_told(void)
{
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	struct apk_manifest m;
	size_t failed = 0;

	REQUIRE(file_read(DATA "full.axml", &b, &err) == 0);
	for (size_t i = 0; i < b.len; i++) {
		char *copy = malloc(i ? i : 1);

		memcpy(copy, b.data, i);
		memset(&err, 0, sizeof(err));
		if (apk_manifest_parse(copy, i, &m, &err) == 0)
			apk_manifest_done(&m);
		else if (err.code == ERR_INPUT)
			failed++;
		free(copy);
		for (int v = 0; v < 256; v += 51) {
			char was = b.data[i];

			memset(&err, 0, sizeof(err));
			b.data[i] = (char)v;
			if (apk_manifest_parse(b.data, b.len, &m, &err) == 0)
				apk_manifest_done(&m);
			b.data[i] = was;
		}
	}
	CHECK(failed > b.len / 2);
}

static void
text_is_no_binary(void)
{
	static const char text[] = "<?xml version=\"1.0\"?><manifest/>";
	struct err err = ERR_INIT;
	struct apk_manifest m;

	CHECK(apk_manifest_parse(text, sizeof(text) - 1, &m, &err) == -1);
	CHECK(err.code == ERR_INPUT);
	CHECK_STR(err.reason, "bad_manifest");
	CHECK_HAS(err.msg, "XML text");
	err_clear(&err);
	CHECK(apk_manifest_parse("", 0, &m, &err) == -1);
}

static void
no_apk_at_all(void)
{
	struct err err = ERR_INIT;
	struct apk_manifest m;
	struct deadline dl = deadline_in(NULL, 5000);

	CHECK(apk_manifest_read("tests/data/zips/two.zip", &m, dl, &err) == -1);
	CHECK_STR(err.reason, "no_manifest");
	err_clear(&err);
	CHECK(apk_manifest_read(DATA "full.axml", &m, dl, &err) == -1);
	CHECK_STR(err.reason, "not_a_zip");
	err_clear(&err);
	CHECK(apk_manifest_read("tests/data/none", &m, dl, &err) == -1);
	CHECK(err.code == ERR_INPUT);
}

CHECK_MAIN(CHECK_CASE("a signed APK says all about itself", signed_apk),
	   CHECK_CASE("aapt2's binary XML reads the same", same_from_aapt2),
	   CHECK_CASE("an alias can be the launcher", alias_is_the_launcher),
	   CHECK_CASE("a split has its name", split_is_named),
	   CHECK_CASE("damage is told and never crashes", damage_is_told),
	   CHECK_CASE("XML text is not an APK's manifest", text_is_no_binary),
	   CHECK_CASE("what is no APK is told", no_apk_at_all), )
