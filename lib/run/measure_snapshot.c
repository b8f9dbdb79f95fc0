#include "run/measure_parts.h"

#include "base/file.h"
#include "base/mem.h"
#include "followup/unity_files.h"
#include "run/measure_unity.h"

static cJSON *
snapshot_params(struct run *r)
{
	AUTO_FREE char *name = mem_fmt("%s.snap", r->vars.snapshot_name);
	AUTO_FREE char *path = measure_way_file(r, name);
	cJSON *p = json_obj();

	json_set_str(p, "path", path);
	return p;
}

static const struct measure_way snapshot = {
	CONTROL_SNAPSHOT, "snapshot", snapshot_params, MEASURE_UNITY_SNAPSHOT};

static void
snapshot_result(cJSON *record, const char *name, const char *status,
		int64_t bytes, const char *file, const char *message)
{
	json_set_str(record, "name", name);
	json_set_str(record, "status", status);
	json_set(record, "size_bytes",
		 bytes >= 0 ? cJSON_CreateNumber((double)bytes)
			    : cJSON_CreateNull());
	json_set_str(record, "file", file);
	json_set_str(record, "message", message);
}

/* What was pulled is looked at: half a snapshot is none. */
static void
snapshot_taken(struct run *r, const char *name, const char *upload,
	       int64_t bytes, const char *file, cJSON *record)
{
	AUTO_FREE char *path = file ? file_join(r->cfg->out, file) : NULL;
	AUTO_FREE char *why = path ? unity_files_snapshot(path, record) : NULL;
	cJSON *u;

	snapshot_result(record, name, why ? "failed" : "taken", bytes, file,
			why);
	if (file == NULL)
		return;
	u = measure_arrived(r, MEASURE_DATA, upload, NULL, bytes, !why, why);
	if (why)
		json_set_str(u, "reason", json_str(record, "reason", NULL));
}

int
measure_snapshot(struct run *r, const char *name, cJSON *record,
		 struct deadline dl, struct err *err)
{
	AUTO_FREE char *upload = mem_fmt("snapshot %s", name);
	AUTO_FREE char *file = NULL;
	struct action_answer answer;
	const char *path;
	int64_t bytes;

	if (measure_way_do(r, &r->plan->measure.snapshot.take, &snapshot,
			   r->set->budget.snapshot_ms, &answer, dl, err)) {
		snapshot_result(record, name, "failed", -1, NULL, err->msg);
		if (measure_fatal(r, err))
			return -1;
		measure_arrived(r, MEASURE_DATA, upload, NULL, -1, false,
				err->msg);
		result_error(&r->res, err, upload);
		err_clear(err);
		return 0;
	}
	measure_mark(r, "snapshot", r->vars.screen, answer.t_ms, answer.frame);
	measure_answer_take(r, MEASURE_DATA, upload, answer.value);
	bytes = json_int(answer.value, "bytes", -1);
	path = measure_answer_path(answer.value);
	if (!json_bool(answer.value, "ok", true)) {
		static const char why[] = "the app could not write it";

		snapshot_result(record, name, "failed", -1, NULL, why);
		if (!measure_answer_uploaded(answer.value))
			measure_arrived(r, MEASURE_DATA, upload, NULL, -1,
					false, why);
	} else if (path && !measure_answer_uploaded(answer.value) &&
		   measure_pull_file(r, path, "snapshots", &file, &bytes, dl,
				     err)) {
		snapshot_result(record, name, "failed", bytes, NULL, err->msg);
		measure_arrived(r, MEASURE_DATA, upload, NULL, bytes, false,
				err->msg);
		if (measure_fatal(r, err)) {
			action_answer_done(&answer);
			return -1;
		}
		err_clear(err);
	} else {
		snapshot_taken(r, name, upload, bytes, file, record);
	}
	action_answer_done(&answer);
	return 0;
}
