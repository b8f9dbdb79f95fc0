#include "check.h"

#include <stdlib.h>

#include "run/app_log.h"

#define HEAD "01-02 03:04:05.678  1021  1044 E ActivityManager: "

static bool
after(int pid, int old_pid, const char *const *line)
{
	struct run r = {.package = "com.x", .pid = pid, .old_pid = old_pid};
	bool told;

	for (; *line; line++)
		app_log_read(&r, *line, strlen(*line));
	told = app_log_tells(&r);
	app_log_forget(&r);
	return told;
}

#define AFTER(pid, old_pid, ...) \
	after(pid, old_pid, (const char *const[]){__VA_ARGS__, NULL})

static void
a_crash_is_ours_by_name_or_process(void)
{
	CHECK(AFTER(20, 0, "F libc : Fatal signal 11, pid 20 (com.x)"));
	CHECK(AFTER(20, 0,
		    "01-02 03:04:05.678  20  20 E AndroidRuntime: "
		    "FATAL EXCEPTION: main"));
	CHECK(!AFTER(20, 0, "F libc : Fatal signal 11, pid 30 (com.xy)"));
	CHECK(!AFTER(20, 0, "F libc : Fatal signal 11, pid 30 (com.x.help)"));
}

static void
an_anr_is_that_of_its_process(void)
{
	CHECK(AFTER(20, 10, HEAD "ANR in com.x (com.x/.Main)", HEAD "PID: 20",
		    HEAD "Reason: input"));
	CHECK(!AFTER(20, 10, HEAD "ANR in com.x (com.x/.Main)", HEAD "PID: 10",
		     HEAD "Reason: input"));
	CHECK(!AFTER(20, 10, HEAD "am_anr: [0,10,com.x,1,input]"));
	CHECK(AFTER(20, 10, HEAD "am_anr: [0,20,com.x,1,input]"));
	/* And then one of the process that runs. */
	CHECK(AFTER(20, 10, HEAD "ANR in com.x (com.x/.Main)", HEAD "PID: 10",
		    HEAD "ANR in com.x (com.x/.Main)", HEAD "PID: 20"));
}

static void
an_old_crash_says_nothing(void)
{
	CHECK(!AFTER(20, 10, "F libc : Fatal signal 11, pid 10 (com.x)"));
	CHECK(!AFTER(20, 10, HEAD "am_crash: [10,0,com.x,1,Error]"));
	CHECK(AFTER(20, 10, HEAD "am_crash: [20,0,com.x,1,Error]"));
	/* Its number was given again. */
	CHECK(AFTER(10, 10, "F libc : Fatal signal 11, pid 10 (com.x)"));
}

static void
an_anr_of_no_known_process_counts_after_a_while(void)
{
	struct run r = {.package = "com.x", .pid = 20, .old_pid = 10};
	static const char line[] = HEAD "ANR in com.x (com.x/.Main)";

	app_log_read(&r, line, sizeof(line) - 1);
	CHECK(!app_log_tells(&r));
	r.seen.doubt_us -= 2000000;
	CHECK(app_log_tells(&r) && r.seen.anr);
	CHECK_STR(r.seen.line, line);
	app_log_forget(&r);
}

CHECK_MAIN(CHECK_CASE("a crash is ours by its name or its process",
		      a_crash_is_ours_by_name_or_process),
	   CHECK_CASE("an ANR is that of the process it names",
		      an_anr_is_that_of_its_process),
	   CHECK_CASE("a late line about the process before says nothing",
		      an_old_crash_says_nothing),
	   CHECK_CASE("an ANR that never names its process counts in the end",
		      an_anr_of_no_known_process_counts_after_a_while), )
