#ifndef STORE_H
#define STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/deadline.h"
#include "base/json.h"
#include "plan/settings.h"

/*
 * Where the folders of runs are kept: "sftp://[USER@]HOST[:PORT]/PATH".  A run
 * gets a folder of its own below PATH.  "/~/PATH" begins in the user's home.
 */
struct store_target {
	char *user; /* the process's own when none is told */
	char *host;
	int port;
	char *path; /* decoded; without a slash at its end */
};

/* ERR_INPUT, reason bad_setting. */
int store_parse(const char *url, struct store_target *t, struct err *err);
void store_target_done(struct store_target *t);

/* "20261130T104600Z-4242": the folder of this result's run; free() it. */
char *store_name(const cJSON *result);

/*
 * Upload the folder `dir` of the run whose result is `result`, its result.json
 * as the very last.  A connection that is cut is made again, and what is there
 * already is not sent again.
 *
 * `result` gets its "store" (docs/result.md), and result.json is written with
 * it, in failure too, but not when the store's URL is wrong.  Nothing else in
 * the result changes.
 */
int store_put(cJSON *result, const char *dir, const struct settings *set,
	      struct deadline dl, struct err *err);

/* Log in and look, nothing else: is the folder of all runs there? */
int store_look(const struct settings *set, bool *there, struct deadline dl,
	       struct err *err);

/* The result of a run whose folder was not even tried to be uploaded. */
void store_not_tried(cJSON *result, const struct settings *set,
		     const char *why);

#endif
