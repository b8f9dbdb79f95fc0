#include "plan/plan_read_action.h"

#include <string.h>

static void
read_js_action(struct plan_reader *r, const struct yaml_node *node,
	       struct plan_action *a)
{
	(void)plan_read_js(r, node, "js", &a->value, &a->file);
}

static void
args_field(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	struct plan_action *a = into;

	if (a->kind == PLAN_CALL && plan_read_list(r, node, "args"))
		return;
	if (node->kind == YAML_SCALAR)
		plan_read_bad(r, node, "args must be a list or a map");
	else
		a->args = plan_read_json(r, node);
}

static void
arg_types_field(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	struct plan_action *a = into;
	const char *unused;

	if (plan_read_list(r, node, "arg_types"))
		return;
	for (size_t i = 0; i < node->count; i++) {
		if (plan_read_str(r, node->item[i], "a type", &unused))
			return;
	}
	a->arg_types = plan_read_json(r, node);
}

static void
read_call(struct plan_reader *r, const struct yaml_node *node,
	  struct plan_action *a)
{
	static const struct plan_field fields[] = {
		{.name = "type",
		 .type = PLAN_FIELD_STR,
		 .offset = offsetof(struct plan_action, type)},
		{.name = "assembly",
		 .type = PLAN_FIELD_STR,
		 .offset = offsetof(struct plan_action, assembly)},
		{.name = "method",
		 .type = PLAN_FIELD_STR,
		 .offset = offsetof(struct plan_action, value)},
		{.name = "target",
		 .type = PLAN_FIELD_TEXT,
		 .offset = offsetof(struct plan_action, call_target)},
		{.name = "args", .type = PLAN_FIELD_CALL, .read = args_field},
		{.name = "arg_types",
		 .type = PLAN_FIELD_CALL,
		 .read = arg_types_field},
		{.name = NULL},
	};

	plan_read_fields(r, node, "call", fields, NULL, a);
	if (node->kind == YAML_MAP &&
	    (!yaml_get(node, "type") || !yaml_get(node, "method")))
		plan_read_bad(r, node, "call needs 'type' and 'method'");
}

static void
read_delegate(struct plan_reader *r, const struct yaml_node *node,
	      struct plan_action *a)
{
	static const struct plan_field fields[] = {
		{.name = "name",
		 .type = PLAN_FIELD_STR,
		 .offset = offsetof(struct plan_action, value)},
		{.name = "args", .type = PLAN_FIELD_CALL, .read = args_field},
		{.name = NULL},
	};

	if (node->kind != YAML_MAP) {
		(void)plan_read_str(r, node, "action", &a->value);
		return;
	}
	plan_read_fields(r, node, "action", fields, NULL, a);
	if (!yaml_get(node, "name"))
		plan_read_bad(r, node, "action needs 'name'");
}

static void
read_wait(struct plan_reader *r, const struct yaml_node *node,
	  struct plan_action *a)
{
	a->until = plan_read_pred(r, node, "wait");
}

static void
read_sleep(struct plan_reader *r, const struct yaml_node *node,
	   struct plan_action *a)
{
	(void)plan_read_duration(r, node, "sleep", 0, &a->duration_ms);
}

static void
read_android(struct plan_reader *r, const struct yaml_node *node,
	     struct plan_action *a)
{
	static const struct plan_word words[] = {
		{"allow", PLAN_ALLOW},
		{"deny", PLAN_DENY},
		{"wait", PLAN_WAIT_ON},
		{"close", PLAN_CLOSE},
		{NULL, 0},
	};
	int v;

	if (plan_read_word(r, node, "android", words, &v) == 0)
		a->android = (enum plan_android)v;
}

static void
extras_field(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	struct plan_action *a = into;
	const char *unused;
	cJSON *o;

	if (plan_read_map(r, node, "extras"))
		return;
	o = cJSON_CreateObject();
	for (size_t i = 0; i < node->count; i++) {
		if (plan_read_text(r, node->item[i], "an extra", &unused) == 0)
			(void)cJSON_AddStringToObject(o, node->key[i]->text,
						      node->item[i]->text);
	}
	a->extras = plan_mem_json(r->mem, o);
}

static void
read_intent(struct plan_reader *r, const struct yaml_node *node,
	    struct plan_action *a)
{
	static const struct plan_field fields[] = {
		{.name = "action",
		 .type = PLAN_FIELD_TEXT,
		 .offset = offsetof(struct plan_action, value)},
		{.name = "data",
		 .type = PLAN_FIELD_TEXT,
		 .offset = offsetof(struct plan_action, data)},
		{.name = "package",
		 .type = PLAN_FIELD_TEXT,
		 .offset = offsetof(struct plan_action, package)},
		{.name = "extras",
		 .type = PLAN_FIELD_CALL,
		 .read = extras_field},
		{.name = NULL},
	};
	const char *text;

	a->value = "android.intent.action.VIEW";
	if (node->kind == YAML_MAP)
		plan_read_fields(r, node, "intent", fields, NULL, a);
	else if (plan_read_text(r, node, "intent", &text))
		return;
	else if (strstr(text, "://"))
		a->data = text; /* a deep link */
	else
		a->value = text;
}

static void
read_pull(struct plan_reader *r, const struct yaml_node *node,
	  struct plan_action *a)
{
	static const struct plan_field fields[] = {
		{.name = "from",
		 .type = PLAN_FIELD_TEXT,
		 .offset = offsetof(struct plan_action, value)},
		{.name = "to",
		 .type = PLAN_FIELD_TEXT,
		 .offset = offsetof(struct plan_action, to_path)},
		{.name = NULL},
	};

	if (node->kind != YAML_MAP) {
		(void)plan_read_text(r, node, "pull", &a->value);
		return;
	}
	plan_read_fields(r, node, "pull", fields, NULL, a);
	if (!yaml_get(node, "from"))
		plan_read_bad(r, node, "pull needs 'from'");
	if (a->to_path && (a->to_path[0] == '/' || strstr(a->to_path, "..")))
		plan_read_bad(r, node,
			      "pull: 'to' is a path below the output "
			      "folder, without '..'");
}

static void
read_stop(struct plan_reader *r, const struct yaml_node *node,
	  struct plan_action *a)
{
	(void)plan_read_str(r, node, "stop", &a->value);
}

static void
read_procedure(struct plan_reader *r, const struct yaml_node *node,
	       struct plan_action *a)
{
	if (plan_read_name(r, node, "procedure", PLAN_NAMES_PROCEDURE,
			   &a->procedure) == 0)
		a->value = r->plan->procedure[a->procedure].name;
}

static const struct plan_read_action_kind kinds[] = {
	{"tap", PLAN_TAP, false, plan_read_gesture_tap},
	{"long_press", PLAN_LONG_PRESS, false, plan_read_gesture_long_press},
	{"text", PLAN_TEXT, false, plan_read_gesture_text},
	{"key", PLAN_KEY, false, plan_read_gesture_key},
	{"swipe", PLAN_SWIPE, false, plan_read_gesture_swipe},
	{"js", PLAN_JS, false, read_js_action},
	{"call", PLAN_CALL, false, read_call},
	{"action", PLAN_ACTION, false, read_delegate},
	{"wait", PLAN_WAIT, true, read_wait},
	{"sleep", PLAN_SLEEP, true, read_sleep},
	{"android", PLAN_ANDROID, false, read_android},
	{"intent", PLAN_INTENT, false, read_intent},
	{"pull", PLAN_PULL, true, read_pull},
	{"stop", PLAN_STOP, true, read_stop},
	{"procedure", PLAN_PROCEDURE, false, read_procedure},
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

const struct plan_read_action_kind *
plan_read_action_kind_find(const char *name)
{
	for (size_t i = 0; i < KINDS; i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	}
	return NULL;
}
