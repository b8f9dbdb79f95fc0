#ifndef RAW_IO_H
#define RAW_IO_H

#include <stddef.h>
#include <stdint.h>

/*
 * Bytes at a place of a file: -1 and errno, or *got, which is less than `len`
 * only at the file's end.
 */
int raw_io_read(int fd, uint64_t at, void *to, size_t len, size_t *got);

#endif
