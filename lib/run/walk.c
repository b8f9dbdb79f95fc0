#include "run/walk.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/trace.h"
#include "run/app.h"
#include "run/app_log.h"
#include "run/link.h"
#include "run/measure.h"
#include "run/run_stage.h"
#include "run/watch.h"

enum {
	EVIDENCE_MS = 20000,
	MOST_LOSSES = 12, /* of the way to the app, in one visit */
	BLIND_LOSS = 4,	  /* one that nobody saw weighs so much */
};

const char *
walk_screen_name(const struct walk *w, int screen)
{
	return screen >= 0 ? w->r->plan->screen[screen].name : NULL;
}

bool
walk_over(const struct walk *w)
{
	return deadline_left_ms(w->dl) == 0;
}

void
walk_off_route(struct walk *w, const char *fmt, ...)
{
	AUTO_FREE char *reason = NULL;
	va_list ap;

	if (w->off_route || (w->visit == NULL && w->early))
		return;
	va_start(ap, fmt);
	reason = mem_vfmt(fmt, ap);
	va_end(ap);
	if (w->visit == NULL) {
		w->early = reason;
		reason = NULL;
		return;
	}
	w->off_route = true;
	json_set_bool(w->visit, "off_route", true);
	json_set_str(w->visit, "off_route_reason", reason);
}

void
walk_forget_times(struct walk *w)
{
	w->reached_ms = w->settle_ms = -1;
	w->reached_t_ms = -1;
}

static void
set_status(struct walk *w, const char *status, const char *message)
{
	json_set_str(w->visit, "status", status);
	json_set_str(w->visit, "message", message);
}

static void
new_visit(struct walk *w, size_t visit)
{
	cJSON *o = json_obj();

	w->visit = o;
	w->visit_number = visit + 1;
	w->target = w->r->route.visit[visit].screen;
	w->off_route = false;
	/* The first visit has those of the start already. */
	if (visit > 0)
		walk_forget_times(w);
	json_set_str(o, "name", walk_screen_name(w, w->target));
	json_set_int(o, "visit", (int64_t)w->visit_number);
	json_set_str(o, "status", "not_visited");
	json_set_str(o, "message", NULL);
	json_set_bool(o, "off_route", false);
	json_set(o, "attempts", json_arr());
	json_set(o, "phone", json_obj());
	json_push(result_array(&w->r->res, "screens"), o);
	if (w->early) {
		walk_off_route(w, "%s", w->early);
		mem_auto_free(&w->early);
		w->early = NULL;
	}
}

void
walk_set_ms(cJSON *o, const char *key, int64_t ms)
{
	json_set(o, key,
		 ms >= 0 ? cJSON_CreateNumber((double)ms) : cJSON_CreateNull());
}

/* The first screen after a start: everything before it is start-up. */
static int
first_screen(struct walk *w, struct err *err)
{
	struct run *r = w->r;
	int start = r->plan->route.start;
	enum walk_arrival arrival;
	double t_ms;
	cJSON *s;

	w->screen = ROUTE_UNKNOWN;
	if (walk_step_see(w, start, ROUTE_UNKNOWN, r->plan->connect.timeout_ms,
			  &arrival, &t_ms, err))
		return -1;
	if (arrival == WALK_FAILED)
		return walk_look_lost(w, err);
	if (arrival == WALK_ELSEWHERE)
		return 0; /* --attach, or a start that goes on by itself */
	w->screen = start;
	s = result_object(&r->res, "startup_ms");
	w->reached_ms = (deadline_now_us() - r->started_us) / 1000;
	if (json_get(s, "first_screen") == NULL && !r->cfg->attach)
		json_set_int(s, "first_screen", w->reached_ms);
	return walk_step_settle(w, start, &arrival, err);
}

int
walk_restart(struct walk *w, const char *kind, const struct err *why,
	     struct err *err)
{
	struct run *r = w->r;
	bool may = r->restarts < r->plan->limits.max_restarts;
	struct deadline dl = deadline_cap(w->dl, EVIDENCE_MS);

	if (kind && app_note_end(r, kind, walk_screen_name(w, w->target), why,
				 may, dl, err)) {
		if (err->code == ERR_CANCELLED || walk_over(w))
			return -1;
		result_error(&r->res, err, "crash evidence");
		err_clear(err);
	}
	if (!may) {
		err_set(err, ERR_NOTFOUND,
			"no restart is left after %lld: %.300s",
			(long long)r->restarts, why->msg);
		return err_reason(err, "no_restarts");
	}
	r->restarts++;
	run_say(r, PROGRESS_WARN, "restarting the app: %s", why->msg);
	walk_off_route(w, "restart");
	measure_mark(r, "restart", walk_screen_name(w, w->target), -1, 0);
	walk_reach_forgive(w);
	if (run_app_again(r, RUN_APP_CAPTURED, w->dl, err))
		return err_wrap(err, "restart");
	return first_screen(w, err);
}

/*
 * The way to the app is lost while it lives: find it, and look where we are.
 * 1, 0 and -1 as link_find_app().
 */
static int
find_again(struct walk *w, struct err *err)
{
	int rc;

	walk_off_route(w, "connection lost");
	rc = link_find_app(w->r, w->dl, err);
	if (rc < 0)
		return -1;
	run_say(w->r, PROGRESS_WARN, "connection to the app lost and found");
	return walk_look(w, err) ? -1 : rc;
}

static const char *
end_kind(const struct err *err)
{
	return err_is(err, "app_crashed") ? "crash"
	       : err_is(err, "app_anr")	  ? "anr"
	       : err_is(err, "app_hung")  ? "hung"
					  : "lost";
}

static int
visit_once(struct walk *w, size_t visit, struct err *err)
{
	if (walk_reach(w, visit, err))
		return -1;
	json_set_int(w->visit, "at_ms", result_at_ms(&w->r->res));
	if (w->reached_ms < 0 && visit == 0 && !w->off_route)
		w->reached_ms =
			json_int(w->r->res.json, "startup_ms.first_screen", -1);
	walk_set_ms(w->visit, "reached_ms", w->reached_ms);
	walk_set_ms(w->visit, "settle_ms", w->settle_ms);
	return walk_stay(w, err);
}

/* A line for people about the visit that is over. */
static void
tell(struct walk *w)
{
	AUTO_BUF struct buf text = BUF_INIT;
	const char *status = json_str(w->visit, "status", "");
	const char *why = json_str(w->visit, "message", NULL);
	double c = json_num(w->visit, "phone.after.battery_c", -1000);
	int64_t ms = json_int(w->visit, "reached_ms", -1);
	int64_t snap = json_int(w->visit, "snapshot.size_bytes", -1);
	bool visited = strcmp(status, "visited") == 0;

	buf_fmt(&text, "[%zu/%zu] %-10s", w->visit_number,
		w->r->route.visit_count, walk_screen_name(w, w->target));
	if (!visited)
		buf_fmt(&text, " %s", status);
	if (visited && ms >= 0) {
		buf_str(&text, "  ");
		buf_duration(&text, ms);
	}
	if (snap >= 0) {
		buf_str(&text, "  snapshot ");
		buf_size(&text, snap);
	}
	if (c > -1000)
		buf_fmt(&text,
			"  %.0f \xC2\xB0"
			"C",
			c);
	if (why)
		buf_fmt(&text, "  %s", why);
	if (w->off_route)
		buf_fmt(&text, "  off-route: %s",
			json_str(w->visit, "off_route_reason", ""));
	run_say(w->r,
		!visited       ? PROGRESS_FAIL
		: w->off_route ? PROGRESS_WARN
			       : PROGRESS_OK,
		"%s", text.data);
}

/* The app hangs: a plan may say that it gets another chance. */
static int
second_chance(struct walk *w, bool *again, struct err *err)
{
	struct err why = *err;

	*again = false;
	if (!err_is(err, "app_anr") && !err_is(err, "app_hung"))
		return 0;
	err_clear(err);
	if (walk_look_dialogs(w, again, err)) {
		if (err->code == ERR_CANCELLED || err_is(err, "lease_lost"))
			return -1;
		err_clear(err);
	}
	if (*again)
		app_log_forget(w->r);
	else
		*err = why;
	return 0;
}

int
walk_may_go_on(struct walk *w, int *losses, struct err *err)
{
	bool again;
	int rc;

	if (second_chance(w, &again, err))
		return -1;
	if (again)
		return 1;
	while (link_may_be_lost(err) && *losses < MOST_LOSSES) {
		bool told = err_is(err, "control_lost");

		err_clear(err);
		rc = find_again(w, err);
		/* Nothing was broken: that will not help for long. */
		*losses += rc == 0 && !told ? BLIND_LOSS : 1;
		if (rc >= 0)
			return 1;
		if (err->code == ERR_CANCELLED || err_is(err, "lease_lost") ||
		    link_phone_is_gone(err))
			return -1;
		if (w->r->control == NULL)
			return 0;
	}
	return 0;
}

static void
decide_late(struct walk *w)
{
	result_decide(&w->r->res, RESULT_TIMED_OUT, "timed_out",
		      "the deadline ended the walk at %s",
		      walk_screen_name(w, w->target));
}

static int
ended_late(struct walk *w, struct err *err)
{
	set_status(w, "not_visited", "out of time");
	decide_late(w);
	err_clear(err);
	return 1;
}

static int
ended_unreached(struct walk *w, struct err *err)
{
	walk_stay_failure(w, "unreached");
	set_status(w, "unreached", err->msg);
	err_clear(err);
	w->screen = ROUTE_UNKNOWN;
	/* The next visit says what is wrong if even this fails. */
	if (walk_look(w, err) && !watch_app_is_gone(err) &&
	    !link_may_be_lost(err) &&
	    (err->code != ERR_TIMEOUT || !walk_over(w)))
		return -1;
	err_clear(err);
	return w->r->plan->limits.unreachable == PLAN_UNREACHABLE_FAIL;
}

int
walk_app_ended(struct walk *w, struct err *err)
{
	struct err why = *err;

	err_clear(err);
	set_status(w, "crashed", why.msg);
	if (walk_restart(w, end_kind(&why), &why, err) == 0)
		return 0;
	if (err->code == ERR_CANCELLED || err_is(err, "lease_lost") ||
	    (link_phone_is_gone(err) && !walk_over(w)))
		return -1;
	result_error(&w->r->res, err, "walk");
	if (walk_over(w))
		decide_late(w);
	err_clear(err);
	return 1;
}

/*
 * One visit to its end.  0: go on with the next, 1: the walk is over (a
 * result), -1: the run is over.
 */
static int
visit(struct walk *w, size_t n, struct err *err)
{
	int losses = 0, on = 1;

	new_visit(w, n);
	trace_begin("visit.begin");
	trace_str("screen", walk_screen_name(w, w->target));
	trace_end();
	while (on > 0) {
		if (visit_once(w, n, err) == 0) {
			set_status(w, "visited", NULL);
			return 0;
		}
		if (err->code == ERR_CANCELLED || err_is(err, "lease_lost"))
			return -1;
		if (walk_over(w))
			return ended_late(w, err);
		on = walk_may_go_on(w, &losses, err);
	}
	if (on < 0)
		return -1;
	if (walk_over(w))
		return ended_late(w, err);
	if (err_is(err, "stopped")) {
		set_status(w, "not_visited", err->msg);
		result_error(&w->r->res, err, "walk");
		err_clear(err);
		return 1;
	}
	if (err_is(err, "unreached") || err_is(err, "no_restarts"))
		return ended_unreached(w, err);
	if (watch_app_is_gone(err))
		return walk_app_ended(w, err);
	return err_wrap(err, "screen %s", walk_screen_name(w, w->target));
}

static void
rest_not_visited(struct walk *w, size_t from, const char *why)
{
	for (size_t n = from; n < w->r->route.visit_count; n++) {
		new_visit(w, n);
		set_status(w, "not_visited", why);
	}
}

int
walk_tour(struct walk *w, struct err *err)
{
	struct run *r = w->r;
	int rc = 0;

	if (first_screen(w, err)) {
		/* When time is over, the first visit says so. */
		if (err->code == ERR_CANCELLED ||
		    (!watch_app_is_gone(err) && !link_may_be_lost(err) &&
		     (err->code != ERR_TIMEOUT || !walk_over(w))))
			return err_wrap(err, "first screen");
		/* The first visit finds it gone, or finds it again. */
		if (!link_may_be_lost(err))
			result_error(&r->res, err, "first screen");
		err_clear(err);
	}
	for (size_t n = 0; n < r->route.visit_count; n++) {
		rc = visit(w, n, err);
		if (rc >= 0)
			tell(w);
		if (rc != 0) {
			rest_not_visited(w, n + 1,
					 rc < 0 ? err->msg
						: "the walk ended before");
			break;
		}
	}
	return rc;
}

static int
walk_all(struct walk *w, struct err *err)
{
	int rc = walk_tour(w, err);

	if (rc == 0)
		rc = w->r->cfg->repeat > 0 ? walk_repeat(w, err)
					   : walk_again(w, err);
	return rc < 0 ? -1 : 0;
}

int
walk_route(struct run *r, struct err *err)
{
	struct walk w = {.r = r,
			 .round = 1,
			 .screen = ROUTE_UNKNOWN,
			 .reached_ms = -1,
			 .settle_ms = -1,
			 .reached_t_ms = -1};
	const struct plan *plan = r->plan;
	int rc;

	w.dl = r->dl;
	w.dl.at_us -= plan->limits.stop_margin_ms * 1000;
	w.map = route_map_new(plan);
	w.interrupts = mem_array(plan->interrupt_count, sizeof(int64_t));
	w.snapshots = mem_array(plan->screen_count, sizeof(int64_t));
	r->walk = &w;
	rc = walk_all(&w, err);
	r->walk = NULL;
	free(w.interrupts);
	free(w.snapshots);
	free(w.broken);
	free(w.early);
	route_map_free(w.map);
	return rc;
}
