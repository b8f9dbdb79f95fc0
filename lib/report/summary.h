#ifndef SUMMARY_H
#define SUMMARY_H

#include "base/json.h"

/*
 * summary.md of a parsed result.json, for GITHUB_STEP_SUMMARY: the verdict,
 * the screens, what happened.  GitHub drops a summary that is too large, so
 * it never passes SUMMARY_MAX bytes: what does not fit is counted.
 */
enum { SUMMARY_MAX = 512 << 10 };

void summary_write(const cJSON *result, struct buf *out);

/* Text of anybody as Markdown of GitHub that means nothing. */
void summary_escape(struct buf *out, const char *s);

#endif
