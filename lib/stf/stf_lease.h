#ifndef STF_LEASE_H
#define STF_LEASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "base/err.h"
#include "stf/stf.h"
#include "stf/stf_choose.h"

/*
 * A reserved device, from choosing it to giving it back.
 *
 *	stf_lease_init(&lease, &stf);
 *	teardown_push(td, "release", stf_lease_undo, &lease, 4000, err);
 *	stf_lease_take(&lease, &ask, dl, err);
 *	stf_lease_key(&lease, publickey, "patrol", dl, err);
 *	stf_lease_connect(&lease, dl, err);	-> lease.endpoint
 *	... stf_lease_keep() whenever stf_lease_keep_due_ms() is 0 ...
 *	stf_lease_check(&lease, dl, err);
 *	adb disconnect
 *	stf_lease_give_back(&lease, dl, err);
 */
struct stf_lease {
	struct stf *stf; /* borrowed */
	char *me;	 /* the account's e-mail; NULL before */
	char *serial;	 /* of what we asked for; NULL before */
	bool asked;	 /* reserve was sent, and nothing undone since */
	bool ours;	 /* the farm said that it is ours */
	bool lost;	 /* and later that it is not any more */
	bool unsure;	 /* unanswered and nobody's: it may come ours yet */
	char *since;	 /* of our reservation, the farm's words; or NULL */
	struct stf_device device; /* its record when it became ours */
	char *endpoint;		  /* "host:port" for adb; NULL before */
	int64_t idle_ms;	  /* as asked of the farm */
	int64_t keep_at_us;	  /* monotonic: next sign of life */
	char **doubt;		  /* serials whose reservation may come late */
	size_t doubt_count, doubt_room;
	struct err silence; /* of a reservation that got no answer twice */
};

struct stf_lease_ask {
	const struct stf_want *want; /* candidates, best first */
	size_t want_count;
	int64_t idle_ms; /* 1 s .. 2147483647; cut to that */
	/*
	 * Called before each reservation is sent, so that the journal knows
	 * first.  ERR_BUSY: not this one, try the next; any other error ends
	 * the taking.  May be NULL.
	 */
	int (*before)(void *arg, const struct stf_device *d, struct err *err);
	/* After one that was surely refused: nothing of it is ours. */
	int (*refused)(void *arg, const char *serial, struct err *err);
	void *arg;
	/* 0: none free is ERR_BUSY at once.  Else look again for so long. */
	int64_t wait_ms;
	/* Told at each look while it waits: why; may be NULL. */
	void (*waiting)(void *arg, const char *why);
};

void stf_lease_init(struct stf_lease *l, struct stf *stf);
/* Frees memory only; gives nothing back. */
void stf_lease_done(struct stf_lease *l);

/*
 * Reserve one device that satisfies `ask`.  Tries each free one in order,
 * takes a lost answer for what it may be (the phone can become ours after an
 * HTTP 504) and re-reads the owner before it believes a 200.  ERR_BUSY and
 * ERR_NOTFOUND as stf_choose_error() says; ERR_AUTH: the token.
 */
int stf_lease_take(struct stf_lease *l, const struct stf_lease_ask *ask,
		   struct deadline dl, struct err *err);

/*
 * Make sure that the account has this adb public key, and that it is this
 * account (a key of another one gets the farm's success too): ERR_AUTH,
 * reason adb_key_elsewhere.
 */
int stf_lease_key(struct stf_lease *l, const char *publickey, const char *title,
		  struct deadline dl, struct err *err);

/* Opens the farm's adb endpoint; asks again while the URL is missing. */
int stf_lease_connect(struct stf_lease *l, struct deadline dl, struct err *err);

/*
 * A sign of life, so that the idle timeout starts anew.  Due at a third of
 * it: 0 means now.  ERR_REMOTE, reason lease_lost: no longer ours.  Another
 * error: could not tell, try again.
 */
int64_t stf_lease_keep_due_ms(const struct stf_lease *l);
int stf_lease_keep(struct stf_lease *l, struct deadline dl, struct err *err);

/* Is it still ours?  Errors as stf_lease_keep(). */
int stf_lease_check(struct stf_lease *l, struct deadline dl, struct err *err);

/*
 * Close the endpoint and release, when and only when the owner is us; never
 * taken or no longer ours is success.  Retries within the deadline.
 */
int stf_lease_give_back(struct stf_lease *l, struct deadline dl,
			struct err *err);
/* The same as a teardown step; `arg` is the lease. */
int stf_lease_undo(void *arg, struct deadline dl, struct err *err);
/*
 * The same from a journal's lines, after a crash.  `since`: lease.since of
 * then; a later reservation by the same account stays.  NULL: not known, and
 * asked for `age_ms` ago: what was asked for just now may come yet, and is
 * waited for.
 */
int stf_lease_reap(struct stf *stf, const char *serial, const char *since,
		   int64_t age_ms, struct deadline dl, struct err *err);
/* Does this account hold it now? */
int stf_lease_is_mine(struct stf *stf, const char *serial, bool *mine,
		      struct deadline dl, struct err *err);

#endif
