#ifndef ACTION_H
#define ACTION_H

#include "run/run.h"

/*
 * What an action answered: the JSON value of a procedure's last step, and the
 * app's clock when it acted.
 */
struct action_answer {
	cJSON *value; /* NULL: none */
	double t_ms;  /* the app's clock; < 0: not told */
	int64_t frame;
};

void action_answer_done(struct action_answer *a);

/*
 * Do them in order.  The error names file, place and path of the step that
 * failed, and is as in watch.h.  A `stop` is ERR_REMOTE, reason "stopped".
 */
int action_run(struct run *r, const struct plan_actions *list,
	       struct action_answer *answer, struct deadline dl,
	       struct err *err);
/* A procedure by its index. */
int action_procedure(struct run *r, int procedure, struct action_answer *answer,
		     struct deadline dl, struct err *err);
/* Code of ours, not of the plan; {name} is replaced in it. */
int action_js(struct run *r, const char *name, const char *code,
	      int64_t timeout_ms, struct action_answer *answer,
	      struct deadline dl, struct err *err);

#endif
