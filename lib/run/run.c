#include "run/run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/trace.h"
#include "farm/farm.h"
#include "farm/reap.h"
#include "run/app.h"
#include "run/app_log.h"
#include "run/confirm.h"
#include "run/link.h"
#include "run/measure.h"
#include "run/probe.h"
#include "run/run_after.h"
#include "run/run_stage.h"
#include "run/watch.h"

/* Before the phone is ours only the stages' own budgets count. */
enum {
	BEFORE_PHONE_MS = 4 * 3600 * 1000,
	REAP_MS = 30000,
	LEASE_CHECK_MS = 10000,
	MOST_TURNS = 3, /* of a stage in which the phone is lost */
};

/* When a stage is entered. */
enum when {
	WHEN_GOING,  /* nothing has failed so far */
	WHEN_WALKED, /* the walk was entered, however it ended */
};

/* What it is about; a run without it leaves the stage out. */
enum about {
	ABOUT_ALL,
	ABOUT_GITHUB,
	ABOUT_APK,
	ABOUT_FARM,
	ABOUT_PLAN,
	ABOUT_CONFIRM,
	ABOUT_TRY,
	ABOUT_PROBE,
};

/* May it be entered again when the phone was lost in it, and is back? */
enum repeat { ONCE, AGAIN };

struct stage {
	const char *name;
	int (*enter)(struct run *r, struct buf *note, struct err *err);
	enum when when;
	enum about about;
	enum repeat repeat;
};

static const struct stage stages[] = {
	{"build", run_build_resolve, WHEN_GOING, ABOUT_GITHUB, ONCE},
	{"artifact", run_build_download, WHEN_GOING, ABOUT_GITHUB, ONCE},
	{"apk", run_build_apk, WHEN_GOING, ABOUT_APK, ONCE},
	{"baseline", confirm_read, WHEN_GOING, ABOUT_CONFIRM, ONCE},
	{"phone", run_phone_take, WHEN_GOING, ABOUT_FARM, ONCE},
	{"adb", run_phone_connect, WHEN_GOING, ABOUT_ALL, ONCE},
	{"prepare", run_prepare, WHEN_GOING, ABOUT_ALL, AGAIN},
	{"install", run_phone_install, WHEN_GOING, ABOUT_APK, AGAIN},
	{"start", run_app_start, WHEN_GOING, ABOUT_ALL, AGAIN},
	{"watch", run_try_watch, WHEN_GOING, ABOUT_TRY, ONCE},
	{"probe", probe_stage, WHEN_GOING, ABOUT_PROBE, ONCE},
	{"control", run_app_connect, WHEN_GOING, ABOUT_PLAN, ONCE},
	{"setup", run_app_setup, WHEN_GOING, ABOUT_PLAN, ONCE},
	{"capture", run_app_capture, WHEN_GOING, ABOUT_PLAN, ONCE},
	{"walk", run_app_walk, WHEN_GOING, ABOUT_PLAN, ONCE},
	{"stop", run_app_stop, WHEN_WALKED, ABOUT_PLAN, ONCE},
	{"teardown", run_app_teardown, WHEN_WALKED, ABOUT_PLAN, ONCE},
	{"pull", run_app_pull, WHEN_WALKED, ABOUT_PLAN, AGAIN},
	{"check", run_phone_check, WHEN_WALKED, ABOUT_FARM, AGAIN},
};

struct deadline
run_dl(const struct run *r, int64_t ms)
{
	return deadline_cap(r->dl, ms);
}

const char *
run_kind(const struct run_config *cfg)
{
	return cfg->repeat ? "verify" : cfg->plan ? "run" : "try";
}

int
run_skip(struct run *r, const char *reason, struct err *err)
{
	r->skip = true;
	return err_reason(err, reason);
}

static bool
applies(const struct run *r, enum about about)
{
	bool probe = r->cfg->probe != NULL;

	switch (about) {
	case ABOUT_GITHUB:
		return r->cfg->apk == NULL && !r->cfg->attach && !probe;
	case ABOUT_APK:
		return !r->cfg->attach && (!probe || r->cfg->apk);
	case ABOUT_FARM:
		return r->cfg->device == NULL;
	case ABOUT_PLAN:
		return r->plan != NULL && !probe;
	case ABOUT_CONFIRM:
		return confirm_wanted(r) && !probe;
	case ABOUT_TRY:
		return r->plan == NULL && !probe;
	case ABOUT_PROBE:
		return probe;
	case ABOUT_ALL:
		break;
	}
	return true;
}

static void
stage_over(struct run *r, const char *name, int64_t start_us,
	   const char *status, const char *text)
{
	int64_t ms = (deadline_now_us() - start_us) / 1000;

	trace_begin("stage.end");
	trace_str("stage", name);
	trace_str("status", status);
	trace_int("ms", ms);
	trace_end();
	result_stage(&r->res, name, status, ms, text && *text ? text : NULL);
	progress_stage_end(r->progress, name,
			   strcmp(status, "ok") == 0	    ? PROGRESS_OK
			   : strcmp(status, "skipped") == 0 ? PROGRESS_SKIP
			   : strcmp(status, "warn") == 0    ? PROGRESS_WARN
							    : PROGRESS_FAIL,
			   text && *text ? text : NULL, ms);
}

/* The outcome that belongs to a stage's failure. */
static void
stage_failed(struct run *r, const char *name, const struct err *err)
{
	if (r->skip) {
		result_decide(&r->res, RESULT_SKIPPED, err->reason, "%s",
			      err->msg);
		return;
	}
	result_error(&r->res, err, name);
	if (err->code == ERR_TIMEOUT && r->dl_fixed &&
	    deadline_left_ms(r->dl) == 0) {
		result_decide(&r->res, RESULT_TIMED_OUT, "timed_out",
			      "the plan's deadline ended the stage '%s'", name);
		return;
	}
	if (watch_app_is_gone(err) && json_count(r->res.json, "crashes") > 0) {
		result_decide(&r->res, RESULT_FAILED, "crash", "%s", err->msg);
		return;
	}
	result_decide_error(&r->res, err);
}

/* A phone that is gone in the middle may have been taken from us. */
static void
blame_lease(struct run *r, const char *stage, struct err *err)
{
	struct err lost = ERR_INIT;

	/* Only the first failure is the one to explain. */
	if (!r->farm || !r->lease.ours || err->code == ERR_CANCELLED ||
	    r->res.decided || err_is(err, "lease_lost"))
		return;
	if (stf_lease_check(&r->lease, run_dl(r, LEASE_CHECK_MS), &lost) == 0 ||
	    !err_is(&lost, "lease_lost"))
		return;
	err_wrap(&lost, "in the stage '%s'", stage);
	err_hint(&lost, "what the run saw of it: %.200s", err->msg);
	*err = lost;
}

static int
work(struct run *r, const struct stage *s, struct buf *note, struct err *err)
{
	for (int turn = 0;; turn++) {
		struct err why;
		int rc = s->enter(r, note, err);

		if (rc == 0 || s->repeat == ONCE || turn == MOST_TURNS ||
		    !link_may_be_lost(err))
			return rc;
		why = *err;
		err_clear(err);
		if (link_mend(r, r->dl, err) > 0) {
			buf_clear(note);
			continue;
		}
		if (err->code == ERR_NONE)
			*err = why; /* it was not the way */
		return -1;
	}
}

static void
stage_begins(struct run *r, const char *name)
{
	trace_begin("stage.begin");
	trace_str("stage", name);
	trace_end();
	progress_stage_begin(r->progress, name);
}

static int
enter(struct run *r, const struct stage *s)
{
	AUTO_BUF struct buf note = BUF_INIT;
	int64_t start_us = deadline_now_us();
	struct err err = ERR_INIT;

	stage_begins(r, s->name);
	if (work(r, s, &note, &err) == 0) {
		stage_over(r, s->name, start_us, "ok", note.data);
		return 0;
	}
	blame_lease(r, s->name, &err);
	if (!r->skip && !err_is(&err, "lease_lost"))
		farm_explain(r->tunnel, &err);
	stage_over(r, s->name, start_us, r->skip ? "skipped" : "failed",
		   err.msg);
	stage_failed(r, s->name, &err);
	return err.code == ERR_CANCELLED ? -2 : -1;
}

static void
run_stages(struct run *r)
{
	bool going = true, walked = false, cancelled = false;

	for (size_t i = 0; i < sizeof(stages) / sizeof(*stages); i++) {
		const struct stage *s = &stages[i];
		bool due = s->when == WHEN_GOING ? going : walked;

		if (!due || cancelled || !applies(r, s->about))
			continue;
		if (r->cfg->build_only && s->about != ABOUT_GITHUB &&
		    s->enter != run_build_apk)
			break;
		if (s->enter == run_app_walk)
			walked = true;
		switch (enter(r, s)) {
		case 0:
			break;
		case -2:
			cancelled = true;
			/* fall through */
		default:
			going = false;
		}
	}
}

static void
undone(void *arg, const char *name, const struct err *err)
{
	struct run *r = arg;

	trace_begin("undo.end");
	trace_str("undo", name);
	trace_str("error", err->code ? err->msg : NULL);
	trace_end();
	if (err->code == ERR_NONE)
		return;
	/* A capture that did not stop ended with the app's process. */
	if (strcmp(name, "captures") == 0 || strcmp(name, "app") == 0 ||
	    strcmp(name, "stay awake") == 0) {
		result_error(&r->res, err, name);
		return;
	}
	result_left_behind(&r->res, name, err->msg);
	run_say(r, PROGRESS_FAIL, "left behind: %s: %s", name, err->msg);
}

/* Give everything back, whatever happened. */
static void
give_back(struct run *r)
{
	int64_t start_us = deadline_now_us();
	AUTO_FREE char *mark = mem_fmt("patrol-end-%lld", (long long)start_us);
	struct err err = ERR_INIT;
	bool had_phone = r->farm && r->lease.ours;

	if (r->td.count == 0)
		return;
	stage_begins(r, "return");
	if (r->logcat && !deadline_cancel_raised(r->cancel, 1) &&
	    adb_logcat_finish(r->logcat, mark, deadline_in(r->cancel, 2000),
			      &err))
		result_error(&r->res, &err, "logcat");
	teardown_run(&r->td, undone, r);
	stage_over(r, "return", start_us,
		   result_has_left(&r->res) ? "failed" : "ok",
		   result_has_left(&r->res) ? "something was left behind"
		   : had_phone		    ? "phone returned"
					    : "");
}

static void
afterwards(struct run *r, const struct run_after *after)
{
	AUTO_BUF struct buf note = BUF_INIT;
	int64_t start_us = deadline_now_us();
	bool warn;

	if (r->cfg->probe || !after->wanted(r) ||
	    deadline_cancel_raised(r->cancel, 1))
		return;
	stage_begins(r, after->stage);
	warn = after->make(r, &note);
	stage_over(r, after->stage, start_us, warn ? "warn" : "ok", note.data);
}

static int
make_folders(struct run *r, struct err *err)
{
	static const char *const names[] = {"screens", "logs"};

	/* A run that was killed may have written here. */
	if (reap_clear_folder(r->cfg->out, err))
		return -1;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		AUTO_FREE char *path = file_join(r->cfg->out, names[i]);

		if (file_mkdirs(path, err))
			return -1;
	}
	r->work_dir = file_join(r->cfg->out, ".work");
	return file_mkdirs(r->work_dir, err);
}

static void
run_done(struct run *r)
{
	struct err err = ERR_INIT;

	app_disconnect(r);
	adb_logcat_free(r->logcat);
	adb_device_done(&r->dev);
	/* One that we joined goes on; ours has ended by now. */
	adb_server_stop(&r->adb, deadline_grace(r->cancel, 0));
	adb_device_facts_done(&r->facts);
	measure_done(r->measure);
	confirm_done(r->confirm);
	apk_artifact_done(&r->apk);
	apk_manifest_done(&r->manifest);
	if (r->farm) {
		stf_lease_done(&r->lease);
		farm_close(&r->stf, &r->tunnel);
	}
	route_done(&r->route);
	for (size_t i = 0; r->var_name && i < r->cfg->var_count; i++)
		free(r->var_name[i]);
	free(r->var_name);
	free(r->var);
	phone_lock_drop_all(&r->locks);
	/* Else reap looks for locks that are gone: no harm. */
	(void)lease_journal_gave(r->cfg->journal, "lock", NULL, &err);
	err_clear(&err);
	if (r->work_dir && (file_remove_end(r->clearing, &err) ||
			    file_remove_tree(r->work_dir, &err)))
		result_left_behind(&r->res, "work folder", err.msg);
	free(r->work_dir);
	free(r->download);
	free(r->download_sha256);
	free(r->download_type);
	free(r->serial);
	free(r->session);
	free(r->commit);
	app_log_forget(r);
	free((char *)(uintptr_t)r->vars.files);
	secret_done(&r->token);
	plan_free(r->plan);
}

/* A phone that a killed run holds may be the one that we want. */
static void
reap_first(struct run *r)
{
	struct reap_count n;
	struct err err = ERR_INIT;

	if (r->cfg->device != NULL)
		return; /* nothing of ours is on a farm */
	if (reap_dead(r->set, r->progress, &n, run_dl(r, REAP_MS), &err))
		run_say(r, PROGRESS_WARN, "reap: %s", err.msg);
}

static int
prepare(struct run *r, struct err *err)
{
	cJSON *versions = result_object(&r->res, "versions");

	json_set_str(versions, "patrol", PATROL_VERSION);
	json_set_str(r->res.json, "command", r->cfg->command);
	json_set_str(r->res.json, "report_url", r->set->report_url);
	json_set_str(r->res.json, "dashboard_url", r->set->dashboard_url);
	if (r->cfg->plan && run_plan_read(r, err))
		return -1;
	if (r->plan)
		json_set_bool(r->res.json, "measures", run_judge_wants_data(r));
	if (r->cfg->package)
		r->package = r->cfg->package;
	if (r->cfg->probe && r->package == NULL && r->cfg->apk == NULL)
		return err_set(err, ERR_USAGE,
			       "the plan has no app.package: give --package or "
			       "--apk");
	reap_first(r);
	return make_folders(r, err);
}

int
run_patrol(const struct run_config *cfg, struct settings *set,
	   struct progress *progress, const struct cancel *cancel,
	   struct result *res)
{
	struct run r = {.cfg = cfg,
			.set = set,
			.cancel = cancel,
			.progress = progress,
			.stay_awake = -2,
			.dl = deadline_in(cancel, BEFORE_PHONE_MS)};
	struct err err = ERR_INIT;
	int64_t start_us = deadline_now_us();

	r.vars = (struct plan_vars)PLAN_VARS_INIT;
	result_init(&r.res, run_kind(cfg), cfg->plan ? cfg->plan : cfg->apk);
	teardown_init(&r.td, cancel);
	if (cfg->plan)
		progress_stage_begin(progress, "plan");
	if (prepare(&r, &err)) {
		stage_over(&r, "plan", start_us, "failed", err.msg);
		stage_failed(&r, "plan", &err);
	} else {
		AUTO_FREE char *note =
			mem_fmt("%zu visits, route %s", r.route.visit_count,
				r.route.hash);

		if (cfg->plan)
			stage_over(&r, "plan", start_us, "ok", note);
		run_stages(&r);
	}
	give_back(&r);
	afterwards(&r, &run_after_compare);
	afterwards(&r, &run_after_history);
	afterwards(&r, &run_after_issues);
	if (cfg->probe == NULL)
		run_judge(&r);
	afterwards(&r, &run_after_merge);
	run_done(&r);
	*res = r.res;
	return result_exit_status(res);
}
