/*
 * Any bytes as a memory snapshot: what opens can be summed up, or says why
 * not, in bounded memory.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json.h"
#include "unity/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct err err = ERR_INIT;
	struct snapshot s;
	char path[40];
	cJSON *summary;

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) ||
	    pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (snapshot_open(&s, path, &err)) {
		if (err.code == ERR_NONE)
			abort();
		return 0;
	}
	if (snapshot_summary(&s, &summary, &err) == 0)
		cJSON_Delete(summary);
	snapshot_done(&s);
	return 0;
}
