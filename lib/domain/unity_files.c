#include "domain/unity_files.h"

#include "base/mem.h"
#include "unity/graphics.h"
#include "unity/snapshot.h"

char *
unity_files_snapshot(const char *path, cJSON *record)
{
	struct err err = ERR_INIT;
	struct snapshot s;
	cJSON *summary = NULL;

	if (snapshot_open(&s, path, &err)) {
		json_set_bool(record, "complete", false);
		return mem_fmt("it is not complete: %s", err.msg);
	}
	if (snapshot_summary(&s, &summary, &err)) {
		json_set_bool(record, "complete", false);
		snapshot_done(&s);
		return mem_fmt("it is not complete: %s", err.msg);
	}
	json_set_bool(record, "complete", true);
	json_set(record, "totals",
		 cJSON_DetachItemFromObjectCaseSensitive(summary, "totals"));
	cJSON_Delete(summary);
	snapshot_done(&s);
	return NULL;
}

void
unity_files_graphics(const char *path, cJSON *capture)
{
	struct err err = ERR_INIT;
	struct graphics_states g;
	AUTO_JSON cJSON *stats = NULL;

	if (graphics_states_read(&g, path, &err)) {
		json_set_str(capture, "message", err.msg);
		return;
	}
	stats = graphics_stats_json(&g);
	graphics_states_done(&g);
	json_set_int(capture, "variants", json_int(stats, "variants", 0));
	json_set_int(capture, "states", json_int(stats, "states", 0));
	json_set_str(capture, "api", json_str(stats, "graphics_api", NULL));
}
