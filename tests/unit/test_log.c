#include "base/log.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/trace.h"
#include "check.h"

static int saved = -1;

/* Standard error goes to a file until logged(). */
static void
catch_log(void)
{
	AUTO_FREE char *path = file_join(getenv("TMPDIR"), "log");
	AUTO_FD int fd =
		open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	saved = dup(STDERR_FILENO);
	(void)dup2(fd, STDERR_FILENO);
}

static void
logged(struct buf *b)
{
	AUTO_FREE char *path = file_join(getenv("TMPDIR"), "log");
	struct err err = ERR_INIT;

	(void)dup2(saved, STDERR_FILENO);
	close(saved);
	CHECK(file_read(path, b, &err) == 0);
}

static void
lines_are_safe(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	secret_register("log-secret-1");
	catch_log();
	log_info("a %s", "log-secret-1");
	log_warn("from the phone: %s", "\033[2Jx\nnew line");
	log_error("%d", 7);
	logged(&b);
	CHECK_STR(b.data,
		  "patrol: a ***\n"
		  "patrol: warning: from the phone: \\x1b[2Jx\\x0anew line\n"
		  "patrol: error: 7\n");
}

static void
level_decides(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	catch_log();
	log_debug("not shown");
	log_set_level(LOG_DEBUG);
	CHECK(log_level() == LOG_DEBUG);
	log_debug("shown");
	log_set_level(LOG_ERROR);
	log_warn("not shown");
	log_set_level(LOG_INFO);
	logged(&b);
	CHECK_STR(b.data, "patrol: debug: shown\n");
}

static void
too_long_is_said(void)
{
	AUTO_BUF struct buf b = BUF_INIT;
	char *text = mem_alloc(70001);

	memset(text, 'x', 70000);
	catch_log();
	log_info("%s", text);
	logged(&b);
	free(text);
	CHECK_STR(b.data, "patrol: (a message too long to show)\n");
}

static void
closed_stderr_is_fine(void)
{
	saved = dup(STDERR_FILENO);
	close(STDERR_FILENO);
	log_error("nobody hears");
	CHECK(dup2(saved, STDERR_FILENO) == STDERR_FILENO);
	close(saved);
}

static char tapped[1024];

static void
tap(void *arg, const char *line)
{
	(void)arg;
	snprintf(tapped, sizeof(tapped), "%s", line);
}

static void
events_are_json(void)
{
	AUTO_FREE char *path = file_join(getenv("TMPDIR"), "events.ndjson");
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_JSON cJSON *v = NULL;
	struct err err = ERR_INIT;
	char *end;

	secret_register("trace\"secret-1");
	REQUIRE(trace_open(path, &err) == 0);
	trace_begin("http.request");
	trace_str("text", "a\"b\\\n\x01\xff");
	trace_str("secret", "trace\"secret-1");
	trace_str("none", NULL);
	trace_int("n", INT64_MIN);
	trace_bool("yes", true);
	trace_end();
	trace_int("outside", 1); /* no event: nothing */
	trace_begin("second");
	trace_end();
	trace_close();
	trace_begin("closed");
	trace_end();
	CHECK(file_read(path, &b, &err) == 0);
	end = strchr(b.data, '\n');
	REQUIRE(end);
	CHECK_HAS(end, "\"event\":\"second\"}\n");
	CHECK(!strstr(b.data, "closed") && !strstr(b.data, "outside"));
	REQUIRE(json_parse(b.data, (size_t)(end - b.data), "line", &v, &err) ==
		0);
	CHECK_STR(json_str(v, "text", NULL), "a\"b\\\n\x01\xef\xbf\xbd");
	CHECK_STR(json_str(v, "secret", NULL), "***");
	CHECK(cJSON_IsNull(json_get(v, "none")));
	CHECK(json_bool(v, "yes", false));
	CHECK(json_int(v, "t_us", -1) >= 0);
	CHECK_HAS(b.data, "\"n\":-9223372036854775808");
}

static void
tap_hears_without_a_file(void)
{
	trace_tap(tap, NULL);
	trace_begin("e");
	trace_int("n", 1);
	trace_end();
	trace_tap(NULL, NULL);
	CHECK_HAS(tapped, "\"event\":\"e\",\"n\":1}");
	trace_begin("unheard");
	trace_end();
	CHECK(!strstr(tapped, "unheard"));
	trace_close();
}

static void
half_an_event_is_none(void)
{
	AUTO_FREE char *path = file_join(getenv("TMPDIR"), "events.ndjson");
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	char *text = mem_alloc((300 << 10) + 1);

	memset(text, 'x', 300 << 10);
	REQUIRE(trace_open(path, &err) == 0);
	trace_begin("huge");
	trace_str("text", text);
	trace_end();
	trace_begin("next");
	trace_end();
	trace_close();
	free(text);
	CHECK(file_read(path, &b, &err) == 0);
	CHECK(!strstr(b.data, "huge"));
	CHECK_HAS(b.data, "next");
}

static void
full_disk_ends_events_only(void)
{
	struct err err = ERR_INIT;

	REQUIRE(trace_open("/dev/full", &err) == 0);
	trace_begin("e");
	trace_end();
	trace_begin("e");
	trace_end();
	trace_close();
	CHECK(trace_open("/dev/null/none/x", &err) == -1);
	CHECK_HAS(err.msg, "open '/dev/null/none/x'");
}

CHECK_MAIN(CHECK_CASE("log lines are redacted, escaped and one line each",
		      lines_are_safe),
	   CHECK_CASE("the level decides what is logged", level_decides),
	   CHECK_CASE("a message too long to log is told of", too_long_is_said),
	   CHECK_CASE("a closed stderr stops nothing", closed_stderr_is_fine),
	   CHECK_CASE("events are redacted JSON lines", events_are_json),
	   CHECK_CASE("a tap hears events without a file",
		      tap_hears_without_a_file),
	   CHECK_CASE("an event that is too long is left out whole",
		      half_an_event_is_none),
	   CHECK_CASE("a full disk ends the events and nothing else",
		      full_disk_ends_events_only), )
