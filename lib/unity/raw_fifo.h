#ifndef RAW_FIFO_H
#define RAW_FIFO_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * A queue of records of one size.  Its two ends are in memory; what is
 * between them, when there is much, is in a nameless file.
 */
struct raw_fifo {
	size_t record;
	uint8_t *head, *tail; /* RAW_FIFO_PART records each */
	size_t head_at, head_count, tail_count;
	int file;
	uint64_t file_at, file_count; /* parts: read and written */
};

enum { RAW_FIFO_PART = 16 << 10 };

void raw_fifo_init(struct raw_fifo *f, size_t record);
void raw_fifo_done(struct raw_fifo *f);
int raw_fifo_push(struct raw_fifo *f, const void *record, struct err *err);
/* The oldest one, until it is dropped; *record is NULL when it is empty. */
int raw_fifo_first(struct raw_fifo *f, void **record, struct err *err);
void raw_fifo_drop(struct raw_fifo *f);

#endif
