#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * What a filter of raw logs is measured against:
 *
 *	raw_hop hop FILE    one bare pread for the head of each block
 *	raw_hop read FILE   the whole file with read(2)
 */
enum { HEAD = 56, BLOCK = 20, EXTRA = 28, LENGTH_AT = 16 };

static int
hop(int fd)
{
	uint8_t head[BLOCK];
	off_t at = HEAD;
	uint32_t len;

	while (pread(fd, head, BLOCK, at) == BLOCK) {
		memcpy(&len, head + LENGTH_AT, sizeof(len));
		at += (off_t)len + EXTRA;
	}
	return 0;
}

static int
read_all(int fd)
{
	static uint8_t buf[128 << 10];
	ssize_t n;

	do {
		n = read(fd, buf, sizeof(buf));
	} while (n > 0);
	return n < 0;
}

int
main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[2], O_RDONLY) : -1;

	if (fd < 0) {
		fprintf(stderr, "usage: raw_hop hop|read FILE\n");
		return 2;
	}
	return strcmp(argv[1], "hop") == 0 ? hop(fd) : read_all(fd);
}
