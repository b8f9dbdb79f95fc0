#include "plan/route_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void
route_map_push(struct route_heap *h, uint64_t length, int screen)
{
	size_t at;

	MEM_GROW(h->item, h->count, h->room);
	at = h->count++;
	while (at > 0 && h->item[(at - 1) / 2].length > length) {
		h->item[at] = h->item[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	h->item[at] = (struct route_heap_item){length, screen};
}

struct route_heap_item
route_map_pop(struct route_heap *h)
{
	struct route_heap_item top = h->item[0], last = h->item[--h->count];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < h->count) {
		if (child + 1 < h->count &&
		    h->item[child + 1].length < h->item[child].length)
			child++;
		if (h->item[child].length >= last.length)
			break;
		h->item[at] = h->item[child];
		at = child;
	}
	h->item[at] = last;
	return top;
}

bool
route_map_rule_leaves(const struct route_map *map,
		      const struct route_rule *rule, int screen)
{
	if (rule->transition == ROUTE_RESTART)
		return true;
	return plan_leaves(&map->plan->transition[rule->transition], screen);
}

/* Count in first[screen + 1], add up, then fill with list_put(). */
static void
list_begin(struct route_list *l, size_t screens)
{
	l->first = mem_array(screens + 2, sizeof(size_t));
}

static void
list_count(struct route_list *l, int screen)
{
	l->first[screen + 2]++;
}

static void
list_sum(struct route_list *l, size_t screens)
{
	for (size_t i = 2; i < screens + 2; i++)
		l->first[i] += l->first[i - 1];
	l->item = mem_array(l->first[screens + 1] + 1, sizeof(int));
}

/* first[screen + 1] is where the next goes; it ends as screen + 1's begin. */
static void
list_put(struct route_list *l, int screen, int item)
{
	l->item[l->first[screen + 1]++] = item;
}

static void
list_done(struct route_list *l)
{
	free(l->first);
	free(l->item);
}

static bool
between_screens(const struct plan_transition *t)
{
	return !t->disabled && t->from >= 0 && t->to >= 0;
}

static void
make_edges(struct route_map *map)
{
	const struct plan *p = map->plan;

	list_begin(&map->out, map->screens);
	list_begin(&map->in, map->screens);
	for (size_t i = 0; i < p->transition_count; i++) {
		const struct plan_transition *t = &p->transition[i];

		if (between_screens(t)) {
			list_count(&map->out, t->from);
			list_count(&map->in, t->to);
		}
	}
	list_sum(&map->out, map->screens);
	list_sum(&map->in, map->screens);
	for (size_t i = 0; i < p->transition_count; i++) {
		const struct plan_transition *t = &p->transition[i];

		if (between_screens(t)) {
			list_put(&map->out, t->from, (int)i);
			list_put(&map->in, t->to, (int)i);
		}
	}
}

static int
by_length(const void *a, const void *b)
{
	const struct route_rule *x = a, *y = b;

	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	/* ROUTE_RESTART is -1 and comes last, as its number says. */
	return (unsigned)x->transition < (unsigned)y->transition ? -1 : 1;
}

static uint64_t
length_of(int64_t cost)
{
	return (uint64_t)cost << ROUTE_HOP_BITS | 1;
}

static void
make_rules(struct route_map *map)
{
	const struct plan *p = map->plan;
	size_t n = 0;

	for (size_t i = 0; i < p->transition_count; i++)
		n += p->transition[i].from == PLAN_ANY_SCREEN;
	map->rule = mem_array(n + 1, sizeof(*map->rule));
	for (size_t i = 0; i < p->transition_count; i++) {
		const struct plan_transition *t = &p->transition[i];

		if (t->from == PLAN_ANY_SCREEN && !t->disabled && t->to >= 0)
			map->rule[map->rule_count++] = (struct route_rule){
				(int)i, t->to, length_of(t->cost)};
	}
	if (p->route.start >= 0)
		map->rule[map->rule_count++] =
			(struct route_rule){ROUTE_RESTART, p->route.start,
					    length_of(ROUTE_RESTART_COST)};
	qsort(map->rule, map->rule_count, sizeof(*map->rule), by_length);
}

/* Twice over the same pairs: to count, then to fill. */
static void
each_except(struct route_map *map, bool fill)
{
	for (size_t i = 0; i < map->rule_count; i++) {
		const struct plan_transition *t;

		if (map->rule[i].transition == ROUTE_RESTART)
			continue;
		t = &map->plan->transition[map->rule[i].transition];
		for (size_t k = 0; k < t->except_count; k++) {
			if (k && t->except[k] == t->except[k - 1])
				continue;
			if (fill)
				list_put(&map->excepted, t->except[k], (int)i);
			else
				list_count(&map->excepted, t->except[k]);
		}
	}
}

static void
index_rules(struct route_map *map)
{
	list_begin(&map->rules_in, map->screens);
	list_begin(&map->excepted, map->screens);
	for (size_t i = 0; i < map->rule_count; i++)
		list_count(&map->rules_in, map->rule[i].to);
	each_except(map, false);
	list_sum(&map->rules_in, map->screens);
	list_sum(&map->excepted, map->screens);
	for (size_t i = 0; i < map->rule_count; i++)
		list_put(&map->rules_in, map->rule[i].to, (int)i);
	each_except(map, true);
}

static void
make_side(struct route_side *side, size_t screens)
{
	side->length = mem_array(screens + 1, sizeof(uint64_t));
	side->labelled = mem_array(screens + 1, sizeof(unsigned));
	side->settled = mem_array(screens + 1, sizeof(unsigned));
	side->next = mem_array(screens + 1, sizeof(int));
}

static void
side_done(struct route_side *side)
{
	free(side->length);
	free(side->labelled);
	free(side->settled);
	free(side->next);
	free(side->heap.item);
}

struct route_map *
route_map_new(const struct plan *plan)
{
	struct route_map *map = mem_alloc(sizeof(*map));

	map->plan = plan;
	map->screens = plan->screen_count;
	make_edges(map);
	make_rules(map);
	index_rules(map);
	make_side(&map->fwd, map->screens);
	make_side(&map->bwd, map->screens);
	map->order = mem_array(map->screens + 1, sizeof(int));
	map->rule_from = mem_array(map->rule_count + 1, sizeof(uint64_t));
	map->rule_known = mem_array(map->rule_count + 1, sizeof(unsigned));
	map->rule_touched = mem_array(map->rule_count + 1, sizeof(unsigned));
	map->pending = mem_array(map->rule_count + 1, sizeof(int));
	map->touched = mem_array(map->rule_count + 1, sizeof(int));
	return map;
}

void
route_map_free(struct route_map *map)
{
	if (!map)
		return;
	list_done(&map->out);
	list_done(&map->in);
	list_done(&map->rules_in);
	list_done(&map->excepted);
	side_done(&map->fwd);
	side_done(&map->bwd);
	free(map->rule);
	free(map->order);
	free(map->rule_from);
	free(map->rule_known);
	free(map->rule_touched);
	free(map->pending);
	free(map->touched);
	free(map);
}

struct walk {
	int *queue;
	size_t count;
	bool *seen;
};

static void
visit(struct walk *w, int screen)
{
	if (!w->seen[screen]) {
		w->seen[screen] = true;
		w->queue[w->count++] = screen;
	}
}

void
route_map_reach(const struct route_map *map, int from, bool *seen)
{
	struct walk w = {.seen = seen};
	size_t waiting = 0;
	int *rules = mem_array(map->rule_count + 1, sizeof(int));

	w.queue = mem_array(map->screens + 1, sizeof(int));
	memset(seen, 0, map->screens * sizeof(bool));
	for (size_t i = 0; i < map->rule_count; i++) {
		if (map->rule[i].transition != ROUTE_RESTART)
			rules[waiting++] = (int)i;
	}
	visit(&w, from);
	for (size_t at = 0; at < w.count; at++) {
		int u = w.queue[at];

		for (size_t i = map->out.first[u]; i < map->out.first[u + 1];
		     i++)
			visit(&w, map->plan->transition[map->out.item[i]].to);
		for (size_t i = 0; i < waiting;) {
			const struct route_rule *rule = &map->rule[rules[i]];

			if (!route_map_rule_leaves(map, rule, u)) {
				i++;
				continue;
			}
			visit(&w, rule->to);
			rules[i] = rules[--waiting];
		}
	}
	free(rules);
	free(w.queue);
}

void
route_map_reach_back(const struct route_map *map, int to, bool *seen)
{
	struct walk w = {.seen = seen};
	size_t unseen = 0;
	int *left = mem_array(map->screens + 1, sizeof(int));

	w.queue = mem_array(map->screens + 1, sizeof(int));
	memset(seen, 0, map->screens * sizeof(bool));
	for (size_t i = 0; i < map->screens; i++)
		left[unseen++] = (int)i;
	visit(&w, to);
	for (size_t at = 0; at < w.count; at++) {
		int v = w.queue[at];

		for (size_t i = map->in.first[v]; i < map->in.first[v + 1]; i++)
			visit(&w, map->plan->transition[map->in.item[i]].from);
		for (size_t i = map->rules_in.first[v];
		     i < map->rules_in.first[v + 1]; i++) {
			const struct route_rule *rule =
				&map->rule[map->rules_in.item[i]];

			/* One rule sees all but its few exceptions. */
			for (size_t k = 0;
			     rule->transition != ROUTE_RESTART && k < unseen;) {
				int u = left[k];

				if (!seen[u] &&
				    route_map_rule_leaves(map, rule, u))
					visit(&w, u);
				if (seen[u])
					left[k] = left[--unseen];
				else
					k++;
			}
		}
	}
	free(left);
	free(w.queue);
}
