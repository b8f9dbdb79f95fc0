#ifndef ROUTE_SEARCH_H
#define ROUTE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/route.h"
#include "plan/route_map.h"

/*
 * Dijkstra from both ends, so that two neighbours find each other without a
 * look at the hundred other ways out of a hub.
 *
 * Rules are followed forward only: from `from` in the order of their length
 * (the cursor), and those that except it from the first screen that they do
 * not except (pending).  The backward side asks for the rules into what it
 * settles.  It stops when no shorter path can be left; then all that lies on
 * any shortest path has its exact length on one side or the other, and taking
 * the smallest transition number from the source on gives the one path.
 */
struct route_search {
	struct route_map *map;
	int from, to;
	const struct route_block *blocked;
	size_t blocked_count;
	enum route_restart restart;
	uint64_t best;
	size_t cursor;
	bool level; /* finish the screens of this length */
	uint64_t level_length;
};

/*
 * route_search.c: until s->best is the length of the shortest path, or
 * ROUTE_FAR: there is none.
 */
void route_search_run(struct route_search *s);

/* route_path.c: the one path, out of what a search found. */
void route_path_write(struct route_search *s, struct route_path *path);
void route_path_add(struct route_path *path, int transition, int from, int to);

/* What both ask of each edge. */
static inline bool
route_search_blocked(const struct route_search *s, int transition, int from)
{
	for (size_t i = 0; i < s->blocked_count; i++) {
		if (s->blocked[i].transition == transition &&
		    (s->blocked[i].from == from ||
		     s->blocked[i].from == ROUTE_UNKNOWN))
			return true;
	}
	return false;
}

static inline bool
route_search_usable(const struct route_search *s, const struct route_rule *rule,
		    int from)
{
	if (rule->transition == ROUTE_RESTART)
		return s->restart == ROUTE_MAY_RESTART;
	return route_map_rule_leaves(s->map, rule, from) &&
	       !route_search_blocked(s, rule->transition, from);
}

static inline uint64_t
route_search_edge(const struct route_search *s, int transition)
{
	return (uint64_t)s->map->plan->transition[transition].cost
		       << ROUTE_HOP_BITS |
	       1;
}

/* ROUTE_RESTART is numbered after all others. */
static inline bool
route_search_before(int a, int b)
{
	return (unsigned)a < (unsigned)b;
}

static inline bool
route_search_labelled(const struct route_search *s,
		      const struct route_side *side, int screen)
{
	return side->labelled[screen] == s->map->round;
}

static inline bool
route_search_settled(const struct route_search *s,
		     const struct route_side *side, int screen)
{
	return side->settled[screen] == s->map->round;
}

#endif
