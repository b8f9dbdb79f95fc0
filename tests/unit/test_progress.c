#include <signal.h>
#include <unistd.h>

#include "base/secret.h"
#include "check.h"
#include "report/progress.h"
#include "results.h"

/* Run `fn` with a progress that writes into a pipe; what it wrote. */
static char *
written(enum progress_mode mode, void (*fn)(struct progress *p))
{
	AUTO_BUF struct buf b = BUF_INIT;
	struct progress p;
	int fd[2];
	char chunk[4096];
	ssize_t n;

	if (pipe(fd))
		return mem_strdup("");
	progress_init(&p, fd[1], PROGRESS_TALK);
	p.mode = mode;
	fn(&p);
	progress_done(&p);
	close(fd[1]);
	while ((n = read(fd[0], chunk, sizeof(chunk))) > 0)
		buf_add(&b, chunk, (size_t)n);
	close(fd[0]);
	return buf_take(&b);
}

static void
some_stages(struct progress *p)
{
	progress_begin(p, "run 4242");
	progress_stage_begin(p, "install");
	for (int i = 0; i < 50; i++)
		progress_waiting(p, "pushing", i * 10, 1000, 60000);
	progress_stage_end(p, "install", PROGRESS_OK, "209 MiB", 9120);
	progress_stage_begin(p, "walk");
	progress_item(p, PROGRESS_WARN, "[1/2] home", "off-route", 900);
	progress_stage_end(p, "walk", PROGRESS_FAIL, NULL, -1);
}

static void
plain_lines(void)
{
	AUTO_FREE char *s = written(PROGRESS_PLAIN, some_stages);

	CHECK(strchr(s, '\r') == NULL && strchr(s, '\x1b') == NULL);
	CHECK_HAS(s, "patrol · run 4242\n");
	CHECK_HAS(s, "  ok    install   209 MiB   9.12 s\n");
	CHECK_HAS(s, "  warn  [1/2] home off-route   900 ms\n");
	CHECK_HAS(s, "  fail  walk\n");
}

static void
groups(void)
{
	AUTO_FREE char *s = written(PROGRESS_ACTIONS, some_stages);
	const char *open = strstr(s, "::group::install\n");
	const char *close = strstr(s, "::endgroup::\n");

	REQUIRE(open && close && open < close);
	CHECK(strchr(s, '\r') == NULL);
	CHECK(strstr(close, "  ok    install") != NULL);
	CHECK(strstr(close, "::group::walk\n") != NULL);
}

static void
redrawn(void)
{
	AUTO_FREE char *s = written(PROGRESS_TERMINAL, some_stages);
	size_t draws = 0;

	for (const char *p = s; (p = strstr(p, "pushing")); p++)
		draws++;
	/* Fifty calls at once draw no more than ten a second. */
	CHECK(draws <= 2);
	CHECK_HAS(s, "\r\x1b[K  ok    install");
}

static void
quiet(void)
{
	AUTO_FREE char *s = written(PROGRESS_QUIET, some_stages);

	CHECK(strstr(s, "install") == NULL);
	CHECK_HAS(s, "  warn  [1/2] home");
	CHECK_HAS(s, "  fail  walk");
}

static void
evil(struct progress *p)
{
	progress_stage_end(p, "walk", PROGRESS_OK,
			   "a\x1b[2J\n::error::b ##[error]c \xff hunter22", -1);
}

static void
text_of_others(void)
{
	struct secret s = SECRET_INIT;

	secret_set(&s, "hunter22");
	AUTO_FREE char *t = written(PROGRESS_ACTIONS, evil);
	CHECK(strchr(t, '\x1b') == NULL);
	CHECK(strchr(t, '\n') == t + strlen(t) - 1);
	CHECK_HAS(t, "a\\x1b[2J\\x0a::error::b");
	CHECK(strstr(t, "##[") == NULL);
	CHECK(strstr(t, "hunter22") == NULL);
	CHECK_HAS(t, "***");
	secret_done(&s);
}

static const char *sample;

static void
end(struct progress *p)
{
	AUTO_JSON cJSON *r = results_load(sample);

	progress_end(p, r, "patrol-out/report.html");
}

static void
last_line(void)
{
	sample = "passed";
	AUTO_FREE char *a = written(PROGRESS_PLAIN, end);
	CHECK_STR(a, "PASSED 9/9 in 9:10 · 71 of 43,212 frames kept · phone "
		     "returned · patrol-out/report.html\n");
	sample = "skipped_busy";
	AUTO_FREE char *b = written(PROGRESS_QUIET, end);
	CHECK_HAS(b, "SKIPPED in 9.00 s · patrol-out/report.html\n");
	CHECK_HAS(b, "held by qa-team since Fri 18:02");
	CHECK_HAS(b, "  To do: Free the phone");
	CHECK(strstr(b, "phone returned") == NULL);
}

static void
widths(void)
{
	CHECK(progress_width("abc") == 3);
	CHECK(progress_width("33 °C") == 5);
	CHECK(progress_width("画面") == 4);
	CHECK(progress_width("e\xCC\x81") == 1);
	CHECK(progress_width("\xF0\x9F\x8E\xAE") == 2);
}

static void
nobody_reads(void)
{
	struct progress p;
	int fds[2];

	REQUIRE(pipe(fds) == 0);
	progress_init(&p, fds[1], PROGRESS_TALK);
	/* Far more than the pipe holds; a blocking write would stay there. */
	for (int i = 0; i < 900; i++)
		progress_item(&p, PROGRESS_WARN, "name",
			      "a line that nobody will ever read, of a length "
			      "as they are in a patrol",
			      -1);
	progress_done(&p);
	close(fds[0]);
	/* And with the reader gone: no signal, no wait. */
	(void)signal(SIGPIPE, SIG_IGN);
	progress_item(&p, PROGRESS_WARN, "name", "text", -1);
	close(fds[1]);
}

CHECK_MAIN(CHECK_CASE("a pipe that nobody reads holds nothing up",
		      nobody_reads),
	   CHECK_CASE("plain output is one line an event", plain_lines),
	   CHECK_CASE("GitHub gets a group for each stage", groups),
	   CHECK_CASE("a terminal's line is redrawn, not too often", redrawn),
	   CHECK_CASE("quiet says only what is wrong", quiet),
	   CHECK_CASE("text of others is redacted and escaped", text_of_others),
	   CHECK_CASE("the last line is the verdict and the report", last_line),
	   CHECK_CASE("columns of wide and narrow characters", widths), )
