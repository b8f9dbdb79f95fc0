/* Frames of whatever answers on the app's port. */
#include <stdint.h>
#include <stdlib.h>

#include "control/control_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;
	struct control_frame f;
	struct err err = ERR_INIT;
	unsigned sum = 0;

	while (control_frame_next(p, size, 1 << 16, &f, &err) > 0) {
		if (f.used < 4 || f.used > size || f.data < p ||
		    f.data + f.len != p + f.used)
			abort();
		for (size_t i = 0; i < f.len; i++)
			sum += (unsigned char)f.data[i];
		p += f.used;
		size -= f.used;
	}
	(void)sum; /* read, so that a sanitizer looks */
	return 0;
}
