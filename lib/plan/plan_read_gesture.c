#include "plan/plan_read_action.h"

#include <string.h>

enum {
	LONG_PRESS_MS = 800,
	SWIPE_MS = 300,
	MAX_INDEX = 1000000,
};

static const char *
static_word(const char *word)
{
	static const char *const by[] = {"path", "name", "text", "component",
					 "id"};

	for (size_t i = 0; i < sizeof(by) / sizeof(by[0]); i++) {
		if (strcmp(by[i], word) == 0)
			return by[i];
	}
	return NULL;
}

static void
read_target_map(struct plan_reader *r, const struct yaml_node *node,
		const char *what, struct plan_target *out)
{
	static const struct plan_field fields[] = {
		{.name = "path"},      {.name = "name"}, {.name = "text"},
		{.name = "component"}, {.name = "id"},	 {.name = "index"},
		{.name = NULL},
	};

	for (size_t i = 0; i < node->count; i++) {
		const struct yaml_node *key = node->key[i];
		const char *by = static_word(key->text);

		if (strcmp(key->text, "index") == 0)
			(void)plan_read_int(r, node->item[i], "index", 0,
					    MAX_INDEX, &out->index);
		else if (!by)
			plan_read_unknown_key(r, key, what, fields, NULL);
		else if (out->by)
			plan_read_bad(r, key, "'%s' and '%s' in one target",
				      out->by, by);
		else if (plan_read_text(r, node->item[i], by, &out->value) == 0)
			out->by = by;
	}
	if (!out->by)
		plan_read_bad(r, node,
			      "%s needs one of path, name, text, component, "
			      "id",
			      what);
}

/* "//Footer/Party" is a path, "Party" a name; a map says which. */
static void
read_target(struct plan_reader *r, const struct yaml_node *node,
	    const char *what, struct plan_target *out)
{
	if (node->kind == YAML_MAP)
		read_target_map(r, node, what, out);
	else if (plan_read_text(r, node, what, &out->value) == 0)
		out->by = out->value[0] == '/' ? "path" : "name";
}

static void
target_field(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	struct plan_action *a = into;

	read_target(r, node, "target", &a->target);
}

void
plan_read_gesture_tap(struct plan_reader *r, const struct yaml_node *node,
		      struct plan_action *a)
{
	read_target(r, node, "tap", &a->target);
}

void
plan_read_gesture_long_press(struct plan_reader *r,
			     const struct yaml_node *node,
			     struct plan_action *a)
{
	static const struct plan_field fields[] = {
		{.name = "target",
		 .type = PLAN_FIELD_CALL,
		 .read = target_field},
		{.name = "for",
		 .type = PLAN_FIELD_DURATION,
		 .offset = offsetof(struct plan_action, duration_ms),
		 .min = 1},
		{.name = NULL},
	};

	a->duration_ms = LONG_PRESS_MS;
	if (!yaml_get(node, "target")) {
		read_target(r, node, "long_press", &a->target);
		return;
	}
	plan_read_fields(r, node, "long_press", fields, NULL, a);
}

void
plan_read_gesture_text(struct plan_reader *r, const struct yaml_node *node,
		       struct plan_action *a)
{
	static const struct plan_field fields[] = {
		{.name = "target",
		 .type = PLAN_FIELD_CALL,
		 .read = target_field},
		{.name = "value",
		 .type = PLAN_FIELD_TEXT,
		 .offset = offsetof(struct plan_action, value)},
		{.name = "submit",
		 .type = PLAN_FIELD_BOOL,
		 .offset = offsetof(struct plan_action, submit)},
		{.name = NULL},
	};

	if (node->kind != YAML_MAP) {
		(void)plan_read_text(r, node, "text", &a->value);
		return;
	}
	plan_read_fields(r, node, "text", fields, NULL, a);
	if (!yaml_get(node, "value"))
		plan_read_bad(r, node, "text needs 'value'");
}

void
plan_read_gesture_key(struct plan_reader *r, const struct yaml_node *node,
		      struct plan_action *a)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	if (plan_read_str(r, node, "key", &a->value))
		return;
	if (strspn(a->value, letters) != strlen(a->value))
		plan_read_bad(r, node,
			      "key must be a key's name as BACK, HOME or "
			      "ENTER, not '%s'",
			      a->value);
}

static void
read_point(struct plan_reader *r, const struct yaml_node *node,
	   const char *what, double out[2])
{
	if (plan_read_list(r, node, what))
		return;
	if (node->count != 2) {
		plan_read_bad(r, node, "%s must be two numbers, [x, y]", what);
		return;
	}
	for (size_t i = 0; i < 2; i++)
		(void)plan_read_part(r, node->item[i], what, &out[i]);
}

static void
swipe_from(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	read_point(r, node, "from", ((struct plan_action *)into)->from);
}

static void
swipe_to(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	read_point(r, node, "to", ((struct plan_action *)into)->to);
}

void
plan_read_gesture_swipe(struct plan_reader *r, const struct yaml_node *node,
			struct plan_action *a)
{
	static const struct plan_field fields[] = {
		{.name = "from", .type = PLAN_FIELD_CALL, .read = swipe_from},
		{.name = "to", .type = PLAN_FIELD_CALL, .read = swipe_to},
		{.name = "for",
		 .type = PLAN_FIELD_DURATION,
		 .offset = offsetof(struct plan_action, duration_ms),
		 .min = 1},
		{.name = NULL},
	};

	a->duration_ms = SWIPE_MS;
	plan_read_fields(r, node, "swipe", fields, NULL, a);
	if (node->kind == YAML_MAP &&
	    (!yaml_get(node, "from") || !yaml_get(node, "to")))
		plan_read_bad(r, node,
			      "swipe needs 'from' and 'to', each "
			      "[x, y] as parts of the screen");
}
