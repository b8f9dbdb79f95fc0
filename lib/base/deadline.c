#include "base/deadline.h"

#include <errno.h>
#include <limits.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define NEVER_US (INT64_MAX / 2)

int
deadline_cancel_init(struct cancel *c, struct err *err)
{
	c->fd[1] = -1;
	for (int i = 0; i < 2; i++) {
		c->fd[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (c->fd[i] < 0) {
			err_sys(err, "eventfd");
			deadline_cancel_done(c);
			return -1;
		}
	}
	return 0;
}

void
deadline_cancel_done(struct cancel *c)
{
	for (int i = 0; i < 2; i++) {
		if (c->fd[i] >= 0)
			close(c->fd[i]);
		c->fd[i] = -1;
	}
}

void
deadline_cancel_raise(const struct cancel *c, int level)
{
	const uint64_t one = 1;
	int saved = errno;

	for (int i = 0; i < level && i < 2; i++) {
		ssize_t n = write(c->fd[i], &one, sizeof(one));

		(void)n; /* full means raised already */
	}
	errno = saved;
}

bool
deadline_cancel_raised(const struct cancel *c, int level)
{
	struct pollfd p = {.fd = c->fd[level - 1], .events = POLLIN};

	return poll(&p, 1, 0) > 0;
}

int64_t
deadline_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static int64_t
after_ms(int64_t ms)
{
	int64_t now = deadline_now_us();

	if (ms > (NEVER_US - now) / 1000)
		return NEVER_US;
	return now + (ms > 0 ? ms : 0) * 1000;
}

struct deadline
deadline_in(const struct cancel *c, int64_t ms)
{
	return (struct deadline){after_ms(ms), c, 1};
}

struct deadline
deadline_cap(struct deadline dl, int64_t ms)
{
	int64_t at = after_ms(ms);

	if (at < dl.at_us)
		dl.at_us = at;
	return dl;
}

struct deadline
deadline_grace(const struct cancel *c, int64_t ms)
{
	return (struct deadline){after_ms(ms), c, 2};
}

int64_t
deadline_left_ms(struct deadline dl)
{
	int64_t left = dl.at_us - deadline_now_us();

	return left > 0 ? (left + 999) / 1000 : 0;
}

int
deadline_check(struct deadline dl, struct err *err)
{
	if (dl.cancel && deadline_cancel_raised(dl.cancel, dl.level))
		return err_set(err, ERR_CANCELLED, "cancelled by a signal");
	if (deadline_left_ms(dl) == 0)
		return err_set(err, ERR_TIMEOUT, "out of time");
	return 0;
}

int
deadline_poll(struct deadline dl, struct pollfd *fds, nfds_t n, int64_t max_ms,
	      struct err *err)
{
	int64_t until = max_ms < 0 ? INT64_MAX : after_ms(max_ms);

	for (;;) {
		int64_t end = until < dl.at_us ? until : dl.at_us;
		int64_t left = end - deadline_now_us();
		nfds_t count = n;
		int r;

		if (dl.cancel)
			fds[count++] = (struct pollfd){
				.fd = dl.cancel->fd[dl.level - 1],
				.events = POLLIN,
			};
		left = left > 0 ? (left + 999) / 1000 : 0;
		r = poll(fds, count, left > INT_MAX ? INT_MAX : (int)left);
		if (r < 0 && errno != EINTR)
			return err_sys(err, "poll");
		if (r < 0)
			continue;
		if (dl.cancel && fds[n].revents)
			return err_set(err, ERR_CANCELLED,
				       "cancelled by a signal");
		/* Also when there is more: a peer may never stop talking. */
		if (deadline_now_us() >= dl.at_us)
			return err_set(err, ERR_TIMEOUT, "out of time");
		if (r > 0)
			return 0;
		if (deadline_now_us() >= until)
			return 0;
	}
}

int
deadline_wait(struct deadline dl, int fd, short events, struct err *err)
{
	struct pollfd p[2] = {{.fd = fd, .events = events}};

	return deadline_poll(dl, p, 1, -1, err);
}

int
deadline_pause(struct deadline dl, int64_t ms, struct err *err)
{
	struct pollfd p[1];

	return deadline_poll(dl, p, 0, ms, err);
}
