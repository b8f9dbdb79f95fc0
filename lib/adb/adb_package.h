#ifndef ADB_PACKAGE_H
#define ADB_PACKAGE_H

#include "adb/adb_device.h"
#include "base/deadline.h"
#include "base/err.h"

/* Path of the base APK on the phone; free() it.  ERR_NOTFOUND: not there. */
int adb_package_path(struct adb_device *dev, const char *package, char **path,
		     struct deadline dl, struct err *err);

struct adb_package_version {
	char *name;	/* "1.2.3"; "" when not told */
	long long code; /* -1 when not told */
	int debuggable; /* 1, 0 or -1 */
};
/* ERR_NOTFOUND: not installed. */
int adb_package_version(struct adb_device *dev, const char *package,
			struct adb_package_version *v, struct deadline dl,
			struct err *err);
void adb_package_version_done(struct adb_package_version *v);

/* Not installed is fine. */
int adb_package_uninstall(struct adb_device *dev, const char *package,
			  struct deadline dl, struct err *err);

/*
 * Grant a runtime permission ("android.permission.CAMERA").  One that this
 * Android does not know, or that can't be granted so, is no error: `granted`
 * (may be NULL) tells.  Before Android 6 there is nothing to do.
 */
int adb_package_grant(struct adb_device *dev, const char *package,
		      const char *permission, int *granted, struct deadline dl,
		      struct err *err);

#endif
