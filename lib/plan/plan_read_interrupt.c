#include "plan/plan_read.h"

#include <stdio.h>

enum {
	DEFAULT_INTERRUPTS = 10,
	MAX_INTERRUPTS = 10000,
	MAX_PATH = 256,
};

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

	*out = (struct plan_interrupt){.at = plan_read_pos(node),
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

void
plan_read_interrupts(struct plan_reader *r, const struct yaml_node *node)
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
