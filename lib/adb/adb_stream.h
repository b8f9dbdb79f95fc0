#ifndef ADB_STREAM_H
#define ADB_STREAM_H

#include <stddef.h>

#include "adb/adb_server.h"
#include "base/deadline.h"
#include "base/err.h"

/*
 * Open a service on the device ("tcp:17320", "localabstract:x", "sync:",
 * "exec:..."); `fd` is the stream, non-blocking, the caller's to close.  No
 * forward is made on the host.
 *
 * The device is not there: as in adb_wait_device (ERR_NOTFOUND "absent",
 * ERR_AUTH "unauthorized", ERR_IO "offline").  The device refused the
 * service (nothing listens on that port, unknown service): ERR_NOTFOUND,
 * reason "refused"; with other words of its own, ERR_REMOTE.
 */
int adb_stream_open(const struct adb_server *s, const char *serial,
		    const char *service, int *fd, struct deadline dl,
		    struct err *err);
/* The same for a service with zero bytes in it (abb_exec). */
int adb_stream_open_raw(const struct adb_server *s, const char *serial,
			const void *service, size_t len, int *fd,
			struct deadline dl, struct err *err);

#endif
