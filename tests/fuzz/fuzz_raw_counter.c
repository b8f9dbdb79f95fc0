/*
 * Any bytes as the app's own counter, given at once or as a file that grows
 * and is cut meanwhile: no value is counted twice, nor one that is not there.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unity/raw_counter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[32];

static void
put(int fd, const uint8_t *data, size_t from, size_t to)
{
	if (pwrite(fd, data + from, to - from, (off_t)from) !=
		    (ssize_t)(to - from) ||
	    ftruncate(fd, (off_t)to))
		abort();
}

/* Sums and their number up to `until`. */
static uint64_t
take(struct raw_counter *c, uint64_t from, uint64_t until)
{
	struct err err = ERR_INIT;
	uint64_t sum;
	bool any, ready;

	if (raw_counter_take(c, from, until, &sum, &any, &err) ||
	    raw_counter_ready(c, until, &ready, &err))
		abort();
	if (sum && !any)
		abort();
	return any;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct err err = ERR_INIT;
	struct raw_counter c;
	bool growing = size && data[size - 1] & 1;
	size_t half = growing ? size / 2 : size;
	uint64_t any = 0, step = 1;

	if (fd < 0) {
		fd = memfd_create("counter", 0);
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (ftruncate(fd, 0))
		abort();
	put(fd, data, 0, half);
	if (raw_counter_open(&c, path, NULL, growing, &err))
		abort();
	for (int i = 0; i < 8; i++) {
		any += take(&c, step, step * 32);
		step *= 32;
		if (i == 2)
			put(fd, data, half, size);
		if (i == 5 && growing && data[0] & 1)
			put(fd, data, 0, size / 4);
	}
	any += take(&c, step, UINT64_MAX);
	if (any > c.values || c.values > c.lines || c.late > c.strays ||
	    c.strays > c.values || c.read > size)
		abort();
	raw_counter_done(&c);
	return 0;
}
