#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "apk/apk_zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A zip: its directory, and every entry of up to 1 MiB. */
static void
read_all(struct apk_zip *z)
{
	for (size_t i = 0; i < apk_zip_count(z); i++) {
		AUTO_BUF struct buf b = BUF_INIT_MAX(1 << 20);
		struct apk_zip_entry e;
		struct err err = ERR_INIT;

		if (apk_zip_entry(z, i, &e, &err))
			continue;
		(void)apk_zip_name_odd(e.name);
		if (e.size <= 1 << 20)
			(void)apk_zip_read(z, &e, &b, deadline_in(NULL, 5000),
					   &err); /* any outcome will do */
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = ERR_INIT;
	struct apk_zip *z;
	char path[32];
	int fd = memfd_create("zip", 0);

	if (fd < 0)
		return 0;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size &&
	    apk_zip_open(path, &z, &err) == 0) {
		read_all(z);
		apk_zip_close(z);
	}
	close(fd);
	return 0;
}
