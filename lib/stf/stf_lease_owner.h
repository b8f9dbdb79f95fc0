#ifndef STF_LEASE_OWNER_H
#define STF_LEASE_OWNER_H

#include <stdbool.h>
#include <stdint.h>

#include "stf/stf_lease.h"

/* Shared by the files of stf_lease: whose a phone is. */

enum stf_lease_owner {
	STF_LEASE_OWNER_ME,
	STF_LEASE_OWNER_NONE, /* or it is unknown to us */
	STF_LEASE_OWNER_OTHER /* also another run of this account */
};

enum {
	/* STF answers before it has written down what it did. */
	STF_LEASE_OWNER_SETTLE_MS = 3000,
	STF_LEASE_OWNER_POLL_MS = 500, /* it sends no events to clients */
};

/* Sets l->me, once. */
int stf_lease_owner_me(struct stf_lease *l, struct deadline dl,
		       struct err *err);

/* `record`: replaced when the farm shows the phone; may be NULL. */
int stf_lease_owner_read(struct stf_lease *l, const char *serial,
			 enum stf_lease_owner *owner, struct stf_device *record,
			 struct deadline dl, struct err *err);

/* Looks until it is somebody's, for `ms` at most; l->device is its record. */
int stf_lease_owner_await(struct stf_lease *l, const char *serial, int64_t ms,
			  enum stf_lease_owner *owner, struct deadline dl,
			  struct err *err);

/*
 * Two runs can share an account.  STF notes when a reservation began, and that
 * does not change while it lasts: another time is another reservation.
 */
bool stf_lease_owner_is_another(const struct stf_lease *l,
				const struct stf_device *d);

/*
 * After it became ours: when that was, into l->since.  The farm writes the
 * owner first, then the usage with its time; before that the time is of
 * something else.
 */
int stf_lease_owner_since(struct stf_lease *l, struct deadline dl,
			  struct err *err);

#endif
