#ifndef RAW_SELF_H
#define RAW_SELF_H

#include "unity/raw_scan.h"

/*
 * Where the time of each frame went: per thread the markers with the most
 * time of their own, that is without the samples within them.
 */
enum { RAW_SELF_TOP = 5 }; /* per thread and frame */

struct raw_self_row {
	uint64_t ordinal;
	size_t thread; /* its number in raw_scan.threads */
	uint32_t marker;
	uint32_t calls;
	uint64_t self, total; /* ticks */
};

struct raw_self {
	struct raw_scan *scan; /* set by the caller */
	struct raw_self_row *row;
	size_t rows, room;
	struct raw_self_name *name; /* of markers, in a table by id */
	size_t names, name_slots;
};

void raw_self_done(struct raw_self *s);
/* For struct raw_watch; `arg` is the struct raw_self. */
void raw_self_marker(void *arg, const struct raw_msg *m);
void raw_self_message(void *arg, struct raw_thread *t, const struct raw_msg *m);
void raw_self_begins(void *arg, struct raw_thread *t, uint64_t time);
/* At the end: what the threads' last frames hold; sort by frame and time. */
void raw_self_end(struct raw_self *s);
/* The first row of a frame, `*count` of them, the heaviest first. */
const struct raw_self_row *raw_self_of(const struct raw_self *s,
				       uint64_t ordinal, size_t *count);
/* NULL when it was not defined. */
const char *raw_self_name(const struct raw_self *s, uint32_t marker);

#endif
