#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * What a filter of raw logs is measured against:
 *
 *	raw_hop hop FILE    one bare pread for the head of each block
 *	raw_hop read FILE   the whole file with read(2)
 *
 * and a log that has many bytes but takes none on the disk:
 *
 *	raw_hop sparse FILE BYTES
 */
enum { HEAD = 56, BLOCK = 20, EXTRA = 28, LENGTH_AT = 16 };
enum { THREAD = 80, BEGIN = 16 };

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

/* A block of the main thread with a payload that begins with so many bytes. */
static int
put_block(int fd, off_t *at, uint32_t index, const uint32_t *payload,
	  size_t begin, uint32_t len)
{
	uint32_t head[] = {0xB10C7EAD, index, THREAD, 0, len};
	uint32_t foot[] = {index + 1, 0xB10CF007};
	int bad = pwrite(fd, head, BLOCK, *at) != BLOCK;

	bad |= pwrite(fd, payload, begin, *at + BLOCK) != (ssize_t)begin;
	*at += BLOCK + (off_t)len;
	bad |= pwrite(fd, foot, sizeof(foot), *at) != sizeof(foot);
	*at += sizeof(foot);
	return bad;
}

/* A begin of a frame and a block of almost 4 GiB, again and again. */
static int
sparse(const char *path, long long bytes)
{
	uint32_t head[HEAD / 4] = {0x55334450, 0x101, 0x20220328, 1,
				   0,	       1,     0,	  THREAD};
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	int bad = fd < 0 || pwrite(fd, head, HEAD, 0) != HEAD;
	off_t at = HEAD;

	for (uint32_t n = 0; !bad && at < bytes; n++) {
		uint32_t begin[BEGIN / 4] = {34, n, n * 1000000, 0};

		bad = put_block(fd, &at, 2 * n, begin, BEGIN, BEGIN) ||
		      put_block(fd, &at, 2 * n + 1, begin, 0, 0xFFFFF000);
	}
	return bad;
}

int
main(int argc, char **argv)
{
	int fd;

	if (argc == 4 && strcmp(argv[1], "sparse") == 0)
		return sparse(argv[2], atoll(argv[3]));
	fd = argc == 3 ? open(argv[2], O_RDONLY) : -1;

	if (fd < 0) {
		fprintf(stderr, "usage: raw_hop hop|read|sparse FILE "
				"[BYTES]\n");
		return 2;
	}
	return strcmp(argv[1], "hop") == 0 ? hop(fd) : read_all(fd);
}
