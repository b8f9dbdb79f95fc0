#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unity/raw_filter.h"
#include "unity/raw_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * A raw log, filtered and listed as its last byte says: the thresholds, the
 * gaps, the neighbours, the markers.
 */
static void
filter_it(const char *path, unsigned how)
{
	const char *paths[] = {path};
	struct raw_filter_spec spec = {
		.src = {.paths = paths, .count = 1},
		.rules = {.by_time = how & 1,
			  .by_gc = !(how & 1) || (how & 2),
			  .time_ns = how & 4 ? 0 : 5000000,
			  .gc_bytes = 1000,
			  .busy = how & 8,
			  .around = how >> 4 & 3,
			  .keep_indices = how & 64},
		.out = "/dev/null",
		.max_output = how & 128 ? 700 : 0,
	};
	struct raw_filter_result result;
	struct err err = ERR_INIT;

	(void)raw_filter_run(&spec, NULL, NULL, &result,
			     &err); /* any outcome will do */
}

static void
list_it(const char *path)
{
	const char *paths[] = {path};
	struct raw_list_spec spec = {
		.paths = paths, .count = 1, .markers = true};
	struct raw_list list;
	struct err err = ERR_INIT;

	(void)raw_list_read(&list, &spec, NULL, &err); /* likewise */
	raw_list_done(&list);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned how = size ? data[size - 1] : 0;
	char path[32];
	int fd = memfd_create("raw", 0);

	if (fd < 0)
		return 0;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size) {
		filter_it(path, how);
		if (how % 3 == 0)
			list_it(path);
	}
	close(fd);
	return 0;
}
