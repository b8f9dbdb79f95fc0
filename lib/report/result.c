#include "report/result.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/deadline.h"
#include "base/file.h"
#include "base/mem.h"
#include "report/verdict.h"

enum { SCHEMA_VERSION = 1, STATUS_LEFT = 6 };

static const struct {
	const char *name;
	int status;
} outcomes[] = {
	[RESULT_PASSED] = {"passed", 0},
	[RESULT_FAILED] = {"failed", 1},
	[RESULT_SKIPPED] = {"skipped", 0},
	[RESULT_INVALID_INPUT] = {"invalid_input", 2},
	[RESULT_INFRA_ERROR] = {"infra_error", 3},
	[RESULT_TIMED_OUT] = {"timed_out", 4},
	[RESULT_CANCELLED] = {"cancelled", 5},
};

char *
result_time_now(void)
{
	time_t now = time(NULL);
	struct tm tm;
	char text[32];

	if (gmtime_r(&now, &tm) == NULL ||
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		return mem_strdup("1970-01-01T00:00:00Z");
	return mem_strdup(text);
}

void
result_init(struct result *r, const char *kind, const char *title)
{
	static const char *const arrays[] = {
		"screens", "transitions", "interrupts", "crashes",
		"marks",   "metrics",	  "uploads",	"timeline",
		"stages",  "left_behind", "errors",	"logs",
	};
	AUTO_FREE char *now = result_time_now();

	*r = (struct result){.json = json_obj(), .start_us = deadline_now_us()};
	json_set_int(r->json, "schema_version", SCHEMA_VERSION);
	json_set_str(r->json, "kind", kind);
	json_set_str(r->json, "title", title);
	/* Here for their place; result_write() fills them. */
	json_set_str(r->json, "outcome", "passed");
	json_set_int(r->json, "exit_status", 0);
	json_set_str(r->json, "reason", NULL);
	json_set_str(r->json, "message", NULL);
	json_set_str(r->json, "started_at", now);
	json_set_str(r->json, "ended_at", now);
	json_set_int(r->json, "duration_ms", 0);
	json_set_bool(r->json, "comparable", true);
	json_set_str(r->json, "not_comparable_reason", NULL);
	json_set_bool(r->json, "measured", false);
	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
		json_set(r->json, arrays[i], json_arr());
}

void
result_done(struct result *r)
{
	cJSON_Delete(r->json);
	r->json = NULL;
}

int64_t
result_at_ms(const struct result *r)
{
	return (deadline_now_us() - r->start_us) / 1000;
}

void
result_decide(struct result *r, enum result_outcome outcome, const char *reason,
	      const char *fmt, ...)
{
	AUTO_FREE char *message = NULL;
	va_list ap;

	if (r->decided)
		return;
	va_start(ap, fmt);
	message = mem_vfmt(fmt, ap);
	va_end(ap);
	r->decided = true;
	r->outcome = outcome;
	json_set_str(r->json, "reason", reason);
	json_set_str(r->json, "message", message);
}

void
result_decide_error(struct result *r, const struct err *err)
{
	enum result_outcome outcome = RESULT_INFRA_ERROR;

	if (err->code == ERR_CANCELLED)
		outcome = RESULT_CANCELLED;
	else if (err->code == ERR_USAGE || err->code == ERR_INPUT)
		outcome = RESULT_INVALID_INPUT;
	result_decide(r, outcome, verdict_code(err), "%s", err->msg);
}

void
result_spoil(struct result *r, const struct err *err, const char *where)
{
	result_error(r, err, where);
	if (outcomes[r->outcome].status < outcomes[RESULT_INFRA_ERROR].status)
		r->decided = false;
	result_decide(r, RESULT_INFRA_ERROR, verdict_code(err), "%s", err->msg);
}

void
result_error_text(struct result *r, const char *code, const char *reason,
		  const char *message, const char *where)
{
	enum { MOST = 100 };
	cJSON *list = result_array(r, "errors"), *e;

	if (cJSON_GetArraySize(list) >= MOST)
		return;
	e = json_obj();
	json_set_str(e, "code", code);
	json_set_str(e, "reason", reason);
	json_set_str(e, "message", message);
	json_set_str(e, "where", where);
	json_push(list, e);
}

void
result_error(struct result *r, const struct err *err, const char *where)
{
	result_error_text(r, err_code_name(err->code),
			  err->reason ? verdict_code(err) : NULL, err->msg,
			  where);
}

void
result_warning(struct result *r, const char *reason, const char *message)
{
	cJSON *w = json_obj();

	json_set_str(w, "reason", reason);
	json_set_str(w, "message", message);
	json_push(result_array(r, "warnings"), w);
}

void
result_stage(struct result *r, const char *name, const char *status, int64_t ms,
	     const char *message)
{
	cJSON *s = json_obj();

	json_set_str(s, "name", name);
	json_set_str(s, "status", status);
	json_set_int(s, "ms", ms);
	json_set_str(s, "message", message);
	json_push(result_array(r, "stages"), s);
}

void
result_left_behind(struct result *r, const char *name, const char *message)
{
	cJSON *l = json_obj();

	json_set_str(l, "name", name);
	json_set_str(l, "message", message);
	json_push(result_array(r, "left_behind"), l);
}

bool
result_has_left(const struct result *r)
{
	return json_count(r->json, "left_behind") > 0;
}

cJSON *
result_object(struct result *r, const char *key)
{
	cJSON *o = cJSON_GetObjectItemCaseSensitive(r->json, key);

	if (!cJSON_IsObject(o)) {
		o = json_obj();
		json_set(r->json, key, o);
	}
	return o;
}

cJSON *
result_array(struct result *r, const char *key)
{
	cJSON *a = cJSON_GetObjectItemCaseSensitive(r->json, key);

	if (!cJSON_IsArray(a)) {
		a = json_arr();
		json_set(r->json, key, a);
	}
	return a;
}

const char *
result_outcome_name(enum result_outcome outcome)
{
	return outcomes[outcome].name;
}

int
result_exit_status(const struct result *r)
{
	return result_has_left(r) ? STATUS_LEFT : outcomes[r->outcome].status;
}

int
result_put(const cJSON *json, const char *dir, struct err *err)
{
	AUTO_FREE char *path = file_join(dir, "result.json");
	AUTO_FREE char *text = json_pretty(json);

	return file_write(path, text, strlen(text), err);
}

int
result_write(struct result *r, const char *dir, struct err *err)
{
	AUTO_FREE char *now = result_time_now();

	json_set_str(r->json, "outcome", outcomes[r->outcome].name);
	json_set_int(r->json, "exit_status", result_exit_status(r));
	if (!r->ended) {
		json_set_str(r->json, "ended_at", now);
		json_set_int(r->json, "duration_ms", result_at_ms(r));
		r->ended = true;
	}
	return result_put(r->json, dir, err);
}
