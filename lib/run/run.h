#ifndef RUN_H
#define RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adb/adb_device.h"
#include "adb/adb_logcat.h"
#include "adb/adb_server.h"
#include "apk/apk_artifact.h"
#include "apk/apk_manifest.h"
#include "base/deadline.h"
#include "base/err.h"
#include "base/secret.h"
#include "base/teardown.h"
#include "control/control.h"
#include "farm/lease_journal.h"
#include "farm/phone_lock.h"
#include "plan/plan.h"
#include "plan/plan_vars.h"
#include "plan/route.h"
#include "plan/settings.h"
#include "report/progress.h"
#include "report/result.h"
#include "stf/stf_lease.h"
#include "transport/ssh_tunnel.h"

/*
 * A whole patrol: a list of stages from the plan to the phone's return.
 *
 * run_patrol() does it; the rest of this header is the context that the
 * stages share (run_*.c, walk*.c, measure*.c).  Nothing outside this folder
 * sees it.
 */
enum run_measure {
	RUN_PROFILER = 1,
	RUN_SNAPSHOT = 2,
	RUN_GRAPHICS_STATES = 4,
	RUN_MEASURE_ALL = 7,
};

struct confirm;
struct probe;

struct run_config {
	const char *plan;	/* path */
	const char *run_id;	/* GitHub's; NULL with `apk` */
	const char *apk;	/* a local build; NULL: of the run */
	const char *device;	/* NULL: the plan's farm; "adb[:SERIAL]" */
	const char *adb_server; /* "host:port" to join; NULL */
	const char *out;	/* folder of the results, exists */
	const char *store;	/* --store; NULL */
	const char *previous;	/* --previous; NULL */
	const char *history;	/* --history; NULL */
	const char *command;	/* how to run it again, for the report */
	/* Open; the caller closes it once the results are written: of a run
	 * that is killed before, reap writes them. */
	struct lease_journal *journal;
	unsigned measure;	  /* enum run_measure */
	const char *const *visit; /* instead of the plan's; may be empty */
	size_t visit_count;
	const char *const *var; /* "X=value" */
	size_t var_count;
	const char *package; /* of a probe without plan and APK; or NULL */
	struct probe *probe; /* look at the server instead of the walk */
	bool attach;	     /* to an app that runs already */
	bool allow_failed;   /* patrol a run that did not succeed */
	bool file_issues;    /* of what is worse */
	/* > 0: `patrol verify`, which walks so often, each time in a new
	 * process of the app; walk_repeat.c. */
	int64_t repeat;
	const char *serial; /* this phone alone; NULL: the plan says */
	bool build_only;    /* end with the APK: nothing needs a phone */
	int64_t try_ms;	    /* > 0: no plan, just start and watch */
};

/* What the log told since the app was started. */
struct run_log_watch {
	bool crash, anr;
	char *line;  /* the first line that told; NULL */
	char *doubt; /* an ANR whose process is told in a later line; NULL */
	int64_t doubt_us;
};

struct run {
	const struct run_config *cfg;
	struct settings *set;
	const struct cancel *cancel;
	struct progress *progress;
	struct deadline dl; /* of the stage, or of the whole from the
				   moment the phone is ours */
	bool dl_fixed;	    /* the plan's deadline runs */
	struct teardown td;
	struct result res;
	struct phone_locks locks;
	bool skip; /* the error is a reason to skip the day */

	struct plan *plan; /* NULL for a try */
	struct route route;
	struct plan_vars vars;
	struct plan_pair *var;
	char **var_name;

	char *commit;	/* NULL: unknown */
	char *work_dir; /* below `out`, removed when the app is installed */
	struct file_removal *clearing; /* of it; NULL: not yet */
	char *download;		       /* the artifact; NULL */
	char *download_sha256, *download_type;
	struct apk_artifact apk;
	struct apk_manifest manifest;
	const char *package; /* of the plan or the manifest */

	struct stf stf;
	struct stf_lease lease;
	struct ssh_tunnel *tunnel; /* to the farm; NULL: it needs none */
	bool farm;		   /* stf is initialised */
	struct adb_server adb;
	struct adb_device dev;
	char *serial;	    /* at the adb server */
	bool adb_connected; /* we asked the server to connect */
	bool unplugged;	    /* which ended the lease; link.h */
	int stay_awake;	    /* the setting before ours; -2: untouched */
	struct adb_device_facts facts;
	struct adb_logcat *logcat;
	struct run_log_watch seen;

	struct secret token;
	struct control *control; /* NULL: not connected */
	char *session;
	int64_t session_pid;
	int pid;
	int old_pid;	    /* of the process before; 0: none */
	int64_t started_us; /* when the app was started last */
	bool app_started;
	int64_t restarts;	 /* of the app, after it was gone */
	int64_t app_log_bytes;	 /* written of what the app logs */
	struct measure *measure; /* captures; measure.h */
	struct confirm *confirm; /* the days before; confirm.h; NULL */
	struct walk *walk;
};

/*
 * Do it all and decide the outcome.  Writes result.json; the caller makes the
 * other files from it.  Returns the exit status.  Never fails otherwise: what
 * went wrong is in the result.
 */
int run_patrol(const struct run_config *cfg, struct settings *set,
	       struct progress *progress, const struct cancel *cancel,
	       struct result *res);

/* What a result calls such a run. */
const char *run_kind(const struct run_config *cfg);

/* The deadline of one step: the run's, capped by `ms`. */
struct deadline run_dl(const struct run *r, int64_t ms);

/* A line for the person who watches. */
void run_say(struct run *r, enum progress_mark mark, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Something is being waited for, since `elapsed_ms` of `limit_ms`. */
void run_waiting(struct run *r, int64_t elapsed_ms, int64_t limit_ms,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* End the day without a patrol: err becomes the reason of a skip. */
int run_skip(struct run *r, const char *reason, struct err *err);

/*
 * Look after what must not lapse while something else is awaited: the log,
 * the lease.  ERR_REMOTE lease_lost when the phone is no longer ours.
 */
int run_tend(struct run *r, struct err *err);

/*
 * Wait for `fd` (-1: just time) at most `ms`, tending the run meanwhile.
 * 1: the descriptor is ready, 0: the time is over, -1: error.
 */
int run_wait(struct run *r, int fd, int64_t ms, struct deadline dl,
	     struct err *err);

#endif
