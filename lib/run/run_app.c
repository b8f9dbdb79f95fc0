#include <stdlib.h>
#include <string.h>

#include "adb/adb_app.h"
#include "base/mem.h"
#include "base/present.h"
#include "run/action.h"
#include "run/app.h"
#include "run/capture.h"
#include "run/link.h"
#include "run/measure.h"
#include "run/run_stage.h"
#include "run/walk.h"
#include "run/watch.h"

enum {
	UNDO_APP_MS = 600,
	UNDO_CAPTURE_MS = 1900,
	UNDO_RAW_MS = 600,
	EVIDENCE_MS = 20000,
	SHORT = 7,
	MOST_TURNS = 3, /* of a hello that is cut off */
};

int
run_app_start(struct run *r, struct buf *note, struct err *err)
{
	int64_t ms;

	free((char *)(uintptr_t)r->vars.files);
	r->vars.files = mem_fmt("/sdcard/Android/data/%s/files", r->package);
	/* After the app's end, which may still write. */
	if (r->plan && capture_wanted(r) &&
	    teardown_push(&r->td, "raw capture", capture_clean, r, UNDO_RAW_MS,
			  err))
		return -1;
	if (teardown_push(&r->td, "app", app_undo, r, UNDO_APP_MS, err))
		return -1;
	if (r->cfg->attach) {
		secret_set(&r->token, r->set->control_token.value);
		r->started_us = deadline_now_us();
		if (adb_app_pid(&r->dev, r->package, &r->pid,
				run_dl(r, r->set->budget.shell_ms), err))
			return -1;
		if (r->pid == 0) {
			err_set(err, ERR_NOTFOUND,
				"'%s' does not run on the phone", r->package);
			return err_hint(err, "start it, or leave out --attach");
		}
		buf_str(note, "attached to the app that runs");
		return 0;
	}
	if (app_start(r, r->dl, err))
		return -1;
	ms = json_int(r->res.json, "startup_ms.process", -1);
	if (ms >= 0) {
		buf_str(note, "first activity after ");
		buf_duration(note, ms);
	}
	return 0;
}

/* Is it the build that we think it is? */
static void
check_commit(struct run *r)
{
	const char *own = control_info(r->control)->commit;
	cJSON *build = result_object(&r->res, "build");
	size_t n = strlen(own);

	if (n == 0)
		return;
	json_set_str(build, "embedded_commit", own);
	if (r->commit == NULL || strncmp(own, r->commit, n) == 0)
		return;
	json_set_bool(r->res.json, "comparable", false);
	json_set_str(r->res.json, "not_comparable_reason",
		     "the app reports another commit than the run's");
	run_say(r, PROGRESS_WARN,
		"the app reports commit %.*s, the run is %.*s: not "
		"comparable",
		SHORT, own, SHORT, r->commit);
}

static void
note_server(struct run *r)
{
	const struct control_info *i = control_info(r->control);
	cJSON *versions = result_object(&r->res, "versions");
	cJSON *device = result_object(&r->res, "device");

	json_set_str(versions, "control", i->server);
	if (*i->unity)
		json_set_str(versions, "unity", i->unity);
	if (*i->gpu) {
		json_set_str(device, "gpu", i->gpu);
		/* The connection's own copy ends with it. */
		r->vars.gpu = json_str(device, "gpu", NULL);
	}
}

/* A local build, an app that runs already: what nobody has told. */
static void
fill_unknown(struct run *r)
{
	const struct control_info *i = control_info(r->control);

	if (r->commit == NULL && *i->commit)
		r->commit = mem_strdup(i->commit);
	if (r->vars.commit == NULL)
		r->vars.commit = r->commit ? r->commit : "local";
	if (r->vars.build == NULL)
		r->vars.build = "unknown";
	if (r->vars.gpu == NULL)
		r->vars.gpu = "unknown";
}

/*
 * Before the walk: keep the evidence of an app that is gone.  `restarted`:
 * it gets another chance.
 */
static int
note_gone(struct run *r, bool restarted, struct err *err)
{
	struct err why = *err;
	const char *kind = err_is(err, "app_anr")    ? "anr"
			   : err_is(err, "app_hung") ? "hung"
						     : "crash";

	if (!watch_app_is_gone(err))
		return -1;
	err_clear(err);
	if (app_note_end(r, kind, r->plan->screen[r->plan->route.start].name,
			 &why, restarted, deadline_cap(r->dl, EVIDENCE_MS),
			 err)) {
		if (err->code == ERR_CANCELLED)
			return -1;
		result_error(&r->res, err, "crash evidence");
	}
	*err = why;
	return 0;
}

static int
setup(struct run *r, struct deadline dl, struct err *err)
{
	struct action_answer answer;

	if (action_run(r, &r->plan->setup, &answer, dl, err))
		return -1;
	action_answer_done(&answer);
	return 0;
}

/* What an app is told that was just started, in this order. */
static int
tell(struct run *r, enum run_app_told so_far, struct deadline dl,
     struct err *err)
{
	if (app_start(r, dl, err) ||
	    app_connect(r, r->plan->connect.timeout_ms, dl, err))
		return -1;
	if (so_far >= RUN_APP_METADATA && measure_metadata(r, dl, err))
		return -1;
	if (so_far >= RUN_APP_SETUP && setup(r, dl, err))
		return -1;
	return so_far >= RUN_APP_CAPTURED ? measure_start(r, dl, err) : 0;
}

int
run_app_again(struct run *r, enum run_app_told so_far, struct deadline dl,
	      struct err *err)
{
	while (tell(r, so_far, dl, err)) {
		struct err why = *err;

		if (!link_may_be_lost(err) && !err_is(err, "no_control_server"))
			return -1;
		err_clear(err);
		if (link_mend(r, dl, err) > 0)
			continue;
		if (err->code == ERR_NONE)
			*err = why; /* it was not the way */
		return -1;
	}
	return 0;
}

/*
 * The app is gone before the walk: it is started again, like on the walk.  0:
 * it has been told everything up to `so_far` anew.
 */
static int
restart(struct run *r, enum run_app_told so_far, struct err *err)
{
	for (;;) {
		bool may = r->restarts < r->plan->limits.max_restarts &&
			   !r->cfg->attach;

		/* A lost way is no fault of the app's. */
		if ((!link_may_be_lost(err) && note_gone(r, may, err)) || !may)
			return -1;
		r->restarts++;
		run_say(r, PROGRESS_WARN, "restarting the app: %s", err->msg);
		err_clear(err);
		if (run_app_again(r, so_far, r->dl, err) == 0)
			return 0;
		err_wrap(err, "restart");
	}
}

static int
hello(struct run *r, struct err *err)
{
	struct err why;

	for (int turn = 0;; turn++) {
		bool cut;
		int rc;

		if (app_connect(r, r->plan->connect.timeout_ms, r->dl, err) ==
		    0)
			return 0;
		why = *err;
		cut = err_is(err, "control_lost");
		if (!link_may_be_lost(err) && !err_is(err, "no_control_server"))
			return restart(r, RUN_APP_CONNECTED, err);
		err_clear(err);
		rc = link_mend(r, r->dl, err);
		if (turn < MOST_TURNS && (rc > 0 || (rc == 0 && cut)))
			continue;
		if (err->code == ERR_NONE)
			*err = why;
		return -1;
	}
}

int
run_app_connect(struct run *r, struct buf *note, struct err *err)
{
	if (hello(r, err))
		return -1;
	note_server(r);
	check_commit(r);
	fill_unknown(r);
	if (run_caps_check(r->plan, r->control, err))
		return -1;
	if (measure_metadata(r, r->dl, err) &&
	    restart(r, RUN_APP_METADATA, err))
		return -1;
	buf_fmt(note, "PCP/1, %s, plan fits", control_info(r->control)->server);
	return 0;
}

int
run_app_setup(struct run *r, struct buf *note, struct err *err)
{
	(void)note;
	if (setup(r, r->dl, err) == 0)
		return 0;
	return restart(r, RUN_APP_SETUP, err);
}

int
run_app_capture(struct run *r, struct buf *note, struct err *err)
{
	const struct plan_measure *pm = &r->plan->measure;

	int64_t undo_ms = UNDO_CAPTURE_MS;

	/* What cleans up behind it takes its part of the time. */
	if (capture_wanted(r))
		undo_ms -= UNDO_RAW_MS;
	if (teardown_push(&r->td, "captures", measure_undo, r, undo_ms, err))
		return -1;
	if (measure_start(r, r->dl, err) && restart(r, RUN_APP_CAPTURED, err))
		return -1;
	if (r->measure->profiler == MEASURE_RUNNING)
		buf_fmt(note, "frames over %lld ms or %.3g MB on",
			(long long)pm->profiler.frame_time_ms,
			(double)pm->profiler.gc_alloc_bytes / 1e6);
	if (r->measure->graphics == MEASURE_RUNNING)
		buf_fmt(note, "%sgraphics-states trace on",
			note->len ? ", " : "");
	return 0;
}

int
run_app_walk(struct run *r, struct buf *note, struct err *err)
{
	const cJSON *s;
	size_t visited = 0;

	if (walk_route(r, err))
		return -1;
	cJSON_ArrayForEach(s, json_get(r->res.json, "screens"))
	{
		visited += strcmp(json_str(s, "status", ""), "visited") == 0;
	}
	buf_fmt(note, "%zu of %zu screens visited", visited,
		r->route.visit_count);
	return 0;
}

/* Once more when the way was lost and the app was found again. */
static int
stop(struct run *r, struct err *err)
{
	struct err why;

	if (measure_stop(r, r->dl, err) == 0)
		return 0;
	if (!link_may_be_lost(err))
		return -1;
	why = *err;
	err_clear(err);
	if (link_find_app(r, r->dl, err) < 0) {
		if (err_is(err, "control_lost"))
			*err = why;
		return -1;
	}
	return measure_stop(r, r->dl, err);
}

int
run_app_stop(struct run *r, struct buf *note, struct err *err)
{
	int64_t kept, total;

	if (stop(r, err)) {
		if (!watch_app_is_gone(err))
			return -1;
		/* What was captured died with the app. */
		result_error(&r->res, err, "stop");
		buf_fmt(note, "the app is gone: %s", err->msg);
		err_clear(err);
		app_disconnect(r);
		return measure_stop(r, r->dl, err);
	}
	kept = json_int(r->res.json, "captures.profiler.frames_kept", -1);
	total = json_int(r->res.json, "captures.profiler.frames_total", -1);
	if (kept >= 0 && total >= 0) {
		present_count(note, kept);
		buf_str(note, " of ");
		present_count(note, total);
		buf_str(note, " frames kept");
	}
	return 0;
}

/* The plan's own last steps: each by itself, and none ends the run. */
int
run_app_teardown(struct run *r, struct buf *note, struct err *err)
{
	const struct plan_actions *all = &r->plan->teardown;

	(void)note;
	for (size_t i = 0; i < all->count && r->control; i++) {
		const struct plan_actions one = {&all->item[i], 1};
		struct action_answer answer;

		if (action_run(r, &one, &answer, r->dl, err)) {
			if (err->code == ERR_CANCELLED)
				return -1;
			result_error(&r->res, err, "teardown");
			run_say(r, PROGRESS_WARN, "%s", err->msg);
			err_clear(err);
		}
		action_answer_done(&answer);
	}
	return 0;
}

int
run_app_pull(struct run *r, struct buf *note, struct err *err)
{
	const char *file;

	if (measure_pull(r, r->dl, err))
		return -1;
	file = json_str(r->res.json, "captures.graphics_states.file", NULL);
	if (file)
		buf_str(note, file);
	return 0;
}
