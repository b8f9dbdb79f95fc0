#include "control/control_parts.h"

#include <errno.h>
#include <string.h>

#include "control/control_frame.h"
#include "transport/sock.h"

enum { READS = 64 };

/* What came belongs to another stream; collect `id` from now on. */
static void
other_stream(struct control_call *call, int64_t id)
{
	buf_clear(&call->stream);
	call->stream_done = call->stream_aborted = false;
	call->collected_id = id;
}

/* Whether the stream of an answered call has come to its end. */
static void
look_at_stream(struct control *c, struct control_call *call)
{
	if (call->stream.over) {
		err_set(&call->error, ERR_PROTO,
			"%s: the stream is larger than %zu bytes", call->method,
			call->stream.limit);
	} else if (call->stream_aborted) {
		err_set(&call->error, ERR_REMOTE,
			"%s: the app ended the stream", call->method);
	} else {
		if (call->stream_done)
			control_call_finish(c, call);
		return;
	}
	call->failed = true;
	control_call_finish(c, call);
}

static void
answer(struct control *c, cJSON *m)
{
	int64_t id = json_int(m, "id", -1);
	struct control_call *call = c->call && c->call->id == id   ? c->call
				    : c->ping && c->ping->id == id ? c->ping
								   : NULL;
	const cJSON *error = json_get(m, "error");

	if (call == NULL || call->result)
		return; /* late or doubled */
	if (cJSON_IsObject(error)) {
		control_error_fill(call->method, error, &call->error);
		cJSON_Delete(c->last_error);
		c->last_error =
			cJSON_DetachItemFromObjectCaseSensitive(m, "error");
		call->failed = true;
		control_call_finish(c, call);
		return;
	}
	call->result = cJSON_DetachItemFromObjectCaseSensitive(m, "result");
	call->stream_id = json_int(call->result, "stream", -1);
	if (call->collected_id != call->stream_id)
		other_stream(call, call->stream_id);
	if (call->stream_id < 0)
		control_call_finish(c, call);
	else
		look_at_stream(c, call);
}

static void
chunk(struct control *c, const struct control_frame *f)
{
	struct control_call *call = c->call;

	if (call == NULL)
		return; /* the rest for a call that was abandoned */
	/*
	 * Chunks may come before the answer that announces them, and so may
	 * the rest for a call that was abandoned: the answer tells.
	 */
	if (call->collected_id != (int64_t)f->stream) {
		if (call->result)
			return;
		other_stream(call, f->stream);
	}
	buf_add(&call->stream, f->data, f->len);
	if (f->flags & CONTROL_FRAME_ABORT)
		call->stream_aborted = true;
	if (f->flags & CONTROL_FRAME_LAST)
		call->stream_done = true;
	if (call->result)
		look_at_stream(c, call);
}

static int
frame(struct control *c, const struct control_frame *f, struct err *err)
{
	AUTO_JSON cJSON *m = NULL;
	const char *method;

	if (f->binary) {
		chunk(c, f);
		return 0;
	}
	if (json_parse(f->data, f->len, "the app's message", &m, err))
		return -1;
	method = json_str(m, "method", NULL);
	if (method == NULL) {
		answer(c, m);
	} else if (strcmp(method, "bye") == 0) {
		const char *why = json_str(m, "params.reason", "no reason");

		return err_set(err, ERR_IO, "the app said bye (%.60s)", why);
	} else if (strcmp(method, "event") == 0 && c->spec.event) {
		c->spec.event(c->spec.event_arg, json_str(m, "params.name", ""),
			      json_get(m, "params"));
	}
	return 0;
}

static int
frames(struct control *c, struct err *err)
{
	struct control_frame f;
	size_t used = 0;
	int rc;

	while ((rc = control_frame_next(c->in.data + used, c->in.len - used,
					CONTROL_MAX_MESSAGE, &f, err)) > 0) {
		used += f.used;
		rc = frame(c, &f, err);
		if (rc < 0)
			break;
	}
	buf_drop(&c->in, used);
	return rc;
}

int
control_pump(struct control *c, struct err *err)
{
	/* Bounded, so that the caller sees its deadline in a flood. */
	for (size_t i = 0; i < READS; i++) {
		char *to = buf_reserve(&c->in, CONTROL_READ_STEP);
		ssize_t n;

		if (to == NULL) {
			err_set(err, ERR_PROTO, "the app floods us");
			return control_error_lost(err);
		}
		n = sock_take(c->fd, to, CONTROL_READ_STEP);
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n == 0)
			err_set(err, ERR_IO, "closed the connection");
		else if (n < 0)
			err_sys(err, "read");
		if (n <= 0)
			return control_error_lost(err);
		buf_added(&c->in, (size_t)n);
		if (frames(c, err))
			return control_error_lost(err);
	}
	return 0;
}
