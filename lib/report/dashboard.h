#ifndef DASHBOARD_H
#define DASHBOARD_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

/*
 * The history of all runs as one page that needs no network, from what
 * compare_trends() gives: whether the game is worse and was it measured, the
 * last days, the screens, each series.  Its script only walks the values of a
 * chart; without it the same is in titles and tables.
 *
 * "others" of `trends` is a list of the same of further keys, DASHBOARD_KEYS in
 * all: each has a folded part of its own, and links at the top lead there.
 * "silent_keys": how many more there are that are not drawn.
 *
 * It never passes DASHBOARD_MAX: what does not fit is left out in steps, and
 * the page says so.  `now_s`: the wall clock, for days without any run.
 */
enum { DASHBOARD_MAX = 3000000, DASHBOARD_KEYS = 24 };

/* `out` should allow DASHBOARD_MAX.  ERR_INPUT: trend_read()'s. */
int dashboard_write(const cJSON *trends, int64_t now_s, struct buf *out,
		    struct err *err);

#endif
