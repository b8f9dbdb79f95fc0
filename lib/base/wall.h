#ifndef WALL_H
#define WALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Times on the wall clock, in seconds since 1970 UTC: what peers and results
 * say, for comparing and telling.  Nothing waits or measures by them.
 */

int64_t wall_now_s(void);

/*
 * RFC 3339, "2026-11-30T09:45:02.5Z" or "...+09:00"; fractions are dropped.
 * False: it is no such time.
 */
bool wall_parse(const char *text, int64_t *at_s);

/* "2026-11-30T09:45:02Z" */
void wall_text(struct buf *out, int64_t at_s);

#endif
