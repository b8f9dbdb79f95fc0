#include "plan/plan_read_action.h"

#include <stdio.h>
#include <string.h>

/* For the nearest key. */
static const struct plan_field action_names[] = {
	{.name = "tap"},     {.name = "long_press"}, {.name = "text"},
	{.name = "key"},     {.name = "swipe"},	     {.name = "js"},
	{.name = "call"},    {.name = "action"},     {.name = "wait"},
	{.name = "sleep"},   {.name = "android"},    {.name = "intent"},
	{.name = "pull"},    {.name = "stop"},	     {.name = "procedure"},
	{.name = "timeout"}, {.name = "expect"},     {.name = "idempotent"},
	{.name = NULL},
};

/* What stands beside an action; true when the key was one of these. */
static bool
read_beside(struct plan_reader *r, const char *key,
	    const struct yaml_node *node, struct plan_action *out)
{
	if (strcmp(key, "timeout") == 0) {
		(void)plan_read_duration(r, node, key, 1, &out->timeout_ms);
	} else if (strcmp(key, "idempotent") == 0) {
		(void)plan_read_bool(r, node, key, &out->idempotent);
	} else if (strcmp(key, "expect") == 0) {
		if (plan_read_map(r, node, key) == 0)
			out->expect = plan_read_json(r, node);
	} else {
		return false;
	}
	return true;
}

void
plan_read_action(struct plan_reader *r, const struct yaml_node *node,
		 const char *path, const struct plan_field *others,
		 struct plan_action *out)
{
	const struct plan_read_action_kind *kind = NULL;

	*out = (struct plan_action){.at = {node->line, node->col},
				    .path = plan_mem_dup(r->mem, path),
				    .timeout_ms = r->plan->defaults.timeout_ms,
				    .target.index = -1,
				    .procedure = -1};
	if (plan_read_map(r, node, "an action"))
		return;
	/* The kind first: `idempotent` may stand before it. */
	for (size_t i = 0; i < node->count && !kind; i++)
		kind = plan_read_action_kind_find(node->key[i]->text);
	if (!kind) {
		plan_read_bad(r, node,
			      "no action here: one of tap, long_press, text, "
			      "key, swipe, js, call, action, wait, sleep, "
			      "android, intent, pull, stop, procedure");
	} else {
		out->kind = kind->kind;
		out->idempotent = kind->idempotent;
	}
	for (size_t i = 0; i < node->count; i++) {
		const struct yaml_node *key = node->key[i];

		if (kind && strcmp(key->text, kind->name) == 0)
			kind->read(r, node->item[i], out);
		else if (plan_read_find(others, key->text) ||
			 read_beside(r, key->text, node->item[i], out))
			continue;
		else if (kind && plan_read_action_kind_find(key->text))
			plan_read_bad(r, key,
				      "'%s' and '%s' in one step; put them in "
				      "a list, one action each",
				      kind->name, key->text);
		else
			plan_read_unknown_key(r, key, "the action",
					      action_names, others);
	}
}

void
plan_read_action_list(struct plan_reader *r, const struct yaml_node *node,
		      const char *path, struct plan_actions *out)
{
	char item[256];

	if (node->kind == YAML_MAP) {
		out->item = plan_mem_alloc(r->mem, sizeof(*out->item));
		out->count = 1;
		plan_read_action(r, node, path, NULL, out->item);
		return;
	}
	if (plan_read_list(r, node, path))
		return;
	out->item = plan_mem_array(r->mem, node->count, sizeof(*out->item));
	out->count = node->count;
	for (size_t i = 0; i < node->count; i++) {
		if (snprintf(item, sizeof(item), "%.200s[%zu]", path, i) < 0)
			item[0] = '\0';
		plan_read_action(r, node->item[i], item, NULL, &out->item[i]);
	}
}
