#ifndef TRACE_H
#define TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Typed events, one JSON object a line (NDJSON), for events.ndjson.
 *
 *	trace_begin("http.request");
 *	trace_str("path", path);
 *	trace_int("ms", ms);
 *	trace_end();
 *
 * Every line carries `t_us` (monotonic, since trace_open) and `event`.  Lines
 * are redacted.  Without an open file all of this costs nothing.  One thread.
 */
int trace_open(const char *path, struct err *err);
void trace_close(void);

void trace_begin(const char *event);
void trace_str(const char *key, const char *value); /* NULL: null */
void trace_int(const char *key, int64_t value);
void trace_bool(const char *key, bool value);
void trace_end(void);

/* Also hand each finished line to this; NULL ends it. */
void trace_tap(void (*fn)(void *arg, const char *line), void *arg);

#endif
