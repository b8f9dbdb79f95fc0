#ifndef RAW_THREADS_H
#define RAW_THREADS_H

#include "unity/raw_msg.h"

/* The streams of a recording, one a thread, and where each one is. */
struct raw_thread {
	uint64_t id;
	char *name, *group; /* NULL until told; cut at 200 bytes */
	bool loose;	    /* told to be independent of frames */
	bool omit;	    /* named by --exclude-thread */
	bool bound;	    /* has begun a frame */
	bool main;

	/* Its frame: the index it gave and, once the main thread has begun
	 * that one, its ordinal (raw_frames.h). */
	uint32_t frame;
	bool placed;
	uint64_t ordinal;
	uint64_t since; /* ordinal at which it was asked for */
	uint64_t ahead; /* allocated in it while it had no place */

	uint64_t last; /* loose: ordinal when its last block was written */
	uint64_t blocks;

	uint32_t out_index; /* what its next block gets in the output */

	struct raw_reader reader;
	uint32_t wait_marker; /* main: in a wait since wait_at */
	unsigned wait_depth;
	uint64_t wait_at;
	void *own; /* of whoever reads the messages */
};

struct raw_threads {
	struct raw_thread *item;
	size_t count, room;
	uint32_t *slot; /* hash: index + 1, 0 is free */
	size_t slots;	/* a power of two */
	size_t recent;
};

enum { RAW_THREADS_MAX = 1 << 16 };

void raw_threads_done(struct raw_threads *t);
/*
 * The thread of that id, made when it is new; its number is stable, a pointer
 * to it only until the next new one.  ERR_INPUT past RAW_THREADS_MAX.
 */
int raw_threads_get(struct raw_threads *t, uint64_t id, size_t *number,
		    struct err *err);
/* Take what a RAW_THREAD message says. */
void raw_threads_info(struct raw_thread *t, const struct raw_msg *m);

#endif
