#include "plan/plan_read.h"

#include <stddef.h>

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
	r->plan->route.at = plan_read_pos(route);
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
		plan_read_screens(r, screens);
	else
		plan_read_bad(r, root,
			      "'screens' is missing: {NAME: {is: "
			      "PREDICATE}, ...}");
	plan_read_transitions(r, root);
	read_route(r, root);
	if (interrupts)
		plan_read_interrupts(r, interrupts);
}
