#ifndef RUN_CAPS_H
#define RUN_CAPS_H

#include "control/control.h"
#include "plan/plan.h"

/* One thing that one place of the plan needs of the server. */
struct run_caps_need {
	const struct plan_pos *at;
	const char *what; /* "tap", "nav", ... */
	const char *name; /* of the capability or the app's action */
	bool is_action;	  /* registered by the app */
	bool have;
};

/* Calls for each, in the plan's order. */
void run_caps_each(const struct plan *plan, const struct control *c,
		   void (*need)(void *arg, const struct run_caps_need *n),
		   void *arg);

#endif
