#ifndef RECORDS_H
#define RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/deadline.h"
#include "base/err.h"
#include "base/json.h"
#include "history/compare.h"
#include "history/history.h"
#include "plan/settings.h"

/*
 * The history of the settings, read and added to.
 *
 * What cannot be read is left out and counted: a record that is damaged, of a
 * newer patrol, or of a clock that ran more than a day ahead.
 */
struct records {
	struct history *history;
	struct compare_runs runs; /* the oldest first */
	size_t left_out;
	struct err why; /* of the first of those */
};

/* ERR_USAGE: PATROL_HISTORY is not set, or names no store. */
int records_open(struct records *r, const struct settings *set,
		 struct err *err);
void records_done(struct records *r);

/*
 * The newest `most` records (0: all) of whatever key go into r->runs;
 * records_keys.h chooses.
 */
int records_read(struct records *r, size_t most, struct deadline dl,
		 struct err *err);
int records_read_ids(struct records *r, char *const *id, size_t count,
		     struct deadline dl, struct err *err);

/* One more of r->left_out; clears `err`. */
void records_leave_out(struct records *r, struct err *err);
void records_leave_out_ahead(struct records *r, const char *id);

/*
 * Put `record` into r->runs, which owns it from now on, in the place that its
 * time gives it: *at.  A run that is there already is left as it is.
 */
void records_put(struct records *r, cJSON *record, size_t *at);

/* Add the records of `count` results to the store; *added: new ones. */
int records_add(struct records *r, const cJSON *const *result, size_t count,
		size_t *added, struct deadline dl, struct err *err);

/*
 * The same of records that are made already.  They get their ids.
 */
int records_add_made(struct records *r, cJSON *const *record, size_t count,
		     size_t *added, struct deadline dl, struct err *err);

/* Can it never be used?  One of a newer patrol can. */
bool records_is_broken(const char *id, const char *text, size_t len);

#endif
