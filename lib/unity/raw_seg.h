#ifndef RAW_SEG_H
#define RAW_SEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * One segment of a recording that is held: a file, or a pipe of which only the
 * name is used.
 */
struct raw_seg {
	uint32_t number;
	int fd;	       /* -1: in memory */
	char *path;    /* owned */
	uint64_t size; /* bytes, seen so far */
	bool done;     /* read to its end */
	uint64_t gone; /* what was given back to the disk ends there */
	bool stays;    /* the file system does not take it back */
};

/* All of `len` bytes at `at`; a file that has less became shorter. */
int raw_seg_read(const struct raw_seg *g, uint64_t at, void *to, size_t len,
		 struct err *err);
/* Look how large it is by now.  ERR_INPUT when it became shorter. */
int raw_seg_look(struct raw_seg *g, struct err *err);
/* *deleted is set when there was something to delete, and else left. */
int raw_seg_delete(const struct raw_seg *g, bool *deleted, struct err *err);
void raw_seg_give_back(struct raw_seg *g, uint64_t upto, bool *deleted);
void raw_seg_close(struct raw_seg *g);

#endif
