#include "run/action.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "adb/adb_dialog.h"
#include "adb/adb_shell.h"
#include "adb/adb_sync.h"
#include "base/file.h"
#include "base/mem.h"
#include "run/pred.h"
#include "run/watch.h"

enum { STABLE_FRAMES = 2, SWIPE_MS = 300 };

void
action_answer_done(struct action_answer *a)
{
	cJSON_Delete(a->value);
	a->value = NULL;
}

static int
text(struct run *r, const char *s, char **out, struct err *err)
{
	struct buf b = BUF_INIT;

	if (plan_vars_text(s, &r->vars, &b, err)) {
		buf_done(&b);
		return -1;
	}
	*out = buf_take(&b);
	return 0;
}

/* {"by", "value"} of a target. */
static int
target_json(struct run *r, const struct plan_target *t, cJSON **out,
	    struct err *err)
{
	AUTO_FREE char *value = NULL;
	cJSON *o;

	if (text(r, t->value, &value, err))
		return -1;
	o = json_obj();
	json_set_str(o, "by", t->by);
	json_set_str(o, "value", value);
	*out = o;
	return 0;
}

/* Keep what the server said about when and what. */
static void
keep(struct action_answer *a, cJSON *result)
{
	a->t_ms = (double)json_round(result, "t", -1);
	a->frame = json_int(result, "frame", 0);
	action_answer_done(a);
	a->value = result;
}

static int
request(struct run *r, const struct plan_action *a, const char *method,
	cJSON *params, struct action_answer *answer, struct deadline dl,
	struct err *err)
{
	cJSON *result = NULL;

	if (watch_request(r, method, params, a->timeout_ms, &result, NULL, dl,
			  err))
		return -1;
	keep(answer, result);
	return 0;
}

/* The centre of an object in pixels, for a tap through Android. */
static int
centre(struct run *r, const struct plan_action *a, int *x, int *y,
       struct deadline dl, struct err *err)
{
	AUTO_JSON cJSON *found = NULL;
	cJSON *params;
	const cJSON *rect;
	double at[4];

	if (target_json(r, &a->target, &params, err))
		return -1;
	json_set_bool(params, "visible", true);
	json_set_int(params, "max", 8);
	if (watch_request(r, "ui.find", params, a->timeout_ms, &found, NULL, dl,
			  err))
		return -1;
	rect = cJSON_GetArrayItem(json_get(found, "objects"),
				  a->target.index > 0 ? (int)a->target.index
						      : 0);
	rect = json_get(rect, "rect");
	for (int i = 0; i < 4; i++) {
		const cJSON *n = cJSON_GetArrayItem(rect, i);

		if (!cJSON_IsNumber(n))
			return err_set(err, ERR_REMOTE,
				       "'%s' is not on the screen",
				       a->target.value);
		at[i] = n->valuedouble;
	}
	if (r->facts.width <= 0 || r->facts.height <= 0)
		return err_set(err, ERR_REMOTE,
			       "the phone does not tell its screen size");
	*x = (int)((at[0] + at[2] / 2) * r->facts.width + 0.5);
	*y = (int)((at[1] + at[3] / 2) * r->facts.height + 0.5);
	return 0;
}

static int
tap_by_adb(struct run *r, const struct plan_action *a, struct deadline dl,
	   struct err *err)
{
	AUTO_FREE char *command = NULL;
	int x = 0, y = 0;

	if (centre(r, a, &x, &y, dl, err))
		return -1;
	command = a->kind == PLAN_LONG_PRESS
			  ? mem_fmt("input swipe %d %d %d %d %lld", x, y, x, y,
				    (long long)a->duration_ms)
			  : mem_fmt("input tap %d %d", x, y);
	return adb_shell_text(&r->dev, command, NULL,
			      deadline_cap(dl, r->set->budget.shell_ms), err);
}

static int
do_tap(struct run *r, const struct plan_action *a, struct action_answer *answer,
       struct deadline dl, struct err *err)
{
	enum plan_click click = r->plan->defaults.click;
	cJSON *params, *target, *wait;

	if (click == PLAN_CLICK_ADB)
		return tap_by_adb(r, a, dl, err);
	if (target_json(r, &a->target, &target, err))
		return -1;
	params = json_obj();
	json_set(params, "target", target);
	json_set_str(params, "mode",
		     click == PLAN_CLICK_EVENT ? "event" : "raycast");
	if (a->target.index >= 0)
		json_set_int(params, "index", a->target.index);
	if (a->kind == PLAN_LONG_PRESS)
		json_set_int(params, "hold_ms", a->duration_ms);
	wait = json_obj();
	json_set_bool(wait, "interactable", true);
	json_set_int(wait, "stableFrames", STABLE_FRAMES);
	json_set_int(wait, "timeoutMs", a->timeout_ms);
	json_set(params, "wait", wait);
	return request(r, a, "ui.click", params, answer, dl, err);
}

static int
do_text(struct run *r, const struct plan_action *a,
	struct action_answer *answer, struct deadline dl, struct err *err)
{
	AUTO_FREE char *value = NULL;
	cJSON *params, *target = NULL;

	if (text(r, a->value, &value, err))
		return -1;
	if (a->target.by && target_json(r, &a->target, &target, err))
		return -1;
	params = json_obj();
	if (target)
		json_set(params, "target", target);
	json_set_str(params, "text", value);
	json_set_bool(params, "submit", a->submit);
	return request(r, a, "ui.text", params, answer, dl, err);
}

static int
do_key(struct run *r, const struct plan_action *a, struct action_answer *answer,
       struct deadline dl, struct err *err)
{
	AUTO_FREE char *command = NULL;
	cJSON *params;

	if (!control_has(r->control, CONTROL_UI)) {
		command = mem_fmt("input keyevent KEYCODE_%s", a->value);
		return adb_shell_text(&r->dev, command, NULL,
				      deadline_cap(dl, r->set->budget.shell_ms),
				      err);
	}
	params = json_obj();
	json_set_str(params, "key", a->value);
	return request(r, a, "ui.key", params, answer, dl, err);
}

static int
do_swipe(struct run *r, const struct plan_action *a,
	 struct action_answer *answer, struct deadline dl, struct err *err)
{
	cJSON *params = json_obj();

	json_set(params, "from", cJSON_CreateDoubleArray(a->from, 2));
	json_set(params, "to", cJSON_CreateDoubleArray(a->to, 2));
	json_set_int(params, "ms",
		     a->duration_ms > 0 ? a->duration_ms : SWIPE_MS);
	return request(r, a, "ui.drag", params, answer, dl, err);
}

int
action_js(struct run *r, const char *name, const char *code, int64_t timeout_ms,
	  struct action_answer *answer, struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf full = BUF_INIT;
	AUTO_JSON cJSON *result = NULL;
	cJSON *params, *value;

	if (plan_vars_js(code, &r->vars, &full, err))
		return -1;
	params = json_obj();
	json_set_str(params, "code", full.data);
	json_set_str(params, "name", name);
	json_set_str(params, "as", "json");
	if (watch_request(r, "script.eval", params, timeout_ms, &result, NULL,
			  dl, err))
		return -1;
	value = cJSON_DetachItemFromObjectCaseSensitive(result, "value");
	answer->t_ms = (double)json_round(result, "t", -1);
	answer->frame = json_int(result, "frame", 0);
	action_answer_done(answer);
	answer->value = value;
	return 0;
}

static int
do_call(struct run *r, const struct plan_action *a,
	struct action_answer *answer, struct deadline dl, struct err *err)
{
	cJSON *params = json_obj(), *args = NULL, *result = NULL;
	bool action = a->kind == PLAN_ACTION;

	if (a->args && plan_vars_args(a->args, &r->vars, &args, err)) {
		cJSON_Delete(params);
		return -1;
	}
	if (action) {
		json_set_str(params, "name", a->value);
	} else {
		json_set_str(params, "type", a->type);
		if (a->assembly)
			json_set_str(params, "assembly", a->assembly);
		json_set_str(params, "method", a->value);
		if (a->arg_types)
			json_set(params, "argTypes",
				 cJSON_Duplicate(a->arg_types, 1));
		if (a->call_target)
			json_set_str(params, "target", a->call_target);
	}
	json_set(params, "args",
		 args ? args : (action ? json_obj() : json_arr()));
	if (watch_request(r, action ? "action" : "call", params, a->timeout_ms,
			  &result, NULL, dl, err))
		return -1;
	answer->t_ms = (double)json_round(result, "t", -1);
	answer->frame = json_int(result, "frame", 0);
	action_answer_done(answer);
	answer->value =
		cJSON_DetachItemFromObjectCaseSensitive(result, "value");
	cJSON_Delete(result);
	return 0;
}

static int
do_wait(struct run *r, const struct plan_action *a, struct deadline dl,
	struct err *err)
{
	enum { LOOK_MS = 500 };
	struct deadline limit = deadline_cap(dl, a->timeout_ms);
	int holds;

	if (pred_in_app(a->until)) {
		const struct watch_for want = {.timeout_ms = a->timeout_ms};
		struct watch_seen seen;
		cJSON *cond;

		if (pred_cond(r, a->until, &cond, err))
			return -1;
		holds = watch_cond(r, cond, &want, &seen, dl, err);
	} else {
		while ((holds = pred_holds(r, a->until, dl, err)) == 0) {
			if (deadline_left_ms(limit) == 0)
				break;
			if (run_wait(r, -1, LOOK_MS, dl, err) < 0)
				return -1;
		}
	}
	if (holds == 0) {
		AUTO_FREE char *what = plan_pred_text(a->until);

		err_set(err, ERR_REMOTE, "%s did not come within %.1f s", what,
			(double)a->timeout_ms / 1000);
		return err_reason(err, "Timeout");
	}
	return holds < 0 ? -1 : 0;
}

static int
do_android(struct run *r, const struct plan_action *a, struct deadline dl,
	   struct err *err)
{
	struct deadline limit = deadline_cap(dl, a->timeout_ms);
	struct adb_dialog_seen seen;

	if (adb_dialog_look(&r->dev, r->package, &seen, limit, err))
		return -1;
	if (seen.kind == ADB_DIALOG_NONE)
		return 0; /* it went away by itself */
	if (a->android == PLAN_DENY || a->android == PLAN_CLOSE)
		return adb_shell_text(&r->dev, "input keyevent KEYCODE_BACK",
				      NULL, limit, err);
	return adb_dialog_answer(&r->dev, r->package, &seen, limit, err);
}

static int
do_intent(struct run *r, const struct plan_action *a, struct deadline dl,
	  struct err *err)
{
	AUTO_BUF struct buf command = BUF_INIT;
	AUTO_FREE char *data = NULL;
	const cJSON *extra;

	buf_str(&command, "am start -W");
	if (a->value) {
		buf_str(&command, " -a ");
		adb_shell_quote(&command, a->value);
	}
	if (a->data) {
		if (text(r, a->data, &data, err))
			return -1;
		buf_str(&command, " -d ");
		adb_shell_quote(&command, data);
	}
	cJSON_ArrayForEach(extra, a->extras)
	{
		AUTO_FREE char *value = NULL;

		if (text(r, extra->valuestring, &value, err))
			return -1;
		buf_str(&command, " --es ");
		adb_shell_quote(&command, extra->string);
		buf_chr(&command, ' ');
		adb_shell_quote(&command, value);
	}
	buf_chr(&command, ' ');
	adb_shell_quote(&command, a->package ? a->package : r->package);
	return adb_shell_text(&r->dev, command.data, NULL,
			      deadline_cap(dl, a->timeout_ms), err);
}

static int
do_pull(struct run *r, const struct plan_action *a, struct deadline dl,
	struct err *err)
{
	AUTO_FREE char *from = NULL;
	AUTO_FREE char *folder = file_join(r->cfg->out, "pulled");
	AUTO_FREE char *name = NULL;
	AUTO_FREE char *to = NULL;
	const char *base;
	struct adb_sync sync;
	int rc;

	if (text(r, a->value, &from, err))
		return -1;
	base = strrchr(from, '/');
	name = file_safe_name(a->to_path ? a->to_path : base ? base + 1 : from);
	to = file_join(folder, name);
	if (file_mkdirs(folder, err) ||
	    adb_sync_open(&r->dev, &sync, deadline_cap(dl, a->timeout_ms), err))
		return -1;
	rc = adb_sync_pull(&sync, from, to, NULL, NULL, NULL,
			   deadline_cap(dl, a->timeout_ms), err);
	adb_sync_close(&sync);
	return rc;
}

static int
expectation(const struct plan_action *a, const struct action_answer *answer,
	    struct err *err)
{
	const cJSON *want;

	cJSON_ArrayForEach(want, a->expect)
	{
		const cJSON *got = json_get(answer->value, want->string);
		AUTO_FREE char *w = json_text(want);
		AUTO_FREE char *g = got ? json_text(got) : NULL;

		if (got && cJSON_Compare(want, got, 1))
			continue;
		err_set(err, ERR_REMOTE, "expected %s: %.100s, got %.100s",
			want->string, w, g ? g : "nothing");
		return err_reason(err, "not_expected");
	}
	return 0;
}

static int
one(struct run *r, const struct plan_action *a, struct action_answer *answer,
    struct deadline dl, struct err *err)
{
	switch (a->kind) {
	case PLAN_TAP:
	case PLAN_LONG_PRESS:
		return do_tap(r, a, answer, dl, err);
	case PLAN_TEXT:
		return do_text(r, a, answer, dl, err);
	case PLAN_KEY:
		return do_key(r, a, answer, dl, err);
	case PLAN_SWIPE:
		return do_swipe(r, a, answer, dl, err);
	case PLAN_JS:
		return action_js(r, a->path, a->value, a->timeout_ms, answer,
				 dl, err);
	case PLAN_CALL:
	case PLAN_ACTION:
		return do_call(r, a, answer, dl, err);
	case PLAN_WAIT:
		return do_wait(r, a, dl, err);
	case PLAN_SLEEP:
		return watch_hold(r, a->duration_ms, dl, err);
	case PLAN_ANDROID:
		return do_android(r, a, dl, err);
	case PLAN_INTENT:
		return do_intent(r, a, dl, err);
	case PLAN_PULL:
		return do_pull(r, a, dl, err);
	case PLAN_STOP:
		err_set(err, ERR_REMOTE, "the plan stops here: %s",
			a->value ? a->value : "stop");
		return err_reason(err, "stopped");
	case PLAN_PROCEDURE:
		action_answer_done(answer);
		return action_procedure(r, a->procedure, answer, dl, err);
	}
	return 0;
}

int
action_run(struct run *r, const struct plan_actions *list,
	   struct action_answer *answer, struct deadline dl, struct err *err)
{
	*answer = (struct action_answer){.t_ms = -1};
	for (size_t i = 0; i < list->count; i++) {
		const struct plan_action *a = &list->item[i];

		if (one(r, a, answer, dl, err) || expectation(a, answer, err)) {
			action_answer_done(answer);
			return err_wrap(err, "%s:%d:%d: %s", r->plan->file,
					a->at.line, a->at.col, a->path);
		}
	}
	return 0;
}

int
action_procedure(struct run *r, int procedure, struct action_answer *answer,
		 struct deadline dl, struct err *err)
{
	return action_run(r, &r->plan->procedure[procedure].actions, answer, dl,
			  err);
}
