#include "plan/plan_walk.h"

static void
walk_pred(const struct plan_walk *w, const struct plan_pred *p)
{
	if (p == NULL)
		return;
	if (w->pred)
		w->pred(w->arg, p);
	for (size_t i = 0; i < p->count; i++)
		walk_pred(w, &p->item[i]);
}

static void
walk_actions(const struct plan_walk *w, const struct plan_actions *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (w->action)
			w->action(w->arg, &list->item[i]);
		walk_pred(w, list->item[i].until);
	}
}

static void
walk_hooks(const struct plan_walk *w, const struct plan_measure *m)
{
	const struct {
		bool used;
		const struct plan_hook *hook;
	} all[] = {
		{m->profiler.used, &m->profiler.start},
		{m->profiler.used, &m->profiler.stop},
		{m->snapshot.used, &m->snapshot.take},
		{m->graphics_states.used, &m->graphics_states.start},
		{m->graphics_states.used, &m->graphics_states.stop},
		{true, &m->metadata},
		{true, &m->nav},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (w->hook && all[i].used &&
		    all[i].hook->kind != PLAN_HOOK_NONE)
			w->hook(w->arg, all[i].hook);
	}
}

void
plan_walk(const struct plan *plan, const struct plan_walk *walk)
{
	walk_hooks(walk, &plan->measure);
	for (size_t i = 0; i < plan->procedure_count; i++)
		walk_actions(walk, &plan->procedure[i].actions);
	walk_actions(walk, &plan->setup);
	walk_actions(walk, &plan->teardown);
	walk_actions(walk, &plan->escape);
	for (size_t i = 0; i < plan->screen_count; i++)
		walk_pred(walk, plan->screen[i].is);
	for (size_t i = 0; i < plan->transition_count; i++) {
		walk_pred(walk, plan->transition[i].when);
		walk_actions(walk, &plan->transition[i].actions);
	}
	for (size_t i = 0; i < plan->interrupt_count; i++) {
		walk_pred(walk, plan->interrupt[i].when);
		walk_actions(walk, &plan->interrupt[i].actions);
	}
}
