#include "plan/route_search.h"

/* A way to (or on from) a screen; ties keep the smaller number. */
static void
label(struct route_search *s, struct route_side *side, int screen,
      uint64_t length, int via)
{
	const struct route_side *other =
		side == &s->map->fwd ? &s->map->bwd : &s->map->fwd;

	if (route_search_labelled(s, side, screen) &&
	    side->length[screen] <= length) {
		if (side->length[screen] == length &&
		    route_search_before(via, side->next[screen]))
			side->next[screen] = via;
		return;
	}
	side->labelled[screen] = s->map->round;
	side->length[screen] = length;
	side->next[screen] = via;
	route_map_push(&side->heap, length, screen);
	if (route_search_labelled(s, other, screen) &&
	    length + other->length[screen] < s->best)
		s->best = length + other->length[screen];
}

/* Length of the nearest that is not settled. */
static uint64_t
heap_top(struct route_search *s, struct route_side *side)
{
	struct route_heap *h = &side->heap;

	while (h->count &&
	       (route_search_settled(s, side, h->item[0].screen) ||
		side->length[h->item[0].screen] != h->item[0].length))
		(void)route_map_pop(h); /* stale */
	return h->count ? h->item[0].length : ROUTE_FAR;
}

/* The next rule that leads away from the source. */
static uint64_t
cursor_top(struct route_search *s)
{
	const struct route_map *map = s->map;

	while (s->cursor < map->rule_count &&
	       !route_search_usable(s, &map->rule[s->cursor], s->from))
		s->cursor++;
	return s->cursor < map->rule_count ? map->rule[s->cursor].length
					   : ROUTE_FAR;
}

static void
touch(struct route_search *s, size_t rule)
{
	struct route_map *map = s->map;

	if (map->rule_touched[rule] == map->round)
		return;
	map->rule_touched[rule] = map->round;
	map->touched[map->touched_count++] = (int)rule;
}

/* The rule can be used after `length`: the screen it leads to is near. */
static void
use_rule(struct route_search *s, size_t rule, uint64_t length)
{
	struct route_map *map = s->map;

	map->rule_known[rule] = map->round;
	map->rule_from[rule] = length;
	touch(s, rule);
	label(s, &map->fwd, map->rule[rule].to, length + map->rule[rule].length,
	      map->rule[rule].transition);
}

static void
begin(struct route_search *s)
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
		    route_search_blocked(s, map->rule[i].transition, s->from) &&
		    route_map_rule_leaves(map, &map->rule[i], s->from))
			map->pending[map->pending_count++] = (int)i;
	}
	label(s, &map->fwd, s->from, 0, ROUTE_RESTART);
	label(s, &map->bwd, s->to, 0, ROUTE_RESTART);
}

static void
settle_forward(struct route_search *s)
{
	struct route_map *map = s->map;
	struct route_heap_item top = route_map_pop(&map->fwd.heap);
	int u = top.screen;

	map->fwd.settled[u] = map->round;
	map->order[map->order_count++] = u;
	for (size_t i = map->out.first[u]; i < map->out.first[u + 1]; i++) {
		int e = map->out.item[i];

		if (!route_search_blocked(s, e, u))
			label(s, &map->fwd, map->plan->transition[e].to,
			      top.length + route_search_edge(s, e), e);
	}
	map->fwd.work += map->out.first[u + 1] - map->out.first[u] +
			 map->pending_count + 1;
	for (size_t i = 0; i < map->pending_count;) {
		size_t rule = (size_t)map->pending[i];

		if (!route_search_usable(s, &map->rule[rule], u)) {
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
rules_backward(struct route_search *s, int v, uint64_t length)
{
	struct route_map *map = s->map;

	for (size_t i = map->rules_in.first[v]; i < map->rules_in.first[v + 1];
	     i++) {
		size_t rule = (size_t)map->rules_in.item[i];
		uint64_t first, whole;

		if (route_search_usable(s, &map->rule[rule], s->from))
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
settle_backward(struct route_search *s)
{
	struct route_map *map = s->map;
	struct route_heap_item top = route_map_pop(&map->bwd.heap);
	int v = top.screen;

	map->bwd.settled[v] = map->round;
	for (size_t i = map->in.first[v]; i < map->in.first[v + 1]; i++) {
		int e = map->in.item[i];
		int u = map->plan->transition[e].from;

		if (!route_search_blocked(s, e, u))
			label(s, &map->bwd, u,
			      top.length + route_search_edge(s, e), e);
	}
	rules_backward(s, v, top.length);
	map->bwd.work += map->in.first[v + 1] - map->in.first[v] +
			 map->rules_in.first[v + 1] - map->rules_in.first[v] +
			 1;
}

/* The shortest rest behind a rule that nobody could use yet. */
static uint64_t
pending_rest(const struct route_search *s)
{
	const struct route_map *map = s->map;
	uint64_t least = ROUTE_FAR;

	for (size_t i = 0; i < map->pending_count; i++) {
		const struct route_rule *rule = &map->rule[map->pending[i]];
		uint64_t rest;

		if (!route_search_settled(s, &map->bwd, rule->to))
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
next_step(struct route_search *s)
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

void
route_search_run(struct route_search *s)
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
