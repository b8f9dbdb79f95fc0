#ifndef JUNIT_H
#define JUNIT_H

#include "base/json.h"

/*
 * junit.xml of a parsed result.json: a screen is a testcase, the measurement
 * is one too, a skipped day is one skipped testcase.  Fails exactly where the
 * outcome does: what the plan lets pass is skipped.
 */
void junit_write(const cJSON *result, struct buf *out);

#endif
