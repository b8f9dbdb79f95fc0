#include "base/deadline.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "check.h"

static void
nothing_left_is_over(void)
{
	struct err err = ERR_INIT;
	struct deadline dl = deadline_in(NULL, 0);

	CHECK(deadline_left_ms(dl) == 0);
	CHECK(deadline_check(dl, &err) == -1 && err.code == ERR_TIMEOUT);
	CHECK(deadline_left_ms(deadline_in(NULL, -5)) == 0);
}

static void
far_does_not_overflow(void)
{
	struct err err = ERR_INIT;
	struct deadline dl = deadline_in(NULL, INT64_MAX);
	int64_t left = deadline_left_ms(dl);

	CHECK(left > (int64_t)86400000 * 365);
	CHECK(deadline_check(dl, &err) == 0);
	CHECK(deadline_left_ms(deadline_cap(dl, INT64_MAX)) > 86400000);
}

static void
cap_only_shortens(void)
{
	struct deadline dl = deadline_in(NULL, 50000);

	CHECK(deadline_cap(dl, 100000).at_us == dl.at_us);
	CHECK(deadline_left_ms(deadline_cap(dl, 1000)) <= 1000);
	CHECK(deadline_left_ms(deadline_cap(dl, 1000)) > 0);
}

static void
levels(void)
{
	struct err err = ERR_INIT;
	struct cancel c;
	struct deadline work, undo;

	REQUIRE(deadline_cancel_init(&c, &err) == 0);
	work = deadline_in(&c, 60000);
	undo = deadline_grace(&c, 60000);
	CHECK(!deadline_cancel_raised(&c, 1));
	CHECK(deadline_check(work, &err) == 0);
	deadline_cancel_raise(&c, 1);
	CHECK(deadline_cancel_raised(&c, 1) && !deadline_cancel_raised(&c, 2));
	CHECK(deadline_check(work, &err) == -1 && err.code == ERR_CANCELLED);
	err_clear(&err);
	CHECK(deadline_check(deadline_cap(work, 10), &err) == -1 &&
	      err.code == ERR_CANCELLED);
	CHECK(deadline_check(undo, &err) == 0);
	deadline_cancel_raise(&c, 2);
	CHECK(deadline_check(undo, &err) == -1 && err.code == ERR_CANCELLED);
	deadline_cancel_done(&c);
	deadline_cancel_done(&c); /* twice is fine */
}

static void
second_signal_alone_is_both(void)
{
	struct err err = ERR_INIT;
	struct cancel c;

	REQUIRE(deadline_cancel_init(&c, &err) == 0);
	for (int i = 0; i < 1000; i++)
		deadline_cancel_raise(&c, 2);
	CHECK(deadline_cancel_raised(&c, 1) && deadline_cancel_raised(&c, 2));
	deadline_cancel_done(&c);
}

static void
waits_for_bytes(void)
{
	struct err err = ERR_INIT;
	int fd[2];

	REQUIRE(pipe(fd) == 0);
	CHECK(deadline_wait(deadline_in(NULL, 1), fd[0], POLLIN, &err) == -1);
	CHECK(err.code == ERR_TIMEOUT);
	CHECK(write(fd[1], "x", 1) == 1);
	CHECK(deadline_wait(deadline_in(NULL, 60000), fd[0], POLLIN, &err) ==
	      0);
	/* More to read is no more time. */
	CHECK(deadline_wait(deadline_in(NULL, 0), fd[0], POLLIN, &err) == -1);
	CHECK(err.code == ERR_TIMEOUT);
	close(fd[1]);
	CHECK(read(fd[0], &(char){0}, 1) == 1);
	CHECK(deadline_wait(deadline_in(NULL, 60000), fd[0], POLLIN, &err) ==
	      0); /* the end is an event */
	close(fd[0]);
}

static void *
raise_soon(void *arg)
{
	deadline_cancel_raise(arg, 1);
	return NULL;
}

static void
cancel_wakes(void)
{
	struct err err = ERR_INIT;
	struct cancel c;
	pthread_t t;
	int fd[2];

	REQUIRE(pipe(fd) == 0);
	REQUIRE(deadline_cancel_init(&c, &err) == 0);
	REQUIRE(pthread_create(&t, NULL, raise_soon, &c) == 0);
	CHECK(deadline_wait(deadline_in(&c, 3600000), fd[0], POLLIN, &err) ==
	      -1);
	CHECK(err.code == ERR_CANCELLED);
	pthread_join(t, NULL);
	/* An hour, and the signal that was there before it. */
	err_clear(&err);
	CHECK(deadline_pause(deadline_in(&c, 3600000), 3600000, &err) == -1);
	CHECK(err.code == ERR_CANCELLED);
	/* Bytes are there too: the signal wins. */
	CHECK(write(fd[1], "x", 1) == 1);
	err_clear(&err);
	CHECK(deadline_wait(deadline_in(&c, 3600000), fd[0], POLLIN, &err) ==
		      -1 &&
	      err.code == ERR_CANCELLED);
	/* An undo does not hear it. */
	CHECK(deadline_wait(deadline_grace(&c, 3600000), fd[0], POLLIN, &err) ==
	      0);
	deadline_cancel_done(&c);
	close(fd[0]);
	close(fd[1]);
}

static void
poll_looks_up_in_between(void)
{
	struct err err = ERR_INIT;
	struct pollfd p[2];
	int fd[2];

	REQUIRE(pipe(fd) == 0);
	p[0] = (struct pollfd){.fd = fd[0], .events = POLLIN};
	CHECK(deadline_poll(deadline_in(NULL, 60000), p, 1, 1, &err) == 0);
	CHECK(p[0].revents == 0);
	CHECK(deadline_poll(deadline_in(NULL, 1), p, 1, 60000, &err) == -1 &&
	      err.code == ERR_TIMEOUT);
	CHECK(write(fd[1], "x", 1) == 1);
	CHECK(deadline_poll(deadline_in(NULL, 60000), p, 1, 60000, &err) == 0);
	CHECK(p[0].revents & POLLIN);
	CHECK(deadline_pause(deadline_in(NULL, 60000), 1, &err) == 0);
	CHECK(deadline_pause(deadline_in(NULL, 1), 60000, &err) == -1);
	close(fd[0]);
	close(fd[1]);
}

CHECK_MAIN(CHECK_CASE("no time left is a timeout", nothing_left_is_over),
	   CHECK_CASE("a far end does not overflow", far_does_not_overflow),
	   CHECK_CASE("a cap shortens and never lengthens", cap_only_shortens),
	   CHECK_CASE("work hears the first signal, an undo only the second",
		      levels),
	   CHECK_CASE("the second level raises the first too",
		      second_signal_alone_is_both),
	   CHECK_CASE("a wait ends with bytes, with the end, or in time",
		      waits_for_bytes),
	   CHECK_CASE("a signal wakes a wait at once", cancel_wakes),
	   CHECK_CASE("a poll comes back to look at something else",
		      poll_looks_up_in_between), )
