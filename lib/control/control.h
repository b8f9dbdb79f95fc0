#ifndef CONTROL_H
#define CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"
#include "base/json.h"
#include "base/secret.h"

/*
 * The remote-control server inside the app, spoken to in PCP/1
 * (docs/control-protocol.md).  JSON-RPC 2.0 objects and binary chunks in
 * frames of a 32-bit little-endian length, on one stream that the caller
 * opens: control knows nothing of adb.
 *
 * At most one request is in flight, as the protocol asks of a client.
 */
enum control_cap {
	CONTROL_UI = 1 << 0,
	CONTROL_TREE = 1 << 1,
	CONTROL_NAV = 1 << 2,
	CONTROL_WAIT = 1 << 3,
	CONTROL_SCREENSHOT = 1 << 4,
	CONTROL_SCRIPT = 1 << 5,
	CONTROL_CALL = 1 << 6,
	CONTROL_PROFILER = 1 << 7,
	CONTROL_SNAPSHOT = 1 << 8,
	CONTROL_GSC = 1 << 9,
	CONTROL_FILE = 1 << 10,
	CONTROL_LOG = 1 << 11,
	CONTROL_ACTION = 1 << 12, /* the app registered actions */
};

enum {
	CONTROL_CAP_COUNT = 13,
	CONTROL_MAX_MESSAGE = 4 << 20, /* of one JSON frame */
	CONTROL_MAX_CHUNK = (256 << 10) + 8,
	CONTROL_MAX_STREAM = 64 << 20, /* of one binary stream */
};

/* What the server said of itself; strings are "" when it did not tell. */
struct control_info {
	unsigned caps;
	char *server, *session;
	char *package, *version, *build, *commit, *unity, *gpu, *api;
	bool dev;
	int64_t pid;
	char **action; /* names of registered actions */
	size_t action_count;
	cJSON *hello; /* the whole answer */
};

struct control_spec {
	/* Opens the stream; ERR_NOTFOUND: nobody listens (yet). */
	int (*dial)(void *arg, int *fd, struct deadline dl, struct err *err);
	void *arg;
	const struct secret *token;
	/* Notifications of the server; `params` is borrowed.  May be NULL. */
	void (*event)(void *arg, const char *name, const cJSON *params);
	void *event_arg;
};

struct control;

/*
 * One attempt: dial and hello.  ERR_NOTFOUND: nobody listens.  ERR_AUTH: the
 * token is refused.  ERR_PROTO: what answers is no PCP server, or none of our
 * version.  ERR_IO: closed on us.
 */
int control_open(struct control **out, const struct control_spec *spec,
		 struct deadline dl, struct err *err);
/* Says bye; does not wait.  NULL is fine. */
void control_close(struct control *c);

const struct control_info *control_info(const struct control *c);
/* NULL has nothing. */
bool control_has(const struct control *c, enum control_cap cap);
/* "ui", "wait", ...: the name on the wire of one capability. */
const char *control_cap_name(enum control_cap cap);

enum {
	CONTROL_GRACE_MS = 2000, /* beyond the server's own limit */
	CONTROL_HUNG_MS = 5000,	 /* that long without a frame */
};

/*
 * A request in flight.  `done` is set by control_pump(); then either `result`
 * is the answer or `failed` is set and `error` filled.
 */
struct control_call {
	int64_t id;
	const char *method; /* static */
	int64_t sent_us;
	int64_t timeout_ms; /* the server's own limit */
	bool done, failed;
	cJSON *result;
	struct err error;
	struct buf stream;    /* the bytes of the stream it came with */
	int64_t stream_id;    /* -1: none announced */
	int64_t collected_id; /* of what is in `stream`; -1: nothing */
	bool stream_done, stream_aborted;
};

/*
 * Send a request; `params` is taken (NULL: {}).  `timeout_ms` goes into the
 * params as timeoutMs when >= 0.
 *
 * Errors of the server are ERR_REMOTE; err.reason is its stable kind:
 * "NotFound", "Covered", "Timeout", ... (static words).  A dead stream is
 * ERR_IO, reason "control_lost".
 */
int control_begin(struct control *c, const char *method, cJSON *params,
		  int64_t timeout_ms, struct control_call *call,
		  struct deadline dl, struct err *err);
int control_fd(const struct control *c);
/* Read what is there without waiting and hand it on.  -1: the stream died. */
int control_pump(struct control *c, struct err *err);
/* Give up on a call that is not done: sends `cancel`. */
void control_abandon(struct control *c, struct control_call *call);
/*
 * What a call that is done was answered: its result, to cJSON_Delete(), and
 * the bytes of its stream in place of what is in `stream`.  NULL: not wanted.
 */
int control_call_take(struct control_call *call, cJSON **result,
		      struct buf *stream, struct err *err);
void control_call_done(struct control_call *call);

/*
 * Begin, wait and take the answer (`result` may be NULL; `stream` too).  Waits
 * timeout_ms + 2 s, or 20 s; then cancels and pings: a main thread that has
 * not moved for 5 s is ERR_TIMEOUT, reason "app_hung", no answer at all
 * ERR_IO "control_lost".
 */
int control_request(struct control *c, const char *method, cJSON *params,
		    int64_t timeout_ms, cJSON **result, struct buf *stream,
		    struct deadline dl, struct err *err);

/*
 * The error object of the request that the server refused last, for what its
 * err does not say; NULL: none yet.  Until the next is refused.
 */
const cJSON *control_last_error(const struct control *c);

struct control_ping {
	int64_t frame, main_thread_age_ms;
	double t_ms;
	bool paused, focused, loading;
};
/* Answered by the socket thread; waits at most a second. */
int control_ping(struct control *c, struct control_ping *p, struct deadline dl,
		 struct err *err);
/* How long the stream has been silent from our side. */
int64_t control_silent_ms(const struct control *c);

#endif
