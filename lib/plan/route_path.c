#include "plan/route_search.h"

#include <stdlib.h>

#include "base/mem.h"

/*
 * Is `v` on a shortest path when it is reached with `length`?  Forward ones
 * are swept from the far end, so theirs is known: `good`.
 */
static bool
leads_on(const struct route_search *s, const unsigned *good, int v,
	 uint64_t length)
{
	const struct route_map *map = s->map;

	if (route_search_settled(s, &map->fwd, v))
		return good[v] == map->round && map->fwd.length[v] == length;
	return route_search_labelled(s, &map->bwd, v) &&
	       length + map->bwd.length[v] == s->best;
}

/* Keep of the touched rules those that can lie on a shortest path at all. */
static void
sift_rules(struct route_search *s)
{
	struct route_map *map = s->map;
	size_t kept = 0;

	for (size_t i = 0; i < map->touched_count; i++) {
		size_t rule = (size_t)map->touched[i];
		int to = map->rule[rule].to;
		uint64_t length = map->rule_from[rule] + map->rule[rule].length;
		bool keep;

		if (route_search_settled(s, &map->fwd, to))
			keep = map->fwd.length[to] == length;
		else
			keep = route_search_labelled(s, &map->bwd, to) &&
			       length + map->bwd.length[to] == s->best;
		if (keep)
			map->touched[kept++] = (int)rule;
	}
	map->touched_count = kept;
}

/* The smallest number among the ways on from `u`; false: a dead end. */
static bool
choose(const struct route_search *s, const unsigned *good, int u, int *via)
{
	const struct route_map *map = s->map;
	uint64_t length = map->fwd.length[u];
	bool found = false;

	if (!route_search_settled(s, &map->fwd, u)) {
		/* Only the source, when the other side came all the way. */
		found = route_search_labelled(s, &map->bwd, u) &&
			map->bwd.length[u] == s->best;
		*via = map->bwd.next[u];
	}
	for (size_t i = map->out.first[u];
	     route_search_settled(s, &map->fwd, u) && !found &&
	     i < map->out.first[u + 1];
	     i++) {
		int e = map->out.item[i];

		if (!route_search_blocked(s, e, u) &&
		    leads_on(s, good, map->plan->transition[e].to,
			     length + route_search_edge(s, e))) {
			*via = e;
			found = true;
		}
	}
	for (size_t i = 0; i < map->touched_count; i++) {
		const struct route_rule *rule = &map->rule[map->touched[i]];

		if ((!found || route_search_before(rule->transition, *via)) &&
		    route_search_usable(s, rule, u) &&
		    leads_on(s, good, rule->to, length + rule->length)) {
			*via = rule->transition;
			found = true;
		}
	}
	return found;
}

static int
target_of(const struct route_search *s, int transition)
{
	return transition == ROUTE_RESTART
		       ? s->map->plan->route.start
		       : s->map->plan->transition[transition].to;
}

void
route_path_add(struct route_path *path, int transition, int from, int to)
{
	MEM_GROW(path->step, path->count, path->room);
	path->step[path->count++] = (struct route_step){transition, from, to};
}

/*
 * From the far end back to the source: which way each settled screen goes on.
 * fwd.labelled becomes the mark of those on a shortest path, fwd.next the way.
 */
void
route_path_write(struct route_search *s, struct route_path *path)
{
	struct route_map *map = s->map;
	unsigned *good = map->fwd.labelled;
	int u = s->from, via;

	sift_rules(s);
	for (size_t i = map->order_count; i > 0; i--) {
		int x = map->order[i - 1];
		bool on = x == s->to || choose(s, good, x, &via);

		good[x] = on ? map->round : map->round - 1;
		if (on && x != s->to)
			map->fwd.next[x] = via;
	}
	if (map->order_count == 0) {
		via = ROUTE_RESTART;
		(void)choose(s, good, u, &via); /* the search found one */
		route_path_add(path, via, u, target_of(s, via));
		u = target_of(s, via);
	}
	while (u != s->to) {
		const struct route_side *side =
			route_search_settled(s, &map->fwd, u) ? &map->fwd
							      : &map->bwd;

		via = side->next[u];
		route_path_add(path, via, u, target_of(s, via));
		u = target_of(s, via);
	}
	path->cost = (int64_t)(s->best >> ROUTE_HOP_BITS);
}

void
route_path_done(struct route_path *p)
{
	free(p->step);
	*p = (struct route_path){0};
}
