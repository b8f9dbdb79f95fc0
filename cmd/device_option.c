#include "cmd/device_option.h"

#include <stddef.h>
#include <string.h>

int
device_option_check(const char *device, struct err *err)
{
	if (device == NULL || strcmp(device, "adb") == 0 ||
	    strncmp(device, "adb:", 4) == 0)
		return 0;
	return err_set(err, ERR_USAGE, "--device '%s' is not adb or adb:SERIAL",
		       device);
}
