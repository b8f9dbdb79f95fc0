#include "unity/raw_data.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/mem.h"

#define DATA_END 0xDEADFEEDU

enum {
	HEAD_OLD = 12, /* version, size, number of threads */
	HEAD_NEW = 28, /* version, size, five numbers of Unity's version */
	NEEDED = 24,   /* of a payload */
};

/* The payload's first fields: index, real index, start, CPU time. */
static void
take(struct raw_list *l, uint32_t version, const uint8_t *p)
{
	bool short_start = version < 0x20191122;
	uint64_t start = short_start ? raw_u32(p + 8) : raw_u64(p + 8);
	uint32_t us = raw_u32(p + (short_start ? 12 : 16));
	bool in_ns = version >= RAW_VERSION_2021_2;
	struct raw_row row = {
		.index = raw_u32(p),
		.ordinal = l->count,
		.start_ns = in_ns			? start
			    : start > UINT64_MAX / 1000 ? UINT64_MAX
							: start * 1000,
		.ns = (uint64_t)us * 1000,
		.busy_ns = (uint64_t)us * 1000,
	};

	MEM_GROW(l->row, l->count, l->room);
	l->row[l->count++] = row;
}

static ssize_t
read_at(int fd, uint64_t at, uint8_t *p, size_t len)
{
	ssize_t n;

	do {
		n = pread(fd, p, len, (off_t)at);
	} while (n < 0 && errno == EINTR);
	return n;
}

int
raw_data_read(const char *path, struct raw_list *list, struct err *err)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	uint64_t at = 0;

	if (fd < 0)
		return err_sys(err, "open '%s'", path);
	for (;;) {
		uint8_t p[HEAD_NEW + NEEDED];
		ssize_t n = read_at(fd, at, p, sizeof(p));
		uint32_t version, size, head;

		if (n < 0)
			return err_sys(err, "read '%s'", path);
		if (n >= 4 && raw_u32(p) == DATA_END)
			return 0;
		version = n >= 4 ? raw_u32(p) : 0;
		head = version >= RAW_VERSION_LONG ? HEAD_NEW : HEAD_OLD;
		if ((size_t)n < (size_t)head + NEEDED ||
		    !raw_format_is_data(p, (size_t)n)) {
			list->cut = true;
			return 0;
		}
		size = raw_u32(p + 4);
		take(list, version, p + head);
		at += (uint64_t)head + size;
	}
}
