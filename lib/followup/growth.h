#ifndef GROWTH_H
#define GROWTH_H

#include "base/deadline.h"
#include "base/json.h"

/*
 * What grew in memory since an earlier patrol: the snapshots of each screen
 * beside those of the last run in `folder` (or anywhere below it) that ended
 * before this one began, walked the same route on the same model of phone with
 * the same Unity, and was of another build.
 *
 * `result` gets "previous", and each screen whose snapshot was pulled
 * "snapshot.growth": growth, or a message why there is none.  Snapshots are
 * read anew where both files are there, named by `out` and by the earlier
 * run's folder; else the rows that the results keep are compared.  Nothing of
 * this is an error; `dl` ends it between two screens.
 */
enum { GROWTH_ROWS = 12 }; /* of a list, the largest growth first */

void growth_since(cJSON *result, const char *out, const char *folder,
		  struct deadline dl);

#endif
