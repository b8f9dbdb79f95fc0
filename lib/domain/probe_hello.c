#include <string.h>

#include "base/mem.h"
#include "domain/probe_check.h"

/* How a connection begins and ends: each check on streams of its own. */

static const int one[] = {1, 0}, unknown[] = {98, 99, 0},
		 with_newer[] = {99, 1, 0};

static int
hello_once(struct probe_look *l, const int *versions, const char *token,
	   cJSON **answer, struct deadline dl, struct err *err)
{
	struct probe_wire w;
	int rc = probe_wire_open(&w, l->r, dl, err);

	if (rc == 0)
		rc = probe_wire_hello(&w, versions, token, answer, dl, err);
	probe_wire_done(&w);
	return rc;
}

static int
answers(struct probe_look *l, struct deadline dl, struct buf *got,
	struct err *err)
{
	AUTO_JSON cJSON *answer = NULL;
	const cJSON *r;

	if (hello_once(l, one, l->r->token.value, &answer, dl, err))
		return -1;
	r = json_get(answer, "result");
	if (!cJSON_IsObject(r)) {
		probe_check_describe(answer, got);
		return 0;
	}
	if (json_int(r, "version", 0) != 1) {
		probe_check_describe(answer, got);
		return 0;
	}
	if (!probe_check_fields(
		    r,
		    "server:s session:s app:o app.package:s app.pid:n "
		    "app.unity:s app.il2cpp:b app.dev:b device:o "
		    "capabilities:a actions:a maxMessage:n",
		    got))
		return 0;
	buf_str(got, "all fields");
	return 1;
}

static int
picks(struct probe_look *l, struct deadline dl, struct buf *got,
      struct err *err)
{
	AUTO_JSON cJSON *answer = NULL;

	if (hello_once(l, with_newer, l->r->token.value, &answer, dl, err))
		return -1;
	if (json_int(answer, "result.version", 0) == 1) {
		buf_str(got, "version 1");
		return 1;
	}
	probe_check_describe(answer, got);
	return 0;
}

static int
no_version(struct probe_look *l, struct deadline dl, struct buf *got,
	   struct err *err)
{
	AUTO_JSON cJSON *answer = NULL;

	if (hello_once(l, unknown, l->r->token.value, &answer, dl, err))
		return -1;
	return probe_check_error(answer, -32013, "Version", got);
}

/* As long as ours and wrong in its last digit only. */
static int
wrong_token(struct probe_look *l, struct deadline dl, struct buf *got,
	    struct err *err)
{
	AUTO_FREE char *token = mem_strdup(
		l->r->token.value ? l->r->token.value : "0000000000000000");
	size_t n = strlen(token);
	AUTO_JSON cJSON *answer = NULL;

	if (n > 0)
		token[n - 1] = token[n - 1] == '0' ? '1' : '0';
	if (hello_once(l, one, token, &answer, dl, err))
		return -1;
	return probe_check_error(answer, -32009, "Unauthorized", got);
}

static int
no_token(struct probe_look *l, struct deadline dl, struct buf *got,
	 struct err *err)
{
	AUTO_JSON cJSON *answer = NULL;

	if (hello_once(l, one, NULL, &answer, dl, err))
		return -1;
	return probe_check_error(answer, -32009, "Unauthorized", got);
}

static int
no_hello(struct probe_look *l, struct deadline dl, struct buf *got,
	 struct err *err)
{
	AUTO_JSON cJSON *answer = NULL;
	struct probe_wire w;
	int rc = probe_wire_open(&w, l->r, dl, err);

	if (rc == 0)
		rc = probe_wire_ask(&w, "app.state", NULL, &answer, dl, err);
	probe_wire_done(&w);
	if (rc == 0)
		return probe_check_error(answer, -32009, "Unauthorized", got);
	/* Closed without a word: refused as well. */
	if (err->code != ERR_IO)
		return -1;
	err_clear(err);
	buf_str(got, "the connection ended");
	return 1;
}

/* The old stream gets bye and its end; the new one works. */
static int
takeover(struct probe_look *l, struct deadline dl, struct buf *got,
	 struct err *err)
{
	AUTO_JSON cJSON *answer = NULL, *ping = NULL;
	struct probe_wire w;
	int rc = -1;

	if (probe_wire_open(&w, l->r, dl, err) ||
	    probe_wire_hello(&w, one, l->r->token.value, &answer, dl, err))
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

const struct probe_check probe_hello_checks[] = {
	{"hello", "version 1 and all fields", 0, answers},
	{"hello, newer versions too", "the highest common version", 0, picks},
	{"hello, unknown versions", "error -32013 Version", 0, no_version},
	{"hello, wrong token", "error -32009 Unauthorized", 0, wrong_token},
	{"hello, no token", "error -32009 Unauthorized", 0, no_token},
	{"a request before hello", "error -32009 Unauthorized", 0, no_hello},
};
const size_t probe_hello_count =
	sizeof(probe_hello_checks) / sizeof(*probe_hello_checks);

/* --- JSON-RPC, and the socket thread ------------------------------------- */

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
