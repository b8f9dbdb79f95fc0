#include "run/watch.h"

#include <string.h>

#include "adb/adb_app.h"
#include "run/app_log.h"
#include "run/link.h"

enum {
	LOOK_MS = 1000,	 /* how often a silent wait looks around */
	PING_MS = 60000, /* the server drops us after 120 s of silence */
};

static const char *const gone[] = {"app_crashed", "app_anr", "app_hung",
				   "control_lost"};

bool
watch_app_is_gone(const struct err *err)
{
	for (size_t i = 0; err->reason && i < sizeof(gone) / sizeof(*gone);
	     i++) {
		if (strcmp(err->reason, gone[i]) == 0)
			return true;
	}
	return false;
}

/* What the log has told since the app was started. */
static int
look_at_log(struct run *r, struct err *err)
{
	if (!app_log_tells(r))
		return 0;
	if (r->seen.crash) {
		err_set(err, ERR_REMOTE, "the app crashed: %.200s",
			r->seen.line ? r->seen.line : "");
		return err_reason(err, "app_crashed");
	}
	err_set(err, ERR_REMOTE,
		"Android says the app is not responding: %.200s",
		r->seen.line ? r->seen.line : "");
	return err_reason(err, "app_anr");
}

/* The connection died: is it the app, or the way to it? */
static int
why_lost(struct run *r, struct deadline dl, struct err *err)
{
	struct err inner = ERR_INIT;
	int pid = 0;

	if (err->code == ERR_CANCELLED || !err_is(err, "control_lost"))
		return -1;
	if (adb_app_pid(&r->dev, r->package, &pid,
			deadline_cap(dl, r->set->budget.shell_ms), &inner)) {
		if (inner.code == ERR_CANCELLED || link_phone_is_gone(&inner))
			*err = inner;
		return -1; /* the way to the phone may be lost with it */
	}
	/* The log may tell it a moment later: let it. */
	if (run_tend(r, &inner)) {
		*err = inner;
		return -1;
	}
	if (look_at_log(r, err))
		return -1;
	if (pid == 0) {
		err_set(err, ERR_REMOTE, "the app's process is gone");
		return err_reason(err, "app_crashed");
	}
	return -1;
}

/* No answer in time: a dead socket, a hung main thread, or just late? */
static int
why_late(struct run *r, const char *method, int64_t waited_ms,
	 struct deadline dl, struct err *err)
{
	struct control_ping p;

	if (control_ping(r->control, &p, dl, err)) {
		if (err->code == ERR_CANCELLED || deadline_left_ms(dl) == 0)
			return -1;
		err_set(err, ERR_IO, "neither %s nor a ping was answered",
			method);
		err_reason(err, "control_lost");
		return why_lost(r, dl, err);
	}
	if (p.main_thread_age_ms > CONTROL_HUNG_MS) {
		err_set(err, ERR_TIMEOUT,
			"the app's main thread has not moved for %.1f s",
			(double)p.main_thread_age_ms / 1000);
		return err_reason(err, "app_hung");
	}
	err_set(err, ERR_REMOTE, "%s got no answer for %.1f s", method,
		(double)waited_ms / 1000);
	return err_reason(err, "Timeout");
}

static int
not_connected(struct run *r, struct err *err)
{
	/* Why it is so, when the log has told. */
	if (look_at_log(r, err))
		return -1;
	err_set(err, ERR_IO, "there is no connection to the app");
	return err_reason(err, "control_lost");
}

static int
await(struct run *r, struct control_call *call, int64_t limit_ms,
      struct deadline dl, struct err *err)
{
	struct control *c = r->control;

	while (!call->done) {
		int64_t waited = (deadline_now_us() - call->sent_us) / 1000;
		int64_t left = limit_ms - waited;
		int rc;

		if (left <= 0) {
			control_abandon(c, call);
			return why_late(r, call->method, waited, dl, err);
		}
		rc = run_wait(r, control_fd(c), left < LOOK_MS ? left : LOOK_MS,
			      dl, err);
		if (rc < 0) {
			control_abandon(c, call);
			return -1;
		}
		if (rc > 0 && control_pump(c, err)) {
			control_abandon(c, call);
			return why_lost(r, dl, err);
		}
		if (!call->done && look_at_log(r, err)) {
			control_abandon(c, call);
			return -1;
		}
	}
	if (call->failed) {
		*err = call->error;
		return -1;
	}
	return 0;
}

int
watch_request(struct run *r, const char *method, cJSON *params,
	      int64_t timeout_ms, cJSON **result, struct buf *stream,
	      struct deadline dl, struct err *err)
{
	int64_t limit = timeout_ms >= 0 ? timeout_ms + CONTROL_GRACE_MS
					: r->set->budget.control_ms;
	struct control_call call;
	int rc;

	if (r->control == NULL) {
		cJSON_Delete(params);
		return not_connected(r, err);
	}
	if (control_begin(r->control, method, params, timeout_ms, &call, dl,
			  err)) {
		control_abandon(r->control, &call);
		return why_lost(r, dl, err);
	}
	rc = await(r, &call, limit, dl, err);
	if (rc == 0)
		rc = control_call_take(&call, result, stream, err);
	control_call_done(&call);
	return rc;
}

int
watch_cond(struct run *r, cJSON *cond, const struct watch_for *want,
	   struct watch_seen *seen, struct deadline dl, struct err *err)
{
	AUTO_JSON cJSON *result = NULL;
	cJSON *params = json_obj();
	int64_t start_us = deadline_now_us();

	json_set(params, "cond", cond);
	if (want->stable_ms > 0)
		json_set_int(params, "stableMs", want->stable_ms);
	if (want->stable_frames > 0)
		json_set_int(params, "stableFrames", want->stable_frames);
	*seen = (struct watch_seen){
		.matched = -1, .t_ms = -1, .since_t_ms = -1};
	if (watch_request(r, "wait", params, want->timeout_ms, &result, NULL,
			  dl, err)) {
		seen->elapsed_ms = (deadline_now_us() - start_us) / 1000;
		if (err->code == ERR_REMOTE && err_is(err, "Timeout")) {
			err_clear(err);
			return 0;
		}
		return -1;
	}
	seen->matched = (int)json_int(result, "matched", -1);
	seen->t_ms = (double)json_round(result, "t", -1);
	seen->since_t_ms = (double)json_round(result, "sinceT", -1);
	seen->frame = json_int(result, "frame", 0);
	seen->elapsed_ms = json_round(result, "elapsedMs",
				      (deadline_now_us() - start_us) / 1000);
	return 1;
}

int
watch_hold(struct run *r, int64_t ms, struct deadline dl, struct err *err)
{
	int64_t end_us = deadline_now_us() + ms * 1000;

	if (r->control == NULL)
		return not_connected(r, err);
	for (;;) {
		int64_t left = (end_us - deadline_now_us()) / 1000;
		int64_t quiet = PING_MS - control_silent_ms(r->control);
		int rc;

		if (left <= 0)
			return 0;
		if (quiet <= 0) {
			struct control_ping p;

			if (control_ping(r->control, &p, dl, err))
				return why_lost(r, dl, err);
			continue;
		}
		rc = run_wait(r, control_fd(r->control),
			      left < quiet ? left : quiet, dl, err);
		if (rc < 0)
			return -1;
		if (rc > 0 && control_pump(r->control, err))
			return why_lost(r, dl, err);
		if (look_at_log(r, err))
			return -1;
	}
}
