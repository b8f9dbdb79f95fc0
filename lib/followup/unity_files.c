#include "followup/unity_files.h"

#include "base/mem.h"
#include "unity/graphics.h"
#include "unity/snapshot.h"

int
unity_files_summary(const char *path, cJSON **out, struct err *err)
{
	struct snapshot s;
	int rc;

	if (snapshot_open(&s, path, err))
		return -1;
	rc = snapshot_summary(&s, out, err);
	snapshot_done(&s);
	return rc;
}

/* Its first `most` rows, and one for the others, so that sums stay whole. */
static cJSON *
first_rows(const cJSON *list, size_t most)
{
	cJSON *out = json_arr();
	int64_t count = 0, bytes = 0;
	size_t n = 0;
	const cJSON *v;

	cJSON_ArrayForEach(v, list)
	{
		if (n++ < most) {
			json_push(out, cJSON_Duplicate(v, true));
			continue;
		}
		count += json_int(v, "count", 0);
		bytes += json_int(v, "bytes", 0);
	}
	if (n > most) {
		cJSON *rest = json_obj();

		json_set_str(rest, "name", UNITY_FILES_OTHERS);
		json_set_int(rest, "count", count);
		json_set_int(rest, "bytes", bytes);
		json_push(out, rest);
	}
	return out;
}

char *
unity_files_snapshot(const char *path, cJSON *record)
{
	struct err err = ERR_INIT;
	AUTO_JSON cJSON *summary = NULL;

	if (unity_files_summary(path, &summary, &err)) {
		json_set_bool(record, "complete", false);
		json_set_str(record, "reason", err.reason);
		return mem_fmt("it is not complete: %s", err.msg);
	}
	json_set_bool(record, "complete", true);
	json_set(record, "totals",
		 cJSON_DetachItemFromObjectCaseSensitive(summary, "totals"));
	json_set(record, "types",
		 first_rows(json_get(summary, "types"), UNITY_FILES_TYPES));
	json_set(record, "areas",
		 first_rows(json_get(summary, "areas"), UNITY_FILES_AREAS));
	return NULL;
}

/* Those with most variants; what is left out is in the counts. */
static cJSON *
first_shaders(const cJSON *stats)
{
	cJSON *out = json_arr();
	const cJSON *v;

	cJSON_ArrayForEach(v, json_get(stats, "shaders"))
	{
		if (cJSON_GetArraySize(out) == UNITY_FILES_SHADERS)
			break;
		json_push(out, cJSON_Duplicate(v, true));
	}
	return out;
}

void
unity_files_stats(const struct graphics_states *g, cJSON *o)
{
	AUTO_JSON cJSON *stats = graphics_stats_json(g);

	json_set_int(o, "variants", json_int(stats, "variants", 0));
	json_set_int(o, "states", json_int(stats, "states", 0));
	json_set_str(o, "api", json_str(stats, "graphics_api", NULL));
	json_set_int(o, "shader_count", (int64_t)json_count(stats, "shaders"));
	json_set(o, "shaders", first_shaders(stats));
}

void
unity_files_graphics(const char *path, cJSON *capture)
{
	struct err err = ERR_INIT;
	struct graphics_states g;

	if (graphics_states_read(&g, path, &err)) {
		json_set_str(capture, "message", err.msg);
		return;
	}
	unity_files_stats(&g, capture);
	graphics_states_done(&g);
}
