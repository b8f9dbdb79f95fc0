#ifndef RAW_IO_H
#define RAW_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/*
 * Bytes at a place of a file: -1 and errno, or *got, which is less than `len`
 * only at the file's end.
 */
int raw_io_read(int fd, uint64_t at, void *to, size_t len, size_t *got);

/*
 * A file to read, and where `write` says so and it can be, to be emptied.
 * "-" is the standard input.
 */
int raw_io_open(const char *path, bool write);

/*
 * Give bytes of a file back to the disk, once there is a MiB of them: they are
 * zeros then, and *from moves to the page that holds `to`.  False where the
 * file system can't.
 */
bool raw_io_give_back(int fd, uint64_t *from, uint64_t to);

/*
 * Delete the regular file that `fd` reads, unless its name is gone or is
 * another file's by now.
 */
int raw_io_delete(int fd, const char *path);

/* Whether both are one file, by whatever names. */
bool raw_io_same(const struct stat *a, const struct stat *b);
/* Whether there is a regular file: no pipe, which opening would disturb. */
bool raw_io_is_file(const char *path);

#endif
