#ifndef WATCH_H
#define WATCH_H

#include "run/run.h"

/*
 * Asking the app while watching everything else: every wait of the walk ends
 * through one of these, and the error's reason says which:
 *
 *	app_crashed	the process is gone, or the log says so
 *	app_anr		Android called it unresponsive
 *	app_hung	its main thread has not moved for 5 s
 *	control_lost	the connection died while the process lives
 *	lease_lost	the phone is no longer ours
 *	absent, offline	the phone is gone from adb
 *
 * and ERR_TIMEOUT or ERR_CANCELLED for the deadline and signals.  Any other
 * error is the server's own word about the request.
 */

/* One request; `timeout_ms` is the server's limit, -1: none of its own. */
int watch_request(struct run *r, const char *method, cJSON *params,
		  int64_t timeout_ms, cJSON **result, struct buf *stream,
		  struct deadline dl, struct err *err);

/*
 * Wait in the app until `cond` (taken) holds for `stable_ms` and
 * `stable_frames`, at most `timeout_ms`.  `matched` (may be NULL) is the index
 * of the first member that holds when `cond` is {"any": [...]}, -1 unknown.
 * 1: it holds, 0: it does not, -1: error as above.
 */
struct watch_for {
	int64_t stable_ms, stable_frames, timeout_ms;
};
struct watch_seen {
	int matched;
	double t_ms;	   /* the app's clock; < 0: not told */
	double since_t_ms; /* since when it holds; < 0: not told */
	int64_t elapsed_ms;
	int64_t frame;
};
int watch_cond(struct run *r, cJSON *cond, const struct watch_for *want,
	       struct watch_seen *seen, struct deadline dl, struct err *err);

/* Let `ms` pass in silence: only log, connection and deadline are watched. */
int watch_hold(struct run *r, int64_t ms, struct deadline dl, struct err *err);

/* Whether the error says that the app is gone, hung or lost. */
bool watch_app_is_gone(const struct err *err);

#endif
