#include <string.h>

#include "base/mem.h"
#include "run/probe_check.h"

/* The methods behind the capabilities. */

#define ABSENT "//PatrolProbeAbsent"
#define ONE    "{\"object\": \"" ABSENT "\"}"

enum {
	WAIT_MS = 400,
	WAIT_LATE_MS = 1500, /* so much later it still is in time */
	LONG_MS = 30000,
	MAX_CHUNK_DATA = 256 << 10,
};

/* A literal of ours. */
static cJSON *
literal(const char *text)
{
	return cJSON_Parse(text);
}

static int
app_state(struct probe_look *l, struct deadline dl, struct buf *got,
	  struct err *err)
{
	return probe_check_result(
		l, "app.state", NULL,
		"scene:s scenes:a loading:b timeScale:n fps:n memory:o", NULL,
		dl, got, err);
}

static int
nav_state(struct probe_look *l, struct deadline dl, struct buf *got,
	  struct err *err)
{
	return probe_check_result(l, "nav.state", NULL, "stack:a transition:?",
				  NULL, dl, got, err);
}

static int
find_absent(struct probe_look *l, struct deadline dl, struct buf *got,
	    struct err *err)
{
	cJSON *params = literal("{\"by\": \"path\", \"value\": \"" ABSENT
				"\", \"max\": 1}");
	AUTO_JSON cJSON *answer = NULL;
	const cJSON *objects;

	if (probe_wire_ask(&l->w, "ui.find", params, &answer, dl, err))
		return -1;
	objects = json_get(answer, "result.objects");
	if (cJSON_IsArray(objects)) {
		probe_check_describe(answer, got);
		return objects->child == NULL;
	}
	return probe_check_error(answer, -32001, "NotFound", got);
}

static int
click_absent(struct probe_look *l, struct deadline dl, struct buf *got,
	     struct err *err)
{
	return probe_check_refused(
		l, "ui.click",
		literal("{\"target\": {\"by\": \"path\", \"value\": \"" ABSENT
			"\"}, \"mode\": \"raycast\"}"),
		-32001, "NotFound", dl, got, err);
}

static int
tree(struct probe_look *l, struct deadline dl, struct buf *got, struct err *err)
{
	AUTO_JSON cJSON *result = NULL;
	int rc = probe_check_result(
		l, "ui.tree",
		literal("{\"visible\": false, \"max\": 1, \"budgetMs\": 4}"),
		"nodes:a", &result, dl, got, err);

	if (rc == 1 && json_count(result, "nodes") > 1)
		return 0;
	return rc;
}

/* --- wait ---------------------------------------------------------------- */

static int
wait_false(struct probe_look *l, struct deadline dl, struct buf *got,
	   struct err *err)
{
	cJSON *params = literal("{\"cond\": " ONE "}");
	int64_t start_us = deadline_now_us(), ms;
	int rc;

	json_set_int(params, "timeoutMs", WAIT_MS);
	rc = probe_check_refused(l, "wait", params, -32005, "Timeout", dl, got,
				 err);
	ms = (deadline_now_us() - start_us) / 1000;
	buf_fmt(got, ", after %lld ms", (long long)ms);
	if (rc == 1 && (ms < WAIT_MS - 20 || ms > WAIT_MS + WAIT_LATE_MS))
		return 0;
	return rc;
}

static int
wait_any(struct probe_look *l, struct deadline dl, struct buf *got,
	 struct err *err)
{
	AUTO_JSON cJSON *result = NULL;
	int rc = probe_check_result(
		l, "wait",
		literal("{\"cond\": {\"any\": [" ONE ", {\"not\": " ONE
			"}]}, \"timeoutMs\": 2000}"),
		"t:n sinceT:n frame:n elapsedMs:n matched:n", &result, dl, got,
		err);

	if (rc == 1 && json_int(result, "matched", -1) != 1)
		return 0;
	return rc;
}

/* It is one or the other, and the server must know the word. */
static int
wait_idle(struct probe_look *l, struct deadline dl, struct buf *got,
	  struct err *err)
{
	return probe_check_result(
		l, "wait",
		literal("{\"cond\": {\"any\": [{\"idle\": true}, {\"idle\": "
			"false}]}, \"timeoutMs\": 2000}"),
		"t:n matched:n", NULL, dl, got, err);
}

static int
wait_nonsense(struct probe_look *l, struct deadline dl, struct buf *got,
	      struct err *err)
{
	return probe_check_refused(
		l, "wait",
		literal("{\"cond\": {\"moon\": \"full\"}, \"timeoutMs\": 100}"),
		-32602, NULL, dl, got, err);
}

/* A ping overtakes a request that the main thread has not ended. */
static int
ping_overtakes(struct probe_look *l, struct deadline dl, struct buf *got,
	       struct err *err)
{
	cJSON *params = literal("{\"cond\": " ONE "}");
	AUTO_JSON cJSON *first = NULL, *second = NULL;
	int64_t wait_id, ping_id;

	json_set_int(params, "timeoutMs", WAIT_MS);
	if (probe_wire_send(&l->w, "wait", params, &wait_id, dl, err) ||
	    probe_wire_send(&l->w, "ping", NULL, &ping_id, dl, err) ||
	    probe_wire_next(&l->w, &first, dl, err) ||
	    probe_wire_next(&l->w, &second, dl, err))
		return -1;
	if (json_int(first, "id", -1) == ping_id) {
		buf_str(got, "the ping's answer came first");
		return 1;
	}
	buf_str(got, "the ping had to wait: ");
	probe_check_describe(first, got);
	return 0;
}

static int
cancelled(struct probe_look *l, struct deadline dl, struct buf *got,
	  struct err *err)
{
	cJSON *params = literal("{\"cond\": " ONE "}"), *which = json_obj();
	AUTO_JSON cJSON *answer = NULL;
	int64_t id;

	json_set_int(params, "timeoutMs", LONG_MS);
	if (probe_wire_send(&l->w, "wait", params, &id, dl, err)) {
		cJSON_Delete(which);
		return -1;
	}
	json_set_int(which, "id", id);
	if (probe_wire_send(&l->w, "cancel", which, NULL, dl, err) ||
	    probe_wire_next(&l->w, &answer, dl, err))
		return -1;
	return probe_check_error(answer, -32011, "Cancelled", got);
}

/* --- pictures, scripts, files -------------------------------------------- */

static bool
is_picture(const struct buf *b)
{
	return (b->len > 8 && memcmp(b->data, "\x89PNG\r\n\x1a\n", 8) == 0) ||
	       (b->len > 3 && memcmp(b->data, "\xff\xd8\xff", 3) == 0);
}

static int
screenshot(struct probe_look *l, struct deadline dl, struct buf *got,
	   struct err *err)
{
	AUTO_JSON cJSON *result = NULL;
	int rc = probe_check_result(
		l, "screenshot",
		literal("{\"format\": \"png\", \"scale\": 0.5}"),
		"mime:s width:n height:n frame:n stream:n bytes:n", &result, dl,
		got, err);

	if (rc != 1)
		return rc;
	if (probe_wire_stream(&l->w, dl, err))
		return err_wrap(err, "the chunks of stream %lld",
				(long long)json_int(result, "stream", -1));
	buf_fmt(got, "; %zu chunk%s, %zu bytes", l->w.chunks,
		l->w.chunks == 1 ? "" : "s", l->w.stream.len);
	if (l->w.mixed || json_int(result, "stream", -1) != l->w.stream_id)
		buf_str(got, ", of another stream");
	else if (l->w.largest > MAX_CHUNK_DATA)
		buf_str(got, ", a chunk over 256 KiB");
	else if (json_int(result, "bytes", -1) != (int64_t)l->w.stream.len)
		buf_str(got, ", not what 'bytes' says");
	else if (!is_picture(&l->w.stream))
		buf_str(got, ", neither PNG nor JPEG");
	else
		return 1;
	return 0;
}

static int
script(struct probe_look *l, struct deadline dl, struct buf *got,
       struct err *err)
{
	AUTO_JSON cJSON *result = NULL;
	int rc = probe_check_result(
		l, "script.eval",
		literal("{\"code\": \"({sum: args.a + 2})\", \"args\": {\"a\": "
			"1}, \"name\": \"probe\", \"as\": \"json\", "
			"\"timeoutMs\": 2000}"),
		"value:o elapsedMs:n frame:n", &result, dl, got, err);

	if (rc == 1 && json_int(result, "value.sum", 0) != 3)
		return 0;
	return rc;
}

static int
script_fails(struct probe_look *l, struct deadline dl, struct buf *got,
	     struct err *err)
{
	return probe_check_refused(
		l, "script.eval",
		literal("{\"code\": \"throw new Error('probe')\", \"timeoutMs\""
			": 2000}"),
		-32007, "ScriptError", dl, got, err);
}

static int
call_absent(struct probe_look *l, struct deadline dl, struct buf *got,
	    struct err *err)
{
	return probe_check_refused(
		l, "call",
		literal("{\"type\": \"Patrol.Probe.Absent\", \"method\": "
			"\"None\", \"args\": []}"),
		-32001, "NotFound", dl, got, err);
}

static int
action_absent(struct probe_look *l, struct deadline dl, struct buf *got,
	      struct err *err)
{
	return probe_check_refused(
		l, "action",
		literal("{\"name\": \"patrol.probe.absent\", \"args\": {}}"),
		-32001, "NotFound", dl, got, err);
}

static int
file_list(struct probe_look *l, struct deadline dl, struct buf *got,
	  struct err *err)
{
	return probe_check_result(l, "file.list", NULL, "files:a", NULL, dl,
				  got, err);
}

/* Nothing outside of the app's own folder, by whatever name. */
static int
file_confined(struct probe_look *l, struct deadline dl, struct buf *got,
	      struct err *err)
{
	static const char *const paths[] = {
		"/system/build.prop", "/proc/self/maps",
		"../../../../../../system/build.prop",
		"/sdcard/Android/../../system/build.prop"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		AUTO_JSON cJSON *answer = NULL;
		cJSON *params = json_obj();

		json_set_str(params, "path", paths[i]);
		if (probe_wire_ask(&l->w, "file.read", params, &answer, dl,
				   err))
			return -1;
		if (!cJSON_IsObject(json_get(answer, "error"))) {
			buf_fmt(got, "it gave away '%s'", paths[i]);
			return 0;
		}
	}
	buf_str(got, "each refused");
	return 1;
}

static int
subscribe(struct probe_look *l, struct deadline dl, struct buf *got,
	  struct err *err)
{
	return probe_check_result(l, "events.subscribe",
				  literal("{\"names\": [\"log\"], \"level\": "
					  "\"error\"}"),
				  "seq:n", NULL, dl, got, err);
}

const struct probe_check probe_calls_checks[] = {
	{"app.state", "scene, scenes, loading, timeScale, fps, memory", 0,
	 app_state},
	{"nav.state", "stack and transition", CONTROL_NAV, nav_state},
	{"ui.find, absent object", "no object, or error -32001 NotFound",
	 CONTROL_UI, find_absent},
	{"ui.click, absent object", "error -32001 NotFound", CONTROL_UI,
	 click_absent},
	{"ui.tree, one node", "a page of one node", CONTROL_TREE, tree},
	{"wait, never true", "error -32005 Timeout after 400 ms", CONTROL_WAIT,
	 wait_false},
	{"wait, any", "matched 1, sinceT", CONTROL_WAIT, wait_any},
	{"wait, idle", "the condition is known", CONTROL_WAIT, wait_idle},
	{"wait, nonsense", "error -32602", CONTROL_WAIT, wait_nonsense},
	{"ping during a wait", "the socket thread answers at once",
	 CONTROL_WAIT, ping_overtakes},
	{"cancel", "error -32011 Cancelled", CONTROL_WAIT, cancelled},
	{"screenshot", "chunks of one stream that make a picture",
	 CONTROL_SCREENSHOT, screenshot},
	{"script.eval", "value {sum: 3}", CONTROL_SCRIPT, script},
	{"script.eval, exception", "error -32007 ScriptError", CONTROL_SCRIPT,
	 script_fails},
	{"call, absent type", "error -32001 NotFound", CONTROL_CALL,
	 call_absent},
	{"action, absent name", "error -32001 NotFound", CONTROL_ACTION,
	 action_absent},
	{"file.list", "files", CONTROL_FILE, file_list},
	{"file.read outside", "an error for each path", CONTROL_FILE,
	 file_confined},
	{"events.subscribe", "seq", CONTROL_LOG, subscribe},
};
const size_t probe_calls_count =
	sizeof(probe_calls_checks) / sizeof(*probe_calls_checks);
