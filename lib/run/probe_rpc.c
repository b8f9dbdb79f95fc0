#include <string.h>

#include "base/mem.h"
#include "run/probe_check.h"

/* JSON-RPC itself, the socket thread, and the change of streams. */

static int
malformed(struct probe_look *l, struct deadline dl, struct buf *got,
	  struct err *err)
{
	static const char text[] = "{\"jsonrpc\": \"2.0\", \"id\": 1, ";
	AUTO_JSON cJSON *answer = NULL;

	if (probe_wire_raw(&l->w, text, sizeof(text) - 1, dl, err) ||
	    probe_wire_next(&l->w, &answer, dl, err))
		return -1;
	return probe_check_error(answer, -32700, NULL, got);
}

static int
no_request(struct probe_look *l, struct deadline dl, struct buf *got,
	   struct err *err)
{
	static const char text[] = "{\"jsonrpc\": \"2.0\", \"id\": 7}";
	AUTO_JSON cJSON *answer = NULL;

	if (probe_wire_raw(&l->w, text, sizeof(text) - 1, dl, err) ||
	    probe_wire_next(&l->w, &answer, dl, err))
		return -1;
	return probe_check_error(answer, -32600, NULL, got);
}

static int
no_method(struct probe_look *l, struct deadline dl, struct buf *got,
	  struct err *err)
{
	return probe_check_refused(l, "patrol.absent", NULL, -32601, NULL, dl,
				   got, err);
}

static int
unknown_field(struct probe_look *l, struct deadline dl, struct buf *got,
	      struct err *err)
{
	cJSON *params = json_obj();

	json_set_str(params, "fieldOfTheFuture", "x");
	return probe_check_result(l, "app.state", params, "scene:s", NULL, dl,
				  got, err);
}

static int
ping(struct probe_look *l, struct deadline dl, struct buf *got, struct err *err)
{
	return probe_check_result(
		l, "ping", NULL,
		"t:n frame:n mainThreadAgeMs:n paused:b focused:b loading:b "
		"lowMemory:b",
		NULL, dl, got, err);
}

/* One byte over the limit; then the stream must still be good. */
static int
too_large(struct probe_look *l, struct deadline dl, struct buf *got,
	  struct err *err)
{
	size_t n = CONTROL_MAX_MESSAGE + 1;
	AUTO_FREE char *text = mem_alloc(n + 1);
	AUTO_JSON cJSON *answer = NULL, *alive = NULL;

	memset(text, ' ', n);
	memcpy(text, "{}", 2);
	if (probe_wire_raw(&l->w, text, n, dl, err) ||
	    probe_wire_next(&l->w, &answer, dl, err))
		return -1;
	if (!probe_check_error(answer, -32010, "TooLarge", got))
		return 0;
	if (probe_wire_ask(&l->w, "ping", NULL, &alive, dl, err)) {
		err_wrap(err, "TooLarge came; a ping behind it");
		return -1;
	}
	buf_str(got, "; the connection survived");
	return json_get(alive, "result") != NULL;
}

/* The old stream gets bye and its end; the new one works. */
static int
takeover(struct probe_look *l, struct deadline dl, struct buf *got,
	 struct err *err)
{
	static const int versions[] = {1, 0};
	AUTO_JSON cJSON *answer = NULL, *ping = NULL;
	struct probe_wire w;
	int rc = -1;

	if (probe_wire_open(&w, l->r, dl, err) ||
	    probe_wire_hello(&w, versions, l->r->token.value, &answer, dl, err))
		goto out;
	if (!w.greeted) {
		probe_check_describe(answer, got);
		rc = 0;
		goto out;
	}
	if (probe_wire_end(&l->w, dl, err)) {
		err_wrap(err, "the older stream did not end");
		goto out;
	}
	if (probe_wire_ask(&w, "ping", NULL, &ping, dl, err)) {
		err_wrap(err, "ping on the newer stream");
		goto out;
	}
	rc = l->w.bye != NULL && json_get(ping, "result") != NULL;
	buf_fmt(got, "the older stream %s, the newer %s",
		l->w.bye ? "got bye and ended" : "ended without bye",
		json_get(ping, "result") ? "works" : "does not");
out:
	/* The newer one goes on as ours. */
	if (rc >= 0 && w.greeted) {
		probe_wire_done(&l->w);
		l->w = w;
	} else {
		probe_wire_done(&w);
	}
	return rc;
}

const struct probe_check probe_rpc_checks[] = {
	{"malformed JSON", "error -32700", 0, malformed},
	{"no request", "error -32600", 0, no_request},
	{"unknown method", "error -32601", 0, no_method},
	{"unknown field", "it is ignored", 0, unknown_field},
	{"ping",
	 "t, frame, mainThreadAgeMs, paused, focused, loading, "
	 "lowMemory",
	 0, ping},
	{"a frame over 4 MiB", "error -32010 TooLarge, and the stream goes on",
	 0, too_large},
	{"a second hello", "the older stream gets bye and ends", 0, takeover},
};
const size_t probe_rpc_count =
	sizeof(probe_rpc_checks) / sizeof(*probe_rpc_checks);
