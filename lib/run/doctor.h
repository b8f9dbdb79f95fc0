#ifndef DOCTOR_H
#define DOCTOR_H

#include "base/deadline.h"
#include "base/json.h"
#include "plan/plan.h"
#include "plan/settings.h"

/*
 * Every setting with where it came from, and every service reached once with
 * them: `patrol doctor`.  It changes nothing but what its own checks need and
 * remove again: a file in the state folder, an adb server.
 *
 * {"settings": [{"name", "value", "from", "help"}], "checks": [{"name",
 *  "status": "ok", "warn", "fail" or "off", "message", "cure", "ms"}],
 *  "failed"}
 */
struct doctor {
	struct settings *set;
	const struct plan *plan; /* may be NULL */
	const struct cancel *cancel;
	cJSON *report;
	size_t failed;
	bool farm_silent;     /* it need not be waited for again */
	char *key_path;	      /* of a key that can be read; or NULL */
	char fingerprint[48]; /* of it */
};

enum doctor_status { DOCTOR_OK, DOCTOR_WARN, DOCTOR_FAIL, DOCTOR_OFF };

void doctor_init(struct doctor *d, struct settings *set,
		 const struct plan *plan, const struct cancel *cancel);
void doctor_done(struct doctor *d);

/* All checks; -1 only when cancelled. */
int doctor_run(struct doctor *d, struct err *err);

/* --- for the checks ------------------------------------------------------ */

struct doctor_check {
	const char *name;
	int64_t budget_ms;
	/*
	 * A status with a message (and a cure), or -1 with `err`, which is
	 * a failure that tells its own cure.
	 */
	int (*run)(struct doctor *d, struct buf *message, struct buf *cure,
		   struct deadline dl, struct err *err);
};

extern const struct doctor_check doctor_local_checks[], doctor_service_checks[];
extern const size_t doctor_local_count, doctor_service_count;

#endif
