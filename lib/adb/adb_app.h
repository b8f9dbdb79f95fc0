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
/* Total PSS in bytes; -1 when not told (not running). */
int adb_app_pss(struct adb_device *dev, const char *package, int64_t *bytes,
		struct deadline dl, struct err *err);

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
 * Why the last process of `package` ended, from Android's exit info (11+).
 */
enum adb_app_end {
	ADB_APP_END_UNKNOWN,
	ADB_APP_END_EXIT,   /* by itself */
	ADB_APP_END_CRASH,  /* Java exception */
	ADB_APP_END_NATIVE, /* signal in native code */
	ADB_APP_END_ANR,
	ADB_APP_END_MEMORY,  /* low memory killer */
	ADB_APP_END_STOPPED, /* user or force-stop */
	ADB_APP_END_OTHER,
};
struct adb_app_exit {
	enum adb_app_end end;
	int pid;	   /* 0: not told */
	int status;	   /* signal or exit status */
	char *description; /* the phone's words, "" when none */
};
/*
 * `pid` 0: the newest entry.  ERR_NOTFOUND: no entry (or Android < 11).
 */
int adb_app_exit_info(struct adb_device *dev, const char *package, int pid,
		      struct adb_app_exit *info, struct deadline dl,
		      struct err *err);
void adb_app_exit_done(struct adb_app_exit *info);
void adb_app_parse_exit(const char *text, int pid, struct adb_app_exit *info);
const char *adb_app_end_name(enum adb_app_end end);

/*
 * Evidence of a crash as text: exit info, the crash buffer of logcat, the
 * dropbox entry.  Takes what there is; never fails for what there is not.
 */
int adb_app_evidence(struct adb_device *dev, const char *package,
		     struct buf *out, struct deadline dl, struct err *err);

#endif
