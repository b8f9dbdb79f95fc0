#include "run/measure.h"

#include <stdlib.h>

#include "base/mem.h"
#include "run/action.h"
#include "run/capture.h"
#include "run/link.h"
#include "run/measure_parts.h"
#include "run/watch.h"

enum { UNDO_MS = 900 };

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

int
measure_start(struct run *r, struct deadline dl, struct err *err)
{
	if (r->measure == NULL)
		r->measure = mem_alloc(sizeof(*r->measure));
	if (measure_profiler_start(r, dl, err))
		return err_wrap(err, "start the capture");
	if (measure_graphics_start(r, dl, err))
		return err_wrap(err, "start the graphics-states trace");
	return 0;
}

/* What still ran ended with the app's process. */
static void
lost_with_app(struct run *r)
{
	static const char why[] = "the app ended before it was stopped";

	if (r->measure->profiler == MEASURE_RUNNING) {
		r->measure->profiler = MEASURE_FAILED;
		measure_result_status(r, "profiler", "failed", why);
		measure_arrived(r, MEASURE_DATA, "profiler", NULL, -1, false,
				why);
	}
	if (r->measure->graphics == MEASURE_RUNNING) {
		r->measure->graphics = MEASURE_FAILED;
		measure_result_status(r, "graphics_states", "failed", why);
	}
}

int
measure_stop(struct run *r, struct deadline dl, struct err *err)
{
	if (r->measure == NULL)
		return 0;
	if (r->control == NULL) {
		if (capture_wanted(r) && measure_profiler_stop(r, dl, err))
			return -1;
		lost_with_app(r);
		return 0;
	}
	if (measure_profiler_stop(r, dl, err))
		return err_wrap(err, "stop the capture");
	if (measure_graphics_stop(r, dl, err))
		return err_wrap(err, "stop the graphics-states trace");
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
			: measure_profiler_stop(r, deadline_cap(dl, UNDO_MS),
						&first)))
		rc = -1;
	if (m->graphics == MEASURE_RUNNING &&
	    measure_graphics_stop(r, deadline_cap(dl, UNDO_MS), err)) {
		if (rc == 0)
			return -1;
		err_clear(err);
	}
	if (rc)
		*err = first;
	return rc;
}
