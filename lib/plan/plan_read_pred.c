#include <string.h>

#include "plan/plan_read.h"

enum { MAX_COUNT = 1000000 };

static const struct plan_word pred_kinds[] = {
	{"nav", PLAN_PRED_NAV},
	{"scene", PLAN_PRED_SCENE},
	{"object", PLAN_PRED_OBJECT},
	{"text", PLAN_PRED_TEXT},
	{"js", PLAN_PRED_JS},
	{"activity", PLAN_PRED_ACTIVITY},
	{"android_dialog", PLAN_PRED_ANDROID_DIALOG},
	{"all", PLAN_PRED_ALL},
	{"any", PLAN_PRED_ANY},
	{"not", PLAN_PRED_NOT},
	{NULL, 0},
};

static const struct plan_field pred_fields[] = {
	{.name = "nav"},
	{.name = "scene"},
	{.name = "object"},
	{.name = "text"},
	{.name = "js"},
	{.name = "activity"},
	{.name = "android_dialog"},
	{.name = "all"},
	{.name = "any"},
	{.name = "not"},
	{.name = "visible"},
	{.name = "interactable"},
	{.name = "count"},
	{.name = NULL},
};

static const struct plan_word dialogs[] = {
	{"anr", 0},
	{"crash", 0},
	{"permission", 0},
	{NULL, 0},
};

static const struct plan_word *
find_word(const struct plan_word *words, const char *name)
{
	for (; words->name; words++) {
		if (strcmp(words->name, name) == 0)
			return words;
	}
	return NULL;
}

static void read_pred(struct plan_reader *r, const struct yaml_node *node,
		      const char *what, struct plan_pred *out);

static void
read_pred_list(struct plan_reader *r, const struct yaml_node *node,
	       const char *what, struct plan_pred *out)
{
	if (plan_read_list(r, node, what))
		return;
	if (node->count == 0) {
		plan_read_bad(r, node, "%s is empty", what);
		return;
	}
	out->item = plan_mem_array(r->mem, node->count, sizeof(*out->item));
	for (size_t i = 0; i < node->count; i++)
		read_pred(r, node->item[i], what, &out->item[i]);
	out->count = node->count;
}

static void
read_pred_value(struct plan_reader *r, const struct yaml_node *node,
		const char *key, struct plan_pred *out)
{
	int unused;

	switch (out->kind) {
	case PLAN_PRED_ALL:
	case PLAN_PRED_ANY:
		read_pred_list(r, node, key, out);
		break;
	case PLAN_PRED_NOT:
		out->item = plan_mem_alloc(r->mem, sizeof(*out->item));
		out->count = 1;
		read_pred(r, node, key, out->item);
		break;
	case PLAN_PRED_JS:
		(void)plan_read_js(r, node, key, &out->value, NULL);
		break;
	case PLAN_PRED_ANDROID_DIALOG:
		if (plan_read_word(r, node, key, dialogs, &unused) == 0)
			out->value = plan_mem_dup(r->mem, node->text);
		break;
	default:
		(void)plan_read_text(r, node, key, &out->value);
		break;
	}
}

/* visible, interactable, count: beside `object` alone. */
static void
read_pred_detail(struct plan_reader *r, const struct yaml_node *key,
		 const struct yaml_node *node, bool object,
		 struct plan_pred *out)
{
	bool yes;

	if (!plan_read_find(pred_fields, key->text)) {
		plan_read_unknown_key(r, key, "the predicate", pred_fields,
				      NULL);
	} else if (!object) {
		plan_read_bad(r, key, "'%s' needs 'object' beside it",
			      key->text);
	} else if (strcmp(key->text, "count") == 0) {
		(void)plan_read_int(r, node, "count", 0, MAX_COUNT,
				    &out->object_count);
	} else if (plan_read_bool(r, node, key->text, &yes) == 0) {
		enum plan_tri tri = yes ? PLAN_YES : PLAN_NO;

		if (strcmp(key->text, "visible") == 0)
			out->visible = tri;
		else
			out->interactable = tri;
	}
}

static void
read_pred(struct plan_reader *r, const struct yaml_node *node, const char *what,
	  struct plan_pred *out)
{
	bool object = yaml_get(node, "object") != NULL;
	const char *kind = NULL;

	*out = (struct plan_pred){.at = {node->line, node->col},
				  .visible = PLAN_UNSET,
				  .interactable = PLAN_UNSET,
				  .object_count = -1};
	if (plan_read_map(r, node, what))
		return;
	for (size_t i = 0; i < node->count; i++) {
		const struct yaml_node *key = node->key[i];
		const struct plan_word *w = find_word(pred_kinds, key->text);

		if (!w) {
			read_pred_detail(r, key, node->item[i], object, out);
		} else if (kind) {
			plan_read_bad(r, key,
				      "'%s' and '%s' in one predicate; join "
				      "them with all: [...] or any: [...]",
				      kind, key->text);
		} else {
			kind = key->text;
			out->kind = (enum plan_pred_kind)w->value;
			read_pred_value(r, node->item[i], kind, out);
		}
	}
	if (!kind)
		plan_read_bad(
			r, node,
			"%s holds no predicate: one of nav, scene, "
			"object, text, js, activity, android_dialog, all, "
			"any, not",
			what);
}

const struct plan_pred *
plan_read_pred(struct plan_reader *r, const struct yaml_node *node,
	       const char *what)
{
	struct plan_pred *p = plan_mem_alloc(r->mem, sizeof(*p));

	read_pred(r, node, what, p);
	return p;
}
