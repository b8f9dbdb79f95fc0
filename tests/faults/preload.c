/*
 * A disk that fails: preloaded into the program under test.
 *
 *	FAULT_FILE='PATTERN OP ERRNO|KILL'   e.g. "* /result.json.part write ENOSPC"
 *	FAULT_MARK=FILE                 made when it struck
 *
 * OP is open (for writing), write, short (half is written before), fsync,
 * close, rename, look (open for reading), read or list (a folder).  Paths are what the kernel calls the open file, or, for
 * open and rename, what the program does.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static struct {
	bool loaded;
	char text[PATH_MAX + 32];
	const char *pattern, *op;
	int number; /* 0: it is killed */
} fault;

static void
load(void)
{
	const char *all = getenv("FAULT_FILE");
	char *op, *number;

	fault.loaded = true;
	if (!all || strlen(all) >= sizeof(fault.text))
		return;
	memcpy(fault.text, all, strlen(all) + 1);
	number = strrchr(fault.text, ' ');
	if (!number)
		return;
	*number++ = 0;
	op = strrchr(fault.text, ' ');
	if (!op)
		return;
	*op++ = 0;
	fault.pattern = fault.text;
	fault.op = op;
	fault.number = strcmp(number, "KILL") == 0  ? 0
		       : strcmp(number, "EIO") == 0 ? EIO
						    : ENOSPC;
}

static bool
strikes(const char *op, const char *path)
{
	const char *mark = getenv("FAULT_MARK");
	long fd;

	if (!fault.loaded)
		load();
	if (!fault.op || strcmp(op, fault.op) != 0 ||
	    fnmatch(fault.pattern, path, 0) != 0)
		return false;
	if (mark) {
		fd = syscall(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT,
			     0600);
		if (fd >= 0)
			(void)syscall(SYS_close, fd);
	}
	if (fault.number == 0)
		(void)raise(SIGKILL);
	errno = fault.number;
	return true;
}

static bool
strikes_fd(const char *op, int fd)
{
	char link[64], path[PATH_MAX];
	ssize_t n;

	if (!fault.loaded)
		load();
	if (!fault.op || strcmp(op, fault.op) != 0)
		return false;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return false;
	path[n] = 0;
	return strikes(op, path);
}

static int
open_as(int dir, const char *path, int flags, mode_t mode)
{
	if (strikes((flags & O_ACCMODE) != O_RDONLY ? "open" : "look", path))
		return -1;
	return (int)syscall(SYS_openat, dir, path, flags, mode);
}

#define MODE(last)                                   \
	mode_t mode = 0;                             \
	va_list ap;                                  \
	va_start(ap, last);                          \
	if (last & (O_CREAT | __O_TMPFILE))          \
		mode = (mode_t)va_arg(ap, unsigned); \
	va_end(ap)

int
open(const char *path, int flags, ...)
{
	MODE(flags);
	return open_as(AT_FDCWD, path, flags, mode);
}

int
open64(const char *path, int flags, ...)
{
	MODE(flags);
	return open_as(AT_FDCWD, path, flags, mode);
}

int
openat(int dir, const char *path, int flags, ...)
{
	MODE(flags);
	return open_as(dir, path, flags, mode);
}

int
openat64(int dir, const char *path, int flags, ...)
{
	MODE(flags);
	return open_as(dir, path, flags, mode);
}

ssize_t
read(int fd, void *data, size_t len)
{
	if (strikes_fd("read", fd))
		return -1;
	return syscall(SYS_read, fd, data, len);
}

DIR *
opendir(const char *path)
{
	int fd;

	if (strikes("list", path))
		return NULL;
	fd = (int)syscall(SYS_openat, AT_FDCWD, path,
			  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? NULL : fdopendir(fd);
}

ssize_t
write(int fd, const void *data, size_t len)
{
	if (strikes_fd("write", fd))
		return -1;
	/* One byte goes, and then there is no room. */
	if (len > 1 && strikes_fd("short", fd))
		len = len / 2;
	else if (len == 1 && strikes_fd("short", fd))
		return -1;
	return syscall(SYS_write, fd, data, len);
}

ssize_t
writev(int fd, const struct iovec *iov, int count)
{
	if (strikes_fd("write", fd) || strikes_fd("short", fd))
		return -1;
	return syscall(SYS_writev, fd, iov, count);
}

ssize_t
pwrite(int fd, const void *data, size_t len, off_t at)
{
	if (strikes_fd("write", fd) || strikes_fd("short", fd))
		return -1;
	return syscall(SYS_pwrite64, fd, data, len, at);
}

ssize_t
pwrite64(int fd, const void *data, size_t len, off_t at)
{
	return pwrite(fd, data, len, at);
}

int
fsync(int fd)
{
	if (strikes_fd("fsync", fd))
		return -1;
	return (int)syscall(SYS_fsync, fd);
}

int
fdatasync(int fd)
{
	if (strikes_fd("fsync", fd))
		return -1;
	return (int)syscall(SYS_fdatasync, fd);
}

/* The descriptor is gone all the same, as with the kernel's own EIO. */
int
close(int fd)
{
	bool bad = strikes_fd("close", fd);
	int rc = (int)syscall(SYS_close, fd);

	if (!bad)
		return rc;
	errno = fault.number;
	return -1;
}

int
rename(const char *from, const char *to)
{
	if (strikes("rename", from))
		return -1;
	return (int)syscall(SYS_rename, from, to);
}
