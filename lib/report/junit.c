#include "report/junit.h"

#include <string.h>

#include "base/mem.h"
#include "base/present.h"
#include "report/verdict.h"

/* What a reader counts; an attribute, so it is known before the cases. */
struct tally {
	size_t tests, failures, errors, skipped;
};

enum kind { CASE_OK, CASE_FAILURE, CASE_ERROR, CASE_SKIPPED };

struct writer {
	struct buf cases;
	struct tally tally;
	const char *suite;
};

static void
attribute(struct buf *out, const char *name, const char *value)
{
	AUTO_BUF struct buf line = BUF_INIT;

	present_line(&line, value, 2000);
	buf_fmt(out, " %s=\"", name);
	buf_xml(out, line.data);
	buf_chr(out, '"');
}

static void
seconds(struct buf *out, int64_t ms)
{
	if (ms < 0)
		ms = 0;
	buf_fmt(out, " time=\"%lld.%03lld\"", (long long)ms / 1000,
		(long long)ms % 1000);
}

static void
add_case(struct writer *w, const char *name, int64_t ms, enum kind kind,
	 const char *type, const char *message)
{
	static const char *const element[] = {NULL, "failure", "error",
					      "skipped"};
	struct buf *out = &w->cases;

	w->tally.tests++;
	w->tally.failures += kind == CASE_FAILURE;
	w->tally.errors += kind == CASE_ERROR;
	w->tally.skipped += kind == CASE_SKIPPED;
	buf_str(out, "    <testcase");
	attribute(out, "name", name);
	attribute(out, "classname", w->suite);
	seconds(out, ms);
	if (kind == CASE_OK) {
		buf_str(out, "/>\n");
		return;
	}
	buf_fmt(out, ">\n      <%s", element[kind]);
	attribute(out, "message", message ? message : type);
	if (kind != CASE_SKIPPED)
		attribute(out, "type", type);
	buf_str(out, "/>\n    </testcase>\n");
}

/*
 * Did the plan count this as a failure?  What was met on the way is told among
 * the errors of a passed run, too.
 */
static bool
counted(const cJSON *result, const char *reason)
{
	const cJSON *e;

	if (strcmp(json_str(result, "outcome", ""), "passed") == 0)
		return false;
	if (strcmp(json_str(result, "reason", ""), reason) == 0)
		return true;
	cJSON_ArrayForEach(e, json_get(result, "errors"))
	{
		if (strcmp(json_str(e, "reason", ""), reason) == 0)
			return true;
	}
	return false;
}

static bool
crash_counted(const cJSON *result)
{
	static const char *const reasons[] = {"crash", "app_crashed", "app_anr",
					      "app_hung"};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (counted(result, reasons[i]))
			return true;
	return false;
}

static void
add_screen(struct writer *w, const cJSON *result, const cJSON *s)
{
	const char *status = json_str(s, "status", "");
	const char *message = json_str(s, "message", NULL);
	const char *name = json_str(s, "name", "?");
	int64_t ms = json_int(s, "reached_ms", 0) +
		     json_int(s, "settle_ms", 0) + json_int(s, "hold_ms", 0);

	if (strcmp(status, "visited") == 0)
		add_case(w, name, ms, CASE_OK, NULL, NULL);
	else if (strcmp(status, "crashed") == 0)
		add_case(w, name, ms,
			 crash_counted(result) ? CASE_FAILURE : CASE_SKIPPED,
			 "crash", message);
	else if (strcmp(status, "unreached") == 0)
		add_case(w, name, ms,
			 counted(result, "unreached") ? CASE_FAILURE
						      : CASE_SKIPPED,
			 "unreached", message);
	else
		add_case(w, name, ms, CASE_SKIPPED, "not_visited", message);
}

static void
add_regression(struct writer *w, const cJSON *result, const cJSON *r)
{
	AUTO_BUF struct buf name = BUF_INIT;
	AUTO_BUF struct buf text = BUF_INIT;
	const char *unit = json_str(r, "unit", NULL);
	const char *screen = json_str(r, "screen", NULL);

	present_line(&name, screen, 200);
	if (screen)
		buf_chr(&name, ' ');
	present_line(&name, json_str(r, "metric", "metric"), 200);
	present_range(&text, json_num(r, "before", 0), json_num(r, "after", 0),
		      unit);
	add_case(w, name.data, 0,
		 counted(result, "regression") ? CASE_FAILURE : CASE_SKIPPED,
		 "regression", text.data);
}

/* The run as a whole, where no screen tells it. */
static void
add_run(struct writer *w, const cJSON *result, const struct verdict *v)
{
	const char *outcome = json_str(result, "outcome", "");
	const char *reason = json_str(result, "reason", outcome);
	const char *message = json_str(result, "message", v->sentence);

	if (strcmp(outcome, "passed") == 0 || strcmp(outcome, "failed") == 0) {
		if (strcmp(json_str(result, "kind", ""), "try") == 0)
			return;
		if (v->measured)
			add_case(w, "measured", 0, CASE_OK, NULL, NULL);
		else
			add_case(w, "measured", 0,
				 counted(result, "not_measured") ? CASE_FAILURE
								 : CASE_SKIPPED,
				 "not_measured", v->sentence);
		return;
	}
	if (strcmp(outcome, "skipped") == 0 ||
	    strcmp(outcome, "cancelled") == 0)
		add_case(w, "patrol", 0, CASE_SKIPPED, reason, message);
	else
		add_case(w, "patrol", 0, CASE_ERROR, reason, message);
}

/* Every failed outcome must fail here too, whatever its reason. */
static void
add_rest(struct writer *w, const cJSON *result, const struct verdict *v)
{
	if (json_count(result, "left_behind"))
		add_case(w, "teardown", 0, CASE_ERROR, "left_behind",
			 v->sentence);
	if (strcmp(json_str(result, "outcome", ""), "failed") == 0 &&
	    w->tally.failures + w->tally.errors == 0)
		add_case(w, "patrol", 0, CASE_FAILURE,
			 json_str(result, "reason", "failed"),
			 json_str(result, "message", v->sentence));
	if (w->tally.tests == 0)
		add_case(w, "patrol", json_int(result, "duration_ms", 0),
			 CASE_OK, NULL, NULL);
}

static void
property(struct buf *out, const char *name, const char *value)
{
	if (value == NULL)
		return;
	buf_str(out, "      <property");
	attribute(out, "name", name);
	attribute(out, "value", value);
	buf_str(out, "/>\n");
}

static void
properties(const cJSON *result, struct buf *out)
{
	AUTO_FREE char *run = json_id(result, "build.run_id");

	buf_str(out, "    <properties>\n");
	property(out, "outcome", json_str(result, "outcome", NULL));
	property(out, "measured",
		 json_bool(result, "measured", false) ? "true" : "false");
	property(out, "run_id", run);
	property(out, "commit", json_str(result, "build.commit", NULL));
	property(out, "device", json_str(result, "device.model", NULL));
	property(out, "dashboard_url", json_str(result, "dashboard_url", NULL));
	property(out, "report_url", json_str(result, "report_url", NULL));
	buf_str(out, "    </properties>\n");
}

static void
head(struct buf *out, const struct writer *w, const cJSON *result)
{
	const char *time = json_str(result, "started_at", NULL);
	struct buf counts = BUF_INIT;

	buf_fmt(&counts,
		" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\""
		" skipped=\"%zu\"",
		w->tally.tests, w->tally.failures, w->tally.errors,
		w->tally.skipped);
	seconds(&counts, json_int(result, "duration_ms", 0));
	buf_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		     "<testsuites");
	attribute(out, "name", "patrol");
	buf_fmt(out, "%s>\n  <testsuite", counts.data);
	attribute(out, "name", w->suite);
	buf_str(out, counts.data);
	if (time && strlen(time) >= 19) {
		/* Readers want it without a zone. */
		AUTO_FREE char *t = present_line_dup(time, 0);

		t[strcspn(t, ".Z+")] = '\0';
		attribute(out, "timestamp", t);
	}
	buf_str(out, ">\n");
	buf_done(&counts);
}

void
junit_write(const cJSON *result, struct buf *out)
{
	struct writer w = {.cases = BUF_INIT};
	const cJSON *item;
	struct verdict v;

	verdict_init(&v, result);
	w.suite = json_str(result, "title", "patrol");
	cJSON_ArrayForEach(item, json_get(result, "screens"))
	{
		add_screen(&w, result, item);
	}
	cJSON_ArrayForEach(item, json_get(result, "regressions"))
	{
		add_regression(&w, result, item);
	}
	add_run(&w, result, &v);
	add_rest(&w, result, &v);
	head(out, &w, result);
	properties(result, out);
	buf_str(out, w.cases.data);
	buf_str(out, "  </testsuite>\n</testsuites>\n");
	buf_done(&w.cases);
	verdict_done(&v);
}
