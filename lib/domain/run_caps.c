#include <string.h>

#include "base/mem.h"
#include "domain/run_stage.h"

/* What one thing of the plan asks of the server. */
struct needs {
	const struct plan *plan;
	const struct control *c;
	struct buf missing;
	size_t count;
};

static void
need(struct needs *n, enum control_cap cap, const struct plan_pos *at,
     const char *what)
{
	enum { MOST = 8 };

	if (control_has(n->c, cap))
		return;
	if (n->count++ < MOST)
		buf_fmt(&n->missing, "%s%s:%d:%d: %s wants '%s'",
			n->count > 1 ? "; " : "", n->plan->file, at->line,
			at->col, what, control_cap_name(cap));
}

static void
need_pred(struct needs *n, const struct plan_pred *p)
{
	if (p == NULL)
		return;
	if (p->kind == PLAN_PRED_NAV)
		need(n, CONTROL_NAV, &p->at, "nav");
	else if (p->kind == PLAN_PRED_OBJECT || p->kind == PLAN_PRED_TEXT)
		need(n, CONTROL_UI, &p->at, "object");
	else if (p->kind == PLAN_PRED_JS)
		need(n, CONTROL_SCRIPT, &p->at, "js");
	for (size_t i = 0; i < p->count; i++)
		need_pred(n, &p->item[i]);
}

static void
need_named_action(struct needs *n, const struct plan_action *a)
{
	const struct control_info *info = control_info(n->c);

	for (size_t i = 0; i < info->action_count; i++) {
		if (strcmp(info->action[i], a->value) == 0)
			return;
	}
	if (n->count++ < 8)
		buf_fmt(&n->missing,
			"%s%s:%d:%d: the app has registered no action '%s'",
			n->count > 1 ? "; " : "", n->plan->file, a->at.line,
			a->at.col, a->value);
}

static void
need_actions(struct needs *n, const struct plan_actions *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct plan_action *a = &list->item[i];

		switch (a->kind) {
		case PLAN_TAP:
		case PLAN_LONG_PRESS:
		case PLAN_TEXT:
		case PLAN_SWIPE:
			need(n, CONTROL_UI, &a->at, plan_action_name(a->kind));
			break;
		case PLAN_JS:
			need(n, CONTROL_SCRIPT, &a->at, "js");
			break;
		case PLAN_CALL:
			need(n, CONTROL_CALL, &a->at, "call");
			break;
		case PLAN_ACTION:
			need_named_action(n, a);
			break;
		default:
			need_pred(n, a->until);
		}
	}
}

int
run_caps_check(const struct plan *plan, const struct control *c,
	       struct err *err)
{
	struct needs n = {.plan = plan, .c = c};
	const struct plan_pos start = {1, 1};
	int rc = 0;

	buf_init(&n.missing, 1 << 16);
	need(&n, CONTROL_WAIT, &start, "the walk");
	for (size_t i = 0; i < plan->screen_count; i++)
		need_pred(&n, plan->screen[i].is);
	for (size_t i = 0; i < plan->transition_count; i++) {
		need_pred(&n, plan->transition[i].when);
		need_actions(&n, &plan->transition[i].actions);
	}
	for (size_t i = 0; i < plan->interrupt_count; i++) {
		need_pred(&n, plan->interrupt[i].when);
		need_actions(&n, &plan->interrupt[i].actions);
	}
	for (size_t i = 0; i < plan->procedure_count; i++)
		need_actions(&n, &plan->procedure[i].actions);
	need_actions(&n, &plan->setup);
	need_actions(&n, &plan->teardown);
	need_actions(&n, &plan->escape);
	if (n.count > 0) {
		err_set(err, ERR_INPUT,
			"the server in the app lacks what the plan needs: %s",
			n.missing.data);
		rc = err_reason(err, "capability_missing");
	}
	buf_done(&n.missing);
	return rc;
}
