#ifndef WHY_H
#define WHY_H

#include "base/json.h"

/*
 * Why a patrol ended as it did, and what to do: the cause, what shows it, the
 * next steps (docs/schema/why.schema.json).  Everything comes from its result.
 *
 * `where`: what was read, for the words.  `dir`: its output folder, whose logs
 * and report are named; NULL: not at hand.  The caller deletes it.
 */
cJSON *why_explain(const cJSON *result, const char *where, const char *dir);

/* The same when there is no result that can be read: `problem` says why. */
cJSON *why_missing(const char *where, const char *problem);

/* What a run that left no result holds, by its lease journal. */
enum why_hold {
	WHY_HOLD_UNKNOWN, /* no journal could be read */
	WHY_HOLD_NOTHING, /* it has none here */
	WHY_HOLD_SOME,	  /* it has one, and is dead */
	WHY_HOLD_LIVE,	  /* it still runs */
};

/*
 * The same of a patrol that began in `dir`, as its events.ndjson tells, and has
 * no result.json at `where`.  `held`: what it holds, or why that is not known.
 * NULL: none began there.
 */
cJSON *why_killed(const char *where, const char *dir, enum why_hold hold,
		  const char *held);

/* A few lines for people. */
void why_text(const cJSON *why, struct buf *out);

/* --- for why_killed.c --- */

/* All but evidence and next. */
cJSON *why_without_result(const char *where, const char *state,
			  const char *reason, const char *cause);
void why_show(cJSON *evidence, const char *what, const char *text);
void why_show_files(cJSON *evidence, const char *dir);
/* Where a killed run was, by its events; nothing without them. */
void why_killed_show(cJSON *evidence, const char *dir);

#endif
