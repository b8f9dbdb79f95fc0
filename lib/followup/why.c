#include "followup/why.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/present.h"
#include "report/verdict.h"

enum { ERRORS_MAX = 3, NAMES_MAX = 6, TEXT_UNITS = 400, INDENT = 10 };

static bool
is(const cJSON *v, const char *key, const char *value)
{
	return strcmp(json_str(v, key, ""), value) == 0;
}

/* --- evidence ------------------------------------------------------------ */

void
why_show(cJSON *evidence, const char *what, const char *text)
{
	AUTO_FREE char *line = present_line_dup(text, TEXT_UNITS);
	cJSON *o;

	if (line == NULL || *line == '\0')
		return;
	o = json_obj();
	json_set_str(o, "what", what);
	json_set_str(o, "text", line);
	json_push(evidence, o);
}

static void
show_more(cJSON *list, const char *what, size_t count)
{
	AUTO_FREE char *more = NULL;

	if (count <= ERRORS_MAX)
		return;
	more = mem_fmt("%zu more in result.json", count - ERRORS_MAX);
	why_show(list, what, more);
}

/* The stage that did not end well, unless its words are the cause's own. */
static void
show_stage(cJSON *list, const cJSON *result)
{
	const char *message = json_str(result, "message", "");
	const cJSON *s;

	cJSON_ArrayForEach(s, json_get(result, "stages"))
	{
		const char *text = json_str(s, "message", "");
		AUTO_BUF struct buf b = BUF_INIT;

		if (is(s, "status", "ok") || is(s, "status", "warn"))
			continue;
		buf_fmt(&b, "%s: %s after ", json_str(s, "name", "?"),
			json_str(s, "status", "?"));
		buf_duration(&b, json_int(s, "ms", 0));
		if (*text && strcmp(text, message) != 0)
			buf_fmt(&b, ": %s", text);
		why_show(list, "stage", b.data);
	}
}

static void
show_holder(cJSON *list, const cJSON *result)
{
	const char *name = json_str(result, "device.held_by.name", NULL);
	AUTO_BUF struct buf b = BUF_INIT;

	if (name == NULL)
		return;
	buf_fmt(&b, "%s (%s) is held by %s",
		json_str(result, "device.model", "the phone"),
		json_str(result, "device.serial", "?"), name);
	if (json_str(result, "device.held_by.since", NULL))
		buf_fmt(&b, " since %s",
			json_str(result, "device.held_by.since", ""));
	why_show(list, "phone", b.data);
}

static void
show_errors(cJSON *list, const cJSON *result)
{
	const char *message = json_str(result, "message", "");
	size_t shown = 0;
	const cJSON *e;

	cJSON_ArrayForEach(e, json_get(result, "errors"))
	{
		const char *where = json_str(e, "where", NULL);
		AUTO_BUF struct buf b = BUF_INIT;

		if (is(e, "message", message) || shown++ >= ERRORS_MAX)
			continue;
		buf_fmt(&b, "%s%s%s", where ? where : "", where ? ": " : "",
			json_str(e, "message", "?"));
		why_show(list, "error", b.data);
	}
	show_more(list, "error", shown);
}

static void
show_crashes(cJSON *list, const cJSON *result)
{
	const cJSON *c = cJSON_GetArrayItem(json_get(result, "crashes"), 0);
	AUTO_BUF struct buf b = BUF_INIT;

	if (c == NULL)
		return;
	buf_str(&b, json_str(c, "kind", "crash"));
	if (json_str(c, "screen", NULL))
		buf_fmt(&b, " on %s", json_str(c, "screen", ""));
	buf_fmt(&b, ": %s", json_str(c, "message", "no message"));
	why_show(list, "crash", b.data);
	why_show(list, "file", json_str(c, "tombstone", NULL));
	why_show(list, "file", json_str(c, "logcat", NULL));
}

static void
show_screens(cJSON *list, const cJSON *result)
{
	AUTO_BUF struct buf b = BUF_INIT;
	size_t shown = 0, missed = 0;
	const char *first = NULL;
	const cJSON *s;

	cJSON_ArrayForEach(s, json_get(result, "screens"))
	{
		if (is(s, "status", "visited"))
			continue;
		missed++;
		if (first == NULL)
			first = json_str(s, "message", NULL);
		if (shown++ < NAMES_MAX)
			buf_fmt(&b, "%s%s", b.len ? ", " : "",
				json_str(s, "name", "?"));
	}
	if (missed == 0)
		return;
	if (missed > NAMES_MAX)
		buf_fmt(&b, " and %zu more", missed - NAMES_MAX);
	buf_str(&b, missed == 1 ? " was not visited" : " were not visited");
	if (first)
		buf_fmt(&b, ": %s", first);
	why_show(list, "screens", b.data);
}

static void
show_uploads(cJSON *list, const cJSON *result)
{
	size_t shown = 0;
	const cJSON *u;

	cJSON_ArrayForEach(u, json_get(result, "uploads"))
	{
		AUTO_FREE char *text = NULL;

		if (!is(u, "status", "failed") || shown++ >= ERRORS_MAX)
			continue;
		text = mem_fmt("%s did not arrive: %s",
			       json_str(u, "name", "a file"),
			       json_str(u, "message", "no message"));
		why_show(list, "upload", text);
	}
	show_more(list, "upload", shown);
}

static void
show_others(cJSON *list, const cJSON *result)
{
	const cJSON *v;

	cJSON_ArrayForEach(v, json_get(result, "left_behind"))
	{
		AUTO_FREE char *text =
			mem_fmt("%s: %s", json_str(v, "name", "?"),
				json_str(v, "message", "?"));

		why_show(list, "left behind", text);
	}
	cJSON_ArrayForEach(v, json_get(result, "warnings"))
	{
		why_show(list, "warning", json_str(v, "message", NULL));
	}
}

void
why_show_files(cJSON *evidence, const char *dir)
{
	static const char *const names[] = {"report.html", "events.ndjson",
					    "logs"};

	for (size_t i = 0; dir && i < sizeof(names) / sizeof(*names); i++) {
		AUTO_FREE char *path = file_join(dir, names[i]);

		if (file_exists(path))
			why_show(evidence, "file", path);
	}
}

/* --- next steps ---------------------------------------------------------- */

static void
do_command(cJSON *list, const char *fmt, const char *arg)
{
	AUTO_FREE char *text = mem_fmt("%s%s", fmt, arg ? arg : "");

	json_push_str(list, text);
}

static bool
begins(const char *s, const char *with)
{
	return s && strncmp(s, with, strlen(with)) == 0;
}

static cJSON *
next_steps(const cJSON *result, const struct verdict *v)
{
	const char *reason = json_str(result, "reason", NULL);
	const char *plan = json_str(result, "plan.file", NULL);
	const char *again = json_str(result, "command", NULL);
	cJSON *list = json_arr();

	if (v->todo)
		json_push_str(list, v->todo);
	if (json_count(result, "left_behind"))
		json_push_str(list, "patrol reap");
	if (plan && reason && strcmp(reason, "bad_plan") == 0)
		do_command(list, "patrol plan check ", plan);
	else if (plan &&
		 (begins(reason, "device_") || begins(reason, "no_device")))
		do_command(list, "patrol devices --plan ", plan);
	else if (is(result, "outcome", "infra_error") &&
		 (v->todo == NULL || strstr(v->todo, "doctor") == NULL))
		json_push_str(list, "patrol doctor");
	if (again && !is(result, "outcome", "passed"))
		do_command(list, "again: ", again);
	return list;
}

/* --- all of it ----------------------------------------------------------- */

/* The clause of the cause alone: message, or the table's words. */
static void
cause(const cJSON *result, const struct verdict *v, struct buf *out)
{
	const struct verdict_reason *r =
		verdict_reason(json_str(result, "reason", NULL));
	const char *message = json_str(result, "message", NULL);

	if (is(result, "outcome", "passed"))
		present_line(out, v->sentence, TEXT_UNITS);
	else if (message && *message)
		present_line(out, message, TEXT_UNITS);
	else
		buf_str(out, r ? r->words : "no reason was recorded");
}

cJSON *
why_explain(const cJSON *result, const char *where, const char *dir)
{
	const struct verdict_reason *r =
		verdict_reason(json_str(result, "reason", NULL));
	AUTO_BUF struct buf text = BUF_INIT;
	AUTO_BUF struct buf build = BUF_INIT;
	cJSON *o = json_obj(), *evidence = json_arr();
	struct verdict v;

	verdict_init(&v, result);
	cause(result, &v, &text);
	present_build(&build, result);
	json_set_str(o, "where", where);
	json_set_str(o, "kind", json_str(result, "kind", "run"));
	json_set_str(o, "title", json_str(result, "title", NULL));
	json_set_str(o, "started_at", json_str(result, "started_at", NULL));
	json_set_str(o, "build", build.len ? build.data : NULL);
	json_set_str(o, "outcome", json_str(result, "outcome", NULL));
	json_set_bool(o, "measured", v.measured);
	json_set_str(o, "reason", json_str(result, "reason", NULL));
	json_set_str(o, "state", v.state);
	json_set_str(o, "cause", text.data);
	json_set_str(o, "meaning", r ? r->words : NULL);
	show_holder(evidence, result);
	show_stage(evidence, result);
	show_crashes(evidence, result);
	show_errors(evidence, result);
	show_screens(evidence, result);
	show_uploads(evidence, result);
	show_others(evidence, result);
	if (v.why && v.unmeasured_days)
		why_show(evidence, "history", v.why);
	if (dir && is(result, "reason", "killed"))
		why_killed_show(evidence, dir);
	why_show_files(evidence, dir);
	json_set(o, "evidence", evidence);
	json_set(o, "next", next_steps(result, &v));
	verdict_done(&v);
	return o;
}

cJSON *
why_without_result(const char *where, const char *state, const char *reason,
		   const char *cause)
{
	const struct verdict_reason *r = verdict_reason(reason);
	cJSON *o = json_obj();

	json_set_str(o, "where", where);
	json_set_str(o, "kind", "run");
	json_set_str(o, "title", NULL);
	json_set_str(o, "started_at", NULL);
	json_set_str(o, "build", NULL);
	json_set_str(o, "outcome", NULL);
	json_set_bool(o, "measured", false);
	json_set_str(o, "reason", reason);
	json_set_str(o, "state", state);
	json_set_str(o, "cause", cause);
	json_set_str(o, "meaning", r ? r->words : NULL);
	return o;
}

cJSON *
why_missing(const char *where, const char *problem)
{
	const struct verdict_reason *r = verdict_reason("no_result");
	cJSON *o = why_without_result(where, "NO RESULT", r->code, r->words);
	cJSON *evidence = json_arr(), *next = json_arr();

	why_show(evidence, "file", problem);
	json_set(o, "evidence", evidence);
	json_push_str(next, r->cure);
	json_push_str(next, "patrol reap");
	json_set(o, "next", next);
	return o;
}

static void
line(struct buf *out, const char *head, const char *text)
{
	buf_fmt(out, "%-*s%s\n", INDENT, head, text);
}

void
why_text(const cJSON *why, struct buf *out)
{
	const char *reason = json_str(why, "reason", NULL);
	const char *head = "evidence";
	AUTO_BUF struct buf b = BUF_INIT;
	const cJSON *v;

	present_line(&b, json_str(why, "title", "patrol"), 80);
	if (json_str(why, "started_at", NULL))
		buf_fmt(&b, ", %s", json_str(why, "started_at", ""));
	if (json_str(why, "build", NULL))
		buf_fmt(&b, ", %s", json_str(why, "build", ""));
	buf_fmt(out, "%s%s · ", json_str(why, "state", "UNKNOWN"),
		json_bool(why, "measured", false) || is(why, "kind", "try") ||
				is(why, "state", "RUNNING")
			? ""
			: ", nothing measured");
	present_line(out, b.data, 200);
	buf_chr(out, '\n');
	buf_clear(&b);
	buf_str(&b, json_str(why, "cause", "?"));
	if (reason)
		buf_fmt(&b, " [%s]", reason);
	line(out, "why", b.data);
	cJSON_ArrayForEach(v, json_get(why, "evidence"))
	{
		buf_clear(&b);
		buf_fmt(&b, "%s: %s", json_str(v, "what", "?"),
			json_str(v, "text", "?"));
		line(out, head, b.data);
		head = "";
	}
	head = "next";
	cJSON_ArrayForEach(v, json_get(why, "next"))
	{
		AUTO_FREE char *text =
			present_line_dup(cJSON_GetStringValue(v), 1000);

		line(out, head, text ? text : "");
		head = "";
	}
}
