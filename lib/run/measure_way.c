#include "run/measure_parts.h"

#include "base/mem.h"
#include "run/watch.h"

int
measure_way_do(struct run *r, const struct plan_hook *hook,
	       const struct measure_way *way, int64_t timeout_ms,
	       struct action_answer *answer, struct deadline dl,
	       struct err *err)
{
	cJSON *result = NULL;

	if (hook->kind == PLAN_HOOK_PROCEDURE)
		return action_procedure(r, hook->procedure, answer, dl, err);
	*answer = (struct action_answer){.t_ms = -1};
	if (control_has(r->control, way->cap)) {
		if (watch_request(r, way->method,
				  way->params ? way->params(r) : NULL,
				  timeout_ms, &result, NULL, dl, err))
			return -1;
		answer->value = result;
		answer->t_ms = (double)json_round(result, "t", -1);
		answer->frame = json_int(result, "frame", 0);
		return 0;
	}
	if (control_has(r->control, CONTROL_SCRIPT))
		return action_js(r, way->method, way->script, timeout_ms,
				 answer, dl, err);
	err_set(err, ERR_REMOTE,
		"the app's server has neither '%s' nor 'script', so it can't "
		"%s",
		control_cap_name(way->cap), way->method);
	return err_reason(err, "NotSupported");
}

char *
measure_way_file(struct run *r, const char *name)
{
	return mem_fmt("%s/%s", r->vars.files, name);
}
