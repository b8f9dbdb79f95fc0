#ifndef MEASURE_PARTS_H
#define MEASURE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "control/control.h"
#include "plan/plan.h"
#include "run/action.h"
#include "run/measure.h"

/*
 * The pieces of what is measured; only measure*.c include this.  `key` is the
 * name within captures of result.json: "profiler", "graphics_states".
 */
enum { MEASURE_START_MS = 20000 }; /* of a capture's start or stop */

/* measure_way.c: by the plan's procedure, the server's method, our script. */
struct measure_way {
	enum control_cap cap;
	const char *method;
	cJSON *(*params)(struct run *r);
	const char *script;
};

/* `answer` is filled on success: action_answer_done(). */
int measure_way_do(struct run *r, const struct plan_hook *hook,
		   const struct measure_way *way, int64_t timeout_ms,
		   struct action_answer *answer, struct deadline dl,
		   struct err *err);
/* The path of `name` among the app's files on the phone; free() it. */
char *measure_way_file(struct run *r, const char *name);

/* measure_result.c: captures[key], made as "off"; the result's. */
cJSON *measure_result_capture(struct run *r, const char *key);
/* `message`: NULL clears it. */
void measure_result_status(struct run *r, const char *key, const char *status,
			   const char *message);
/*
 * `err` of `what`: -1 when it ends the walk; else it is told, `state` and the
 * result have it, and 0.
 */
int measure_result_failed(struct run *r, const char *key, const char *what,
			  enum measure_state *state, struct err *err);

/* measure_answer.c: what a procedure returns, the fields that we know. */
void measure_answer_take(struct run *r, enum measure_what what,
			 const char *name, const cJSON *value);
bool measure_answer_uploaded(const cJSON *value);
const char *measure_answer_path(const cJSON *value); /* borrowed; NULL */
/* o[key] is value[a], or else value[b]. */
void measure_answer_count(cJSON *o, const char *key, const cJSON *value,
			  const char *a, const char *b);

/*
 * measure_pull.c: one file to OUT/folder/its name; the relative path is
 * free()d.  What came garbled is asked for once more: it is a whole day's.
 */
int measure_pull_file(struct run *r, const char *from, const char *folder,
		      char **file, int64_t *bytes, struct deadline dl,
		      struct err *err);

/* Each by its kind; nothing when the plan or the run does not want it. */
int measure_profiler_start(struct run *r, struct deadline dl, struct err *err);
int measure_profiler_stop(struct run *r, struct deadline dl, struct err *err);
int measure_graphics_start(struct run *r, struct deadline dl, struct err *err);
int measure_graphics_stop(struct run *r, struct deadline dl, struct err *err);

#endif
