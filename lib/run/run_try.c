#include <string.h>

#include "adb/adb_app.h"
#include "adb/adb_device_phone.h"
#include "adb/adb_screencap.h"
#include "base/file.h"
#include "base/mem.h"
#include "run/app.h"
#include "run/app_log.h"
#include "run/run_stage.h"

/* Before there is a plan: start it, look at it for a while, say what came. */
enum {
	LOOK_MS = 2000,
	PICTURE_LIMIT = 32 << 20,
	PICTURES = 3, /* at the start, in the middle, at the end */
	EVIDENCE_MS = 20000,
};

static void
set_num(cJSON *o, const char *key, double n, bool known)
{
	json_set(o, key, known ? cJSON_CreateNumber(n) : cJSON_CreateNull());
}

/* One sample of the timeline.  *alive: the process is there. */
static int
look(struct run *r, bool *alive, int64_t *most, struct err *err)
{
	struct deadline dl = run_dl(r, r->set->budget.shell_ms);
	struct adb_app_health health;
	struct adb_phone_state s;
	cJSON *o;

	if (adb_app_health(&r->dev, r->package, &health, dl, err) ||
	    adb_device_phone_state(&r->dev, &s, dl, err))
		return -1;
	*alive = health.pid != 0;
	if (health.pss_bytes > *most)
		*most = health.pss_bytes;
	o = json_obj();
	json_set_int(o, "at_ms", result_at_ms(&r->res));
	json_set_str(o, "screen", NULL);
	set_num(o, "battery_c", s.battery_c,
		s.battery_c > ADB_DEVICE_PHONE_UNKNOWN_C);
	set_num(o, "battery_pct", s.battery_pct, s.battery_pct >= 0);
	set_num(o, "thermal_status", s.thermal_status, s.thermal_status >= 0);
	set_num(o, "free_bytes", (double)s.free_bytes, s.free_bytes >= 0);
	set_num(o, "memory_bytes", (double)health.pss_bytes,
		health.pss_bytes >= 0);
	json_push(result_array(&r->res, "timeline"), o);
	return 0;
}

static int
picture(struct run *r, cJSON *screen, int n, int64_t after_ms, struct err *err)
{
	AUTO_BUF struct buf png = BUF_INIT_MAX(PICTURE_LIMIT);
	AUTO_FREE char *name = mem_fmt("screens/%02d-try.png", n + 1);
	AUTO_FREE char *path = file_join(r->cfg->out, name);
	AUTO_BUF struct buf caption = BUF_INIT;
	cJSON *image;

	if (adb_screencap_take(&r->dev, &png,
			       run_dl(r, r->set->budget.screenshot_ms), err) ||
	    file_write_raw(path, png.data, png.len, err))
		return err_wrap(err, "screenshot");
	if (n == 0) {
		json_set_str(screen, "screenshot", name);
		return 0;
	}
	image = json_obj();
	buf_str(&caption, "after ");
	buf_duration(&caption, after_ms);
	json_set_str(image, "file", name);
	json_set_str(image, "caption", caption.data);
	json_push(cJSON_GetObjectItemCaseSensitive(screen, "images"), image);
	return 0;
}

static cJSON *
new_screen(struct run *r)
{
	cJSON *o = json_obj();

	json_set_str(o, "name", "start");
	json_set_int(o, "visit", 1);
	json_set_str(o, "status", "visited");
	json_set_int(o, "at_ms", result_at_ms(&r->res));
	json_set(o, "images", json_arr());
	json_push(result_array(&r->res, "screens"), o);
	return o;
}

static int
ended(struct run *r, cJSON *screen, struct err *err)
{
	struct err why = ERR_INIT;

	err_set(&why, ERR_REMOTE, "%s",
		r->seen.line ? r->seen.line : "the app's process is gone");
	json_set_str(screen, "status", "crashed");
	json_set_str(screen, "message", why.msg);
	return app_note_end(r, r->seen.anr ? "anr" : "crash", "start", &why,
			    false, run_dl(r, EVIDENCE_MS), err);
}

/* Pictures that can't be had are said, and the watching goes on. */
static void
try_picture(struct run *r, cJSON *screen, int n, int64_t after_ms)
{
	struct err err = ERR_INIT;

	if (picture(r, screen, n, after_ms, &err) == 0)
		return;
	result_error(&r->res, &err, "watch");
	run_say(r, PROGRESS_WARN, "%s", err.msg);
}

int
run_try_watch(struct run *r, struct buf *note, struct err *err)
{
	int64_t start_us = deadline_now_us(), most = -1;
	int64_t all = r->cfg->try_ms;
	cJSON *screen = new_screen(r);
	int pictures = 0;
	bool alive = true;

	for (;;) {
		int64_t now = (deadline_now_us() - start_us) / 1000;
		int64_t next = LOOK_MS;

		if (now >= all * pictures / (PICTURES - 1) &&
		    pictures < PICTURES)
			try_picture(r, screen, pictures++, now);
		if (look(r, &alive, &most, err))
			return -1;
		if (!alive || app_log_tells(r))
			return ended(r, screen, err);
		now = (deadline_now_us() - start_us) / 1000;
		if (now >= all && pictures == PICTURES)
			break;
		run_waiting(r, now, all, "watching %s", r->package);
		if (all - now < next)
			next = all - now > 0 ? all - now : 0;
		if (run_wait(r, -1, next, r->dl, err) < 0)
			return -1;
	}
	buf_str(note, "watched for ");
	buf_duration(note, all);
	if (most >= 0) {
		buf_str(note, ", up to ");
		buf_size(note, most);
	}
	return 0;
}
