#include "run/measure.h"

#include <stdlib.h>
#include <string.h>

#include "adb/adb_sync.h"
#include "base/file.h"
#include "base/mem.h"
#include "followup/unity_files.h"
#include "run/action.h"
#include "run/capture.h"
#include "run/link.h"
#include "run/measure_unity.h"
#include "run/watch.h"

enum { START_MS = 20000, UNDO_MS = 900 };

void
measure_done(struct measure *m)
{
	if (m == NULL)
		return;
	capture_free(m->capture);
	free(m->profiler_path);
	free(m->graphics_path);
	free(m);
}

/* Errors that end the walk, and not only this measurement. */
bool
measure_fatal(const struct run *r, const struct err *err)
{
	return watch_app_is_gone(err) || err->code == ERR_CANCELLED ||
	       err_is(err, "lease_lost") ||
	       (link_may_be_lost(err) && err->code != ERR_TIMEOUT) ||
	       deadline_left_ms(r->dl) == 0;
}

void
measure_mark(struct run *r, const char *kind, const char *screen, double app_ms,
	     int64_t frame)
{
	cJSON *m = json_obj();

	json_set_str(m, "kind", kind);
	json_set_str(m, "screen", screen);
	json_set(m, "frame",
		 frame > 0 ? cJSON_CreateNumber((double)frame)
			   : cJSON_CreateNull());
	json_set(m, "app_ms",
		 app_ms >= 0 ? cJSON_CreateNumber((double)(int64_t)app_ms)
			     : cJSON_CreateNull());
	json_set_int(m, "at_ms", result_at_ms(&r->res));
	json_push(result_array(&r->res, "marks"), m);
}

cJSON *
measure_arrived(struct run *r, enum measure_what what, const char *name,
		const char *url, int64_t bytes, bool ok, const char *message)
{
	cJSON *u = json_obj();

	/* Nothing is not a measurement, whoever says it arrived. */
	if (ok && what == MEASURE_DATA && bytes == 0) {
		ok = false;
		message = "it is empty";
	}
	json_set_str(u, "name", name);
	json_set_str(u, "status", ok ? "ok" : "failed");
	json_set_str(u, "url", url);
	if (bytes >= 0)
		json_set_int(u, "size_bytes", bytes);
	json_set_str(u, "message", message);
	json_push(result_array(&r->res, "uploads"), u);
	if (ok && what == MEASURE_DATA)
		json_set_bool(r->res.json, "measured", true);
	return u;
}

static cJSON *
capture(struct run *r, const char *key)
{
	cJSON *all = result_object(&r->res, "captures");
	cJSON *one = cJSON_GetObjectItemCaseSensitive(all, key);

	if (one == NULL) {
		one = json_obj();
		json_set_str(one, "status", "off");
		json_set(all, key, one);
	}
	return one;
}

static void
set_status(struct run *r, const char *key, const char *status,
	   const char *message)
{
	cJSON *c = capture(r, key);

	json_set_str(c, "status", status);
	json_set_str(c, "message", message);
}

/* metrics[] of an answer into the result's. */
static void
take_metrics(struct run *r, const cJSON *value)
{
	enum { MOST = 1000 };
	cJSON *list = result_array(&r->res, "metrics");
	const cJSON *m;

	cJSON_ArrayForEach(m, json_get(value, "metrics"))
	{
		const cJSON *n = json_get(m, "value");
		cJSON *copy;

		if (json_str(m, "name", NULL) == NULL || !cJSON_IsNumber(n) ||
		    cJSON_GetArraySize(list) >= MOST)
			continue;
		copy = json_obj();
		json_set_str(copy, "name", json_str(m, "name", NULL));
		json_set_num(copy, "value", n->valuedouble);
		json_set_str(copy, "unit", json_str(m, "unit", NULL));
		json_set_str(copy, "screen", r->vars.screen);
		json_set_bool(copy, "lower_is_better",
			      json_bool(m, "lower_is_better", true));
		json_set_bool(copy, "deterministic",
			      json_bool(m, "deterministic", false));
		json_push(list, copy);
	}
}

/* What a procedure returns: the fields that we know. */
static void
take_answer(struct run *r, enum measure_what what, const char *name,
	    const cJSON *value)
{
	const cJSON *uploaded = json_get(value, "uploaded");

	take_metrics(r, value);
	if (cJSON_IsBool(uploaded))
		measure_arrived(r, what, name, json_str(value, "url", NULL),
				json_int(value, "bytes", -1),
				cJSON_IsTrue(uploaded),
				json_str(value, "message",
					 json_str(value, "error", NULL)));
}

/* By the plan's procedure, the server's own method, or our script. */
struct way {
	enum control_cap cap;
	const char *method;
	cJSON *(*params)(struct run *r);
	const char *script;
};

static int
do_way(struct run *r, const struct plan_hook *hook, const struct way *way,
       int64_t timeout_ms, struct action_answer *answer, struct deadline dl,
       struct err *err)
{
	cJSON *result = NULL;

	if (hook->kind == PLAN_HOOK_PROCEDURE)
		return action_procedure(r, hook->procedure, answer, dl, err);
	*answer = (struct action_answer){.t_ms = -1};
	if (control_has(r->control, way->cap)) {
		if (watch_request(r, way->method,
				  way->params ? way->params(r) : NULL,
				  timeout_ms, &result, NULL, dl, err))
			return -1;
		answer->value = result;
		answer->t_ms = (double)json_round(result, "t", -1);
		answer->frame = json_int(result, "frame", 0);
		return 0;
	}
	if (control_has(r->control, CONTROL_SCRIPT))
		return action_js(r, way->method, way->script, timeout_ms,
				 answer, dl, err);
	err_set(err, ERR_REMOTE,
		"the app's server has neither '%s' nor 'script', so it can't "
		"%s",
		control_cap_name(way->cap), way->method);
	return err_reason(err, "NotSupported");
}

static char *
phone_file(struct run *r, const char *name)
{
	return mem_fmt("%s/%s", r->vars.files, name);
}

static cJSON *
profiler_params(struct run *r)
{
	AUTO_FREE char *path = phone_file(r, "patrol.raw");
	cJSON *p = json_obj();

	json_set_str(p, "path", path);
	json_set_int(p, "frameTimeMs", r->vars.frame_ms);
	json_set_int(p, "gcBytes", r->vars.gc_bytes);
	json_set_int(p, "maxBytes", r->vars.max_output_bytes);
	return p;
}

static cJSON *
graphics_params(struct run *r)
{
	AUTO_FREE char *path = phone_file(r, "patrol.graphicsstate");
	cJSON *p = json_obj();

	json_set_str(p, "path", path);
	return p;
}

static cJSON *
snapshot_params(struct run *r)
{
	AUTO_FREE char *name = mem_fmt("%s.snap", r->vars.snapshot_name);
	AUTO_FREE char *path = phone_file(r, name);
	cJSON *p = json_obj();

	json_set_str(p, "path", path);
	return p;
}

static const struct way profiler_start = {
	CONTROL_PROFILER,
	"profiler.start",
	profiler_params,
	MEASURE_UNITY_PROFILER_START,
};
static const struct way profiler_stop = {CONTROL_PROFILER, "profiler.stop",
					 NULL, MEASURE_UNITY_PROFILER_STOP};
static const struct way graphics_start = {CONTROL_GSC, "gsc.start", NULL,
					  MEASURE_UNITY_GRAPHICS_START};
static const struct way graphics_stop = {
	CONTROL_GSC, "gsc.stop", graphics_params, MEASURE_UNITY_GRAPHICS_STOP};
static const struct way snapshot = {CONTROL_SNAPSHOT, "snapshot",
				    snapshot_params, MEASURE_UNITY_SNAPSHOT};

int
measure_metadata(struct run *r, struct deadline dl, struct err *err)
{
	const struct plan_hook *hook = &r->plan->measure.metadata;
	struct action_answer answer;

	if (hook->kind != PLAN_HOOK_PROCEDURE)
		return 0;
	if (action_procedure(r, hook->procedure, &answer, dl, err))
		return err_wrap(err, "common metadata");
	action_answer_done(&answer);
	return 0;
}

static int
failed(struct run *r, const char *key, const char *what,
       enum measure_state *state, struct err *err)
{
	if (measure_fatal(r, err))
		return -1;
	*state = MEASURE_FAILED;
	set_status(r, key, "failed", err->msg);
	result_error(&r->res, err, what);
	run_say(r, PROGRESS_WARN, "%s: %s", what, err->msg);
	err_clear(err);
	return 0;
}

static int
start_profiler(struct run *r, struct deadline dl, struct err *err)
{
	const struct plan_measure *pm = &r->plan->measure;
	AUTO_FREE char *now = result_time_now();
	struct action_answer answer = {.t_ms = -1};
	cJSON *c;

	if (!pm->profiler.used || !(r->cfg->measure & RUN_PROFILER))
		return 0;
	if (capture_wanted(r) ? capture_start(r, dl, err)
			      : do_way(r, &pm->profiler.start, &profiler_start,
				       START_MS, &answer, dl, err)) {
		/* Snapshots alone are not what the plan asks for. */
		if (!measure_fatal(r, err))
			measure_arrived(r, MEASURE_DATA, "profiler", NULL, -1,
					false, err->msg);
		return failed(r, "profiler", "capture start",
			      &r->measure->profiler, err);
	}
	c = capture(r, "profiler");
	json_set_str(c, "started_at", now);
	json_set_int(c, "frame_time_ms", pm->profiler.frame_time_ms);
	json_set_int(c, "gc_alloc_bytes", pm->profiler.gc_alloc_bytes);
	set_status(r, "profiler", "running", NULL);
	r->measure->profiler = MEASURE_RUNNING;
	action_answer_done(&answer);
	return 0;
}

static int
start_graphics(struct run *r, struct deadline dl, struct err *err)
{
	const struct plan_measure *pm = &r->plan->measure;
	struct action_answer answer;

	if (!pm->graphics_states.used ||
	    !(r->cfg->measure & RUN_GRAPHICS_STATES))
		return 0;
	if (do_way(r, &pm->graphics_states.start, &graphics_start, START_MS,
		   &answer, dl, err))
		return failed(r, "graphics_states", "trace start",
			      &r->measure->graphics, err);
	if (!json_bool(answer.value, "tracing", true)) {
		action_answer_done(&answer);
		err_set(err, ERR_REMOTE,
			"the app does not trace graphics states; Unity does "
			"so in development builds only");
		return failed(r, "graphics_states", "trace start",
			      &r->measure->graphics, err);
	}
	set_status(r, "graphics_states", "running", NULL);
	r->measure->graphics = MEASURE_RUNNING;
	action_answer_done(&answer);
	return 0;
}

int
measure_start(struct run *r, struct deadline dl, struct err *err)
{
	if (r->measure == NULL)
		r->measure = mem_alloc(sizeof(*r->measure));
	if (start_profiler(r, dl, err))
		return err_wrap(err, "start the capture");
	if (start_graphics(r, dl, err))
		return err_wrap(err, "start the graphics-states trace");
	return 0;
}

/* Said to be uploaded, or to have failed: either way nothing to pull. */
static bool
has_own_upload(const cJSON *value)
{
	return cJSON_IsBool(json_get(value, "uploaded"));
}

/* The path on the phone that an answer names. */
static const char *
answer_path(const cJSON *value)
{
	const cJSON *first = cJSON_GetArrayItem(json_get(value, "paths"), 0);

	if (cJSON_IsString(first))
		return first->valuestring;
	return json_str(value, "devicePath", json_str(value, "path", NULL));
}

static void
set_count(cJSON *o, const char *key, const cJSON *value, const char *a,
	  const char *b)
{
	int64_t n = json_int(value, a, json_int(value, b, -1));

	if (n < 0)
		return;
	json_set_int(o, key, n);
}

static void
profiler_stopped(struct run *r, const cJSON *value)
{
	AUTO_FREE char *now = result_time_now();
	const cJSON *uploaded = json_get(value, "uploaded");
	cJSON *c = capture(r, "profiler");

	json_set_str(c, "stopped_at", now);
	set_count(c, "frames_total", value, "frames_total", "frames");
	set_count(c, "frames_kept", value, "frames_kept", "kept");
	set_count(c, "size_bytes", value, "bytes", "bytes");
	if (cJSON_IsBool(uploaded))
		json_set_bool(c, "uploaded", cJSON_IsTrue(uploaded));
	json_set_str(c, "url", json_str(value, "url", NULL));
	set_status(r, "profiler", "stopped", NULL);
	r->measure->profiler = MEASURE_STOPPED;
	free(r->measure->profiler_path);
	r->measure->profiler_path = mem_strdup(answer_path(value));
	take_answer(r, MEASURE_DATA, "profiler", value);
	/* Snapshots alone are not what the plan asks for. */
	if (!has_own_upload(value) && r->measure->profiler_path == NULL)
		measure_arrived(r, MEASURE_DATA, "profiler", NULL, -1, false,
				"its stop told neither an upload nor a file");
}

static int
stop_capture(struct run *r, struct deadline dl, struct err *err)
{
	AUTO_FREE char *now = result_time_now();

	if (capture_stop(r, dl, err)) {
		if (!measure_fatal(r, err))
			measure_arrived(r, MEASURE_DATA, "profiler", NULL, -1,
					false, err->msg);
		return failed(r, "profiler", "capture stop",
			      &r->measure->profiler, err);
	}
	json_set_str(capture(r, "profiler"), "stopped_at", now);
	set_status(r, "profiler", "stopped", NULL);
	r->measure->profiler = MEASURE_STOPPED;
	capture_tell(r, false);
	return 0;
}

static int
stop_profiler(struct run *r, struct deadline dl, struct err *err)
{
	const struct plan_measure *pm = &r->plan->measure;
	struct action_answer answer;

	if (r->measure->profiler != MEASURE_RUNNING)
		return 0;
	if (capture_wanted(r))
		return stop_capture(r, dl, err);
	if (do_way(r, &pm->profiler.stop, &profiler_stop, START_MS, &answer, dl,
		   err)) {
		if (!measure_fatal(r, err))
			measure_arrived(r, MEASURE_DATA, "profiler", NULL, -1,
					false, err->msg);
		return failed(r, "profiler", "capture stop",
			      &r->measure->profiler, err);
	}
	profiler_stopped(r, answer.value);
	action_answer_done(&answer);
	return 0;
}

static int
stop_graphics(struct run *r, struct deadline dl, struct err *err)
{
	const struct plan_measure *pm = &r->plan->measure;
	struct action_answer answer;
	const char *path;

	if (r->measure->graphics != MEASURE_RUNNING)
		return 0;
	if (do_way(r, &pm->graphics_states.stop, &graphics_stop, START_MS,
		   &answer, dl, err))
		return failed(r, "graphics_states", "trace stop",
			      &r->measure->graphics, err);
	set_count(capture(r, "graphics_states"), "variants", answer.value,
		  "variants", "variants");
	set_status(r, "graphics_states", "stopped", NULL);
	r->measure->graphics = MEASURE_STOPPED;
	path = answer_path(answer.value);
	free(r->measure->graphics_path);
	r->measure->graphics_path = mem_strdup(path);
	take_answer(r, MEASURE_EXTRA, "graphics_states", answer.value);
	action_answer_done(&answer);
	return 0;
}

/* What still ran ended with the app's process. */
static void
lost_with_app(struct run *r)
{
	static const char why[] = "the app ended before it was stopped";

	if (r->measure->profiler == MEASURE_RUNNING) {
		r->measure->profiler = MEASURE_FAILED;
		set_status(r, "profiler", "failed", why);
		measure_arrived(r, MEASURE_DATA, "profiler", NULL, -1, false,
				why);
	}
	if (r->measure->graphics == MEASURE_RUNNING) {
		r->measure->graphics = MEASURE_FAILED;
		set_status(r, "graphics_states", "failed", why);
	}
}

int
measure_stop(struct run *r, struct deadline dl, struct err *err)
{
	if (r->measure == NULL)
		return 0;
	if (r->control == NULL) {
		if (capture_wanted(r) && stop_profiler(r, dl, err))
			return -1;
		lost_with_app(r);
		return 0;
	}
	if (stop_profiler(r, dl, err))
		return err_wrap(err, "stop the capture");
	if (stop_graphics(r, dl, err))
		return err_wrap(err, "stop the graphics-states trace");
	return 0;
}

static int
pull_once(struct run *r, const char *from, const char *to, int64_t *bytes,
	  struct deadline dl, struct err *err)
{
	struct adb_sync sync;
	int rc;

	if (adb_sync_open(&r->dev, &sync, dl, err))
		return err_wrap(err, "pull '%s'", from);
	rc = adb_sync_pull(&sync, from, to, NULL, NULL, bytes, dl, err);
	adb_sync_close(&sync);
	return rc;
}

/*
 * One file to OUT/folder/its name; the relative path is free()d.  What came
 * garbled is asked for once more: it is a whole day's.
 */
static int
pull(struct run *r, const char *from, const char *folder, char **file,
     int64_t *bytes, struct deadline dl, struct err *err)
{
	const char *base = strrchr(from, '/');
	AUTO_FREE char *name = file_safe_name(base ? base + 1 : from);
	AUTO_FREE char *dir = file_join(r->cfg->out, folder);
	AUTO_FREE char *to = file_join(dir, name);

	dl = deadline_cap(dl, r->set->budget.pull_ms);
	if (file_mkdirs(dir, err))
		return -1;
	if (pull_once(r, from, to, bytes, dl, err)) {
		if (err->code != ERR_PROTO)
			return -1;
		run_say(r, PROGRESS_WARN, "%s", err->msg);
		err_clear(err);
		if (pull_once(r, from, to, bytes, dl, err))
			return -1;
	}
	*file = mem_fmt("%s/%s", folder, name);
	return 0;
}

static int
pull_capture(struct run *r, enum measure_what what, const char *key,
	     const char *from, const char *folder, enum measure_state *state,
	     struct deadline dl, struct err *err)
{
	AUTO_FREE char *file = NULL;
	int64_t bytes = -1;
	cJSON *c = capture(r, key);

	if (pull(r, from, folder, &file, &bytes, dl, err)) {
		if (what == MEASURE_DATA && !measure_fatal(r, err))
			measure_arrived(r, what, key, NULL, -1, false,
					err->msg);
		return failed(r, key, "pull", state, err);
	}
	json_set_str(c, "file", file);
	json_set_int(c, "size_bytes", bytes);
	set_status(r, key, "pulled", NULL);
	measure_arrived(r, what, key, NULL, bytes, true, NULL);
	return 0;
}

static void
look_at_graphics(struct run *r)
{
	cJSON *c = capture(r, "graphics_states");
	const char *file = json_str(c, "file", NULL);
	AUTO_FREE char *path = file ? file_join(r->cfg->out, file) : NULL;

	if (path)
		unity_files_graphics(path, c);
}

int
measure_pull(struct run *r, struct deadline dl, struct err *err)
{
	const struct plan_measure *pm = &r->plan->measure;
	struct measure *m = r->measure;

	if (m == NULL)
		return 0;
	if (m->capture)
		capture_tell(r, m->profiler == MEASURE_FAILED);
	/* An uploaded capture is where it belongs already. */
	if (m->profiler == MEASURE_STOPPED && m->profiler_path &&
	    !json_bool(capture(r, "profiler"), "uploaded", false) &&
	    pull_capture(r, MEASURE_DATA, "profiler", m->profiler_path,
			 "capture", &m->profiler, dl, err))
		return -1;
	if (m->graphics == MEASURE_STOPPED && pm->graphics_states.pull) {
		struct buf path = BUF_INIT;
		int rc = plan_vars_text(pm->graphics_states.pull, &r->vars,
					&path, err);

		free(m->graphics_path);
		m->graphics_path = buf_take(&path);
		if (rc)
			return -1;
	}
	if (m->graphics != MEASURE_STOPPED || !m->graphics_path)
		return 0;
	if (pull_capture(r, MEASURE_EXTRA, "graphics_states", m->graphics_path,
			 "graphics-states", &m->graphics, dl, err))
		return -1;
	look_at_graphics(r);
	return 0;
}

int
measure_undo(void *arg, struct deadline dl, struct err *err)
{
	struct run *r = arg;
	struct measure *m = r->measure;
	struct err first = ERR_INIT;
	int rc = 0;

	if (m == NULL || r->control == NULL)
		return 0;
	if (m->profiler == MEASURE_RUNNING &&
	    (m->capture ? capture_undo(r, deadline_cap(dl, UNDO_MS), &first)
			: stop_profiler(r, deadline_cap(dl, UNDO_MS), &first)))
		rc = -1;
	if (m->graphics == MEASURE_RUNNING &&
	    stop_graphics(r, deadline_cap(dl, UNDO_MS), err)) {
		if (rc == 0)
			return -1;
		err_clear(err);
	}
	if (rc)
		*err = first;
	return rc;
}

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

	if (do_way(r, &r->plan->measure.snapshot.take, &snapshot,
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
	take_answer(r, MEASURE_DATA, upload, answer.value);
	bytes = json_int(answer.value, "bytes", -1);
	path = answer_path(answer.value);
	if (!json_bool(answer.value, "ok", true)) {
		static const char why[] = "the app could not write it";

		snapshot_result(record, name, "failed", -1, NULL, why);
		if (!has_own_upload(answer.value))
			measure_arrived(r, MEASURE_DATA, upload, NULL, -1,
					false, why);
	} else if (path && !has_own_upload(answer.value) &&
		   pull(r, path, "snapshots", &file, &bytes, dl, err)) {
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
