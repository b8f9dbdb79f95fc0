#ifndef PLAN_WALK_H
#define PLAN_WALK_H

#include "plan/plan.h"

/*
 * Calls for every predicate (outer before inner) and every action of a plan,
 * in the order of the file's sections, whether a run would come there or not.
 * Either may be NULL.
 */
struct plan_walk {
	void (*pred)(void *arg, const struct plan_pred *p);
	void (*action)(void *arg, const struct plan_action *a);
	void (*hook)(void *arg, const struct plan_hook *h);
	void *arg;
};

void plan_walk(const struct plan *plan, const struct plan_walk *walk);

#endif
