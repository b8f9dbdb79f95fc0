#include "plan/plan_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_RETRIES = 100,
	MAX_COST = 1000000,
	MAX_PATH = 256,
};

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
		.at = plan_read_pos(node),
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
read_list(struct plan_reader *r, const struct yaml_node *node)
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
			.at = plan_read_pos(back),
			.path = plan_mem_fmt(r->mem, "screens.%.100s.back",
					     p->screen[i].name),
		};
		read_transition(r, back, back_fields, t);
		p->transition_count++;
	}
}

/* Numbers follow the file: whichever part stands first comes first. */
void
plan_read_transitions(struct plan_reader *r, const struct yaml_node *root)
{
	const struct yaml_node *screens = yaml_get(root, "screens");
	const struct yaml_node *list = yaml_get(root, "transitions");
	size_t room = r->plan->screen_count;

	for (size_t i = 0; list && i < list->count; i++)
		room += copies(list->item[i]);
	r->plan->transition =
		plan_mem_array(r->mem, room, sizeof(*r->plan->transition));
	if (list && screens && list->line < screens->line) {
		read_list(r, list);
		read_backs(r, screens);
		return;
	}
	read_backs(r, screens);
	read_list(r, list);
}
