#include "followup/unity_files.h"

#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "check.h"

static const char vulkan[] = "fixtures/starfall.graphicsstate",
		  kept[] = "plans/starfall.graphicsstate",
		  metal[] = "tests/data/graphicsstate/metal-mobile."
			    "graphicsstate";

static char dir[32];

static void
begin(void)
{
	(void)snprintf(dir, sizeof(dir), "/tmp/patrol-test-XXXXXX");
	if (mkdtemp(dir) == NULL)
		exit(EXIT_FAILURE);
}

static void
end(void)
{
	struct err err = ERR_INIT;

	(void)file_remove_tree(dir, &err); /* in /tmp */
}

static char *
text_of(const char *path)
{
	struct buf b = BUF_INIT;
	struct err err = ERR_INIT;

	CHECK(file_read(path, &b, &err) == 0);
	return buf_take(&b);
}

static void
merged_beside_the_base(void)
{
	begin();
	AUTO_FREE char *to = file_join(dir, "merged");
	AUTO_FREE char *again = file_join(dir, "again");
	AUTO_FREE char *before = text_of(kept);
	AUTO_JSON cJSON *o = json_obj();
	AUTO_JSON cJSON *twice = json_obj();
	struct unity_files_merge m = {.base = kept, .pulled = vulkan};
	struct err err = ERR_INIT;

	m.to = to;
	CHECK(unity_files_merge(&m, o, &err) == 0);
	CHECK(json_int(o, "base_variants", 0) == 4);
	CHECK(json_int(o, "added_variants", 0) == 3);
	CHECK(json_int(o, "variants", 0) == 7);
	CHECK(json_int(o, "pruned", -1) == 0);
	CHECK(json_count(o, "shaders") == 5);
	CHECK_STR(json_str(o, "api", NULL), "Vulkan");
	/* What is in it already is not added again. */
	m.base = to;
	m.to = again;
	CHECK(unity_files_merge(&m, twice, &err) == 0);
	CHECK(json_int(twice, "added_variants", -1) == 0);
	AUTO_FREE char *after = text_of(kept);
	AUTO_FREE char *one = text_of(to);
	AUTO_FREE char *two = text_of(again);
	CHECK_STR(after, before);
	CHECK_STR(two, one);
	end();
}

static void
log_prunes(void)
{
	static const char said[] =
		"11-30 07:00:01.000  812  840 W Unity   : Shader "
		"Starfall/Hologram, subshader 0, pass 0, stage pixel: variant "
		"_SCANLINES not found.\n"
		"11-30 07:00:01.000  812  840 W Unity   : Shader "
		"Starfall/Hologram, subshader 0, pass 0, stage pixel: variant "
		"_OTHER not found.\n"
		"11-30 07:00:01.000  812  840 W Unity   : Shader A, subshader "
		"0, pass 0, stage pixel: variant B not found.\n";

	begin();
	AUTO_FREE char *to = file_join(dir, "merged");
	AUTO_FREE char *log = file_join(dir, "logcat.txt");
	const char *logs[] = {log, log};
	struct unity_files_merge m = {
		.base = kept, .pulled = vulkan, .log = logs, .logs = 2};
	AUTO_JSON cJSON *o = json_obj();
	struct err err = ERR_INIT;

	m.to = to;
	REQUIRE(file_write(log, said, strlen(said), &err) == 0);
	CHECK(unity_files_merge(&m, o, &err) == 0);
	CHECK(json_int(o, "not_found", 0) == 3);
	CHECK(json_int(o, "pruned", 0) == 1);
	CHECK(json_int(o, "near_misses", 0) == 1);
	CHECK(json_int(o, "not_in_it", 0) == 1);
	CHECK(json_int(o, "variants", 0) == 6);
	end();
}

static void
refusal_names_both(void)
{
	begin();
	AUTO_FREE char *to = file_join(dir, "merged");
	struct unity_files_merge m = {.base = metal, .pulled = vulkan};
	AUTO_JSON cJSON *o = json_obj();
	struct err err = ERR_INIT;

	m.to = to;
	CHECK(unity_files_merge(&m, o, &err) == -1);
	CHECK_HAS(err.msg, metal);
	CHECK_HAS(err.msg, vulkan);
	CHECK(!file_exists(to));
	err_clear(&err);
	m.base = "/nowhere/base";
	CHECK(unity_files_merge(&m, o, &err) == -1);
	CHECK_HAS(err.msg, "/nowhere/base");
	end();
}

static void
why_it_is_not_complete(void)
{
	begin();
	AUTO_FREE char *path = file_join(dir, "x.snap");
	AUTO_JSON cJSON *record = json_obj();
	struct err err = ERR_INIT;

	REQUIRE(file_write(path, "", 0, &err) == 0);
	AUTO_FREE char *why = unity_files_snapshot(path, record);
	CHECK(why && strstr(why, "not complete"));
	CHECK(!json_bool(record, "complete", true));
	CHECK_STR(json_str(record, "reason", NULL), "snapshot_empty");
	end();
}

CHECK_MAIN(CHECK_CASE("what is merged stands beside its base",
		      merged_beside_the_base),
	   CHECK_CASE("what the log says was not found is dropped", log_prunes),
	   CHECK_CASE("a refusal names both files and writes none",
		      refusal_names_both),
	   CHECK_CASE("a snapshot that is not complete says why",
		      why_it_is_not_complete), )
