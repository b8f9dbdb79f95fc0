#ifndef MEASURE_H
#define MEASURE_H

#include "run/run.h"

/*
 * What is measured while the walk goes on: the Profiler capture, the
 * graphics-states trace, memory snapshots.  Each is a procedure of the plan,
 * a capability of the server (profiler, gsc, snapshot), or a fixed script on
 * Unity's own APIs (measure_unity.h).
 *
 * A measurement that fails is a result, not an error: it stands in
 * result.json and decides `measured`.  Errors are those of watch.h only.
 */
enum measure_state {
	MEASURE_OFF,
	MEASURE_RUNNING,
	MEASURE_STOPPED,
	MEASURE_FAILED,
};

struct capture;

struct measure {
	struct capture *capture; /* with `filter`; NULL */
	enum measure_state profiler, graphics;
	char *profiler_path; /* on the phone; NULL */
	char *graphics_path;
};

void measure_done(struct measure *m);
/* Does this end the walk, and not only a measurement? */
bool measure_fatal(const struct run *r, const struct err *err);

/* Common metadata, once, right after the app answers. */
int measure_metadata(struct run *r, struct deadline dl, struct err *err);
/* Start captures; also again after a restart of the app. */
int measure_start(struct run *r, struct deadline dl, struct err *err);
/* One memory snapshot, named; fills `record` (snapshot of screens[]). */
int measure_snapshot(struct run *r, const char *name, cJSON *record,
		     struct deadline dl, struct err *err);
/* Stop both and wait until what was captured has been handed on. */
int measure_stop(struct run *r, struct deadline dl, struct err *err);
/* Bring their files here. */
int measure_pull(struct run *r, struct deadline dl, struct err *err);
/* A cancelled end: one request to stop each, nothing more. */
int measure_undo(void *arg, struct deadline dl, struct err *err);

/* patrol's own disturbance, on the app's clock where it is known. */
void measure_mark(struct run *r, const char *kind, const char *screen,
		  double app_ms, int64_t frame);
/*
 * Something was uploaded or pulled, or was not.  Captures and snapshots are
 * measurement data and decide `measured`; a graphics-states file is no
 * measurement.  Returns the line of uploads[], which is the result's.
 */
enum measure_what { MEASURE_DATA, MEASURE_EXTRA };
cJSON *measure_arrived(struct run *r, enum measure_what what, const char *name,
		       const char *url, int64_t bytes, bool ok,
		       const char *message);

#endif
