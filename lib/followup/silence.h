#ifndef SILENCE_H
#define SILENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "followup/past.h"

/*
 * Has no measurement arrived for too long?
 *
 * The age of the last one counts only on days on which one is expected: on
 * the others the clock stands still.  With 26h and mon-fri a measurement of
 * Friday 04:00 is 24 h old on Monday 04:00 and too old at 06:00.
 */
struct silence_rule {
	int64_t max_age_s;
	unsigned days; /* bit 0: Monday */
};

/* "mon-fri", "mon,wed,fri", "daily"; also "sat-mon".  ERR_USAGE. */
int silence_days(const char *text, unsigned *days, struct err *err);
/* The same back: "mon-fri"; free() it. */
char *silence_days_text(unsigned days);

/*
 * From now on days begin at midnight there: "UTC", "+09:00", or a name of the
 * system's zones, "Europe/Berlin".  It is the process's TZ.  ERR_USAGE: there
 * is no such zone, which the C library would take for UTC without a word.
 */
int silence_zone(const char *name, struct err *err);

/* Seconds from `from_s` to `to_s` that lie on those days. */
int64_t silence_age_s(unsigned days, int64_t from_s, int64_t to_s);

/* "Fri 27 Nov 04:12 CET", as in the zone. */
void silence_time(struct buf *out, int64_t at_s);

/*
 * What there is to say, for people and machines (docs/schema/watch.schema.json).
 * `where`: what was looked at, for the words; `name`: of it, in the alert's.
 * The caller deletes `*out`.  An error: it cannot be told, because the newest
 * results can't be read.
 */
int silence_judge(const struct silence_rule *rule, const struct past *past,
		  const char *where, const char *name, int64_t now_s,
		  cJSON **out, struct err *err);

#endif
