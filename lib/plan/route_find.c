#include "plan/route.h"

#include <stdlib.h>

#include "base/mem.h"
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
struct search {
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

static bool
is_blocked(const struct search *s, int transition, int from)
{
	for (size_t i = 0; i < s->blocked_count; i++) {
		if (s->blocked[i].transition == transition &&
		    (s->blocked[i].from == from ||
		     s->blocked[i].from == ROUTE_UNKNOWN))
			return true;
	}
	return false;
}

static bool
rule_usable(const struct search *s, const struct route_rule *rule, int from)
{
	if (rule->transition == ROUTE_RESTART)
		return s->restart == ROUTE_MAY_RESTART;
	return route_map_rule_leaves(s->map, rule, from) &&
	       !is_blocked(s, rule->transition, from);
}

static uint64_t
edge_length(const struct search *s, int transition)
{
	return (uint64_t)s->map->plan->transition[transition].cost
		       << ROUTE_HOP_BITS |
	       1;
}

/* ROUTE_RESTART is numbered after all others. */
static bool
before(int a, int b)
{
	return (unsigned)a < (unsigned)b;
}

static bool
labelled(const struct search *s, const struct route_side *side, int screen)
{
	return side->labelled[screen] == s->map->round;
}

static bool
settled(const struct search *s, const struct route_side *side, int screen)
{
	return side->settled[screen] == s->map->round;
}

/* A way to (or on from) a screen; ties keep the smaller number. */
static void
label(struct search *s, struct route_side *side, int screen, uint64_t length,
      int via)
{
	const struct route_side *other =
		side == &s->map->fwd ? &s->map->bwd : &s->map->fwd;

	if (labelled(s, side, screen) && side->length[screen] <= length) {
		if (side->length[screen] == length &&
		    before(via, side->next[screen]))
			side->next[screen] = via;
		return;
	}
	side->labelled[screen] = s->map->round;
	side->length[screen] = length;
	side->next[screen] = via;
	route_map_push(&side->heap, length, screen);
	if (labelled(s, other, screen) &&
	    length + other->length[screen] < s->best)
		s->best = length + other->length[screen];
}

/* Length of the nearest that is not settled. */
static uint64_t
heap_top(struct search *s, struct route_side *side)
{
	struct route_heap *h = &side->heap;

	while (h->count &&
	       (settled(s, side, h->item[0].screen) ||
		side->length[h->item[0].screen] != h->item[0].length))
		(void)route_map_pop(h); /* stale */
	return h->count ? h->item[0].length : ROUTE_FAR;
}

/* The next rule that leads away from the source. */
static uint64_t
cursor_top(struct search *s)
{
	const struct route_map *map = s->map;

	while (s->cursor < map->rule_count &&
	       !rule_usable(s, &map->rule[s->cursor], s->from))
		s->cursor++;
	return s->cursor < map->rule_count ? map->rule[s->cursor].length
					   : ROUTE_FAR;
}

static void
touch(struct search *s, size_t rule)
{
	struct route_map *map = s->map;

	if (map->rule_touched[rule] == map->round)
		return;
	map->rule_touched[rule] = map->round;
	map->touched[map->touched_count++] = (int)rule;
}

/* The rule can be used after `length`: the screen it leads to is near. */
static void
use_rule(struct search *s, size_t rule, uint64_t length)
{
	struct route_map *map = s->map;

	map->rule_known[rule] = map->round;
	map->rule_from[rule] = length;
	touch(s, rule);
	label(s, &map->fwd, map->rule[rule].to, length + map->rule[rule].length,
	      map->rule[rule].transition);
}

static void
begin(struct search *s)
{
	struct route_map *map = s->map;

	/* Zero means never: skip it when the number comes round. */
	map->round += map->round == UINT_MAX ? 2 : 1;
	map->fwd.heap.count = map->bwd.heap.count = 0;
	map->fwd.work = map->bwd.work = 0;
	map->order_count = map->pending_count = map->touched_count = 0;
	s->best = ROUTE_FAR;
	for (size_t i = map->excepted.first[s->from];
	     i < map->excepted.first[s->from + 1]; i++)
		map->pending[map->pending_count++] = map->excepted.item[i];
	for (size_t i = 0; i < map->rule_count && s->blocked_count; i++) {
		if (map->rule[i].transition != ROUTE_RESTART &&
		    is_blocked(s, map->rule[i].transition, s->from) &&
		    route_map_rule_leaves(map, &map->rule[i], s->from))
			map->pending[map->pending_count++] = (int)i;
	}
	label(s, &map->fwd, s->from, 0, ROUTE_RESTART);
	label(s, &map->bwd, s->to, 0, ROUTE_RESTART);
}

static void
settle_forward(struct search *s)
{
	struct route_map *map = s->map;
	struct route_heap_item top = route_map_pop(&map->fwd.heap);
	int u = top.screen;

	map->fwd.settled[u] = map->round;
	map->order[map->order_count++] = u;
	for (size_t i = map->out.first[u]; i < map->out.first[u + 1]; i++) {
		int e = map->out.item[i];

		if (!is_blocked(s, e, u))
			label(s, &map->fwd, map->plan->transition[e].to,
			      top.length + edge_length(s, e), e);
	}
	map->fwd.work += map->out.first[u + 1] - map->out.first[u] +
			 map->pending_count + 1;
	for (size_t i = 0; i < map->pending_count;) {
		size_t rule = (size_t)map->pending[i];

		if (!rule_usable(s, &map->rule[rule], u)) {
			i++;
			continue;
		}
		use_rule(s, rule, top.length);
		map->pending[i] = map->pending[--map->pending_count];
		s->level = true;
		s->level_length = top.length;
	}
}

/* Rules into a screen that was settled backward. */
static void
rules_backward(struct search *s, int v, uint64_t length)
{
	struct route_map *map = s->map;

	for (size_t i = map->rules_in.first[v]; i < map->rules_in.first[v + 1];
	     i++) {
		size_t rule = (size_t)map->rules_in.item[i];
		uint64_t first, whole;

		if (rule_usable(s, &map->rule[rule], s->from))
			first = 0;
		else if (map->rule_known[rule] == map->round)
			first = map->rule_from[rule];
		else
			continue;
		map->rule_known[rule] = map->round;
		map->rule_from[rule] = first;
		touch(s, rule);
		whole = first + map->rule[rule].length + length;
		if (whole < s->best)
			s->best = whole;
	}
}

static void
settle_backward(struct search *s)
{
	struct route_map *map = s->map;
	struct route_heap_item top = route_map_pop(&map->bwd.heap);
	int v = top.screen;

	map->bwd.settled[v] = map->round;
	for (size_t i = map->in.first[v]; i < map->in.first[v + 1]; i++) {
		int e = map->in.item[i];
		int u = map->plan->transition[e].from;

		if (!is_blocked(s, e, u))
			label(s, &map->bwd, u, top.length + edge_length(s, e),
			      e);
	}
	rules_backward(s, v, top.length);
	map->bwd.work += map->in.first[v + 1] - map->in.first[v] +
			 map->rules_in.first[v + 1] - map->rules_in.first[v] +
			 1;
}

/* The shortest rest behind a rule that nobody could use yet. */
static uint64_t
pending_rest(const struct search *s)
{
	const struct route_map *map = s->map;
	uint64_t least = ROUTE_FAR;

	for (size_t i = 0; i < map->pending_count; i++) {
		const struct route_rule *rule = &map->rule[map->pending[i]];
		uint64_t rest;

		if (!settled(s, &map->bwd, rule->to))
			continue;
		rest = rule->length + map->bwd.length[rule->to];
		if (rest < least)
			least = rest;
	}
	return least;
}

static uint64_t
plus(uint64_t a, uint64_t b)
{
	return a == ROUTE_FAR || b == ROUTE_FAR ? ROUTE_FAR : a + b;
}

static size_t
degree(const struct route_list *l, const struct route_heap *h)
{
	int screen = h->item[0].screen;

	return l->first[screen + 1] - l->first[screen];
}

enum step { STOP, FORWARD, BACKWARD, RULE };

static enum step
forward_step(uint64_t heap, uint64_t cursor)
{
	return cursor <= heap ? RULE : FORWARD;
}

static enum step
next_step(struct search *s)
{
	struct route_map *map = s->map;
	uint64_t heap = heap_top(s, &map->fwd), cursor = cursor_top(s);
	uint64_t fwd = heap < cursor ? heap : cursor;
	uint64_t bwd = heap_top(s, &map->bwd);
	bool met = plus(fwd, bwd) >= s->best;

	if (s->level && fwd == s->level_length)
		return forward_step(heap, cursor);
	s->level = false;
	/* A rule that ties, into a screen at the very edge of the other side. */
	if (met && s->best != ROUTE_FAR && plus(cursor, bwd) == s->best)
		return RULE;
	if (met) {
		uint64_t other = plus(fwd, pending_rest(s));

		if (other == ROUTE_FAR || other > s->best)
			return STOP;
		return forward_step(heap, cursor);
	}
	if (fwd == ROUTE_FAR)
		return BACKWARD;
	if (bwd == ROUTE_FAR)
		return forward_step(heap, cursor);
	if (cursor <= heap)
		return map->fwd.work <= map->bwd.work ? RULE : BACKWARD;
	if (map->fwd.work + degree(&map->out, &map->fwd.heap) <=
	    map->bwd.work + degree(&map->in, &map->bwd.heap))
		return FORWARD;
	return BACKWARD;
}

static void
search(struct search *s)
{
	struct route_map *map = s->map;

	begin(s);
	for (;;) {
		switch (next_step(s)) {
		case STOP:
			return;
		case FORWARD:
			settle_forward(s);
			break;
		case BACKWARD:
			settle_backward(s);
			break;
		case RULE:
			use_rule(s, s->cursor++, 0);
			map->fwd.work++;
			break;
		}
	}
}

/*
 * Is `v` on a shortest path when it is reached with `length`?  Forward ones
 * are swept from the far end, so theirs is known: `good`.
 */
static bool
leads_on(const struct search *s, const unsigned *good, int v, uint64_t length)
{
	const struct route_map *map = s->map;

	if (settled(s, &map->fwd, v))
		return good[v] == map->round && map->fwd.length[v] == length;
	return labelled(s, &map->bwd, v) &&
	       length + map->bwd.length[v] == s->best;
}

/* Keep of the touched rules those that can lie on a shortest path at all. */
static void
sift_rules(struct search *s)
{
	struct route_map *map = s->map;
	size_t kept = 0;

	for (size_t i = 0; i < map->touched_count; i++) {
		size_t rule = (size_t)map->touched[i];
		int to = map->rule[rule].to;
		uint64_t length = map->rule_from[rule] + map->rule[rule].length;
		bool keep;

		if (settled(s, &map->fwd, to))
			keep = map->fwd.length[to] == length;
		else
			keep = labelled(s, &map->bwd, to) &&
			       length + map->bwd.length[to] == s->best;
		if (keep)
			map->touched[kept++] = (int)rule;
	}
	map->touched_count = kept;
}

/* The smallest number among the ways on from `u`; false: a dead end. */
static bool
choose(const struct search *s, const unsigned *good, int u, int *via)
{
	const struct route_map *map = s->map;
	uint64_t length = map->fwd.length[u];
	bool found = false;

	if (!settled(s, &map->fwd, u)) {
		/* Only the source, when the other side came all the way. */
		found = labelled(s, &map->bwd, u) &&
			map->bwd.length[u] == s->best;
		*via = map->bwd.next[u];
	}
	for (size_t i = map->out.first[u];
	     settled(s, &map->fwd, u) && !found && i < map->out.first[u + 1];
	     i++) {
		int e = map->out.item[i];

		if (!is_blocked(s, e, u) &&
		    leads_on(s, good, map->plan->transition[e].to,
			     length + edge_length(s, e))) {
			*via = e;
			found = true;
		}
	}
	for (size_t i = 0; i < map->touched_count; i++) {
		const struct route_rule *rule = &map->rule[map->touched[i]];

		if ((!found || before(rule->transition, *via)) &&
		    rule_usable(s, rule, u) &&
		    leads_on(s, good, rule->to, length + rule->length)) {
			*via = rule->transition;
			found = true;
		}
	}
	return found;
}

static int
target_of(const struct search *s, int transition)
{
	return transition == ROUTE_RESTART
		       ? s->map->plan->route.start
		       : s->map->plan->transition[transition].to;
}

static void
add_step(struct route_path *path, int transition, int from, int to)
{
	MEM_GROW(path->step, path->count, path->room);
	path->step[path->count++] = (struct route_step){transition, from, to};
}

/*
 * From the far end back to the source: which way each settled screen goes on.
 * fwd.labelled becomes the mark of those on a shortest path, fwd.next the way.
 */
static void
write_path(struct search *s, struct route_path *path)
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
		add_step(path, via, u, target_of(s, via));
		u = target_of(s, via);
	}
	while (u != s->to) {
		const struct route_side *side =
			settled(s, &map->fwd, u) ? &map->fwd : &map->bwd;

		via = side->next[u];
		add_step(path, via, u, target_of(s, via));
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

static int
none(const struct search *s, struct err *err)
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
	struct search s = {.map = map,
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
		add_step(path, ROUTE_RESTART, ROUTE_UNKNOWN, s.from);
	}
	if (s.from != to) {
		search(&s);
		if (s.best == ROUTE_FAR)
			return none(&s, err);
		write_path(&s, path);
	}
	if (from == ROUTE_UNKNOWN)
		path->cost += ROUTE_RESTART_COST;
	return 0;
}
