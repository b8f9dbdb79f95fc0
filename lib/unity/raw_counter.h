#ifndef RAW_COUNTER_H
#define RAW_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Managed allocations as the app counted them itself: lines of a time of the
 * log's clock, in ticks, and bytes, rising in time; white space, a comma or a
 * semicolon between them.  A line may begin with '#', the first may be a
 * heading.  Read once, along with the frames.
 */
struct raw_counter {
	const char *path; /* borrowed; NULL: there is none */
	const char *name; /* as messages call it; borrowed */
	bool growing;	  /* more may come at its end */
	int fd;
	char buf[4096];
	size_t len, at;
	bool end; /* of what there is now */
	bool has; /* a value is waiting: */
	uint64_t time, bytes;
	uint64_t lines, values, odd, strays;
	uint64_t read;	/* bytes of the file so far */
	bool over;	/* nothing more is read, and why: */
	bool cut;	/* it became shorter while it was read */
	struct err why; /* it is not there or can't be read; growing only */
	bool begun;	/* a frame was asked for; the first began at: */
	uint64_t begin;
	uint64_t late; /* strays since then: their frame was done with */
};

/*
 * A counter that may grow need not be there, nor be readable: that is told
 * in `why`, since a recording that goes on is not given up for it.
 */
int raw_counter_open(struct raw_counter *c, const char *path, const char *name,
		     bool growing, struct err *err);
void raw_counter_done(struct raw_counter *c);

/* Whether all values before `time` are there. */
int raw_counter_ready(struct raw_counter *c, uint64_t time, bool *ready,
		      struct err *err);
/* Sum of the values from `start` to before `end`; earlier ones are strays. */
int raw_counter_take(struct raw_counter *c, uint64_t start, uint64_t end,
		     uint64_t *sum, bool *any, struct err *err);

#endif
