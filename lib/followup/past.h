#ifndef PAST_H
#define PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "base/json.h"
#include "github/github.h"
#include "plan/settings.h"

/*
 * Results of earlier patrols: from a folder that has their output folders
 * somewhere in it, or from the artifacts that the action uploads.
 */
struct past_item {
	cJSON *result; /* a parsed result.json */
	char *where;   /* its path, or "run 5000" of GitHub */
	int64_t at_s;  /* when it ended, by the wall clock */
};

/*
 * Sees each result as it is read.  False: it is not kept; `item` may then have
 * been emptied by moving it elsewhere.
 */
typedef bool past_look(void *arg, struct past_item *item);

struct past {
	struct past_item *item; /* newest first */
	size_t count, room;
	/* Those that could not be read: how many, the newest, why it was. */
	size_t unread;
	int64_t unread_at_s;
	struct err why;
	past_look *look; /* of past_folder() */
	void *look_arg;
	size_t files; /* met so far */
};

enum {
	PAST_FILES_MAX = 5000, /* results in a folder */
	PAST_DEPTH_MAX = 6,    /* of folders in it */
	PAST_DOWNLOADS_MAX = 40,
	PAST_RESULT_MAX = 64 << 20,
};

void past_done(struct past *p);

void past_item_done(struct past_item *item);

/*
 * ERR_NOTFOUND: there is no such folder.  An empty one is fine.  `look` NULL:
 * all are kept, and they may be many.
 */
int past_folder(const char *dir, past_look *look, void *arg, struct past *out,
		struct err *err);

/*
 * The artifacts REPORT_NAME-result, which hold result.json alone, newest
 * first, until `enough` says so (NULL: all that PAST_DOWNLOADS_MAX allows).
 * Those of forks are not believed.  `run_id`: of that run of the patrol's
 * workflow only; NULL: of any.
 */
int past_github(struct github *g, const struct settings *set,
		const char *report_name, const char *run_id,
		bool (*enough)(void *arg, const struct past_item *item),
		void *arg, struct past *out, struct deadline dl,
		struct err *err);

/* For past_github: it measured; it patrolled the build whose run is `arg`. */
bool past_is_measured(void *arg, const struct past_item *item);
bool past_is_of_build(void *run_id, const struct past_item *item);

#endif
