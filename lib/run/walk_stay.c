#include <string.h>

#include "adb/adb_device_phone.h"
#include "adb/adb_screencap.h"
#include "base/file.h"
#include "base/mem.h"
#include "run/capture.h"
#include "run/link.h"
#include "run/measure.h"
#include "run/walk.h"
#include "run/watch.h"

enum { PICTURE_LIMIT = 32 << 20, TREE_MAX = 4000, SHORT_COMMIT = 7 };

static cJSON *
number_or_null(double n, bool known)
{
	return known ? cJSON_CreateNumber(n) : cJSON_CreateNull();
}

static cJSON *
phone_json(const struct run *r, const struct adb_phone_state *s)
{
	cJSON *o = json_obj(), *cpus = json_arr();

	json_set_int(o, "at_ms", result_at_ms(&r->res));
	json_set(o, "battery_c",
		 number_or_null(s->battery_c,
				s->battery_c > ADB_DEVICE_PHONE_UNKNOWN_C));
	json_set(o, "battery_pct",
		 number_or_null(s->battery_pct, s->battery_pct >= 0));
	json_set(o, "thermal_status",
		 number_or_null(s->thermal_status, s->thermal_status >= 0));
	for (int i = 0; i < s->cpu_count; i++)
		json_push(cpus,
			  number_or_null(s->cpu_khz[i], s->cpu_khz[i] >= 0));
	json_set(o, "cpu_khz", cpus);
	json_set(o, "free_bytes",
		 number_or_null((double)s->free_bytes, s->free_bytes >= 0));
	json_set(o, "brightness",
		 number_or_null(s->brightness, s->brightness >= 0));
	return o;
}

static cJSON *
sample(struct walk *w, const struct adb_phone_state *s)
{
	cJSON *o = phone_json(w->r, s);

	cJSON_DeleteItemFromObjectCaseSensitive(o, "cpu_khz");
	cJSON_DeleteItemFromObjectCaseSensitive(o, "brightness");
	json_set_str(o, "screen", walk_screen_name(w, w->target));
	return o;
}

/* One round trip, outside the hold. */
static int
phone_state(struct walk *w, const char *when, struct err *err)
{
	struct run *r = w->r;
	struct adb_phone_state s;
	cJSON *phone = cJSON_GetObjectItemCaseSensitive(w->visit, "phone");

	if (adb_device_phone_state(&r->dev, &s,
				   deadline_cap(w->dl, r->set->budget.shell_ms),
				   err))
		return err_wrap(err, "the phone's state");
	json_set(phone, when, phone_json(r, &s));
	json_push(result_array(&r->res, "timeline"), sample(w, &s));
	return 0;
}

static int
memory(struct walk *w, struct err *err)
{
	AUTO_JSON cJSON *state = NULL;
	double bytes;

	if (watch_request(w->r, "app.state", NULL, -1, &state, NULL, w->dl,
			  err)) {
		if (watch_app_is_gone(err) || err->code != ERR_REMOTE)
			return -1;
		err_clear(err);
		return 0; /* a server without it */
	}
	bytes = json_num(state, "memory.managed", 0) +
		json_num(state, "memory.native", 0) +
		json_num(state, "memory.gfx", 0);
	if (bytes > 0) {
		cJSON *timeline = result_array(&w->r->res, "timeline");
		int last = cJSON_GetArraySize(timeline) - 1;

		json_set_num(w->visit, "memory_bytes", bytes);
		if (last >= 0)
			json_set_num(cJSON_GetArrayItem(timeline, last),
				     "memory_bytes", bytes);
	}
	return 0;
}

/* A picture by the app, or by Android where the app can't. */
static int
take_picture(struct walk *w, struct buf *picture, const char **extension,
	     struct err *err)
{
	AUTO_JSON cJSON *result = NULL;
	struct run *r = w->r;
	cJSON *params;

	if (r->control && control_has(r->control, CONTROL_SCREENSHOT)) {
		params = json_obj();
		json_set_str(params, "format", "jpg");
		json_set_int(params, "quality", 80);
		if (watch_request(r, "screenshot", params,
				  r->set->budget.screenshot_ms, &result,
				  picture, w->dl, err) == 0 &&
		    picture->len > 0) {
			measure_mark(r, "screenshot", r->vars.screen,
				     (double)json_round(result, "t", -1),
				     json_int(result, "frame", 0));
			*extension = strstr(json_str(result, "mime", ""), "png")
					     ? "png"
					     : "jpg";
			return 0;
		}
		if (err->code != ERR_NONE &&
		    (watch_app_is_gone(err) || err->code != ERR_REMOTE))
			return -1;
		err_clear(err);
	}
	*extension = "png";
	return adb_screencap_take(
		&r->dev, picture,
		deadline_cap(w->dl, r->set->budget.screenshot_ms), err);
}

static int
screenshot(struct walk *w, char **file, struct err *err)
{
	AUTO_BUF struct buf picture = BUF_INIT_MAX(PICTURE_LIMIT);
	AUTO_FREE char *name = file_safe_name(walk_screen_name(w, w->target));
	AUTO_FREE char *path = NULL;
	const char *extension;

	if (take_picture(w, &picture, &extension, err))
		return err_wrap(err, "screenshot");
	*file = mem_fmt("screens/%02zu-%s.%s", w->visit_number, name,
			extension);
	path = file_join(w->r->cfg->out, *file);
	return file_write_raw(path, picture.data, picture.len, err);
}

static int
hierarchy(struct walk *w, struct err *err)
{
	AUTO_FREE char *safe = file_safe_name(walk_screen_name(w, w->target));
	AUTO_FREE char *name =
		mem_fmt("screens/%02zu-%s.tree.json", w->visit_number, safe);
	AUTO_FREE char *path = file_join(w->r->cfg->out, name);
	AUTO_FREE char *text = NULL;
	AUTO_JSON cJSON *tree = NULL;
	cJSON *params;

	if (!control_has(w->r->control, CONTROL_TREE))
		return 0;
	params = json_obj();
	json_set_bool(params, "visible", true);
	json_set_int(params, "max", TREE_MAX);
	json_set_int(params, "budgetMs", 8);
	if (watch_request(w->r, "ui.tree", params, -1, &tree, NULL, w->dl, err))
		return err_wrap(err, "hierarchy");
	text = json_pretty(tree);
	return file_write(path, text, strlen(text), err);
}

/* No answer in time: is it the way, or that one command? */
static bool
is_slow_only(struct walk *w, struct err *err)
{
	struct err other = ERR_INIT;
	int rc;

	if (err->code != ERR_TIMEOUT)
		return false;
	rc = link_mend(w->r, w->dl, &other);
	if (rc < 0)
		*err = other;
	return rc == 0;
}

/* Evidence that can't be had is said, and does not end the walk. */
static int
forgive(struct walk *w, int rc, struct err *err)
{
	if (rc == 0)
		return 0;
	if (watch_app_is_gone(err) || err->code == ERR_CANCELLED ||
	    err_is(err, "lease_lost") || walk_over(w) ||
	    (link_may_be_lost(err) && !is_slow_only(w, err)))
		return -1;
	result_error(&w->r->res, err, walk_screen_name(w, w->target));
	run_say(w->r, PROGRESS_WARN, "%s", err->msg);
	err_clear(err);
	return 0;
}

void
walk_stay_failure(struct walk *w, const char *what)
{
	const struct plan_evidence *e = &w->r->plan->screen[w->target].evidence;
	struct err err = ERR_INIT;
	AUTO_FREE char *file = NULL;

	if (e->screenshot != PLAN_NEVER && screenshot(w, &file, &err) == 0)
		json_set_str(w->visit, "screenshot", file);
	else if (err.code)
		result_error(&w->r->res, &err, what);
	err_clear(&err);
	if (w->r->control && e->hierarchy != PLAN_NEVER && hierarchy(w, &err))
		result_error(&w->r->res, &err, what);
}

static int
evidence(struct walk *w, struct err *err)
{
	const struct plan_evidence *e = &w->r->plan->screen[w->target].evidence;
	AUTO_FREE char *file = NULL;

	if (e->screenshot == PLAN_ALWAYS) {
		if (forgive(w, screenshot(w, &file, err), err))
			return -1;
		json_set_str(w->visit, "screenshot", file);
	}
	if (e->hierarchy == PLAN_ALWAYS)
		return forgive(w, hierarchy(w, err), err);
	return 0;
}

static int
take_snapshot(struct walk *w, struct err *err)
{
	struct run *r = w->r;
	const struct plan_screen *s = &r->plan->screen[w->target];
	AUTO_FREE char *name = NULL;
	AUTO_FREE char *safe = file_safe_name(s->name);
	cJSON *record;
	int64_t n;
	int rc;

	if (!r->plan->measure.snapshot.used ||
	    !(r->cfg->measure & RUN_SNAPSHOT) ||
	    s->snapshot == PLAN_NO_SNAPSHOT ||
	    (s->snapshot == PLAN_FIRST_VISIT &&
	     w->snapshots[w->target] >= w->round))
		return 0;
	n = ++w->snapshots[w->target];
	name = mem_fmt("%s-%.*s", safe, SHORT_COMMIT,
		       r->commit ? r->commit : "local");
	if (n > 1) {
		char *numbered = mem_fmt("%s-%lld", name, (long long)n);

		mem_auto_free(&name);
		name = numbered;
	}
	r->vars.snapshot_name = name;
	r->vars.n = n;
	record = json_obj();
	json_set_str(record, "status", "failed");
	json_set(w->visit, "snapshot", record);
	rc = measure_snapshot(r, name, record, w->dl, err);
	if (rc && link_may_be_lost(err))
		w->snapshots[w->target]--; /* the visit tries once more */
	r->vars.snapshot_name = NULL;
	r->vars.n = -1;
	return rc;
}

static int
hold(struct walk *w, struct err *err)
{
	const struct plan_screen *s = &w->r->plan->screen[w->target];
	int64_t start_us = deadline_now_us();
	int rc = watch_hold(w->r, s->hold_ms, w->dl, err);

	json_set_int(w->visit, "hold_ms",
		     (deadline_now_us() - start_us) / 1000);
	return rc;
}

int
walk_stay(struct walk *w, struct err *err)
{
	int rc;

	w->r->vars.screen = walk_screen_name(w, w->target);
	rc = forgive(w, phone_state(w, "before", err), err);
	if (rc == 0)
		rc = hold(w, err);
	if (rc == 0)
		rc = forgive(w, phone_state(w, "after", err), err);
	if (rc == 0)
		rc = walk_look_still(w, w->target, err);
	if (rc == 0)
		rc = memory(w, err);
	if (rc == 0)
		rc = evidence(w, err);
	if (rc == 0)
		rc = take_snapshot(w, err);
	/* Not at the begin: what led here is the game's own. */
	if (rc == 0)
		rc = capture_next(w->r, w->dl, err);
	w->r->vars.screen = NULL;
	return rc;
}
