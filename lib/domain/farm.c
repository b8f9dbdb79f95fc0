#include "domain/farm.h"

#include <stdlib.h>

#include "base/mem.h"

void
farm_wants_init(struct farm_wants *w, const struct plan *plan)
{
	static const char *const op[] = {
		[PLAN_EQ] = "",	  [PLAN_NE] = "!=", [PLAN_LT] = "<",
		[PLAN_LE] = "<=", [PLAN_GT] = ">",  [PLAN_GE] = ">=",
	};
	size_t serials = plan ? plan->device.serial.count : 0;

	w->match_count = plan ? plan->device.match_count : 0;
	w->match = mem_array(w->match_count, sizeof(*w->match));
	for (size_t i = 0; i < w->match_count; i++) {
		const struct plan_match *m = &plan->device.match[i];

		w->match[i].field = m->field;
		w->match[i].value = mem_fmt("%s%s", op[m->op], m->value);
	}
	w->count = serials ? serials : 1;
	w->want = mem_array(w->count, sizeof(*w->want));
	for (size_t i = 0; i < w->count; i++)
		w->want[i] = (struct stf_want){
			.serial = serials ? plan->device.serial.item[i] : NULL,
			.match = w->match,
			.match_count = w->match_count,
		};
}

void
farm_wants_done(struct farm_wants *w)
{
	for (size_t i = 0; i < w->match_count; i++)
		free((char *)(uintptr_t)w->match[i].value);
	free(w->match);
	free(w->want);
}

int
farm_open(struct stf *stf, const struct settings *set, struct err *err)
{
	if (set->stf_url == NULL) {
		err_set(err, ERR_USAGE, "no farm is named");
		return err_hint(err, "set STF_URL or the plan's farm.stf, or "
				     "use a phone at hand with --device adb");
	}
	if (set->stf_token.value == NULL) {
		err_set(err, ERR_USAGE, "STF_TOKEN is not set");
		return err_hint(err, "make one in STF under Settings, Keys");
	}
	if (stf_init(stf, set->stf_url, &set->stf_token, err))
		return -1;
	farm_budgets(stf, set);
	return 0;
}

void
farm_budgets(struct stf *stf, const struct settings *set)
{
	/* Settings that were not loaded have none. */
	if (set->budget.stf_call_ms > 0)
		stf->call_ms = set->budget.stf_call_ms;
	if (set->budget.stf_late_ms > 0)
		stf->late_ms = set->budget.stf_late_ms;
}
