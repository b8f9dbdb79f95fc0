#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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
filter_it(const struct raw_src_spec *src, unsigned how)
{
	struct raw_filter_spec spec = {
		.src = *src,
		.rules = {.by_time = how & 1,
			  .by_gc = !(how & 1) || (how & 2),
			  .time_ns = how & 4 ? 0 : 5000000,
			  .gc_bytes = 1000,
			  .busy = how & 8,
			  .around = how >> 4 & 3,
			  .keep_indices = how & 64},
		.out = src->bytes ? NULL : "/dev/null",
		.max_output = how & 128 ? 700 : 0,
	};
	struct raw_filter_result result;
	struct err err = ERR_INIT;

	(void)raw_filter_run(&spec, NULL, NULL, &result,
			     &err); /* any outcome will do */
}

static void
list_it(const struct raw_src_spec *src)
{
	struct raw_list_spec spec = {.paths = src->paths,
				     .count = src->count,
				     .bytes = src->bytes,
				     .size = src->size,
				     .markers = true};
	struct raw_list list;
	struct err err = ERR_INIT;

	(void)raw_list_read(&list, &spec, NULL, &err); /* likewise */
	raw_list_done(&list);
}

/* The same bytes as a file, which is read in windows. */
static const char *
file_of(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static char path[32];

	if (fd < 0) {
		fd = memfd_create("raw", 0);
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (pwrite(fd, data, size, 0) != (ssize_t)size ||
	    ftruncate(fd, (off_t)size))
		abort();
	return path;
}

/* Of some of the input's bytes, so that no kind of input is always one kind. */
static unsigned
draw(const uint8_t *data, size_t size)
{
	unsigned v = (unsigned)size;

	for (size_t i = 0; size && i < 8; i++)
		v = v * 31 + data[size * i / 8];
	return v >> 3;
}

/*
 * Mostly in memory, of the input's exact size: a sanitizer sees each read
 * past.  Files cost more and are had now and then.
 */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned how = size ? data[size - 1] : 0;
	unsigned lot = draw(data, size);
	const char *path = NULL;
	struct raw_src_spec src = {.bytes = data, .size = size};

	if (lot % 32 == 0) {
		path = file_of(data, size);
		src = (struct raw_src_spec){.paths = &path, .count = 1};
	}
	if (lot / 32 % 4 == 0)
		list_it(&src);
	else
		filter_it(&src, how);
	return 0;
}
