#ifndef APP_H
#define APP_H

#include "run/run.h"

/*
 * The app's process: start it with the run's control token, connect to the
 * control server in it, stop it, find out why it ended.
 */

/* Force-stop, start, note the times.  `total_ms` may be NULL. */
int app_start(struct run *r, struct deadline dl, struct err *err);
/* Until hello is answered; a closed port is tried again. */
int app_connect(struct run *r, int64_t budget_ms, struct deadline dl,
		struct err *err);
void app_disconnect(struct run *r);
/* A stream to the app's server, without a word said; `arg` is the run. */
int app_dial(void *arg, int *fd, struct deadline dl, struct err *err);
/* As a teardown step; `arg` is the run. */
int app_undo(void *arg, struct deadline dl, struct err *err);

/* One crash of crashes[], with tombstone and log in logs/. */
int app_note_end(struct run *r, const char *kind, const char *screen,
		 const struct err *why, bool restarted, struct deadline dl,
		 struct err *err);

#endif
