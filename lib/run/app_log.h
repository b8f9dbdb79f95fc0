#ifndef APP_LOG_H
#define APP_LOG_H

#include "run/run.h"

/*
 * What the phone's log says of our app: that it crashed, that Android calls it
 * unresponsive.  Lines about the process before the last start, which may come
 * seconds late, say nothing about the one that runs.
 */

/* A line of logcat; `arg` is the run. */
void app_log_read(void *arg, const char *line, size_t len);
/* What was said so far no longer counts. */
void app_log_forget(struct run *r);
/* Has it crashed or hung?  Then r->seen tells which, and its line. */
bool app_log_tells(struct run *r);

#endif
