#ifndef PHONE_LOCK_H
#define PHONE_LOCK_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * One run a phone on this machine.
 *
 * To a farm two runs with one account are the same user: after a lost answer
 * both could believe that a phone is theirs, and the first to end would give
 * back the other's.  So each phone that is asked for is locked first, by a
 * file in the state folder.  The lock is the kernel's and ends with the
 * process, however that ends; what lies in the file only tells who it is.
 */
struct phone_lock {
	int fd;
	char *path, *serial;
};

/* Those of a run: one that may come late is kept beside the one at hand. */
struct phone_locks {
	struct phone_lock *item;
	size_t count, room;
};

/*
 * `farm`: its URL.  `out_dir`: where the run's results go, for the others'
 * message.  ERR_BUSY, reason device_busy: another process has it, which is
 * named.  Locked by us already is fine.
 */
int phone_lock_take(struct phone_locks *l, const char *state_dir,
		    const char *farm, const char *serial, const char *out_dir,
		    struct err *err);
/* Not locked is fine. */
void phone_lock_drop(struct phone_locks *l, const char *serial);
void phone_lock_drop_all(struct phone_locks *l);

/*
 * Append who on this machine has the phone: "process 4242 since 2026-...,
 * results in '...'"; nothing when nobody has.
 */
void phone_lock_holder(const char *state_dir, const char *farm,
		       const char *serial, struct buf *out);

#endif
