#include "control/control_parts.h"

#include <string.h>

#include "base/trace.h"

enum {
	REQUEST_MS = 20000,
	SEND_MS = 3000, /* deaf to signals, so not for long */
	PING_MS = 1000,
};

int
control_begin(struct control *c, const char *method, cJSON *params,
	      int64_t timeout_ms, struct control_call *call, struct deadline dl,
	      struct err *err)
{
	bool ping = strcmp(method, "ping") == 0;
	cJSON *m;

	*call = (struct control_call){.id = c->next_id++,
				      .method = method,
				      .sent_us = deadline_now_us(),
				      .timeout_ms = timeout_ms,
				      .error = ERR_INIT,
				      .stream_id = -1,
				      .collected_id = -1};
	buf_init(&call->stream, CONTROL_MAX_STREAM);
	if (params == NULL)
		params = json_obj();
	if (timeout_ms >= 0)
		json_set_int(params, "timeoutMs", timeout_ms);
	m = control_send_message(method, params);
	json_set_int(m, "id", call->id);
	/* Cut short, it would leave half a frame on the stream. */
	if (control_send(c, m,
			 deadline_cap(deadline_grace(NULL, SEND_MS),
				      deadline_left_ms(dl)),
			 err))
		return -1;
	if (ping)
		c->ping = call;
	else
		c->call = call;
	return 0;
}

void
control_call_finish(struct control *c, struct control_call *call)
{
	call->done = true;
	if (c->call == call)
		c->call = NULL;
	if (c->ping == call)
		c->ping = NULL;
}

void
control_abandon(struct control *c, struct control_call *call)
{
	struct err err = ERR_INIT;
	cJSON *params = json_obj();

	if (call->done) {
		cJSON_Delete(params);
		return;
	}
	json_set_int(params, "id", call->id);
	/* The stream may be dead already; then there is nothing to cancel. */
	(void)control_send(c, control_send_message("cancel", params),
			   deadline_in(NULL, 200), &err);
	control_call_finish(c, call);
}

void
control_call_done(struct control_call *call)
{
	cJSON_Delete(call->result);
	call->result = NULL;
	buf_done(&call->stream);
}

/* Until `call` is done or `dl` is over. */
static int
await(struct control *c, struct control_call *call, struct deadline dl,
      struct err *err)
{
	while (!call->done) {
		if (deadline_wait(dl, c->fd, POLLIN, err))
			return -1;
		if (control_pump(c, err))
			return -1;
	}
	if (call->failed) {
		*err = call->error;
		return -1;
	}
	return 0;
}

/* May have a fraction; what no clock can say is cut to a day. */
static int64_t
age_ms(const cJSON *ping)
{
	double ms = json_num(ping, "mainThreadAgeMs", 0);
	const double day = 86400000;

	return (int64_t)(ms < 0 ? 0 : ms > day ? day : ms);
}

int
control_ping(struct control *c, struct control_ping *p, struct deadline dl,
	     struct err *err)
{
	struct control_call call;
	int rc;

	if (control_begin(c, "ping", NULL, -1, &call, dl, err))
		return -1;
	rc = await(c, &call, deadline_cap(dl, PING_MS), err);
	if (rc == 0)
		*p = (struct control_ping){
			.frame = json_int(call.result, "frame", 0),
			.main_thread_age_ms = age_ms(call.result),
			.t_ms = json_num(call.result, "t", 0),
			.paused = json_bool(call.result, "paused", false),
			.focused = json_bool(call.result, "focused", true),
			.loading = json_bool(call.result, "loading", false),
		};
	if (!call.done)
		control_call_finish(c, &call);
	control_call_done(&call);
	return rc;
}

/* A request got no answer in time: dead socket, hung app, or just slow? */
static int
diagnose(struct control *c, const char *method, int64_t waited_ms,
	 struct deadline dl, struct err *err)
{
	struct control_ping p;

	if (control_ping(c, &p, dl, err)) {
		if (err->code == ERR_CANCELLED || deadline_left_ms(dl) == 0)
			return -1;
		err_set(err, ERR_IO, "%s and a ping got no answer", method);
		return control_error_lost(err);
	}
	if (p.main_thread_age_ms > CONTROL_HUNG_MS) {
		err_set(err, ERR_TIMEOUT,
			"%s: the app's main thread has not moved for %lld ms",
			method, (long long)p.main_thread_age_ms);
		return err_reason(err, "app_hung");
	}
	err_set(err, ERR_REMOTE, "%s got no answer for %lld ms", method,
		(long long)waited_ms);
	return err_reason(err, "Timeout");
}

int
control_call_take(struct control_call *call, cJSON **result, struct buf *stream,
		  struct err *err)
{
	if (stream) {
		buf_clear(stream);
		buf_add(stream, call->stream.data, call->stream.len);
		if (buf_check(stream, call->method, err))
			return -1;
	}
	if (result) {
		*result = call->result;
		call->result = NULL;
	}
	return 0;
}

int
control_request(struct control *c, const char *method, cJSON *params,
		int64_t timeout_ms, cJSON **result, struct buf *stream,
		struct deadline dl, struct err *err)
{
	int64_t limit =
		timeout_ms >= 0 ? timeout_ms + CONTROL_GRACE_MS : REQUEST_MS;
	struct control_call call;
	int64_t start_us = deadline_now_us();
	int rc;

	if (control_begin(c, method, params, timeout_ms, &call, dl, err))
		return -1;
	rc = await(c, &call, deadline_cap(dl, limit), err);
	if (rc && !call.done) {
		bool late =
			err->code == ERR_TIMEOUT && deadline_left_ms(dl) > 0;

		if (err->code != ERR_IO)
			control_abandon(c, &call);
		else
			control_call_finish(c, &call);
		if (late)
			rc = diagnose(c, method, limit, dl, err);
	}
	if (rc == 0)
		rc = control_call_take(&call, result, stream, err);
	control_call_done(&call);
	trace_begin("control.request");
	trace_str("method", method);
	trace_int("ms", (deadline_now_us() - start_us) / 1000);
	if (rc)
		trace_str("error", err->msg);
	trace_end();
	return rc;
}
