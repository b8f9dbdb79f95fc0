#include "run/measure_parts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "run/capture.h"
#include "run/measure_unity.h"

static cJSON *
profiler_params(struct run *r)
{
	AUTO_FREE char *path = measure_way_file(r, "patrol.raw");
	cJSON *p = json_obj();

	json_set_str(p, "path", path);
	json_set_int(p, "frameTimeMs", r->vars.frame_ms);
	json_set_int(p, "gcBytes", r->vars.gc_bytes);
	json_set_int(p, "maxBytes", r->vars.max_output_bytes);
	return p;
}

static const struct measure_way profiler_start = {
	CONTROL_PROFILER,
	"profiler.start",
	profiler_params,
	MEASURE_UNITY_PROFILER_START,
};

static const struct measure_way profiler_stop = {
	CONTROL_PROFILER, "profiler.stop", NULL, MEASURE_UNITY_PROFILER_STOP};

int
measure_profiler_start(struct run *r, struct deadline dl, struct err *err)
{
	const struct plan_measure *pm = &r->plan->measure;
	AUTO_FREE char *now = result_time_now();
	struct action_answer answer = {.t_ms = -1};
	cJSON *c;

	if (!pm->profiler.used || !(r->cfg->measure & RUN_PROFILER))
		return 0;
	if (capture_wanted(r)
		    ? capture_start(r, dl, err)
		    : measure_way_do(r, &pm->profiler.start, &profiler_start,
				     MEASURE_START_MS, &answer, dl, err)) {
		/* Snapshots alone are not what the plan asks for. */
		if (!measure_fatal(r, err))
			measure_arrived(r, MEASURE_DATA, "profiler", NULL, -1,
					false, err->msg);
		return measure_result_failed(r, "profiler", "capture start",
					     &r->measure->profiler, err);
	}
	c = measure_result_capture(r, "profiler");
	json_set_str(c, "started_at", now);
	json_set_int(c, "frame_time_ms", pm->profiler.frame_time_ms);
	json_set_int(c, "gc_alloc_bytes", pm->profiler.gc_alloc_bytes);
	measure_result_status(r, "profiler", "running", NULL);
	r->measure->profiler = MEASURE_RUNNING;
	action_answer_done(&answer);
	return 0;
}

static void
profiler_stopped(struct run *r, const cJSON *value)
{
	AUTO_FREE char *now = result_time_now();
	const cJSON *uploaded = json_get(value, "uploaded");
	cJSON *c = measure_result_capture(r, "profiler");

	json_set_str(c, "stopped_at", now);
	measure_answer_count(c, "frames_total", value, "frames_total",
			     "frames");
	measure_answer_count(c, "frames_kept", value, "frames_kept", "kept");
	measure_answer_count(c, "size_bytes", value, "bytes", "bytes");
	if (cJSON_IsBool(uploaded))
		json_set_bool(c, "uploaded", cJSON_IsTrue(uploaded));
	json_set_str(c, "url", json_str(value, "url", NULL));
	measure_result_status(r, "profiler", "stopped", NULL);
	r->measure->profiler = MEASURE_STOPPED;
	free(r->measure->profiler_path);
	r->measure->profiler_path = mem_strdup(measure_answer_path(value));
	measure_answer_take(r, MEASURE_DATA, "profiler", value);
	/* Snapshots alone are not what the plan asks for. */
	if (!measure_answer_uploaded(value) &&
	    r->measure->profiler_path == NULL)
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
		return measure_result_failed(r, "profiler", "capture stop",
					     &r->measure->profiler, err);
	}
	json_set_str(measure_result_capture(r, "profiler"), "stopped_at", now);
	measure_result_status(r, "profiler", "stopped", NULL);
	r->measure->profiler = MEASURE_STOPPED;
	capture_tell(r, false);
	return 0;
}

int
measure_profiler_stop(struct run *r, struct deadline dl, struct err *err)
{
	const struct plan_measure *pm = &r->plan->measure;
	struct action_answer answer;

	if (r->measure->profiler != MEASURE_RUNNING)
		return 0;
	if (capture_wanted(r))
		return stop_capture(r, dl, err);
	if (measure_way_do(r, &pm->profiler.stop, &profiler_stop,
			   MEASURE_START_MS, &answer, dl, err)) {
		if (!measure_fatal(r, err))
			measure_arrived(r, MEASURE_DATA, "profiler", NULL, -1,
					false, err->msg);
		return measure_result_failed(r, "profiler", "capture stop",
					     &r->measure->profiler, err);
	}
	profiler_stopped(r, answer.value);
	action_answer_done(&answer);
	return 0;
}
