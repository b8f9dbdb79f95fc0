#include "run/measure_parts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "run/measure_unity.h"

static cJSON *
graphics_params(struct run *r)
{
	AUTO_FREE char *path = measure_way_file(r, "patrol.graphicsstate");
	cJSON *p = json_obj();

	json_set_str(p, "path", path);
	return p;
}

static const struct measure_way graphics_start = {
	CONTROL_GSC, "gsc.start", NULL, MEASURE_UNITY_GRAPHICS_START};

static const struct measure_way graphics_stop = {
	CONTROL_GSC, "gsc.stop", graphics_params, MEASURE_UNITY_GRAPHICS_STOP};

int
measure_graphics_start(struct run *r, struct deadline dl, struct err *err)
{
	const struct plan_measure *pm = &r->plan->measure;
	struct action_answer answer;

	if (!pm->graphics_states.used ||
	    !(r->cfg->measure & RUN_GRAPHICS_STATES))
		return 0;
	if (measure_way_do(r, &pm->graphics_states.start, &graphics_start,
			   MEASURE_START_MS, &answer, dl, err))
		return measure_result_failed(r, "graphics_states",
					     "trace start",
					     &r->measure->graphics, err);
	if (!json_bool(answer.value, "tracing", true)) {
		action_answer_done(&answer);
		err_set(err, ERR_REMOTE,
			"the app does not trace graphics states; Unity does "
			"so in development builds only");
		return measure_result_failed(r, "graphics_states",
					     "trace start",
					     &r->measure->graphics, err);
	}
	measure_result_status(r, "graphics_states", "running", NULL);
	r->measure->graphics = MEASURE_RUNNING;
	action_answer_done(&answer);
	return 0;
}

int
measure_graphics_stop(struct run *r, struct deadline dl, struct err *err)
{
	const struct plan_measure *pm = &r->plan->measure;
	struct action_answer answer;
	const char *path;

	if (r->measure->graphics != MEASURE_RUNNING)
		return 0;
	if (measure_way_do(r, &pm->graphics_states.stop, &graphics_stop,
			   MEASURE_START_MS, &answer, dl, err))
		return measure_result_failed(r, "graphics_states", "trace stop",
					     &r->measure->graphics, err);
	measure_answer_count(measure_result_capture(r, "graphics_states"),
			     "variants", answer.value, "variants", "variants");
	measure_result_status(r, "graphics_states", "stopped", NULL);
	r->measure->graphics = MEASURE_STOPPED;
	path = measure_answer_path(answer.value);
	free(r->measure->graphics_path);
	r->measure->graphics_path = mem_strdup(path);
	measure_answer_take(r, MEASURE_EXTRA, "graphics_states", answer.value);
	action_answer_done(&answer);
	return 0;
}
