#include "followup/growth.h"

#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "check.h"
#include "fixtures/game_memory.h"

/* A folder that has the output folders of patrols in it. */
static char world[32];

static void
world_begin(void)
{
	(void)snprintf(world, sizeof(world), "/tmp/patrol-test-XXXXXX");
	if (mkdtemp(world) == NULL)
		exit(EXIT_FAILURE);
}

static void
world_end(void)
{
	struct err err = ERR_INIT;

	(void)file_remove_tree(world, &err); /* in /tmp */
}

/* Of the day DD of a month, at four in the morning. */
static cJSON *
result(const char *day, const char *run, const char *type, const char *bytes)
{
	static const char made[] =
		"{\"kind\":\"run\","
		"\"started_at\":\"2026-11-%sT04:00:00Z\","
		"\"ended_at\":\"2026-11-%sT04:30:00Z\","
		"\"build\":{\"run_id\":\"%s\"},"
		"\"plan\":{\"route_hash\":\"0123\"},"
		"\"device\":{\"model\":\"Pixel 7\"},"
		"\"versions\":{\"unity\":\"6000.0.40f1\"},\"screens\":["
		"{\"name\":\"shop\",\"visit\":1,\"snapshot\":{\"totals\":"
		"{\"resident_bytes\":%s},\"file\":\"snapshots/shop.snap\","
		"\"types\":[{\"name\":\"Mesh\",\"count\":1,\"bytes\":100},"
		"{\"name\":\"%s\",\"count\":1,\"bytes\":%s},"
		"{\"name\":\"(others)\",\"count\":2,\"bytes\":20}],"
		"\"areas\":[]}}]}";
	AUTO_FREE char *text = mem_fmt(made, day, day, run, bytes, type, bytes);
	struct err err = ERR_INIT;
	cJSON *v = NULL;

	if (json_parse(text, strlen(text), "made", &v, &err)) {
		printf("# %s\n", err.msg);
		exit(EXIT_FAILURE);
	}
	return v;
}

/* Below the world; takes `v`. */
static void
put(const char *folder, cJSON *v)
{
	AUTO_FREE char *dir = mem_fmt("%s/%s/snapshots", world, folder);
	AUTO_FREE char *file = mem_fmt("%s/%s/result.json", world, folder);
	AUTO_FREE char *text = json_pretty(v);
	struct err err = ERR_INIT;

	CHECK(file_mkdirs(dir, &err) == 0 &&
	      file_write(file, text, strlen(text), &err) == 0);
	cJSON_Delete(v);
}

static void
put_snapshot(const char *folder, int64_t day)
{
	AUTO_FREE char *path =
		mem_fmt("%s/%s/snapshots/shop.snap", world, folder);
	struct game_memory m = {.screen = "shop", .unity = "6000.0.40f1"};
	struct err err = ERR_INIT;
	long long bytes;

	m.day = day;
	CHECK(game_memory_write(&m, path, &bytes, &err) == 0);
}

/* Our run is in the folder `now`; the result is its, to delete. */
static cJSON *
compared(cJSON *now)
{
	AUTO_FREE char *out = file_join(world, "now");

	growth_since(now, out, world, deadline_in(NULL, 60000));
	return now;
}

static const cJSON *
growth_of(const cJSON *result)
{
	return json_get(cJSON_GetArrayItem(json_get(result, "screens"), 0),
			"snapshot.growth");
}

static const cJSON *
type_of(const cJSON *result, const char *name)
{
	const cJSON *t;

	cJSON_ArrayForEach(t, json_get(growth_of(result), "types"))
	{
		if (strcmp(json_str(t, "name", ""), name) == 0)
			return t;
	}
	return NULL;
}

static cJSON *
changed(cJSON *v, const char *key, const char *inner, const char *value)
{
	json_set_str(cJSON_GetObjectItemCaseSensitive(v, key), inner, value);
	return v;
}

static void
last_that_fits(void)
{
	world_begin();
	put("a", result("20", "1", "Texture2D", "500"));
	put("b/deeper", result("25", "2", "Texture2D", "600"));
	/* Younger ones, each with something against it. */
	put("phone",
	    changed(result("26", "3", "X", "1"), "device", "model", "Pixel 6"));
	put("unity", changed(result("27", "4", "X", "1"), "versions", "unity",
			     "6000.1.2f1"));
	put("build", result("28", "9", "X", "1"));
	put("later", result("30", "6", "X", "1"));
	AUTO_JSON cJSON *v = compared(result("29", "9", "Texture2D", "800"));

	CHECK(json_bool(v, "previous.compared", false));
	CHECK_STR(json_str(v, "previous.run_id", NULL), "2");
	CHECK_HAS(json_str(v, "previous.file", ""), "/b/deeper/result.json");
	CHECK(json_int(type_of(v, "Texture2D"), "bytes_grown", 0) == 200);
	CHECK(type_of(v, "Mesh") == NULL); /* it did not change */
	world_end();
}

static void
what_differs_is_said(void)
{
	world_begin();
	put("a",
	    changed(result("20", "1", "X", "1"), "plan", "route_hash", "ffff"));
	put("b", changed(result("21", "2", "X", "1"), "versions", "unity",
			 "6000.1.2f1"));
	AUTO_JSON cJSON *v = compared(result("29", "9", "X", "1"));

	CHECK(!json_bool(v, "previous.compared", true));
	CHECK_STR(json_str(v, "previous.message", NULL),
		  "another Unity version: 6000.1.2f1 then, 6000.0.40f1 now");
	CHECK_STR(json_str(v, "previous.run_id", NULL), "2");
	CHECK(growth_of(v) == NULL);
	world_end();
}

static void
no_folder_no_run(void)
{
	world_begin();
	AUTO_JSON cJSON *none = compared(result("29", "9", "X", "1"));
	AUTO_JSON cJSON *absent = result("29", "9", "X", "1");

	CHECK_HAS(json_str(none, "previous.message", ""),
		  "has no earlier run of another build");
	growth_since(absent, world, "/nowhere/at/all", deadline_in(NULL, 1000));
	CHECK_HAS(json_str(absent, "previous.message", ""),
		  "there is no folder '/nowhere/at/all'");
	world_end();
}

/* What one of the two does not name is not called new or gone. */
static void
cut_lists_are_folded(void)
{
	world_begin();
	put("a", result("20", "1", "Shader", "300"));
	AUTO_JSON cJSON *v = compared(result("29", "9", "Texture2D", "800"));

	CHECK_STR(json_str(growth_of(v), "from", NULL), "results");
	CHECK(type_of(v, "Texture2D") == NULL && type_of(v, "Shader") == NULL);
	CHECK(json_int(type_of(v, "(others)"), "bytes_before", 0) == 320);
	CHECK(json_int(type_of(v, "(others)"), "bytes_after", 0) == 820);
	world_end();
}

static void
files_are_read_anew(void)
{
	world_begin();
	put("a", result("20", "1", "X", "1"));
	put_snapshot("a", 0);
	put("now", result("29", "9", "X", "1"));
	put_snapshot("now", 3);
	AUTO_JSON cJSON *v = compared(result("29", "9", "X", "1"));
	size_t rows = json_count(growth_of(v), "types");
	int64_t last = INT64_MAX;
	const cJSON *t;

	CHECK_STR(json_str(growth_of(v), "from", NULL), "files");
	CHECK(rows > 2 && rows <= GROWTH_ROWS);
	cJSON_ArrayForEach(t, json_get(growth_of(v), "types"))
	{
		CHECK(json_int(t, "bytes_grown", 0) <= last);
		last = json_int(t, "bytes_grown", 0);
	}
	/* One file that is gone: what the results say. */
	AUTO_FREE char *gone = file_join(world, "a/snapshots/shop.snap");
	CHECK(unlink(gone) == 0);
	AUTO_JSON cJSON *w = compared(result("29", "9", "X", "1"));
	CHECK_STR(json_str(growth_of(w), "from", NULL), "results");
	world_end();
}

static void
off_route_is_not_compared(void)
{
	cJSON *then = result("20", "1", "X", "1");
	cJSON *now = result("29", "9", "X", "1");

	world_begin();
	json_set_bool(cJSON_GetArrayItem(json_get(then, "screens"), 0),
		      "off_route", true);
	put("a", then);
	now = compared(now);
	CHECK_HAS(json_str(growth_of(now), "message", ""),
		  "off-route in the earlier run");
	json_set_bool(cJSON_GetArrayItem(json_get(now, "screens"), 0),
		      "off_route", true);
	now = compared(now);
	CHECK_STR(json_str(growth_of(now), "message", NULL),
		  "it was reached off-route");
	cJSON_Delete(now);
	world_end();
}

/* A path out of the folder, a file that is none, odd values. */
static void
results_are_not_trusted(void)
{
	cJSON *then = result("20", "1", "X", "1");
	cJSON *screen = cJSON_GetArrayItem(json_get(then, "screens"), 0);

	world_begin();
	changed(screen, "snapshot", "file", "../../../../etc/passwd");
	json_set(cJSON_GetObjectItemCaseSensitive(screen, "snapshot"), "types",
		 cJSON_CreateString("x"));
	put("a", then);
	put("b", cJSON_CreateArray());
	put("c", cJSON_CreateString("2026-11-28T00:00:00Z"));
	AUTO_JSON cJSON *v = compared(result("29", "9", "X", "7"));

	CHECK(json_bool(v, "previous.compared", false));
	CHECK_STR(json_str(growth_of(v), "from", NULL), "results");
	world_end();
}

static void
time_that_is_over_is_said(void)
{
	world_begin();
	put("a", result("20", "1", "X", "1"));
	AUTO_JSON cJSON *v = result("29", "9", "X", "1");

	growth_since(v, world, world, deadline_in(NULL, 0));
	CHECK_STR(json_str(growth_of(v), "message", NULL),
		  "there was no time left for it");
	world_end();
}

CHECK_MAIN(CHECK_CASE("the last earlier run that fits is taken",
		      last_that_fits),
	   CHECK_CASE("what differs is said", what_differs_is_said),
	   CHECK_CASE("no folder and no run are said", no_folder_no_run),
	   CHECK_CASE("rows that one result does not name are others",
		      cut_lists_are_folded),
	   CHECK_CASE("files are read anew, results where one is gone",
		      files_are_read_anew),
	   CHECK_CASE("an off-route screen is not compared",
		      off_route_is_not_compared),
	   CHECK_CASE("an earlier result is not trusted",
		      results_are_not_trusted),
	   CHECK_CASE("time that is over is said", time_that_is_over_is_said), )
