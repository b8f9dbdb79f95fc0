#include "control/control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/trace.h"
#include "control/control_frame.h"
#include "transport/sock.h"

enum {
	READ_STEP = 64 << 10,
	READS = 64,
	REQUEST_MS = 20000,
	GRACE_MS = 2000,
	SEND_MS = 3000, /* deaf to signals, so not for long */
	PING_MS = 1000,
	HUNG_MS = 5000,
};

struct control {
	int fd;
	struct buf in;
	struct control_info info;
	struct control_spec spec;
	int64_t next_id;
	int64_t written_us;
	size_t max_message;
	struct control_call *call; /* in flight, not a ping */
	struct control_call *ping;
	cJSON *last_error;
};

static const struct {
	enum control_cap cap;
	const char *name;
} caps[] = {
	{CONTROL_UI, "ui"},
	{CONTROL_TREE, "tree"},
	{CONTROL_NAV, "nav"},
	{CONTROL_WAIT, "wait"},
	{CONTROL_SCREENSHOT, "screenshot"},
	{CONTROL_SCRIPT, "script"},
	{CONTROL_CALL, "call"},
	{CONTROL_PROFILER, "profiler"},
	{CONTROL_SNAPSHOT, "snapshot"},
	{CONTROL_GSC, "gsc"},
	{CONTROL_FILE, "file"},
	{CONTROL_LOG, "log"},
	{CONTROL_ACTION, "action"},
};

const char *
control_cap_name(enum control_cap cap)
{
	for (size_t i = 0; i < CONTROL_CAP_COUNT; i++) {
		if (caps[i].cap == cap)
			return caps[i].name;
	}
	return "?";
}

/* The kinds of the protocol: the stable names behind the codes. */
static const char *const kinds[] = {
	"NotFound",	"Ambiguous", "NotInteractable", "Covered",
	"Timeout",	"Busy",	     "ScriptError",	"NotSupported",
	"Unauthorized", "TooLarge",  "Cancelled",	"Paused",
	"Version",
};

static const char *
kind_of(const cJSON *error)
{
	const char *kind = json_str(error, "data.kind", NULL);
	int64_t code = json_int(error, "code", 0);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (kind ? strcmp(kind, kinds[i]) == 0
			 : code == -32001 - (int64_t)i)
			return kinds[i];
	}
	if (code == -32601)
		return "NotSupported";
	return "RemoteError";
}

static int
fill_error(const char *method, const cJSON *error, struct err *err)
{
	AUTO_BUF struct buf text = BUF_INIT;
	const char *kind = kind_of(error);
	const char *message = json_str(error, "message", "no message");
	const char *detail = json_str(error, "data.detail", NULL);
	const char *by = json_str(error, "data.by", NULL);

	buf_escaped(&text, message, strnlen(message, 300));
	if (by) {
		buf_str(&text, ", by ");
		buf_escaped(&text, by, strnlen(by, 120));
	}
	if (detail) {
		buf_str(&text, ": ");
		buf_escaped(&text, detail, strnlen(detail, 200));
	}
	err_set(err, strcmp(kind, "Unauthorized") == 0 ? ERR_AUTH : ERR_REMOTE,
		"%s: %s: %s", method, kind, text.data);
	return err_reason(err, kind);
}

static int
lost(struct err *err)
{
	err_wrap(err, "the app's control server");
	return err_reason(err, "control_lost");
}

static int
send_frame(struct control *c, cJSON *message, struct deadline dl,
	   struct err *err)
{
	AUTO_BUF struct buf out = BUF_INIT_MAX(CONTROL_MAX_MESSAGE + 4);
	AUTO_FREE char *text = json_text(message);
	size_t len = strlen(text);

	cJSON_Delete(message);
	if (len > c->max_message)
		return err_set(err, ERR_INPUT,
			       "a request of %zu bytes is over the server's "
			       "limit of %zu",
			       len, c->max_message);
	control_frame_json(&out, text, len);
	if (sock_write(c->fd, out.data, out.len, dl, err))
		return lost(err);
	c->written_us = deadline_now_us();
	return 0;
}

static cJSON *
message(const char *method, cJSON *params)
{
	cJSON *m = json_obj();

	json_set_str(m, "jsonrpc", "2.0");
	json_set_str(m, "method", method);
	json_set(m, "params", params ? params : json_obj());
	return m;
}

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
	m = message(method, params);
	json_set_int(m, "id", call->id);
	/* Cut short, it would leave half a frame on the stream. */
	if (send_frame(c, m,
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

static void
finish(struct control *c, struct control_call *call)
{
	call->done = true;
	if (c->call == call)
		c->call = NULL;
	if (c->ping == call)
		c->ping = NULL;
}

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
			finish(c, call);
		return;
	}
	call->failed = true;
	finish(c, call);
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
		fill_error(call->method, error, &call->error);
		cJSON_Delete(c->last_error);
		c->last_error =
			cJSON_DetachItemFromObjectCaseSensitive(m, "error");
		call->failed = true;
		finish(c, call);
		return;
	}
	call->result = cJSON_DetachItemFromObjectCaseSensitive(m, "result");
	call->stream_id = json_int(call->result, "stream", -1);
	if (call->collected_id != call->stream_id)
		other_stream(call, call->stream_id);
	if (call->stream_id < 0)
		finish(c, call);
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
control_fd(const struct control *c)
{
	return c->fd;
}

int
control_pump(struct control *c, struct err *err)
{
	/* Bounded, so that the caller sees its deadline in a flood. */
	for (size_t i = 0; i < READS; i++) {
		char *to = buf_reserve(&c->in, READ_STEP);
		ssize_t n;

		if (to == NULL) {
			err_set(err, ERR_PROTO, "the app floods us");
			return lost(err);
		}
		n = sock_take(c->fd, to, READ_STEP);
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n == 0)
			err_set(err, ERR_IO, "closed the connection");
		else if (n < 0)
			err_sys(err, "read");
		if (n <= 0)
			return lost(err);
		buf_added(&c->in, (size_t)n);
		if (frames(c, err))
			return lost(err);
	}
	return 0;
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
	(void)send_frame(c, message("cancel", params), deadline_in(NULL, 200),
			 &err);
	finish(c, call);
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
		finish(c, &call);
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
		return lost(err);
	}
	if (p.main_thread_age_ms > HUNG_MS) {
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
control_request(struct control *c, const char *method, cJSON *params,
		int64_t timeout_ms, cJSON **result, struct buf *stream,
		struct deadline dl, struct err *err)
{
	int64_t limit = timeout_ms >= 0 ? timeout_ms + GRACE_MS : REQUEST_MS;
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
			finish(c, &call);
		if (late)
			rc = diagnose(c, method, limit, dl, err);
	}
	if (rc == 0 && stream) {
		buf_clear(stream);
		buf_add(stream, call.stream.data, call.stream.len);
		rc = buf_check(stream, method, err);
	}
	if (rc == 0 && result) {
		*result = call.result;
		call.result = NULL;
	}
	control_call_done(&call);
	trace_begin("control.request");
	trace_str("method", method);
	trace_int("ms", (deadline_now_us() - start_us) / 1000);
	if (rc)
		trace_str("error", err->msg);
	trace_end();
	return rc;
}

int64_t
control_silent_ms(const struct control *c)
{
	return (deadline_now_us() - c->written_us) / 1000;
}

const struct control_info *
control_info(const struct control *c)
{
	return &c->info;
}

const cJSON *
control_last_error(const struct control *c)
{
	return c->last_error;
}

bool
control_has(const struct control *c, enum control_cap cap)
{
	return c && (c->info.caps & cap) != 0;
}

/* "nav:usn" is nav; what we do not know is ignored. */
static unsigned
read_caps(const cJSON *hello)
{
	const cJSON *item;
	unsigned set = 0;

	cJSON_ArrayForEach(item, json_get(hello, "capabilities"))
	{
		const char *name =
			cJSON_IsString(item) ? item->valuestring : "";
		size_t len = strcspn(name, ":");

		for (size_t i = 0; i < CONTROL_CAP_COUNT; i++) {
			if (strlen(caps[i].name) == len &&
			    memcmp(caps[i].name, name, len) == 0)
				set |= caps[i].cap;
		}
	}
	if (json_count(hello, "actions") > 0)
		set |= CONTROL_ACTION;
	return set;
}

static char *
text(const cJSON *v, const char *path)
{
	return mem_strdup(json_str(v, path, ""));
}

static void
read_info(struct control_info *i, cJSON *hello)
{
	const cJSON *item;
	AUTO_FREE char *build = json_id(hello, "app.build");

	i->hello = hello;
	i->caps = read_caps(hello);
	i->server = text(hello, "server");
	i->session = text(hello, "session");
	i->package = text(hello, "app.package");
	i->version = text(hello, "app.version");
	i->build = mem_strdup(build ? build : "");
	i->commit = text(hello, "app.commit");
	i->unity = text(hello, "app.unity");
	i->gpu = text(hello, "device.gpu");
	i->api = text(hello, "device.api");
	i->dev = json_bool(hello, "app.dev", true);
	i->pid = json_int(hello, "app.pid", 0);
	i->action = mem_array(json_count(hello, "actions"), sizeof(char *));
	cJSON_ArrayForEach(item, json_get(hello, "actions"))
	{
		if (cJSON_IsString(item))
			i->action[i->action_count++] =
				mem_strdup(item->valuestring);
	}
}

static int
hello(struct control *c, struct deadline dl, struct err *err)
{
	cJSON *params = json_obj(), *versions = json_arr(), *want = json_arr(),
	      *result = NULL;

	json_set_str(params, "protocol", "pcp");
	json_push(versions, cJSON_CreateNumber(1));
	json_set(params, "versions", versions);
	if (c->spec.token && c->spec.token->value)
		json_set_str(params, "token", c->spec.token->value);
	json_set_str(params, "client", "patrol " PATROL_VERSION);
	json_push_str(want, "binary");
	json_push_str(want, "log");
	json_set(params, "want", want);
	json_set_int(params, "maxMessage", CONTROL_MAX_MESSAGE);
	if (control_request(c, "hello", params, -1, &result, NULL, dl, err)) {
		if (err->code == ERR_AUTH)
			return err_hint(err, "the app was not started with "
					     "this run's token; for an app "
					     "with another, set "
					     "PATROL_CONTROL_TOKEN");
		return -1;
	}
	if (json_int(result, "version", 0) != 1) {
		cJSON_Delete(result);
		err_set(err, ERR_PROTO,
			"the app's control server speaks no PCP/1");
		return err_reason(err, "Version");
	}
	read_info(&c->info, result);
	c->max_message =
		(size_t)json_int(result, "maxMessage", CONTROL_MAX_MESSAGE);
	if (c->max_message < 1024 || c->max_message > CONTROL_MAX_MESSAGE)
		c->max_message = CONTROL_MAX_MESSAGE;
	return 0;
}

int
control_open(struct control **out, const struct control_spec *spec,
	     struct deadline dl, struct err *err)
{
	struct control *c = mem_alloc(sizeof(*c));

	c->fd = -1;
	c->spec = *spec;
	c->next_id = 1;
	c->max_message = CONTROL_MAX_MESSAGE;
	buf_init(&c->in,
		 CONTROL_MAX_MESSAGE + CONTROL_MAX_CHUNK + 2 * READ_STEP);
	if (spec->dial(spec->arg, &c->fd, dl, err) || hello(c, dl, err)) {
		control_close(c);
		return -1;
	}
	log_debug("control: %s, session %s", c->info.server, c->info.session);
	*out = c;
	return 0;
}

void
control_close(struct control *c)
{
	struct control_info *i;
	struct err err = ERR_INIT;

	if (c == NULL)
		return;
	i = &c->info;
	if (i->hello) {
		cJSON *params = json_obj();

		json_set_str(params, "reason", "done");
		/* A courtesy: the server would notice the close as well. */
		(void)send_frame(c, message("bye", params),
				 deadline_in(NULL, 100), &err);
	}
	if (c->fd >= 0)
		close(c->fd);
	cJSON_Delete(c->last_error);
	cJSON_Delete(i->hello);
	free(i->server);
	free(i->session);
	free(i->package);
	free(i->version);
	free(i->build);
	free(i->commit);
	free(i->unity);
	free(i->gpu);
	free(i->api);
	for (size_t n = 0; n < i->action_count; n++)
		free(i->action[n]);
	free(i->action);
	buf_done(&c->in);
	free(c);
}
