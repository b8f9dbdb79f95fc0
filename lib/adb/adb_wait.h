#ifndef ADB_WAIT_H
#define ADB_WAIT_H

#include "adb/adb_server.h"
#include "base/deadline.h"
#include "base/err.h"

/*
 * Wait until a device is there, by its state only.
 */
struct adb_wait_spec {
	const char *serial; /* or "host:port" when `address` is NULL too */
	/*
	 * "host:port" to connect to; then it is the serial.  NULL: the device
	 * comes by itself (USB).
	 */
	const char *address;
	const char *fingerprint; /* of our key, for the message; or NULL */
	/* Told when the state changes; `words` is the state's name. */
	void (*changed)(void *arg, const char *words);
	void *arg;
};

/*
 * Connect when there is an address, and wait until the state is `device`;
 * an offline one is reconnected with backoff, an absent one connected again.
 * When `dl` ends: ERR_AUTH (unauthorized; reason "unauthorized"), ERR_IO
 * (offline; reason "offline"), ERR_NOTFOUND (absent; reason "absent"), each
 * with its cure.  ERR_CANCELLED stays that.  A device in recovery and the
 * like is ERR_REMOTE at once (reason "not_booted").
 */
int adb_wait_device(const struct adb_server *s,
		    const struct adb_wait_spec *spec, struct deadline dl,
		    struct err *err);

/*
 * The one device to use when the user named none: exactly one in the list
 * that is not absent.  ERR_NOTFOUND: none.  ERR_INPUT: several, named (also
 * the same phone twice).  free() it.
 */
int adb_wait_choose(const struct adb_server *s, char **serial,
		    struct deadline dl, struct err *err);

#endif
