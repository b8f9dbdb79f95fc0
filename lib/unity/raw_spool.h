#ifndef RAW_SPOOL_H
#define RAW_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "base/err.h"
#include "unity/raw_pages.h"

/*
 * The bytes of a pipe from a released place up to what was read.  The newest
 * are in memory; older ones go to a nameless file when memory has no room.
 */
struct raw_spool {
	int fd; /* the pipe, borrowed */
	bool end;
	struct raw_pages memory;
	uint8_t *mem;	   /* the same, or all there is of the stream */
	uint64_t base;	   /* where in the stream mem[0] is */
	size_t len;	   /* bytes in mem */
	uint64_t released; /* nothing before it is needed */
	int file;	   /* of what is between released and base; -1: none */
};

void raw_spool_init(struct raw_spool *s, int fd);
void raw_spool_done(struct raw_spool *s);

/* Read until the stream is known up to `upto`, or ends before. */
int raw_spool_fill(struct raw_spool *s, uint64_t upto, struct deadline dl,
		   struct err *err);
uint64_t raw_spool_known(const struct raw_spool *s);
/* In memory, or NULL when it is not (any more). */
const uint8_t *raw_spool_at(const struct raw_spool *s, uint64_t at);
int raw_spool_copy(struct raw_spool *s, uint64_t at, void *to, size_t len,
		   struct err *err);
void raw_spool_release(struct raw_spool *s, uint64_t at);

/* A nameless file in TMPDIR (else /tmp, on a phone the app's own place). */
int raw_spool_temp(struct err *err);

#endif
