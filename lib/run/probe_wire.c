#include "run/probe_wire.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "control/control_frame.h"
#include "run/app.h"
#include "transport/sock.h"

enum { READ_STEP = 64 << 10 };

int
probe_wire_open(struct probe_wire *w, struct run *r, struct deadline dl,
		struct err *err)
{
	*w = (struct probe_wire){.fd = -1, .next_id = 1, .stream_id = -1};
	buf_init(&w->in,
		 CONTROL_MAX_MESSAGE + CONTROL_MAX_CHUNK + 2 * READ_STEP);
	buf_init(&w->stream, CONTROL_MAX_STREAM);
	return app_dial(r, &w->fd, dl, err);
}

void
probe_wire_done(struct probe_wire *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
	w->greeted = false;
	cJSON_Delete(w->bye);
	w->bye = NULL;
	buf_done(&w->in);
	buf_done(&w->stream);
}

int
probe_wire_raw(struct probe_wire *w, const char *text, size_t len,
	       struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf out = BUF_INIT_MAX(2 * CONTROL_MAX_MESSAGE);

	buf_clear(&w->stream);
	w->stream_id = -1;
	w->chunks = w->largest = 0;
	w->last = w->mixed = false;
	control_frame_json(&out, text, len);
	return sock_write(w->fd, out.data, out.len, dl, err);
}

int
probe_wire_send(struct probe_wire *w, const char *method, cJSON *params,
		int64_t *id, struct deadline dl, struct err *err)
{
	AUTO_JSON cJSON *m = json_obj();
	AUTO_FREE char *text = NULL;

	json_set_str(m, "jsonrpc", "2.0");
	json_set_str(m, "method", method);
	json_set(m, "params", params ? params : json_obj());
	if (id) {
		*id = w->next_id++;
		json_set_int(m, "id", *id);
	}
	text = json_text(m);
	return probe_wire_raw(w, text, strlen(text), dl, err);
}

static void
note_chunk(struct probe_wire *w, const struct control_frame *f)
{
	w->chunks++;
	if (f->len > w->largest)
		w->largest = f->len;
	if (w->stream_id >= 0 && w->stream_id != (int64_t)f->stream)
		w->mixed = true;
	w->stream_id = f->stream;
	buf_add(&w->stream, f->data, f->len);
	if (f->flags & (CONTROL_FRAME_LAST | CONTROL_FRAME_ABORT))
		w->last = true;
}

/* Reads once; sets `ended` at the end of the stream. */
static int
read_some(struct probe_wire *w, struct deadline dl, struct err *err)
{
	char *to = buf_reserve(&w->in, READ_STEP);
	ssize_t n;

	if (to == NULL)
		return err_set(err, ERR_PROTO, "the server floods us");
	n = sock_recv(w->fd, to, READ_STEP, dl, err);
	if (n < 0)
		return -1;
	if (n == 0) {
		w->ended = true;
		w->greeted = false;
		err_set(err, ERR_IO, "the server closed the connection");
		return err_reason(err, "cut");
	}
	buf_added(&w->in, (size_t)n);
	return 0;
}

/* One frame: 1 and an answer, or 1 without one, 0 when there is none yet. */
static int
take_frame(struct probe_wire *w, cJSON **answer, struct err *err)
{
	struct control_frame f;
	AUTO_JSON cJSON *m = NULL;
	const char *method;
	int rc = control_frame_next(w->in.data, w->in.len, CONTROL_MAX_MESSAGE,
				    &f, err);

	if (rc <= 0)
		return rc;
	if (f.binary) {
		note_chunk(w, &f);
		buf_drop(&w->in, f.used);
		return 1;
	}
	rc = json_parse(f.data, f.len, "the server's message", &m, err);
	buf_drop(&w->in, f.used);
	if (rc)
		return -1;
	method = json_str(m, "method", NULL);
	if (method == NULL) {
		*answer = m;
		m = NULL;
	} else if (strcmp(method, "bye") == 0) {
		cJSON_Delete(w->bye);
		w->bye = cJSON_Duplicate(m, 1);
	} else {
		w->events++;
	}
	return 1;
}

int
probe_wire_next(struct probe_wire *w, cJSON **answer, struct deadline dl,
		struct err *err)
{
	*answer = NULL;
	for (;;) {
		int rc = take_frame(w, answer, err);

		if (rc < 0)
			return -1;
		if (*answer)
			return 0;
		if (rc == 0 && read_some(w, dl, err))
			return -1;
	}
}

int
probe_wire_stream(struct probe_wire *w, struct deadline dl, struct err *err)
{
	while (!w->last) {
		cJSON *answer = NULL;
		int rc = take_frame(w, &answer, err);

		cJSON_Delete(answer);
		if (rc < 0 || (rc == 0 && read_some(w, dl, err)))
			return -1;
	}
	return 0;
}

int
probe_wire_end(struct probe_wire *w, struct deadline dl, struct err *err)
{
	struct err why = ERR_INIT;
	cJSON *answer;

	while (!w->ended) {
		if (probe_wire_next(w, &answer, dl, &why) == 0) {
			cJSON_Delete(answer);
			continue;
		}
		/* A reset is an end as well. */
		if (why.code == ERR_IO)
			return 0;
		*err = why;
		return -1;
	}
	return 0;
}

int
probe_wire_ask(struct probe_wire *w, const char *method, cJSON *params,
	       cJSON **answer, struct deadline dl, struct err *err)
{
	cJSON *got;
	int64_t id;

	if (probe_wire_send(w, method, params, &id, dl, err))
		return -1;
	for (;;) {
		if (probe_wire_next(w, &got, dl, err))
			return -1;
		if (json_int(got, "id", -1) == id) {
			*answer = got;
			return 0;
		}
		cJSON_Delete(got);
	}
}

int
probe_wire_hello(struct probe_wire *w, const int *versions, const char *token,
		 cJSON **answer, struct deadline dl, struct err *err)
{
	cJSON *params = json_obj(), *list = json_arr(), *want = json_arr();

	json_set_str(params, "protocol", "pcp");
	for (; *versions; versions++)
		json_push(list, cJSON_CreateNumber(*versions));
	json_set(params, "versions", list);
	if (token)
		json_set_str(params, "token", token);
	json_set_str(params, "client", "patrol " PATROL_VERSION " probe");
	json_push_str(want, "binary");
	json_set(params, "want", want);
	json_set_int(params, "maxMessage", CONTROL_MAX_MESSAGE);
	if (probe_wire_ask(w, "hello", params, answer, dl, err))
		return -1;
	w->greeted = cJSON_IsObject(json_get(*answer, "result"));
	return 0;
}
