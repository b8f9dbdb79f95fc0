#ifndef DEADLINE_H
#define DEADLINE_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * When something has to be over, and what may end it before.
 *
 * Absolute monotonic time, so it can be passed down by value and never has to
 * be recomputed.  Everything that blocks takes one and ends in ERR_TIMEOUT or
 * ERR_CANCELLED when it is over.
 */

/*
 * A request to stop, raised from a signal handler or another thread.
 * Level 1: stop and clean up.  Level 2: abandon (a second SIGINT).
 * The descriptors become readable when their level is reached.
 */
struct cancel {
	int fd[2]; /* [0] level 1, [1] level 2 */
};

int deadline_cancel_init(struct cancel *c, struct err *err);
void deadline_cancel_done(struct cancel *c);
void deadline_cancel_raise(const struct cancel *c,
			   int level); /* async-signal-safe */
bool deadline_cancel_raised(const struct cancel *c, int level);

struct deadline {
	int64_t at_us;
	const struct cancel *cancel; /* may be NULL */
	int level;		     /* which level ends the wait: 1 or 2 */
};

int64_t deadline_now_us(void);

/* From now, ended by a first signal. */
struct deadline deadline_in(const struct cancel *c, int64_t ms);
/* The same end, or in `ms` from now when that is sooner. */
struct deadline deadline_cap(struct deadline dl, int64_t ms);
/* For undoing: from now, deaf to the first signal. */
struct deadline deadline_grace(const struct cancel *c, int64_t ms);

int64_t deadline_left_ms(struct deadline dl); /* 0 when over */

/* -1 with ERR_TIMEOUT or ERR_CANCELLED when over, else 0. */
int deadline_check(struct deadline dl, struct err *err);

/*
 * Wait until `fd` has one of `events` (poll's words).  0 when it has (also
 * POLLHUP and POLLERR: read to learn more), -1 when over, even if it has.
 */
int deadline_wait(struct deadline dl, int fd, short events, struct err *err);

/*
 * The same for several descriptors; fds[i].revents are filled.  `fds` has
 * room for one more entry behind `n`, which is ours.  `max_ms` < 0: none;
 * else the call returns 0 with no revents after that time, so that a loop can
 * look at something else in between.
 */
int deadline_poll(struct deadline dl, struct pollfd *fds, nfds_t n,
		  int64_t max_ms, struct err *err);

/*
 * Let `ms` pass between two looks at something that sends no event (a farm's
 * REST API, the phone's boot).  -1 when the deadline is over before.
 */
int deadline_pause(struct deadline dl, int64_t ms, struct err *err);

#endif
