#include <stdlib.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "plan/plan.h"
#include "plan/plan_vars.h"

enum { MAX_VALUE = 4 << 20 };

static const char *const kind_names[] = {
	[PLAN_PRED_NAV] = "nav",
	[PLAN_PRED_SCENE] = "scene",
	[PLAN_PRED_OBJECT] = "object",
	[PLAN_PRED_TEXT] = "text",
	[PLAN_PRED_JS] = "js",
	[PLAN_PRED_ACTIVITY] = "activity",
	[PLAN_PRED_ANDROID_DIALOG] = "android_dialog",
	[PLAN_PRED_ALL] = "all",
	[PLAN_PRED_ANY] = "any",
	[PLAN_PRED_NOT] = "not",
};

enum plan_where
plan_pred_where(const struct plan_pred *p)
{
	unsigned where = 0;

	if (p->kind == PLAN_PRED_ACTIVITY ||
	    p->kind == PLAN_PRED_ANDROID_DIALOG)
		return PLAN_ON_PHONE;
	for (size_t i = 0; i < p->count; i++)
		where |= (unsigned)plan_pred_where(&p->item[i]);
	return where ? (enum plan_where)where : PLAN_IN_APP;
}

static int
leaf_json(const struct plan_pred *p, const struct plan_vars *vars, cJSON *out,
	  struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(MAX_VALUE);
	int rc;

	if (p->kind == PLAN_PRED_JS)
		rc = plan_vars_js(p->value, vars, &b, err);
	else
		rc = plan_vars_text(p->value, vars, &b, err);
	if (rc)
		return -1;
	json_set_str(out, kind_names[p->kind], b.data);
	if (p->visible != PLAN_UNSET)
		json_set_bool(out, "visible", p->visible == PLAN_YES);
	if (p->interactable != PLAN_UNSET)
		json_set_bool(out, "interactable", p->interactable == PLAN_YES);
	if (p->object_count >= 0)
		json_set_int(out, "count", p->object_count);
	return 0;
}

int
plan_pred_json(const struct plan_pred *p, const struct plan_vars *vars,
	       cJSON **out, struct err *err)
{
	AUTO_JSON cJSON *made = json_obj();
	cJSON *list = NULL, *child;

	if (p->kind < PLAN_PRED_ALL) {
		if (leaf_json(p, vars, made, err))
			return -1;
	} else if (p->kind != PLAN_PRED_NOT) {
		list = json_arr();
		json_set(made, kind_names[p->kind], list);
	}
	for (size_t i = 0; i < p->count; i++) {
		if (plan_pred_json(&p->item[i], vars, &child, err))
			return -1;
		if (list)
			json_push(list, child);
		else
			json_set(made, "not", child);
	}
	*out = made;
	made = NULL;
	return 0;
}

static void
add_text(const struct plan_pred *p, struct buf *out)
{
	buf_str(out, kind_names[p->kind]);
	if (p->kind < PLAN_PRED_ALL) {
		buf_fmt(out, " %s", p->value);
		if (p->visible != PLAN_UNSET)
			buf_str(out, p->visible ? " visible" : " hidden");
		if (p->interactable != PLAN_UNSET)
			buf_str(out, p->interactable ? " interactable"
						     : " not interactable");
		if (p->object_count >= 0)
			buf_fmt(out, " x%lld", (long long)p->object_count);
		return;
	}
	buf_str(out, p->kind == PLAN_PRED_NOT ? " (" : " of (");
	for (size_t i = 0; i < p->count; i++) {
		if (i)
			buf_str(out, ", ");
		add_text(&p->item[i], out);
	}
	buf_chr(out, ')');
}

char *
plan_pred_text(const struct plan_pred *p)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(MAX_VALUE);

	add_text(p, &b);
	return buf_take(&b);
}
