#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/plan_read.h"
#include "plan/route.h"

/*
 * What only the whole plan can show.  Runs when nothing was wrong with the
 * parts, so that a misspelt name is one complaint and not ten.
 */

enum { HOME_CANDIDATES = 16 };

static void
check_visits(struct plan_reader *r)
{
	const struct plan *p = r->plan;

	for (size_t i = 0; i < p->screen_count; i++) {
		const struct plan_screen *s = &p->screen[i];

		if (s->visited && !s->is)
			yaml_complain(r->c, s->at.line, s->at.col,
				      "screen '%s' is visited and has no 'is', "
				      "so nobody could tell that it is there",
				      s->name);
	}
}

/* Called by itself, however far around?  `state`: 1 open, 2 done. */
static void
follow(struct plan_reader *r, int index, unsigned char *state)
{
	const struct plan_procedure *p = &r->plan->procedure[index];

	state[index] = 1;
	for (size_t i = 0; i < p->actions.count; i++) {
		const struct plan_action *a = &p->actions.item[i];

		if (a->kind != PLAN_PROCEDURE)
			continue;
		if (state[a->procedure] == 1)
			yaml_complain(r->c, a->at.line, a->at.col,
				      "procedure '%s' calls itself through "
				      "'%s'",
				      r->plan->procedure[a->procedure].name,
				      p->name);
		else if (state[a->procedure] == 0)
			follow(r, a->procedure, state);
	}
	state[index] = 2;
}

static void
check_procedures(struct plan_reader *r)
{
	size_t n = r->plan->procedure_count;
	AUTO_FREE unsigned char *state = mem_array(n + 1, 1);

	for (size_t i = 0; i < n; i++) {
		if (state[i] == 0)
			follow(r, (int)i, state);
	}
}

static void
check_reached(struct plan_reader *r, const bool *seen)
{
	const struct plan *p = r->plan;
	const char *start = p->screen[p->route.start].name;

	for (size_t i = 0; i < p->screen_count; i++) {
		const struct plan_screen *s = &p->screen[i];

		if (!seen[i])
			yaml_complain(r->c, s->at.line, s->at.col,
				      "no way leads from '%s' to screen '%s'; "
				      "add a transition to it or remove it",
				      start, s->name);
	}
}

/* Can the game come back to this screen once it has left it? */
static bool
comes_back(const struct plan *p, const bool *back, int screen)
{
	for (size_t i = 0; i < p->transition_count; i++) {
		const struct plan_transition *t = &p->transition[i];

		if (plan_leaves(t, screen) && t->to != screen && back[t->to])
			return true;
	}
	return false;
}

/*
 * Home is the first screen of the route, from its start on, that the game can
 * come back to (a title screen mostly is not).  `back` then marks from where.
 */
static int
find_home(const struct plan *p, const struct route_map *map, bool *back)
{
	int tried = -1;

	for (size_t i = 0; i <= p->route.visit_count && i < HOME_CANDIDATES;
	     i++) {
		int screen = i ? p->route.visit[i - 1] : p->route.start;

		if (screen == tried)
			continue;
		tried = screen;
		route_map_reach_back(map, screen, back);
		if (comes_back(p, back, screen))
			return screen;
	}
	return -1;
}

static void
warn_no_way_home(struct plan_reader *r, const struct route_map *map,
		 const bool *seen)
{
	struct plan *p = r->plan;
	AUTO_FREE bool *back = mem_array(p->screen_count + 1, sizeof(bool));
	int home = find_home(p, map, back);

	for (size_t i = 0; home >= 0 && i < p->screen_count; i++) {
		if (seen[i] && !back[i])
			yaml_complain(&p->warnings, p->screen[i].at.line,
				      p->screen[i].at.col,
				      "no way leads from '%s' home to '%s' "
				      "without a restart of the app",
				      p->screen[i].name, p->screen[home].name);
	}
}

static void
warn_restarts(struct plan *p, const struct route *route)
{
	size_t restarts = 0;

	for (size_t i = 0; i < route->path.count; i++)
		restarts += route->path.step[i].transition == ROUTE_RESTART;
	if (restarts > (size_t)p->limits.max_restarts)
		yaml_complain(&p->warnings, p->route.at.line, p->route.at.col,
			      "the route restarts the app %zu times, "
			      "limits.max_restarts is %lld",
			      restarts, (long long)p->limits.max_restarts);
}

/* Everything fails as often and waits as long as it may. */
static int64_t
worst_case_ms(const struct plan *p, const struct route *route)
{
	int64_t ms = 0;

	for (size_t i = 0; i < route->path.count; i++) {
		int n = route->path.step[i].transition;

		if (n == ROUTE_RESTART)
			ms += p->connect.timeout_ms +
			      p->screen[p->route.start].timeout_ms;
		else
			ms += p->transition[n].timeout_ms *
			      (p->transition[n].retries + 1);
	}
	for (size_t i = 0; i < route->visit_count; i++) {
		const struct plan_screen *s =
			&p->screen[route->visit[i].screen];

		ms += s->settle.timeout_ms + s->hold_ms;
	}
	for (size_t i = 0; i < p->setup.count; i++)
		ms += p->setup.item[i].timeout_ms;
	return ms;
}

static void
warn_time(struct plan *p, const struct route *route)
{
	int64_t have = p->limits.deadline_ms - p->limits.stop_margin_ms;
	int64_t need = worst_case_ms(p, route), least = 0;
	AUTO_BUF struct buf b = BUF_INIT_MAX(256);

	for (size_t i = 0; i < route->visit_count; i++)
		least += p->screen[route->visit[i].screen].hold_ms;
	if (need <= have)
		return;
	buf_str(&b, "in the worst case the route takes ");
	buf_duration(&b, need);
	if (least > have) {
		buf_str(&b, ", the holds alone ");
		buf_duration(&b, least);
	}
	buf_str(&b, "; deadline less stop_margin is ");
	buf_duration(&b, have);
	yaml_complain(&p->warnings, p->route.at.line, p->route.at.col, "%s",
		      b.data);
}

static void
warn_hidden(struct plan *p)
{
	for (size_t i = 0; i < p->screen_count; i++) {
		if (!p->screen[i].is)
			yaml_complain(&p->warnings, p->screen[i].at.line,
				      p->screen[i].at.col,
				      "screen '%s' has no 'is': when the game "
				      "lands there it is an unknown screen",
				      p->screen[i].name);
	}
}

struct named {
	char *is;
	const struct plan_screen *screen;
};

static int
by_is(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int d = strcmp(x->is, y->is);

	/* Screens lie in file order. */
	return d ? d : (x->screen > y->screen) - (x->screen < y->screen);
}

/* Two screens with one predicate: nobody could tell them apart. */
static void
warn_alike(struct plan *p)
{
	AUTO_FREE struct named *all =
		mem_array(p->screen_count + 1, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < p->screen_count; i++) {
		if (p->screen[i].is)
			all[n++] = (struct named){
				plan_pred_text(p->screen[i].is), &p->screen[i]};
	}
	qsort(all, n, sizeof(*all), by_is);
	for (size_t i = 1; i < n; i++) {
		if (strcmp(all[i - 1].is, all[i].is) == 0)
			yaml_complain(&p->warnings, all[i].screen->at.line,
				      all[i].screen->at.col,
				      "screen '%s' is recognised by the same "
				      "as '%s' (line %d): %.200s",
				      all[i].screen->name,
				      all[i - 1].screen->name,
				      all[i - 1].screen->at.line, all[i].is);
	}
	for (size_t i = 0; i < n; i++)
		free(all[i].is);
}

static void
warn_no_match(struct plan *p)
{
	if (p->farm.stf && p->device.match_count == 0 &&
	    p->device.serial.count == 0)
		yaml_complain(&p->warnings, 1, 1,
			      "device has neither 'match' nor 'serial': any "
			      "phone of the farm fits, and days on different "
			      "phones do not compare");
}

static void
check_route(struct plan_reader *r)
{
	struct err err = ERR_INIT;
	struct route route;

	if (route_compute(r->plan, &route, &err)) {
		yaml_complain(r->c, r->plan->route.at.line,
			      r->plan->route.at.col, "%s", err.msg);
		return;
	}
	warn_restarts(r->plan, &route);
	warn_time(r->plan, &route);
	route_done(&route);
}

void
plan_check_whole(struct plan_reader *r)
{
	struct plan *p = r->plan;
	AUTO_FREE bool *seen = mem_array(p->screen_count + 1, sizeof(bool));
	struct route_map *map;

	check_visits(r);
	check_procedures(r);
	map = route_map_new(p);
	route_map_reach(map, p->route.start, seen);
	check_reached(r, seen);
	if (r->c->count == 0) {
		warn_no_way_home(r, map, seen);
		check_route(r);
		warn_hidden(p);
		warn_alike(p);
		warn_no_match(p);
	}
	route_map_free(map);
}
