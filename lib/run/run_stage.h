#ifndef RUN_STAGE_H
#define RUN_STAGE_H

#include "run/run.h"

/*
 * The stages of a run, one function each: run_build.c (the run, its artifact,
 * the APK), run_phone.c (lease, adb, install), run_app.c (start, control,
 * captures, walk, pull), run_try.c (`patrol try`).  A stage that changes anything outside the process
 * writes the lease journal, pushes its undo, and only then acts.
 *
 * `note` gets a few words for the stage's line.
 */
/* Plan, variables, visits, route: everything that needs no one else. */
int run_plan_read(struct run *r, struct err *err);
/* Are all {var.X} and {secret.X} of the plan given? */
int run_given_check(const struct run *r, struct err *err);
/* What of the plan's fail_on happened in a run that came to its end. */
void run_judge(struct run *r);
/* Does the plan, with the options, ask for measurement data? */
bool run_judge_wants_data(const struct run *r);

int run_build_resolve(struct run *r, struct buf *note, struct err *err);
int run_build_download(struct run *r, struct buf *note, struct err *err);
int run_build_apk(struct run *r, struct buf *note, struct err *err);

int run_phone_take(struct run *r, struct buf *note, struct err *err);
int run_phone_connect(struct run *r, struct buf *note, struct err *err);
/* The phone is awake, has told who it is, and logs; run_prepare.c. */
int run_prepare(struct run *r, struct buf *note, struct err *err);
/* "HOST:PORT" of the adb server; free() it. */
char *run_phone_server(const struct run *r);
int run_phone_install(struct run *r, struct buf *note, struct err *err);
/* Is the phone still ours?  Before a result is believed. */
int run_phone_check(struct run *r, struct buf *note, struct err *err);

int run_app_start(struct run *r, struct buf *note, struct err *err);
int run_app_connect(struct run *r, struct buf *note, struct err *err);
int run_app_setup(struct run *r, struct buf *note, struct err *err);
int run_app_capture(struct run *r, struct buf *note, struct err *err);
int run_app_walk(struct run *r, struct buf *note, struct err *err);
/*
 * Start the app anew and tell it what it was told, up to `so_far`.  When the
 * phone is lost meanwhile it is found, and all is done again.
 */
enum run_app_told {
	RUN_APP_CONNECTED,
	RUN_APP_METADATA,
	RUN_APP_SETUP,
	RUN_APP_CAPTURED,
};
int run_app_again(struct run *r, enum run_app_told so_far, struct deadline dl,
		  struct err *err);
int run_app_stop(struct run *r, struct buf *note, struct err *err);
int run_app_teardown(struct run *r, struct buf *note, struct err *err);
int run_app_pull(struct run *r, struct buf *note, struct err *err);

/* Instead of all that: watch the app for a while. */
int run_try_watch(struct run *r, struct buf *note, struct err *err);

/* Does the plan fit the server?  ERR_INPUT names what is missing. */
int run_caps_check(const struct plan *plan, const struct control *c,
		   struct err *err);

#endif
