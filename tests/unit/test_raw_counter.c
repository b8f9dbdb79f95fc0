/* The app's own counter of allocations, in good and in bad condition. */
#include "unity/raw_counter.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char dir[] = "/tmp/patrol-counter.XXXXXX";
static char path[sizeof(dir) + 8];

enum mode { MAKE = O_CREAT | O_TRUNC, ADD = O_CREAT | O_APPEND };

static void
put_bytes(enum mode mode, const char *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | (int)mode, 0600);

	CHECK(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	CHECK(close(fd) == 0);
}

static void
put(enum mode mode, const char *text)
{
	put_bytes(mode, text, strlen(text));
}

static uint64_t
sum_of(struct raw_counter *c, uint64_t start, uint64_t end)
{
	struct err err = ERR_INIT;
	uint64_t sum = 0;
	bool any;

	CHECK(raw_counter_take(c, start, end, &sum, &any, &err) == 0);
	CHECK(any || sum == 0);
	return sum;
}

static bool
is_ready(struct raw_counter *c, uint64_t time)
{
	struct err err = ERR_INIT;
	bool ready = false;

	CHECK(raw_counter_ready(c, time, &ready, &err) == 0);
	return ready;
}

static void
lines_are_taken_as_they_come(void)
{
	struct err err = ERR_INIT;
	struct raw_counter c;

	put(MAKE, "100 1\n150 2\n2");
	CHECK(raw_counter_open(&c, path, NULL, true, &err) == 0);
	CHECK(sum_of(&c, 100, 200) == 3);
	CHECK(!is_ready(&c, 200));
	/* A line is whole with its end. */
	put(ADD, "10 4");
	CHECK(!is_ready(&c, 200));
	put(ADD, "0\n");
	CHECK(is_ready(&c, 200));
	CHECK(sum_of(&c, 200, 300) == 40);
	CHECK(c.values == 3 && c.odd == 0 && c.late == 0);
	raw_counter_done(&c);
}

static void
what_comes_too_late_is_counted(void)
{
	struct err err = ERR_INIT;
	struct raw_counter c;

	put(MAKE, "5 1\n");
	CHECK(raw_counter_open(&c, path, NULL, true, &err) == 0);
	CHECK(sum_of(&c, 100, 200) == 0);
	put(ADD, "150 9\n250 8\n");
	CHECK(sum_of(&c, 200, 300) == 8);
	/* One from before the first frame is no wonder. */
	CHECK(c.late == 1 && c.strays == 2);
	raw_counter_done(&c);
}

static void
one_that_is_not_there_yet_is_no_error_while_it_may_come(void)
{
	struct err err = ERR_INIT;
	struct raw_counter c;

	CHECK(unlink(path) == 0);
	CHECK(raw_counter_open(&c, path, "gc.txt", false, &err) == -1);
	CHECK_HAS(err.msg, "open the app's counter 'gc.txt': No such file");
	err_clear(&err);
	CHECK(raw_counter_open(&c, path, "gc.txt", true, &err) == 0);
	CHECK(!is_ready(&c, 200));
	CHECK_HAS(c.why.msg, "gc.txt': No such file");
	put(MAKE, "100 7\n200 8\n");
	CHECK(sum_of(&c, 100, 200) == 7);
	CHECK(is_ready(&c, 200) && c.why.code == ERR_NONE);
	raw_counter_done(&c);
}

static void
one_that_can_t_be_read_ends_no_recording(void)
{
	struct err err = ERR_INIT;
	struct raw_counter c;

	CHECK(unlink(path) == 0 && mkdir(path, 0700) == 0);
	CHECK(raw_counter_open(&c, path, NULL, true, &err) == 0);
	CHECK(sum_of(&c, 100, 200) == 0);
	CHECK_HAS(c.why.msg, "Is a directory");
	/* Nobody waits for it. */
	CHECK(is_ready(&c, 200));
	raw_counter_done(&c);
	CHECK(rmdir(path) == 0);
}

static void
one_that_becomes_shorter_ends_there(void)
{
	struct err err = ERR_INIT;
	struct raw_counter c;

	put(MAKE, "100 1\n150 2\n");
	CHECK(raw_counter_open(&c, path, NULL, true, &err) == 0);
	CHECK(sum_of(&c, 100, 200) == 3);
	put(MAKE, "9\n");
	CHECK(sum_of(&c, 200, 300) == 0);
	CHECK(c.cut && is_ready(&c, 300));
	put(ADD, "350 5\n350 5\n350 5\n350 5\n");
	CHECK(sum_of(&c, 300, 400) == 0);
	raw_counter_done(&c);
}

static void
bytes_that_are_no_lines_are_bounded_and_counted(void)
{
	struct err err = ERR_INIT;
	struct raw_counter c;
	char noise[4096];

	memset(noise, 'x', sizeof(noise));
	noise[sizeof(noise) - 1] = '\0';
	put(MAKE, noise);
	for (int i = 0; i < 20; i++)
		put(ADD, noise);
	put(ADD, "\n100 99999999999999999999999\n-1 5\n110 6 7\n120 8\n");
	put_bytes(ADD, "130\0 9\n", 7);
	CHECK(raw_counter_open(&c, path, NULL, false, &err) == 0);
	CHECK(sum_of(&c, 100, 200) == 8);
	CHECK(c.values == 1 && c.odd >= 20);
	raw_counter_done(&c);
	CHECK(unlink(path) == 0 && rmdir(dir) == 0);
}

static void
begin(void)
{
	CHECK(mkdtemp(dir) != NULL);
	(void)snprintf(path, sizeof(path), "%s/gc.txt", dir);
	lines_are_taken_as_they_come();
}

CHECK_MAIN(CHECK_CASE("lines are taken as they come", begin),
	   CHECK_CASE("what comes too late is counted",
		      what_comes_too_late_is_counted),
	   CHECK_CASE("one that is not there yet may come",
		      one_that_is_not_there_yet_is_no_error_while_it_may_come),
	   CHECK_CASE("one that can't be read ends no recording",
		      one_that_can_t_be_read_ends_no_recording),
	   CHECK_CASE("one that becomes shorter ends there",
		      one_that_becomes_shorter_ends_there),
	   CHECK_CASE("bytes that are no lines are bounded and counted",
		      bytes_that_are_no_lines_are_bounded_and_counted), )
