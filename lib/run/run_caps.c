#include "run/run_caps.h"

#include <string.h>

#include "base/mem.h"
#include "plan/plan_walk.h"
#include "run/run_stage.h"

struct each {
	const struct control *c;
	void (*need)(void *arg, const struct run_caps_need *n);
	void *arg;
};

static void
need_cap(struct each *e, enum control_cap cap, const struct plan_pos *at,
	 const char *what)
{
	const struct run_caps_need n = {.at = at,
					.what = what,
					.name = control_cap_name(cap),
					.have = control_has(e->c, cap)};

	e->need(e->arg, &n);
}

static void
on_pred(void *arg, const struct plan_pred *p)
{
	if (p->kind == PLAN_PRED_NAV)
		need_cap(arg, CONTROL_NAV, &p->at, "nav");
	else if (p->kind == PLAN_PRED_OBJECT || p->kind == PLAN_PRED_TEXT)
		need_cap(arg, CONTROL_UI, &p->at, "object");
	else if (p->kind == PLAN_PRED_JS)
		need_cap(arg, CONTROL_SCRIPT, &p->at, "js");
}

static void
need_action(struct each *e, const struct plan_action *a)
{
	const struct control_info *info = control_info(e->c);
	struct run_caps_need n = {.at = &a->at,
				  .what = "action",
				  .name = a->value,
				  .is_action = true};

	for (size_t i = 0; i < info->action_count && !n.have; i++)
		n.have = strcmp(info->action[i], a->value) == 0;
	e->need(e->arg, &n);
}

static void
on_action(void *arg, const struct plan_action *a)
{
	switch (a->kind) {
	case PLAN_TAP:
	case PLAN_LONG_PRESS:
	case PLAN_TEXT:
	case PLAN_SWIPE:
		need_cap(arg, CONTROL_UI, &a->at, plan_action_name(a->kind));
		break;
	case PLAN_JS:
		need_cap(arg, CONTROL_SCRIPT, &a->at, "js");
		break;
	case PLAN_CALL:
		need_cap(arg, CONTROL_CALL, &a->at, "call");
		break;
	case PLAN_ACTION:
		need_action(arg, a);
		break;
	default:
		break;
	}
}

void
run_caps_each(const struct plan *plan, const struct control *c,
	      void (*need)(void *arg, const struct run_caps_need *n), void *arg)
{
	static const struct plan_pos start = {1, 1};
	struct each e = {.c = c, .need = need, .arg = arg};
	const struct plan_walk walk = {
		.pred = on_pred, .action = on_action, .arg = &e};

	need_cap(&e, CONTROL_WAIT, &start, "the walk");
	plan_walk(plan, &walk);
}

struct missing {
	const struct plan *plan;
	struct buf text;
	size_t count;
};

static void
note(void *arg, const struct run_caps_need *n)
{
	enum { MOST = 8 };
	struct missing *m = arg;

	if (n->have || m->count++ >= MOST)
		return;
	buf_fmt(&m->text, "%s%s:%d:%d: ", m->count > 1 ? "; " : "",
		m->plan->file, n->at->line, n->at->col);
	if (n->is_action)
		buf_fmt(&m->text, "the app has registered no action '%s'",
			n->name);
	else
		buf_fmt(&m->text, "%s wants '%s'", n->what, n->name);
}

int
run_caps_check(const struct plan *plan, const struct control *c,
	       struct err *err)
{
	struct missing m = {.plan = plan};
	int rc = 0;

	buf_init(&m.text, 1 << 16);
	run_caps_each(plan, c, note, &m);
	if (m.count > 0) {
		err_set(err, ERR_INPUT,
			"the server in the app lacks what the plan needs: %s",
			m.text.data);
		rc = err_reason(err, "capability_missing");
	}
	buf_done(&m.text);
	return rc;
}
