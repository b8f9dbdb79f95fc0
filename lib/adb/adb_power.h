#ifndef ADB_POWER_H
#define ADB_POWER_H

#include "adb/adb_device.h"
#include "base/deadline.h"
#include "base/err.h"

/*
 * Wake the screen and dismiss the lock screen; both are looked at, not
 * assumed.  A lock that wants a PIN or pattern is ERR_REMOTE, reason
 * "secure_lock".
 */
int adb_power_wake(struct adb_device *dev, struct deadline dl, struct err *err);

/*
 * Keep the screen on while plugged in.  Read the setting first: it is what
 * the journal and adb_power_restore() need (-1: it was not set).
 */
int adb_power_setting(struct adb_device *dev, int *before, struct deadline dl,
		      struct err *err);
int adb_power_stay_awake(struct adb_device *dev, struct deadline dl,
			 struct err *err);
int adb_power_restore(struct adb_device *dev, int before, struct deadline dl,
		      struct err *err);

#endif
