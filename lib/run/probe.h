#ifndef PROBE_H
#define PROBE_H

#include <stddef.h>

#include "base/json.h"
#include "run/run.h"

/*
 * What server is in the app, does it keep to PCP/1, and has it what a plan
 * needs: `patrol probe`.
 *
 * The report is JSON:
 *   {"package", "server": {...} or null, "checks": [{"name", "status": "ok",
 *    "fail" or "skip", "expected", "got"}], "plan": {"file", "checks": [{"at":
 *    "FILE:LINE:COL", "needs", "status", "got", "hint"}]} or null, "ok",
 *    "failed", "skipped"}
 */
struct probe {
	cJSON *report;
	size_t ok, failed, skipped;
};

void probe_init(struct probe *p);
void probe_done(struct probe *p);

/*
 * A run that ends after the app's start, with the probe in place of the walk.
 * `cfg->probe` is set, `cfg->out` a folder for its logs.  Returns the exit
 * status: 0 all holds, 1 something does not, else as of run_patrol() with
 * `res` saying why nothing could be probed.
 */
int probe_run(const struct run_config *cfg, struct settings *set,
	      struct progress *progress, const struct cancel *cancel,
	      struct result *res);

/* The stage in that run: connects and looks. */
int probe_stage(struct run *r, struct buf *note, struct err *err);

/* One line of checks[]; `got` may be NULL. */
enum probe_status { PROBE_OK, PROBE_FAIL, PROBE_SKIP };
void probe_note(struct probe *p, const char *name, enum probe_status status,
		const char *expected, const char *got);
const char *probe_status_name(enum probe_status status);

/* plan.checks[]: all that the plan needs of the app, which is connected. */
int probe_plan(struct run *r, struct probe *p, struct err *err);

#endif
