#ifndef ROUTE_MAP_H
#define ROUTE_MAP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"
#include "plan/route.h"

/*
 * The graph as the searches need it; private to route*.c.
 *
 * A length is one number, cost << ROUTE_HOP_BITS | hops, so that lengths add
 * and compare as the pair does: a plan has less than 2^20 screens, a cost is
 * at most 10^6, so nothing overflows.
 *
 * A rule is a transition from "*", or the restart.  A rule is followed once in
 * a search, from the first screen that it leads away from: that is what keeps
 * the work linear in the file and not in screens x rules.
 */
enum { ROUTE_HOP_BITS = 21 };
#define ROUTE_FAR UINT64_MAX

struct route_list {    /* for each screen, a run of `item` */
	size_t *first; /* screens + 1 */
	int *item;
};

struct route_rule {
	int transition; /* or ROUTE_RESTART */
	int to;
	uint64_t length;
};

struct route_heap_item {
	uint64_t length;
	int screen;
};

struct route_heap {
	struct route_heap_item *item;
	size_t count, room;
};

/* One direction of a search.  What carries an old `round` is unset. */
struct route_side {
	uint64_t *length;
	unsigned *labelled, *settled; /* rounds */
	int *next;		      /* the best way on, a transition */
	struct route_heap heap;
	size_t work;
};

struct route_map {
	const struct plan *plan;
	size_t screens;
	struct route_list out, in; /* transitions between two screens */
	struct route_rule *rule;   /* by length, then number */
	size_t rule_count;
	struct route_list rules_in; /* indexes of rules into a screen */
	struct route_list excepted; /* indexes of rules not for a screen */
	unsigned round;
	struct route_side fwd, bwd;
	int *order; /* settled forward, in order */
	size_t order_count;
	uint64_t *rule_from; /* length to the first who may use it */
	unsigned *rule_known, *rule_touched; /* rounds */
	int *pending, *touched;
	size_t pending_count, touched_count;
};

void route_map_push(struct route_heap *h, uint64_t length, int screen);
struct route_heap_item route_map_pop(struct route_heap *h);
/* Does the rule lead away from this screen? */
bool route_map_rule_leaves(const struct route_map *map,
			   const struct route_rule *rule, int screen);

#endif
