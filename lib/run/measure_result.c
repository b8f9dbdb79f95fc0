#include "run/measure_parts.h"

void
measure_mark(struct run *r, const char *kind, const char *screen, double app_ms,
	     int64_t frame)
{
	cJSON *m = json_obj();

	json_set_str(m, "kind", kind);
	json_set_str(m, "screen", screen);
	json_set(m, "frame",
		 frame > 0 ? cJSON_CreateNumber((double)frame)
			   : cJSON_CreateNull());
	json_set(m, "app_ms",
		 app_ms >= 0 ? cJSON_CreateNumber((double)(int64_t)app_ms)
			     : cJSON_CreateNull());
	json_set_int(m, "at_ms", result_at_ms(&r->res));
	json_push(result_array(&r->res, "marks"), m);
}

cJSON *
measure_arrived(struct run *r, enum measure_what what, const char *name,
		const char *url, int64_t bytes, bool ok, const char *message)
{
	cJSON *u = json_obj();

	/* Nothing is not a measurement, whoever says it arrived. */
	if (ok && what == MEASURE_DATA && bytes == 0) {
		ok = false;
		message = "it is empty";
	}
	json_set_str(u, "name", name);
	json_set_str(u, "status", ok ? "ok" : "failed");
	json_set_str(u, "url", url);
	if (bytes >= 0)
		json_set_int(u, "size_bytes", bytes);
	json_set_str(u, "message", message);
	json_push(result_array(&r->res, "uploads"), u);
	if (ok && what == MEASURE_DATA)
		json_set_bool(r->res.json, "measured", true);
	return u;
}

cJSON *
measure_result_capture(struct run *r, const char *key)
{
	cJSON *all = result_object(&r->res, "captures");
	cJSON *one = cJSON_GetObjectItemCaseSensitive(all, key);

	if (one == NULL) {
		one = json_obj();
		json_set_str(one, "status", "off");
		json_set(all, key, one);
	}
	return one;
}

void
measure_result_status(struct run *r, const char *key, const char *status,
		      const char *message)
{
	cJSON *c = measure_result_capture(r, key);

	json_set_str(c, "status", status);
	json_set_str(c, "message", message);
}

int
measure_result_failed(struct run *r, const char *key, const char *what,
		      enum measure_state *state, struct err *err)
{
	if (measure_fatal(r, err))
		return -1;
	*state = MEASURE_FAILED;
	measure_result_status(r, key, "failed", err->msg);
	result_error(&r->res, err, what);
	run_say(r, PROGRESS_WARN, "%s: %s", what, err->msg);
	err_clear(err);
	return 0;
}
