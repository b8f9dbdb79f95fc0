#ifndef ISSUE_WAY_H
#define ISSUE_WAY_H

#include "base/buf.h"
#include "base/json.h"

/*
 * How one gets to where a series was measured, as a list in Markdown, by the
 * route of a result.json.  A series of the whole run, a screen that is not in
 * the route, and a result that is NULL add nothing.
 */
void issue_way_write(struct buf *out, const cJSON *result, const cJSON *series);

#endif
