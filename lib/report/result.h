#ifndef RESULT_H
#define RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"

/*
 * The result of a run while it grows.  It is the JSON of result.json itself
 * (docs/schema/result.schema.json), so what is written is what the report and
 * the Slack message are made from, and nothing has to be kept equal.
 */
enum result_outcome {
	RESULT_PASSED,
	RESULT_FAILED,
	RESULT_SKIPPED,
	RESULT_INVALID_INPUT,
	RESULT_INFRA_ERROR,
	RESULT_TIMED_OUT,
	RESULT_CANCELLED,
};

struct result {
	cJSON *json;
	int64_t start_us; /* monotonic, of started_at */
	enum result_outcome outcome;
	bool decided; /* the first to decide the outcome wins */
	bool ended;   /* ended_at is told, and stays: a record has it, too */
};

/* `kind`: "run" or "try". */
void result_init(struct result *r, const char *kind, const char *title);
void result_done(struct result *r);

/* Milliseconds since started_at. */
int64_t result_at_ms(const struct result *r);
/* Wall clock now, RFC 3339 UTC; free() it. */
char *result_time_now(void);

/* Decide the outcome, unless it is decided; `reason` is a stable code. */
void result_decide(struct result *r, enum result_outcome outcome,
		   const char *reason, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The same from an error: its code picks the outcome. */
void result_decide_error(struct result *r, const struct err *err);

/* The same after all is decided, unless that is worse already. */
void result_spoil(struct result *r, const struct err *err, const char *where);

/* One line of errors[]; `where` may be NULL. */
void result_error(struct result *r, const struct err *err, const char *where);
void result_error_text(struct result *r, const char *code, const char *reason,
		       const char *message, const char *where);
/* One line of warnings[]: nothing is wrong yet; `reason` is a stable code. */
void result_warning(struct result *r, const char *reason, const char *message);
void result_stage(struct result *r, const char *name, const char *status,
		  int64_t ms, const char *message);
void result_left_behind(struct result *r, const char *name,
			const char *message);
bool result_has_left(const struct result *r);

/* The object or array at the top level under `key`, made when absent. */
cJSON *result_object(struct result *r, const char *key);
cJSON *result_array(struct result *r, const char *key);

/* The outcome's name and the exit status, with status 6 for what was left. */
const char *result_outcome_name(enum result_outcome outcome);
int result_exit_status(const struct result *r);

/*
 * Fill what is known at the end (ended_at, outcome, exit status) and write
 * DIR/result.json.
 */
int result_write(struct result *r, const char *dir, struct err *err);
/* Write DIR/result.json as it is: of a run that has ended. */
int result_put(const cJSON *json, const char *dir, struct err *err);

#endif
