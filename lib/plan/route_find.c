#include "plan/route.h"

#include "plan/route_search.h"

static int
none(const struct route_search *s, struct err *err)
{
	const struct plan *plan = s->map->plan;

	return err_set(err, ERR_NOTFOUND, "no way from '%s' to '%s'",
		       s->from < 0 ? "an unknown screen"
				   : plan->screen[s->from].name,
		       plan->screen[s->to].name);
}

int
route_find(struct route_map *map, int from, int to,
	   const struct route_block *blocked, size_t blocked_count,
	   enum route_restart restart, struct route_path *path, struct err *err)
{
	struct route_search s = {.map = map,
				 .from = from,
				 .to = to,
				 .blocked = blocked,
				 .blocked_count = blocked_count,
				 .restart = restart};

	path->count = 0;
	path->cost = 0;
	if (from == to)
		return 0;
	if (from == ROUTE_UNKNOWN) {
		if (restart == ROUTE_NO_RESTART)
			return none(&s, err);
		s.from = map->plan->route.start;
		route_path_add(path, ROUTE_RESTART, ROUTE_UNKNOWN, s.from);
	}
	if (s.from != to) {
		route_search_run(&s);
		if (s.best == ROUTE_FAR)
			return none(&s, err);
		route_path_write(&s, path);
	}
	if (from == ROUTE_UNKNOWN)
		path->cost += ROUTE_RESTART_COST;
	return 0;
}
