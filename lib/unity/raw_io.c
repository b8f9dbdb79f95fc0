#include "unity/raw_io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unity/raw_pages.h"

enum { AT_ONCE = 1 << 20 };

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

bool
raw_io_is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Without a note of each read, which costs a tenth of a small one. */
int
raw_io_open(const char *path, bool write)
{
	bool is_stdin = strcmp(path, "-") == 0;
	/* A pipe of which we had the other end, too, would never end. */
	bool both = write && !is_stdin && raw_io_is_file(path);
	int how = O_CLOEXEC | O_NOCTTY | (both ? O_RDWR : O_RDONLY);
	int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
			  : open(path, how | O_NOATIME);

	if (is_stdin)
		return fd;
	if (fd < 0 && errno == EPERM)
		fd = open(path, how);
	if (fd < 0 && both)
		fd = raw_io_open(path, false);
	return fd;
}

bool
raw_io_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int
raw_io_delete(int fd, const char *path)
{
	struct stat named, read;

	if (fstat(fd, &read))
		return -1;
	if (lstat(path, &named))
		return errno == ENOENT ? 0 : -1;
	if (!S_ISREG(named.st_mode) || !raw_io_same(&named, &read))
		return 0;
	return unlink(path) && errno != ENOENT ? -1 : 0;
}

bool
raw_io_give_back(int fd, uint64_t *from, uint64_t to)
{
	uint64_t upto = to - to % RAW_PAGE, begin = *from;

	if (upto < begin + AT_ONCE)
		return true;
	*from = upto;
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			 (off_t)begin, (off_t)(upto - begin)) == 0;
}
