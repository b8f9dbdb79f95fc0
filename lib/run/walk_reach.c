#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/pred.h"
#include "run/walk.h"
#include "run/watch.h"

enum { MOST_STEPS = 200 };

static struct walk_broken *
find(struct walk *w, int transition, int from)
{
	for (size_t i = 0; i < w->broken_count; i++) {
		if (w->broken[i].transition == transition &&
		    w->broken[i].from == from)
			return &w->broken[i];
	}
	return NULL;
}

/*
 * What a finger does may be done again where the source still stands: it had
 * no effect.  Code and typed text may have had one that is not to be seen.
 */
static bool
repeatable(const struct plan_action *a)
{
	switch (a->kind) {
	case PLAN_TEXT:
	case PLAN_JS:
	case PLAN_CALL:
	case PLAN_ACTION:
	case PLAN_INTENT:
	case PLAN_PROCEDURE:
		return a->idempotent;
	default:
		return true;
	}
}

bool
walk_reach_repeatable(const struct plan_transition *t)
{
	for (size_t i = 0; i < t->actions.count; i++) {
		if (!repeatable(&t->actions.item[i]))
			return false;
	}
	return true;
}

/* How many failures make it broken: one, where it must not be repeated. */
static int64_t
most_failures(const struct walk *w, int transition)
{
	if (!walk_reach_repeatable(&w->r->plan->transition[transition]))
		return 1;
	return w->r->plan->limits.max_transition_failures;
}

/* "*" that failed from two screens will not work from a third. */
static bool
broken_everywhere(const struct walk *w, int transition)
{
	size_t n = 0;

	if (w->r->plan->transition[transition].from != PLAN_ANY_SCREEN)
		return false;
	for (size_t i = 0; i < w->broken_count; i++)
		n += w->broken[i].transition == transition &&
		     w->broken[i].broken;
	return n >= 2;
}

/* One more failure; broken when there were too many. */
static void
count_failure(struct walk *w, const struct route_step *step)
{
	struct walk_broken *b = find(w, step->transition, step->from);

	if (b == NULL) {
		MEM_GROW(w->broken, w->broken_count, w->broken_room);
		b = &w->broken[w->broken_count++];
		*b = (struct walk_broken){.transition = step->transition,
					  .from = step->from};
	}
	b->failures++;
	if (!b->broken && b->failures >= most_failures(w, step->transition)) {
		b->broken = true;
		b->processes++;
		run_say(w->r, PROGRESS_WARN,
			"%s to %s does not work, going around it",
			walk_screen_name(w, step->from),
			walk_screen_name(w, step->to));
	}
}

void
walk_reach_forgive(struct walk *w)
{
	for (size_t i = 0; i < w->broken_count; i++) {
		struct walk_broken *b = &w->broken[i];

		b->failures = 0;
		b->broken = b->processes >= 2;
	}
}

/* Transitions whose `when` did not hold where they begin, on this way. */
struct shut {
	struct route_block *item;
	size_t count, room;
};

static int
find_path(struct walk *w, int target, const struct shut *shut,
	  struct route_path *path, struct err *err)
{
	AUTO_FREE struct route_block *blocked =
		mem_array(w->broken_count + shut->count, sizeof(*blocked));
	bool restart = w->repeat == 0 &&
		       w->r->restarts < w->r->plan->limits.max_restarts;
	size_t n = 0;

	for (size_t i = 0; i < w->broken_count; i++) {
		if (w->broken[i].broken)
			blocked[n++] = (struct route_block){
				w->broken[i].transition,
				broken_everywhere(w, w->broken[i].transition)
					? ROUTE_UNKNOWN
					: w->broken[i].from};
	}
	for (size_t i = 0; i < shut->count; i++)
		blocked[n++] = shut->item[i];
	if (route_find(w->map, w->screen, target, blocked, n,
		       restart ? ROUTE_MAY_RESTART : ROUTE_NO_RESTART, path,
		       err) == 0)
		return 0;
	if (err->code != ERR_NOTFOUND)
		return -1;
	err_set(err, ERR_NOTFOUND, "no way leads to %s%s%s",
		walk_screen_name(w, target),
		shut->count ? " where 'when' holds"
		: n	    ? " without a broken transition"
			    : "",
		restart	    ? ""
		: w->repeat ? " without a restart"
			    : " and no restart is left");
	return err_reason(err, "unreached");
}

/* A path whose first step may be taken now. */
static int
find_open_path(struct walk *w, int target, struct shut *shut,
	       struct route_path *path, struct err *err)
{
	for (;;) {
		const struct route_step *step;
		const struct plan_pred *when;
		int holds;

		if (find_path(w, target, shut, path, err))
			return -1;
		step = &path->step[0];
		if (step->transition == ROUTE_RESTART)
			return 0;
		when = w->r->plan->transition[step->transition].when;
		holds = when ? pred_holds(w->r, when, w->dl, err) : 1;
		if (holds)
			return holds < 0 ? -1 : 0;
		MEM_GROW(shut->item, shut->count, shut->room);
		shut->item[shut->count++] =
			(struct route_block){step->transition, step->from};
	}
}

/* Is the way that we take the one that was planned? */
static bool
as_planned(const struct walk *w, size_t visit, const struct route_path *path)
{
	const struct route_visit *v = &w->r->route.visit[visit];
	const struct route_step *planned = &w->r->route.path.step[v->first];

	if (path->count > v->count)
		return false;
	/* We may be some steps along it. */
	planned += v->count - path->count;
	for (size_t i = 0; i < path->count; i++) {
		if (path->step[i].transition != planned[i].transition ||
		    path->step[i].from != planned[i].from)
			return false;
	}
	return true;
}

static int
restart_to_route(struct walk *w, struct err *err)
{
	struct err why = ERR_INIT;

	err_set(&why, ERR_REMOTE, "no way from %s to %s but a restart",
		w->screen == ROUTE_UNKNOWN ? "an unknown screen"
					   : walk_screen_name(w, w->screen),
		walk_screen_name(w, w->target));
	return walk_restart(w, NULL, &why, err);
}

/* One step of the path; *there when the target is reached. */
static int
advance(struct walk *w, const struct route_path *path, bool detour,
	struct err *err)
{
	const struct route_step *step = &path->step[0];
	enum walk_arrival arrival;

	if (step->transition == ROUTE_RESTART)
		return restart_to_route(w, err);
	if (walk_step(w, step, &arrival, detour, err))
		return -1;
	if (arrival == WALK_FAILED && w->screen == step->to) {
		/* There, but it never settled: a sample to doubt. */
		walk_off_route(w, "did not settle");
		return 0;
	}
	/* One that always leads elsewhere is as broken as one that fails. */
	if (arrival != WALK_ARRIVED)
		count_failure(w, step);
	return arrival == WALK_FAILED ? walk_look(w, err) : 0;
}

/* `visit`: the planned one that this is, from which a way may be a detour. */
static int
reach(struct walk *w, int target, const size_t *visit, struct err *err)
{
	struct route_path path = {0};
	struct shut shut = {0};
	int rc = 0;

	for (int n = 0; rc == 0 && w->screen != target; n++) {
		bool detour = false;

		if (n == MOST_STEPS) {
			err_set(err, ERR_NOTFOUND,
				"%s was not reached in %d steps",
				walk_screen_name(w, target), MOST_STEPS);
			rc = err_reason(err, "unreached");
			break;
		}
		if (w->screen == ROUTE_UNKNOWN)
			rc = walk_look_lost(w, err);
		if (rc || w->screen == target)
			break;
		rc = find_open_path(w, target, &shut, &path, err);
		if (rc)
			break;
		if (visit)
			detour = !as_planned(w, *visit, &path);
		if (detour)
			walk_off_route(w, "detour");
		rc = advance(w, &path, detour, err);
	}
	route_path_done(&path);
	free(shut.item);
	return rc;
}

int
walk_reach(struct walk *w, size_t visit, struct err *err)
{
	return reach(w, w->r->route.visit[visit].screen, &visit, err);
}

int
walk_reach_screen(struct walk *w, int target, struct err *err)
{
	return reach(w, target, NULL, err);
}
