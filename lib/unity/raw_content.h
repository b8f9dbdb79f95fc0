#ifndef RAW_CONTENT_H
#define RAW_CONTENT_H

#include "unity/raw_msg.h"
#include "unity/raw_threads.h"

/*
 * What is looked for within the payloads: allocations of managed memory, and
 * the main thread's waits for the display.  Markers have another id in each
 * file, so their definitions are read first.
 */
enum { RAW_IDS = 16 };

struct raw_ids {
	uint32_t id[RAW_IDS];
	unsigned count;
};

struct raw_content {
	const struct raw_head *head;
	struct raw_ids alloc;	/* "GC.Alloc" */
	struct raw_ids counter; /* "GC Allocated In Frame" */
	struct raw_ids waits;
	uint64_t odd_blocks; /* whose rest could not be read */
	uint64_t odd_type;   /* and the type that was the last reason */
	bool seen_alloc, seen_counter, seen_stats;
};

/* What one thread's block adds to its frame. */
struct raw_sums {
	uint64_t allocated;
	uint64_t counted;
	bool has_counted;
	uint64_t waited; /* ticks */
};

enum raw_look {
	RAW_LOOK_ALLOC = 1,
	RAW_LOOK_WAITS = 2,
};

/* The definition of a marker. */
void raw_content_marker(struct raw_content *c, const struct raw_msg *m);

/*
 * Look through `len` bytes of a payload of thread `t`, as raw_msg_next()
 * takes them.  Returns how many were read; fewer than `len` only when
 * t->reader.more is set and the rest has to come again.
 */
size_t raw_content_read(struct raw_content *c, struct raw_thread *t,
			unsigned look, const uint8_t *p, size_t len,
			struct raw_sums *sums);

/* The main thread begins a frame while it waits: ticks until then. */
uint64_t raw_content_split_wait(struct raw_thread *t, uint64_t time);

#endif
