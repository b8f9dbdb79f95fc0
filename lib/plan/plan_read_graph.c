#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_read.h"

enum {
	MAX_RETRIES = 100,
	MAX_COST = 1000000,
	DEFAULT_INTERRUPTS = 10,
	MAX_INTERRUPTS = 10000,
	MAX_PATH = 256,
};

static struct plan_pos
pos_of(const struct yaml_node *node)
{
	return (struct plan_pos){node->line, node->col};
}

/* --- screens --- */

static void
screen_is(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	struct plan_screen *s = into;

	s->is = plan_read_pred(r, node, "is");
}

static void
screen_settle(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	plan_read_fields(r, node, "settle", plan_read_top_settle, NULL, into);
}

static void
screen_evidence(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	plan_read_fields(r, node, "evidence", plan_read_top_evidence, NULL,
			 into);
}

static const struct plan_field screen_fields[] = {
	{.name = "is", .type = PLAN_FIELD_CALL, .read = screen_is},
	{.name = "back", .type = PLAN_FIELD_OTHER},
	{.name = "hold",
	 .type = PLAN_FIELD_DURATION,
	 .offset = offsetof(struct plan_screen, hold_ms)},
	{.name = "settle",
	 .type = PLAN_FIELD_CALL,
	 .offset = offsetof(struct plan_screen, settle),
	 .read = screen_settle},
	{.name = "evidence",
	 .type = PLAN_FIELD_CALL,
	 .offset = offsetof(struct plan_screen, evidence),
	 .read = screen_evidence},
	{.name = "snapshot",
	 .type = PLAN_FIELD_WORD,
	 .offset = offsetof(struct plan_screen, snapshot),
	 .words = plan_read_top_snapshot},
	{.name = "timeout",
	 .type = PLAN_FIELD_DURATION,
	 .offset = offsetof(struct plan_screen, timeout_ms),
	 .min = 1},
	{.name = NULL},
};

/* A name that files, JSON and Slack can carry. */
static void
check_screen_name(struct plan_reader *r, const struct yaml_node *key)
{
	if (key->text[0] == '\0')
		plan_read_bad(r, key, "a screen without a name");
	else if (strcmp(key->text, "*") == 0)
		plan_read_bad(r, key,
			      "'*' means every screen and can't name "
			      "one");
	else if (strlen(key->text) > 100)
		plan_read_bad(r, key,
			      "a screen's name is longer than 100 "
			      "bytes");
}

static void
read_screens(struct plan_reader *r, const struct yaml_node *node)
{
	struct plan *p = r->plan;

	if (plan_read_map(r, node, "screens"))
		return;
	p->screen = plan_mem_array(r->mem, node->count, sizeof(*p->screen));
	p->screen_count = node->count;
	plan_mem_names(r->mem, PLAN_NAMES_SCREEN, node->count);
	for (size_t i = 0; i < node->count; i++) {
		struct plan_screen *s = &p->screen[i];

		check_screen_name(r, node->key[i]);
		*s = (struct plan_screen){
			.name = plan_mem_dup(r->mem, node->key[i]->text),
			.at = pos_of(node->key[i]),
			.hold_ms = p->defaults.hold_ms,
			.settle = p->defaults.settle,
			.evidence = p->defaults.evidence,
			.snapshot = p->defaults.snapshot,
			.timeout_ms = p->defaults.timeout_ms,
		};
		plan_mem_name_add(r->mem, PLAN_NAMES_SCREEN, s->name, (int)i);
		plan_read_fields(r, node->item[i], s->name, screen_fields, NULL,
				 s);
	}
}

/* --- transitions --- */

static const struct plan_field transition_fields[] = {
	{.name = "from"},    {.name = "to"},	   {.name = "do"},
	{.name = "timeout"}, {.name = "retries"},  {.name = "cost"},
	{.name = "when"},    {.name = "disabled"}, {.name = "except"},
	{.name = NULL},
};
static const struct plan_field back_fields[] = {
	{.name = "to"},	      {.name = "do"},	{.name = "timeout"},
	{.name = "retries"},  {.name = "cost"}, {.name = "when"},
	{.name = "disabled"}, {.name = NULL},
};

static void
read_to(struct plan_reader *r, const struct yaml_node *node,
	struct plan_transition *t)
{
	const struct yaml_node *to = yaml_get(node, "to");

	t->to = -1;
	if (!to)
		plan_read_bad(r, node, "%s: 'to' is missing", t->path);
	else
		(void)plan_read_name(r, to, "to", PLAN_NAMES_SCREEN, &t->to);
}

static void
read_numbers(struct plan_reader *r, const struct yaml_node *node,
	     struct plan_transition *t)
{
	const struct yaml_node *v;

	t->timeout_ms = t->to >= 0 ? r->plan->screen[t->to].timeout_ms
				   : r->plan->defaults.timeout_ms;
	t->retries = r->plan->defaults.retries;
	t->cost = 1;
	v = yaml_get(node, "timeout");
	if (v)
		(void)plan_read_duration(r, v, "timeout", 1, &t->timeout_ms);
	v = yaml_get(node, "retries");
	if (v)
		(void)plan_read_int(r, v, "retries", 0, MAX_RETRIES,
				    &t->retries);
	v = yaml_get(node, "cost");
	if (v)
		(void)plan_read_int(r, v, "cost", 0, MAX_COST, &t->cost);
	v = yaml_get(node, "disabled");
	if (v)
		(void)plan_read_bool(r, v, "disabled", &t->disabled);
	v = yaml_get(node, "when");
	if (v)
		t->when = plan_read_pred(r, v, "when");
}

/* One action in the transition's own map, or `do` with several. */
static void
read_doing(struct plan_reader *r, const struct yaml_node *node,
	   const struct plan_field *own, struct plan_transition *t)
{
	const struct yaml_node *list = yaml_get(node, "do");
	char path[MAX_PATH];

	if (!list) {
		t->actions.item =
			plan_mem_alloc(r->mem, sizeof(*t->actions.item));
		t->actions.count = 1;
		plan_read_action(r, node, t->path, own, t->actions.item);
		/* `timeout` is the transition's: for the screen to appear. */
		t->actions.item->timeout_ms = t->timeout_ms;
		return;
	}
	for (size_t i = 0; i < node->count; i++) {
		if (!plan_read_find(own, node->key[i]->text))
			plan_read_unknown_key(r, node->key[i],
					      "a transition with 'do'", own,
					      NULL);
	}
	if (snprintf(path, sizeof(path), "%.200s.do", t->path) < 0)
		path[0] = '\0';
	plan_read_action_list(r, list, path, &t->actions);
	if (list->count == 0)
		plan_read_bad(r, list, "'do' is empty");
}

static void
read_transition(struct plan_reader *r, const struct yaml_node *node,
		const struct plan_field *own, struct plan_transition *t)
{
	read_to(r, node, t);
	read_numbers(r, node, t);
	read_doing(r, node, own, t);
}

static int
by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static void
read_except(struct plan_reader *r, const struct yaml_node *node, bool any,
	    struct plan_transition *t)
{
	const struct yaml_node *list = yaml_get(node, "except");
	int *except;

	if (!list)
		return;
	if (!any) {
		plan_read_bad(r, list, "'except' needs from: \"*\"");
		return;
	}
	if (plan_read_list(r, list, "except"))
		return;
	except = plan_mem_array(r->mem, list->count, sizeof(int));
	for (size_t i = 0; i < list->count; i++) {
		if (plan_read_name(r, list->item[i], "except",
				   PLAN_NAMES_SCREEN,
				   &except[t->except_count]) == 0)
			t->except_count++;
	}
	qsort(except, t->except_count, sizeof(int), by_number);
	t->except = except;
}

/* How many struct plan_transition an entry of the file becomes. */
static size_t
copies(const struct yaml_node *node)
{
	const struct yaml_node *from = yaml_get(node, "from");

	return from && from->kind == YAML_LIST ? from->count : 1;
}

static void
read_from_list(struct plan_reader *r, const struct yaml_node *from,
	       struct plan_transition *first)
{
	for (size_t i = 0; i < from->count; i++) {
		first[i] = first[0];
		first[i].from = -1;
		if (plan_read_name(r, from->item[i], "from", PLAN_NAMES_SCREEN,
				   &first[i].from))
			first[i].disabled = true;
	}
	if (from->count == 0)
		plan_read_bad(r, from, "'from' is empty");
}

static size_t
read_entry(struct plan_reader *r, const struct yaml_node *node, size_t index,
	   struct plan_transition *out)
{
	const struct yaml_node *from = yaml_get(node, "from");
	bool any = from && from->kind == YAML_SCALAR &&
		   strcmp(from->text, "*") == 0;
	struct plan_transition t = {
		.from = -1,
		.to = -1,
		.origin = PLAN_FROM_TRANSITIONS,
		.at = pos_of(node),
		.path = plan_mem_fmt(r->mem, "transitions[%zu]", index),
	};

	if (plan_read_map(r, node, "a transition"))
		return 0;
	read_transition(r, node, transition_fields, &t);
	read_except(r, node, any, &t);
	if (from && from->kind == YAML_LIST) {
		if (from->count)
			out[0] = t;
		read_from_list(r, from, out);
		return from->count;
	}
	if (!from)
		plan_read_bad(r, node, "%s: 'from' is missing", t.path);
	else if (!any)
		(void)plan_read_name(r, from, "from", PLAN_NAMES_SCREEN,
				     &t.from);
	out[0] = t;
	return 1;
}

static void
read_transitions(struct plan_reader *r, const struct yaml_node *node)
{
	struct plan *p = r->plan;

	if (!node || plan_read_list(r, node, "transitions"))
		return;
	for (size_t i = 0; i < node->count; i++)
		p->transition_count +=
			read_entry(r, node->item[i], i,
				   &p->transition[p->transition_count]);
}

static void
read_backs(struct plan_reader *r, const struct yaml_node *screens)
{
	struct plan *p = r->plan;

	for (size_t i = 0; screens && i < p->screen_count; i++) {
		const struct yaml_node *back =
			yaml_get(screens->item[i], "back");
		struct plan_transition *t = &p->transition[p->transition_count];

		if (!back || plan_read_map(r, back, "back"))
			continue;
		*t = (struct plan_transition){
			.from = (int)i,
			.origin = PLAN_FROM_BACK,
			.at = pos_of(back),
			.path = plan_mem_fmt(r->mem, "screens.%.100s.back",
					     p->screen[i].name),
		};
		read_transition(r, back, back_fields, t);
		p->transition_count++;
	}
}

/* Numbers follow the file: whichever part stands first comes first. */
static void
read_all_transitions(struct plan_reader *r, const struct yaml_node *root)
{
	const struct yaml_node *screens = yaml_get(root, "screens");
	const struct yaml_node *list = yaml_get(root, "transitions");
	size_t room = r->plan->screen_count;

	for (size_t i = 0; list && i < list->count; i++)
		room += copies(list->item[i]);
	r->plan->transition =
		plan_mem_array(r->mem, room, sizeof(*r->plan->transition));
	if (list && screens && list->line < screens->line) {
		read_transitions(r, list);
		read_backs(r, screens);
		return;
	}
	read_backs(r, screens);
	read_transitions(r, list);
}

/* --- route --- */

static void
read_visits(struct plan_reader *r, const struct yaml_node *node)
{
	struct plan *p = r->plan;

	if (plan_read_list(r, node, "visit"))
		return;
	if (node->count == 0)
		plan_read_bad(r, node, "'visit' is empty");
	p->route.visit = plan_mem_array(r->mem, node->count, sizeof(int));
	for (size_t i = 0; i < node->count; i++) {
		int *v = &p->route.visit[p->route.visit_count];

		if (plan_read_name(r, node->item[i], "visit", PLAN_NAMES_SCREEN,
				   v))
			continue;
		p->screen[*v].visited = true;
		p->route.visit_count++;
	}
}

static void
read_route(struct plan_reader *r, const struct yaml_node *root)
{
	static const struct plan_field fields[] = {
		{.name = "start", .type = PLAN_FIELD_OTHER},
		{.name = "visit", .type = PLAN_FIELD_OTHER},
		{.name = NULL},
	};
	const struct yaml_node *route = yaml_get(root, "route");
	const struct yaml_node *start = yaml_get(route, "start");
	const struct yaml_node *visit = yaml_get(route, "visit");

	r->plan->route.start = -1;
	if (!route) {
		plan_read_bad(r, root,
			      "'route' is missing: {start: SCREEN, "
			      "visit: [SCREEN, ...]}");
		return;
	}
	r->plan->route.at = pos_of(route);
	plan_read_fields(r, route, "route", fields, NULL, r->plan);
	if (start)
		(void)plan_read_name(r, start, "start", PLAN_NAMES_SCREEN,
				     &r->plan->route.start);
	else if (route->kind == YAML_MAP)
		plan_read_bad(r, route,
			      "route: 'start' is missing: the screen "
			      "that the game shows first");
	if (visit)
		read_visits(r, visit);
	else if (route->kind == YAML_MAP)
		plan_read_bad(r, route,
			      "route: 'visit' is missing: the "
			      "screens to measure, in order");
}

/* --- interrupts, setup, teardown, escape --- */

static void
interrupt_when(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	((struct plan_interrupt *)into)->when = plan_read_pred(r, node, "when");
}

static const struct plan_field interrupt_fields[] = {
	{.name = "name",
	 .type = PLAN_FIELD_STR,
	 .offset = offsetof(struct plan_interrupt, name)},
	{.name = "when", .type = PLAN_FIELD_CALL, .read = interrupt_when},
	{.name = "do", .type = PLAN_FIELD_OTHER},
	{.name = "max",
	 .type = PLAN_FIELD_INT,
	 .offset = offsetof(struct plan_interrupt, max),
	 .min = 1,
	 .max = MAX_INTERRUPTS},
	{.name = "record",
	 .type = PLAN_FIELD_STR,
	 .offset = offsetof(struct plan_interrupt, record)},
	{.name = NULL},
};

static void
read_interrupt(struct plan_reader *r, const struct yaml_node *node,
	       size_t index, struct plan_interrupt *out)
{
	const struct yaml_node *list = yaml_get(node, "do");
	char path[MAX_PATH];

	*out = (struct plan_interrupt){.at = pos_of(node),
				       .max = DEFAULT_INTERRUPTS};
	plan_read_fields(r, node, "the interrupt", interrupt_fields, NULL, out);
	if (node->kind != YAML_MAP)
		return;
	if (!yaml_get(node, "name"))
		plan_read_bad(r, node, "interrupts[%zu]: 'name' is missing",
			      index);
	if (!out->when && !yaml_get(node, "when"))
		plan_read_bad(r, node, "interrupts[%zu]: 'when' is missing",
			      index);
	if (!list) {
		plan_read_bad(r, node, "interrupts[%zu]: 'do' is missing",
			      index);
		return;
	}
	if (snprintf(path, sizeof(path), "interrupts[%zu].do", index) < 0)
		path[0] = '\0';
	plan_read_action_list(r, list, path, &out->actions);
}

static void
read_interrupts(struct plan_reader *r, const struct yaml_node *node)
{
	struct plan *p = r->plan;

	if (plan_read_list(r, node, "interrupts"))
		return;
	p->interrupt =
		plan_mem_array(r->mem, node->count, sizeof(*p->interrupt));
	p->interrupt_count = node->count;
	for (size_t i = 0; i < node->count; i++)
		read_interrupt(r, node->item[i], i, &p->interrupt[i]);
}

static void
read_lists(struct plan_reader *r, const struct yaml_node *root)
{
	const struct {
		const char *name;
		struct plan_actions *out;
	} lists[] = {
		{"setup", &r->plan->setup},
		{"teardown", &r->plan->teardown},
		{"escape", &r->plan->escape},
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const struct yaml_node *node = yaml_get(root, lists[i].name);

		if (node)
			plan_read_action_list(r, node, lists[i].name,
					      lists[i].out);
	}
}

void
plan_read_graph(struct plan_reader *r, const struct yaml_node *root)
{
	const struct yaml_node *screens = yaml_get(root, "screens");
	const struct yaml_node *interrupts = yaml_get(root, "interrupts");

	read_lists(r, root);
	if (screens)
		read_screens(r, screens);
	else
		plan_read_bad(r, root,
			      "'screens' is missing: {NAME: {is: "
			      "PREDICATE}, ...}");
	read_all_transitions(r, root);
	read_route(r, root);
	if (interrupts)
		read_interrupts(r, interrupts);
}
