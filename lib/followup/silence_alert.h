#ifndef SILENCE_ALERT_H
#define SILENCE_ALERT_H

#include <stdbool.h>

#include "base/deadline.h"
#include "base/json.h"
#include "github/github.h"
#include "plan/settings.h"

/*
 * Telling once that nothing is measured.
 *
 * An alert is about one silence: it is named by what is watched and by the
 * last measurement (silence_judge's `alert`).  It has been told when a file of
 * the state folder says so, or when the repository has an artifact of that
 * name, which is what a workflow on throw-away runners leaves behind.  Either
 * is written after Slack has taken the message: better told twice than never.
 */

/* `g` NULL: only the state folder.  What can't be asked has not been told. */
bool silence_alert_was_told(const struct settings *set, struct github *g,
			    const char *alert, struct deadline dl);

/* The message for `judged`; `url`: where people look next, may be NULL. */
cJSON *silence_alert_message(const cJSON *judged, const char *url);

/* Remember in the state folder; one file for each `name` that is watched. */
int silence_alert_remember(const struct settings *set, const char *alert,
			   struct err *err);

#endif
