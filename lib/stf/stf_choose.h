#ifndef STF_CHOOSE_H
#define STF_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "stf/stf.h"

/*
 * Which device of a farm a run takes.  Pure: no waiting, no network, and the
 * same list always gives the same answer, whatever order STF sent it in.
 */

/* One line of the plan's `match`, all borrowed. */
struct stf_match {
	const char *field; /* of STF's record; "display.width" too */
	/*
	 * The whole value, without regard to case and outer blanks; or
	 * ">=29", ">29", "<=", "<", "=", "!=", compared as dotted numbers.
	 */
	const char *value;
};

/* One candidate of the plan; several are tried in their order. */
struct stf_want {
	const char *serial; /* NULL: any */
	const struct stf_match *match;
	size_t match_count;
};

enum stf_state {
	STF_FREE,
	STF_MINE, /* free for us: this account has it already */
	STF_BUSY,
	STF_UNAUTHORIZED, /* the phone does not trust the farm */
	STF_NOT_READY,
	STF_ABSENT,
	STF_NO_MATCH,
};

struct stf_verdict {
	const struct stf_device *device; /* borrowed */
	enum stf_state state;
	size_t want;	    /* the first candidate that it fits */
	const char *field;  /* STF_NO_MATCH: the first that differs */
	const char *wanted; /* its value in the plan */
	size_t hits;	    /* how near a miss it is; more is nearer */
};

struct stf_choice {
	/* Every device, best first: FREE by candidate and serial, then MINE,
	 * BUSY, ... as in the enum. */
	struct stf_verdict *item;
	size_t count;
	size_t free_count; /* so many of them are STF_FREE */
	size_t fit_count;  /* so many fit, whatever their state */
};

/*
 * `me`: the account's e-mail.  Never fails; call stf_choice_error() when
 * free_count is 0.  `choice` borrows from `list` and `want`.
 */
void stf_choose(const struct stf_devices *list, const struct stf_want *want,
		size_t want_count, const char *me, struct stf_choice *choice);
void stf_choose_done(struct stf_choice *choice);

/*
 * Why there is nothing to take.  ERR_BUSY: a phone fits but cannot be had
 * now; the reason is device_busy, device_absent, device_not_ready or
 * device_unauthorized and the message names phone and holder.
 * ERR_NOTFOUND, reason no_device_fits: nothing on this farm fits or has ever
 * fitted; the message says the nearest miss.
 */
int stf_choose_error(const struct stf_choice *choice, struct err *err);

/* "free", "busy", ...: stable words. */
const char *stf_choose_state_name(enum stf_state state);
/* "busy: Jane Doe <j@x> since 2024-01-01T10:00:00Z, booked until ..." */
void stf_choose_describe(const struct stf_verdict *v, struct buf *out);

/* Does the device satisfy one line; exported for `patrol devices`. */
bool stf_choose_matches(const struct stf_device *d, const struct stf_match *m);

#endif
