#ifndef LINK_H
#define LINK_H

#include "run/run.h"

/*
 * The way to the app: the farm's endpoint, the adb server, the phone, the
 * control connection.  Each part can break and come back while the app goes
 * on; what is here finds it again, so that the run goes on where it was.
 */

/* May it be a broken way, and not the app's or the phone's own answer? */
bool link_may_be_lost(const struct err *err);

/* The phone is known to be gone from adb. */
bool link_phone_is_gone(const struct err *err);

/*
 * Make the way to the phone whole: a private adb server that is gone is
 * started anew, the farm is asked for the endpoint, which may be another one,
 * a phone that was unplugged is waited for and reserved again.  Takes at most
 * PATROL_BUDGET_PHONE_LOST.  1: it was broken and is whole again, 0: nothing
 * was broken, -1: the lease is lost, or the phone did not come back.
 */
int link_mend(struct run *r, struct deadline dl, struct err *err);

/*
 * The same, and then the app: dial until its server answers.  1, 0 as above.
 * -1 with control_lost: the phone is there, and the app that we knew is not.
 */
int link_find_app(struct run *r, struct deadline dl, struct err *err);

#endif
