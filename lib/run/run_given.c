#include "run/run_stage.h"

/* Each {var.X} and {secret.X} of the plan, before a phone is taken for it. */
struct look {
	const struct plan_vars *vars;
	const struct plan *plan;
	const struct plan_pos *at;
};

static int
check_text(const struct look *l, const char *text, struct err *err)
{
	if (text == NULL || plan_vars_check_given(text, l->vars, err) == 0)
		return 0;
	return err_wrap(err, "%s:%d:%d", l->plan->file, l->at->line,
			l->at->col);
}

static int
check_json(const struct look *l, const cJSON *v, struct err *err)
{
	const cJSON *child;

	if (cJSON_IsString(v))
		return check_text(l, v->valuestring, err);
	cJSON_ArrayForEach(child, v)
	{
		if (check_json(l, child, err))
			return -1;
	}
	return 0;
}

static int
check_pred(struct look *l, const struct plan_pred *p, struct err *err)
{
	if (p == NULL)
		return 0;
	l->at = &p->at;
	if (check_text(l, p->value, err))
		return -1;
	for (size_t i = 0; i < p->count; i++) {
		if (check_pred(l, &p->item[i], err))
			return -1;
	}
	return 0;
}

static int
check_actions(struct look *l, const struct plan_actions *list, struct err *err)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct plan_action *a = &list->item[i];

		l->at = &a->at;
		if (check_text(l, a->value, err) ||
		    check_text(l, a->target.value, err) ||
		    check_text(l, a->data, err) ||
		    check_text(l, a->to_path, err) ||
		    check_json(l, a->args, err) ||
		    check_json(l, a->extras, err) ||
		    check_pred(l, a->until, err))
			return -1;
	}
	return 0;
}

static int
check_measure(struct look *l, struct err *err)
{
	const struct plan_measure *m = &l->plan->measure;

	l->at = &m->profiler.start.at;
	if (check_text(l, m->profiler.gc_counter, err))
		return -1;
	l->at = &m->graphics_states.stop.at;
	return check_text(l, m->graphics_states.pull, err);
}

static int
check_extras(struct look *l, struct err *err)
{
	const struct plan_pairs *extras = &l->plan->app.extras;

	for (size_t i = 0; i < extras->count; i++) {
		l->at = &extras->item[i].at;
		if (check_text(l, extras->item[i].value, err))
			return -1;
	}
	return 0;
}

int
run_given_check(const struct run *r, struct err *err)
{
	const struct plan *p = r->plan;
	struct look l = {.vars = &r->vars, .plan = p};

	if (check_extras(&l, err) || check_measure(&l, err) ||
	    check_actions(&l, &p->setup, err) ||
	    check_actions(&l, &p->teardown, err) ||
	    check_actions(&l, &p->escape, err))
		return -1;
	for (size_t i = 0; i < p->procedure_count; i++) {
		if (check_actions(&l, &p->procedure[i].actions, err))
			return -1;
	}
	for (size_t i = 0; i < p->screen_count; i++) {
		if (check_pred(&l, p->screen[i].is, err))
			return -1;
	}
	for (size_t i = 0; i < p->transition_count; i++) {
		if (check_actions(&l, &p->transition[i].actions, err) ||
		    check_pred(&l, p->transition[i].when, err))
			return -1;
	}
	for (size_t i = 0; i < p->interrupt_count; i++) {
		if (check_actions(&l, &p->interrupt[i].actions, err) ||
		    check_pred(&l, p->interrupt[i].when, err))
			return -1;
	}
	return 0;
}
