#ifndef DEVICE_OPTION_H
#define DEVICE_OPTION_H

#include "base/err.h"

/* Is --device "adb" or "adb:SERIAL"?  NULL: it is not given.  ERR_USAGE. */
int device_option_check(const char *device, struct err *err);

#endif
