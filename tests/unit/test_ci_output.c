#include <unistd.h>

#include "check.h"
#include "report/ci_output.h"
#include "results.h"

static char *
annotations(const cJSON *result)
{
	struct buf b = BUF_INIT;

	ci_output_annotations(result, &b);
	return buf_take(&b);
}

static size_t
lines_of(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

/* E10 */
static void
nine_at_most(void)
{
	AUTO_JSON cJSON *r = results_load("passed");
	cJSON *list = json_arr();

	for (int i = 0; i < 200; i++) {
		cJSON *g = json_obj();

		json_set_str(g, "metric", "memory");
		json_set_str(g, "screen", "shop");
		json_push(list, g);
	}
	results_set(r, "regressions", list);
	AUTO_FREE char *a = annotations(r);
	const char *last;

	CHECK(lines_of(a) == CI_ANNOTATIONS_MAX);
	a[strlen(a) - 1] = '\0';
	last = strrchr(a, '\n');
	REQUIRE(last != NULL);
	/* The verdict and 200: eight are shown. */
	CHECK_STR(last + 1, "::warning title=patrol::193 more in the summary "
			    "and the report");
}

static void
skipped_is_notice(void)
{
	AUTO_JSON cJSON *r = results_load("skipped_busy");
	AUTO_FREE char *a = annotations(r);

	CHECK(strncmp(a, "::notice title=patrol::NOTHING MEASURED, 3rd", 44) ==
	      0);
	CHECK(lines_of(a) == 1);
}

static void
fine_is_quiet(void)
{
	AUTO_JSON cJSON *r = results_load("passed");
	AUTO_FREE char *a = annotations(r);

	CHECK_STR(a, "");
}

static void
plan_errors_have_places(void)
{
	AUTO_JSON cJSON *r = results_load("invalid_input");
	AUTO_FREE char *a = annotations(r);

	CHECK_HAS(a, "::error file=plans/starfall.yaml,line=14,col=1,"
		     "title=patrol::unknown key 'transitons'");
	CHECK(lines_of(a) == 4);
}

static void
no_command_from_others(void)
{
	AUTO_JSON cJSON *r = results_load("failed_crash");
	cJSON *s = cJSON_GetArrayItem(json_get(r, "screens"), 4);

	results_set_str(s, "message",
			"x\n::set-output name=a::b\r\n::stop-commands::t 100%");
	AUTO_FREE char *a = annotations(r);
	size_t commands = 0;

	for (const char *p = a; *p; p = strchr(p, '\n') + 1) {
		CHECK(strncmp(p, "::error ", 8) == 0 ||
		      strncmp(p, "::warning ", 10) == 0);
		commands++;
	}
	CHECK(commands == 3);
	CHECK_HAS(a, "100%25");
}

static void
encodings(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	ci_output_data(&b, "50%\r\na:b,c");
	CHECK_STR(b.data, "50%25%0D%0Aa:b,c");
	buf_clear(&b);
	ci_output_property(&b, "50%\na:b,c");
	CHECK_STR(b.data, "50%25%0Aa%3Ab%2Cc");
}

static void
vars(void)
{
	AUTO_JSON cJSON *r = results_load("skipped_busy");
	AUTO_BUF struct buf b = BUF_INIT;

	results_set_str(r, "reason", "x\nD\nevil=1");
	ci_output_vars(r, "out/result.json", "D", &b);
	CHECK_STR(b.data, "outcome<<D\nskipped\nD\n"
			  "measured<<D\nfalse\nD\n"
			  "reason<<D\nx D evil=1\nD\n"
			  "result<<D\nout/result.json\nD\n");
}

static void
files(void)
{
	AUTO_JSON cJSON *r = results_load("passed");
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	char path[] = "/tmp/patrol-ci-XXXXXX";
	int fd = mkstemp(path);

	REQUIRE(fd >= 0);
	CHECK(write(fd, "a=b\n", 4) == 4);
	close(fd);
	setenv("GITHUB_OUTPUT", path, 1);
	setenv("GITHUB_STEP_SUMMARY", path, 1);
	CHECK(ci_output_write(r, "o/result.json", "### x\n", &err) == 0);
	REQUIRE(file_read(path, &b, &err) == 0);
	CHECK(strncmp(b.data, "a=b\noutcome<<patrol_", 20) == 0);
	CHECK_HAS(b.data, "\npassed\npatrol_");
	CHECK_HAS(b.data, "\n### x\n");
	buf_clear(&b);
	CHECK(ci_output_write(r, "o/result.json", "### x\n", &err) == 0);
	/* Two runs never share a delimiter. */
	REQUIRE(file_read(path, &b, &err) == 0);
	char *first = strstr(b.data, "patrol_");
	char *second = strstr(strstr(b.data, "### x"), "patrol_");
	CHECK(first && second && strncmp(first, second, 31) != 0);
	unsetenv("GITHUB_OUTPUT");
	unsetenv("GITHUB_STEP_SUMMARY");
	CHECK(ci_output_write(r, "o/result.json", "### x\n", &err) == 0);
	unlink(path);
}

CHECK_MAIN(CHECK_CASE("200 regressions make nine annotations", nine_at_most),
	   CHECK_CASE("a skipped day is a notice", skipped_is_notice),
	   CHECK_CASE("a fine day makes none", fine_is_quiet),
	   CHECK_CASE("errors of a plan have file, line and column",
		      plan_errors_have_places),
	   CHECK_CASE("text of others never makes a command",
		      no_command_from_others),
	   CHECK_CASE("percent, line ends, colons and commas", encodings),
	   CHECK_CASE("a value cannot end its delimiter", vars),
	   CHECK_CASE("outputs and summary are appended", files), )
