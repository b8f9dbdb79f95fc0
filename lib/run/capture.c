#include "run/capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "farm/reap_adb.h"
#include "run/action.h"
#include "run/link.h"
#include "run/measure.h"
#include "run/measure_unity.h"
#include "run/run_stage.h"
#include "run/watch.h"

enum {
	TELL_MS = 20000,
	BEHIND_TOLD = 2, /* segments that the filter has not read */
	BEHIND_MOST = 8,
};

bool
capture_wanted(const struct run *r)
{
	const struct plan_measure *pm = &r->plan->measure;

	return pm->profiler.used && pm->profiler.filter != PLAN_FILTER_APP &&
	       (r->cfg->measure & RUN_PROFILER);
}

int
capture_check(const struct run *r, struct err *err)
{
	AUTO_FREE char *program = NULL;

	if (!capture_wanted(r) ||
	    r->plan->measure.profiler.filter != PLAN_FILTER_DEVICE)
		return 0;
	program = capture_device_program(r);
	if (program)
		return 0;
	if (r->set->device_filter)
		err_set(err, ERR_INPUT, "PATROL_DEVICE_FILTER: no file '%s'",
			r->set->device_filter);
	else
		err_set(err, ERR_INPUT,
			"there is no program that filters on the phone, "
			"patrol-filter, beside patrol");
	err_reason(err, "no_device_filter");
	return err_hint(err, "`make device-filter` builds it; with `filter: "
			     "host` none is needed");
}

static void
recording_free(struct capture_recording *c)
{
	capture_device_done(c);
	capture_host_done(c);
	free(c->folder);
	free(c->why);
	free(c->file);
	free(c);
}

void
capture_free(struct capture *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->count; i++)
		recording_free(c->list[i]);
	free(c->list);
	free(c->counter);
	free(c);
}

static bool
on_device(const struct run *r)
{
	return r->plan->measure.profiler.filter == PLAN_FILTER_DEVICE;
}

static struct capture *
of(struct run *r)
{
	struct measure *m = r->measure;

	if (m->capture == NULL) {
		m->capture = mem_alloc(sizeof(*m->capture));
		m->capture->filter = r->plan->measure.profiler.filter;
	}
	return m->capture;
}

int
capture_note(struct run *r, const char *what, const char *path, struct err *err)
{
	AUTO_FREE char *server = run_phone_server(r);
	AUTO_BUF struct buf b = BUF_INIT;

	buf_str(&b, r->package);
	if (path)
		buf_fmt(&b, " %s", path);
	if (r->farm)
		buf_fmt(&b, " of %s", r->lease.serial);
	else if (!r->adb.ours)
		buf_fmt(&b, " at %s", server);
	return lease_journal_take(r->cfg->journal, what, r->serial, b.data,
				  err);
}

static int
note_capture(struct run *r, struct err *err)
{
	AUTO_FREE char *folder = on_device(r) ? NULL : capture_host_folder(r);

	return capture_note(r, "capture", folder, err);
}

/* Once, before anything is put on the phone. */
static int
ready(struct run *r, struct capture *c, struct deadline dl, struct err *err)
{
	if (c->ready)
		return 0;
	/* An app that goes on by itself is not reap's to end. */
	if (!c->noted && !r->cfg->attach) {
		if (note_capture(r, err))
			return -1;
		c->noted = true;
	}
	if (on_device(r) ? capture_device_ready(r, &c->touched, dl, err)
			 : capture_host_ready(r, &c->touched, dl, err))
		return -1;
	c->ready = true;
	return 0;
}

/* Let the app write into the recording's next segment. */
static int
tell_segment(struct run *r, struct capture_recording *c, struct deadline dl,
	     struct err *err)
{
	AUTO_FREE char *path =
		mem_fmt("%s/s_%04d.raw", c->folder, c->segment + 1);
	struct action_answer answer = {.t_ms = -1};
	int rc;

	if (control_has(r->control, CONTROL_PROFILER)) {
		cJSON *p = json_obj();

		json_set_str(p, "path", path);
		rc = watch_request(r, "profiler.start", p, TELL_MS,
				   &answer.value, NULL, dl, err);
		answer.t_ms = (double)json_round(answer.value, "t", -1);
		answer.frame = json_int(answer.value, "frame", 0);
	} else if (control_has(r->control, CONTROL_SCRIPT)) {
		AUTO_BUF struct buf code = BUF_INIT;

		buf_str(&code, MEASURE_UNITY_PROFILER_SEGMENT "(");
		json_quote(&code, path);
		buf_str(&code, ")");
		rc = action_js(r, "profiler.start", code.data, TELL_MS, &answer,
			       dl, err);
	} else {
		err_set(err, ERR_REMOTE,
			"the app's server has neither 'profiler' nor "
			"'script', so it can't record");
		rc = err_reason(err, "NotSupported");
	}
	if (rc == 0) {
		c->segment++;
		c->segment_us = deadline_now_us();
		if (c->segment > 1)
			measure_mark(r, "segment", r->vars.screen, answer.t_ms,
				     answer.frame);
		action_answer_done(&answer);
	}
	return rc;
}

static int
tell_stop(struct run *r, struct deadline dl, struct err *err)
{
	struct action_answer answer = {.t_ms = -1};
	int rc;

	if (control_has(r->control, CONTROL_PROFILER))
		rc = watch_request(r, "profiler.stop", NULL, TELL_MS,
				   &answer.value, NULL, dl, err);
	else
		rc = action_js(r, "profiler.stop", MEASURE_UNITY_PROFILER_STOP,
			       TELL_MS, &answer, dl, err);
	if (rc == 0)
		action_answer_done(&answer);
	return rc;
}

static void
ended_because(struct capture_recording *c, const char *why)
{
	if (c->why == NULL)
		c->why = mem_strdup(why);
}

/*
 * The app writes no more: the filter ends, and what it made comes here.  When
 * the way to the phone is lost meanwhile it is done later.
 */
static int
finish(struct run *r, struct capture_recording *c, struct deadline dl,
       struct err *err)
{
	struct capture *all = r->measure->capture;

	if (c->state == CAPTURE_RUNS)
		c->to_ms = result_at_ms(&r->res);
	c->state = CAPTURE_ENDED;
	if (on_device(r) ? capture_device_end(r, c, dl, err)
			 : capture_host_end(r, c, dl, err)) {
		if (measure_fatal(r, err))
			return -1;
		c->failed = true;
		mem_auto_free(&c->why);
		c->why = mem_strdup(err->msg);
		result_error(&r->res, err, "capture");
		run_say(r, PROGRESS_WARN, "capture: %s", err->msg);
		err_clear(err);
	}
	c->state = CAPTURE_DONE;
	if (all->now == c)
		all->now = NULL;
	return 0;
}

static int
begin(struct run *r, struct deadline dl, struct err *err)
{
	struct capture *all = of(r);
	struct capture_recording *c;

	if (ready(r, all, dl, err) || capture_counter_find(r, all, err))
		return -1;
	c = mem_alloc(sizeof(*c));
	c->shell.fd = -1;
	MEM_GROW(all->list, all->count, all->room);
	all->list[all->count++] = c;
	c->number = (int)all->count;
	c->file = mem_fmt("capture/patrol-%d.raw", c->number);
	c->from_ms = result_at_ms(&r->res);
	c->mark = json_count(r->res.json, "marks");
	if (on_device(r) ? capture_device_begin(r, c, dl, err)
			 : capture_host_begin(r, c, dl, err))
		return -1;
	if (tell_segment(r, c, dl, err))
		return -1;
	all->now = c;
	return 0;
}

/* A recording that did not begin is none. */
static void
take_back(struct run *r)
{
	struct capture *all = r->measure->capture;

	if (all == NULL || all->count == 0 || all->now)
		return;
	if (all->list[all->count - 1]->state == CAPTURE_RUNS)
		recording_free(all->list[--all->count]);
}

int
capture_app_begins(struct run *r, struct deadline dl, struct err *err)
{
	struct capture *all;

	if (r->plan == NULL || !capture_wanted(r))
		return 0;
	if (r->measure == NULL)
		r->measure = mem_alloc(sizeof(*r->measure));
	all = of(r);
	all->owed = false;
	if (all->now) {
		ended_because(all->now, "the app ended");
		if (finish(r, all->now, dl, err))
			return -1;
	}
	if (capture_counter_find(r, all, err))
		return -1;
	return capture_counter_fresh(r, all, dl, err);
}

int
capture_start(struct run *r, struct deadline dl, struct err *err)
{
	if (of(r)->over)
		return 0;
	if (begin(r, dl, err) == 0)
		return 0;
	take_back(r);
	return -1;
}

/* Another recording for the same process of the app. */
static int
begin_owed(struct run *r, struct deadline dl, struct err *err)
{
	struct capture *all = r->measure->capture;

	if (all->over || !all->owed)
		return 0;
	if (begin(r, dl, err)) {
		take_back(r);
		return -1;
	}
	all->owed = false;
	return 0;
}

/* No other recording will begin: the app is relieved of its Profiler. */
static int
give_up(struct run *r, struct capture_recording *c, const char *why,
	struct deadline dl, struct err *err)
{
	r->measure->capture->over = true;
	ended_because(c, why);
	run_say(r, PROGRESS_WARN, "capture: %s; it is stopped", why);
	if (tell_stop(r, dl, err)) {
		if (measure_fatal(r, err))
			return -1;
		result_error(&r->res, err, "capture stop");
		err_clear(err);
	}
	return finish(r, c, dl, err);
}

/* The filter on the phone: does it live, and does it keep up? */
static int
look_after(struct run *r, struct capture_recording *c, bool *runs,
	   struct deadline dl, struct err *err)
{
	int unread;

	*runs = false;
	capture_device_hear(c);
	if (c->shell.fd < 0 && c->lost) {
		/* The way to the phone was lost, and found again. */
		ended_because(c, "the connection to the phone was lost");
		r->measure->capture->owed = true;
		return finish(r, c, dl, err) ? -1 : begin_owed(r, dl, err);
	}
	if (c->shell.fd < 0)
		return give_up(r, c,
			       c->shell.status == 0
				       ? "max_output is reached"
				       : "the filter on the phone has ended",
			       dl, err);
	if (capture_device_unread(r, c, &unread, dl, err))
		return -1;
	unread--; /* the app still writes that one */
	if (unread >= BEHIND_MOST) {
		AUTO_FREE char *why = mem_fmt(
			"the filter fell behind: %d segments unread", unread);

		return give_up(r, c, why, dl, err);
	}
	if (unread >= BEHIND_TOLD)
		run_say(r, PROGRESS_WARN,
			"capture: the filter falls behind: %d segments unread",
			unread);
	*runs = true;
	return 0;
}

static int
next(struct run *r, struct capture_recording *c, struct deadline dl,
     struct err *err)
{
	int64_t old_ms = (deadline_now_us() - c->segment_us) / 1000;
	bool runs = true;

	if (c->state == CAPTURE_ENDED)
		return finish(r, c, dl, err) ? -1 : begin_owed(r, dl, err);
	if (on_device(r) && look_after(r, c, &runs, dl, err))
		return -1;
	if (!on_device(r) && capture_host_over(c))
		return give_up(r, c, "the filter has ended", dl, err);
	if (!runs || old_ms < r->plan->measure.profiler.segment_ms)
		return 0;
	if (tell_segment(r, c, dl, err))
		return -1;
	return on_device(r) ? 0
			    : capture_host_fetch(r, c, c->segment - 1, dl, err);
}

int
capture_next(struct run *r, struct deadline dl, struct err *err)
{
	struct capture *all = r->measure ? r->measure->capture : NULL;
	struct capture_recording *c = all ? all->now : NULL;

	if (all == NULL ||
	    (c ? next(r, c, dl, err) : begin_owed(r, dl, err)) == 0)
		return 0;
	if (measure_fatal(r, err) || link_may_be_lost(err))
		return -1;
	/* Later is early enough; the end tells what is missing. */
	result_error(&r->res, err, "capture");
	run_say(r, PROGRESS_WARN, "capture: %s", err->msg);
	err_clear(err);
	return 0;
}

int
capture_stop(struct run *r, struct deadline dl, struct err *err)
{
	struct capture *all = r->measure->capture;
	struct capture_recording *c = all ? all->now : NULL;

	if (c == NULL)
		return 0;
	if (r->control == NULL)
		ended_because(c, "the app ended before it was stopped");
	else if (!all->over && tell_stop(r, dl, err))
		return -1;
	return finish(r, c, dl, err);
}

int
capture_undo(struct run *r, struct deadline dl, struct err *err)
{
	struct capture *all = r->measure->capture;

	if (all == NULL || all->now == NULL || r->control == NULL)
		return 0;
	all->now = NULL;
	return tell_stop(r, dl, err);
}

static int
clean_folders(struct run *r, struct capture *all, struct deadline dl,
	      struct err *err)
{
	AUTO_FREE char *folder = on_device(r) ? NULL : capture_host_folder(r);
	AUTO_BUF struct buf b = BUF_INIT;

	/* A closed leash ends the program. */
	for (size_t i = 0; i < all->count; i++) {
		if (all->list[i]->shell.fd >= 0)
			adb_shell_close(&all->list[i]->shell);
	}
	reap_adb_uncapture(&b, r->package, folder);
	return adb_shell_text(&r->dev, b.data, NULL, dl, err);
}

int
capture_clean(void *arg, struct deadline dl, struct err *err)
{
	struct run *r = arg;
	struct capture *all = r->measure ? r->measure->capture : NULL;
	struct err more = ERR_INIT;
	int rc;

	if (all == NULL)
		return 0;
	/* It is tried; reap does not ask a phone that is lost once more. */
	if (all->noted &&
	    lease_journal_gave(r->cfg->journal, "capture", NULL, err))
		return -1;
	if (all->counter_noted &&
	    lease_journal_gave(r->cfg->journal, "gc_counter", NULL, err))
		return -1;
	rc = all->touched ? clean_folders(r, all, dl, err) : 0;
	/* An app that goes on has it open. */
	if (!r->cfg->attach && capture_counter_remove(r, all, dl, &more)) {
		if (rc == 0)
			*err = more;
		rc = -1;
	}
	return rc;
}

void
capture_tell(struct run *r, bool failed)
{
	struct capture *all = r->measure->capture;

	if (all == NULL || all->told)
		return;
	all->told = true;
	capture_result_fill(r, all, failed);
}
