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

/* A few lines for people. */
void why_text(const cJSON *why, struct buf *out);

#endif
