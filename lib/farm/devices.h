#ifndef DEVICES_H
#define DEVICES_H

#include "adb/adb_server.h"
#include "base/deadline.h"
#include "base/json.h"
#include "plan/plan.h"
#include "plan/settings.h"

/*
 * What phones there are, as JSON for `patrol devices`.  `*out` is the
 * caller's to delete.
 *
 * {"source": "stf" or "adb", "at": address, "user", "devices": [{"serial",
 * "model", "android", "state", "held_by", "since", "booked_until", ...}],
 * "choice": {...}}; docs/manual.md describes it.
 */

/* `plan` may be NULL: then nothing is said of what fits. */
int devices_farm(const struct settings *set, const struct plan *plan,
		 cJSON **out, struct deadline dl, struct err *err);

/* Of an adb server: the one that runs (`address` or adb's own), or ours. */
int devices_adb(const struct settings *set, const char *address, cJSON **out,
		struct deadline dl, struct err *err);

#endif
