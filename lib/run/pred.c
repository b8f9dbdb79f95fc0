#include "run/pred.h"

#include <string.h>

#include "adb/adb_app.h"
#include "adb/adb_dialog.h"
#include "base/mem.h"
#include "run/watch.h"

bool
pred_in_app(const struct plan_pred *p)
{
	return plan_pred_where(p) == PLAN_IN_APP;
}

int
pred_cond(struct run *r, const struct plan_pred *p, cJSON **cond,
	  struct err *err)
{
	if (plan_pred_json(p, &r->vars, cond, err))
		return err_wrap(err, "%s:%d:%d", r->plan->file, p->at.line,
				p->at.col);
	return 0;
}

cJSON *
pred_idle(void)
{
	cJSON *idle = json_obj();

	json_set_bool(idle, "idle", true);
	return idle;
}

static int
in_app(struct run *r, const struct plan_pred *p, struct deadline dl,
       struct err *err)
{
	const struct watch_for now = {0};
	struct watch_seen seen;
	cJSON *cond;

	if (pred_cond(r, p, &cond, err))
		return -1;
	return watch_cond(r, cond, &now, &seen, dl, err);
}

static int
dialog(struct run *r, const char *kind, struct deadline dl, struct err *err)
{
	struct adb_dialog_seen seen;

	if (adb_dialog_look(&r->dev, r->package, &seen,
			    deadline_cap(dl, r->set->budget.shell_ms), err))
		return -1;
	return strcmp(adb_dialog_name(seen.kind), kind) == 0;
}

static int
activity(struct run *r, const char *want, struct deadline dl, struct err *err)
{
	AUTO_FREE char *top = NULL;
	size_t len, want_len = strlen(want);

	if (adb_app_top(&r->dev, &top,
			deadline_cap(dl, r->set->budget.shell_ms), err))
		return -1;
	len = strlen(top);
	/* "pkg/.Main" is meant by "Main", ".Main" and itself. */
	return len >= want_len && strcmp(top + len - want_len, want) == 0;
}

static int
members(struct run *r, const struct plan_pred *p, struct deadline dl,
	struct err *err)
{
	bool all = p->kind == PLAN_PRED_ALL;

	for (size_t i = 0; i < p->count; i++) {
		int holds = pred_holds(r, &p->item[i], dl, err);

		if (holds < 0 || holds == !all)
			return holds;
	}
	return all;
}

int
pred_holds(struct run *r, const struct plan_pred *p, struct deadline dl,
	   struct err *err)
{
	int holds;

	if (pred_in_app(p))
		return in_app(r, p, dl, err);
	switch (p->kind) {
	case PLAN_PRED_ACTIVITY:
		return activity(r, p->value, dl, err);
	case PLAN_PRED_ANDROID_DIALOG:
		return dialog(r, p->value, dl, err);
	case PLAN_PRED_ALL:
	case PLAN_PRED_ANY:
		return members(r, p, dl, err);
	case PLAN_PRED_NOT:
		holds = pred_holds(r, &p->item[0], dl, err);
		return holds < 0 ? holds : !holds;
	default:
		return in_app(r, p, dl, err);
	}
}
