#include <stdlib.h>
#include <string.h>

#include "adb/adb_shell.h"
#include "base/mem.h"
#include "run/action.h"
#include "run/pred.h"
#include "run/walk.h"
#include "run/watch.h"

enum {
	MOST_ROUNDS = 20,	/* of interrupts in a row */
	LOST_SETTLE_MS = 10000, /* at most, on an unknown screen */
	BACK_MS = 3000,
};

static bool
may_handle(const struct walk *w, size_t i)
{
	return w->interrupts[i] < w->r->plan->interrupt[i].max;
}

int
walk_look_conds(struct walk *w, cJSON *any, size_t *index, size_t *count,
		struct err *err)
{
	const struct plan *plan = w->r->plan;

	*count = 0;
	for (size_t i = 0; i < plan->interrupt_count; i++) {
		const struct plan_pred *when = plan->interrupt[i].when;
		cJSON *cond;

		if (!may_handle(w, i) || !pred_in_app(when))
			continue;
		if (pred_cond(w->r, when, &cond, err))
			return -1;
		json_push(any, cond);
		index[(*count)++] = i;
	}
	return 0;
}

static void
record(struct walk *w, const struct plan_interrupt *in, const char *status)
{
	cJSON *o = json_obj();

	json_set_str(o, "name", in->name);
	json_set_int(o, "at_ms", result_at_ms(&w->r->res));
	json_set_str(o, "screen", walk_screen_name(w, w->target));
	if (in->actions.count > 0) {
		AUTO_FREE char *text = plan_action_text(&in->actions.item[0]);

		json_set_str(o, "action", text);
	}
	json_set_str(o, "status", status);
	json_set_str(o, "record", in->record);
	json_push(result_array(&w->r->res, "interrupts"), o);
}

int
walk_look_handle(struct walk *w, size_t i, struct err *err)
{
	const struct plan_interrupt *in = &w->r->plan->interrupt[i];
	struct action_answer answer;
	int rc;

	w->interrupts[i]++;
	walk_off_route(w, "interrupt %s", in->name);
	rc = action_run(w->r, &in->actions, &answer, w->dl, err);
	action_answer_done(&answer);
	record(w, in,
	       rc == 0			? "handled"
	       : err_is(err, "stopped") ? "stopped"
					: "failed");
	run_say(w->r, rc ? PROGRESS_WARN : PROGRESS_OK, "%s %s", in->name,
		rc ? "could not be closed" : "closed, marked off-route");
	if (rc == 0 || err_is(err, "stopped") || watch_app_is_gone(err) ||
	    err->code == ERR_CANCELLED || walk_over(w))
		return rc;
	/* The next look tells whether it still stands there. */
	result_error(&w->r->res, err, in->name);
	err_clear(err);
	return 0;
}

/* The first interrupt that holds now, or -1. */
static int
find(struct walk *w, int *found, struct err *err)
{
	const struct plan *plan = w->r->plan;
	const struct watch_for now = {0};
	AUTO_FREE size_t *index =
		mem_array(plan->interrupt_count, sizeof(size_t));
	cJSON *cond = json_obj(), *any = json_arr();
	struct watch_seen seen;
	size_t count;
	bool told = true; /* which one, by the app */
	int holds;

	*found = -1;
	json_set(cond, "any", any);
	if (walk_look_conds(w, any, index, &count, err)) {
		cJSON_Delete(cond);
		return -1;
	}
	if (count == 0) {
		cJSON_Delete(cond);
	} else {
		holds = watch_cond(w->r, cond, &now, &seen, w->dl, err);
		if (holds < 0)
			return -1;
		if (holds && seen.matched >= 0 &&
		    (size_t)seen.matched < count) {
			*found = (int)index[seen.matched];
			return 0;
		}
		told = !(holds && seen.matched < 0);
	}
	for (size_t i = 0; i < plan->interrupt_count; i++) {
		if (!may_handle(w, i) ||
		    (told && pred_in_app(plan->interrupt[i].when)))
			continue;
		holds = pred_holds(w->r, plan->interrupt[i].when, w->dl, err);
		if (holds < 0)
			return -1;
		if (holds) {
			*found = (int)i;
			return 0;
		}
	}
	return 0;
}

int
walk_look_dialogs(struct walk *w, bool *handled, struct err *err)
{
	const struct plan *plan = w->r->plan;

	*handled = false;
	for (size_t i = 0; i < plan->interrupt_count; i++) {
		const struct plan_pred *when = plan->interrupt[i].when;
		int holds;

		if (!may_handle(w, i) || plan_pred_where(when) != PLAN_ON_PHONE)
			continue;
		holds = pred_holds(w->r, when, w->dl, err);
		if (holds < 0)
			return -1;
		if (!holds)
			continue;
		*handled = true;
		return walk_look_handle(w, i, err);
	}
	return 0;
}

int
walk_look_interrupts(struct walk *w, struct err *err)
{
	for (int round = 0; round < MOST_ROUNDS; round++) {
		int found;

		if (find(w, &found, err))
			return -1;
		if (found < 0)
			return 0;
		if (walk_look_handle(w, (size_t)found, err))
			return -1;
	}
	return 0;
}

/* The app's own screens in one question; the rest one by one. */
int
walk_look_except(struct walk *w, int not_this, int nor_this, int *found,
		 struct err *err)
{
	const struct plan *plan = w->r->plan;
	const struct watch_for now = {0};
	AUTO_FREE int *index = mem_array(plan->screen_count, sizeof(int));
	cJSON *cond = json_obj(), *any = json_arr();
	struct watch_seen seen;
	int count = 0, holds;

	*found = ROUTE_UNKNOWN;
	json_set(cond, "any", any);
	for (int i = 0; i < (int)plan->screen_count; i++) {
		const struct plan_pred *is = plan->screen[i].is;
		cJSON *one;

		if (is == NULL || i == not_this || i == nor_this ||
		    !pred_in_app(is))
			continue;
		if (pred_cond(w->r, is, &one, err)) {
			cJSON_Delete(cond);
			return -1;
		}
		json_push(any, one);
		index[count++] = i;
	}
	holds = watch_cond(w->r, cond, &now, &seen, w->dl, err);
	if (holds < 0)
		return -1;
	if (holds && seen.matched >= 0 && seen.matched < count) {
		*found = index[seen.matched];
		return 0;
	}
	for (int i = 0; i < (int)plan->screen_count; i++) {
		const struct plan_pred *is = plan->screen[i].is;

		/* A server that does not tell which one: ask for each. */
		if (is == NULL || i == not_this || i == nor_this ||
		    (pred_in_app(is) && !(holds && seen.matched < 0)))
			continue;
		holds = pred_holds(w->r, is, w->dl, err);
		if (holds < 0)
			return -1;
		if (holds) {
			*found = i;
			return 0;
		}
	}
	return 0;
}

int
walk_look(struct walk *w, struct err *err)
{
	return walk_look_except(w, ROUTE_UNKNOWN, ROUTE_UNKNOWN, &w->screen,
				err);
}

int
walk_look_still(struct walk *w, int screen, struct err *err)
{
	const struct plan_pred *is = w->r->plan->screen[screen].is;
	int over, holds, other;

	if (find(w, &over, err))
		return -1;
	/* The next step answers it, and what it began is of this visit. */
	if (over >= 0) {
		walk_off_route(w, "interrupt %s",
			       w->r->plan->interrupt[over].name);
		return 0;
	}
	holds = is ? pred_holds(w->r, is, w->dl, err) : 1;
	if (holds)
		return holds < 0 ? -1 : 0;
	/* It may be recognised by what goes away: then nobody knows better. */
	if (walk_look_except(w, screen, ROUTE_UNKNOWN, &other, err))
		return -1;
	if (other == ROUTE_UNKNOWN)
		return 0;
	walk_off_route(w, "it went to %s by itself",
		       walk_screen_name(w, other));
	w->screen = other;
	return 0;
}

static int
wait_idle(struct walk *w, int64_t ms, struct err *err)
{
	const struct watch_for quiet = {.stable_ms = 500, .timeout_ms = ms};
	struct watch_seen seen;

	return watch_cond(w->r, pred_idle(), &quiet, &seen, w->dl, err) < 0 ? -1
									    : 0;
}

/* Interrupts may be what hides the screen. */
static int
look_again(struct walk *w, struct err *err)
{
	if (walk_look_interrupts(w, err))
		return -1;
	return walk_look(w, err);
}

int
walk_look_lost(struct walk *w, struct err *err)
{
	const struct plan *plan = w->r->plan;
	int64_t settle = plan->defaults.settle.timeout_ms;
	struct action_answer answer;

	if (wait_idle(w, settle < LOST_SETTLE_MS ? settle : LOST_SETTLE_MS,
		      err) ||
	    look_again(w, err))
		return -1;
	if (w->screen != ROUTE_UNKNOWN)
		return 0;
	walk_off_route(w, "unknown screen");
	if (adb_shell_text(&w->r->dev, "input keyevent KEYCODE_BACK", NULL,
			   deadline_cap(w->dl, w->r->set->budget.shell_ms),
			   err) ||
	    wait_idle(w, BACK_MS, err) || look_again(w, err))
		return -1;
	if (w->screen != ROUTE_UNKNOWN || plan->escape.count == 0)
		return 0;
	if (action_run(w->r, &plan->escape, &answer, w->dl, err)) {
		if (watch_app_is_gone(err) || err->code == ERR_CANCELLED ||
		    walk_over(w))
			return -1;
		result_error(&w->r->res, err, "escape");
		err_clear(err);
	}
	action_answer_done(&answer);
	if (wait_idle(w, BACK_MS, err))
		return -1;
	return look_again(w, err);
}
