#ifndef PRED_H
#define PRED_H

#include "run/run.h"

/*
 * The plan's predicates, answered by the app (one PCP condition) or by the
 * phone (adb), or leaf by leaf where they are mixed.
 */

/* Now.  1: it holds, 0: it does not, -1: error as in watch.h. */
int pred_holds(struct run *r, const struct plan_pred *p, struct deadline dl,
	       struct err *err);

/* As one condition of the app; only for predicates that it answers alone. */
int pred_cond(struct run *r, const struct plan_pred *p, cJSON **cond,
	      struct err *err);
bool pred_in_app(const struct plan_pred *p);

/* The condition "navigation is idle". */
cJSON *pred_idle(void);

#endif
