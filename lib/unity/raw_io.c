#include "unity/raw_io.h"

#include <errno.h>
#include <unistd.h>

int
raw_io_read(int fd, uint64_t at, void *to, size_t len, size_t *got)
{
	uint8_t *p = to;

	*got = 0;
	while (*got < len) {
		ssize_t n = pread(fd, p + *got, len - *got, (off_t)(at + *got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		*got += (size_t)n;
	}
	return 0;
}
