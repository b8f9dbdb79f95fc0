#include "check.h"
#include "report/junit.h"
#include "results.h"

static char *
junit_of(cJSON *result)
{
	struct buf b = BUF_INIT;

	junit_write(result, &b);
	cJSON_Delete(result);
	return buf_take(&b);
}

static size_t
count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, what)); p++)
		n++;
	return n;
}

static void
counts_agree(void)
{
	for (size_t i = 0; results_names[i]; i++) {
		AUTO_FREE char *x = junit_of(results_load(results_names[i]));
		AUTO_FREE char *head =
			mem_fmt("tests=\"%zu\" failures=\"%zu\" errors=\"%zu\""
				" skipped=\"%zu\" time=\"",
				count(x, "<testcase"), count(x, "<failure"),
				count(x, "<error"), count(x, "<skipped"));

		CHECK(count(x, head) == 2);
		CHECK(count(x, "time=\"\"") == 0);
		CHECK(count(x, "<testcase") > 0);
	}
}

static void
screens_are_cases(void)
{
	AUTO_FREE char *x = junit_of(results_load("passed"));

	CHECK(count(x, "<testcase") == 10);
	CHECK_HAS(x, "<testcase name=\"battle\" classname=\"Starfall daily\"");
	CHECK(count(x, "<failure") + count(x, "<error") == 0);
}

static void
skipped_day(void)
{
	AUTO_FREE char *x = junit_of(results_load("skipped_busy"));

	CHECK(count(x, "<testcase") == 1);
	CHECK(count(x, "<skipped") == 1);
	CHECK_HAS(x, "held by qa-team");
}

static void
crash_fails(void)
{
	AUTO_FREE char *x = junit_of(results_load("failed_crash"));

	CHECK(count(x, "<failure") == 1);
	CHECK_HAS(x, "type=\"crash\"");
	/* The plan lets a screen that was not reached pass. */
	CHECK_HAS(x, "<skipped message=\"//Header/Mission");
}

static void
not_measured_fails(void)
{
	AUTO_FREE char *x = junit_of(results_load("upload_failed"));

	CHECK(count(x, "<failure") == 1);
	CHECK_HAS(x, "type=\"not_measured\"");
}

static void
every_failure_fails(void)
{
	cJSON *r = results_load("passed");

	results_set_str(r, "outcome", "failed");
	results_set_str(r, "reason", "something_new");
	AUTO_FREE char *x = junit_of(r);
	CHECK(count(x, "<failure") == 1);
	CHECK_HAS(x, "type=\"something_new\"");
}

static void
passed_is_green(void)
{
	cJSON *r = results_load("failed_crash");
	cJSON *errors = json_arr(), *e = json_obj();

	/* As a run says it whose plan lets a crash pass. */
	results_set_str(r, "outcome", "passed");
	results_set(r, "reason", cJSON_CreateNull());
	json_set_str(e, "code", "remote");
	json_set_str(e, "reason", "app_crashed");
	json_set_str(e, "message", "the process ended");
	json_push(errors, e);
	json_set(r, "errors", errors);
	AUTO_FREE char *x = junit_of(r);
	CHECK(count(x, "<failure") + count(x, "<error") == 0);
	CHECK(count(x, "<skipped") > 0);
}

static void
bytes_of_others(void)
{
	cJSON *r = results_load("passed");
	cJSON *screen = cJSON_GetArrayItem(json_get(r, "screens"), 0);

	results_set_str(screen, "name", "a\x01\x1b<b>&\"]]>\xff\n\x7f");
	results_set_str(r, "title", "\xEF\xBF\xBE<x>");
	AUTO_FREE char *x = junit_of(r);
	CHECK_HAS(x, "name=\"a &lt;b&gt;&amp;&quot;]]&gt;");
	for (const char *p = x; *p; p++)
		CHECK((unsigned char)*p >= 0x20 || *p == '\n');
}

CHECK_MAIN(CHECK_CASE("the counts are those of the cases", counts_agree),
	   CHECK_CASE("a screen is a testcase", screens_are_cases),
	   CHECK_CASE("a skipped day is one skipped testcase", skipped_day),
	   CHECK_CASE("a crash fails its screen", crash_fails),
	   CHECK_CASE("a missing measurement fails", not_measured_fails),
	   CHECK_CASE("a failed outcome always fails a case",
		      every_failure_fails),
	   CHECK_CASE("a passed run fails no case, whatever it met",
		      passed_is_green),
	   CHECK_CASE("names of others stay within XML 1.0", bytes_of_others), )
