#ifndef HISTORY_RECORD_H
#define HISTORY_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "history/history.h"

/*
 * The record of a run: what is kept of its result.json to compare days with
 * (docs/schema/history-record.schema.json).
 *
 *	{"schema_version": 1, "id": "20261130T104600Z-4242-1f9a04c2.5b1ec07d19aa",
 *	 "at": "2026-11-30T10:46:00Z", "title", "run_id", "commit", "branch",
 *	 "outcome", "reason", "message", "measured", "report_url", ...
 *	 "valid": false, "invalid": "throttled",
 *	 "key": {"model", "serial", "os", "unity", "plan"},
 *	 "start_c": 31.5,
 *	 "metrics": [{"name": "load", "unit": "ms", "lower_is_better": true,
 *		      "deterministic": false,
 *		      "values": {"home>shop": 1840},
 *		      "unused": {"home>battle": [2900, "off_route"]}}]}
 *
 * A value's key is its subject: a screen, a transition "from>to", or "" for
 * the whole run.  "valid" false: the run is shown and not compared; the same of
 * a value in "unused".  All values are finite.
 */
enum {
	HISTORY_RECORD_SCHEMA = 1,
	HISTORY_RECORD_METRICS_MAX = 20000,
	HISTORY_RECORD_AHEAD_S = 24 * 3600, /* that a clock may be */
};

/* Of a parsed result.json.  The caller deletes it; its "id" is not yet set. */
cJSON *history_record_of(const cJSON *result);

/*
 * Numbers of another program: {"at", "run_id", "commit", "key": {...},
 * "metrics": [{"name", "value", "unit", "subject", "lower_is_better",
 * "deterministic"}]} (docs/schema/history-import.schema.json).  ERR_INPUT names
 * the place that is wrong.
 */
int history_record_import(const cJSON *in, const char *name, cJSON **out,
			  struct err *err);

/* Gives it its id and is its text; done with history_entry_done(). */
void history_record_entry(cJSON *record, struct history_entry *out);

/*
 * A record as a store gave it.  ERR_INPUT: it is none, or only half of one;
 * ERR_PROTO, reason newer_schema: a later patrol wrote it.
 */
int history_record_parse(const char *id, const char *text, size_t len,
			 cJSON **out, struct err *err);

/*
 * Does `name` mean this run?  It is its id, its build's run, seven digits or
 * more of its commit, or its date, "2026-11-30".
 */
bool history_record_is(const cJSON *record, const char *name);
/* May the record `id` be meant?  Its commit apart, and so may others. */
bool history_record_id_is(const char *id, const char *name);
/* Seconds since 1970, when the run ended; 0: it does not tell. */
int64_t history_record_at(const cJSON *record);
/* "model", "serial", "os", "unity", "plan": the parts of a key. */
enum { HISTORY_RECORD_PARTS = 5 };
extern const char *const history_record_parts[HISTORY_RECORD_PARTS];
/* "phone", "serial", ...: what a part of the key is called. */
const char *history_record_part(const char *name);
/*
 * "Pixel 6 (1A2B), OS 14, Unity 6000.0.23f1, route 9f3c1d2"; free() it.
 */
char *history_record_key_text(const cJSON *record);
/* The same key?  Else *what names the first part that differs. */
bool history_record_same_key(const cJSON *a, const cJSON *b, const char **what);
/* It has none when no game was started: a busy phone, a failed build. */
bool history_record_has_key(const cJSON *record);
/*
 * Of one title, as far as both tell one?  Two titles are two series, whatever
 * else they share.
 */
bool history_record_same_title(const cJSON *a, const cJSON *b);
/* One run, also when one of the two was told more of it later. */
bool history_record_same_run(const cJSON *a, const cJSON *b);

#endif
