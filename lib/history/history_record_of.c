#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "history/history_record.h"
#include "history/metric_put.h"

/*
 * Milliseconds of the walk are told by polling and by frames: a smaller
 * difference between two of them is none.
 */
#define WALK_MS 20.0

/* What a run measured, by metric and subject. */
static const struct metric_put_kind
	load = {"load", "ms", false, false, WALK_MS},
	settle = {"settle", "ms", false, false, WALK_MS},
	memory = {"memory", "bytes", false, false, 0},
	stalls = {"stalls", "count", false, false, 0},
	worst_frame = {"worst_frame", "ms", false, false, 0},
	throttled_after = {"throttled_after", "ms", false, true, 0},
	apk_size = {"apk_size", "bytes", true, false, 0},
	variants = {"shader_variants", "count", true, false, 0},
	crashes = {"crashes", "count", true, false, 0},
	unreached = {"unreached", "count", true, false, 0},
	no_capture = {"captures_missing", "count", true, false, 0},
	frames_kept = {"frames_kept", "count", false, false, 0};

enum {
	SPIKES_TOLD = 40, /* of a result; then there may be more */
	MODERATE = 2,	  /* Android's thermal status */
};

/* --- the walk ------------------------------------------------------------ */

static const char *
why_unused(const cJSON *screen)
{
	return json_bool(screen, "off_route", false) ? "off_route" : NULL;
}

/* The visit whose way this transition was part of; NULL: none. */
static const cJSON *
visit_of(const cJSON *result, const cJSON *transition)
{
	int64_t at_ms = json_int(transition, "at_ms", -1);
	const cJSON *s, *a;

	cJSON_ArrayForEach(s, json_get(result, "screens"))
	{
		cJSON_ArrayForEach(a, json_get(s, "attempts"))
		{
			if (json_int(a, "at_ms", -2) == at_ms)
				return s;
		}
	}
	return NULL;
}

/* Walked once more after the tour, whose own line has what came of it. */
static bool
is_repeat(const cJSON *o)
{
	return json_int(o, "repeat", 0) > 0;
}

static void
take_transitions(struct metric_put *t, const cJSON *result)
{
	const cJSON *x;

	cJSON_ArrayForEach(x, json_get(result, "transitions"))
	{
		const char *why = why_unused(visit_of(result, x));
		AUTO_FREE char *subject =
			mem_fmt("%s>%s", json_str(x, "from", ""),
				json_str(x, "to", ""));

		if (strcmp(json_str(x, "status", ""), "ok") != 0 ||
		    is_repeat(x))
			continue;
		if (json_bool(x, "detour", false))
			why = "off_route";
		metric_put_at(t, &load, subject, x, "ms", why);
	}
}

static void
take_list(struct metric_put *t, const cJSON *list, const char *kind,
	  const char *subject, const char *why)
{
	const cJSON *v;

	cJSON_ArrayForEach(v, list)
	{
		AUTO_FREE char *name =
			mem_fmt("snapshot_%s.%.*s", kind, METRIC_PUT_NAME_MAX,
				json_str(v, "name", ""));

		metric_put_in(t, metric_put_for(t, name, "bytes", true, false),
			      subject, json_num(v, "bytes", NAN), why);
	}
}

static void
take_snapshot(struct metric_put *t, const cJSON *screen, const char *subject,
	      const char *why)
{
	static const char bytes[] = "_bytes";
	const cJSON *snapshot = json_get(screen, "snapshot");
	const cJSON *v;

	cJSON_ArrayForEach(v, json_get(snapshot, "totals"))
	{
		size_t len = strlen(v->string);
		size_t end = sizeof(bytes) - 1;
		bool sized =
			len > end && strcmp(v->string + len - end, bytes) == 0;
		AUTO_FREE char *name =
			mem_fmt("snapshot.%.*s", (int)(sized ? len - end : len),
				v->string);

		if (cJSON_IsNumber(v))
			metric_put_in(t,
				      metric_put_for(t, name,
						     sized ? "bytes" : "count",
						     true, false),
				      subject, v->valuedouble, why);
	}
	take_list(t, json_get(snapshot, "types"), "type", subject, why);
	take_list(t, json_get(snapshot, "areas"), "area", subject, why);
}

static void
take_screens(struct metric_put *t, const cJSON *result)
{
	const cJSON *s;

	cJSON_ArrayForEach(s, json_get(result, "screens"))
	{
		const char *name = json_str(s, "name", "");
		const char *status = json_str(s, "status", "");
		const char *why = why_unused(s);

		if (strcmp(status, "not_visited") == 0)
			continue; /* nobody knows whether it could be */
		metric_put(t, &unreached, name,
			   strcmp(status, "unreached") == 0, NULL);
		if (strcmp(status, "visited") != 0)
			continue;
		metric_put_at(t, &settle, name, s, "settle_ms", why);
		metric_put_at(t, &memory, name, s, "memory_bytes", why);
		take_snapshot(t, s, name, why);
	}
}

/* --- captures ------------------------------------------------------------ */

/* Where a spike was: in a transition, or in the stay on a screen. */
static char *
place_of(const cJSON *spike)
{
	const char *from = json_str(spike, "from", NULL);
	const char *screen = json_str(spike, "screen", "");

	return from ? mem_fmt("%s>%s", from, screen) : mem_strdup(screen);
}

/*
 * Where there may have been stalls: without any is a number, too.  `off`: the
 * places of which one was off the route.
 */
static void
take_places(const cJSON *result, cJSON *count, cJSON *off)
{
	const cJSON *x;

	cJSON_ArrayForEach(x, json_get(result, "transitions"))
	{
		AUTO_FREE char *name = mem_fmt("%s>%s", json_str(x, "from", ""),
					       json_str(x, "to", ""));

		json_set_num(count, name, 0);
		if (json_bool(x, "detour", false) ||
		    why_unused(visit_of(result, x)))
			json_set_bool(off, name, true);
	}
	cJSON_ArrayForEach(x, json_get(result, "screens"))
	{
		const char *name = json_str(x, "name", "");

		if (strcmp(json_str(x, "status", ""), "visited") != 0)
			continue;
		json_set_num(count, name, 0);
		if (why_unused(x))
			json_set_bool(off, name, true);
	}
}

static const char *
why_off(const cJSON *off, const char *place)
{
	return cJSON_GetObjectItemCaseSensitive(off, place) ? "off_route"
							    : NULL;
}

/*
 * Stalls and the worst frame of each transition, without what patrol caused.
 * A result tells the worst ones: where it may have left out some, their
 * number is not known.
 */
static void
take_spikes(struct metric_put *t, const cJSON *result, const cJSON *profiler)
{
	const cJSON *spikes = json_get(profiler, "spikes"), *s;
	bool cut = json_count(profiler, "spikes") >= SPIKES_TOLD;
	AUTO_JSON cJSON *count = json_obj();
	AUTO_JSON cJSON *worst = json_obj();
	AUTO_JSON cJSON *off = json_obj();

	if (!cJSON_IsArray(spikes))
		return;
	take_places(result, count, off);
	cJSON_ArrayForEach(s, spikes)
	{
		AUTO_FREE char *name = place_of(s);
		double ms = json_num(s, "ms", 0);
		const cJSON *n = cJSON_GetObjectItemCaseSensitive(count, name);
		const cJSON *w = cJSON_GetObjectItemCaseSensitive(worst, name);

		if (json_str(s, "disturbed_by", NULL) || is_repeat(s))
			continue;
		json_set_num(count, name, (n ? n->valuedouble : 0) + 1);
		if (w == NULL || ms > w->valuedouble)
			json_set_num(worst, name, ms);
	}
	cJSON_ArrayForEach(s, count)
	{
		metric_put(t, &stalls, s->string, s->valuedouble,
			   cut ? "not_all_told" : why_off(off, s->string));
	}
	cJSON_ArrayForEach(s, worst)
	{
		metric_put(t, &worst_frame, s->string, s->valuedouble,
			   why_off(off, s->string));
	}
}

/* Percentiles of all frames; several recordings are of several processes. */
static void
take_frames(struct metric_put *t, const cJSON *profiler)
{
	static const struct {
		struct metric_put_kind def;
		const char *path;
	} of_run[] = {
		{{"frame_p50", "ms", false, false, 0}, "times.p50_ms"},
		{{"frame_p95", "ms", false, false, 0}, "times.p95_ms"},
		{{"frame_p99", "ms", false, false, 0}, "times.p99_ms"},
		{{"frames_over_25ms_share", "ratio", false, false, 0},
		 "times.share_over_25_ms"},
		{{"gc_frames", "count", false, false, 0}, "reasons.gc"},
	};
	const cJSON *first =
		cJSON_GetArrayItem(json_get(profiler, "recordings"), 0);
	const char *why = json_count(profiler, "recordings") > 1
				  ? "several_recordings"
				  : NULL;

	for (size_t i = 0; first && i < sizeof(of_run) / sizeof(*of_run); i++)
		metric_put_at(t, &of_run[i].def, "", first, of_run[i].path,
			      why);
	metric_put_at(t, &frames_kept, "", profiler, "frames_kept", why);
}

/* "failed" and "missing": it was to be there. */
static void
take_capture(struct metric_put *t, const cJSON *result, const char *name)
{
	AUTO_FREE char *path = mem_fmt("captures.%s.status", name);
	const char *status = json_str(result, path, NULL);
	bool there;

	if (status == NULL || strcmp(status, "off") == 0)
		return;
	there = strcmp(status, "pulled") == 0 ||
		strcmp(status, "uploaded") == 0 ||
		strcmp(status, "stopped") == 0;
	metric_put(t, &no_capture, name, !there, NULL);
}

/* --- the run ------------------------------------------------------------- */

static void
take_run(struct metric_put *t, const cJSON *result)
{
	static const struct {
		struct metric_put_kind def;
		const char *path;
	} of_run[] = {
		{{"startup_process", "ms", false, false, WALK_MS},
		 "startup_ms.process"},
		{{"startup_first_hello", "ms", false, false, WALK_MS},
		 "startup_ms.first_hello"},
		{{"startup_first_screen", "ms", false, false, WALK_MS},
		 "startup_ms.first_screen"},
	};
	const cJSON *s;

	for (size_t i = 0; i < sizeof(of_run) / sizeof(*of_run); i++)
		metric_put_at(t, &of_run[i].def, "", result, of_run[i].path,
			      NULL);
	metric_put_at(t, &apk_size, "", result, "build.apk.size_bytes", NULL);
	metric_put_at(t, &variants, "", result,
		      "captures.graphics_states.variants", NULL);
	if (json_count(result, "screens"))
		metric_put(t, &crashes, "",
			   (double)json_count(result, "crashes"), NULL);
	cJSON_ArrayForEach(s, json_get(result, "timeline"))
	{
		if (json_int(s, "thermal_status", 0) < MODERATE)
			continue;
		metric_put_at(t, &throttled_after, "", s, "at_ms", NULL);
		break;
	}
}

/* What procedures of the plan returned. */
static void
take_metrics(struct metric_put *t, const cJSON *result)
{
	const cJSON *v;

	cJSON_ArrayForEach(v, json_get(result, "metrics"))
	{
		AUTO_FREE char *name = mem_strndup(json_str(v, "name", ""),
						   METRIC_PUT_NAME_MAX);

		if (*name)
			metric_put_in(
				t,
				metric_put_for(
					t, name, json_str(v, "unit", ""),
					json_bool(v, "lower_is_better", true),
					json_bool(v, "deterministic", false)),
				json_str(v, "screen", ""),
				json_num(v, "value", NAN), NULL);
	}
}

static bool
was_throttled(const cJSON *result)
{
	const cJSON *s;

	cJSON_ArrayForEach(s, json_get(result, "timeline"))
	{
		if (json_int(s, "thermal_status", 0) >= MODERATE)
			return true;
	}
	return false;
}

/* Why the run is not to be compared; NULL: it is. */
static const char *
why_invalid(const cJSON *result)
{
	const char *outcome = json_str(result, "outcome", "");

	if (strcmp(outcome, "passed") != 0 && strcmp(outcome, "failed") != 0 &&
	    strcmp(outcome, "timed_out") != 0)
		return outcome;
	if (json_count(result, "screens") == 0)
		return "not_walked";
	if (!json_bool(result, "comparable", true))
		return "not_comparable";
	return was_throttled(result) ? "throttled" : NULL;
}

static void
copy_strings(cJSON *to, const cJSON *result)
{
	static const char *const from[][2] = {
		{"title", "title"},	      {"run_url", "build.run_url"},
		{"commit", "build.commit"},   {"branch", "build.branch"},
		{"subject", "build.subject"}, {"outcome", "outcome"},
		{"reason", "reason"},	      {"message", "message"},
		{"report_url", "report_url"},
	};

	for (size_t i = 0; i < sizeof(from) / sizeof(*from); i++)
		json_set_str(to, from[i][0],
			     json_str(result, from[i][1], NULL));
}

static cJSON *
key_of(const cJSON *result)
{
	cJSON *key = json_obj();

	json_set_str(key, "model", json_str(result, "device.model", ""));
	json_set_str(key, "serial", json_str(result, "device.serial", ""));
	json_set_str(key, "os",
		     json_str(result, "device.build",
			      json_str(result, "device.os", "")));
	json_set_str(key, "unity", json_str(result, "versions.unity", ""));
	json_set_str(key, "plan", json_str(result, "plan.route_hash", ""));
	return key;
}

cJSON *
history_record_of(const cJSON *result)
{
	struct metric_put t = {.metrics = json_arr()};
	AUTO_FREE char *run = json_id(result, "build.run_id");
	const char *invalid = why_invalid(result);
	const cJSON *first =
		cJSON_GetArrayItem(json_get(result, "timeline"), 0);
	cJSON *r = json_obj();

	json_set_int(r, "schema_version", HISTORY_RECORD_SCHEMA);
	json_set_str(r, "at", json_str(result, "ended_at", NULL));
	json_set_str(r, "run_id", run);
	copy_strings(r, result);
	json_set_bool(r, "measured", json_bool(result, "measured", false));
	json_set_bool(r, "worse", json_count(result, "regressions") > 0);
	json_set_bool(r, "valid", invalid == NULL);
	json_set_str(r, "invalid", invalid);
	json_set(r, "key", key_of(result));
	json_set_num(r, "start_c", json_num(first, "battery_c", NAN));
	take_run(&t, result);
	take_transitions(&t, result);
	take_screens(&t, result);
	if (json_get(result, "captures.profiler")) {
		take_frames(&t, json_get(result, "captures.profiler"));
		take_spikes(&t, result, json_get(result, "captures.profiler"));
	}
	take_capture(&t, result, "profiler");
	take_capture(&t, result, "graphics_states");
	take_metrics(&t, result);
	json_set(r, "metrics", t.metrics);
	return r;
}
