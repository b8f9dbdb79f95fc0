#ifndef ADB_APP_H
#define ADB_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adb/adb_device.h"
#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"

struct adb_app_extra {
	const char *key, *value; /* strings: --es */
};

struct adb_app_start {
	const char *package;
	const char *activity; /* NULL: the launcher's, asked from the phone */
	const struct adb_app_extra *extra;
	size_t extra_count;
};

/*
 * Start an activity and wait until it is drawn (am start -W).  `total_ms` (may
 * be NULL) is Android's TotalTime, -1 when not told.  ERR_NOTFOUND: no such
 * package or activity.  ERR_REMOTE: the phone's words.
 */
int adb_app_start(struct adb_device *dev, const struct adb_app_start *spec,
		  int64_t *total_ms, struct deadline dl, struct err *err);
/* "package/activity" of the launcher entry; free() it. */
int adb_app_launcher(struct adb_device *dev, const char *package,
		     char **component, struct deadline dl, struct err *err);

/* Not running is fine. */
int adb_app_force_stop(struct adb_device *dev, const char *package,
		       struct deadline dl, struct err *err);

/* The main process; 0 in `pid` when there is none (no error). */
int adb_app_pid(struct adb_device *dev, const char *package, int *pid,
		struct deadline dl, struct err *err);
/* "package/activity" in front; "" when unknown; free() it. */
int adb_app_top(struct adb_device *dev, char **component, struct deadline dl,
		struct err *err);

/*
 * One round trip for a watcher: is it alive, how large, what is in front.
 */
struct adb_app_health {
	int pid;	   /* 0: dead */
	bool in_front;	   /* it has the focus */
	int64_t pss_bytes; /* -1: unknown */
};
int adb_app_health(struct adb_device *dev, const char *package,
		   struct adb_app_health *health, struct deadline dl,
		   struct err *err);

/*
 * Evidence of a crash as text: exit info, the crash buffer of logcat, the
 * dropbox entry.  Takes what there is; never fails for what there is not.
 */
int adb_app_evidence(struct adb_device *dev, const char *package,
		     struct buf *out, struct deadline dl, struct err *err);

#endif
