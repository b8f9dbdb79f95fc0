#include <string.h>

#include "base/mem.h"
#include "run/action.h"
#include "run/pred.h"
#include "run/walk.h"
#include "run/watch.h"

enum {
	SLICE_MS = 2000,     /* how long the app waits before we look around */
	PHONE_POLL_MS = 500, /* for predicates that only adb can answer */
};

/*
 * One slice of waiting for `want` (taken), with the interrupts in front of it.
 * 1: it holds, 0: not yet (or an interrupt was handled), -1: error.
 */
static int
slice(struct walk *w, cJSON *want, const struct watch_for *how,
      struct watch_seen *seen, bool *interrupted, struct err *err)
{
	AUTO_FREE size_t *index =
		mem_array(w->r->plan->interrupt_count, sizeof(size_t));
	AUTO_JSON cJSON *alone = cJSON_Duplicate(want, 1);
	cJSON *cond = json_obj(), *any = json_arr();
	size_t count = 0;
	int holds;

	*interrupted = false;
	json_set(cond, "any", any);
	if (walk_look_conds(w, any, index, &count, err)) {
		cJSON_Delete(want);
		cJSON_Delete(cond);
		return -1;
	}
	json_push(any, want);
	holds = watch_cond(w->r, cond, how, seen, w->dl, err);
	if (holds <= 0)
		return holds;
	if (seen->matched < 0 && count > 0) {
		/* It does not tell which: look for interrupts first. */
		int64_t before = 0, after = 0;

		for (size_t i = 0; i < count; i++)
			before += w->interrupts[index[i]];
		if (walk_look_interrupts(w, err))
			return -1;
		for (size_t i = 0; i < count; i++)
			after += w->interrupts[index[i]];
		*interrupted = after != before;
		if (*interrupted)
			return 0;
		want = alone;
		alone = NULL;
		return watch_cond(w->r, want, how, seen, w->dl, err);
	}
	if (seen->matched < 0 || (size_t)seen->matched >= count)
		return 1;
	*interrupted = true;
	return walk_look_handle(w, index[seen->matched], err);
}

/* One look at a screen that the app can't recognise alone. */
static int
slice_by_phone(struct walk *w, const struct plan_pred *is,
	       struct watch_seen *seen, bool *interrupted, struct err *err)
{
	int64_t start_us = deadline_now_us();
	int holds;

	*seen = (struct watch_seen){.matched = -1, .t_ms = -1};
	*interrupted = false;
	if (walk_look_interrupts(w, err))
		return -1;
	holds = pred_holds(w->r, is, w->dl, err);
	if (holds == 0 && run_wait(w->r, -1, PHONE_POLL_MS, w->dl, err) < 0)
		return -1;
	seen->elapsed_ms = (deadline_now_us() - start_us) / 1000;
	return holds;
}

int
walk_step_see(struct walk *w, int screen, int from, int64_t ms,
	      enum walk_arrival *arrival, double *t_ms, struct err *err)
{
	const struct plan_pred *is = w->r->plan->screen[screen].is;
	int64_t end_us = deadline_now_us() + ms * 1000;
	int before = ROUTE_UNKNOWN;

	*arrival = WALK_FAILED;
	*t_ms = -1;
	for (;;) {
		int64_t left = (end_us - deadline_now_us()) / 1000;
		struct watch_for how = {
			.timeout_ms = left < SLICE_MS ? left : SLICE_MS};
		struct watch_seen seen;
		bool interrupted;
		cJSON *cond;
		int holds, other;

		if (left < 0)
			how.timeout_ms = 0;
		if (pred_in_app(is)) {
			if (pred_cond(w->r, is, &cond, err))
				return -1;
			holds = slice(w, cond, &how, &seen, &interrupted, err);
		} else {
			holds = slice_by_phone(w, is, &seen, &interrupted, err);
		}
		if (holds < 0)
			return -1;
		if (holds) {
			*arrival = WALK_ARRIVED;
			*t_ms = w->reached_t_ms = seen.t_ms;
			return 0;
		}
		if (interrupted)
			continue;
		if (walk_look_interrupts(w, err) ||
		    walk_look_except(w, screen, from, &other, err))
			return -1;
		/* Twice in a row: not just passing through. */
		if (other != ROUTE_UNKNOWN && other == before) {
			*arrival = WALK_ELSEWHERE;
			w->screen = other;
			return 0;
		}
		before = other;
		if (left <= 0)
			return 0;
		run_waiting(w->r, ms - left, ms, "waiting for %s",
			    w->r->plan->screen[screen].name);
	}
}

int
walk_step_settle(struct walk *w, int screen, enum walk_arrival *arrival,
		 struct err *err)
{
	const struct plan_screen *s = &w->r->plan->screen[screen];
	const struct plan_settle *settle = &s->settle;
	int64_t start_us = deadline_now_us();
	int64_t end_us = start_us + settle->timeout_ms * 1000;

	for (;;) {
		int64_t left = (end_us - deadline_now_us()) / 1000;
		struct watch_for how = {.stable_ms = settle->stable_ms,
					.stable_frames = settle->stable_frames};
		cJSON *cond = json_obj(), *all = json_arr(), *is;
		struct watch_seen seen;
		bool interrupted;
		int holds;

		how.timeout_ms =
			settle->stable_ms + (left < SLICE_MS ? left : SLICE_MS);
		json_set(cond, "all", all);
		if (pred_in_app(s->is)) {
			if (pred_cond(w->r, s->is, &is, err)) {
				cJSON_Delete(cond);
				return -1;
			}
			json_push(all, is);
		}
		if (settle->nav_idle)
			json_push(all, pred_idle());
		holds = slice(w, cond, &how, &seen, &interrupted, err);
		if (holds < 0)
			return -1;
		if (holds) {
			w->settle_ms = (deadline_now_us() - start_us) / 1000;
			/* Exactly, where the app says since when. */
			if (w->reached_t_ms >= 0 &&
			    seen.since_t_ms >= w->reached_t_ms)
				w->settle_ms = (int64_t)(seen.since_t_ms -
							 w->reached_t_ms + 0.5);
			*arrival = WALK_ARRIVED;
			return 0;
		}
		left = (end_us - deadline_now_us()) / 1000;
		if (left <= 0) {
			*arrival = WALK_FAILED;
			return 0;
		}
		run_waiting(w->r, settle->timeout_ms - left, settle->timeout_ms,
			    "%s is settling", s->name);
	}
}

static const char *
status_of(enum walk_arrival arrival)
{
	return arrival == WALK_ARRIVED	   ? "ok"
	       : arrival == WALK_ELSEWHERE ? "elsewhere"
					   : "timeout";
}

static const char *
status_of_error(const struct walk *w, const struct err *err)
{
	if (err->code == ERR_CANCELLED)
		return "cancelled";
	if (err_is(err, "app_crashed"))
		return "crash";
	if (err_is(err, "app_anr"))
		return "anr";
	if (err_is(err, "app_hung"))
		return "hung";
	if (err_is(err, "control_lost"))
		return "lost";
	return walk_over(w) ? "deadline" : "failed";
}

void
walk_step_text(const struct plan_transition *t, struct buf *out)
{
	for (size_t i = 0; i < t->actions.count; i++) {
		AUTO_FREE char *text = plan_action_text(&t->actions.item[i]);

		buf_fmt(out, "%s%s", i ? ", " : "", text);
	}
}

/* A line of transitions[] and one of the visit's attempts[]. */
static void
record(struct walk *w, const struct plan_transition *t, int from,
       const char *status, int64_t ms, int64_t at_ms, bool detour,
       const char *message)
{
	cJSON *o = json_obj(), *a;
	AUTO_BUF struct buf action = BUF_INIT;

	walk_step_text(t, &action);
	json_set_str(o, "from", walk_screen_name(w, from));
	json_set_str(o, "to", walk_screen_name(w, t->to));
	json_set_str(o, "action", action.data);
	json_set_str(o, "status", status);
	json_set_int(o, "at_ms", at_ms);
	json_set(o, "ms",
		 ms >= 0 ? cJSON_CreateNumber((double)ms) : cJSON_CreateNull());
	json_set_bool(o, "detour", detour);
	if (strcmp(status, "elsewhere") == 0)
		json_set_str(o, "landed", walk_screen_name(w, w->screen));
	json_set_str(o, "message", message);
	if (w->repeat > 0)
		json_set_int(o, "repeat", w->repeat);
	json_push(result_array(&w->r->res, "transitions"), o);
	a = cJSON_GetObjectItemCaseSensitive(w->visit, "attempts");
	json_push(a, cJSON_Duplicate(o, 1));
}

/* Act once and wait for the screen. */
static int
attempt(struct walk *w, const struct plan_transition *t, int from,
	enum walk_arrival *arrival, bool detour, struct err *err)
{
	int64_t at_ms = result_at_ms(&w->r->res);
	int64_t start_us = deadline_now_us(), ms;
	struct action_answer answer;
	double seen_t = -1, acted_t;
	int rc;

	rc = action_run(w->r, &t->actions, &answer, w->dl, err);
	acted_t = answer.t_ms;
	action_answer_done(&answer);
	if (rc == 0)
		rc = walk_step_see(w, t->to, from, t->timeout_ms, arrival,
				   &seen_t, err);
	ms = (deadline_now_us() - start_us) / 1000;
	/* On the app's clock, where both ends are known. */
	if (acted_t >= 0 && seen_t >= acted_t)
		ms = (int64_t)(seen_t - acted_t + 0.5);
	if (rc == 0) {
		w->reached_ms = *arrival == WALK_ARRIVED ? ms : -1;
		record(w, t, from, status_of(*arrival), ms, at_ms, detour,
		       *arrival == WALK_FAILED ? "the screen did not come"
					       : NULL);
		return 0;
	}
	record(w, t, from, status_of_error(w, err), ms, at_ms, detour,
	       err->msg);
	/* The action itself was refused: that is a failed attempt. */
	if (err->code == ERR_REMOTE && !watch_app_is_gone(err) &&
	    !err_is(err, "stopped") && !err_is(err, "lease_lost")) {
		err_clear(err);
		*arrival = WALK_FAILED;
		return 0;
	}
	return -1;
}

/* After a failed attempt: where are we, and may we try again? */
static int
look_before_retry(struct walk *w, const struct plan_transition *t, int from,
		  enum walk_arrival *arrival, bool *again, struct err *err)
{
	*again = false;
	if (walk_look_interrupts(w, err) || walk_look(w, err))
		return -1;
	if (w->screen == t->to)
		*arrival = WALK_ARRIVED;
	else if (w->screen != ROUTE_UNKNOWN && w->screen != from)
		*arrival = WALK_ELSEWHERE;
	else if (w->screen == from)
		*again = walk_reach_repeatable(t);
	return 0;
}

int
walk_step(struct walk *w, const struct route_step *step,
	  enum walk_arrival *arrival, bool detour, struct err *err)
{
	const struct plan_transition *t =
		&w->r->plan->transition[step->transition];
	int from = w->screen;

	*arrival = WALK_FAILED;
	if (walk_look_interrupts(w, err))
		return -1;
	for (int64_t n = 0; n <= t->retries; n++) {
		bool again;

		if (attempt(w, t, from, arrival, detour, err))
			return -1;
		if (*arrival == WALK_FAILED) {
			walk_off_route(w, "%s to %s failed",
				       walk_screen_name(w, from),
				       walk_screen_name(w, t->to));
			if (look_before_retry(w, t, from, arrival, &again, err))
				return -1;
			if (*arrival == WALK_FAILED && again)
				continue;
		}
		break;
	}
	if (*arrival == WALK_ELSEWHERE)
		walk_off_route(w, "landed on %s",
			       walk_screen_name(w, w->screen));
	if (*arrival != WALK_ARRIVED)
		return 0;
	w->screen = t->to;
	return walk_step_settle(w, t->to, arrival, err);
}
