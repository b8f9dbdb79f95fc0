#ifndef RAW_FRAMES_H
#define RAW_FRAMES_H

#include "unity/raw_format.h"

/*
 * The frames of a recording as its main thread begins them, the last
 * RAW_FRAMES of them.  Each begin has an ordinal, 0, 1, 2, ...; its index is
 * what the file calls it.
 *
 * A begin ends the frame before only when its index is one more.  The same
 * index again is how patrol writes a gap (the first of the two only ends the
 * frame before it); any other index leaves the frame before without an end.
 */
enum { RAW_FRAMES = 4096 };

enum raw_fate {
	RAW_FATE_OPEN, /* not decided */
	RAW_FATE_KEEP,
	RAW_FATE_DROP,
};

enum raw_why { /* bits: why a frame is kept */
	       RAW_WHY_TIME = 1,
	       RAW_WHY_GC = 2,
	       RAW_WHY_AROUND = 4,
	       RAW_WHY_ALL = 8,
};

struct raw_frame {
	uint32_t index;
	uint32_t new_index;  /* once it is kept */
	uint64_t start, end; /* ticks */
	bool ended;	     /* `end` is its true end */
	bool closed;	     /* another one has begun */
	bool twin;	     /* the next one has the same index */
	enum raw_fate fate;
	unsigned why;
	uint64_t bytes;	    /* of blocks that belong to it, its begin's too */
	uint64_t end_bytes; /* of the begin that ends it */
	uint64_t waited;    /* ticks in waits, main thread */
	uint64_t allocated; /* bytes of GC.Alloc samples */
	uint64_t counted;   /* bytes of the counter, if has_counted */
	uint64_t told;	    /* bytes of the --gc file, if has_told */
	bool has_counted, has_told;
	uint32_t threads; /* that had a block in it */
};

struct raw_frames {
	struct raw_frame *ring; /* zeroed is empty */
	size_t room;		/* a power of two */
	uint64_t count; /* begun so far: the last ordinal is count - 1 */
};

void raw_frames_done(struct raw_frames *f);

/* The main thread begins a frame; returns it.  Others may move by it. */
struct raw_frame *raw_frames_begin(struct raw_frames *f, uint32_t index,
				   uint64_t time);
/* NULL when it has not begun or is too long ago.  Asked for each block. */
static inline struct raw_frame *
raw_frames_at(const struct raw_frames *f, uint64_t ordinal)
{
	if (ordinal >= f->count || f->count - ordinal > RAW_FRAMES)
		return NULL;
	return &f->ring[ordinal & (f->room - 1)];
}

enum raw_found {
	RAW_FOUND,
	RAW_FOUND_NOT_YET, /* the main thread may still begin it */
	RAW_FOUND_NEVER,   /* it never will, or it is too long ago */
};
/* The ordinal of the newest frame of that index. */
enum raw_found raw_frames_find(const struct raw_frames *f, uint32_t index,
			       uint64_t *ordinal);
/* Past twins that only ended the frame before them. */
static inline uint64_t
raw_frames_settle(const struct raw_frames *f, uint64_t ordinal)
{
	const struct raw_frame *at = raw_frames_at(f, ordinal);

	while (at && at->twin) {
		ordinal++;
		at = raw_frames_at(f, ordinal);
	}
	return ordinal;
}

#endif
