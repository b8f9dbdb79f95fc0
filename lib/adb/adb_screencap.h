#ifndef ADB_SCREENCAP_H
#define ADB_SCREENCAP_H

#include "adb/adb_device.h"
#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"

/*
 * The phone's screen as PNG into `png` (a limit of 32 MiB is enough).  What
 * is printed before the picture is skipped; signature and IEND are checked,
 * and nothing behind it is kept.  ERR_PROTO: no whole picture came.
 */
int adb_screencap_take(struct adb_device *dev, struct buf *png,
		       struct deadline dl, struct err *err);
/* Cut `png` down to the picture in it, undoing LF -> CRLF where needed. */
int adb_screencap_clean(struct buf *png, struct err *err);

#endif
