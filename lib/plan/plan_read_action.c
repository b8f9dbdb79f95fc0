#include <stdio.h>
#include <string.h>

#include "plan/plan_read.h"

enum {
	LONG_PRESS_MS = 800,
	SWIPE_MS = 300,
	MAX_COUNT = 1000000,
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
					    MAX_COUNT, &out->index);
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

/* --- the actions' own values --- */

static void
read_tap(struct plan_reader *r, const struct yaml_node *node,
	 struct plan_action *a)
{
	read_target(r, node, "tap", &a->target);
}

static void
read_long_press(struct plan_reader *r, const struct yaml_node *node,
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

static void
read_text_action(struct plan_reader *r, const struct yaml_node *node,
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

static void
read_key(struct plan_reader *r, const struct yaml_node *node,
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

static void
read_swipe(struct plan_reader *r, const struct yaml_node *node,
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

/* --- one action --- */

struct action_kind {
	const char *name;
	enum plan_action_kind kind;
	bool idempotent; /* doing it twice does no harm */
	void (*read)(struct plan_reader *r, const struct yaml_node *node,
		     struct plan_action *a);
};

static const struct action_kind kinds[] = {
	{"tap", PLAN_TAP, false, read_tap},
	{"long_press", PLAN_LONG_PRESS, false, read_long_press},
	{"text", PLAN_TEXT, false, read_text_action},
	{"key", PLAN_KEY, false, read_key},
	{"swipe", PLAN_SWIPE, false, read_swipe},
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

static const struct action_kind *
find_kind(const char *name)
{
	for (size_t i = 0; i < KINDS; i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	}
	return NULL;
}

bool
plan_read_action_in(const struct yaml_node *node)
{
	for (size_t i = 0; node->kind == YAML_MAP && i < node->count; i++) {
		if (find_kind(node->key[i]->text))
			return true;
	}
	return false;
}

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
	const struct action_kind *kind = NULL;

	*out = (struct plan_action){.at = {node->line, node->col},
				    .path = plan_mem_dup(r->mem, path),
				    .timeout_ms = r->plan->defaults.timeout_ms,
				    .target.index = -1,
				    .procedure = -1};
	if (plan_read_map(r, node, "an action"))
		return;
	/* The kind first: `idempotent` may stand before it. */
	for (size_t i = 0; i < node->count && !kind; i++)
		kind = find_kind(node->key[i]->text);
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
		else if (kind && find_kind(key->text))
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
