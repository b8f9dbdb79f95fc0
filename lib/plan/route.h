#ifndef ROUTE_H
#define ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "plan/plan.h"

/*
 * The way through the screens.
 *
 * Visits strictly in file order; between two the shortest path by (total
 * cost, hops, transition numbers), so one plan always gives one route.
 * Restarting the app is a transition too: from anywhere to route.start at
 * ROUTE_RESTART_COST, numbered after all others.
 */
enum {
	ROUTE_RESTART = -1, /* in place of a transition's index */
	ROUTE_UNKNOWN = -1, /* in place of a screen: somewhere else */
	ROUTE_RESTART_COST = 1000,
	ROUTE_MAX_STEPS = 1000000,
};

struct route_step {
	int transition; /* index into plan.transition or RESTART */
	int from, to;	/* screens; from may be ROUTE_UNKNOWN */
};

struct route_path {
	struct route_step *step;
	size_t count, room;
	int64_t cost;
};

void route_path_done(struct route_path *p);

/*
 * A transition that does not work from this screen for now; ROUTE_UNKNOWN:
 * from none.
 */
struct route_block {
	int transition;
	int from;
};

enum route_restart { ROUTE_NO_RESTART, ROUTE_MAY_RESTART };

/*
 * Working memory of the searches over one plan, which it borrows.  Make one
 * and use it for every re-planning.
 */
struct route_map;
struct route_map *route_map_new(const struct plan *plan);
void route_map_free(struct route_map *map);

/*
 * The best path from `from` (ROUTE_UNKNOWN: only a restart leads out) to
 * `to`, around what is blocked.  `path` is overwritten; empty when from is
 * to.  ERR_NOTFOUND: there is none.
 */
int route_find(struct route_map *map, int from, int to,
	       const struct route_block *blocked, size_t blocked_count,
	       enum route_restart restart, struct route_path *path,
	       struct err *err);

/*
 * Mark what can be reached from a screen without a restart, and from where a
 * screen can be reached; itself included.  `seen` has one for each screen.
 */
void route_map_reach(const struct route_map *map, int from, bool *seen);
void route_map_reach_back(const struct route_map *map, int to, bool *seen);

/* One visit and the steps of `path` that lead to it (none: already there). */
struct route_visit {
	int screen;
	size_t first, count;
};

struct route {
	struct route_path path; /* all steps of all visits */
	struct route_visit *visit;
	size_t visit_count;
	char hash[13]; /* first 12 hex digits of sha256 */
};

/* From route.start, where the app is after its start. */
int route_compute(const struct plan *plan, struct route *out, struct err *err);
void route_done(struct route *r);

/* The readable route; JSON {hash, cost, visits: [{screen, steps: [...]}]}. */
void route_text(const struct plan *plan, const struct route *r,
		struct buf *out);
cJSON *route_json(const struct plan *plan, const struct route *r);

#endif
