#include <stdlib.h>

#include "base/mem.h"
#include "farm/farm.h"
#include "report/store.h"
#include "run/capture.h"
#include "run/run_stage.h"

static void
set_vars(struct run *r)
{
	const struct plan_measure *m = &r->plan->measure;

	r->vars = (struct plan_vars)PLAN_VARS_INIT;
	r->vars.run_id = r->cfg->run_id ? r->cfg->run_id : "local";
	r->vars.date = json_str(r->res.json, "started_at", "");
	r->vars.frame_ms = m->profiler.frame_time_ms;
	r->vars.gc_bytes = m->profiler.gc_alloc_bytes;
	r->vars.max_output_bytes = m->profiler.max_output_bytes;
	r->vars.var = r->var;
	r->vars.var_count = r->cfg->var_count;
}

static int
read_vars(struct run *r, struct err *err)
{
	size_t n = r->cfg->var_count;

	r->var = mem_array(n, sizeof(*r->var));
	r->var_name = mem_array(n, sizeof(char *));
	for (size_t i = 0; i < n; i++) {
		if (plan_vars_parse(r->cfg->var[i], &r->var[i], &r->var_name[i],
				    err))
			return err_wrap(err, "--var");
	}
	return 0;
}

static void
set_title(struct run *r)
{
	const char *title = r->plan->meta.title;

	json_set_str(r->res.json, "title", title ? title : r->plan->file);
}

static void
note_route(struct run *r)
{
	cJSON *route = result_object(&r->res, "route"), *steps = json_arr();
	cJSON *plan = result_object(&r->res, "plan");

	json_set_str(plan, "file", r->plan->file);
	json_set_str(plan, "sha256", r->plan->sha256);
	json_set_str(plan, "route_hash", r->route.hash);
	json_set_int(plan, "deadline_ms", r->plan->limits.deadline_ms);
	json_set_str(route, "hash", r->route.hash);
	json_set(route, "steps", steps);
	for (size_t v = 0; v < r->route.visit_count; v++) {
		const struct route_visit *visit = &r->route.visit[v];

		if (visit->count == 0 && v == 0) {
			cJSON *o = json_obj();

			json_set_str(o, "from", NULL);
			json_set_str(o, "to",
				     r->plan->screen[visit->screen].name);
			json_set_str(o, "action", "start the app");
			json_set_bool(o, "visit", true);
			json_push(steps, o);
		}
		for (size_t i = 0; i < visit->count; i++) {
			const struct route_step *s =
				&r->route.path.step[visit->first + i];
			const struct plan_transition *t =
				s->transition >= 0
					? &r->plan->transition[s->transition]
					: NULL;
			AUTO_FREE char *text =
				t && t->actions.count
					? plan_action_text(&t->actions.item[0])
					: mem_strdup("restart the app");
			cJSON *o = json_obj();

			json_set_str(o, "from",
				     s->from >= 0
					     ? r->plan->screen[s->from].name
					     : NULL);
			json_set_str(o, "to", r->plan->screen[s->to].name);
			json_set_str(o, "action", text);
			json_set_bool(o, "visit", i + 1 == visit->count);
			json_push(steps, o);
		}
	}
}

/* Plan and route: everything that needs no one else. */
/* Now, not after an hour's walk. */
static int
check_store(struct run *r, struct err *err)
{
	struct store_target target;

	if (r->set->store == NULL)
		return 0;
	if (store_parse(r->set->store, &target, err)) {
		r->set->store = NULL;
		return -1;
	}
	store_target_done(&target);
	return 0;
}

int
run_plan_read(struct run *r, struct err *err)
{
	struct yaml_complaints c;
	int rc = plan_load(r->cfg->plan, &r->plan, &c, err);

	for (size_t i = 0; i < c.count; i++) {
		AUTO_FREE char *where = mem_fmt("%s:%d:%d", r->cfg->plan,
						c.item[i].line, c.item[i].col);

		result_error_text(&r->res, "input", "bad_plan", c.item[i].text,
				  where);
		run_say(r, PROGRESS_FAIL, "%s: %s", where, c.item[i].text);
	}
	yaml_complaints_done(&c);
	if (rc)
		return -1;
	farm_settings(r->set, r->plan);
	settings_override(r->set, "PATROL_STORE", r->plan->store,
			  SETTINGS_PLAN);
	if (check_store(r, err))
		return -1;
	if (capture_check(r, err))
		return -1;
	set_title(r);
	if (read_vars(r, err))
		return -1;
	set_vars(r);
	if (run_given_check(r, err))
		return -1;
	if (r->cfg->visit_count &&
	    plan_set_visits(r->plan, r->cfg->visit, r->cfg->visit_count, err))
		return -1;
	if (r->cfg->serial)
		plan_set_serial(r->plan, r->cfg->serial);
	if (route_compute(r->plan, &r->route, err))
		return -1;
	note_route(r);
	for (size_t i = 0; i < r->plan->warnings.count; i++)
		run_say(r, PROGRESS_WARN, "%s:%d:%d: %s", r->plan->file,
			r->plan->warnings.item[i].line,
			r->plan->warnings.item[i].col,
			r->plan->warnings.item[i].text);
	if (r->plan->app.package) {
		r->package = r->plan->app.package;
	} else if (r->cfg->attach && r->cfg->package == NULL) {
		err_set(err, ERR_INPUT,
			"--attach needs app.package in the "
			"plan");
		return err_reason(err, "bad_plan");
	}
	return 0;
}
