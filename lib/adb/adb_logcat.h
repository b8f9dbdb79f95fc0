#ifndef ADB_LOGCAT_H
#define ADB_LOGCAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "adb/adb_device.h"
#include "base/deadline.h"
#include "base/err.h"

/*
 * The phone's log, for the whole run, without ever blocking the caller.
 *
 * The stream ends for many reasons (logd kicks slow readers, Wi-Fi sleeps):
 * it is opened again with -T and the last line's time, repeated lines are
 * dropped, and a line "--- gap: ... ---" marks the place.
 */
struct adb_logcat;

struct adb_logcat_spec {
	const char *path;    /* file to write; NULL: none */
	const char *buffers; /* "-b" of logcat; NULL: main,system,crash */
	long long max_bytes; /* of the file, then a last line says so; 0:
				   256 MiB */
	/* Each whole line without its end; may be NULL. */
	void (*line)(void *arg, const char *line, size_t len);
	void *arg;
};

/* `dev` is borrowed and outlives it. */
int adb_logcat_start(struct adb_logcat **out, struct adb_device *dev,
		     const struct adb_logcat_spec *spec, struct deadline dl,
		     struct err *err);

/*
 * What to wait for: `events` on the descriptor (-1: nothing now), or until
 * adb_logcat_pump should be called anyway (ms; -1: no need).
 */
int adb_logcat_fd(const struct adb_logcat *l);
short adb_logcat_events(const struct adb_logcat *l);
int64_t adb_logcat_wait_ms(const struct adb_logcat *l);

/*
 * Take what is there; opens the stream again when it broke and its pause is
 * over.  -1 only for our own file (ERR_IO); a broken stream is no error.
 */
int adb_logcat_pump(struct adb_logcat *l, struct err *err);

size_t adb_logcat_gaps(const struct adb_logcat *l);
long long adb_logcat_lines(const struct adb_logcat *l);

/*
 * Read on up to what the phone logs now: a line with `mark`, which is a word
 * of its own, is put at the log's end and waited for.  A stream that is broken
 * or a phone that no longer answers within `dl` is no error.  Call
 * adb_logcat_free() after.
 */
int adb_logcat_finish(struct adb_logcat *l, const char *mark,
		      struct deadline dl, struct err *err);
void adb_logcat_free(struct adb_logcat *l); /* NULL is fine */

#endif
